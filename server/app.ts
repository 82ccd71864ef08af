/** The composition root: builds every part of the server and connects it to the parts it depends on. */
import type { Logger } from 'pino';
import { openConsole } from './accounts/console/routes.ts';
import { openAccounts } from './accounts/routes.ts';
import { openBroker } from './broker/index.ts';
import type { Config } from './config.ts';
import { openDemo } from './demo/routes.ts';
import { openDocuments } from './documents/jobs/routes.ts';
import { openEvents } from './events/index.ts';
import { openGlossaries } from './glossaries/routes.ts';
import { watchRequests, createHttpServer, listenOn } from './http/server.ts';
import { acceptSockets } from './http/upgrades.ts';
import { openImprovement } from './improvement/routes.ts';
import { openMemories } from './memories/routes.ts';
import { openModels } from './models/routes.ts';
import { openOperation, startMeasuring } from './operation/routes.ts';
import { startEngines } from './running-engines.ts';
import { openSpokenTerms } from './spoken-terms/routes.ts';
import { openStorage } from './storage/open-storage.ts';
import { openStyleRules } from './style-rules/routes.ts';
import { openLanguages, openTexts, openTranslation } from './translation/routes.ts';
import { openAudio, openVoice } from './voice/index.ts';

/** Time clients have to answer a close frame, in ms. */
const FAREWELL_MS = 1_000;
/** The direction loaded during warm-up: the one that new users and the demo try first. */
const FIRST_PAIR = { source: 'en', target: 'es' } as const;

/** What the start-up message shows to the person who starts the server. */
export interface Overview {
  /** The key of the first account; undefined when it is not active in this database. */
  apiKey: { secret: string; file: string } | undefined;
  /**
   * Path of the console. It carries the token of a one-time link as long as the first account has
   * no password.
   */
  console: string | undefined;
  /** Name of the database. */
  storage: string;
  recognition: { engine: string; languages: string[] }[];
  translation: { engine: string; pairs: { source: string; target: string }[] }[];
  synthesis: { engine: string; languages: string[] }[];
  problems: string[];
}

export interface App {
  overview: Overview;
  /** Starts listening and returns the address, such as `http://127.0.0.1:8080`. */
  listen(): Promise<string>;
  /** Refuses new work, lets running sessions conclude, then closes every resource. */
  stop(): Promise<void>;
}

