import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Health, Ready } from '../../shared/schemas/health.ts';
import { Problem } from '../../shared/schemas/problem.ts';
import type { Readiness } from './readiness.ts';
import type { VoiceSessions } from '../voice/index.ts';

export interface HealthOptions {
  voiceSessions: VoiceSessions;
  readiness: Readiness;
  /** What is running and what is missing. */
  engines: Health['engines'];
}

export const healthRoutes: FastifyPluginAsyncTypebox<HealthOptions> = async (
  app,
  { voiceSessions, readiness, engines },
) => {
  app.get(
    '/healthz',
    {
      schema: {
        summary: 'Whether the server takes work, and with which engines',
        tags: ['operation'],
        response: { 200: Health, 503: Health },
      },
    },
    async (_request, reply) => {
      const { isStopping, count } = voiceSessions;
      const status: Health['status'] = isStopping ? 'stopping' : 'ok';
      return reply.code(isStopping ? 503 : 200).send({ status, voice_sessions: count, engines });
    },
  );

  app.get(
    '/readyz',
    {
      schema: {
        summary: 'Whether the server is ready for work',
        description:
          '200 when the database can be written, a recogniser or a translator is running, and the server is not stopping; also while the recognisers are busy, which it tells.',
        tags: ['operation'],
        response: { 200: Ready, 503: Problem },
      },
    },
    async (_request, reply) => {
      const missing = await readiness.missing();
      if (missing.length === 0) return { status: 'ready' as const, voice: voiceSessions.hearing };
      // Answered, not thrown: who asks every second is not to fill the log with failures.
      return reply.code(503).send({ message: `Not ready: ${missing.join('; ')}.` });
    },
  );
};
