/** Models in the running server: what is installed, and what the console may install; for the operator alone. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';
import { ConsoleModels, ModelInstallationRequest, ModelPath } from '../../shared/schemas/models.ts';
import { type ModelInstallations, createModelInstallations } from './installations.ts';
import type { Account, Door, Routes } from '../http/door.ts';
import { npmCommand, type Config } from '../config.ts';
import type { Engines } from '../running-engines.ts';

export function openModels({
  config,
  engines,
  isOperator,
}: {
  config: Config;
  engines: Pick<Engines, 'models' | 'translation'>;
  /** Whether it is the installation's first account, which models are for. */
  isOperator: (account: Account) => boolean;
}) {
  const modelInstallations = createModelInstallations({
    modelsFolder: config.MODELS_DIR,
    mirror: config.MODELS_URL,
    npm: npmCommand(),
    inUse: engines.models,
    translators: engines.translation,
  });
  const consoleRoutes: Routes = async (app, { door }) => {
    await app.register(consoleModelRoutes, { door, isOperator, modelInstallations });
  };
  return { installations: modelInstallations, consoleRoutes };
}

export interface ConsoleModelOptions {
  isOperator: (account: Account) => boolean;
  door: Door;
  modelInstallations: ModelInstallations;
}

const consoleModelRoutes: FastifyPluginAsyncTypebox<ConsoleModelOptions> = async (
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
