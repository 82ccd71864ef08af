/**
 * Audio from the caller to the socket: kept until the server has it (`AudioBuffer`), cut and sent at
 * the server's pace (`AudioPace`), and, of what only the server can tell how long it lasts, no more
 * than it lets through (`AudioCredit`).
 */
import { bytesPerSample, parseSourceMediaType } from '../media-type.ts';
import type { VoiceConnection } from './voice-connection.ts';

interface AudioSenderOptions {
  contentType: string;
  /** Bytes a second of compressed audio, if they are known. */
  bytesPerSecond: number | undefined;
  maxMs: number;
  maxBytes: number;
  /** Something was sent. */
  onSent: () => void;
  /** Everything was sent. */
  onDrained: () => void;
  /** There may be room for audio again. */
  onRoom: () => void;
}

/**
 * Less than this is never too much: servers tell what has arrived twice a second, when more arrives,
 * so whoever waits for that must have sent that much.
 */
const LEAST_MAX_MS = 2_000;
/** A server that counts says so as soon as it is connected; one that has not by then does not. */
const COUNT_DEADLINE_MS = 3_000;
/** Between looks at a socket that has not sent what it has. */
const SHORTEST_WAIT_MS = 10;
/** Unsent bytes in the socket beyond which audio waits in our buffer, which is bounded. */
const MAX_UNSENT_BYTES = 64 * 1024;

