/** The parent's end of one process that hears several utterances at a time with one model. */
import { Change } from '../../process/concurrency.ts';
import { HangWatch, type PipedChild } from '../../process/index.ts';
import type { Logger } from '../../process/log.ts';
import { RecogniserChild } from './recogniser-child.ts';
import {
  fromHearing,
  NUMBER_BYTES,
  numbered,
  toHearing,
  type ConcludedPart,
  type HeardPart,
  type HearingOpening,
} from './hearing-protocol.ts';

/** The process that heard an utterance is gone: another can hear it again. */
export class ProcessLost extends Error {
  constructor() {
    super('The recogniser process ended');
    this.name = 'ProcessLost';
  }
}

/** Who is told of an utterance while it is heard. */
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
      ...{ pid: process.pid, timeoutMs: hangTimeoutMs },
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
