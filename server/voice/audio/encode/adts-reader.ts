/** Cuts a stream of AAC into its ADTS frames (ISO/IEC 13818-7, 6.2). */

const HEADER_BYTES = 7;

export class AdtsReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The frames that are complete. Throws RangeError for anything else than ADTS. */
  push(chunk: Buffer): Buffer[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: Buffer[] = [];
    let offset = 0;
    while (this.#rest.length - offset >= HEADER_BYTES) {
      const sizeBytes = frameBytes(this.#rest, offset);
      if (this.#rest.length - offset < sizeBytes) break;
      frames.push(this.#rest.subarray(offset, (offset += sizeBytes)));
    }
    this.#rest = this.#rest.subarray(offset);
    return frames;
  }

  /** Whether nothing is left of a frame. */
  get isAtEnd(): boolean {
    return this.#rest.length === 0;
  }
}

/** A frame without its header, as other containers want it; what we read has no checksums. */
export function withoutAdtsHeader(frame: Uint8Array): Uint8Array {
  return frame.subarray(HEADER_BYTES);
}

function frameBytes(bytes: Buffer, offset: number): number {
  // Twelve ones; then, of MPEG-4 or MPEG-2, layer 0 and no checksum.
  if ((bytes.readUInt16BE(offset) & 0xfff7) !== 0xfff1) throw new RangeError('No frame is here.');
  const sizeBytes = (bytes.readUIntBE(offset + 3, 3) >> 5) & 0x1fff;
  if (sizeBytes < HEADER_BYTES) throw new RangeError('A frame cannot be so short.');
  return sizeBytes;
}
