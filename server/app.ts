/** The composition root: the only file that names concrete engines and adapters. */
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { LanguageTag } from '../shared/language.ts';
import { isLoopbackHost, npmCommand, type Config } from './config.ts';
import { watchRequests } from './http/graceful-close.ts';
import { createHostRule } from './http/host-rule.ts';
import { createHttpServer } from './http/server.ts';
import { createModelInstallations } from './models/installations.ts';
import { createAccess } from './accounts/access.ts';
import { createApiKeyService, type ApiKeyService } from './accounts/api-keys.ts';
import { consoleEntrance, createConsoleServices } from './accounts/console/console.ts';
import { createDemo } from './demo/demo.ts';
import { createDetection } from './translation/detection.ts';
import { startDocumentExpiry } from './documents/jobs/document-expiry.ts';
import { createDeveloperKeys } from './accounts/developer-keys.ts';
import { createDocumentWorkerProcess } from './documents/jobs/document-worker-process.ts';
import { createDocumentTranslations } from './documents/jobs/documents.ts';
import { createEngineHealth, type EngineHealth } from './operation/engine-health.ts';
import { ensureFirstAccount } from './accounts/first-account.ts';
import { createImprovement, type Improvement } from './improvement/improvement.ts';
import { createGlossaries, type Glossaries } from './glossaries/glossaries.ts';
import { createMetrics, type Metrics } from './operation/metrics.ts';
import { createReadiness } from './operation/readiness.ts';
import { betaLanguages } from './translation/language-table.ts';
import { createLanguageListings } from './translation/languages.ts';
import { createMonolingualGlossaries } from './glossaries/monolingual-glossaries.ts';
import { createKnownOrigins } from './accounts/origins.ts';
import { describeStyleRules } from './style-rules/style-rule-notes.ts';
import { createTextBacklog } from './translation/text-backlog.ts';
import { createStyleRuleLists, type StyleRuleLists } from './style-rules/style-rules.ts';
import { createSmtpMailer } from './accounts/usage/smtp-mailer.ts';
import {
  createTranslationMemories,
  type TranslationMemories,
} from './memories/translation-memories.ts';
import { createTextImprovement } from './improvement/text-improvement.ts';
import { createTextTranslation } from './translation/text-translation.ts';
import { createTranslation, type Translation } from './translation/translation.ts';
import { createUsageMeter, type UsageMeter } from './accounts/usage/usage.ts';
import { warmUp } from './operation/warm-up.ts';
import { startUsageNotices } from './accounts/usage/usage-notices.ts';
import { createUsageReporting } from './accounts/usage/usage-reports.ts';
import { enginePreference, startEngines, type Engines } from './running-engines.ts';
import { createLiveTranslation } from './voice/session/live-translation.ts';
import { createSpokenTerms, type SpokenTermLists } from './spoken-terms/spoken-terms.ts';
import { sharesOfSpeech } from './voice/session/speakers.ts';
import { createVoiceRequestCheck, spokenLanguages } from './voice/session/voice-session-request.ts';
import { createVoiceSessions } from './voice/session/voice-sessions.ts';
import { openApiKeyFile } from './storage/embedded/api-key-file.ts';
import { createSessionTokens } from './storage/embedded/session-tokens.ts';
import { openStorage } from './storage/open-storage.ts';
import type { Storage } from './storage/ports.ts';
import {
  createAudioDecoders,
  findDecoderContainment,
  findFfmpeg,
  type AudioDecoders,
} from './voice/audio/decode.ts';
import { createSpeechEncoders, type SpeechEncoders } from './voice/audio/encode.ts';
import { acceptVoiceSockets } from './voice/session/upgrade.ts';

const MIB = 1024 * 1024;

