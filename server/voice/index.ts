/** Live voice: wires up sessions, their sockets, and the audio codecs. */
import { ServiceError } from '../../shared/errors.ts';
import type { LanguageTag } from '../../shared/language.ts';
import type { TargetMediaFormat } from '../../shared/target-media-type.ts';
import type { Config } from '../config.ts';
import type { SynthesisEngine } from '../engines/engine.ts';
import type { Logger, ParentLogger } from '../process/log.ts';
import type { Caller, Routes } from '../http/door.ts';
import type { Storage } from '../stores.ts';
import type { Engines } from '../running-engines.ts';
import { keyDeactivated, type UsageMeter } from '../accounts/usage/usage.ts';
import type { Glossaries } from '../glossaries/glossaries.ts';
import type { SpokenTermLists } from '../spoken-terms/spoken-terms.ts';
import type { Broker } from '../broker/index.ts';
import { createClusterOverview, createLiveOverview, overviewOf } from './session/live-overview.ts';
import { SessionSeats } from './session/session-seats.ts';
import { createSessionTokens } from './session/session-tokens.ts';
import type { Translation } from '../translation/translation.ts';
import {
  createAudioDecoders,
  findDecoderContainment,
  findFfmpeg,
  findFfmpegProgram,
} from './audio/decode.ts';
import { createSpeechEncoders, type SpeechEncoders } from './audio/encode.ts';
import type { VoiceMeasures } from './path/measures.ts';
import { createLiveTranslation } from './session/live-translation.ts';
import { speakLine } from './path/synthesise.ts';
import { voiceRoutes } from './session/routes.ts';
import { speakerOf, spokenLanguages } from './session/speakers.ts';
import { voiceSockets } from './session/connection.ts';
import { createVoiceRequestCheck } from './session/voice-session-request.ts';
import { VoiceSessions, type VoiceSessionsOptions } from './session/voice-sessions.ts';

export type { CaptionTrack, QueueName, SessionEnd, VoiceMeasures } from './path/measures.ts';
export type { LiveTranslation } from './session/live-translation.ts';
export type { CaptionUpdate } from './path/captions.ts';
/** Speaks one line into a whole file. @throws ServiceError synthesis_failed; the signal's reason */
export type SpeakLine = (line: {
  text: string;
  language: LanguageTag;
  format: TargetMediaFormat;
  signal: AbortSignal;
}) => Promise<Buffer>;

export { createTargetDisplay, type TranslateText } from './path/translate.ts';
export type { LiveOverview } from './session/live-overview.ts';
export { streamingUrl } from './session/routes.ts';
export type { SessionRoom } from './session/session-connection.ts';
export type { VoiceSessions } from './session/voice-sessions.ts';

/** Finds and starts the decoders and encoders that all sessions share. */
export async function openAudio(config: Config, log: Logger) {
  const findingFfmpeg = findFfmpegProgram(config.FFMPEG);
  const [encoders, containment, ffmpeg] = await Promise.all([
    createSpeechEncoders({ log, findingFfmpeg }),
    findDecoderContainment(),
    findFfmpeg(config.FFMPEG, findingFfmpeg),
  ]);
  const maxFfmpegProcesses = config.VOICE_FFMPEG_PROCESSES;
  const decoders = createAudioDecoders({ log, containment, ffmpeg, maxFfmpegProcesses });
  return {
    decoders,
    encoders,
    /** Features that do not work on this machine, as text for the operator. */
    problems: encoders.problem === undefined ? [] : [encoders.problem],
    close: () => Promise.all([decoders.close(), encoders.close()]),
  };
}

