/** One recogniser process's turn at a stream: from what is not settled yet to the end, if it lives. */
import type { Change } from '../../process/change.ts';
import type { Recognition } from '../engine.ts';
import type { AudioHistory } from './audio-history.ts';
import type { RecogniserChild } from './recogniser-child.ts';
import {
  decodeProgress,
  MAX_REMAINDER_MS,
  toChild,
  toParent,
  type Progress,
  type Report,
} from './recogniser-protocol.ts';

export interface HearingOptions {
  child: RecogniserChild;
  history: AudioHistory;
  /** Tells of new audio or its end, and is told of progress. */
  change: Change;
  bytesPerMs: number;
  /** A process that says nothing for so long while audio awaits it is killed, in ms. */
  hangTimeoutMs: number;
  hasAudioEnded: () => boolean;
  /** Receives every recognition, its times on the clock of the stream. */
  onRecognition: (recognition: Recognition) => void;
}

/** Audio on its way to a process: enough to keep it busy, little enough to feel it fall behind. */
const WINDOW_MS = 2_000;
/** The largest piece that is written at once. */
const MAX_WRITE_MS = 1_000;

export class Hearing {
  readonly #options: HearingOptions;
  /** Position in the stream of the first byte this process hears. */
  readonly #baseBytes: number;
  #sentBytes: number;
  #heardBytes: number;
  #isEndSent = false;
  #hasEnded = false;
  /** Last sign of life, or when the process was first given something to do. */
  #lastSignMs = 0;

  constructor(options: HearingOptions) {
    this.#options = options;
    this.#baseBytes = this.#sentBytes = this.#heardBytes = options.history.start;
  }

  /** Position in the stream up to which the process was given audio. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  /** Position in the stream up to which the process has heard. */
  get heardBytes(): number {
    return this.#heardBytes;
  }

  /** Feeds the process; returns true when it has heard everything, false when it is gone before. */
  async run(): Promise<boolean> {
    const { child, change, hangTimeoutMs } = this.#options;
    child.onFrame = (kind, payload) => this.#onFrame(kind, payload);
    void child.gone.then(() => change.notify());
    const watchdog = setInterval(() => this.#checkForHang(), hangTimeoutMs / 4);
    try {
      while (!child.isGone && !this.#hasEnded) {
        // Nothing may be awaited between finding nothing to do and waiting: a change would be missed.
        await (this.#sendAudio() ?? this.#sendEnd() ?? change.next());
      }
      return this.#hasEnded;
    } finally {
      clearInterval(watchdog);
      child.kill();
    }
  }

  /** Sends the next piece; undefined when there is none or the process has enough to do. */
  #sendAudio(): Promise<void> | undefined {
    const { child, history, change, bytesPerMs } = this.#options;
    const roomBytes = WINDOW_MS * bytesPerMs - (this.#sentBytes - this.#heardBytes);
    if (this.#sentBytes === history.end || roomBytes <= 0) return undefined;
    const most = Math.min(roomBytes, MAX_WRITE_MS * bytesPerMs);
    const audio = history.view(this.#sentBytes, most);
    if (!this.#isBusy()) this.#lastSignMs = performance.now();
    // Before the pipe has taken it: the answer may be faster than our next turn.
    this.#sentBytes += audio.byteLength;
    return child.send(toChild.audio, audio).then(() => change.notify());
  }

  #sendEnd(): Promise<void> | undefined {
    const { child, history, hasAudioEnded } = this.#options;
    const isDue = hasAudioEnded() && this.#sentBytes === history.end && !this.#isEndSent;
    if (!isDue) return undefined;
    if (!this.#isBusy()) this.#lastSignMs = performance.now();
    this.#isEndSent = true;
    return child.send(toChild.end);
  }

  /** Whether the process owes us an answer. */
  #isBusy(): boolean {
    const unheardBytes = this.#sentBytes - this.#heardBytes;
    return this.#isEndSent || unheardBytes > MAX_REMAINDER_MS * this.#options.bytesPerMs;
  }

  #checkForHang(): void {
    const silentMs = performance.now() - this.#lastSignMs;
    if (this.#isBusy() && silentMs >= this.#options.hangTimeoutMs) this.#options.child.kill();
  }

  #onFrame(kind: number, payload: Buffer): void {
    this.#lastSignMs = performance.now();
    if (kind === toParent.progress) {
      this.#advance(decodeProgress(payload));
    } else if (kind === toParent.report) {
      const report = JSON.parse(payload.toString('utf8')) as Report;
      this.#options.onRecognition(this.#onStreamClock(report.recognition));
      this.#advance(report);
    } else if (kind === toParent.ended) {
      this.#hasEnded = true;
    }
    this.#options.change.notify();
  }

  #advance({ heardBytes, settledBytes }: Progress): void {
    this.#heardBytes = this.#baseBytes + heardBytes;
    this.#options.history.dropBefore(this.#baseBytes + settledBytes);
  }

  #onStreamClock(recognition: Recognition): Recognition {
    const offsetMs = this.#baseBytes / this.#options.bytesPerMs;
    if (offsetMs === 0) return recognition;
    const startMs = recognition.startMs + offsetMs;
    const endMs = recognition.endMs + offsetMs;
    if (recognition.kind === 'partial') return { ...recognition, startMs, endMs };
    const words = recognition.words.map((word) => ({
      text: word.text,
      startMs: word.startMs + offsetMs,
      endMs: word.endMs + offsetMs,
    }));
    return { ...recognition, startMs, endMs, words };
  }
}
