/** Glossaries, wired: the same ones as v3 and v2 know them. */
import type { Config } from '../config.ts';
import type { Routes } from '../http/door.ts';
import type { Storage } from '../stores.ts';
import { createGlossaries } from './glossaries.ts';
import { createMonolingualGlossaries } from './monolingual-glossaries.ts';
import { glossaryV2Routes, glossaryV3Routes } from './routes.ts';

const MIB = 1024 * 1024;

export function openGlossaries({ config, storage }: { config: Config; storage: Storage }) {
  const glossaries = createGlossaries({
    glossaries: storage.glossaries,
    cacheBytes: config.GLOSSARY_CACHE_MB * MIB,
  });
  const monolingualGlossaries = createMonolingualGlossaries({
    glossaries,
    store: storage.glossaries,
  });
  const current: Routes = async (app, { door }) => {
    await app.register(glossaryV3Routes, { door, glossaries });
  };
  const routes: Routes = async (app, { door }) => {
    await app.register(current, { door });
    await app.register(glossaryV2Routes, { door, monolingualGlossaries });
  };
  return { service: glossaries, routes, consoleRoutes: current };
}
