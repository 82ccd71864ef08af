/**
 * Recognition by a WhisperLive server (collabora/WhisperLive). One connection serves a whole session, because
 * a server may load its model again for each connection.
 * The server decodes its audio over and over and never reports completion. Each utterance is therefore
 * followed by silence, which makes it long enough to be decoded and separates it from the next one. It counts
 * as over once the server has decoded all of it and its words no longer change; only then is the next one
 * sent.
 */
import { randomUUID } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { LanguageTag } from '../../../shared/language.ts';
import { declareEngine, listed, problemWithSocketAddress, socketAddress } from '../declaration.ts';
import {
  SAMPLES_PER_MS,
  type RecognitionEngine,
  type RecognitionOptions,
  type Unavailable,
} from '../engine.ts';
import {
  type RecogniserMessage,
  RecogniserSocket,
  ConnectionFailure,
  type Conversation,
  createSocketRecogniser,
  sendAndRead,
} from './socket-recogniser.ts';
import {
  languageNamed,
  languagesToHear,
  type SocketEngineOptions,
  termsPrompt,
  whisperCode,
  whisperLanguages,
} from './remote-recogniser.ts';
import type { HeardUtterance, Utterance } from './utterance.ts';

export interface WhisperLiveOptions extends SocketEngineOptions {
  /** Size or name of the model; `small` by default. Servers with a fixed model ignore it. */
  model?: string | undefined;
  /** Longest wait for the server to load the model of a new connection, in ms. */
  readyTimeoutMs?: number;
  /** Silence of the server after which an utterance counts as having no words, in ms. */
  emptyAfterMs?: number;
}

const NAME = 'whisperlive';
/** Together with its padding, an utterance of this length fits into the memory of a fresh connection. */
const MAX_UTTERANCE_MS = 40_000;
/** Equal rounds until the server completes a segment; a lower value gives finals sooner. */
const SAME_OUTPUT_THRESHOLD = 3;

