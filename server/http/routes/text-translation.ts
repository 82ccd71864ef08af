import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Problem } from '../../../shared/schemas/problem.ts';
import {
  TextTranslationRequest,
  TextTranslationResponse,
} from '../../../shared/schemas/text-translation.ts';
import type { TextTranslation } from '../../services/text-translation.ts';
import type { Access } from '../../services/access.ts';
import { requireApiKey } from '../auth.ts';
import { abortWhenGone } from '../gone.ts';
import { reportingTag } from '../reporting-tag.ts';

export interface TextTranslationOptions {
  textTranslation: TextTranslation;
  access: Access;
}

export const textTranslationRoutes: FastifyPluginAsyncTypebox<TextTranslationOptions> = async (
  app,
  { textTranslation, access },
) => {
  app.post(
    '/v2/translate',
    {
      onRequest: requireApiKey(access),
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
