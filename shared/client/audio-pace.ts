/** How long audio lasts, how it is cut, and how fast it may be sent. */
import { bytesPerSample, parseSourceMediaType } from '../media-type.ts';
import { AudioCredit } from './audio-credit.ts';

/** Speed of sending. Gateways refuse more than twice real time; this leaves a margin. */
const SPEED = 1.8;
/** Timers come late; so much time that was not used may be made up for, in ms. */
const SLACK_MS = 20;
/** Longest piece of PCM sent at a time: the contract's advice is 50 to 250 ms. */
const LONGEST_PCM_PIECE_MS = 250;
/** A piece of compressed audio. Its rate is a mean: of silence, the same bytes last much longer. */
const COMPRESSED_PIECE_MS = 100;
/** A second of digital silence is 227 bytes in Ogg Opus, and a piece may last no more than a second. */
const SAFE_PIECE_BYTES = 220;
/** At higher rates safe pieces would be too many messages: pieces are at least this long. */
const SHORTEST_PIECE_MS = 25;
const SMALLEST_PIECE_BYTES = 100;
/** What compressed audio is taken to be until the server says how long it lasts: 16 kbit/s, the least. */
const FIRST_GUESS_BYTES_PER_MS = 2;
/** What it is taken to be for servers that never say: 64 kbit/s. */
const UNCOUNTED_BYTES_PER_MS = 8;
/** So much audio must have been counted before its rate is believed, in ms. */
const BELIEVED_MS = 200;
/** Until so much was counted, headers and pictures may pass for audio: no more than 64 kbit/s is believed. */
const CERTAIN_MS = 1_000;
const LEAST_BYTES_PER_MS = 0.5;

/** The pace of one stream of audio. */
export class AudioPace {
  #bytesPerMs: number;
  readonly #isPcm: boolean;
  #isKnown: boolean;
  readonly #sampleBytes: number;
  readonly #credit = new AudioCredit();
  /** A sample may be cut in two by whoever hands over the audio. */
  #remainder: Uint8Array | undefined;
  #nextAtMs = -Infinity;
  /** What the server had received before the first sound: headers. */
  #headBytes = 0;
  /** What it had received lately and may not have looked at yet: decoding takes a while to begin. */
  #unreadBytes = 0;
  #receivedBytes = 0;

  /** @param bytesPerSecond of compressed audio, if it is known */
  constructor({
    contentType,
    bytesPerSecond,
  }: {
    contentType: string;
    bytesPerSecond?: number | undefined;
  }) {
    const format = parseSourceMediaType(contentType);
    this.#isPcm = format?.container === 'pcm';
    this.#sampleBytes = this.#isPcm ? bytesPerSample(format?.codec) : 1;
    const pcmBytesPerMs = this.#isPcm
      ? ((format?.sampleRateHz ?? 0) * this.#sampleBytes) / 1000
      : 0;
    const knownBytesPerMs = bytesPerSecond === undefined ? 0 : bytesPerSecond / 1000;
    this.#isKnown = this.#isPcm || knownBytesPerMs > 0;
    this.#bytesPerMs = pcmBytesPerMs || knownBytesPerMs || FIRST_GUESS_BYTES_PER_MS;
  }

  durationMs(sizeBytes: number): number {
    return sizeBytes / this.#bytesPerMs;
  }

  /** Whole samples that last so long. */
  sizeBytes(durationMs: number): number {
    const samples = (durationMs * this.#bytesPerMs) / this.#sampleBytes;
    return Math.floor(samples) * this.#sampleBytes;
  }

  /** A session begins. */
  restart(): void {
    this.#credit.restart();
    this.#headBytes = this.#unreadBytes = this.#receivedBytes = 0;
  }

  /** The server has counted audio: so that is how long it lasts. */
  learn(received: { audioMs: number; sizeBytes: number }, nowMs: number): void {
    const { audioMs, sizeBytes } = received;
    if (sizeBytes > 0) this.#credit.heard(audioMs, nowMs);
    this.#unreadBytes = audioMs < CERTAIN_MS ? sizeBytes - this.#receivedBytes : 0;
    this.#receivedBytes = sizeBytes;
    if (this.#isKnown) return;
    if (audioMs === 0) this.#headBytes = sizeBytes - this.#unreadBytes;
    if (audioMs < BELIEVED_MS) return;
    const bytesPerMs = Math.max((sizeBytes - this.#headBytes) / audioMs, LEAST_BYTES_PER_MS);
    this.#bytesPerMs =
      audioMs < CERTAIN_MS ? Math.min(bytesPerMs, UNCOUNTED_BYTES_PER_MS) : bytesPerMs;
  }

  /** The server seems never to count. */
  expectNoCount(): void {
    if (!this.#isKnown) this.#bytesPerMs = UNCOUNTED_BYTES_PER_MS;
  }

  /** How much of a chunk that has so many bytes left is sent at a time: whole samples, not too long. */
  pieceBytes(leftBytes: number): number {
    if (!this.#isPcm) {
      const largest = Math.max(SAFE_PIECE_BYTES, this.sizeBytes(SHORTEST_PIECE_MS));
      const wanted = this.sizeBytes(COMPRESSED_PIECE_MS);
      return Math.min(Math.max(wanted, SMALLEST_PIECE_BYTES), largest, 50_000);
    }
    const largest = Math.min(this.sizeBytes(LONGEST_PCM_PIECE_MS), 48_000);
    // What is only a little longer is not worth a piece of its own.
    return leftBytes <= 2 * largest ? leftBytes : largest;
  }

  /**
   * How long until more may be sent, in ms; 0 when it may go now.
   *
   * @param unheardBytes that were sent and have not been counted; none where nobody counts
   */
  waitMs(nowMs: number, unheardBytes: number): number {
    const paceMs = Math.max(0, this.#nextAtMs - nowMs);
    if (this.#isPcm) return paceMs;
    const unheardMs = this.durationMs(unheardBytes + this.#unreadBytes);
    return Math.max(paceMs, this.#credit.waitMs(unheardMs, nowMs));
  }

  /** So many bytes are sent now. */
  spend(sizeBytes: number, nowMs: number): void {
    this.#nextAtMs =
      Math.max(this.#nextAtMs, nowMs - SLACK_MS) + this.durationMs(sizeBytes) / SPEED;
  }

  /** The samples that are complete; what is left of the last one comes with the next call. */
  wholeSamples(audio: Uint8Array): Uint8Array {
    if (this.#sampleBytes === 1) return audio;
    const joined = this.#remainder === undefined ? audio : join(this.#remainder, audio);
    const size = joined.length - (joined.length % this.#sampleBytes);
    this.#remainder = size === joined.length ? undefined : joined.slice(size);
    return size === joined.length ? joined : joined.subarray(0, size);
  }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
