/** Live voice, wired: sessions, their sockets, and the audio that goes in and out. */
import type { Server } from 'node:http';
import type { Config } from '../config.ts';
import type { Logger, ParentLogger } from '../process/log.ts';
import type { Routes } from '../http/door.ts';
import type { Engines } from '../running-engines.ts';
import type { UsageMeter } from '../accounts/usage/usage.ts';
import type { Glossaries } from '../glossaries/glossaries.ts';
import type { SpokenTermLists } from '../spoken-terms/spoken-terms.ts';
import { createSessionTokens } from './session/session-tokens.ts';
import type { Translation } from '../translation/translation.ts';
import {
  createAudioDecoders,
  findDecoderContainment,
  findFfmpeg,
  findFfmpegProgram,
} from './audio/decode.ts';
import { createSpeechEncoders } from './audio/encode.ts';
import type { VoiceMeasures } from './path/measures.ts';
import { createLiveTranslation } from './session/live-translation.ts';
import { voiceRoutes } from './session/routes.ts';
import { acceptVoiceSockets } from './session/upgrade.ts';
import { createVoiceRequestCheck } from './session/voice-session-request.ts';
import { createVoiceSessions } from './session/voice-sessions.ts';

export type { CaptionTrack, QueueName, SessionEnd, VoiceMeasures } from './path/measures.ts';
export { createLiveOverview, type LiveOverview } from './session/live-overview.ts';
export { streamingUrl } from './session/routes.ts';
export type { VoiceSessions } from './session/voice-sessions.ts';

/** What sessions are decoded and encoded with; found and started before the first of them. */
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
    /** What does not work here, for people. */
    problems: encoders.problem === undefined ? [] : [encoders.problem],
    close: () => Promise.all([decoders.close(), encoders.close()]),
  };
}

export function openVoice({
  config,
  log,
  engines,
  audio: { decoders, encoders },
  measures,
  translation,
  glossaries,
  spokenTerms,
  usageMeter,
}: {
  config: Config;
  log: ParentLogger;
  engines: Pick<Engines, 'recognition' | 'synthesis' | 'detector'>;
  audio: Pick<Awaited<ReturnType<typeof openAudio>>, 'decoders' | 'encoders'>;
  measures: VoiceMeasures;
  translation: Translation;
  glossaries: Glossaries;
  spokenTerms: SpokenTermLists;
  usageMeter: UsageMeter;
}) {
  const voiceSessions = createVoiceSessions({
    checkRequest: createVoiceRequestCheck({
      recognisers: engines.recognition,
      speakers: engines.synthesis,
      translation,
      spokenTerms,
      liveTranslation: createLiveTranslation({ translation, glossaries }),
      contentTypes: decoders.contentTypes,
      mediaContentTypes: encoders.contentTypes,
    }),
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
    log,
    measures,
    publicUrl: config.PUBLIC_URL,
    tokens: createSessionTokens(),
    maxSessions: config.VOICE_MAX_SESSIONS,
    maxSessionsPerKey: config.VOICE_MAX_SESSIONS_PER_KEY,
    tokenTtlMs: config.VOICE_TOKEN_SECONDS * 1000,
    resumeMs: config.VOICE_RESUME_SECONDS * 1000,
    maxLagMs: config.VOICE_MAX_LAG_SECONDS * 1000,
    loadShare: config.VOICE_LOAD_PERCENT / 100,
  });
  const routes: Routes = async (app, { door }) => {
    await app.register(voiceRoutes, { door, voiceSessions, publicUrl: config.PUBLIC_URL });
  };
  return {
    sessions: voiceSessions,
    routes,
    /** Takes the sockets that are opened at a server. */
    acceptSockets: (server: Server) =>
      acceptVoiceSockets({
        server,
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
