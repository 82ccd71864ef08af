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

const HEAD_BYTES = 25;
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
    const data = typeof piece === 'symbol' ? NOTHING : piece;
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
    entry.writeDoubleLE(fromBytes, 0);
    entry.writeDoubleLE(receivedMs, 8);
    entry.writeDoubleLE(confirmed, 16);
    entry.writeUInt8(hasEnded ? 1 : 0, 24);
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

/** Pieces as they came: `null` is a gap, nothing the end of an utterance. */
export function readAudioEntry(bytes: Buffer): AudioHead & { pieces: (Uint8Array | null)[] } {
  const pieces: (Uint8Array | null)[] = [];
  for (let at = HEAD_BYTES; at < bytes.length;) {
    const length = bytes.readUInt32LE(at);
    at += LENGTH_BYTES;
    pieces.push(length === GAP ? null : bytes.subarray(at, at + length));
    if (length !== GAP) at += length;
  }
  return {
    fromBytes: bytes.readDoubleLE(0),
    receivedMs: bytes.readDoubleLE(8),
    confirmed: bytes.readDoubleLE(16),
    hasEnded: bytes.readUInt8(24) === 1,
    pieces,
  };
}
