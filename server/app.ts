/** The composition root: the only file that names concrete engines and adapters. */
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { ConfigError, isLoopbackHost, type Config } from './config.ts';
import type { TranslationEngine, Unavailable } from './engines/engine.ts';
import {
  createDetector,
  isRunning,
  recognisers,
  translators,
  type EngineSettings,
} from './engines/index.ts';
import { createFlite } from './engines/synthesis/flite.ts';
import { watchRequests } from './http/graceful-close.ts';
import { createHttpServer } from './http/server.ts';
import { createAccess } from './services/access.ts';
import { createDemo } from './services/demo.ts';
import { createDetection } from './services/detection.ts';
import { readEnginePreference } from './services/engine-preference.ts';
import { ensureFirstAccount } from './services/first-account.ts';
import { createGlossaries } from './services/glossaries.ts';
import { betaLanguages } from './services/language-table.ts';
import { createLanguageListings } from './services/languages.ts';
import { createMonolingualGlossaries } from './services/monolingual-glossaries.ts';
import { createTextTranslation } from './services/text-translation.ts';
import { createTranslation, type Translation } from './services/translation.ts';
import { createUsageMeter } from './services/usage.ts';
import { spokenLanguages } from './services/voice-session-request.ts';
import { createVoiceSessions } from './services/voice-sessions.ts';
import { openApiKeyFile } from './storage/embedded/api-key-file.ts';
import { createSessionTokens } from './storage/embedded/session-tokens.ts';
import { openStorage } from './storage/open-storage.ts';
import type { Storage } from './storage/ports.ts';
import { createAudioDecoders, type AudioDecoders } from './voice/decode.ts';
import { acceptVoiceSockets } from './ws/upgrade.ts';

const MIB = 1024 * 1024;

/** What a person who starts the server wants to know. */
export interface Overview {
  /** The first key; undefined when it is not active in this database. */
  apiKey: { secret: string; file: string } | undefined;
  /** Name of the database. */
  storage: string;
  recognition: { engine: string; languages: string[] }[];
  translation: { engine: string; pairs: { source: string; target: string }[] }[];
  problems: string[];
}

export interface App {
  overview: Overview;
  /** Starts to listen; answers the address, such as `http://127.0.0.1:8080`. */
  listen(): Promise<string>;
  /** Takes no new work, lets running sessions conclude, then lets go of everything. */
  stop(): Promise<void>;
}

/** Builds the whole server from its settings. */
export async function createApp(config: Config, log: Logger): Promise<App> {
  const storage = await openStorage({ url: config.STORAGE_URL, dataFolder: config.DATA_DIR, log });
  const { key, file } = await openApiKeyFile(config.DATA_DIR);
  const first = await ensureFirstAccount({ ...storage, secret: key });
  const engines = await startEngines(config, log);
  const decoders = createAudioDecoders({ log });
  const services = createServices({ config, log, storage, engines, decoders });
  const { voiceSessions } = services;
  const problems = engines.missing.map(({ reason }) => reason);
  const http = await createHttpServer({
    ...services,
    log,
    requestsPerMinute: config.RATE_LIMIT_PER_MINUTE,
    engines: {
      recognition: engines.recognition.map(({ name }) => name),
      translation: engines.translation.map(({ name }) => name),
      problems,
    },
    demo: config.DEMO !== 'off',
    isDemoHost: (host) => config.DEMO === 'on' || isLoopbackHost(host),
    publicUrl: config.PUBLIC_URL,
    trustProxy: config.TRUST_PROXY,
    tls: await readTls(config),
  });
  const requests = watchRequests(http.server);
  const sockets = acceptVoiceSockets({
    server: http.server,
    voiceSessions,
    log,
    limits: {
      idleMs: config.VOICE_IDLE_SECONDS * 1000,
      connectionMs: config.VOICE_CONNECTION_SECONDS * 1000,
    },
  });

  return {
    overview: {
      apiKey: first.isSecretActive ? { secret: key, file } : undefined,
      storage: storage.name,
      problems,
      ...capabilities(engines, services.translation),
    },
    listen: () => http.listen({ host: config.HOST, port: config.PORT }),
    async stop() {
      const deadlineMs = performance.now() + config.STOP_SECONDS * 1000;
      await voiceSessions.stop(config.STOP_SECONDS * 1000);
      const closed = http.close();
      requests.endConnections(Math.max(0, deadlineMs - performance.now()));
      sockets.destroyAll();
      await closed;
      // Their connections are gone: what was charged for them is given back while there is a database.
      await services.textTranslation.idle();
      await decoders.close();
      const running = [...engines.recognition, ...engines.translation];
      await Promise.all(running.map((engine) => engine.close()));
      await storage.close();
    },
  };
}

