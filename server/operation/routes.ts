/** Operation: health and readiness, metrics, and the console's views of what the server is doing. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList } from 'node:net';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { forbidden } from '../../shared/errors.ts';
import {
  EngineConditions,
  LiveVoiceSessionList,
  LiveVoiceSessionPath,
  StyleRuleCatalogueView,
} from '../../shared/schemas/console.ts';
import { Health, Ready } from '../../shared/schemas/health.ts';
import { Problem } from '../../shared/schemas/problem.ts';
import type { Account, Door, Routes } from '../http/door.ts';
import type { LiveOverview, VoiceSessions } from '../voice/index.ts';
import { canHear } from '../voice/session/speakers.ts';
import {
  type DescribeEngines,
  createEngineConditions,
  describeCapabilities,
  createEngineHealth,
  recogniserOutages,
} from './engine-conditions.ts';
import { type Metrics, createMetrics } from './metrics.ts';
import type { Config } from '../config.ts';
import type { RecognitionEngine } from '../engines/engine.ts';
import { hasRoom } from '../process/index.ts';
import type { Improvement } from '../improvement/improvement.ts';
import type { Logger } from '../process/log.ts';
import type { Engines } from '../running-engines.ts';
import type { Storage } from '../stores.ts';
import type { Translation } from '../translation/translation.ts';

/** Starts the metrics and engine tallies, which count from the start of the server. */
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
      recognition: () => recogniserOutages(engines.recognition),
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
    /** Returns what the running engines can do. */
    capabilities: () => describeCapabilities(engines, translation),
    /** Starts in the background what would take seconds at the first request. */
    warmUp: (all: Parameters<typeof warmUp>[0]) => warmUp(all, log, () => voiceSessions.isStopping),
  };
}

interface HealthOptions {
  voiceSessions: VoiceSessions;
  readiness: Readiness;
  /** What is running and what is missing. */
  engines: Health['engines'];
}

const healthRoutes: FastifyPluginAsyncTypebox<HealthOptions> = async (
  app,
  { voiceSessions, readiness, engines },
) => {
  app.get(
    '/healthz',
    {
      schema: {
        summary: 'Health of the server and its running engines',
        tags: ['operation'],
        response: { 200: Health, 503: Health },
      },
    },
    async (_request, reply) => {
      const { isStopping, count } = voiceSessions;
      const status: Health['status'] = isStopping ? 'stopping' : 'ok';
      return reply.code(isStopping ? 503 : 200).send({ status, voice_sessions: count, engines });
    },
  );

  app.get(
    '/readyz',
    {
      schema: {
        summary: 'Whether the server is ready for work',
        description:
          '200 when the database is writable, a recogniser or a translator is ' +
          'running, and the server is not stopping. While there is a translator, busy ' +
          'recognisers, or some that do not start, do not change the status; the answer reports them.',
        tags: ['operation'],
        response: { 200: Ready, 503: Problem },
      },
    },
    async (_request, reply) => {
      const missing = await readiness.missing();
      if (missing.length === 0) return { status: 'ready' as const, voice: voiceSessions.hearing };
      // Answered rather than thrown: a check every second must not fill the log with failures.
      return reply.code(503).send({ message: `Not ready: ${missing.join('; ')}.` });
    },
  );
};

interface MetricsOptions {
  metrics: Pick<Metrics, 'render'>;
  /** Bearer token required to read the metrics; if undefined, only this machine may read them. */
  metricsKey: string | undefined;
  /** Set behind a proxy, where every request seems to come from this machine. */
  publicUrl: string | undefined;
  trustProxy: boolean;
}

const metricsRoutes: FastifyPluginAsyncTypebox<MetricsOptions> = async (
  app,
  { metrics, metricsKey, publicUrl, trustProxy },
) => {
  const isBehindProxy = trustProxy || publicUrl !== undefined;
  const admit =
    metricsKey === undefined ? requireThisMachine(isBehindProxy) : requireBearer(metricsKey);
  app.get(
    '/metrics',
    {
      onRequest: async (request) => admit(request),
      schema: {
        summary: 'Metrics in the Prometheus text format',
        description:
          'Requires METRICS_KEY as a bearer token. If it is not set, only the ' +
          'machine of the server has access, without a proxy.',
        tags: ['operation'],
        response: {
          200: { content: { 'text/plain': { schema: Type.String() } } },
          '4xx': Problem,
        },
      },
    },
    async (_request, reply) => {
      const { contentType, text } = await metrics.render();
      return reply.type(contentType).header('Cache-Control', 'no-store').send(text);
    },
  );
};

/** @throws ServiceError forbidden */
function requireBearer(key: string) {
  const expected = digest(key);
  return ({ headers }: FastifyRequest): void => {
    const given = /^bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return;
    throw forbidden("Send the header 'Authorization: Bearer KEY' with the key of METRICS_KEY.");
  };
}

/** Hashes to a fixed length, so that a comparison reveals nothing of the key. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Headers by which a proxy on this machine, which forwards requests from anywhere, reveals itself. */
const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/** @throws ServiceError forbidden */
function requireThisMachine(isBehindProxy: boolean) {
  return ({ raw, headers }: FastifyRequest): void => {
    // Not `request.ip`, which with a trusted proxy is whatever the headers say.
    const { remoteAddress, remoteFamily } = raw.socket;
    const family = remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4';
    const isLocal = remoteAddress !== undefined && loopback.check(remoteAddress, family);
    const isProxied = isBehindProxy || proxyHeaders.some((name) => headers[name] !== undefined);
    if (isLocal && !isProxied) return;
    throw forbidden(
      'The metrics are for this machine alone. Set METRICS_KEY to read them from elsewhere.',
    );
  };
}

