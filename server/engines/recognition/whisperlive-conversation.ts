/**
 * A connection to a WhisperLive server, which hears what it has of the audio over and over and never
 * says that it is done. An utterance is followed by silence, so that it is long enough to be heard
 * and stands apart from the next, and is over when the server has heard all of it and its words no
 * longer change. Only then the next one is sent.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import { RECOGNITION_RATE_HZ } from '../engine.ts';
import { type Conversation, sendAndRead } from './socket-recogniser.ts';
import { type RecogniserMessage, type RecogniserSocket, Setback } from './recogniser-socket.ts';
import { languageNamed } from './remote-recogniser.ts';
import type { HeardUtterance, Utterance } from './utterance.ts';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

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
export function throwStatus({ status, message }: RecogniserMessage): void {
  if (status === 'WAIT') throw new Setback('has no free place', { fields: { status } });
  if (status === 'ERROR') {
    const problem = 'cannot use its model: check its name';
    throw new Setback(problem, { kind: 'refusal', fields: { status } });
  }
  if (message === 'DISCONNECT') throw new Setback('has closed the connection');
}

export class WhisperLiveConversation implements Conversation {
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
      await this.#sendSamples(
        Float32Array.from(samples, (s) => s / 32_768),
        fromSamples,
      );
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
