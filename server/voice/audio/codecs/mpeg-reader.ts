/**
 * Reads frames of MP3, or of AAC in ADTS, out of a live stream, each as soon as its last byte is
 * there. A stream may begin in the middle of a frame, and have ID3 tags anywhere between frames.
 *
 * Bounded: one frame. Tags are skipped without being stored.
 */
import { ServiceError } from '../../../../shared/errors.ts';
import {
  ADTS_HEADER_BYTES,
  MAX_ADTS_FRAME_BYTES,
  MP3_HEADER_BYTES,
  readAdtsHeader,
  readMp3Header,
  type MpegFrameHeader,
} from './mpeg-audio.ts';

/** Bytes without a frame: some of the largest. */
const MAX_LOST_BYTES = 4 * MAX_ADTS_FRAME_BYTES;
/** Tags with cover pictures are this large; a size beyond it is damage or malice. */
const MAX_TAG_BYTES = 16 * 1024 * 1024;
const ID3V2_HEADER_BYTES = 10;
const ID3V1_BYTES = 128;
const id3v2 = Buffer.from('ID3');
const id3v1 = Buffer.from('TAG');

const kinds = {
  mp3: { name: 'MP3', headerBytes: MP3_HEADER_BYTES, readHeader: readMp3Header },
  adts: { name: 'AAC', headerBytes: ADTS_HEADER_BYTES, readHeader: readAdtsHeader },
};

/** @throws ServiceError audio_format_unsupported, from `push`, for anything that has no such frames */
export class MpegReader {
  readonly #kind: (typeof kinds)['mp3' | 'adts'];
  readonly #frame: (frame: Uint8Array, header: MpegFrameHeader) => void;
  readonly #passedOver: (sizeBytes: number) => void;
  /** Room for two frames and what one needs to know of the next. */
  readonly #bytes = new Uint8Array(4 * MAX_ADTS_FRAME_BYTES);
  #start = 0;
  #end = 0;
  #skipBytes = 0;
  /** The frame before was whole, and ended where the next one begins. */
  #isInSync = false;
  #lostBytes = 0;

  /**
   * @param frame takes each frame, valid during the call only
   * @param passedOver told how many bytes of a tag were skipped without being stored
   */
  constructor(
    kind: 'mp3' | 'adts',
    frame: (frame: Uint8Array, header: MpegFrameHeader) => void,
    passedOver: (sizeBytes: number) => void = () => undefined,
  ) {
    this.#kind = kinds[kind];
    this.#frame = frame;
    this.#passedOver = passedOver;
  }

  push(chunk: Uint8Array): void {
    let offset = 0;
    while (offset < chunk.length) {
      const skipped = Math.min(this.#skipBytes, chunk.length - offset);
      this.#skipBytes -= skipped;
      if (skipped > 0) this.#passedOver(skipped);
      offset += skipped;
      if (this.#start > 0) this.#compact();
      const piece = chunk.subarray(offset, offset + this.#bytes.length - this.#end);
      this.#bytes.set(piece, this.#end);
      this.#end += piece.length;
      offset += piece.length;
      while (this.#skipBytes === 0 && this.#step());
    }
  }

  /** Nothing follows: a last frame needs none behind it to be one. */
  end(): void {
    if (this.#isInSync || this.#skipBytes > 0) return;
    const header = this.#kind.readHeader(this.#bytes, this.#start);
    if (header?.lengthBytes === this.#end - this.#start) this.#give(header);
  }

  /** Bytes are missing: goes on at the next frame, or at the beginning of another file. */
  resync(): void {
    this.#start = this.#end;
    this.#skipBytes = 0;
    this.#isInSync = false;
    this.#lostBytes = 0;
  }

  /** Takes one step forward; false when more bytes are needed. */
  #step(): boolean {
    const available = this.#end - this.#start;
    if (available < ID3V2_HEADER_BYTES) return false;
    if (this.#begins(id3v2)) return this.#skip(this.#tagBytes());
    if (this.#begins(id3v1)) return this.#skip(ID3V1_BYTES);
    const header = this.#kind.readHeader(this.#bytes, this.#start);
    if (header === undefined) return this.#lose();
    const { lengthBytes } = header;
    if (!this.#isInSync) {
      // A sync word may be chance: where the frame ends, another of the kind has to begin.
      if (available < lengthBytes + this.#kind.headerBytes) return false;
      const next = this.#kind.readHeader(this.#bytes, this.#start + lengthBytes);
      if (next?.kind !== header.kind) return this.#lose();
    }
    if (available < lengthBytes) return false;
    this.#give(header);
    return true;
  }

  #give(header: MpegFrameHeader): void {
    const frame = this.#bytes.subarray(this.#start, this.#start + header.lengthBytes);
    this.#start += header.lengthBytes;
    this.#isInSync = true;
    this.#lostBytes = 0;
    this.#frame(frame, header);
  }

  #begins(magic: Uint8Array): boolean {
    return magic.every((byte, index) => this.#bytes[this.#start + index] === byte);
  }

  /** Bytes of the ID3v2 tag at `#start`: seven bits a byte, and twenty for header and footer. */
  #tagBytes(): number {
    const at = (index: number) => this.#bytes[this.#start + index] as number;
    const size = (at(6) << 21) | (at(7) << 14) | (at(8) << 7) | at(9);
    const footerBytes = (at(5) & 0x10) === 0 ? 0 : ID3V2_HEADER_BYTES;
    if (size > MAX_TAG_BYTES) throw this.#malformed(`it has a tag of ${size} bytes`);
    return ID3V2_HEADER_BYTES + size + footerBytes;
  }

  #skip(sizeBytes: number): boolean {
    const there = Math.min(sizeBytes, this.#end - this.#start);
    this.#start += there;
    this.#skipBytes = sizeBytes - there;
    return this.#skipBytes === 0;
  }

  #lose(): boolean {
    this.#isInSync = false;
    this.#start += 1;
    this.#lostBytes += 1;
    if (this.#lostBytes > MAX_LOST_BYTES) throw this.#malformed('no frames could be found');
    return true;
  }

  #malformed(problem: string): ServiceError {
    return new ServiceError(
      'audio_format_unsupported',
      `The audio is not a readable ${this.#kind.name} stream: ${problem}.`,
    );
  }

  #compact(): void {
    this.#bytes.copyWithin(0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
  }
}
