/** The composition root: the only file that names concrete engines and adapters. */
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { isLoopbackHost, type Config } from './config.ts';
import type { Unavailable } from './engines/engine.ts';
import { isRunning, recognisers, translators } from './engines/index.ts';
import { createFlite } from './engines/synthesis/flite.ts';
import { watchRequests } from './http/graceful-close.ts';
import { createHttpServer } from './http/server.ts';
import { createDemo } from './services/demo.ts';
import { createTextTranslation } from './services/text-translation.ts';
import { createTranslation } from './services/translation.ts';
import { spokenLanguages } from './services/voice-session-request.ts';
import { createVoiceSessions } from './services/voice-sessions.ts';
import { openApiKeyFile } from './storage/embedded/api-key-file.ts';
import { createSessionTokens } from './storage/embedded/session-tokens.ts';
import { createAudioDecoders } from './voice/decode.ts';
import { acceptVoiceSockets } from './ws/upgrade.ts';

/** What a person who starts the server wants to know. */
export interface Overview {
  apiKey: string;
  apiKeyFile: string;
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
  const engines = await startEngines(config, log);
  const { key, file, keys } = await openApiKeyFile(config.DATA_DIR);
  const decoders = createAudioDecoders({ log });
  const translation = createTranslation(engines.translation);
  const voiceSessions = createVoiceSessions({
    tokens: createSessionTokens(),
    recognisers: engines.recognition,
    translation,
    decoders,
    log,
    maxSessions: config.VOICE_MAX_SESSIONS,
    tokenTtlMs: config.VOICE_TOKEN_SECONDS * 1000,
  });
  const problems = engines.missing.map(({ reason }) => reason);
  const http = await createHttpServer({
    log,
    apiKeys: keys,
    voiceSessions,
    textTranslation: createTextTranslation(translation),
    demoContent: createDemo({ ...engines, recognisers: engines.recognition, translation }),
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
    overview: { apiKey: key, apiKeyFile: file, problems, ...capabilities(engines) },
    listen: () => http.listen({ host: config.HOST, port: config.PORT }),
    async stop() {
      const deadlineMs = performance.now() + config.STOP_SECONDS * 1000;
      await voiceSessions.stop(config.STOP_SECONDS * 1000);
      const closed = http.close();
      requests.endConnections(Math.max(0, deadlineMs - performance.now()));
      sockets.destroyAll();
      await closed;
      await decoders.close();
      const running = [...engines.recognition, ...engines.translation];
      await Promise.all(running.map((engine) => engine.close()));
    },
  };
}

type Engines = Awaited<ReturnType<typeof startEngines>>;

function capabilities({ recognition, translation }: Engines) {
  return {
    recognition: recognition.map((engine) => ({
      engine: engine.name,
      languages: spokenLanguages([engine]),
    })),
    translation: translation.map(({ name, pairs }) => ({ engine: name, pairs: [...pairs] })),
  };
}

/** Starts every engine the settings ask for; what cannot run is told, and the others go on. */
async function startEngines(config: Config, log: Logger) {
  const settings = {
    log,
    pocketSphinxModel: config.POCKETSPHINX_MODEL,
    apertiumModes: config.APERTIUM_MODES,
  };
  const [recogniser, speaker, ...translation] = await Promise.all([
    recognisers[config.RECOGNISER](settings),
    createFlite(),
    ...translators.map((create) => create(settings)),
  ]);
  const made = [recogniser, ...translation, speaker];
  return {
    recognition: [recogniser].filter(isRunning),
    translation: translation.filter(isRunning),
    speaker: isRunning(speaker) ? speaker : undefined,
    missing: made.filter((engine): engine is Unavailable => !isRunning(engine)),
  };
}

async function readTls({ TLS_CERT_FILE, TLS_KEY_FILE }: Config) {
  if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) return undefined;
  const [cert, key] = await Promise.all([readFile(TLS_CERT_FILE), readFile(TLS_KEY_FILE)]);
  return { cert, key };
}