/** What a person who starts the server wants to know. */
export interface Overview {
  /** The first key; undefined when it is not active in this database. */
  apiKey: { secret: string; file: string } | undefined;
  /** The console's path; with the token of a one-time link while its first account has no password. */
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
  const operatorId = first.account.accountId;
  const hasConsole = config.CONSOLE === 'on';
  const parts = { ...(await startParts(config, log, storage)), firstKey: key, operatorId };
  const { engines, decoders, encoders } = parts;
  const services = createServices(parts);
  const { voiceSessions, documentWorker } = services;
  const { expiry, notices } = startChores(parts);
  if (config.WARM_UP === 'on') warmUp([documentWorker, ...engines.improvement], log);
  const problems = engines.missing.map(({ reason }) => reason);
  if (encoders.problem !== undefined) problems.push(encoders.problem);
  void services.translationMemories.tidy();
  const http = await openHttp(parts, services, problems);
  const requests = watchRequests(http.server);
  const sockets = acceptVoiceSockets({
    server: http.server,
    voiceSessions,
    log,
    trustProxy: config.TRUST_PROXY,
    limits: {
      idleMs: config.VOICE_IDLE_SECONDS * 1000,
      connectionMs: config.VOICE_CONNECTION_SECONDS * 1000,
    },
  });

  return {
    overview: {
      apiKey: first.isSecretActive ? { secret: key, file } : undefined,
      console: hasConsole ? await consoleEntrance(services.consoleAccess, operatorId) : undefined,
      storage: storage.name,
      problems,
      ...capabilities(engines, services.translation),
    },
    listen: () => http.listen({ host: config.HOST, port: config.PORT }),
    async stop() {
      const deadlineMs = performance.now() + config.STOP_SECONDS * 1000;
      expiry.stop();
      const workerEnded = documentWorker.stop();
      const noticesEnded = notices.stop(config.STOP_SECONDS * 1000);
      await voiceSessions.stop(config.STOP_SECONDS * 1000);
      const closed = http.close();
      requests.endConnections(Math.max(0, deadlineMs - performance.now()));
      sockets.destroyAll();
      await closed;
      // Their connections are gone: what was charged for them is given back while there is a database.
      await Promise.all([services.textTranslation.idle(), services.textImprovement.idle()]);
      await workerEnded;
      await services.translationMemories.stop();
      await services.modelInstallations.stop();
      await noticesEnded;
      await Promise.all([decoders.close(), encoders.close()]);
      await engines.close();
      await storage.close();
    },
  };
}

/** What is started before the services can be made. */
interface Parts {
  config: Config;
  log: Logger;
  storage: Storage;
  engines: Engines;
  decoders: AudioDecoders;
  encoders: SpeechEncoders;
  metrics: Metrics;
  health: EngineHealth;
  /** The installation's first account. */
  operatorId: string;
  /** The secret of the key every installation starts with. */
  firstKey: string;
}

async function startParts(
  config: Config,
  log: Logger,
  storage: Storage,
): Promise<Omit<Parts, 'firstKey' | 'operatorId'>> {
  const metrics = createMetrics();
  const health = createEngineHealth(metrics.engines);
  const [engines, encoders, containment, ffmpeg] = await Promise.all([
    startEngines(config, log, health.measures),
    createSpeechEncoders({ log, ffmpeg: config.FFMPEG }),
    findDecoderContainment(),
    findFfmpeg(config.FFMPEG),
  ]);
  const maxFfmpegProcesses = config.VOICE_FFMPEG_PROCESSES;
  const decoders = createAudioDecoders({ log, containment, ffmpeg, maxFfmpegProcesses });
  return { config, log, storage, engines, decoders, encoders, metrics, health };
}

/** What is done now and then, whoever asks for what. */
function startChores({ config, log, storage }: Parts) {
  return {
    expiry: startDocumentExpiry({
      ...{ documents: storage.documents, log },
      keptMs: config.DOCUMENT_EXPIRY_HOURS * 3_600_000,
    }),
    notices: startUsageNotices({ notices: storage.usageNotices, mailer: mailerOf(config), log }),
  };
}