/** The audio of one conversation. */
export class AudioSender {
  readonly #options: AudioSenderOptions;
  readonly #buffer: AudioBuffer;
  readonly #pace: AudioPace;
  /** The server counts what arrives, so nothing may be let go before it has been counted. */
  #isCounted = false;
  #connection: VoiceConnection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When a server that has not counted anything is known not to count. */
  #countDueMs = Infinity;
  #countTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: AudioSenderOptions) {
    this.#options = options;
    this.#buffer = new AudioBuffer(options);
    this.#pace = new AudioPace(options);
  }

  /** No more audio should be pushed for now. */
  get isFull(): boolean {
    return this.#buffer.isFull || this.bufferedMs >= Math.max(this.#options.maxMs, LEAST_MAX_MS);
  }

  /** Audio that was not sent or not counted by the server yet, in ms. */
  get bufferedMs(): number {
    return this.#pace.durationMs(this.#buffer.sizeBytes);
  }

  /** The server counts audio and has not counted all that was sent. */
  get awaitsCount(): boolean {
    return this.#isCounted && this.#buffer.sentBytes > 0;
  }

  /** Takes audio, which is kept and not copied. */
  push(audio: Uint8Array): void {
    this.#buffer.push(this.#pace.wholeSamples(audio));
    this.pump();
  }

  /** Lets go of the oldest audio that waits, while there is too much: for sound that cannot wait. */
  dropOverflow(): void {
    while (this.isFull && !this.#buffer.isDrained) this.#buffer.dropUnsent();
  }

  /** The server has so much of the session's audio; answers whether that is more than before. */
  acknowledge(received: { audioMs: number; sizeBytes: number }): boolean {
    const sentBefore = this.#buffer.sentBytes;
    this.#isCounted = true;
    this.#buffer.acknowledge(received.sizeBytes);
    const isMore = this.#buffer.sentBytes < sentBefore;
    this.#pace.learn(received, performance.now());
    // The wait that was reckoned may be over.
    this.#stopTimer();
    this.pump();
    this.#options.onRoom();
    return isMore;
  }

  /** The next connection goes on after so many bytes; undefined: after those that were sent. */
  resume(receivedBytes: number | undefined): void {
    this.#buffer.resume(receivedBytes);
    this.#options.onRoom();
  }

  /**
   * The next connection begins a new session with what did not arrive, the newest `keptMs` of it. A
   * server that does not count is taken to have heard what was sent.
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
    // Whoever waits for room must not wait longer for a server that does not count.
    if (!this.#isCounted) this.#countTimer = setTimeout(() => this.pump(), COUNT_DEADLINE_MS + 1);
    this.pump();
  }

  /** Sends nothing more until the next connection. */
  detach(): void {
    this.#connection = undefined;
    clearTimeout(this.#countTimer);
    this.#stopTimer();
  }

  /**
   * Sends what may be sent now. Called for every chunk that arrives, because timers fall to 1 Hz in
   * hidden tabs and messages from the audio thread do not; the timer only speeds up catching up.
   */
  pump(): void {
    const connection = this.#connection;
    if (connection?.isOpen !== true) return;
    // A server that does not count what arrives never asks for any of it again.
    if (this.#isCountOverdue()) this.#expectNoCount();
    const sent = this.#sendDue(connection);
    if (!this.#buffer.isDrained) this.#pumpSoon();
    if (sent) this.#options.onSent();
    if (this.#buffer.isDrained) this.#options.onDrained();
  }

  #sendDue(connection: VoiceConnection): boolean {
    let sent = false;
    while (!this.#buffer.isDrained) {
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
 * Audio on its way: what has not been sent, and what has been sent and may have to be sent again. The
 * bytes of a session are numbered from 0, as the server counts them. Chunks stay as they came: how
 * much goes out at a time is decided when it goes.
 */
class AudioBuffer {
  readonly #maxBytes: number;
  /** A ring that grows: chunks `#head` to `#head + #count - 1`, modulo its length. */
  #ring: Uint8Array[] = new Array<Uint8Array>(64);
  #head = 0;
  #count = 0;
  #sizeBytes = 0;
  /** Number of the first byte that is kept, and how much of the first chunk lies before it. */
  #firstByte = 0;
  #doneBytes = 0;
  /** Bytes after `#firstByte` that have been sent; the next one is here. */
  #sentBytes = 0;
  #sendIndex = 0;
  #sendOffset = 0;

  constructor({ maxBytes }: { maxBytes: number }) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that are kept, sent or not. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Bytes that have been sent and not been acknowledged. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  get isFull(): boolean {
    return this.#sizeBytes >= this.#maxBytes;
  }

  /** Everything has been sent. */
  get isDrained(): boolean {
    return this.#sentBytes === this.#sizeBytes;
  }

  /** Bytes of the chunk that is being sent which have not been sent. */
  get chunkBytes(): number {
    return this.isDrained ? 0 : this.#at(this.#sendIndex).length - this.#sendOffset;
  }

  /** Adds a chunk, which is kept and not copied. */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (this.#count === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#count) % this.#ring.length] = chunk;
    this.#count += 1;
    this.#sizeBytes += chunk.length;
  }

  /** Takes the next bytes to send, at most so many, out of one chunk; they stay until acknowledged. */
  take(maxBytes: number): Uint8Array {
    const chunk = this.#at(this.#sendIndex);
    const piece = chunk.subarray(this.#sendOffset, this.#sendOffset + maxBytes);
    this.#sentBytes += piece.length;
    this.#sendOffset += piece.length;
    if (this.#sendOffset === chunk.length) this.#sendNextChunk();
    return piece;
  }

  /** The server has this many bytes of the session: they need not be kept. */
  acknowledge(receivedBytes: number): void {
    this.#release(Math.min(receivedBytes - this.#firstByte, this.#sentBytes));
  }

  /** What was sent need not be kept. */
  forgetSent(): void {
    this.#release(this.#sentBytes);
  }

  /**
   * Goes on with the byte after `receivedBytes` on a new connection. Without a number, as servers
   * that do not count leave it, what was sent counts as received.
   */
  resume(receivedBytes: number | undefined): void {
    if (receivedBytes === undefined) this.forgetSent();
    else {
      this.acknowledge(receivedBytes);
      this.#firstByte = receivedBytes;
    }
    this.#sendFromStart();
  }

  /** Begins a new session with what is kept, sent or not; of that with the newest `maxBytes`. */
  restart(maxBytes = Infinity): void {
    this.#release(this.#sizeBytes - maxBytes);
    this.#firstByte = 0;
    this.#sendFromStart();
  }

  /** Lets go of what is left of the oldest chunk that was not sent, or not to its end. */
  dropUnsent(): void {
    if (this.isDrained) return;
    const place = (this.#head + this.#sendIndex) % this.#ring.length;
    this.#sizeBytes -= this.chunkBytes;
    this.#ring[place] = this.#at(this.#sendIndex).subarray(0, this.#sendOffset);
    this.#sendNextChunk();
    // Nothing of it may be left, and nothing before it.
    this.#release(0);
  }

  #sendFromStart(): void {
    this.#sentBytes = this.#sendIndex = 0;
    this.#sendOffset = this.#doneBytes;
  }

  #sendNextChunk(): void {
    this.#sendIndex += 1;
    this.#sendOffset = 0;
  }

  #at(index: number): Uint8Array {
    return this.#ring[(this.#head + index) % this.#ring.length] as Uint8Array;
  }

  /** Lets go of the first bytes. A chunk is freed when all of it has gone. */
  #release(sizeBytes: number): void {
    if (sizeBytes > 0) {
      this.#firstByte += sizeBytes;
      this.#doneBytes += sizeBytes;
      this.#sizeBytes -= sizeBytes;
      this.#sentBytes = Math.max(0, this.#sentBytes - sizeBytes);
    }
    while (this.#count > 0 && this.#doneBytes >= this.#at(0).length) {
      this.#doneBytes -= this.#at(0).length;
      this.#ring[this.#head] = EMPTY;
      this.#head = (this.#head + 1) % this.#ring.length;
      this.#count -= 1;
      this.#sendIndex = Math.max(0, this.#sendIndex - 1);
    }
  }

  #grow(): void {
    const grown = new Array<Uint8Array>(this.#ring.length * 2);
    for (let index = 0; index < this.#count; index += 1) grown[index] = this.#at(index);
    this.#ring = grown;
    this.#head = 0;
  }
}

const EMPTY = new Uint8Array();

/** Speed of sending. Gateways refuse more than twice real time, after a head start; this leaves a margin. */
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

/** The pace of one stream of audio: how long it lasts, how it is cut, and how fast it may be sent. */
class AudioPace {
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

/** Speed at which the server's credit grows: a little less than twice real time, as clocks differ. */
const CREDIT_SPEED = 1.9;
const HEAD_START_MS = 1_500;
/** Servers save up no more than 30 s. */
const MAX_CREDIT_MS = 28_000;
/**
 * What the server has not heard yet may be denser than what it has: digital silence takes a tenth of
 * the bytes of speech in Opus, so the same bytes last that much longer. The margin of what has been
 * saved up does the rest.
 */
const DENSITY = 8;

/**
 * What the server still lets through of audio whose duration only it knows, seen from here: it says now
 * and then how much it has heard.
 */
class AudioCredit {
  #creditMs = HEAD_START_MS;
  #countedAtMs = Infinity;
  #heardMs = 0;

  /** A session begins: nothing of it has been sent. */
  restart(): void {
    this.#creditMs = HEAD_START_MS;
    this.#countedAtMs = Infinity;
    this.#heardMs = 0;
  }

  /** The server has heard so much of the session. */
  heard(audioMs: number, nowMs: number): void {
    this.#earn(nowMs);
    this.#creditMs -= Math.max(0, audioMs - this.#heardMs);
    this.#heardMs = Math.max(audioMs, this.#heardMs);
  }

  /** How long until so much audio may be on its way, however dense it is, in ms. */
  waitMs(unheardMs: number, nowMs: number): number {
    this.#earn(nowMs);
    return Math.max(0, (unheardMs * DENSITY - this.#creditMs) / CREDIT_SPEED);
  }

  #earn(nowMs: number): void {
    // The first call is that of the first audio.
    const passedMs = Math.max(0, nowMs - this.#countedAtMs);
    this.#creditMs = Math.min(this.#creditMs + passedMs * CREDIT_SPEED, MAX_CREDIT_MS);
    this.#countedAtMs = nowMs;
  }
}
