/** What operators look at, wired: health, metrics, and what goes on in the server. */
import type { Config } from '../config.ts';
import type { Account, Routes } from '../http/door.ts';
import type { Improvement } from '../improvement/improvement.ts';
import type { Logger } from '../process/log.ts';
import type { Engines } from '../running-engines.ts';
import type { Storage } from '../stores.ts';
import type { StyleRuleCatalogueView } from '../../shared/schemas/console.ts';
import type { Translation } from '../translation/translation.ts';
import type { LiveOverview, VoiceSessions } from '../voice/index.ts';
import { consoleOperationRoutes, healthRoutes, metricsRoutes } from './routes.ts';
import {
  createEngineConditions,
  describeCapabilities,
  createEngineHealth,
} from './engine-conditions.ts';
import { createMetrics } from './metrics.ts';
import { createReadiness, warmUp } from './readiness.ts';

/** What is counted from the start on. */
export function startMeasuring() {
  const metrics = createMetrics();
  return { metrics, health: createEngineHealth(metrics.engines) };
}

export function openOperation({
  config,
  log,
  storage,
  engines,
  problems,
  measuring: { metrics, health },
  translation,
  improvement,
  voiceSessions,
  liveOverview,
  isOperator,
  describeStyleRules,
}: {
  config: Config;
  log: Logger;
  storage: Pick<Storage, 'writeChecks'>;
  engines: Engines;
  /** What is missing, for people. */
  problems: string[];
  measuring: ReturnType<typeof startMeasuring>;
  translation: Translation;
  improvement: Improvement;
  voiceSessions: VoiceSessions;
  liveOverview: LiveOverview;
  /** Whether it is the installation's first account. */
  isOperator: (account: Account) => boolean;
  describeStyleRules: () => StyleRuleCatalogueView;
}) {
  const readiness = createReadiness({
    writeChecks: storage.writeChecks,
    recognisers: engines.recognition,
    translation,
    isStopping: () => voiceSessions.isStopping,
  });
  const running = {
    recognition: engines.recognition.map(({ name }) => name),
    translation: engines.translation.map(({ name }) => name),
    synthesis: engines.synthesis.map(({ name }) => name),
    problems,
  };
  const { METRICS_KEY: metricsKey, PUBLIC_URL: publicUrl, TRUST_PROXY: trustProxy } = config;
  const describeEngines = createEngineConditions({
    engines,
    health,
    outages: {
      translation: () => translation.outages(),
      improvement: () => improvement.outages(),
    },
  });
  const routes: Routes = async (app) => {
    await app.register(healthRoutes, { voiceSessions, readiness, engines: running });
    await app.register(metricsRoutes, { metrics, metricsKey, publicUrl, trustProxy });
  };
  const consoleRoutes: Routes = async (app, { door }) => {
    await app.register(consoleOperationRoutes, {
      door,
      isOperator,
      liveOverview,
      describeEngines,
      describeStyleRules,
    });
  };
  return {
    routes,
    consoleRoutes,
    /** What the engines that run can do. */
    capabilities: () => describeCapabilities(engines, translation),
    /** Starts in the background what takes seconds at the first request. */
    warmUp: (all: Parameters<typeof warmUp>[0]) => warmUp(all, log),
  };
}