async function openHttp(parts: Parts, services: Services, problems: string[]) {
  const { config, log, storage, engines, metrics } = parts;
  return createHttpServer({
    ...services,
    log,
    requestsPerMinute: config.RATE_LIMIT_PER_MINUTE,
    engines: {
      recognition: engines.recognition.map(({ name }) => name),
      translation: engines.translation.map(({ name }) => name),
      synthesis: engines.synthesis.map(({ name }) => name),
      problems,
    },
    knowsOrigin: createKnownOrigins(storage),
    console: config.CONSOLE === 'on',
    demo: config.DEMO !== 'off',
    demoCaller: () => services.access.authenticate(parts.firstKey),
    isDemoHost: (host) => config.DEMO === 'on' || isLoopbackHost(host),
    isConsoleHost: createHostRule({
      publicUrl: config.PUBLIC_URL,
      isVouchedFor: config.TRUST_PROXY || config.TLS_CERT_FILE !== undefined,
    }),
    publicUrl: config.PUBLIC_URL,
    trustProxy: config.TRUST_PROXY,
    metrics,
    metricsKey: config.METRICS_KEY,
    readiness: createReadiness({
      ...{ writeChecks: storage.writeChecks, recognisers: engines.recognition },
      translation: services.translation,
      isStopping: () => services.voiceSessions.isStopping,
    }),
    tls: await readTls(config),
  });
}

type Services = ReturnType<typeof createServices>;

/** Everything the routes and the sockets work with. */
function createServices(parts: Parts) {
  const { config, log, storage, engines } = parts;
  const { detector, recognition: recognisers, synthesis: speakers } = engines;
  const translation = createTranslation({
    engines: engines.translation,
    preference: enginePreference(config),
    log,
  });
  const improvement = createImprovement({ engines: engines.improvement, detector, log });
  const glossaries = createGlossaries({
    glossaries: storage.glossaries,
    cacheBytes: config.GLOSSARY_CACHE_MB * MIB,
  });
  const styleRules = createStyleRuleLists(storage);
  const translationMemories = createTranslationMemories({
    memories: storage.translationMemories,
    log,
  });
  const usageMeter = createUsageMeter(storage);
  const spokenTerms = createSpokenTerms({ spokenTerms: storage.spokenTerms });
  const voiceSessions = createVoice(parts, { translation, glossaries, spokenTerms, usageMeter });
  const apiKeys = createApiKeyService({
    ...storage,
    onDeactivated: (keyId) => voiceSessions.endOfKey(keyId),
  });
  return {
    translation,
    access: createAccess({ ...storage, legacyAuth: legacyAuth(config) }),
    usageMeter,
    voiceSessions,
    ...createConsoleServices({ ...parts, apiKeys, translation, improvement, voiceSessions }),
    ...createDocuments(parts, {
      ...{ translation, glossaries, styleRules, translationMemories, usageMeter },
    }),
    ...createTexts(parts, {
      ...{ translation, improvement, glossaries, styleRules, translationMemories, usageMeter },
    }),
    languageListings: createLanguageListings({
      ...{ translation, improvement, recognisers, speakers, detector },
    }),
    glossaries,
    spokenTerms,
    ...createAdministration(storage, apiKeys),
    translationMemories,
    styleRules,
    styleRuleNotes: describeStyleRules(translation),
    monolingualGlossaries: createMonolingualGlossaries({
      glossaries,
      store: storage.glossaries,
    }),
    ...createOfferings(parts, translation),
  };
}

/** What the pages of the server tell of it: what it can do, and what could be installed. */
function createOfferings({ config, engines }: Parts, translation: Translation) {
  const modelInstallations = createModelInstallations({
    ...{ modelsFolder: config.MODELS_DIR, mirror: config.MODELS_URL, npm: npmCommand() },
    ...{ inUse: engines.models, translators: engines.translation },
  });
  const { recognition: recognisers, synthesis: speakers } = engines;
  const betterModels = () => modelInstallations.better();
  const demo = { recognisers, speakers, translation, betterModels };
  return { modelInstallations, demoContent: createDemo({ ...demo, missing: engines.missing }) };
}

/** What administrators of accounts work with. */
function createAdministration(storage: Storage, apiKeys: ApiKeyService) {
  return {
    developerKeys: createDeveloperKeys({ apiKeys, store: storage.apiKeys }),
    usageReporting: createUsageReporting(storage),
  };
}

/** What texts and documents are translated with. */
interface TextServices {
  translation: Translation;
  glossaries: Glossaries;
  styleRules: StyleRuleLists;
  translationMemories: TranslationMemories;
  usageMeter: UsageMeter;
}

