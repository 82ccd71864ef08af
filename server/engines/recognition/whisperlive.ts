/**
 * Recognition by a WhisperLive server (collabora/WhisperLive). One connection serves a session, since
 * a server may load its model anew for each.
 */
import Type from 'typebox';
import { randomUUID } from 'node:crypto';
import { declareEngine, listed, problemWithSocketAddress, socketAddress } from '../declaration.ts';
import { type RecognitionEngine, type RecognitionOptions, type Unavailable } from '../engine.ts';
import { type Conversation, createSocketRecogniser } from './socket-recogniser.ts';
import { RecogniserSocket } from './recogniser-socket.ts';
import {
  languagesToHear,
  type SocketEngineOptions,
  termsPrompt,
  whisperCode,
  whisperLanguages,
} from './remote-recogniser.ts';
import { throwStatus, WhisperLiveConversation } from './whisperlive-conversation.ts';

export interface WhisperLiveOptions extends SocketEngineOptions {
  /** Size or name of the model; `small` without it. Servers with a model of their own ignore it. */
  model?: string | undefined;
  /** Longest wait for a new connection's model to be loaded. */
  readyTimeoutMs?: number;
  /** An utterance of which the server says nothing for so long has no words, in ms. */
  emptyAfterMs?: number;
}

const NAME = 'whisperlive';
/** With its padding it fits into the memory of a fresh connection. */
const MAX_UTTERANCE_MS = 40_000;
/** Rounds that hear the same until the server takes it for whole; the fewer, the sooner finals come. */
const SAME_OUTPUT_THRESHOLD = 3;

/** A WhisperLive server. */
export const whisperLive = declareEngine({
  settings: {
    WHISPERLIVE_URL: Type.Optional(
      Type.String({
        pattern: '^(https?|wss?)://',
        description: 'Address of a WhisperLive server.',
      }),
    ),
    WHISPERLIVE_MODEL: Type.Optional(
      Type.String({ description: 'Its model; `small` without it.' }),
    ),
    WHISPERLIVE_LANGUAGES: Type.Optional(
      Type.String({ description: 'Languages its model hears; those of Whisper without it.' }),
    ),
  },
  start: async ({ log, settings }) => {
    const { WHISPERLIVE_URL: url, WHISPERLIVE_MODEL: model } = settings;
    if (url === undefined) return undefined;
    return createWhisperLive({
      log,
      url,
      model,
      languages: listed(settings.WHISPERLIVE_LANGUAGES),
    });
  },
});

/** Contacts nobody yet: a server that is down now may be up when someone speaks. */
export async function createWhisperLive(
  options: WhisperLiveOptions,
): Promise<RecognitionEngine | Unavailable> {
  const { log, url, languages: setting, timeoutMs = 15_000, tries, firstDelayMs } = options;
  const problem = problemWithSocketAddress(url);
  if (problem !== undefined) return unavailable(`WHISPERLIVE_URL ${problem}.`);
  const heard = languagesToHear(setting, whisperLanguages);
  if ('problem' in heard) return unavailable(`WHISPERLIVE_LANGUAGES: ${heard.problem}.`);
  const address = socketAddress(url).href;
  return createSocketRecogniser({
    log,
    name: NAME,
    languages: heard.languages,
    tries,
    firstDelayMs,
    detectsLanguage: true,
    usesSpokenTerms: true,
    punctuates: true,
    maxUtteranceMs: MAX_UTTERANCE_MS,
    connect: async (session, signal) => {
      const socket = await RecogniserSocket.connect({
        url: address,
        headers: {},
        timeoutMs,
        signal,
      });
      return await setUp(socket, session, options);
    },
  });
}

async function setUp(
  socket: RecogniserSocket,
  { language, spokenTerms }: RecognitionOptions,
  { model = 'small', readyTimeoutMs = 60_000, emptyAfterMs = 5_000 }: WhisperLiveOptions,
): Promise<Conversation> {
  const uid = randomUUID();
  const prompt = termsPrompt(spokenTerms);
  try {
    await socket.send(
      JSON.stringify({
        uid,
        model,
        task: 'transcribe',
        use_vad: true,
        language: language === undefined ? null : whisperCode(language),
        same_output_threshold: SAME_OUTPUT_THRESHOLD,
        ...(prompt !== undefined && { initial_prompt: prompt, hotwords: prompt }),
      }),
    );
    socket.expect(readyTimeoutMs);
    for (let isReady = false; !isReady;) {
      const message = await socket.next();
      throwStatus(message);
      isReady = message['message'] === 'SERVER_READY';
    }
    socket.forgive();
    return new WhisperLiveConversation({ socket, uid, emptyAfterMs });
  } catch (reason) {
    socket.close();
    throw reason;
  }
}

function unavailable(reason: string): Unavailable {
  return { name: NAME, reason: `WhisperLive server: ${reason}` };
}