/** The WhisperLive engine. */
export const whisperLive = declareEngine({
  settings: {
    WHISPERLIVE_URL: Type.Optional(
      Type.String({
        pattern: '^(https?|wss?)://',
        description: 'Address of a WhisperLive server.',
      }),
    ),
    WHISPERLIVE_MODEL: Type.Optional(
      Type.String({ description: 'Model of the WhisperLive server; `small` by default.' }),
    ),
    WHISPERLIVE_LANGUAGES: Type.Optional(
      Type.String({
        description: 'Languages that the model recognises; by default, those of Whisper.',
      }),
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

/** Makes no connection yet: a server that is down now may be up when a session starts. */
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

// The conversation over a connection.

const LEAST_SAMPLES = 100 * SAMPLES_PER_MS;
const MOST_SAMPLES = 500 * SAMPLES_PER_MS;
/** Silence sent after an utterance: the server decodes nothing shorter than a second. */
const PADDING_SAMPLES = 1_200 * SAMPLES_PER_MS;
/** When the server holds more than 45 s of audio, it discards the first 30 s, decoded or not. */
const FULL_SAMPLES = 45_000 * SAMPLES_PER_MS;
const FORGOTTEN_SAMPLES = 30_000 * SAMPLES_PER_MS;
/** The round in progress when the last audio arrived, and one that covers all of it. */
const ROUNDS_TO_HEAR_ALL = 2;
/** Silence of the server after which words in completed segments are final, in ms. */
const WHOLE_AFTER_MS = 700;
/** The same for words not completed, and the longest they may stay unchanged, in ms. */
const UNCHANGED_AFTER_MS = 2_000;
/** Silence is measured in rounds, to allow for a slow server. */
const ROUNDS_OF_SILENCE = 3;
const MAX_ROUND_MS = 5_000;
/** Interval of the check for silence, in ms. */
const POLL_MS = 100;
const END_OF_AUDIO = Buffer.from('END_OF_AUDIO');

/** @throws ConnectionFailure when a status message says that the server does not continue */
function throwStatus({ status, message }: RecogniserMessage): void {
  if (status === 'WAIT') throw new ConnectionFailure('has no free place', { fields: { status } });
  if (status === 'ERROR') {
    const problem = 'cannot use its model: check its name';
    throw new ConnectionFailure(problem, { kind: 'refusal', fields: { status } });
  }
  if (message === 'DISCONNECT') throw new ConnectionFailure('has closed the connection');
}

class WhisperLiveConversation implements Conversation {
  readonly #socket: RecogniserSocket;
  readonly #uid: string;
  readonly #emptyAfterMs: number;
  /** Audio sent over this connection, and the part the server has discarded, in samples. */
  #sent = 0;
  #forgotten = 0;
  #language: LanguageTag | undefined;
  #isSpoiled = false;
  /** When the server had received the whole utterance, by performance.now(). */
  #arrivedAtMs: number | undefined;

  constructor(options: { socket: RecogniserSocket; uid: string; emptyAfterMs: number }) {
    this.#socket = options.socket;
    this.#uid = options.uid;
    this.#emptyAfterMs = options.emptyAfterMs;
  }

  get isOpen(): boolean {
    return this.#socket.isOpen && !this.#isSpoiled;
  }

  close(): void {
    this.#socket.close(END_OF_AUDIO);
  }

  hear(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
    signal: AbortSignal,
  ): Promise<HeardUtterance> {
    const fromSamples = this.#sent;
    this.#arrivedAtMs = undefined;
    return sendAndRead(utterance, {
      send: (sending) => this.#send(utterance, fromSamples, sending),
      read: () => this.#read(utterance, fromSamples, onPartial),
      signal,
    });
  }

  async #send(utterance: Utterance, fromSamples: number, signal: AbortSignal): Promise<void> {
    for (let from = 0; ;) {
      const request = { from, least: LEAST_SAMPLES, most: MOST_SAMPLES, signal };
      const samples = await utterance.read(request);
      if (signal.aborted) return;
      if (samples.length === 0) break;
      from += samples.length;
      const floats = new Float32Array(samples).map((sample) => sample / 32_768);
      await this.#sendSamples(floats, fromSamples);
    }
    await this.#sendSamples(new Float32Array(PADDING_SAMPLES), fromSamples);
    await this.#socket.flush();
    this.#arrivedAtMs = performance.now();
  }

  async #sendSamples(samples: Float32Array, utteranceFrom: number): Promise<void> {
    if (this.#sent - this.#forgotten > FULL_SAMPLES) {
      this.#forgotten += FORGOTTEN_SAMPLES;
      // The server would discard audio it may not have decoded; a fresh connection has room for all of it.
      if (this.#forgotten > utteranceFrom)
        throw new ConnectionFailure('is full', { kind: 'renewal' });
    }
    this.#sent += samples.length;
    await this.#socket.send(new Uint8Array(samples.buffer));
  }

  async #read(
    utterance: Utterance,
    fromSamples: number,
    onPartial: (heard: HeardUtterance) => void,
  ): Promise<HeardUtterance> {
    const segments = new UtteranceSegments(fromSamples / SAMPLES_PER_MS);
    const pace = new Pace();
    const heard = () => ({
      ...segments.heard(utterance.lengthMs),
      ...(this.#language !== undefined && { language: this.#language }),
    });
    for (let rounds = 0; ;) {
      const hadArrived = this.#arrivedAtMs !== undefined;
      const message = await this.#socket.nextWithin(POLL_MS);
      // Counts only silence after the whole utterance had arrived.
      if (message === undefined && hadArrived) pace.quiet();
      if (message !== undefined && this.#take(message, segments)) {
        pace.round(heard().text);
        if (this.#arrivedAtMs !== undefined) rounds += 1;
        if (!segments.isEmpty) onPartial(heard());
      }
      if (this.#arrivedAtMs === undefined) continue;
      if (this.#isOver({ segments, pace, rounds, arrivedAtMs: this.#arrivedAtMs })) {
        // The server's further rounds for this utterance would run into the next one.
        this.#isSpoiled = segments.isGrowing;
        return heard();
      }
    }
  }

  /** @param rounds rounds with results since the whole utterance had arrived */
  #isOver({
    segments,
    pace,
    rounds,
    arrivedAtMs,
  }: {
    segments: UtteranceSegments;
    pace: Pace;
    rounds: number;
    arrivedAtMs: number;
  }): boolean {
    const { isEmpty, isGrowing } = segments;
    if (!isGrowing && rounds >= ROUNDS_TO_HEAR_ALL) return true;
    if (rounds > ROUNDS_TO_HEAR_ALL && pace.unchangedMs(arrivedAtMs) > UNCHANGED_AFTER_MS) {
      return true;
    }
    const leastMs = isGrowing ? UNCHANGED_AFTER_MS : WHOLE_AFTER_MS;
    const enoughMs = isEmpty ? this.#emptyAfterMs : leastMs;
    return pace.silentMs > Math.max(enoughMs, pace.silenceMs);
  }

  /** Processes a message and returns whether it contains segments. */
  #take(message: RecogniserMessage, segments: UtteranceSegments): boolean {
    if (message['uid'] !== this.#uid) return false;
    throwStatus(message);
    const { language } = message;
    if (typeof language === 'string') this.#language = languageNamed(language);
    return segments.add(message);
  }
}

/** Measures the duration of the server's rounds, and for how long it has been silent or unchanged. */
class Pace {
  #slowestMs = 0;
  #silentMs = 0;
  #lastMs: number | undefined;
  #changedMs = 0;
  #text = '';

  /** Records a message with segments. */
  round(text: string): void {
    const nowMs = performance.now();
    const roundMs = nowMs - (this.#lastMs ?? nowMs);
    this.#slowestMs = Math.min(Math.max(this.#slowestMs, roundMs), MAX_ROUND_MS);
    this.#lastMs = nowMs;
    this.#silentMs = 0;
    if (text !== this.#text) this.#changedMs = nowMs;
    this.#text = text;
  }

  /** Duration of silence that exceeds any slow round, in ms. */
  get silenceMs(): number {
    return this.#slowestMs * ROUNDS_OF_SILENCE;
  }

  /** Records POLL_MS without a message. */
  quiet(): void {
    this.#silentMs += POLL_MS;
  }

  /**
   * Counted in polls rather than by the clock: time during which this process was suspended does not count.
   */
  get silentMs(): number {
    return this.#silentMs;
  }

  unchangedMs(sinceMs: number): number {
    return performance.now() - Math.max(this.#changedMs, sinceMs);
  }
}

// Assembles the segments of one utterance from the server's messages. Pure functions.

/** The server sends seconds as strings. */
const Seconds = Type.Union([Type.String({ pattern: '^\\d+(?:\\.\\d+)?$' }), Type.Number()]);
const Segment = Type.Object({
  start: Seconds,
  end: Seconds,
  text: Type.String(),
  completed: Type.Optional(Type.Boolean()),
});
const segments = Compile(Type.Object({ segments: Type.Array(Segment) }));

interface TimedText {
  startMs: number;
  endMs: number;
  text: string;
}

/**
 * The segments of an utterance. Each message repeats the connection's latest segments, completed ones and a
 * growing one; only some belong to this utterance.
 */
class UtteranceSegments {
  readonly #fromMs: number;
  /** Completed segments by their end. */
  readonly #completed = new Map<number, TimedText>();
  #growing: TimedText | undefined;

  /** @param fromMs start of the utterance on the clock of the connection */
  constructor(fromMs: number) {
    this.#fromMs = fromMs;
  }

  get isEmpty(): boolean {
    return this.#completed.size === 0 && this.#growing === undefined;
  }

  /** Whether a segment still changes. */
  get isGrowing(): boolean {
    return this.#growing !== undefined;
  }

  /** Processes a message and returns whether it contains segments. */
  add(message: RecogniserMessage): boolean {
    if (!segments.Check(message)) return false;
    const before = this.#growing;
    this.#growing = undefined;
    for (const segment of message.segments) {
      const timed = this.#timed(segment);
      if (timed === undefined) continue;
      if (segment.completed !== true) this.#growing = timed;
      else if (!this.#completed.has(timed.endMs)) {
        // The server gives a segment that stayed unchanged until completion a wrong start: the start of the
        // decoding.
        const startMs = before?.text === timed.text ? before.startMs : timed.startMs;
        this.#completed.set(timed.endMs, { ...timed, startMs });
      }
    }
    // The server drops a sentence that repeats the previous one, although the speaker said it.
    const isGone = before !== undefined && this.#growing === undefined && !this.#covers(before);
    if (isGone) this.#completed.set(before.endMs, before);
    return true;
  }

  /** @param lengthMs length of the audio heard, in ms */
  heard(lengthMs: number): HeardUtterance {
    const growing = this.#growing === undefined ? [] : [this.#growing];
    const all = [...this.#completed.values(), ...growing].sort((a, b) => a.startMs - b.startMs);
    const [first, last] = [all[0], all.at(-1)];
    return {
      text: all.map(({ text }) => text.trim()).join(' '),
      lengthMs,
      ...(first !== undefined && { startMs: first.startMs }),
      ...(last !== undefined && { endMs: Math.min(last.endMs, lengthMs) }),
    };
  }

  /** Moves a segment to the clock of the utterance; undefined when it belongs to an earlier utterance. */
  #timed({ start, end, text }: Static<typeof Segment>): TimedText | undefined {
    const startMs = Math.max(0, Number(start) * 1000 - this.#fromMs);
    const endMs = Number(end) * 1000 - this.#fromMs;
    return endMs <= 0 || text.trim() === '' ? undefined : { startMs, endMs, text };
  }

  #covers({ startMs, endMs }: TimedText): boolean {
    const middleMs = (startMs + endMs) / 2;
    return [...this.#completed.values()].some(
      (whole) => whole.startMs <= middleMs && middleMs <= whole.endMs,
    );
  }
}
