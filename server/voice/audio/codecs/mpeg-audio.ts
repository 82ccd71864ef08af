/** Headers of MPEG audio frames: Layer III (MP3; ISO 11172-3, 13818-3), and AAC in ADTS (ISO 13818-7, 6.2). */
import { ServiceError } from '../../../../shared/errors.ts';

/** A frame of MP3 or of AAC in ADTS, as its header tells it. */
export interface MpegFrameHeader {
  lengthBytes: number;
  /** Samples per channel. */
  samples: number;
  sampleRateHz: number;
  /** 0 where the header does not tell. */
  channels: number;
  /** What all frames of a stream have in common; a sync word with another one is chance. */
  kind: number;
}

/** Bytes that have to be there to read the header. */
export const MP3_HEADER_BYTES = 4;
export const ADTS_HEADER_BYTES = 7;
/** The largest frame ADTS has room for. */
export const MAX_ADTS_FRAME_BYTES = 8191;

/** kbit/s by code: MPEG 1, then MPEG 2 and 2.5. 0, the free format, has no use in practice. */
const bitRates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const bitRates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const mp3RatesHz = [44_100, 48_000, 32_000];
const aacRatesHz = [
  ...[96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050],
  ...[16_000, 12_000, 11_025, 8000, 7350],
];

/** Reads the header of an MP3 frame; undefined when none is there. */
export function readMp3Header(bytes: Uint8Array, start: number): MpegFrameHeader | undefined {
  const at = (index: number) => bytes[start + index] ?? 0;
  // Eleven ones; then version (1 is none), and layer (1 is Layer III).
  if (at(0) !== 0xff || (at(1) & 0xe0) !== 0xe0) return undefined;
  const version = (at(1) >> 3) & 3;
  if (version === 1 || ((at(1) >> 1) & 3) !== 1) return undefined;
  const isVersion1 = version === 3;
  const kbps = (isVersion1 ? bitRates1 : bitRates2)[at(2) >> 4];
  const fullRateHz = mp3RatesHz[(at(2) >> 2) & 3];
  if (kbps === undefined || kbps === 0 || fullRateHz === undefined) return undefined;
  const sampleRateHz = fullRateHz / (isVersion1 ? 1 : version === 2 ? 2 : 4);
  const samples = isVersion1 ? 1152 : 576;
  const padding = (at(2) >> 1) & 1;
  return {
    lengthBytes: Math.floor((samples * kbps * 125) / sampleRateHz) + padding,
    samples,
    sampleRateHz,
    channels: at(3) >> 6 === 3 ? 1 : 2,
    kind: (version << 2) | ((at(2) >> 2) & 3),
  };
}

/** Reads the header of an ADTS frame; undefined when none is there. */
export function readAdtsHeader(bytes: Uint8Array, start: number): MpegFrameHeader | undefined {
  const at = (index: number) => bytes[start + index] ?? 0;
  // Twelve ones, then the layer, which is 0.
  if (at(0) !== 0xff || (at(1) & 0xf6) !== 0xf0) return undefined;
  const sampleRateHz = aacRatesHz[(at(2) >> 2) & 15];
  const lengthBytes = ((at(3) & 3) << 11) | (at(4) << 3) | (at(5) >> 5);
  if (sampleRateHz === undefined || lengthBytes < ADTS_HEADER_BYTES) return undefined;
  const blocks = (at(6) & 3) + 1;
  return {
    lengthBytes,
    samples: 1024 * blocks,
    sampleRateHz,
    channels: ((at(2) & 1) << 2) | (at(3) >> 6),
    kind: at(2) >> 2,
  };
}

/** What an AudioSpecificConfig (ISO 14496-3, 1.6.2) says; CodecPrivate of AAC in Matroska. */
export interface AacConfig {
  /** Object type less 1, as ADTS has it. */
  profile: number;
  rateCode: number;
  sampleRateHz: number;
  channels: number;
}

/** @throws ServiceError audio_format_unsupported when it is of a kind that ADTS cannot carry */
export function parseAacConfig(config: Uint8Array): AacConfig {
  const bits = ((config[0] ?? 0) << 16) | ((config[1] ?? 0) << 8) | (config[2] ?? 0);
  const objectType = bits >> 19;
  const rateCode = (bits >> 15) & 15;
  const sampleRateHz = aacRatesHz[rateCode];
  // With SBR (5) and PS (29) the core comes after the rate of the extension: always AAC LC.
  const profile = objectType === 5 || objectType === 29 ? 1 : objectType - 1;
  if (config.length < 2 || sampleRateHz === undefined || profile < 0 || profile > 3) {
    throw new ServiceError(
      'audio_format_unsupported',
      'The AAC audio cannot be decoded: its AudioSpecificConfig is missing or of an unusual kind.',
    );
  }
  return { profile, rateCode, sampleRateHz, channels: (bits >> 11) & 15 };
}

/** The ADTS header in front of an AAC packet. */
export function adtsHeader(
  { profile, rateCode, channels }: AacConfig,
  packetBytes: number,
): Uint8Array {
  const length = ADTS_HEADER_BYTES + packetBytes;
  return Uint8Array.of(
    ...[0xff, 0xf1, (profile << 6) | (rateCode << 2) | (channels >> 2)],
    ...[((channels & 3) << 6) | (length >> 11), (length >> 3) & 0xff],
    // The buffer's fullness is not told (all ones); one block a frame.
    ...[((length & 7) << 5) | 0x1f, 0xfc],
  );
}
