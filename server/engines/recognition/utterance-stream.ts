/**
 * A session of a recogniser that hears one utterance after the other. The next utterance is taken in
 * while the words of the one before are awaited; more than that is left with the source.
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
   * @param onPart called with what is concluded before the rest
   * @returns what was heard when the utterance was over, less the parts concluded before
   * @throws ServiceError recognition_failed; the signal's reason when aborted
   */
  hear(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
    signal: AbortSignal,
    onPart: (heard: HeardUtterance) => void,
  ): Promise<HeardUtterance>;
  /** Lets go of whatever is held between utterances. */
  close(): void;
}

interface UtteranceStreamOptions {
  /** Name of the engine, for people. */
  engine: string;
  speech: AsyncIterable<SpeechPiece>;
  signal: AbortSignal;
  /** Aborted when the engine is closed. */
  closing: AbortSignal;
  /** Called when the first result is asked for. */
  createHearer: () => UtteranceHearer;
  /** A longer utterance is heard in parts, in ms. */
  maxUtteranceMs?: number;
  /** As the session has it. */
  onHeard: RecognitionOptions['onHeard'];
}

/** Twice what the voice path lets an utterance grow to; two megabytes of samples. */
const MAX_UTTERANCE_MS = 60_000;
/** One whose words are awaited and one that is taken in meanwhile. */
const MAX_UTTERANCES = 2;
/** A hearer that reads utterances as they grow and is so far behind holds the speech back, in ms. */
const MAX_UNREAD_MS = 1_000;
/** A consumer that leaves so many results holds the speech back. */
const MAX_WAITING_RESULTS = 32;

/** Starts to hear `speech` at the first `next()`; leaving the iteration frees everything. */
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
  /** Not yet final, in the order in which they were said. */
  readonly #utterances: Utterance[] = [];
  /** Where they ended, as far as that is to be told. */
  readonly #endpointsMs = new Map<Utterance, number>();
  /** Undefined until the consumer asks for the first result. */
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

  /** A method, since a property would be taken to stay the same while others run. */
  #isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  #start(): void {
    if (this.#isOver()) return;
    const { signal, closing, speech } = this.#options;
    this.#source = speech[Symbol.asyncIterator]();
    signal.addEventListener('abort', this.#onAbort);
    // Every session listens to the engine's end, and there may be many.
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
    // Not awaited: a source that waits for its next piece would keep us waiting too.
    if (!this.#hasSourceEnded) this.#source?.return?.().catch(() => {});
    this.#change.notify();
    for (const utterance of this.#utterances.splice(0)) utterance.end();
  }

  /** Takes the speech in as fast as its utterances become final. */
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

  /** Waits until a piece can be taken in, to the growing utterance or to a new one. */
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

  /** What the hearer has not read yet of all there is, in ms; 0 when it hears whole utterances. */
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
      // As long as it may be: what follows is heard on its own.
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
    /** What was shown turned out to be no words. */
    const takeBack = (lengthMs: number): void => {
      if (shown !== '') onPartial({ text: '', lengthMs });
    };
    const heard = await hearer.hear(utterance, onPartial, this.#ending.signal, conclude);
    if (!this.#isOver()) conclude(heard);
  }
}

// What was recognised and not yet taken: the consumer's side of a stream.

interface Reader {
  resolve: (result: IteratorResult<Recognition, undefined>) => void;
  reject: (error: unknown) => void;
}

const DONE = { done: true, value: undefined } as const;

/**
 * An async iterator that is filled from outside. Written by hand because an async generator cannot
 * be left while it waits: its `return()` would queue up behind the result that may never come.
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

  /** Results nobody has taken. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Adds a result; a partial takes the place of one that was not read in time. */
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

  /** Calls once the consumer has dealt with all there is. */
  afterwards(call: () => void): void {
    if (this.#readers.length > 0) call();
    else if (this.#end === undefined) this.#waiting.push(call);
  }

  /** Ends the iteration after what is waiting, with an error if one is given. */
  end(end: { error?: unknown } = {}): void {
    this.#end ??= end;
    for (const reader of this.#readers.splice(0)) this.#settle(reader);
  }

  /** Ends the iteration at once: what is waiting is dropped. */
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

  /** An error is thrown once; after it the iteration is over, as with generators. */
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