/** Everything the routes and the sockets work with. */
function createServices({
  config,
  log,
  storage,
  engines,
  decoders,
}: {
  config: Config;
  log: Logger;
  storage: Storage;
  engines: Engines;
  decoders: AudioDecoders;
}) {
  const { detector, recognition: recognisers } = engines;
  const translation = createTranslation({
    engines: engines.translation,
    preference: enginePreference(config),
    log,
  });
  const detection = createDetection(detector);
  const glossaries = createGlossaries({
    glossaries: storage.glossaries,
    cacheBytes: config.GLOSSARY_CACHE_MB * MIB,
  });
  const usageMeter = createUsageMeter(storage);
  return {
    translation,
    access: createAccess({ ...storage, legacyAuth: legacyAuth(config) }),
    usageMeter,
    voiceSessions: createVoiceSessions({
      ...{ recognisers, translation, decoders, log },
      tokens: createSessionTokens(),
      maxSessions: config.VOICE_MAX_SESSIONS,
      tokenTtlMs: config.VOICE_TOKEN_SECONDS * 1000,
    }),
    textTranslation: createTextTranslation({
      ...{ translation, detection, glossaries },
      usage: usageMeter,
      isFreeTarget: (target) => betaLanguages.has(target),
      refusesLatencyConflicts: config.LATENCY_CONFLICTS === 'refuse',
    }),
    languageDetection: detection,
    languageListings: createLanguageListings({ translation, recognisers, detector }),
    glossaries,
    monolingualGlossaries: createMonolingualGlossaries({
      glossaries,
      store: storage.glossaries,
    }),
    demoContent: createDemo({ ...engines, recognisers, translation }),
  };
}

type Engines = Awaited<ReturnType<typeof startEngines>>;

function capabilities({ recognition, translation: running }: Engines, translation: Translation) {
  return {
    recognition: recognition.map((engine) => ({
      engine: engine.name,
      languages: spokenLanguages([engine]),
    })),
    translation: running.map(({ name, pairs }) => ({
      engine: name,
      pairs: pairs.filter((pair) => translation.serves(pair)),
    })),
  };
}

/** Starts every engine the settings ask for; what cannot run is told, and the others go on. */
async function startEngines(config: Config, log: Logger) {
  const settings = engineSettings(config, log);
  const [recogniser, speaker, detector, ...translation] = await Promise.all([
    recognisers[config.RECOGNISER](settings),
    createFlite(),
    createDetector(),
    ...Object.values(translators).map((create) => create(settings)),
  ]);
  const translating = translation.filter((engine) => engine !== undefined);
  return {
    recognition: [recogniser].filter(isRunning),
    translation: translating.filter((engine): engine is TranslationEngine => isRunning(engine)),
    speaker: isRunning(speaker) ? speaker : undefined,
    detector,
    missing: [recogniser, ...translating, speaker].filter(
      (engine): engine is Unavailable => !isRunning(engine),
    ),
  };
}

function engineSettings(config: Config, log: Logger): EngineSettings {
  const { CHAT_URL, LIBRETRANSLATE_URL, DEEPL_URL } = config;
  return {
    log,
    pocketSphinxModel: config.POCKETSPHINX_MODEL,
    apertiumModes: config.APERTIUM_MODES,
    chat:
      CHAT_URL === undefined
        ? undefined
        : {
            url: CHAT_URL,
            model: config.CHAT_MODEL,
            key: config.CHAT_KEY,
            languages: config.CHAT_LANGUAGES?.split(',').map((tag) => tag.trim()),
            timeoutMs: config.CHAT_TIMEOUT_SECONDS * 1000,
          },
    libreTranslate:
      LIBRETRANSLATE_URL === undefined
        ? undefined
        : { url: LIBRETRANSLATE_URL, key: config.LIBRETRANSLATE_KEY },
    upstream: DEEPL_URL === undefined ? undefined : { url: DEEPL_URL, key: config.DEEPL_KEY },
  };
}

/** @throws ConfigError for a setting that cannot be read */
function enginePreference({ TRANSLATION_ENGINES: setting = '' }: Config) {
  const { rules, problems } = readEnginePreference(setting, Object.keys(translators));
  if (problems.length > 0) throw new ConfigError(problems);
  return rules;
}

function legacyAuth({ LEGACY_AUTH: mode, LEGACY_AUTH_REFUSED_PERCENT: refusedPercent }: Config) {
  return mode === 'off' ? { mode } : { mode, refusedPercent };
}

async function readTls({ TLS_CERT_FILE, TLS_KEY_FILE }: Config) {
  if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) return undefined;
  const [cert, key] = await Promise.all([readFile(TLS_CERT_FILE), readFile(TLS_KEY_FILE)]);
  return { cert, key };
}
