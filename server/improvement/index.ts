/** Improvement of texts, wired. */
import type { UsageMeter } from '../accounts/usage/usage.ts';
import type { Routes } from '../http/door.ts';
import type { Logger } from '../process/log.ts';
import type { Engines } from '../running-engines.ts';
import type { AccountTexts } from '../translation/account-texts.ts';
import { createImprovement } from './improvement.ts';
import { writeRoutes } from './routes.ts';
import { createTextImprovement } from './text-improvement.ts';

export function openImprovement({
  engines: { improvement: engines, detector },
  log,
  texts,
  usageMeter,
}: {
  engines: Pick<Engines, 'improvement' | 'detector'>;
  log: Logger;
  texts: AccountTexts;
  usageMeter: UsageMeter;
}) {
  const improvement = createImprovement({ engines, detector, log });
  const textImprovement = createTextImprovement({
    improvement,
    detector,
    texts,
    usage: usageMeter,
  });
  const routes: Routes = async (app, { door }) => {
    await app.register(writeRoutes, { door, textImprovement });
  };
  return { service: improvement, routes };
}
