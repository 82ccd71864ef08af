/** Models in the console: what can be installed and what is; for the operator alone. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';
import { ConsoleModels, ModelInstallationRequest, ModelPath } from '../../shared/schemas/models.ts';
import type { ModelInstallations } from './installations.ts';
import type { Account, Door } from '../http/door.ts';

export interface ConsoleModelOptions {
  isOperator: (account: Account) => boolean;
  door: Door;
  modelInstallations: ModelInstallations;
}

export const consoleModelRoutes: FastifyPluginAsyncTypebox<ConsoleModelOptions> = async (
  app,
  { isOperator, door, modelInstallations },
) => {
  const enter = door.require();
  /** Models are files of the whole server. */
  const onlyOperator = async ({ account }: FastifyRequest): Promise<void> => {
    if (isOperator(account)) return;
    throw new ServiceError(
      'forbidden',
      'Only the first account of this server may see and change its models.',
    );
  };
  const onRequest = [enter, onlyOperator];
  const response = { 200: ConsoleModels };

  app.get('/models', { onRequest, schema: { response } }, () => modelInstallations.describe());

  app.post('/models/translations', { onRequest, schema: { response } }, () =>
    modelInstallations.askForTranslations(),
  );

  app.post(
    '/models/installations',
    { onRequest, schema: { body: ModelInstallationRequest, response } },
    async ({ body }) => {
      modelInstallations.install(body.name, body.accept_terms === true);
      return modelInstallations.describe();
    },
  );

  app.delete(
    '/models/installations/:name',
    { onRequest, schema: { params: ModelPath, response } },
    async ({ params }) => {
      await modelInstallations.cancel(params.name);
      return modelInstallations.describe();
    },
  );

  app.delete(
    '/models/:name',
    { onRequest, schema: { params: ModelPath, response } },
    async ({ params }) => {
      await modelInstallations.remove(params.name);
      return modelInstallations.describe();
    },
  );
};
