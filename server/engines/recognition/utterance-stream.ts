/**
 * A recognition session that hears one utterance after the other. While the result of one utterance is
 * pending, the next is buffered; anything beyond that stays with the source.
 */
import { setMaxListeners } from 'node:events';
import { ServiceError } from '../../../shared/errors.ts';
import { Change } from '../../process/concurrency.ts';
import type { Recognition, RecognitionOptions, SpeechPiece } from '../engine.ts';
import { createRepeats, type HeardUtterance, placeUtterance, Utterance } from './utterance.ts';

/** Hears the utterances of one session, one at a time. */
export interface UtteranceHearer {
  /**
   * Hears an utterance while it grows.
   *
   * @param onPart called with each part that is concluded before the rest
   * @returns the final result, without the parts concluded before
   * @throws ServiceError recognition_failed; the signal's reason when aborted
   */
  hear(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
    signal: AbortSignal,
    onPart: (heard: HeardUtterance) => void,
  ): Promise<HeardUtterance>;
  /** Releases resources held between utterances. */
  close(): void;
}

interface UtteranceStreamOptions {
  /** Name of the engine, for error messages. */
  engine: string;
  speech: AsyncIterable<SpeechPiece>;
  signal: AbortSignal;
  /** Aborted when the engine is closed. */
  closing: AbortSignal;
  /** Called when the first result is requested. */
  createHearer: () => UtteranceHearer;
  /** Maximum length of an utterance, in ms; a longer one is heard in parts. */
  maxUtteranceMs?: number | undefined;
  /** See {@link RecognitionOptions.onHeard}. */
  onHeard: RecognitionOptions['onHeard'];
}

/** Twice the length to which the voice path lets an utterance grow; two megabytes of samples. */
const MAX_UTTERANCE_MS = 60_000;
/** One utterance whose result is pending and one that is buffered meanwhile. */
const MAX_UTTERANCES = 2;
/** Backlog above which a hearer that reads utterances as they grow applies back-pressure, in ms. */
const MAX_UNREAD_MS = 1_000;
/** Number of unread results above which the consumer applies back-pressure. */
const MAX_WAITING_RESULTS = 32;

/** Starts hearing `speech` at the first `next()`; leaving the iteration frees all resources. */
export function hearUtterances(
  options: UtteranceStreamOptions,
): AsyncIterableIterator<Recognition, undefined> {
  return new UtteranceStream(options).results;
}

class UtteranceStream {
  readonly results: RecognitionResults;
  readonly #options: UtteranceStreamOptions;
  readonly #change = new Change();
  readonly #ending = new AbortController();
  /** Utterances not yet final, in spoken order. */
  readonly #utterances: Utterance[] = [];
  /** Ends of utterances that `onHeard` has yet to report. */
  readonly #endpointsMs = new Map<Utterance, number>();
  /** Undefined until the consumer requests the first result. */
  #source: AsyncIterator<SpeechPiece> | undefined;
  #hasSourceEnded = false;
  #hearer: UtteranceHearer | undefined;

