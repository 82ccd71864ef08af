/**
 * Audio of a session as the broker has it: bytes as they came, each piece behind its length, behind a small
 * head. They are written where they come, so that nothing is gathered and copied when they go.
 */
import { MEDIA_GAP, type MediaPiece } from '../audio/media.ts';

/** What is known of the audio that came together. */
export interface AudioHead {
  /** Bytes of the session before it. */
  fromBytes: number;
  /** Audio of the session up to its end. */
  receivedMs: number;
  /** Sequence of the last message that its client had by then. */
  confirmed: number;
  /** No more follows. */
  hasEnded: boolean;
}

/** In the first byte, which was 0 or more than 127 before there were versions. */
const VERSION = 1;
const HEAD_BYTES = 26;
const LENGTH_BYTES = 4;
/** Instead of a length. */
const GAP = 0xffff_ffff;
const NOTHING = Buffer.alloc(0);
/** A buffer of more, as is needed after a while without the broker, is not kept. */
const MOST_SPARE_BYTES = 128 * 1024;

/**
 * What comes, until it goes to the broker. Its buffers, one that is filled and one on its way, are used again
 * and again: thousands of new ones a second would have V8 collect garbage all the time.
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

  /** What came since it was taken the last time: not touched any more before it is {@link givenBack}. */
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

/** Audio that came together. */
export interface AudioEntry extends AudioHead {
  /** As they came: `null` is a gap, nothing the end of an utterance. */
  pieces: (Uint8Array | null)[];
}

/** @returns undefined for an entry that another version of the server has written in another way */
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