interface ConsoleOperationOptions {
  /** Whether it is the installation's first account. */
  isOperator: (account: Account) => boolean;
  door: Door;
  liveOverview: LiveOverview;
  describeEngines: DescribeEngines;
  describeStyleRules: () => StyleRuleCatalogueView;
}

const consoleOperationRoutes: FastifyPluginAsyncTypebox<ConsoleOperationOptions> = async (
  app,
  { isOperator, door, liveOverview, describeEngines, describeStyleRules },
) => {
  const onRequest = door.require();
  const onlooker = (account: Account) => ({
    accountId: account.accountId,
    isOperator: isOperator(account),
  });

  app.get(
    '/voice-sessions',
    { onRequest, schema: { response: { 200: LiveVoiceSessionList } } },
    async ({ account }) => liveOverview.list(onlooker(account)),
  );

  app.delete(
    '/voice-sessions/:session_id',
    { onRequest, schema: { params: LiveVoiceSessionPath } },
    async ({ account, params }, reply) => {
      await liveOverview.end(onlooker(account), params.session_id);
      return reply.code(204).send();
    },
  );

  app.get(
    '/engines',
    { onRequest, schema: { response: { 200: EngineConditions } } },
    async ({ account }) => describeEngines(isOperator(account)),
  );

  app.get(
    '/style-rule-catalogue',
    { onRequest, schema: { response: { 200: StyleRuleCatalogueView } } },
    async () => describeStyleRules(),
  );
};

/** Maximum time for the write check, in ms: a slower database is of no use to a caller either. */
const STORAGE_DEADLINE_MS = 2000;
/** How long a result is reused, in ms, as each check costs a write. */
const KNOWN_MS = 1000;

export interface Readiness {
  /** Returns what keeps the server from working, for people; empty if it is ready. Never throws. */
  missing(): Promise<string[]>;
}

export function createReadiness({
  writeChecks,
  recognisers,
  translation,
  isStopping,
  storageDeadlineMs = STORAGE_DEADLINE_MS,
}: {
  writeChecks: Storage['writeChecks'];
  recognisers: readonly Pick<RecognitionEngine, 'languages' | 'retryInMs'>[];
  translation: Pick<Translation, 'sources'>;
  isStopping: () => boolean;
  storageDeadlineMs?: number;
}): Readiness {
  const hasEngine = () =>
    recognisers.some((engine) => engine.languages.length > 0 && canHear(engine)) ||
    translation.sources().length > 0;
  let looked: { atMs: number; storage: Promise<string[]> } | undefined;
  /** One check at a time: with a hanging database, each would take a connection until none is left. */
  let isWriting = false;
  /**
   * Writes to the database: one that cannot be written, for example on a full disk, can still be read for a
   * long time.
   */
  const lookAtStorage = (): Promise<string[]> => {
    const nowMs = performance.now();
    if (looked === undefined || (!isWriting && nowMs - looked.atMs >= KNOWN_MS)) {
      isWriting = true;
      const writing = writeChecks.write(Date.now()).finally(() => (isWriting = false));
      looked = { atMs: nowMs, storage: writtenWithin(writing, storageDeadlineMs) };
    }
    return looked.storage;
  };
  return {
    async missing() {
      const storage = await lookAtStorage();
      return [
        ...(isStopping() ? ['the server is stopping'] : []),
        ...storage,
        ...(hasEngine() ? [] : ['no speech recogniser and no translator is running']),
      ];
    },
  };
}

/** Returns the problem if a write fails or takes too long; empty if it succeeds in time. */
async function writtenWithin(writing: Promise<void>, deadlineMs: number): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string[]>((resolve) => {
    timer = setTimeout(() => resolve(['the database does not answer']), deadlineMs);
  });
  const written = writing.then(
    () => [],
    () => ['the database cannot be reached or written'],
  );
  try {
    return await Promise.race([written, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Delay of the warm-up, in ms, so that the rest of the start and waiting clients come first. */
const AFTER_MS = 1_000;

/** A component that is slow to start. */
interface Slow {
  readonly name: string;
  prepare?(mayStay: () => boolean): Promise<void>;
}

/**
 * Starts slow components one after the other. It never throws, and requests made meanwhile share the start
 * under way. A component stays loaded until memory is short. A server that stops starts nothing more.
 */
export function warmUp(all: readonly Slow[], log: Logger, isStopping: () => boolean): void {
  const prepare = async () => {
    for (const slow of all) {
      if (slow.prepare === undefined) continue;
      if (isStopping()) return;
      const { name: what } = slow;
      if (!hasRoom()) {
        log.info({ what }, 'not warmed up: little memory');
        continue;
      }
      const startedAtMs = performance.now();
      try {
        await slow.prepare(hasRoom);
        const durationMs = Math.round(performance.now() - startedAtMs);
        log.info({ what, durationMs }, 'warmed up');
      } catch (error) {
        if (isStopping()) return;
        // A request for the component reports the error itself.
        log.info({ what, err: error }, 'not warmed up: it failed');
      }
    }
  };
  setTimeout(() => void prepare(), AFTER_MS).unref();
}
