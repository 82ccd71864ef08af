/** Routes that improve texts, and the assembly of their services. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problems } from '../../shared/schemas/problem.ts';
import {
  CorrectionRequest,
  ImprovementResponse,
  MAX_WRITE_BODY_BYTES,
  RephrasingRequest,
} from '../../shared/schemas/write.ts';
import { type TextImprovement, createTextImprovement } from './text-improvement.ts';
import type { Door, Routes } from '../http/door.ts';
import { abortWhenGone, reportingTag } from '../http/requests.ts';
import type { UsageMeter } from '../accounts/usage/usage.ts';
import type { Logger } from '../process/log.ts';
import type { Engines } from '../running-engines.ts';
import type { AccountTexts } from '../translation/account-texts.ts';
import { createImprovement } from './improvement.ts';

export function openImprovement({
  engines: { improvement: engines, detector },
  log,
  texts,
  usageMeter,
}: {
  engines: Pick<Engines, 'improvement' | 'detector'>;
  log: Logger;
  texts: AccountTexts;
  usageMeter: UsageMeter;
}) {
  const improvement = createImprovement({ engines, detector, log });
  const textImprovement = createTextImprovement({
    improvement,
    detector,
    texts,
    usage: usageMeter,
  });
  const routes: Routes = async (app, { door }) => {
    await app.register(writeRoutes, { door, textImprovement });
  };
  return { service: improvement, routes };
}

export interface WriteOptions {
  door: Door;
  textImprovement: TextImprovement;
}

const writeRoutes: FastifyPluginAsyncTypebox<WriteOptions> = async (
  app,
  { door, textImprovement },
) => {
  const shared = {
    tags: ['text'],
    security: [{ apiKey: [] }],
    consumes: ['application/json', 'application/x-www-form-urlencoded'],
    response: { 200: ImprovementResponse, ...problems },
  };
  const admitted = {
    onRequest: door.require({ plan: 'pro' }),
    bodyLimit: MAX_WRITE_BODY_BYTES,
  };

  app.post(
    '/v2/write/rephrase',
    {
      ...admitted,
      schema: {
        ...shared,
        summary: 'Improve texts',
        description:
          'Corrects mistakes and rephrases. Without an engine ' +
          'that rephrases, it only corrects mistakes.',
        body: RephrasingRequest,
      },
    },
    async (request, reply) =>
      textImprovement.improve('rephrase', request.body, originOf(request, reply)),
  );

  app.post(
    '/v2/write/correct',
    {
      ...admitted,
      schema: {
        ...shared,
        summary: 'Correct texts',
        description: 'Corrects mistakes and changes no more words than necessary.',
        body: CorrectionRequest,
      },
    },
    async (request, reply) =>
      textImprovement.improve('correct', request.body, originOf(request, reply)),
  );
};

/** Returns the caller of a request, and a signal that aborts when the client disconnects. */
function originOf(request: FastifyRequest, reply: FastifyReply) {
  const abort = abortWhenGone(reply);
  return { caller: request.caller, reportingTag: reportingTag(request), abort };
}
