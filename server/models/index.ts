/** Models in the running server, wired: what is installed, and what the console may install. */
import { npmCommand, type Config } from '../config.ts';
import type { Engines } from '../running-engines.ts';
import type { Account, Routes } from '../http/door.ts';
import { createModelInstallations } from './installations.ts';
import { consoleModelRoutes } from './routes.ts';

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
