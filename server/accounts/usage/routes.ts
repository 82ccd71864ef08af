import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Problem } from '../../../shared/schemas/problem.ts';
import { UsageReport } from '../../../shared/schemas/usage.ts';
import type { UsageMeter } from './usage.ts';
import type { Door } from '../../http/door.ts';

export interface UsageOptions {
  door: Door;
  usageMeter: UsageMeter;
}

export const usageRoutes: FastifyPluginAsyncTypebox<UsageOptions> = async (
  app,
  { door, usageMeter },
) => {
  const onRequest = door.require();
  const schema = {
    summary: 'What was used this month',
    tags: ['usage'],
    security: [{ apiKey: [] }],
    response: { 200: UsageReport, '4xx': Problem, '5xx': Problem },
  };
  app.get('/v2/usage', { onRequest, schema }, async ({ caller }) => usageMeter.report(caller));
  // Older clients ask so.
  app.post(
    '/v2/usage',
    { onRequest, schema: { ...schema, deprecated: true } },
    async ({ caller }) => usageMeter.report(caller),
  );
};
