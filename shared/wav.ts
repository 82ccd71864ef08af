/** WAV headers: RIFF chunks, of which the last contains the samples. */

/** Sample encodings; tags of mmreg.h. */
export const wavCodec = { pcm: 1, alaw: 6, ulaw: 7 } as const;
/** Tag of the extensible format, in which another tag follows. */
const EXTENSIBLE = 0xfffe;

export interface WavFormat {
  /** One of {@link wavCodec}, or any other tag. */
  codec: number;
  channels: number;
  sampleRateHz: number;
  bitsPerSample: number;
}

export interface WavHead {
  /** Undefined if the file has no format chunk. */
  format: WavFormat | undefined;
  /** Offset and size of the samples in bytes; the size is Infinity when unknown. */
  dataStart: number;
  dataBytes: number;
}

/** Size of the header that {@link wavHeader} writes, in bytes. */
export const WAV_HEADER_BYTES = 44;
const RIFF_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
/** Size written by `ffmpeg` and others that cannot seek back to fill it in. */
const UNKNOWN_SIZE = 0xffffffff;

/** Whether a file begins like WAV; also false when fewer than 12 bytes are given. */
export function isWav(bytes: Uint8Array): boolean {
  return textAt(bytes, 0) === 'RIFF' && textAt(bytes, 8) === 'WAVE';
}

/** Parses the chunks before the samples; undefined if `bytes` does not reach them yet. */
export function readWavHead(bytes: Uint8Array): WavHead | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: WavFormat | undefined;
  for (let at = RIFF_BYTES; at + CHUNK_HEADER_BYTES <= bytes.length;) {
    const name = textAt(bytes, at);
    const sizeBytes = view.getUint32(at + 4, true);
    const start = at + CHUNK_HEADER_BYTES;
    if (name === 'data') {
      const isUnknown = sizeBytes === UNKNOWN_SIZE || sizeBytes === 0;
      return { format, dataStart: start, dataBytes: isUnknown ? Infinity : sizeBytes };
    }
    if (name === 'fmt ' && start + 16 <= bytes.length) format = readFormat(view, start, sizeBytes);
    // Chunks are aligned to even offsets.
    at = start + sizeBytes + (sizeBytes % 2);
  }
  return undefined;
}

function readFormat(view: DataView, start: number, sizeBytes: number): WavFormat {
  const tag = view.getUint16(start, true);
  // The first two bytes of the sub-format are the classic tag.
  const isExtended = tag === EXTENSIBLE && sizeBytes >= 26 && start + 26 <= view.byteLength;
  return {
    codec: isExtended ? view.getUint16(start + 24, true) : tag,
    channels: view.getUint16(start + 2, true),
    sampleRateHz: view.getUint32(start + 4, true),
    bitsPerSample: view.getUint16(start + 14, true),
  };
}

/**
 * Builds the header of a WAV file of s16le samples, one channel.
 *
 * @param dataBytes size of the samples; Infinity when unknown
 */
export function wavHeader({
  sampleRateHz,
  dataBytes,
}: {
  sampleRateHz: number;
  dataBytes: number;
}): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(WAV_HEADER_BYTES);
  const view = new DataView(header.buffer);
  writeText(header, 0, 'RIFF');
  view.setUint32(4, Math.min(WAV_HEADER_BYTES - 8 + dataBytes, UNKNOWN_SIZE), true);
  writeText(header, 8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, wavCodec.pcm, true);
  view.setUint16(22, 1, true); // channels
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  writeText(header, 36, 'data');
  view.setUint32(40, Math.min(dataBytes, UNKNOWN_SIZE), true);
  return header;
}

function textAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

function writeText(bytes: Uint8Array, at: number, text: string): void {
  for (let index = 0; index < text.length; index += 1) bytes[at + index] = text.charCodeAt(index);
}
