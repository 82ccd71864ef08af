/**
 * Sends audio to the socket. `AudioBuffer` keeps it until the server has it, `AudioPace` cuts it
 * and sends it at the pace the server allows, and `AudioCredit` limits audio whose duration only
 * the server can determine to what the server lets through.
 */
import { bytesPerSample, parseSourceMediaType } from '../media-type.ts';
import type { VoiceConnection } from './voice-connection.ts';

interface AudioSenderOptions {
  contentType: string;
  /** Byte rate of compressed audio, if known. */
  bytesPerSecond: number | undefined;
  maxMs: number;
  maxBytes: number;
  /** Called after something was sent. */
  onSent: () => void;
  /** Called when everything was sent. */
  onDrained: () => void;
  /** Called when the buffer may accept audio again. */
  onRoom: () => void;
}

/**
 * Lower bound of `maxMs`: servers acknowledge twice a second, and only as more audio arrives, so a
 * smaller buffer could wait forever.
 */
const LEAST_MAX_MS = 2_000;
/**
 * Time for the server's first acknowledgement on a connection, in ms; after that, it is assumed not
 * to count audio.
 */
const COUNT_DEADLINE_MS = 3_000;
/** Shortest interval between checks of a socket with unsent data, in ms. */
const SHORTEST_WAIT_MS = 10;
/** Unsent bytes in the socket beyond which audio waits in this buffer, which is bounded. */
const MAX_UNSENT_BYTES = 64 * 1024;

