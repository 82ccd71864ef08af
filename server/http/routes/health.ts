import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Health } from '../../../shared/schemas/health.ts';
import type { VoiceSessions } from '../../services/voice-sessions.ts';

export interface HealthOptions {
  voiceSessions: VoiceSessions;
  /** What is running and what is missing. */
  engines: Health['engines'];
}

export const healthRoutes: FastifyPluginAsyncTypebox<HealthOptions> = async (
  app,
  { voiceSessions, engines },
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
};
