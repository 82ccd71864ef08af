/**
 * Recognition over OpenAI's realtime API (WebSocket). The voice path detects the utterances, so the server's
 * turn detection is off: audio is appended during speech and committed at the endpoint, and the server then
 * transcribes the resulting item.
 */
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { createRateConverter } from '../../../shared/resampler.ts';
import { declareEngine, keySetting, listed } from '../declaration.ts';
import { problemWithSocketAddress, socketAddress } from '../declaration.ts';
import {
  RECOGNITION_RATE_HZ,
  type RecognitionEngine,
  type RecognitionOptions,
  type Unavailable,
} from '../engine.ts';
import { bearer } from '../service/service-client.ts';
import {
  type Conversation,
  createSocketRecogniser,
  sendAndRead,
  type RecogniserMessage,
  RecogniserSocket,
  ConnectionFailure,
} from './socket-recogniser.ts';
import {
  languagesToHear,
  type SocketEngineOptions,
  termsPrompt,
  whisperCode,
  whisperLanguages,
} from './remote-recogniser.ts';
import type { HeardUtterance, Utterance } from './utterance.ts';

export interface OpenAiRealtimeOptions extends SocketEngineOptions {
  /** Address up to `/v1`; a query string is kept for servers that expect the model there. */
  url: string;
  model: string | undefined;
  key?: string | undefined;
}

const NAME = 'openai-realtime';
/** Sample rate the server expects. */
const SERVER_RATE_HZ = 24_000;
/** Audio is sent in tenths of a second; a backlog is sent in pieces of up to half a second. */
const LEAST_SAMPLES_READ = RECOGNITION_RATE_HZ / 10;
const MOST_SAMPLES = SERVER_RATE_HZ / 2;
/** The server refuses to transcribe less than 100 ms. */
const SHORTEST_SAMPLES = SERVER_RATE_HZ / 5;

/** The engine for servers with the realtime API. */
export const openAiRealtime = declareEngine({
  settings: {
    OPENAI_REALTIME_URL: Type.Optional(
      Type.String({
        pattern: '^(https?|wss?)://',
        description:
          'Base URL, including `/v1`, of an OpenAI-compatible ' +
          'server that transcribes speech in real time.',
      }),
    ),
    OPENAI_REALTIME_MODEL: Type.Optional(
      Type.String({ description: 'Model of the real-time server.' }),
    ),
    OPENAI_REALTIME_KEY: keySetting('API key of the real-time server, if it requires one.'),
    OPENAI_REALTIME_LANGUAGES: Type.Optional(
      Type.String({
        description: 'Languages that the model recognises; by default, those of Whisper.',
      }),
    ),
  },
  start: async ({ log, settings }) => {
    const { OPENAI_REALTIME_URL: url } = settings;
    if (url === undefined) return undefined;
    return createOpenAiRealtime({
      log,
      url,
      model: settings.OPENAI_REALTIME_MODEL,
      key: settings.OPENAI_REALTIME_KEY,
      languages: listed(settings.OPENAI_REALTIME_LANGUAGES),
    });
  },
});

/** Makes no connection yet: a server that is down now may be up when a session starts. */
export async function createOpenAiRealtime(
  options: OpenAiRealtimeOptions,
): Promise<RecognitionEngine | Unavailable> {
  const { log, url, model, key, languages: setting, timeoutMs = 15_000 } = options;
  const problem = problemWithSocketAddress(url);
  if (problem !== undefined) return unavailable(`OPENAI_REALTIME_URL ${problem}.`);
  if (model === undefined) {
    return unavailable('OPENAI_REALTIME_MODEL is missing: name the model that transcribes.');
  }
  const heard = languagesToHear(setting, whisperLanguages);
  if ('problem' in heard) return unavailable(`OPENAI_REALTIME_LANGUAGES: ${heard.problem}.`);
  const headers = bearer(key);
  const address = realtimeAddress(url);
  return createSocketRecogniser({
    log,
    name: NAME,
    languages: heard.languages,
    tries: options.tries,
    firstDelayMs: options.firstDelayMs,
    // The server accepts any language but does not report which one it heard.
    detectsLanguage: false,
    usesSpokenTerms: true,
    punctuates: true,
    connect: async (session, signal) => {
      const socket = await RecogniserSocket.connect({ url: address, headers, timeoutMs, signal });
      return await setUp(socket, sessionOf(model, session));
    },
  });
}

