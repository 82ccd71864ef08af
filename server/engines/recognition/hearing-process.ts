/** The parent's end of one recogniser process, which hears several utterances at a time with one model. */
import { Change } from '../../process/concurrency.ts';
import { FrameReader, FrameWriter, HangWatch, type PipedChild } from '../../process/index.ts';
import type { Logger } from '../../process/log.ts';
import {
  type ConcludedPart,
  fromHearing,
  type HeardPart,
  type HearingOpening,
  NUMBER_BYTES,
  numbered,
  toHearing,
} from './hearing-protocol.ts';

/** The process that was hearing an utterance has ended; another process can hear the utterance again. */
export class ProcessLost extends Error {
  constructor() {
    super('The recogniser process ended');
    this.name = 'ProcessLost';
  }
}

/** Receives the results of an utterance while it is being heard. */
export interface HearingListener {
  onPartial(heard: HeardPart): void;
  /** A part of the utterance is concluded before the rest. */
  onPart(part: ConcludedPart): void;
}

/** An utterance being heard by a process. */
export interface HearingLine {
  /** Sends s16le samples; resolves when there is room for more. @throws ProcessLost */
  send(samples: Uint8Array): Promise<void>;
  /**
   * Ends the utterance and resolves with its remaining text.
   *
   * @param isCut whether speech continues nevertheless
   * @throws ProcessLost
   */
  conclude(isCut: boolean): Promise<HeardPart>;
  /**
   * Frees the line's place in the process; text not yet concluded is dropped, and calls that still wait for
   * the process throw ProcessLost. Idempotent.
   */
  close(): void;
}

/** Limit of audio sent but not yet heard, per utterance: two seconds. */
const MAX_UNHEARD_BYTES = 64_000;
/** Tail of stderr that is kept: the last lines of a process tell why it ended. */
const LAST_WORDS_BYTES = 2_000;

interface OpenLine {
  unheardBytes: number;
  /** Whether the final result has been requested. */
  isEnding: boolean;
  isClosed: boolean;
  heard: HeardPart | undefined;
  readonly listener: HearingListener;
}

export class HearingProcess {
  readonly #child: RecogniserChild;
  readonly #lines = new Map<number, OpenLine>();
  readonly #change = new Change();
  /** Runs while the process owes a response. */
  readonly #patience: HangWatch;
  /** Called when an utterance closes and its place becomes free. */
  readonly #onRoom: () => void;
  #sending: Promise<void> = Promise.resolve();
  #heardBytes = 0;
  #nextNumber = 1;
  #lastWords = '';

