/** Translation memories, wired: programs read them, people keep them up in the console. */
import type { Routes } from '../http/door.ts';
import type { Logger } from '../process/log.ts';
import type { Storage } from '../stores.ts';
import { translationMemoryRoutes, translationMemoryUpkeepRoutes } from './routes.ts';
import { createTranslationMemories } from './translation-memories.ts';

export function openMemories({ storage, log }: { storage: Storage; log: Logger }) {
  const translationMemories = createTranslationMemories({
    memories: storage.translationMemories,
    log,
  });
  const routes: Routes = async (app, { door }) => {
    await app.register(translationMemoryRoutes, { door, translationMemories });
  };
  const consoleRoutes: Routes = async (app, { door }) => {
    await app.register(routes, { door });
    await app.register(translationMemoryUpkeepRoutes, { door, translationMemories });
  };
  return { service: translationMemories, routes, consoleRoutes };
}
