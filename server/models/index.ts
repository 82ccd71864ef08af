/** Models in the running server, wired: what is installed, and what the console may install. */
import { npmCommand, type Config } from '../config.ts';
import type { Engines } from '../running-engines.ts';
import type { Routes } from '../http/door.ts';
import type { ConsoleAccount } from '../accounts/console/console-account.ts';
import { createModelInstallations } from './installations.ts';
import { consoleModelRoutes } from './routes.ts';

export function openModels({
  config,
  engines,
  consoleAccount,
}: {
  config: Config;
  engines: Pick<Engines, 'models' | 'translation'>;
  consoleAccount: ConsoleAccount;
}) {
  const modelInstallations = createModelInstallations({
    modelsFolder: config.MODELS_DIR,
    mirror: config.MODELS_URL,
    npm: npmCommand(),
    inUse: engines.models,
    translators: engines.translation,
  });
  const consoleRoutes: Routes = async (app, { door }) => {
    await app.register(consoleModelRoutes, { door, consoleAccount, modelInstallations });
  };
  return { installations: modelInstallations, consoleRoutes };
}