export function openVoice({
  config,
  log,
  broker,
  storage,
  engines,
  audio: { decoders, encoders },
  measures,
  translation,
  glossaries,
  spokenTerms,
  usageMeter,
  findRoom,
}: {
  config: Config;
  log: ParentLogger;
  broker: Broker;
  storage: Pick<Storage, 'apiKeys' | 'accounts'>;
  engines: Pick<Engines, 'recognition' | 'synthesis' | 'detector'>;
  audio: Pick<Awaited<ReturnType<typeof openAudio>>, 'decoders' | 'encoders'>;
  measures: VoiceMeasures;
  translation: Translation;
  glossaries: Glossaries;
  spokenTerms: SpokenTermLists;
  usageMeter: UsageMeter;
  findRoom: VoiceSessionsOptions['findRoom'];
}) {
  const liveTranslation = createLiveTranslation({ translation, glossaries });
  const voiceSessions = new VoiceSessions({
    checkRequest: createVoiceRequestCheck({
      recognisers: engines.recognition,
      speakers: engines.synthesis,
      translation,
      spokenTerms,
      liveTranslation,
      detector: engines.detector,
      contentTypes: decoders.contentTypes,
      mediaContentTypes: encoders.contentTypes,
    }),
    recognisers: engines.recognition,
    path: {
      decoders,
      encoders,
      detectLanguage: (text) => engines.detector.detect(text),
      endpointing: {
        silenceMs: config.VOICE_PAUSE_MS,
        longestMs: config.VOICE_UTTERANCE_SECONDS * 1000,
      },
    },
    usageMeter,
    findRoom,
    log,
    measures,
    publicUrl: config.PUBLIC_URL,
    tokens: createSessionTokens({
      broker,
      rememberMs: longestWithoutToken(config),
    }),
    seats: new SessionSeats({
      broker,
      most: config.VOICE_MAX_SESSIONS,
      mostOfKey: config.VOICE_MAX_SESSIONS_PER_KEY,
    }),
    tokenTtlMs: config.VOICE_TOKEN_SECONDS * 1000,
    resumeMs: config.VOICE_RESUME_SECONDS * 1000,
    maxLagMs: config.VOICE_MAX_LAG_SECONDS * 1000,
    loadShare: config.VOICE_LOAD_PERCENT / 100,
    // Without a shared broker no other server could resume a session.
    cluster:
      config.BROKER_URL === undefined
        ? undefined
        : { broker, findCaller: (key) => activeCaller(storage, key) },
  });
  const cluster =
    config.BROKER_URL === undefined
      ? undefined
      : createClusterOverview(broker, () => overviewOf(voiceSessions));
  if (cluster !== undefined) measures.watchCluster(cluster);
  const routes: Routes = async (app, { door }) => {
    await app.register(voiceRoutes, { door, voiceSessions, publicUrl: config.PUBLIC_URL });
  };
  return {
    sessions: voiceSessions,
    /** The current sessions on all servers. */
    overview: createLiveOverview(voiceSessions, cluster),
    stopOverview: () => cluster?.stop(),
    liveTranslation,
    /** Languages that the running recognisers can hear. */
    heardLanguages: () => spokenLanguages(engines.recognition),
    canSpeak: (language: LanguageTag) => speakerOf(language, engines.synthesis) !== undefined,
    speakLine: speakLineWith(engines.synthesis, encoders),
    routes,
    sockets: voiceSockets({
      voiceSessions,
      log,
      trustProxy: config.TRUST_PROXY,
      limits: {
        idleMs: config.VOICE_IDLE_SECONDS * 1000,
        connectionMs: config.VOICE_CONNECTION_SECONDS * 1000,
      },
    }),
  };
}

/** Finds the caller of a session from another server. @throws ServiceError key_deactivated */
async function activeCaller(
  storage: Pick<Storage, 'apiKeys' | 'accounts'>,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<Caller> {
  const [key, account] = await Promise.all([
    storage.apiKeys.find(accountId, keyId),
    storage.accounts.find(accountId),
  ]);
  if (key?.deactivatedAtMs === null && account !== undefined) return { key, account };
  throw keyDeactivated();
}

/** Longest time a session runs on one token, in ms: to connect, while connected, and to reconnect. */
function longestWithoutToken(config: Config): number {
  const { VOICE_TOKEN_SECONDS, VOICE_CONNECTION_SECONDS, VOICE_RESUME_SECONDS } = config;
  return (VOICE_TOKEN_SECONDS + VOICE_CONNECTION_SECONDS + VOICE_RESUME_SECONDS) * 1000 + 60_000;
}

function speakLineWith(speakers: readonly SynthesisEngine[], encoders: SpeechEncoders): SpeakLine {
  return async ({ text, language, format, signal }) => {
    const engine = speakerOf(language, speakers);
    if (engine === undefined) {
      throw new ServiceError('engine_unavailable', `No voice speaks ${language} here.`);
    }
    return speakLine(text, { language, format, signal, engine, encoders, gender: undefined });
  };
}
