/** What goes on in the server, in the console: live voice sessions, engines, and what rules they obey. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  EngineConditions,
  LiveVoiceSessionList,
  LiveVoiceSessionPath,
  StyleRuleCatalogueView,
} from '../../shared/schemas/console.ts';
import type { DescribeEngines } from './engine-conditions.ts';
import type { LiveOverview } from '../voice/index.ts';
import type { Account, Door } from '../http/door.ts';

export interface ConsoleOperationOptions {
  /** Whether it is the installation's first account. */
  isOperator: (account: Account) => boolean;
  door: Door;
  liveOverview: LiveOverview;
  describeEngines: DescribeEngines;
  describeStyleRules: () => StyleRuleCatalogueView;
}

export const consoleOperationRoutes: FastifyPluginAsyncTypebox<ConsoleOperationOptions> = async (
  app,
  { isOperator, door, liveOverview, describeEngines, describeStyleRules },
) => {
  const onRequest = door.require();
  const onlooker = (account: Account) => ({
    accountId: account.accountId,
    isOperator: isOperator(account),
  });

  app.get(
    '/voice-sessions',
    { onRequest, schema: { response: { 200: LiveVoiceSessionList } } },
    async ({ account }) => liveOverview.list(onlooker(account)),
  );

  app.delete(
    '/voice-sessions/:session_id',
    { onRequest, schema: { params: LiveVoiceSessionPath } },
    async ({ account, params }, reply) => {
      liveOverview.end(onlooker(account), params.session_id);
      return reply.code(204).send();
    },
  );

  app.get(
    '/engines',
    { onRequest, schema: { response: { 200: EngineConditions } } },
    async ({ account }) => describeEngines(isOperator(account)),
  );

  app.get(
    '/style-rule-catalogue',
    { onRequest, schema: { response: { 200: StyleRuleCatalogueView } } },
    async () => describeStyleRules(),
  );
};
