import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Problem } from '../../shared/schemas/problem.ts';
import {
  TextTranslationRequest,
  TextTranslationResponse,
} from '../../shared/schemas/text-translation.ts';
import type { TextTranslation } from './text-translation.ts';
import type { Door } from '../http/door.ts';
import { abortWhenGone, reportingTag } from '../http/requests.ts';

export interface TextTranslationOptions {
  textTranslation: TextTranslation;
  door: Door;
}

export const textTranslationRoutes: FastifyPluginAsyncTypebox<TextTranslationOptions> = async (
  app,
  { textTranslation, door },
) => {
  app.post(
    '/v2/translate',
    {
      onRequest: door.require(),
      schema: {
        summary: 'Translate texts',
        tags: ['text'],
        security: [{ apiKey: [] }],
        consumes: ['application/json', 'application/x-www-form-urlencoded'],
        body: TextTranslationRequest,
        response: { 200: TextTranslationResponse, '4xx': Problem, '5xx': Problem },
      },
    },
    async (request, reply) =>
      textTranslation.translate(request.body, {
        caller: request.caller,
        reportingTag: reportingTag(request),
        abort: abortWhenGone(reply),
      }),
  );
};
