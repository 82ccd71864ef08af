/**
 * Recognition by a WhisperLive server (collabora/WhisperLive). One connection serves a session, since
 * a server may load its model anew for each.
 *
 * The server hears what it has of the audio over and over and never says that it is done. An utterance is
 * followed by silence, so that it is long enough to be heard and stands apart from the next, and is over when
 * the server has heard all of it and its words no longer change. Only then the next one is sent.
 */
import { randomUUID } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { LanguageTag } from '../../../shared/language.ts';
import { declareEngine, listed, problemWithSocketAddress, socketAddress } from '../declaration.ts';
import {
  RECOGNITION_RATE_HZ,
  type RecognitionEngine,
  type RecognitionOptions,
  type Unavailable,
} from '../engine.ts';
import {
  type RecogniserMessage,
  RecogniserSocket,
  Setback,
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

// The conversation over a connection.

const SAMPLES_PER_MS = RECOGNITION_RATE_HZ / 1000;
const LEAST_SAMPLES = 100 * SAMPLES_PER_MS;
const MOST_SAMPLES = 500 * SAMPLES_PER_MS;
/** It hears nothing of less than a second. */
const PADDING_SAMPLES = 1_200 * SAMPLES_PER_MS;
/** When it has more than 45 s of audio it forgets the first 30 s, heard or not. */
const FULL_SAMPLES = 45_000 * SAMPLES_PER_MS;
const FORGOTTEN_SAMPLES = 30_000 * SAMPLES_PER_MS;
/** The round under way when the last audio arrived, and one that heard all of it. */
const ROUNDS_TO_HEAR_ALL = 2;
/** Silence of the server after which words that it takes for whole are final. */
const WHOLE_AFTER_MS = 700;
/** The same for words that it does not, and how long they may stay unchanged at most. */
const UNCHANGED_AFTER_MS = 2_000;
/** Silence is measured in rounds of a slow server. */
const ROUNDS_OF_SILENCE = 3;
const MAX_ROUND_MS = 5_000;
/** How often it is looked whether the server has been silent for long enough. */
const POLL_MS = 100;
const END_OF_AUDIO = Buffer.from('END_OF_AUDIO');

/** @throws Setback when a message tells that the server does not go on */
function throwStatus({ status, message }: RecogniserMessage): void {
  if (status === 'WAIT') throw new Setback('has no free place', { fields: { status } });
  if (status === 'ERROR') {
    const problem = 'cannot use its model: check its name';
    throw new Setback(problem, { kind: 'refusal', fields: { status } });
  }
  if (message === 'DISCONNECT') throw new Setback('has closed the connection');
}

class WhisperLiveConversation implements Conversation {
  readonly #socket: RecogniserSocket;
  readonly #uid: string;
  readonly #emptyAfterMs: number;
  /** What was sent over this connection, and what of it the server has forgotten, in samples. */
  #sent = 0;
  #forgotten = 0;
  #language: LanguageTag | undefined;
  #isSpoiled = false;
  /** When the server had received all of the utterance, by performance.now(). */
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
      // It would forget what it may not have heard; a fresh connection has room for all of it.
      if (this.#forgotten > utteranceFrom) throw new Setback('is full', { kind: 'renewal' });
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
      // Counted from the moment when nothing more was to come.
      if (message === undefined && hadArrived) pace.quiet();
      if (message !== undefined && this.#take(message, segments)) {
        pace.round(heard().text);
        if (this.#arrivedAtMs !== undefined) rounds += 1;
        if (!segments.isEmpty) onPartial(heard());
      }
      if (this.#arrivedAtMs === undefined) continue;
      if (this.#isOver({ segments, pace, rounds, arrivedAtMs: this.#arrivedAtMs })) {
        // What the server goes on to hear again would run into the next utterance.
        this.#isSpoiled = segments.isGrowing;
        return heard();
      }
    }
  }

  /** @param rounds in which the server has heard something since it had all of the utterance */
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

  /** Returns whether a message tells of segments. */
  #take(message: RecogniserMessage, segments: UtteranceSegments): boolean {
    if (message['uid'] !== this.#uid) return false;
    throwStatus(message);
    const { language } = message;
    if (typeof language === 'string') this.#language = languageNamed(language);
    return segments.add(message);
  }
}

/** How quick the server's rounds are, and for how long nothing has come or changed. */
class Pace {
  #slowestMs = 0;
  #silentMs = 0;
  #lastMs: number | undefined;
  #changedMs = 0;
  #text = '';

  /** A message has come that tells of segments. */
  round(text: string): void {
    const nowMs = performance.now();
    const roundMs = nowMs - (this.#lastMs ?? nowMs);
    this.#slowestMs = Math.min(Math.max(this.#slowestMs, roundMs), MAX_ROUND_MS);
    this.#lastMs = nowMs;
    this.#silentMs = 0;
    if (text !== this.#text) this.#changedMs = nowMs;
    this.#text = text;
  }

  /** Silence that is more than a slow round. */
  get silenceMs(): number {
    return this.#slowestMs * ROUNDS_OF_SILENCE;
  }

  /** POLL_MS have passed without a message. */
  quiet(): void {
    this.#silentMs += POLL_MS;
  }

  /** Counted in looks, not by the clock: what this process slept through is no silence of the server. */
  get silentMs(): number {
    return this.#silentMs;
  }

  unchangedMs(sinceMs: number): number {
    return performance.now() - Math.max(this.#changedMs, sinceMs);
  }
}

// What a WhisperLive server tells of one utterance, put together. Pure.

/** Seconds come as text. */
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
 * The segments of an utterance. Each message repeats the last segments of the connection, whole ones
 * and one that still changes; only some of them are of this utterance.
 */
class UtteranceSegments {
  readonly #fromMs: number;
  /** Whole ones by where they end. */
  readonly #completed = new Map<number, TimedText>();
  #growing: TimedText | undefined;

  /** @param fromMs where the utterance begins on the clock of the connection */
  constructor(fromMs: number) {
    this.#fromMs = fromMs;
  }

  get isEmpty(): boolean {
    return this.#completed.size === 0 && this.#growing === undefined;
  }

  /** Whether there is one that still changes. */
  get isGrowing(): boolean {
    return this.#growing !== undefined;
  }

  /** Takes in a message; returns whether it tells of segments. */
  add(message: RecogniserMessage): boolean {
    if (!segments.Check(message)) return false;
    const before = this.#growing;
    this.#growing = undefined;
    for (const segment of message.segments) {
      const timed = this.#timed(segment);
      if (timed === undefined) continue;
      if (segment.completed !== true) this.#growing = timed;
      else if (!this.#completed.has(timed.endMs)) {
        // What stayed the same until it was whole is said to begin where hearing did.
        const startMs = before?.text === timed.text ? before.startMs : timed.startMs;
        this.#completed.set(timed.endMs, { ...timed, startMs });
      }
    }
    // The server drops a sentence that repeats the one before: what it showed of it still was said.
    const isGone = before !== undefined && this.#growing === undefined && !this.#covers(before);
    if (isGone) this.#completed.set(before.endMs, before);
    return true;
  }

  /** @param lengthMs how much of the utterance was heard */
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

  /** On the clock of the utterance; undefined when it is of one before. */
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
