/** The head of WAV files: RIFF chunks, the last of which has the samples. */

/** What samples are; tags of mmreg.h. */
export const wavCodec = { pcm: 1, alaw: 6, ulaw: 7 } as const;
/** Another tag follows. */
const EXTENSIBLE = 0xfffe;

export interface WavFormat {
  /** One of {@link wavCodec}, or of many others. */
  codec: number;
  channels: number;
  sampleRateHz: number;
  bitsPerSample: number;
}

export interface WavHead {
  /** Undefined when the file does not say. */
  format: WavFormat | undefined;
  /** Where the samples begin, and how many bytes of them there are: Infinity when nobody knew. */
  dataStart: number;
  dataBytes: number;
}

/** Bytes before the samples of a WAV file that {@link wavHeader} writes. */
export const WAV_HEADER_BYTES = 44;
const RIFF_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
/** What `ffmpeg` and others write when they cannot go back to fill in the size. */
const UNKNOWN_SIZE = 0xffffffff;

/** Whether a file begins like WAV; false as well when there are fewer than 12 bytes of it. */
export function isWav(bytes: Uint8Array): boolean {
  return textAt(bytes, 0) === 'RIFF' && textAt(bytes, 8) === 'WAVE';
}

/** Reads the chunks before the samples; undefined when `bytes` does not reach them yet. */
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
    // Chunks begin at even places.
    at = start + sizeBytes + (sizeBytes % 2);
  }
  return undefined;
}

function readFormat(view: DataView, start: number, sizeBytes: number): WavFormat {
  const tag = view.getUint16(start, true);
  // The first two bytes of the sub-format are the tag of old.
  const isExtended = tag === EXTENSIBLE && sizeBytes >= 26 && start + 26 <= view.byteLength;
  return {
    codec: isExtended ? view.getUint16(start + 24, true) : tag,
    channels: view.getUint16(start + 2, true),
    sampleRateHz: view.getUint32(start + 4, true),
    bitsPerSample: view.getUint16(start + 14, true),
  };
}

/**
 * The head of a WAV file of s16le samples, one channel.
 *
 * @param dataBytes size of the samples; Infinity when nobody knows
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