function realtimeAddress(url: string): string {
  const address = socketAddress(url);
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/realtime`;
  if (!address.searchParams.has('intent')) address.searchParams.set('intent', 'transcription');
  return address.href;
}

function sessionOf(model: string, { language, spokenTerms }: RecognitionOptions): RealtimeSession {
  const code = language === undefined ? undefined : whisperCode(language);
  return { model, language: code, prompt: termsPrompt(spokenTerms) };
}

async function setUp(socket: RecogniserSocket, session: RealtimeSession): Promise<Conversation> {
  try {
    socket.expect();
    const first = await socket.next();
    throwError(first, { isSetUp: true });
    const wanted = sessionUpdate(first, session);
    if (wanted === undefined) throw new ConnectionFailure('does not speak its protocol');
    const update = JSON.stringify(wanted);
    await socket.send(update);
    let event: RecogniserMessage = {};
    while (!isUpdated(event)) {
      event = await socket.next();
      throwError(event, { isSetUp: true });
    }
    socket.forgive();
    return new RealtimeConversation(socket, { update, detectsTurns: turning.Check(event) });
  } catch (reason) {
    socket.close();
    throw reason;
  }
}

class RealtimeConversation implements Conversation {
  readonly #socket: RecogniserSocket;
  /** The message that has set the session up. */
  readonly #update: string;
  /** Items of the last utterance; later events about them are stale. */
  #lastItems: ReadonlySet<string> = new Set();
  /** Whether the end of the utterance has been sent. */
  #isCommitted = false;
  /** Whether the server goes on to detect turns, and so makes several items of an utterance. */
  #detectsTurns: boolean;

  constructor(
    socket: RecogniserSocket,
    { update, detectsTurns }: { update: string; detectsTurns: boolean },
  ) {
    this.#socket = socket;
    this.#update = update;
    this.#detectsTurns = detectsTurns;
  }

  get isOpen(): boolean {
    return this.#socket.isOpen;
  }

  close(): void {
    this.#socket.close();
  }

  hear(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
    signal: AbortSignal,
  ): Promise<HeardUtterance> {
    this.#isCommitted = false;
    return sendAndRead(utterance, {
      send: (sending) => this.#send(utterance, sending),
      read: () => this.#read(utterance, onPartial),
      signal,
    });
  }

  async #send(utterance: Utterance, signal: AbortSignal): Promise<void> {
    const isStopped = () => signal.aborted;
    const made: Int16Array[] = [];
    let madeCount = 0;
    const converter = createRateConverter(SERVER_RATE_HZ, (samples) => {
      made.push(samples.slice());
      madeCount += samples.length;
    });
    const sendMade = async () => {
      for (const samples of made.splice(0)) {
        for (let at = 0; at < samples.length && !isStopped(); at += MOST_SAMPLES) {
          await this.#append(samples.subarray(at, at + MOST_SAMPLES));
        }
      }
    };
    for (let from = 0; ;) {
      const request = { from, least: LEAST_SAMPLES_READ, most: Infinity, signal };
      const samples = await utterance.read(request);
      if (isStopped()) return;
      if (samples.length === 0) break;
      from += samples.length;
      converter.push(samples, RECOGNITION_RATE_HZ);
      await sendMade();
    }
    converter.flush();
    if (madeCount < SHORTEST_SAMPLES) made.push(new Int16Array(SHORTEST_SAMPLES - madeCount));
    await sendMade();
    if (isStopped()) return;
    this.#socket.expect();
    this.#isCommitted = true;
    await this.#socket.send('{"type":"input_audio_buffer.commit"}');
    // The answer to this comes after those about the utterance.
    if (this.#detectsTurns) await this.#socket.send(this.#update);
  }

  async #append({ buffer, byteOffset, byteLength }: Int16Array): Promise<void> {
    const audio = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
    await this.#socket.send(`{"type":"input_audio_buffer.append","audio":"${audio}"}`);
  }

  async #read(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
  ): Promise<HeardUtterance> {
    const items = new UtteranceItems(this.#lastItems);
    while (!items.areComplete) {
      const event = await this.#socket.next();
      if (committed.Check(event)) {
        if (!this.#isCommitted) this.#detectsTurns = true;
        items.begin(event.item_id);
        if (!this.#detectsTurns) items.areAll = true;
      } else if (delta.Check(event) && items.has(event.item_id)) {
        items.grow(event.item_id, event.delta);
        onPartial({ text: items.text, lengthMs: utterance.lengthMs });
      } else if (completed.Check(event) && items.has(event.item_id)) {
        items.end(event.item_id, event.transcript);
      } else if (failed.Check(event) && items.has(event.item_id)) {
        if (event.error?.code !== UNINTELLIGIBLE) throw failureOf(event.error);
        items.end(event.item_id, '');
      } else if (this.#detectsTurns && isUpdated(event)) items.areAll = true;
      else if (!this.#detectsTurns || !isEmptyCommit(event)) throwError(event, { isSetUp: false });
    }
    this.#lastItems = items.ids;
    this.#socket.forgive();
    return { text: items.text, lengthMs: utterance.lengthMs };
  }
}

/** What a server makes of an utterance: one item, or several if it goes on to detect turns. */
class UtteranceItems {
  readonly #items = new Map<string, { text: string; isDone: boolean }>();
  /** Items of the utterance before. */
  readonly #stale: ReadonlySet<string>;
  /** An item that the server has not announced. */
  #unannounced: string | undefined;
  /** Whether no further item follows. */
  areAll = false;

  constructor(stale: ReadonlySet<string>) {
    this.#stale = stale;
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#items.keys());
  }

  get areComplete(): boolean {
    return this.areAll && [...this.#items.values()].every(({ isDone }) => isDone);
  }

  get text(): string {
    const [first, ...others] = [...this.#items.values()].filter(({ text }) => text !== '');
    return others.reduce((text, other) => `${text} ${other.text.trimStart()}`, first?.text ?? '');
  }

  begin(id: string): void {
    if (this.#unannounced !== undefined && this.#unannounced !== id) {
      this.#items.delete(this.#unannounced);
    }
    this.#unannounced = undefined;
    if (!this.#items.has(id)) this.#items.set(id, { text: '', isDone: false });
  }

  /** Whether an item belongs to the utterance; so does the first one that the server has not announced. */
  has(id: string): boolean {
    if (this.#items.size === 0 && !this.#stale.has(id)) {
      this.begin(id);
      this.#unannounced = id;
    }
    return this.#items.has(id);
  }

  grow(id: string, more: string): void {
    const item = this.#items.get(id);
    if (item?.isDone === false) item.text += more;
  }

  end(id: string, text: string): void {
    this.#items.set(id, { text, isDone: true });
    if (id === this.#unannounced) this.areAll = true;
  }
}

function unavailable(reason: string): Unavailable {
  return { name: NAME, reason: `OpenAI-compatible realtime transcription: ${reason}` };
}

// Events of servers with OpenAI's realtime API that concern transcripts. Pure functions.

const TRANSCRIPTION = 'conversation.item.input_audio_transcription';

/** The server has created an item from the appended audio. */
const committed = Compile(
  Type.Object({
    type: Type.Literal('input_audio_buffer.committed'),
    item_id: Type.String(),
  }),
);
/** A further part of an item's transcript. */
const delta = Compile(
  Type.Object({
    type: Type.Literal(`${TRANSCRIPTION}.delta`),
    item_id: Type.String(),
    delta: Type.String(),
  }),
);
/** The complete transcript of an item. */
const completed = Compile(
  Type.Object({
    type: Type.Literal(`${TRANSCRIPTION}.completed`),
    item_id: Type.String(),
    transcript: Type.String(),
  }),
);
const ErrorDetails = Type.Object({
  type: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  code: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
/** An item could not be transcribed. */
const failed = Compile(
  Type.Object({
    type: Type.Literal(`${TRANSCRIPTION}.failed`),
    item_id: Type.String(),
    error: Type.Optional(ErrorDetails),
  }),
);
const error = Compile(Type.Object({ type: Type.Literal('error'), error: ErrorDetails }));

/** Whether an event confirms that a session is set up. */
function isUpdated({ type }: RecogniserMessage): boolean {
  return typeof type === 'string' && type.endsWith('session.updated');
}

/** The server confirms a session in which it detects turns, although it was told not to. */
const turning = Compile(
  Type.Object({
    session: Type.Union([
      Type.Object({ turn_detection: Type.Object({}) }),
      Type.Object({
        audio: Type.Object({ input: Type.Object({ turn_detection: Type.Object({}) }) }),
      }),
    ]),
  }),
);

/** Whether an event reports that a server which detects turns has already taken all audio. */
function isEmptyCommit(event: RecogniserMessage): boolean {
  return error.Check(event) && event.error.code === 'input_audio_buffer_commit_empty';
}

/** Code of a failure that says that an item has no words, such as a cough; another attempt would hear none either. */
const UNINTELLIGIBLE = 'audio_unintelligible';

/** Errors that would recur on another connection. */
const LASTING = new Set([
  ...['invalid_api_key', 'insufficient_quota', 'model_not_found', 'invalid_model'],
  ...['authentication_error', 'permission_error'],
]);

/** @throws ConnectionFailure when an event reports an error */
function throwError(event: RecogniserMessage, { isSetUp }: { isSetUp: boolean }): void {
  if (!error.Check(event)) return;
  const failure = failureOf(event.error, 'reports an error');
  if (isSetUp && event.error.type === 'invalid_request_error') throw refusal(failure.fields);
  throw failure;
}

/** Returns what the details of an error mean for the connection. */
function failureOf(
  { type, code }: Static<typeof ErrorDetails> = {},
  problem = 'could not hear an utterance',
): ConnectionFailure {
  const name = code ?? type ?? '';
  // A value that is not an identifier might contain texts or keys.
  const fields = { code: /^\w{1,64}$/.test(name) ? name : 'error' };
  const isLasting = LASTING.has(code ?? '') || LASTING.has(type ?? '');
  return isLasting ? refusal(fields) : new ConnectionFailure(problem, { fields });
}

function refusal(fields: object): ConnectionFailure {
  const problem = 'refuses the session: check its address, model and key';
  return new ConnectionFailure(problem, { kind: 'refusal', fields });
}

// Session set-up. The server's first event tells which of three protocols it speaks: OpenAI's current API,
// its predecessor, or conversation sessions only, of which the input transcripts are used. Pure functions.

interface RealtimeSession {
  model: string;
  /** Two-letter code; undefined when the language has to be detected. */
  language: string | undefined;
  /** Words that are likely to be said. */
  prompt: string | undefined;
}

/** The event that sets a session up; the server's answer has a type ending in `.updated`. */
type SessionUpdate = RecogniserMessage & { type: string };

const created = Compile(
  Type.Object({
    type: Type.Union([
      Type.Literal('session.created'),
      Type.Literal('transcription_session.created'),
    ]),
    session: Type.Object({
      type: Type.Optional(Type.String()),
      audio: Type.Optional(Type.Object({})),
      input_audio_format: Type.Optional(Type.String()),
    }),
  }),
);

/**
 * Returns the update that fits a server's first event; undefined when that event does not begin a session.
 */
function sessionUpdate(
  first: RecogniserMessage,
  { model, language, prompt }: RealtimeSession,
): SessionUpdate | undefined {
  if (!created.Check(first)) return undefined;
  const transcription = {
    model,
    ...(language !== undefined && { language }),
    ...(prompt !== undefined && { prompt }),
  };
  if (first.type === 'transcription_session.created') {
    return {
      type: 'transcription_session.update',
      session: {
        input_audio_format: 'pcm16',
        input_audio_transcription: transcription,
        turn_detection: null,
      },
    };
  }
  const { audio, input_audio_format: format } = first.session;
  if (audio !== undefined || format === undefined) {
    const input = { format: { type: 'audio/pcm', rate: SERVER_RATE_HZ }, transcription };
    return {
      type: 'session.update',
      session: { type: 'transcription', audio: { input: { ...input, turn_detection: null } } },
    };
  }
  return {
    type: 'session.update',
    session: {
      // Speaches uses pcm16 by default and refuses a request for it.
      ...(format !== 'pcm16' && { input_audio_format: 'pcm16' }),
      input_audio_transcription: transcription,
      turn_detection: null,
    },
  };
}
