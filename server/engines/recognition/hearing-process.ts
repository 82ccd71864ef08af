/** The parent's end of one process that hears several utterances at a time with one model. */
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

/** The process that heard an utterance is gone: another can hear it again. */
export class ProcessLost extends Error {
  constructor() {
    super('The recogniser process ended');
    this.name = 'ProcessLost';
  }
}

/** Called with what is heard of an utterance. */
export interface HearingListener {
  onPartial(heard: HeardPart): void;
  /** A part of the utterance is concluded before the rest. */
  onPart(part: ConcludedPart): void;
}

/** An utterance on its way through a process. */
export interface HearingLine {
  /** Sends samples, s16le; resolves when there is room for more. @throws ProcessLost */
  send(samples: Uint8Array): Promise<void>;
  /**
   * Asks for what was heard in all.
   *
   * @param isCut whether speech goes on all the same
   * @throws ProcessLost
   */
  conclude(isCut: boolean): Promise<HeardPart>;
  /** Lets go of its place; what was not concluded is dropped. Safe to call again. */
  close(): void;
}

/** Audio on its way to the process and not yet heard, for each utterance: two seconds. */
const MAX_UNHEARD_BYTES = 64_000;
/** What a process says last tells why it ended. */
const LAST_WORDS_BYTES = 2_000;

interface OpenLine {
  unheardBytes: number;
  /** Whether what was heard in all is asked for. */
  isEnding: boolean;
  heard: HeardPart | undefined;
  readonly listener: HearingListener;
}

export class HearingProcess {
  readonly #child: RecogniserChild;
  readonly #lines = new Map<number, OpenLine>();
  readonly #change = new Change();
  /** On while the process owes us something. */
  readonly #patience: HangWatch;
  /** Called when a place has become free. */
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
    /** A process that says nothing for so long while it is asked for something is ended, in ms of its own. */
    hangTimeoutMs: number;
    onRoom: () => void;
  }) {
    this.#onRoom = onRoom;
    this.#patience = new HangWatch({
      pid: process.pid,
      timeoutMs: hangTimeoutMs,
      onHang: () => {
        log.warn({ pid: process.pid }, 'a recogniser process hangs and is ended');
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

  /** Settles when the model is loaded; rejects with Error when it will not be. */
  get ready(): Promise<void> {
    return this.#child.ready;
  }

  get gone(): Promise<void> {
    return this.#child.gone;
  }

  /** What it complained of last, without the places in its source, for people who run the server. */
  get lastWords(): string {
    const lines = this.#lastWords.trim().split('\n').slice(-3);
    return lines.map((line) => line.replace(/^\S+\.(?:cc|h):\S+ /, '').trim()).join(' ');
  }

  /** Audio that it has taken in so far, in bytes of s16le at 16 kHz. */
  get heardBytes(): number {
    return this.#heardBytes;
  }

  /** Utterances it hears at the moment. */
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
    const line: OpenLine = { unheardBytes: 0, isEnding: false, heard: undefined, listener };
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
      while (line.unheardBytes >= MAX_UNHEARD_BYTES && !this.isGone) await this.#change.next();
      if (this.isGone) throw new ProcessLost();
    }
  }

  async #conclude(number: number, line: OpenLine, isCut: boolean): Promise<HeardPart> {
    line.isEnding = true;
    this.#send(toHearing.end, numbered(number, Uint8Array.of(isCut ? 1 : 0)));
    while (line.heard === undefined && !this.isGone) await this.#change.next();
    // What it said last may have come before its end.
    if (line.heard === undefined) throw new ProcessLost();
    return line.heard;
  }

  #close(number: number, line: OpenLine): void {
    if (!this.#lines.delete(number)) return;
    if (line.heard === undefined) this.#send(toHearing.drop, numbered(number));
    this.#watch();
    this.#onRoom();
  }

  /** Frames leave one after the other; what is on its way is bounded by what each line may send. */
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

  /** Starts anew to wait for a sign of life, while there is something to wait for. */
  #watch(): void {
    const owes = [...this.#lines.values()].some(
      ({ unheardBytes, isEnding, heard }) => unheardBytes > 0 || (isEnding && heard === undefined),
    );
    if (owes && !this.isGone) this.#patience.start();
    else this.#patience.stop();
  }
}

// The parent's end of one recogniser process: frames in, frames out, and how it went.

/** Native libraries can be talkative; what they say beyond this is read and thrown away. */
const MAX_LOGGED_BYTES = 4_096;

/** It ended before it was ready, and did not say why. */
export class EndedEarly extends Error {
  constructor() {
    super('The recogniser process ended before it was ready.');
    this.name = 'EndedEarly';
  }
}

/** The processor of this machine lacks instructions that the recogniser is made of. */
export class UnfitProcessor extends Error {
  constructor() {
    super(
      'The processor of this machine lacks instructions that the recogniser is made of. Let a server elsewhere hear: server/docs/recognisers.md.',
    );
    this.name = 'UnfitProcessor';
  }
}

export class RecogniserChild {
  readonly #process: PipedChild;
  readonly #log: Logger;
  readonly #writer: FrameWriter;
  /** Settles when the model is loaded; rejects with Error when it will not be. */
  readonly ready: Promise<void>;
  /** Resolves when the process is gone and all it said was read. */
  readonly gone: Promise<void>;
  /** Takes the frames after `ready`; the payload is valid during the call only. */
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
    // A child that dies while nobody waits for it is no unhandled rejection.
    this.ready.catch(() => {});
    this.gone = this.#watch();
    this.#readFrames();
    this.#logErrors();
    // A broken pipe shows as the end of the process; without a listener it would end our own.
    process.stdin.on('error', () => {});
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Writes a frame; resolves when the pipe has taken it, or when there is no pipe any more. */
  async send(kind: number, payload?: Uint8Array): Promise<void> {
    try {
      await this.#writer.write(kind, payload);
    } catch {
      // The process is gone or about to be, and `gone` tells.
    }
  }

  /** Ends the process at once. Safe to call again. */
  kill(): void {
    this.#process.kill('SIGKILL');
  }

  async #watch(): Promise<void> {
    const child = this.#process;
    const signal = await new Promise<NodeJS.Signals | null>((resolve) => {
      // After the end of its output, not at its exit: what it said last may still lie in the pipe.
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
        // Without the place in the source of a library.
        const reason = payload.toString('utf8').replace(/\/\S+\.(?:cc|h):\d+ [^)]*\)/u, '');
        this.#log.warn({ pid: this.pid, reason }, 'a recogniser process has failed');
        this.#onReady(new Error(reason));
      }
    });
    this.#process.stdout.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch {
        // Not the error: its message may quote what was recognised.
        this.#log.warn({ pid: this.pid }, 'a recogniser process speaks nonsense');
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
