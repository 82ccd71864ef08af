/** Improvement of texts, wired. */
import type { UsageMeter } from '../accounts/usage/usage.ts';
import type { Routes } from '../http/door.ts';
import type { Logger } from '../process/log.ts';
import type { Engines } from '../running-engines.ts';
import { createImprovement } from './improvement.ts';
import { writeRoutes } from './routes.ts';
import { createTextImprovement, type TextImprovementOptions } from './text-improvement.ts';

/** @param options.texts what texts of any kind have in common */
export function openImprovement({
  engines: { improvement: engines, detector },
  log,
  texts: { detection, backlog },
  usageMeter,
}: {
  engines: Pick<Engines, 'improvement' | 'detector'>;
  log: Logger;
  texts: Pick<TextImprovementOptions, 'detection' | 'backlog'>;
  usageMeter: UsageMeter;
}) {
  const improvement = createImprovement({ engines, detector, log });
  const textImprovement = createTextImprovement({
    improvement,
    detector,
    detection,
    backlog,
    usage: usageMeter,
  });
  const routes: Routes = async (app, { door }) => {
    await app.register(writeRoutes, { door, textImprovement });
  };
  return { service: improvement, textImprovement, routes };
}