  constructor({
    process,
    log,
    hangTimeoutMs,
    onRoom,
  }: {
    process: PipedChild;
    log: Logger;
    /**
     * Hang timeout, in ms of the process's own clock: a process silent for so long while it owes a response
     * is killed.
     */
    hangTimeoutMs: number;
    onRoom: () => void;
  }) {
    this.#onRoom = onRoom;
    this.#patience = new HangWatch({
      pid: process.pid,
      timeoutMs: hangTimeoutMs,
      onHang: () => {
        log.warn({ pid: process.pid }, 'a recogniser process hangs and is terminated');
        this.kill();
      },
    });
    process.stderr.on('data', (chunk: Buffer) => {
      this.#lastWords = `${this.#lastWords}${chunk.toString('utf8')}`.slice(-LAST_WORDS_BYTES);
    });
    this.#child = new RecogniserChild({ process, log });
    this.#child.onFrame = (kind, payload) => this.#onFrame(kind, payload);
    void this.#child.gone.then(() => {
      this.#patience.stop();
      this.#change.notify();
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isGone(): boolean {
    return this.#child.isGone;
  }

  /** Settles when the model is loaded; rejects with Error when loading fails. */
  get ready(): Promise<void> {
    return this.#child.ready;
  }

  get gone(): Promise<void> {
    return this.#child.gone;
  }

  /** The last lines of its stderr, without source positions, for the operator. */
  get lastWords(): string {
    const lines = this.#lastWords.trim().split('\n').slice(-3);
    return lines.map((line) => line.replace(/^\S+\.(?:cc|h):\S+ /, '').trim()).join(' ');
  }

  /** Audio processed so far, in bytes of s16le at 16 kHz. */
  get heardBytes(): number {
    return this.#heardBytes;
  }

  /** Number of open utterances. */
  get lineCount(): number {
    return this.#lines.size;
  }

  kill(): void {
    this.#child.kill();
  }

  /** Begins an utterance. */
  open(opening: HearingOpening, listener: HearingListener): HearingLine {
    const number = this.#nextNumber;
    this.#nextNumber = (this.#nextNumber + 1) >>> 0;
    const line: OpenLine = {
      unheardBytes: 0,
      isEnding: false,
      isClosed: false,
      heard: undefined,
      listener,
    };
    this.#lines.set(number, line);
    this.#send(toHearing.open, numbered(number, Buffer.from(JSON.stringify(opening))));
    return {
      send: (samples) => this.#sendAudio(number, line, samples),
      conclude: (isCut) => this.#conclude(number, line, isCut),
      close: () => this.#close(number, line),
    };
  }

  async #sendAudio(number: number, line: OpenLine, samples: Uint8Array): Promise<void> {
    for (let offset = 0; offset < samples.byteLength; offset += MAX_UNHEARD_BYTES) {
      const piece = samples.subarray(offset, offset + MAX_UNHEARD_BYTES);
      line.unheardBytes += piece.byteLength;
      this.#send(toHearing.audio, numbered(number, piece));
      // Chunks are many, and most need not wait.
      if (line.unheardBytes >= MAX_UNHEARD_BYTES) {
        await this.#until(line, () => line.unheardBytes < MAX_UNHEARD_BYTES);
      }
      if (this.#isLost(line)) throw new ProcessLost();
    }
  }

  async #conclude(number: number, line: OpenLine, isCut: boolean): Promise<HeardPart> {
    line.isEnding = true;
    this.#send(toHearing.end, numbered(number, Uint8Array.of(isCut ? 1 : 0)));
    await this.#until(line, () => line.heard !== undefined);
    // The process may have sent its final result just before it ended.
    if (line.heard === undefined) throw new ProcessLost();
    return line.heard;
  }

  /** Waits for a condition; in vain when the process ends or the line closes. */
  async #until(line: OpenLine, isMet: () => boolean): Promise<void> {
    while (!isMet() && !this.#isLost(line)) await this.#change.next();
  }

  #isLost(line: OpenLine): boolean {
    return this.isGone || line.isClosed;
  }

  #close(number: number, line: OpenLine): void {
    if (!this.#lines.delete(number)) return;
    line.isClosed = true;
    // Nothing that arrives later concerns the line: what still waits would keep its audio for good.
    this.#change.notify();
    if (line.heard === undefined) this.#send(toHearing.drop, numbered(number));
    this.#watch();
    this.#onRoom();
  }

  /** Sends frames one after the other; the queue is bounded by what each line may have unheard. */
  #send(kind: number, payload: Buffer): void {
    this.#sending = this.#sending.then(() => this.#child.send(kind, payload));
    if (!this.#patience.isOn) this.#watch();
  }

  #onFrame(kind: number, payload: Buffer): void {
    this.#accept(kind, payload);
    this.#watch();
  }

  #accept(kind: number, payload: Buffer): void {
    const number = payload.readUInt32LE(0);
    const line = this.#lines.get(number);
    if (line === undefined) return;
    if (kind === fromHearing.heard) {
      const bytes = payload.readUInt32LE(NUMBER_BYTES);
      line.unheardBytes -= bytes;
      this.#heardBytes += bytes;
      this.#change.notify();
      return;
    }
    const heard = JSON.parse(payload.toString('utf8', NUMBER_BYTES)) as HeardPart;
    if (kind === fromHearing.partial) line.listener.onPartial(heard);
    if (kind === fromHearing.part) line.listener.onPart(heard as ConcludedPart);
    if (kind !== fromHearing.final) return;
    line.heard = heard;
    this.#change.notify();
  }

  /** Restarts the hang timer while a response is owed, and stops it otherwise. */
  #watch(): void {
    const owes = [...this.#lines.values()].some(
      ({ unheardBytes, isEnding, heard }) => unheardBytes > 0 || (isEnding && heard === undefined),
    );
    if (owes && !this.isGone) this.#patience.start();
    else this.#patience.stop();
  }
}

