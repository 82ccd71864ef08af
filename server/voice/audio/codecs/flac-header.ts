/** What FLAC says about its audio (RFC 9639): STREAMINFO, the header of each frame, and their checksums. */
import { ServiceError } from '../../../../shared/errors.ts';
import { notMono } from './decodable-formats.ts';

/** Bytes of `fLaC`, the header of the first metadata block, and STREAMINFO in it. */
export const FLAC_SETUP_BYTES = 4 + 4 + 34;

export const flacMagic = Buffer.from('fLaC');

/** Rates that are recorded in practice; others would need filters of any size (9.1.2 allows 655,350 rates). */
const ratesHz: ReadonlySet<number> = new Set([
  ...[8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000],
  ...[44_100, 48_000, 64_000, 88_200, 96_000, 176_400, 192_000],
]);
/** Sample rates and sizes by their codes in frame headers; 0 stands for what STREAMINFO says. */
const rateCodes = [
  ...[0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000],
  ...[32_000, 44_100, 48_000, 96_000],
];
const sizeCodes = [0, 8, 12, undefined, 16, 20, 24, 32];

export interface FlacStreamInfo {
  sampleRateHz: number;
  bitsPerSample: number;
}

export interface FlacFrameHeader {
  /** Samples in the frame. */
  blockSamples: number;
  bitsPerSample: number;
  headerBytes: number;
}

/**
 * Reads `fLaC` and the STREAMINFO after it.
 *
 * @throws ServiceError audio_format_unsupported, audio_not_mono
 */
export function parseFlacSetup(bytes: Uint8Array): FlacStreamInfo {
  const isWhole = bytes.length >= FLAC_SETUP_BYTES && flacMagic.compare(bytes, 0, 4) === 0;
  if (!isWhole || ((bytes[4] ?? 0) & 0x7f) !== 0) {
    throw malformedFlac('STREAMINFO is missing or cut off');
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, FLAC_SETUP_BYTES);
  const fields = view.getUint32(18);
  const sampleRateHz = fields >>> 12;
  const channels = ((fields >>> 9) & 7) + 1;
  const bitsPerSample = ((fields >>> 4) & 31) + 1;
  if (channels !== 1) throw notMono('FLAC', channels);
  if (!ratesHz.has(sampleRateHz)) throw malformedFlac(`${sampleRateHz} Hz is no usual sample rate`);
  if (bitsPerSample < 4) throw malformedFlac('its samples have too few bits');
  return { sampleRateHz, bitsPerSample };
}

/**
 * Reads a frame's header at `start`; 'incomplete' when more bytes are needed, undefined when no
 * frame of this stream begins there.
 */
export function readFrameHeader(
  bytes: Uint8Array,
  start: number,
  end: number,
  info: FlacStreamInfo,
): FlacFrameHeader | 'incomplete' | undefined {
  const at = (index: number) => bytes[start + index] as number;
  const available = end - start;
  if (available > 0 && at(0) !== 0xff) return undefined;
  if (available > 1 && (at(1) & 0xfe) !== 0xf8) return undefined;
  if (available < 5) return 'incomplete';
  const [sizeCode, rateCode] = [at(2) >> 4, at(2) & 15];
  // One channel; its samples as large as code or STREAMINFO says; the last bit is reserved.
  const bits = sizeCodes[(at(3) >> 1) & 7];
  if (sizeCode === 0 || rateCode === 15 || at(3) >> 4 !== 0) return undefined;
  if (bits === undefined || (at(3) & 1) !== 0) return undefined;
  const numberBytes = codedNumberBytes(at(4));
  if (numberBytes === undefined) return undefined;
  const sizeBytes = sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0;
  const rateBytes = rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0;
  const crcAt = 4 + numberBytes + sizeBytes + rateBytes;
  if (available <= crcAt) return 'incomplete';
  if (crc8(bytes, start, start + crcAt) !== at(crcAt)) return undefined;
  const number = (index: number, length: number) =>
    length === 1 ? at(index) : (at(index) << 8) | at(index + 1);
  const rateAt = 4 + numberBytes + sizeBytes;
  const rateUnit = rateCode === 12 ? 1000 : rateCode === 14 ? 10 : 1;
  const rateHz = rateBytes > 0 ? number(rateAt, rateBytes) * rateUnit : (rateCodes[rateCode] ?? 0);
  if (rateHz !== 0 && rateHz !== info.sampleRateHz) return undefined;
  const blockSamples = sizeBytes > 0 ? number(4 + numberBytes, sizeBytes) + 1 : samplesOf(sizeCode);
  return {
    blockSamples,
    bitsPerSample: bits === 0 ? info.bitsPerSample : bits,
    headerBytes: crcAt + 1,
  };
}

/** Block sizes that have a code of their own. */
function samplesOf(sizeCode: number): number {
  if (sizeCode === 1) return 192;
  return sizeCode < 6 ? 576 << (sizeCode - 2) : 256 << (sizeCode - 8);
}

/** Bytes of a number coded as UTF-8 codes characters, but up to 36 bits. */
function codedNumberBytes(first: number): number | undefined {
  if (first < 0x80) return 1;
  const ones = Math.clz32(~(first << 24));
  return ones >= 2 && ones <= 7 ? ones : undefined;
}

const crc8Table = Uint8Array.from({ length: 256 }, (_, byte) => remainder(byte, 0x07, 8));
const crc16Table = Uint16Array.from({ length: 256 }, (_, byte) => remainder(byte << 8, 0x8005, 16));

function remainder(value: number, polynomial: number, bits: number): number {
  let rest = value;
  for (let count = 0; count < 8; count += 1) {
    rest = (rest << 1) ^ ((rest >> (bits - 1)) & 1 ? polynomial : 0);
  }
  return rest & (2 ** bits - 1);
}

function crc8(bytes: Uint8Array, start: number, end: number): number {
  let crc = 0;
  for (let index = start; index < end; index += 1) {
    crc = crc8Table[crc ^ (bytes[index] as number)] as number;
  }
  return crc;
}

/**
 * The CRC-16 of a frame with one more byte. It is 0 after the last byte of a frame, whose checksum
 * ends it, and by chance after one byte in 65,536 before.
 */
export function crc16Step(crc: number, byte: number): number {
  return ((crc << 8) & 0xffff) ^ (crc16Table[(crc >> 8) ^ byte] as number);
}

/** The CRC-16 of a whole frame: 0 when nothing in it is damaged. */
export function crc16(frame: Uint8Array): number {
  let crc = 0;
  for (const byte of frame) crc = crc16Step(crc, byte);
  return crc;
}

/** A failure of the stream, worded for whoever sends it. */
export function malformedFlac(problem: string): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    `The FLAC audio cannot be decoded: ${problem}.`,
  );
}