  constructor(options: UtteranceStreamOptions) {
    this.#options = options;
    this.results = new RecognitionResults({
      onDemand: () => (this.#source === undefined ? this.#start() : this.#change.notify()),
      onReturn: () => this.#stop(),
    });
  }

  /**
   * A method rather than a property: the compiler would assume that a property stays the same across awaits.
   */
  #isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  #start(): void {
    if (this.#isOver()) return;
    const { signal, closing, speech } = this.#options;
    this.#source = speech[Symbol.asyncIterator]();
    signal.addEventListener('abort', this.#onAbort);
    // Every session listens to the engine's `closing` signal, and there may be many sessions.
    setMaxListeners(0, closing);
    closing.addEventListener('abort', this.#onClose);
    if (signal.aborted) this.#onAbort();
    else if (closing.aborted) this.#onClose();
    else this.#hear(this.#source);
  }

  #hear(source: AsyncIterator<SpeechPiece>): void {
    const { createHearer } = this.#options;
    this.#hearer = createHearer();
    Promise.all([this.#take(source), this.#hearAll(this.#hearer)]).then(
      () => this.#finish({}),
      (error: unknown) => this.#finish({ error }),
    );
  }

  readonly #onAbort = (): void => {
    this.results.abort({ error: this.#options.signal.reason });
    this.#stop();
  };

  readonly #onClose = (): void => {
    const { engine } = this.#options;
    const message = `The recogniser ${engine} is being stopped. Please start again.`;
    this.#finish({ error: new ServiceError('recognition_failed', message) });
  };

  #finish(end: { error?: unknown }): void {
    this.results.end(end);
    this.#stop();
  }

  #stop(): void {
    if (this.#isOver()) return;
    this.#ending.abort();
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#options.closing.removeEventListener('abort', this.#onClose);
    this.#hearer?.close();
    // Not awaited: a source that waits for its next piece would block the stop.
    if (!this.#hasSourceEnded) this.#source?.return?.().catch(() => {});
    this.#change.notify();
    for (const utterance of this.#utterances.splice(0)) utterance.end();
  }

  /** Reads the speech as fast as its utterances become final. */
  async #take(source: AsyncIterator<SpeechPiece>): Promise<void> {
    let growing: Utterance | undefined;
    while (!this.#isOver()) {
      await this.#room(growing);
      const next = await source.next();
      if (next.done === true || this.#isOver()) break;
      const piece = next.value;
      if (piece.kind === 'samples') growing = await this.#keep(piece, growing);
      else {
        if (growing !== undefined && this.#options.onHeard !== undefined) {
          this.#endpointsMs.set(growing, piece.atMs);
        }
        growing?.end(piece);
        growing = undefined;
      }
    }
    growing?.end();
    this.#hasSourceEnded = true;
    this.#change.notify();
  }

  /** Waits until a piece can be taken in, for the growing utterance or for a new one. */
  async #room(growing: Utterance | undefined): Promise<void> {
    const isFull = () =>
      this.results.waitingCount >= MAX_WAITING_RESULTS ||
      (growing === undefined && this.#utterances.length >= MAX_UTTERANCES) ||
      this.#unreadMs() > MAX_UNREAD_MS;
    while (isFull() && !this.#isOver()) {
      const [first] = this.#utterances;
      await Promise.race([this.#change.next(), ...(first ? [first.change.next()] : [])]);
    }
  }

  /** Backlog the hearer has not read yet, in ms; 0 when the hearer takes whole utterances. */
  #unreadMs(): number {
    const readMs = this.#utterances[0]?.readMs;
    if (readMs === undefined) return 0;
    return this.#utterances.reduce((sum, { lengthMs }) => sum + lengthMs, -readMs);
  }

  async #keep(
    { samples, startMs }: Extract<SpeechPiece, { kind: 'samples' }>,
    growing: Utterance | undefined,
  ): Promise<Utterance | undefined> {
    const { maxUtteranceMs: maxMs = MAX_UTTERANCE_MS } = this.#options;
    let utterance = growing;
    for (let offset = 0; offset + 1 < samples.byteLength && !this.#isOver();) {
      if (utterance === undefined) {
        await this.#room(utterance);
        utterance = new Utterance({ startMs: growing?.endMs ?? startMs, maxMs });
        this.#utterances.push(utterance);
        this.#change.notify();
      }
      const taken = utterance.append(samples.subarray(offset));
      offset += taken;
      if (taken > 0) continue;
      // The utterance has reached its maximum length: the rest is heard as a new utterance.
      utterance.end({ isCut: true });
      growing = utterance;
      utterance = undefined;
    }
    return utterance;
  }

  async #hearAll(hearer: UtteranceHearer): Promise<void> {
    while (!this.#isOver()) {
      const utterance = this.#utterances[0];
      if (utterance !== undefined) {
        await this.#hearOne(utterance, hearer);
        this.#utterances.shift();
        const untilMs = this.#endpointsMs.get(utterance);
        this.#endpointsMs.delete(utterance);
        if (untilMs !== undefined) this.results.afterwards(() => this.#options.onHeard?.(untilMs));
        this.#change.notify();
      } else if (this.#hasSourceEnded) return;
      else await this.#change.next();
    }
  }

  async #hearOne(utterance: Utterance, hearer: UtteranceHearer): Promise<void> {
    const { results } = this;
    const isWorthTelling = createRepeats();
    let shown = '';
    const onPartial = (heard: HeardUtterance): void => {
      const { text, startMs, endMs, language } = placeUtterance(heard, utterance.startMs);
      const { agreed } = heard;
      const isNew = isWorthTelling(text) || agreed !== undefined;
      shown = text;
      const detected = language !== undefined && { language };
      const settled = agreed !== undefined && { agreed };
      if (isNew) results.push({ kind: 'partial', text, startMs, endMs, ...settled, ...detected });
    };
    const conclude = (heard: HeardUtterance): void => {
      const final = placeUtterance(heard, utterance.startMs);
      if (final.text === '') {
        takeBack(heard.lengthMs);
        return;
      }
      shown = '';
      results.push({ kind: 'final', ...final });
    };
    /** Retracts a shown partial that turned out to contain no words. */
    const takeBack = (lengthMs: number): void => {
      if (shown !== '') onPartial({ text: '', lengthMs });
    };
    const heard = await hearer.hear(utterance, onPartial, this.#ending.signal, conclude);
    if (!this.#isOver()) conclude(heard);
  }
}

// Unread results: the consumer's side of a stream.

interface Reader {
  resolve: (result: IteratorResult<Recognition, undefined>) => void;
  reject: (error: unknown) => void;
}

const DONE = { done: true, value: undefined } as const;

/**
 * An async iterator filled from outside. Hand-written because an async generator cannot be left while it
 * waits: its `return()` would queue behind a result that may never come.
 */
export class RecognitionResults implements AsyncIterableIterator<Recognition, undefined> {
  readonly #waiting: (Recognition | (() => void))[] = [];
  readonly #readers: Reader[] = [];
  readonly #onDemand: () => void;
  readonly #onReturn: () => void;
  #end: { error?: unknown } | undefined;

  /**
   * @param onDemand called at every `next()`
   * @param onReturn called when the consumer leaves
   */
  constructor({ onDemand, onReturn }: { onDemand: () => void; onReturn: () => void }) {
    this.#onDemand = onDemand;
    this.#onReturn = onReturn;
  }

  /** Number of results not yet read. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Adds a result; it replaces a preceding partial that was not read in time. */
  push(result: Recognition): void {
    if (this.#end !== undefined) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: result });
    } else {
      const last = this.#waiting.at(-1);
      if (typeof last === 'object' && last.kind === 'partial') this.#waiting.pop();
      this.#waiting.push(result);
    }
  }

  /** Runs `call` once the consumer has taken all results queued so far. */
  afterwards(call: () => void): void {
    if (this.#readers.length > 0) call();
    else if (this.#end === undefined) this.#waiting.push(call);
  }

  /** Ends the iteration after the queued results, with an error if one is given. */
  end(end: { error?: unknown } = {}): void {
    this.#end ??= end;
    for (const reader of this.#readers.splice(0)) this.#settle(reader);
  }

  /** Ends the iteration at once and drops the queued results. */
  abort(end: { error?: unknown } = {}): void {
    this.#waiting.length = 0;
    this.#end = undefined;
    this.end(end);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Recognition, undefined>> {
    return new Promise((resolve, reject) => {
      let value = this.#waiting.shift();
      for (; typeof value === 'function'; value = this.#waiting.shift()) value();
      const reader = { resolve, reject };
      if (value !== undefined) resolve({ done: false, value });
      else if (this.#end !== undefined) this.#settle(reader);
      else this.#readers.push(reader);
      this.#onDemand();
    });
  }

  return(): Promise<IteratorResult<Recognition, undefined>> {
    this.abort();
    this.#onReturn();
    return Promise.resolve(DONE);
  }

  /** Throws an error once; afterwards the iteration is over, as with generators. */
  #settle(reader: Reader): void {
    if (this.#end !== undefined && 'error' in this.#end) {
      const { error } = this.#end;
      this.#end = {};
      reader.reject(error);
    } else {
      reader.resolve(DONE);
    }
  }
}