// The parent's end of one recogniser process: frames in, frames out, and the exit status.

/** Limit of stderr that is logged: native libraries can be talkative, and the rest is read and discarded. */
const MAX_LOGGED_BYTES = 4_096;

/** The process ended before it was ready and gave no reason. */
export class EndedEarly extends Error {
  constructor() {
    super('The recogniser process ended before it was ready.');
    this.name = 'EndedEarly';
  }
}

/** The processor of this machine lacks instructions that the recogniser was compiled for. */
export class UnfitProcessor extends Error {
  constructor() {
    super(
      'The processor of this machine lacks instructions that the recogniser needs. ' +
        'Connect a recogniser on another machine: see server/docs/recognisers.md.',
    );
    this.name = 'UnfitProcessor';
  }
}

export class RecogniserChild {
  readonly #process: PipedChild;
  readonly #log: Logger;
  readonly #writer: FrameWriter;
  /** Settles when the model is loaded; rejects with Error when loading fails. */
  readonly ready: Promise<void>;
  /** Resolves when the process is gone and its output has been read to the end. */
  readonly gone: Promise<void>;
  /** Receives the frames after `ready`; the payload is valid only during the call. */
  onFrame: (kind: number, payload: Buffer) => void = () => {};
  #isGone = false;
  #onReady: (failure?: Error) => void = () => {};

  constructor({ process, log }: { process: PipedChild; log: Logger }) {
    this.#process = process;
    this.#log = log;
    this.#writer = new FrameWriter(process.stdin);
    this.ready = new Promise((resolve, reject) => {
      this.#onReady = (failure) => {
        if (failure === undefined) resolve();
        else reject(failure);
      };
    });
    // A child that dies while no caller awaits `ready` must not cause an unhandled rejection.
    this.ready.catch(() => {});
    this.gone = this.#watch();
    this.#readFrames();
    this.#logErrors();
    // A broken pipe shows as the end of the process; without a listener the error would end this process.
    process.stdin.on('error', () => {});
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Writes a frame; resolves when the pipe has taken it or is gone. */
  async send(kind: number, payload?: Uint8Array): Promise<void> {
    try {
      await this.#writer.write(kind, payload);
    } catch {
      // The process is gone or about to be; `gone` reports it.
    }
  }

  /** Kills the process at once. Idempotent. */
  kill(): void {
    this.#process.kill('SIGKILL');
  }

  async #watch(): Promise<void> {
    const child = this.#process;
    const signal = await new Promise<NodeJS.Signals | null>((resolve) => {
      // `close` rather than `exit`: the last output may still be in the pipe when the process exits.
      child.once('close', (_code, endedBy) => resolve(endedBy));
      child.once('error', () => resolve(null));
    });
    this.#isGone = true;
    this.#onReady(signal === 'SIGILL' ? new UnfitProcessor() : new EndedEarly());
  }

  #readFrames(): void {
    const reader = new FrameReader((kind, payload) => {
      if (kind === fromHearing.ready) this.#onReady();
      else if (kind !== fromHearing.failed) this.onFrame(kind, payload);
      else {
        // Strips the source position that a library puts into its message.
        const reason = payload.toString('utf8').replace(/\/\S+\.(?:cc|h):\d+ [^)]*\)/u, '');
        this.#log.warn({ pid: this.pid, reason }, 'a recogniser process has failed');
        this.#onReady(new Error(reason));
      }
    });
    this.#process.stdout.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch {
        // The error is not logged: its message may quote recognised text.
        this.#log.warn({ pid: this.pid }, 'a recogniser process sent an invalid message');
        this.kill();
      }
    });
  }

  #logErrors(): void {
    let bytesLeft = MAX_LOGGED_BYTES;
    this.#process.stderr.on('data', (chunk: Buffer) => {
      if (bytesLeft <= 0) return;
      const text = chunk.subarray(0, bytesLeft).toString('utf8').trim();
      bytesLeft -= chunk.byteLength;
      this.#log.debug({ pid: this.pid, text }, 'recogniser process, stderr');
    });
  }
}
