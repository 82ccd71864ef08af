/** Lists of spoken terms, wired. */
import type { Routes } from '../http/door.ts';
import type { Storage } from '../stores.ts';
import { spokenTermsRoutes } from './routes.ts';
import { createSpokenTerms } from './spoken-terms.ts';

export function openSpokenTerms({ storage }: { storage: Storage }) {
  const spokenTerms = createSpokenTerms({ spokenTerms: storage.spokenTerms });
  const routes: Routes = async (app, { door }) => {
    await app.register(spokenTermsRoutes, { door, spokenTerms });
  };
  return { service: spokenTerms, routes };
}
