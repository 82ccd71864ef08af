import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Problem } from '../../../shared/schemas/problem.ts';
import { UsageReport } from '../../../shared/schemas/usage.ts';
import type { Access } from '../access.ts';
import type { UsageMeter } from './usage.ts';
import { requireApiKey } from '../../http/auth.ts';

export interface UsageOptions {
  access: Access;
  usageMeter: UsageMeter;
}

export const usageRoutes: FastifyPluginAsyncTypebox<UsageOptions> = async (
  app,
  { access, usageMeter },
) => {
  const onRequest = requireApiKey(access);
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
