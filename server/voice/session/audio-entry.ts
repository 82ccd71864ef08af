/**
 * Binary format of audio in the broker: a fixed head, followed by the original pieces, each with a length
 * prefix. Pieces are written into place as they arrive, so that flushing needs no copy.
 */
import { MEDIA_GAP, type MediaPiece } from '../audio/media.ts';

/** Describes the audio of one entry. */
export interface AudioHead {
  /** Bytes of the session before this entry. */
  fromBytes: number;
  /** Duration of the session's audio up to the end of this entry, in ms. */
  receivedMs: number;
  /** Sequence of the last message that the client had confirmed by then. */
  confirmed: number;
  /** Whether the audio ends with this entry. */
  hasEnded: boolean;
}

/** First byte of an entry. Before there were versions, this byte was 0 or more than 127. */
const VERSION = 1;
const HEAD_BYTES = 26;
const LENGTH_BYTES = 4;
/** Marks a gap, in place of a length. */
const GAP = 0xffff_ffff;
const NOTHING = Buffer.alloc(0);
/** Largest buffer to reuse, in bytes. Larger ones, needed after a broker outage, are discarded. */
const MOST_SPARE_BYTES = 128 * 1024;

/**
 * Collects audio until it is sent to the broker. Two buffers, one being filled and one in flight, are
 * reused: allocating thousands a second would keep V8 collecting garbage.
 */
export class AudioIntake {
  #bytes: Buffer = NOTHING;
  #endBytes = HEAD_BYTES;
  #spare: Buffer = NOTHING;
  #taken: Buffer = NOTHING;

  get isEmpty(): boolean {
    return this.#endBytes === HEAD_BYTES;
  }

  add(piece: MediaPiece): void {
    const data = piece instanceof Uint8Array ? piece : NOTHING;
    const at = this.#endBytes;
    this.#endBytes = at + LENGTH_BYTES + data.length;
    if (this.#endBytes > this.#bytes.length) this.#grow(at);
    this.#bytes.writeUInt32LE(piece === MEDIA_GAP ? GAP : data.length, at);
    this.#bytes.set(data, at + LENGTH_BYTES);
  }

  /** Returns the entry collected since the last call; it stays unchanged until {@link givenBack}. */
  take({ fromBytes, receivedMs, confirmed, hasEnded }: AudioHead): Buffer {
    if (this.#bytes.length < HEAD_BYTES) this.#grow(0);
    const entry = this.#bytes.subarray(0, this.#endBytes);
    entry.writeUInt8(VERSION, 0);
    entry.writeDoubleLE(fromBytes, 1);
    entry.writeDoubleLE(receivedMs, 9);
    entry.writeDoubleLE(confirmed, 17);
    entry.writeUInt8(hasEnded ? 1 : 0, 25);
    this.#taken = this.#bytes;
    this.#bytes = this.#spare;
    this.#spare = NOTHING;
    this.clear();
    return entry;
  }

  givenBack(): void {
    if (this.#taken.length <= MOST_SPARE_BYTES) this.#spare = this.#taken;
    this.#taken = NOTHING;
  }

  clear(): void {
    this.#endBytes = HEAD_BYTES;
    if (this.#bytes.length > MOST_SPARE_BYTES) this.#bytes = NOTHING;
  }

  #grow(usedBytes: number): void {
    const before = this.#bytes;
    const ampleBytes = Math.ceil(Math.max(this.#endBytes, before.length * 1.5));
    this.#bytes = Buffer.allocUnsafeSlow(ampleBytes);
    before.copy(this.#bytes, 0, 0, usedBytes);
  }
}

/** One entry of audio. */
export interface AudioEntry extends AudioHead {
  /** Pieces as received: `null` is a gap, an empty piece the end of an utterance. */
  pieces: (Uint8Array | null)[];
}

/** @returns undefined for an entry in the format of another server version */
export function readAudioEntry(bytes: Buffer): AudioEntry | undefined {
  if (bytes[0] !== VERSION || bytes.length < HEAD_BYTES) return undefined;
  const pieces: (Uint8Array | null)[] = [];
  for (let at = HEAD_BYTES; at < bytes.length;) {
    const length = bytes.readUInt32LE(at);
    at += LENGTH_BYTES;
    pieces.push(length === GAP ? null : bytes.subarray(at, at + length));
    if (length !== GAP) at += length;
  }
  return {
    fromBytes: bytes.readDoubleLE(1),
    receivedMs: bytes.readDoubleLE(9),
    confirmed: bytes.readDoubleLE(17),
    hasEnded: bytes.readUInt8(25) === 1,
    pieces,
  };
}