/** The audio of one conversation. */
export class AudioSender {
  readonly #options: AudioSenderOptions;
  readonly #buffer: AudioBuffer;
  readonly #pace: AudioPace;
  /** Whether the server counts received audio; then nothing is discarded before it was counted. */
  #isCounted = false;
  #connection: VoiceConnection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Time from which a server without acknowledgements is assumed not to count. */
  #countDueMs = Infinity;
  #countTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: AudioSenderOptions) {
    this.#options = options;
    this.#buffer = new AudioBuffer(options);
    this.#pace = new AudioPace(options);
  }

  /** Whether no more audio should be pushed for now. */
  get isFull(): boolean {
    return this.#buffer.isFull || this.bufferedMs >= Math.max(this.#options.maxMs, LEAST_MAX_MS);
  }

  /** Audio that was not sent, or not yet acknowledged, in ms. */
  get bufferedMs(): number {
    return this.#pace.durationMs(this.#buffer.sizeBytes);
  }

  /** Whether the server counts audio; it then gives a sign of life every other second. */
  get isCounted(): boolean {
    return this.#isCounted;
  }

  /** Whether the server counts audio and has not yet acknowledged everything sent. */
  get awaitsCount(): boolean {
    return this.#isCounted && this.#buffer.sentBytes > 0;
  }

  /** Takes audio, which is kept and not copied. */
  push(audio: Uint8Array): void {
    this.#buffer.push(this.#pace.wholeSamples(audio));
    this.pump();
  }

  /** Ends the current utterance at this place in the audio. */
  endUtterance(): void {
    this.#buffer.endUtterance();
    this.pump();
  }

  /** Drops the oldest unsent audio while the buffer is full: for live audio, which cannot wait. */
  dropOverflow(): void {
    while (this.isFull && !this.#buffer.isDrained) this.#buffer.dropUnsent();
  }

  /** Records how much of the session's audio the server has; returns whether that is more than before. */
  acknowledge(received: { audioMs: number; sizeBytes: number }): boolean {
    const sentBefore = this.#buffer.sentBytes;
    this.#isCounted = true;
    this.#buffer.acknowledge(received.sizeBytes);
    const isMore = this.#buffer.sentBytes < sentBefore;
    this.#pace.learn(received, performance.now());
    // The computed wait may be over.
    this.#stopTimer();
    this.pump();
    this.#options.onRoom();
    return isMore;
  }

  /** Continues on the next connection after `receivedBytes`; if undefined, after what was sent. */
  resume(receivedBytes: number | undefined): void {
    this.#buffer.resume(receivedBytes);
    this.#options.onRoom();
  }

  /**
   * Begins a new session on the next connection with the newest `keptMs` of the audio that did not
   * arrive. A server that does not count is assumed to have received everything sent.
   */
  restart(keptMs: number): void {
    if (!this.#isCounted) this.#buffer.resume(undefined);
    this.#buffer.restart(this.#pace.sizeBytes(keptMs));
    this.#pace.restart();
    this.#isCounted = false;
    this.#options.onRoom();
  }

  /** Sends over this connection from now on. */
  attach(connection: VoiceConnection): void {
    this.#connection = connection;
    this.#countDueMs = performance.now() + COUNT_DEADLINE_MS;
    // Callers that wait for room must not wait longer for a server that does not count.
    if (!this.#isCounted) this.#countTimer = setTimeout(() => this.pump(), COUNT_DEADLINE_MS + 1);
    this.pump();
  }

  /** Stops sending until the next connection. */
  detach(): void {
    this.#connection = undefined;
    clearTimeout(this.#countTimer);
    this.#stopTimer();
  }

  /**
   * Sends what may be sent now. Called for every chunk that arrives, because timers slow down to 1
   * Hz in hidden tabs while messages from the audio thread do not; the timer only speeds up
   * catching up.
   */
  pump(): void {
    const connection = this.#connection;
    if (connection?.isOpen !== true) return;
    // A server that does not count audio never asks for any of it again.
    if (this.#isCountOverdue()) this.#expectNoCount();
    const sent = this.#sendDue(connection);
    if (!this.#buffer.isDrained) this.#pumpSoon();
    if (sent) this.#options.onSent();
    if (this.#buffer.isDrained) this.#options.onDrained();
  }

  #sendDue(connection: VoiceConnection): boolean {
    let sent = false;
    for (;;) {
      if (this.#buffer.takeUtteranceEnd()) connection.send({ type: 'end_of_utterance' });
      if (this.#buffer.isDrained) break;
      const nowMs = performance.now();
      if (connection.unsentBytes >= MAX_UNSENT_BYTES || this.#waitMs(nowMs) > 0) break;
      const data = this.#buffer.take(this.#pace.pieceBytes(this.#buffer.chunkBytes));
      connection.send({ type: 'source_media_chunk', data });
      this.#pace.spend(data.length, nowMs);
      sent = true;
    }
    return sent;
  }

  #waitMs(nowMs: number): number {
    return this.#pace.waitMs(nowMs, this.#isCountOverdue() ? 0 : this.#buffer.sentBytes);
  }

  #isCountOverdue(): boolean {
    return !this.#isCounted && performance.now() > this.#countDueMs;
  }

  #expectNoCount(): void {
    this.#pace.expectNoCount();
    if (!this.isFull) return;
    this.#buffer.forgetSent();
    this.#options.onRoom();
  }

  #pumpSoon(): void {
    const waitMs = Math.max(SHORTEST_WAIT_MS, this.#waitMs(performance.now()));
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.pump();
    }, waitMs);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * Queued audio: unsent, and sent but possibly to be sent again. The bytes of a session are numbered
 * from 0, as the server counts them. Chunks stay as they arrived; they are cut when they are sent.
 */
class AudioBuffer {
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #sizeBytes = 0;
  /** Number of the first kept byte, and the released part of the first chunk. */
  #firstByte = 0;
  #doneBytes = 0;
  /** Sent bytes after `#firstByte`, and the position of the next byte to send. */
  #sentBytes = 0;
  #sendIndex = 0;
  #sendOffset = 0;
  /** Bytes ever pushed; the ends of utterances are such numbers of bytes. */
  #pushedBytes = 0;
  /** Ends that the server may not have, and the last one sent on this connection. */
  #utteranceEnds: number[] = [];
  #sentEnd = -1;

  constructor({ maxBytes }: { maxBytes: number }) {
    this.#maxBytes = maxBytes;
  }

  /** Size of the kept audio, sent or not, in bytes. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Bytes sent but not acknowledged. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  get isFull(): boolean {
    return this.#sizeBytes >= this.#maxBytes;
  }

  /** Whether everything was sent. */
  get isDrained(): boolean {
    return this.#sentBytes === this.#sizeBytes;
  }

  /** Unsent bytes of the chunk that is being sent. */
  get chunkBytes(): number {
    return this.isDrained ? 0 : this.#at(this.#sendIndex).length - this.#sendOffset;
  }

  /** Adds a chunk, which is kept and not copied. */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#sizeBytes += chunk.length;
    this.#pushedBytes += chunk.length;
  }

  /** Ends the current utterance after the last chunk. */
  endUtterance(): void {
    if (this.#utteranceEnds.at(-1) === this.#pushedBytes) return;
    this.#utteranceEnds.push(this.#pushedBytes);
  }

  /** Returns whether an utterance ends before the next unsent byte, once on each connection. */
  takeUtteranceEnd(): boolean {
    const nextByte = this.#pushedBytes - (this.#sizeBytes - this.#sentBytes);
    const end = this.#utteranceEnds.findLast((each) => each <= nextByte) ?? -1;
    const isDue = end > this.#sentEnd;
    if (isDue) this.#sentEnd = end;
    return isDue;
  }

  /** Takes at most `maxBytes` of the next unsent chunk; they are kept until acknowledged. */
  take(maxBytes: number): Uint8Array {
    const chunk = this.#at(this.#sendIndex);
    const piece = chunk.subarray(this.#sendOffset, this.#sendOffset + maxBytes);
    this.#sentBytes += piece.length;
    this.#sendOffset += piece.length;
    if (this.#sendOffset === chunk.length) this.#sendNextChunk();
    return piece;
  }

  /** Releases audio, given the number of the session's bytes that the server has. */
  acknowledge(receivedBytes: number): void {
    this.#release(Math.min(receivedBytes - this.#firstByte, this.#sentBytes));
  }

  /** Releases everything that was sent. */
  forgetSent(): void {
    this.#release(this.#sentBytes);
  }

  /**
   * Continues on a new connection with the byte after `receivedBytes`. Without a number, as with
   * servers that do not count, everything sent counts as received.
   */
  resume(receivedBytes: number | undefined): void {
    if (receivedBytes === undefined) this.forgetSent();
    else {
      this.acknowledge(receivedBytes);
      this.#firstByte = receivedBytes;
    }
    this.#sendFromStart();
  }

  /** Begins a new session with the newest `maxBytes` of the kept audio, sent or not. */
  restart(maxBytes = Infinity): void {
    this.#release(this.#sizeBytes - maxBytes);
    this.#firstByte = 0;
    this.#sendFromStart();
  }

  /** Drops the unsent rest of the oldest chunk that was not completely sent. */
  dropUnsent(): void {
    if (this.isDrained) return;
    this.#sizeBytes -= this.chunkBytes;
    if (this.#sendOffset === 0) this.#chunks.splice(this.#sendIndex, 1);
    else {
      this.#chunks[this.#sendIndex] = this.#at(this.#sendIndex).subarray(0, this.#sendOffset);
      this.#sendNextChunk();
      // Everything before the rest may have been released.
      this.#release(0);
    }
  }

  #sendFromStart(): void {
    this.#sentBytes = this.#sendIndex = 0;
    this.#sendOffset = this.#doneBytes;
    // Whether an end after the last byte has arrived is unknown; servers count it once.
    this.#sentEnd = -1;
  }

  #sendNextChunk(): void {
    this.#sendIndex += 1;
    this.#sendOffset = 0;
  }

  #at(index: number): Uint8Array {
    return this.#chunks[index] as Uint8Array;
  }

  /** Releases the first bytes. A chunk is freed when all of it was released. */
  #release(sizeBytes: number): void {
    if (sizeBytes > 0) {
      this.#firstByte += sizeBytes;
      this.#doneBytes += sizeBytes;
      this.#sizeBytes -= sizeBytes;
      this.#sentBytes = Math.max(0, this.#sentBytes - sizeBytes);
      const firstByte = this.#pushedBytes - this.#sizeBytes;
      this.#utteranceEnds = this.#utteranceEnds.filter((end) => end >= firstByte);
    }
    let doneCount = 0;
    while (doneCount < this.#chunks.length && this.#doneBytes >= this.#at(doneCount).length) {
      this.#doneBytes -= this.#at(doneCount).length;
      doneCount += 1;
    }
    this.#chunks.splice(0, doneCount);
    this.#sendIndex = Math.max(0, this.#sendIndex - doneCount);
  }
}

/**
 * Sending speed relative to real time. Gateways refuse more than twice real time after a head
 * start; this leaves a margin.
 */
const SPEED = 1.8;
/** Unused time that may be made up for, in ms, because timers fire late. */
const SLACK_MS = 20;
/** Longest piece of PCM sent at once, in ms; the API recommends 50 to 250 ms. */
const LONGEST_PCM_PIECE_MS = 250;
/**
 * Duration of a piece of compressed audio, in ms. The byte rate is a mean: in silence, the same
 * bytes last much longer.
 */
const COMPRESSED_PIECE_MS = 100;
/**
 * Size of a piece that never exceeds one second, the limit of the API: a second of digital silence
 * is 227 bytes in Ogg Opus.
 */
const SAFE_PIECE_BYTES = 220;
/** Shortest piece, in ms: at higher rates, pieces of the safe size would be too many messages. */
const SHORTEST_PIECE_MS = 25;
const SMALLEST_PIECE_BYTES = 100;
/** Assumed rate of compressed audio until the server reports a duration: 16 kbit/s, the least. */
const FIRST_GUESS_BYTES_PER_MS = 2;
/** Assumed rate for servers that never report durations: 64 kbit/s. */
const UNCOUNTED_BYTES_PER_MS = 8;
/** Audio that must be counted before its measured rate is used, in ms. */
const BELIEVED_MS = 200;
/**
 * Audio that must be counted before rates above 64 kbit/s are accepted, in ms; before that, headers
 * and pictures may inflate the rate.
 */
const CERTAIN_MS = 1_000;
const LEAST_BYTES_PER_MS = 0.5;

/** The pace of a stream of audio: its duration, how it is cut, and how fast it may be sent. */
class AudioPace {
  #bytesPerMs: number;
  readonly #isPcm: boolean;
  #isKnown: boolean;
  readonly #sampleBytes: number;
  readonly #credit = new AudioCredit();
  /** The incomplete sample at the end of the audio pushed so far. */
  #remainder: Uint8Array | undefined;
  #nextAtMs = -Infinity;
  /** Bytes the server had received before the first sound: headers. */
  #headBytes = 0;
  /** Recently received bytes that the server may not have decoded yet: decoding takes a while to start. */
  #unreadBytes = 0;
  #receivedBytes = 0;

  /** @param bytesPerSecond of compressed audio, if known */
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

  /** Size of whole samples of a duration. */
  sizeBytes(durationMs: number): number {
    const samples = (durationMs * this.#bytesPerMs) / this.#sampleBytes;
    return Math.floor(samples) * this.#sampleBytes;
  }

  /** Resets for a new session. */
  restart(): void {
    this.#credit.restart();
    this.#headBytes = this.#unreadBytes = this.#receivedBytes = 0;
  }

  /** Updates the rate from what the server has counted. */
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

  /** Assumes that the server never counts. */
  expectNoCount(): void {
    if (!this.#isKnown) this.#bytesPerMs = UNCOUNTED_BYTES_PER_MS;
  }

  /** Returns how much of a chunk's remaining bytes to send at once: whole samples, not too long. */
  pieceBytes(leftBytes: number): number {
    if (!this.#isPcm) {
      const largest = Math.max(SAFE_PIECE_BYTES, this.sizeBytes(SHORTEST_PIECE_MS));
      const wanted = this.sizeBytes(COMPRESSED_PIECE_MS);
      return Math.min(Math.max(wanted, SMALLEST_PIECE_BYTES), largest, 50_000);
    }
    const largest = Math.min(this.sizeBytes(LONGEST_PCM_PIECE_MS), 48_000);
    // A small remainder is not worth a piece of its own.
    return leftBytes <= 2 * largest ? leftBytes : largest;
  }

  /**
   * Returns the time until more may be sent, in ms; 0 if it may go now.
   *
   * @param unheardBytes sent but not counted; 0 for servers that do not count
   */
  waitMs(nowMs: number, unheardBytes: number): number {
    const paceMs = Math.max(0, this.#nextAtMs - nowMs);
    if (this.#isPcm) return paceMs;
    const unheardMs = this.durationMs(unheardBytes + this.#unreadBytes);
    return Math.max(paceMs, this.#credit.waitMs(unheardMs, nowMs));
  }

  /** Accounts for bytes that are sent now. */
  spend(sizeBytes: number, nowMs: number): void {
    this.#nextAtMs =
      Math.max(this.#nextAtMs, nowMs - SLACK_MS) + this.durationMs(sizeBytes) / SPEED;
  }

  /** Returns the complete samples; the rest of the last one is returned by the next call. */
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

/** Speed at which the server's credit grows: slightly below twice real time, because clocks differ. */
const CREDIT_SPEED = 1.9;
const HEAD_START_MS = 1_500;
/** Cap on the credit, in ms; servers accumulate no more than 30 s. */
const MAX_CREDIT_MS = 28_000;
/**
 * Factor by which unheard audio may last longer than estimated: digital silence takes a tenth of
 * the bytes of speech in Opus. The accumulated credit covers the remaining difference.
 */
const DENSITY = 8;

/**
 * The client's estimate of how much audio the server still lets through, for audio whose duration
 * only the server knows; it reports from time to time how much it has heard.
 */
class AudioCredit {
  #creditMs = HEAD_START_MS;
  #countedAtMs = Infinity;
  #heardMs = 0;

  /** Resets for a new session. */
  restart(): void {
    this.#creditMs = HEAD_START_MS;
    this.#countedAtMs = Infinity;
    this.#heardMs = 0;
  }

  /** Updates the credit from how much of the session the server has heard. */
  heard(audioMs: number, nowMs: number): void {
    this.#earn(nowMs);
    this.#creditMs -= Math.max(0, audioMs - this.#heardMs);
    this.#heardMs = Math.max(audioMs, this.#heardMs);
  }

  /** Returns the time until that much audio may be in flight, whatever its density, in ms. */
  waitMs(unheardMs: number, nowMs: number): number {
    this.#earn(nowMs);
    return Math.max(0, (unheardMs * DENSITY - this.#creditMs) / CREDIT_SPEED);
  }

  #earn(nowMs: number): void {
    // The first call is for the first audio, so no time has passed.
    const passedMs = Math.max(0, nowMs - this.#countedAtMs);
    this.#creditMs = Math.min(this.#creditMs + passedMs * CREDIT_SPEED, MAX_CREDIT_MS);
    this.#countedAtMs = nowMs;
  }
}
