import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { DetectionRequest, DetectionResponse } from '../../shared/schemas/detection.ts';
import { Problem } from '../../shared/schemas/problem.ts';
import type { LanguageDetection } from './detection.ts';
import type { Door } from '../http/door.ts';

export interface DetectionOptions {
  door: Door;
  languageDetection: LanguageDetection;
}

export const detectionRoutes: FastifyPluginAsyncTypebox<DetectionOptions> = async (
  app,
  { door, languageDetection },
) => {
  app.post(
    '/v3/detect/language',
    {
      onRequest: door.require({ feature: 'detection' }),
      schema: {
        summary: 'Tell the language of texts',
        description: "In beta: the account needs the feature 'detection'.",
        tags: ['languages'],
        security: [{ apiKey: [] }],
        consumes: ['application/json', 'application/x-www-form-urlencoded'],
        body: DetectionRequest,
        response: { 200: DetectionResponse, '4xx': Problem, '5xx': Problem },
      },
    },
    async ({ body, caller, signal }) =>
      languageDetection.detect(body, { accountId: caller.account.accountId, signal }),
  );
};
