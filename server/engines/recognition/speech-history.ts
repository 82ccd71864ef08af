/** The latest stretch of a stream of speech, kept so that it can be heard again. */
import type { SpeechPiece } from '../engine.ts';
import { AudioHistory } from './audio-history.ts';

type Samples = Extract<SpeechPiece, { kind: 'samples' }>;

/** Positions are in bytes of speech: silence that was left out does not count. */
interface Utterance {
  from: number;
  /** When its first sample was spoken, in ms of the stream. */
  startMs: number;
  /** Undefined until its endpoint has come. */
  end: number | undefined;
}

/**
 * Samples by their position in the speech, where its utterances end, and when they were spoken. It
 * takes samples in until it is full; only {@link dropBefore} makes room.
 */
export class SpeechHistory {
  readonly #audio: AudioHistory;
  readonly #bytesPerMs: number;
  /** In order, none empty. The last one is kept even when it is settled: it tells the time. */
  #utterances: Utterance[] = [];

  constructor({ capacityMs, bytesPerMs }: { capacityMs: number; bytesPerMs: number }) {
    this.#audio = new AudioHistory(capacityMs * bytesPerMs);
    this.#bytesPerMs = bytesPerMs;
  }

  /** Position of the first byte held. */
  get start(): number {
    return this.#audio.start;
  }

  /** Position after the last byte held. */
  get end(): number {
    return this.#audio.end;
  }

  /** Appends samples from an offset in bytes on, as far as there is room; returns how many bytes. */
  append({ samples, startMs }: Samples, offset: number): number {
    const from = this.end;
    const taken = this.#audio.append(samples, offset);
    const isNew = this.#utterances.at(-1)?.end !== undefined || this.#utterances.length === 0;
    if (taken > 0 && isNew) {
      const offsetMs = offset / this.#bytesPerMs;
      this.#utterances.push({ from, startMs: startMs + offsetMs, end: undefined });
    }
    return taken;
  }

  /** Ends the utterance under way, if there is one. */
  endUtterance(): void {
    const last = this.#utterances.at(-1);
    if (last !== undefined) last.end ??= this.end;
  }

  /** The first end of an utterance behind a position. */
  endpointAfter(position: number): number | undefined {
    for (const { end } of this.#utterances) if (end !== undefined && end > position) return end;
    return undefined;
  }

  /** When the sample at a position was spoken, in ms; behind the last one, when it would have been. */
  timeAt(position: number): number {
    const utterance =
      this.#utterances.findLast(({ from }) => from <= position) ?? this.#utterances[0];
    const { from, startMs } = utterance ?? { from: 0, startMs: 0 };
    return startMs + (position - from) / this.#bytesPerMs;
  }

  /** Forgets what lies before a position. */
  dropBefore(position: number): void {
    this.#audio.dropBefore(position);
    while (this.#utterances.length > 1 && (this.#utterances[0]?.end ?? Infinity) <= this.start) {
      this.#utterances.shift();
    }
  }

  /** Bytes from a position that is held: up to `maxBytes`, fewer where the ring wraps. Not a copy. */
  view(position: number, maxBytes: number): Uint8Array {
    return this.#audio.view(position, maxBytes);
  }
}