/** Builds the whole server from its settings. */
export async function createApp(config: Config, log: Logger): Promise<App> {
  const measuring = startMeasuring();
  const [data, engines, audio] = await openTogether([
    openData(config, log),
    startEngines(config, log, measuring.health.measures),
    openAudio(config, log),
  ]);
  const problems = [...engines.missing.map(({ reason }) => reason), ...audio.problems];
  const { storage, broker } = data;
  const given = { config, log, storage, broker, engines };

  const accounts = await openAccounts({
    ...given,
    keysInUse: () => [
      ...voice.sessions.list().flatMap(({ origin }) => origin.key?.keyId ?? []),
      ...events.keyIds(),
    ],
    onKeyDeactivated: (keyId) => {
      voice.sessions.endOfKey(keyId);
      events.endOfKey(keyId);
    },
  });
  const { usageMeter } = accounts;
  const translation = openTranslation(given);
  const glossaries = openGlossaries(given);
  const styleRules = openStyleRules({ storage, translation });
  const memories = openMemories(given);
  const spokenTerms = openSpokenTerms(given);
  const {
    texts,
    wishes,
    routes: textRoutes,
  } = openTexts({
    ...given,
    translation,
    glossaries: glossaries.service,
    styleRules: styleRules.service,
    translationMemories: memories.service,
    usageMeter,
  });
  const improvement = openImprovement({ ...given, texts, usageMeter });
  const languages = openLanguages({ engines, translation, improvement: improvement.service });
  const documents = openDocuments({ ...given, translation, wishes, usageMeter });
  const voice = openVoice({
    ...given,
    translation,
    glossaries: glossaries.service,
    usageMeter,
    spokenTerms: spokenTerms.service,
    audio,
    measures: measuring.metrics.voice,
    findRoom: (roomId, caller) => events.roomOf(roomId, caller),
  });
  const events = openEvents({ ...given, translation, voice });
  const console = openConsole({ ...given, accounts });
  const models = openModels({ ...given, isOperator: console.isOperator });
  const operation = openOperation({
    ...given,
    measuring,
    problems,
    translation,
    improvement: improvement.service,
    voiceSessions: voice.sessions,
    liveOverview: voice.overview,
    isOperator: console.isOperator,
    describeStyleRules: styleRules.describeCatalogue,
  });
  const demo = openDemo({
    ...given,
    translation,
    betterModels: () => models.installations.better(),
    voiceSessions: voice.sessions,
    documentTranslations: documents.service,
    caller: accounts.firstCaller,
  });

  const shownInConsole = [operation, models, accounts, glossaries, styleRules, memories, events];
  const { http, schemas } = await createHttpServer({
    log,
    access: accounts.access,
    requestLimit: accounts.requestLimit,
    tls: tlsFilesOf(config),
    trustProxy: config.TRUST_PROXY,
    publicUrl: config.PUBLIC_URL,
    knowsOrigin: accounts.knowsOrigin,
    routes: [
      { routes: textRoutes },
      improvement,
      documents,
      languages,
      glossaries,
      spokenTerms,
      styleRules,
      memories,
      accounts,
      voice,
      events,
      operation,
      ...(config.CONSOLE === 'on' ? [console.showing(shownInConsole)] : []),
      ...(config.DEMO === 'off' ? [] : [demo]),
    ].map(({ routes }) => routes),
  });
  const requests = watchRequests(http.server);
  const sockets = acceptSockets(http.server, { kinds: [voice.sockets, events.sockets], log });
  if (config.WARM_UP === 'on') {
    const detection = { name: 'detection', prepare: () => engines.detector.prepare(['']) };
    const translator = { name: 'translator', prepare: async () => translation.prepare(FIRST_PAIR) };
    operation.warmUp([schemas, detection, translator, documents.worker, ...engines.improvement]);
  }
  void memories.service.tidy();

  return {
    overview: {
      apiKey: accounts.firstKey,
      console: config.CONSOLE === 'on' ? await console.entrance() : undefined,
      storage: storage.name,
      problems,
      ...operation.capabilities(),
    },
    listen: () => listenOn(http, { host: config.HOST, port: config.PORT }),
    async stop() {
      const deadlineMs = performance.now() + config.STOP_SECONDS * 1000;
      documents.expiry.stop();
      const workerEnded = documents.worker.stop();
      accounts.deactivatedKeys.stop();
      const noticesEnded = accounts.notices.stop(config.STOP_SECONDS * 1000);
      voice.stopOverview();
      await voice.sessions.stop(config.STOP_SECONDS * 1000);
      await events.stop();
      // Readiness probes are answered until pending requests are: a load balancer cuts the connections
      // of a server that no longer answers.
      await requests.answered(deadlineMs - performance.now());
      const closed = http.close();
      requests.endConnections(Math.max(0, deadlineMs - performance.now()));
      await sockets.closeAll(FAREWELL_MS);
      await closed;
      const linesWritten = events.flush();
      // These connections are closed. Their charges are refunded while the database is still open.
      await texts.idle();
      await workerEnded;
      await usageMeter.stop();
      await memories.service.stop();
      await models.installations.stop();
      await noticesEnded;
      await linesWritten;
      await audio.close();
      await engines.close();
      await data.close();
    },
  };
}

/** Opens the database, which holds what must last, and the broker, which holds what is in flight. */
async function openData(config: Config, log: Logger) {
  const storage = await openStorage({ url: config.STORAGE_URL, dataFolder: config.DATA_DIR, log });
  const broker = await openBroker({ config, storage, log }).catch(async (error: unknown) => {
    await storage.close();
    throw error;
  });
  const close = async () => {
    await broker.close();
    await storage.close();
  };
  return { storage, broker, close };
}

/**
 * Opens several parts in parallel.
 *
 * @throws the error of the first part that fails, immediately; the other parts are closed once they
 *   are open
 */
async function openTogether<Parts extends Promise<{ close(): Promise<unknown> }>[]>(
  parts: [...Parts],
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  try {
    return await Promise.all(parts);
  } catch (error) {
    for (const part of parts) part.then((opened) => opened.close()).catch(() => undefined);
    throw error;
  }
}

function tlsFilesOf({ TLS_CERT_FILE: cert, TLS_KEY_FILE: key }: Config) {
  return cert === undefined || key === undefined ? undefined : { cert, key };
}