function createTexts(
  { config, engines: { detector } }: Parts,
  { improvement, usageMeter: usage, ...services }: TextServices & { improvement: Improvement },
) {
  const detection = createDetection(detector, services.translation);
  const common = {
    ...{ usage, detection },
    backlog: createTextBacklog({ maxLength: config.TEXT_MAX_UNDER_WAY }),
  };
  return {
    languageDetection: detection,
    textTranslation: createTextTranslation({
      ...{ ...services, ...common, isFreeTarget },
      refusesLatencyConflicts: config.LATENCY_CONFLICTS === 'refuse',
    }),
    textImprovement: createTextImprovement({ ...common, improvement, detector }),
  };
}

/** What takes documents in, and the process that translates them. */
function createDocuments({ config, log, storage }: Parts, services: TextServices) {
  const { documents } = storage;
  const documentWorker = createDocumentWorkerProcess({
    ...{ documents, log },
    isOn: config.DOCUMENT_WORKER === 'on',
  });
  const { usageMeter: usage, ...checks } = services;
  const documentTranslations = createDocumentTranslations({
    ...{ documents, usage, isFreeTarget, worker: documentWorker, ...checks },
    maxDocuments: config.DOCUMENT_MAX_PER_ACCOUNT,
    onQueued: () => documentWorker.ring(),
  });
  return { documentWorker, documentTranslations };
}

function createVoice(
  { config, log, engines, decoders, encoders, metrics }: Parts,
  services: {
    translation: Translation;
    glossaries: Glossaries;
    spokenTerms: SpokenTermLists;
    usageMeter: UsageMeter;
  },
) {
  const { translation, glossaries, spokenTerms, usageMeter } = services;
  return createVoiceSessions({
    checkRequest: createVoiceRequestCheck({
      recognisers: engines.recognition,
      speakers: engines.synthesis,
      ...{ translation, spokenTerms },
      liveTranslation: createLiveTranslation({ translation, glossaries }),
      contentTypes: decoders.contentTypes,
      mediaContentTypes: encoders.contentTypes,
    }),
    path: {
      ...{ decoders, encoders },
      detectLanguage: (text) => engines.detector.detect(text),
      endpointing: {
        silenceMs: config.VOICE_PAUSE_MS,
        longestMs: config.VOICE_UTTERANCE_SECONDS * 1000,
      },
    },
    ...{ usageMeter, log, measures: metrics.voice },
    publicUrl: config.PUBLIC_URL,
    tokens: createSessionTokens(),
    maxSessions: config.VOICE_MAX_SESSIONS,
    maxSessionsPerKey: config.VOICE_MAX_SESSIONS_PER_KEY,
    tokenTtlMs: config.VOICE_TOKEN_SECONDS * 1000,
    resumeMs: config.VOICE_RESUME_SECONDS * 1000,
    maxLagMs: config.VOICE_MAX_LAG_SECONDS * 1000,
    loadShare: config.VOICE_LOAD_PERCENT / 100,
  });
}

/** Languages in beta cost nothing. */
function isFreeTarget(target: LanguageTag): boolean {
  return betaLanguages.has(target);
}

function capabilities(engines: Engines, translation: Translation) {
  const { recognition, synthesis, translation: running } = engines;
  return {
    synthesis: sharesOfSpeech(synthesis).map(({ engine, languages }) => ({
      ...{ engine: engine.name, languages },
    })),
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

function legacyAuth({ LEGACY_AUTH: mode, LEGACY_AUTH_REFUSED_PERCENT: refusedPercent }: Config) {
  return mode === 'off' ? { mode } : { mode, refusedPercent };
}

function mailerOf({ SMTP_URL: url, SMTP_FROM: from }: Config) {
  return url === undefined || from === undefined ? undefined : createSmtpMailer({ url, from });
}

async function readTls({ TLS_CERT_FILE, TLS_KEY_FILE }: Config) {
  if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) return undefined;
  const [cert, key] = await Promise.all([readFile(TLS_CERT_FILE), readFile(TLS_KEY_FILE)]);
  return { cert, key };
}
