/**
 * One stream through recogniser processes that may die. Audio is kept until it is settled (silence,
 * or part of a final); when a process dies or hangs, the next one hears what is not settled again.
 * Times stay on the clock of the stream and no final comes twice.
 */
import { ServiceError } from '../../../shared/errors.ts';
import { Change } from '../../process/change.ts';
import type { Logger } from '../../process/log.ts';
import type { Recognition, SpeechPiece } from '../engine.ts';
import { Hearing } from './hearing.ts';
import type { RecogniserChild } from './recogniser-child.ts';
import type { RecogniserPool } from './recogniser-pool.ts';
import type { Begin } from './recogniser-protocol.ts';
import { RecognitionResults } from './recognition-results.ts';
import { SpeechHistory } from './speech-history.ts';

export interface RecognitionStreamOptions {
  pool: RecogniserPool;
  log: Logger;
  speech: AsyncIterable<SpeechPiece>;
  /** What each process is told before the speech. */
  begin: Begin;
  signal: AbortSignal;
  bytesPerMs: number;
  /** Room for audio that is not settled, in ms: the longest utterance and a few seconds more. */
  historyMs: number;
  /** A process that says nothing for so long while audio awaits it is taken for dead, in ms. */
  hangTimeoutMs: number;
}

/** Processes may die this often under one stream; then the audio itself must be what kills them. */
const MAX_DEATHS = 3;
/** A consumer that leaves so many results holds the audio back. */
const MAX_WAITING_RESULTS = 32;

/** Starts to hear `speech` at the first `next()`; leaving the iteration frees everything. */
export function recognitionStream(
  options: RecognitionStreamOptions,
): AsyncIterableIterator<Recognition, undefined> {
  return new RecognitionStream(options).results;
}

class RecognitionStream {
  readonly results: RecognitionResults;
  readonly #options: RecognitionStreamOptions;
  readonly #history: SpeechHistory;
  readonly #change = new Change();
  /** Undefined until the consumer asks for the first result. */
  #speech: AsyncIterator<SpeechPiece> | undefined;
  #hasAudioEnded = false;
  /** Aborted when the stream is over, for whatever reason. */
  readonly #ending = new AbortController();
  #child: RecogniserChild | undefined;
  #hearing: Hearing | undefined;
  /** Partials of audio that a dead process had heard are not shown a second time. */
  #quietUntilMs = 0;
  #isPartialStanding = false;

  constructor(options: RecognitionStreamOptions) {
    this.#options = options;
    const { historyMs: capacityMs, bytesPerMs } = options;
    this.#history = new SpeechHistory({ capacityMs, bytesPerMs });
    this.results = new RecognitionResults({
      onDemand: () => (this.#speech === undefined ? this.#start() : this.#change.notify()),
      onReturn: () => this.#stop(),
    });
  }

  get #isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  #start(): void {
    if (this.#isOver) return;
    const { signal, speech } = this.#options;
    this.#speech = speech[Symbol.asyncIterator]();
    if (signal.aborted) {
      this.#onAbort();
      return;
    }
    signal.addEventListener('abort', this.#onAbort);
    Promise.all([this.#takeSpeech(this.#speech), this.#hearAll()]).then(
      () => this.#finish({}),
      (error: unknown) => this.#finish({ error }),
    );
  }

  readonly #onAbort = (): void => {
    this.results.abort({ error: this.#options.signal.reason });
    this.#stop();
  };

  #finish(end: { error?: unknown }): void {
    this.results.end(end);
    this.#stop();
  }

  #stop(): void {
    if (this.#isOver) return;
    this.#ending.abort();
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#child?.kill();
    // Not awaited: a source that waits for its next piece would keep us waiting too.
    if (!this.#hasAudioEnded) this.#speech?.return?.().catch(() => {});
    this.#change.notify();
  }

  /** Takes in speech as fast as the process does. */
  async #takeSpeech(speech: AsyncIterator<SpeechPiece>): Promise<void> {
    while (!this.#isOver) {
      const next = await speech.next();
      if (next.done === true) break;
      if (next.value.kind === 'samples') await this.#keep(next.value);
      else this.#endUtterance();
      while (this.#isHeldBack()) await this.#change.next();
    }
    this.#hasAudioEnded = true;
    this.#change.notify();
  }

  async #keep(piece: Extract<SpeechPiece, { kind: 'samples' }>): Promise<void> {
    for (let offset = 0; offset < piece.samples.byteLength && !this.#isOver;) {
      const taken = this.#history.append(piece, offset);
      offset += taken;
      if (taken > 0) this.#change.notify();
      else await this.#change.next();
    }
  }

  #endUtterance(): void {
    this.#history.endUtterance();
    this.#change.notify();
  }

  #isHeldBack(): boolean {
    const isUnsent = (this.#hearing?.sentBytes ?? 0) < this.#history.end;
    return !this.#isOver && (isUnsent || this.results.waitingCount >= MAX_WAITING_RESULTS);
  }

  /** Lets one process after another hear the stream until one has come to its end. */
  async #hearAll(): Promise<void> {
    const { pool, log } = this.#options;
    for (let deaths = 0; deaths <= MAX_DEATHS; deaths += 1) {
      this.#child = await pool.take(this.#ending.signal);
      log.debug({ pid: this.#child.pid }, 'a recogniser process takes a stream');
      if (this.#isOver) this.#child.kill();
      const hearing = this.#listen(this.#child);
      if ((await hearing.run()) || this.#isOver) return;
      log.warn({ pid: this.#child.pid, deaths: deaths + 1 }, 'a recogniser process died');
      this.#quietUntilMs = Math.max(this.#quietUntilMs, this.#history.timeAt(hearing.heardBytes));
    }
    throw new ServiceError(
      'recognition_failed',
      'The recogniser stopped working several times on this audio. Please start again.',
    );
  }

  #listen(child: RecogniserChild): Hearing {
    const { begin, bytesPerMs, hangTimeoutMs } = this.#options;
    this.#hearing = new Hearing({
      child,
      begin,
      history: this.#history,
      change: this.#change,
      bytesPerMs,
      hangTimeoutMs,
      hasAudioEnded: () => this.#hasAudioEnded,
      onRecognition: (recognition) => this.#pass(recognition),
    });
    return this.#hearing;
  }

  #pass(recognition: Recognition): void {
    const { kind, text, endMs } = recognition;
    if (kind === 'partial' && text !== '' && endMs < this.#quietUntilMs) return;
    // A process takes back what it heard no word of: it may be its predecessor that showed some.
    if (kind === 'partial' && text === '' && !this.#isPartialStanding) return;
    this.#isPartialStanding = kind === 'partial' && text !== '';
    this.results.push(recognition);
  }
}
