/** One recogniser process's turn at a stream: from what is not settled yet to the end, if it lives. */
import type { Change } from '../../process/change.ts';
import type { Recognition } from '../engine.ts';
import type { RecogniserChild } from './recogniser-child.ts';
import {
  decodeProgress,
  MAX_REMAINDER_MS,
  toChild,
  toParent,
  type Begin,
  type Progress,
  type Report,
} from './recogniser-protocol.ts';
import type { SpeechHistory } from './speech-history.ts';

export interface HearingOptions {
  child: RecogniserChild;
  history: SpeechHistory;
  begin: Begin;
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
  /** Position in the speech of the first byte this process hears. */
  readonly #baseBytes: number;
  #sentBytes: number;
  #heardBytes: number;
  #settledBytes: number;
  /** Position of the last endpoint it was told; what ended before it began is none of its business. */
  #endpointBytes: number;
  #hasBegun = false;
  #isEndSent = false;
  #hasEnded = false;
  /** Last sign of life, or when the process was first given something to do. */
  #lastSignMs = 0;

  constructor(options: HearingOptions) {
    this.#options = options;
    this.#baseBytes = options.history.start;
    this.#sentBytes = this.#heardBytes = this.#baseBytes;
    this.#settledBytes = this.#endpointBytes = this.#baseBytes;
  }

  /** Position in the speech up to which the process was given audio. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  /** Position in the speech up to which the process has heard. */
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
      await this.#sendBegin();
      while (!child.isGone && !this.#hasEnded) {
        // Nothing may be awaited between finding nothing to do and waiting: a change would be missed.
        await (this.#sendEndpoint() ?? this.#sendAudio() ?? this.#sendEnd() ?? change.next());
      }
      return this.#hasEnded;
    } finally {
      clearInterval(watchdog);
      child.kill();
    }
  }

  #sendBegin(): Promise<void> {
    const { child, begin } = this.#options;
    this.#lastSignMs = performance.now();
    return child.send(toChild.begin, Buffer.from(JSON.stringify(begin)));
  }

  /** Ends the utterance once the process has all of it. */
  #sendEndpoint(): Promise<void> | undefined {
    const { child, history } = this.#options;
    const endpoint = history.endpointAfter(this.#endpointBytes);
    if (endpoint === undefined || endpoint !== this.#sentBytes) return undefined;
    if (!this.#isBusy()) this.#lastSignMs = performance.now();
    this.#endpointBytes = endpoint;
    return child.send(toChild.endpoint);
  }

  /** Sends the next piece; undefined when there is none or the process has enough to do. */
  #sendAudio(): Promise<void> | undefined {
    const { child, history, change, bytesPerMs } = this.#options;
    const roomBytes = WINDOW_MS * bytesPerMs - (this.#sentBytes - this.#heardBytes);
    if (this.#sentBytes === history.end || roomBytes <= 0) return undefined;
    const endpoint = history.endpointAfter(this.#sentBytes) ?? Infinity;
    const untilEndpoint = endpoint - this.#sentBytes;
    const most = Math.min(roomBytes, MAX_WRITE_MS * bytesPerMs, untilEndpoint);
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
    return (
      !this.#hasBegun ||
      this.#isEndSent ||
      this.#settledBytes < this.#endpointBytes ||
      unheardBytes > MAX_REMAINDER_MS * this.#options.bytesPerMs
    );
  }

  #checkForHang(): void {
    const silentMs = performance.now() - this.#lastSignMs;
    if (this.#isBusy() && silentMs >= this.#options.hangTimeoutMs) this.#options.child.kill();
  }

  #onFrame(kind: number, payload: Buffer): void {
    this.#lastSignMs = performance.now();
    this.#hasBegun = true;
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
    this.#settledBytes = this.#baseBytes + settledBytes;
    this.#options.history.dropBefore(this.#settledBytes);
  }

  /**
   * What is reported begins where nothing is settled yet, so this is the utterance it belongs to;
   * within an utterance nothing was left out.
   */
  #onStreamClock(recognition: Recognition): Recognition {
    const { history, bytesPerMs } = this.#options;
    const fromMs = (this.#settledBytes - this.#baseBytes) / bytesPerMs;
    const offsetMs = history.timeAt(this.#settledBytes) - fromMs;
    if (offsetMs === 0) return recognition;
    const moved = (ms: number): number => Math.round(ms + offsetMs);
    const [startMs, endMs] = [moved(recognition.startMs), moved(recognition.endMs)];
    if (recognition.kind === 'partial') return { ...recognition, startMs, endMs };
    const words = recognition.words.map((word) => ({
      text: word.text,
      startMs: moved(word.startMs),
      endMs: moved(word.endMs),
    }));
    return { ...recognition, startMs, endMs, words };
  }
}
