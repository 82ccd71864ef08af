/** What an account is and has, in the console: its month, its sites and addresses, its admin keys. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';
import {
  AdminKey,
  AdminKeyCreation,
  AdminKeyDeactivation,
  ConsoleSettings,
  ConsoleSettingsChange,
  ConsoleUsage,
  NewAdminKey,
} from '../../../shared/schemas/console.ts';
import type { ConsoleAccount } from './console-account.ts';
import type { Door } from '../../http/auth.ts';

export interface ConsoleAccountOptions {
  consoleAccount: ConsoleAccount;
  door: Door;
}

export const consoleAccountRoutes: FastifyPluginAsyncTypebox<ConsoleAccountOptions> = async (
  app,
  { consoleAccount, door },
) => {
  const onRequest = door.require();

  app.get(
    '/usage',
    { onRequest, schema: { response: { 200: ConsoleUsage } } },
    async ({ account }) => consoleAccount.usage(account),
  );

  app.get(
    '/settings',
    { onRequest, schema: { response: { 200: ConsoleSettings } } },
    async ({ account }) => consoleAccount.settings(account),
  );

  app.put(
    '/settings',
    { onRequest, schema: { body: ConsoleSettingsChange, response: { 200: ConsoleSettings } } },
    async ({ account, body }) => consoleAccount.change(account, body),
  );

  app.get(
    '/admin-keys',
    { onRequest, schema: { response: { 200: Type.Array(AdminKey) } } },
    async ({ account }) => consoleAccount.adminKeys(account),
  );

  app.post(
    '/admin-keys',
    { onRequest, schema: { body: AdminKeyCreation, response: { 200: NewAdminKey } } },
    async ({ account, body }) => consoleAccount.createAdminKey(account, body.label),
  );

  app.put(
    '/admin-keys/deactivate',
    { onRequest, schema: { body: AdminKeyDeactivation, response: { 200: AdminKey } } },
    async ({ account, body }) => consoleAccount.deactivateAdminKey(account, body.key_id),
  );
};
