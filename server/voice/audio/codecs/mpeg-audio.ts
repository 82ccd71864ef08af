/**
 * MPEG audio: reads headers of Layer III (MP3; ISO 11172-3, 13818-3) and of AAC in ADTS (ISO 13818-7,
 * 6.2), and finds frames in a live stream.
 */
import { ServiceError } from '../../../../shared/errors.ts';
import {
  damageLimit,
  notMono,
  type AudioSink,
  type AudioSource,
  type TrackDecoder,
  type TrackDecoderOptions,
} from './decodable-formats.ts';

/** A frame of MP3 or of AAC in ADTS, as its header describes it. */
export interface MpegFrameHeader {
  lengthBytes: number;
  /** Samples per channel. */
  samples: number;
  sampleRateHz: number;
  /** 0 where the header does not say. */
  channels: number;
  /** Header bits that all frames of a stream share; a sync word with other bits is a coincidence. */
  kind: number;
}

/** Number of bytes needed to read a header. */
const MP3_HEADER_BYTES = 4;
export const ADTS_HEADER_BYTES = 7;
/** Size of the largest ADTS frame. */
const MAX_ADTS_FRAME_BYTES = 8191;

/** Bit rates in kbit/s by code: MPEG 1, then MPEG 2 and 2.5. Code 0, the free format, is not in use. */
const bitRates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const bitRates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const mp3RatesHz = [44_100, 48_000, 32_000];
const aacRatesHz = [
  ...[96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050],
  ...[16_000, 12_000, 11_025, 8000, 7350],
];

/** Reads the header of an MP3 frame; undefined when none begins at `start`. */
export function readMp3Header(bytes: Uint8Array, start: number): MpegFrameHeader | undefined {
  const at = (index: number) => bytes[start + index] ?? 0;
  // Eleven ones, then the version (1 is invalid) and the layer (1 is Layer III).
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

/** Reads the header of an ADTS frame; undefined when none begins at `start`. */
export function readAdtsHeader(bytes: Uint8Array, start: number): MpegFrameHeader | undefined {
  const at = (index: number) => bytes[start + index] ?? 0;
  // Twelve ones, then the layer, which is always 0.
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

/** Contents of an AudioSpecificConfig (ISO 14496-3, 1.6.2), which is CodecPrivate of AAC in Matroska. */
export interface AacConfig {
  /** Object type minus 1, as in ADTS. */
  profile: number;
  rateCode: number;
  sampleRateHz: number;
  channels: number;
}

/** @throws ServiceError audio_format_unsupported for a configuration that ADTS cannot carry */
function parseAacConfig(config: Uint8Array): AacConfig {
  const bits = ((config[0] ?? 0) << 16) | ((config[1] ?? 0) << 8) | (config[2] ?? 0);
  const objectType = bits >> 19;
  const rateCode = (bits >> 15) & 15;
  const sampleRateHz = aacRatesHz[rateCode];
  // With SBR (5) and PS (29) the core's object type follows the extension's rate; it is always AAC LC.
  const profile = objectType === 5 || objectType === 29 ? 1 : objectType - 1;
  if (config.length < 2 || sampleRateHz === undefined || profile < 0 || profile > 3) {
    throw new ServiceError(
      'audio_format_unsupported',
      'The AAC audio cannot be decoded: its AudioSpecificConfig is missing or of an unusual kind.',
    );
  }
  return { profile, rateCode, sampleRateHz, channels: (bits >> 11) & 15 };
}

/** Returns the ADTS header for an AAC packet. */
function adtsHeader({ profile, rateCode, channels }: AacConfig, packetBytes: number): Uint8Array {
  const length = ADTS_HEADER_BYTES + packetBytes;
  return Uint8Array.of(
    ...[0xff, 0xf1, (profile << 6) | (rateCode << 2) | (channels >> 2)],
    ...[((channels & 3) << 6) | (length >> 11), (length >> 3) & 0xff],
    // Buffer fullness is unspecified (all ones); one block per frame.
    ...[((length & 7) << 5) | 0x1f, 0xfc],
  );
}

// Finding frames in a stream.

/** Most bytes without a frame: several of the largest frames. */
const MAX_LOST_BYTES = 4 * MAX_ADTS_FRAME_BYTES;
/** Largest tag: cover pictures are this large; a larger size is damage or malice. */
const MAX_TAG_BYTES = 16 * 1024 * 1024;
export const ID3V2_HEADER_BYTES = 10;
const ID3V1_BYTES = 128;
const id3v2 = Buffer.from('ID3');
const id3v1 = Buffer.from('TAG');
/** An APEv2 tag: its name, version and size in 16 of the 32 bytes of its header. */
const APE_HEADER_BYTES = 32;
const APE_SIZE_BYTES = 16;
const ape = Buffer.from('APETAGEX');

const kinds = {
  mp3: {
    name: 'MP3',
    coding: 'mp3',
    headerBytes: MP3_HEADER_BYTES,
    readHeader: readMp3Header,
  },
  adts: {
    name: 'AAC',
    coding: 'aac',
    headerBytes: ADTS_HEADER_BYTES,
    readHeader: readAdtsHeader,
  },
} as const;

/** Returns the size of an ID3v2 tag from its header; undefined when none begins at `start`. */
export function id3v2TagBytes(bytes: Uint8Array, start: number): number | undefined {
  if (!id3v2.every((byte, index) => bytes[start + index] === byte)) return undefined;
  const at = (index: number) => bytes[start + index] ?? 0;
  // Seven bits per byte; ten bytes each for the header and a footer are not counted.
  const size = (at(6) << 21) | (at(7) << 14) | (at(8) << 7) | at(9);
  const footerBytes = (at(5) & 0x10) === 0 ? 0 : ID3V2_HEADER_BYTES;
  return ID3V2_HEADER_BYTES + size + footerBytes;
}

export type MpegKind = keyof typeof kinds;

/**
 * Reads frames of MP3, or of AAC in ADTS, from a live stream, each as soon as its last byte arrives. Where
 * both are possible, the first frames decide. A stream may begin in the middle of a frame and contain ID3
 * and APE tags between frames.
 *
 * Buffers at most one frame; tags are skipped without being stored.
 *
 * @throws ServiceError audio_format_unsupported, from `push`, when no frames are found
 */
export class MpegReader {
  /** The kinds of frames that the stream may hold; one after its first frame. */
  #kinds: readonly MpegKind[];
  readonly #frame: (frame: Uint8Array, header: MpegFrameHeader, kind: MpegKind) => void;
  readonly #passedOver: (sizeBytes: number) => void;
  /** Room for two frames and for the header that confirms the next. */
  readonly #bytes = new Uint8Array(4 * MAX_ADTS_FRAME_BYTES);
  #start = 0;
  #end = 0;
  #skipBytes = 0;
  /** Whether the previous frame was complete and ended where the next one begins. */
  #isInSync = false;
  #lostBytes = 0;

  /**
   * @param frame called with each frame, which is valid during the call only
   * @param passedOver called with the number of bytes of a tag that were skipped without being stored
   */
  constructor(
    possible: readonly MpegKind[],
    frame: (frame: Uint8Array, header: MpegFrameHeader, kind: MpegKind) => void,
    passedOver: (sizeBytes: number) => void = () => undefined,
  ) {
    this.#kinds = possible;
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

  /** Ends the stream: its last frame needs no following header to confirm it. */
  end(): void {
    if (this.#isInSync || this.#skipBytes > 0) return;
    for (const kind of this.#kinds) {
      const header = kinds[kind].readHeader(this.#bytes, this.#start);
      if (header?.lengthBytes === this.#end - this.#start) this.#give(header, kind);
    }
  }

  /** Handles missing bytes: continues at the next frame or at the beginning of another file. */
  resync(): void {
    this.#start = this.#end;
    this.#skipBytes = 0;
    this.#isInSync = false;
    this.#lostBytes = 0;
  }

  /** Takes one step; returns false when more bytes are needed. */
  #step(): boolean {
    const available = this.#end - this.#start;
    if (available < ID3V2_HEADER_BYTES) return false;
    const tagBytes = id3v2TagBytes(this.#bytes, this.#start);
    if (tagBytes !== undefined) {
      this.#checkedTag(tagBytes - ID3V2_HEADER_BYTES);
      return this.#skip(tagBytes);
    }
    if (this.#begins(id3v1)) return this.#skip(ID3V1_BYTES);
    if (this.#begins(ape)) return available >= APE_SIZE_BYTES && this.#skip(this.#apeTagBytes());
    // No bytes are a header of both kinds.
    const kind = this.#kinds.find((each) => kinds[each].readHeader(this.#bytes, this.#start));
    const header = kind && kinds[kind].readHeader(this.#bytes, this.#start);
    if (kind === undefined || header === undefined) return this.#lose();
    const { lengthBytes } = header;
    if (!this.#isInSync) {
      // A sync word may be a coincidence: another frame of the same kind must follow.
      if (available < lengthBytes + kinds[kind].headerBytes) return false;
      const next = kinds[kind].readHeader(this.#bytes, this.#start + lengthBytes);
      if (next?.kind !== header.kind) return this.#lose();
    }
    if (available < lengthBytes) return false;
    this.#give(header, kind);
    return true;
  }

  #give(header: MpegFrameHeader, kind: MpegKind): void {
    if (this.#kinds.length > 1) this.#kinds = [kind];
    const frame = this.#bytes.subarray(this.#start, this.#start + header.lengthBytes);
    this.#start += header.lengthBytes;
    this.#isInSync = true;
    this.#lostBytes = 0;
    this.#frame(frame, header, kind);
  }

  #begins(magic: Uint8Array): boolean {
    return magic.every((byte, index) => this.#bytes[this.#start + index] === byte);
  }

  /** Size of the APEv2 tag at `#start`; its own count leaves out the header. */
  #apeTagBytes(): number {
    const view = new DataView(this.#bytes.buffer, this.#start + APE_SIZE_BYTES - 4, 4);
    return APE_HEADER_BYTES + this.#checkedTag(view.getUint32(0, true));
  }

  #checkedTag(sizeBytes: number): number {
    if (sizeBytes > MAX_TAG_BYTES) throw this.#malformed(`it has a tag of ${sizeBytes} bytes`);
    return sizeBytes;
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
    const names = this.#kinds.map((kind) => kinds[kind].name).join(' or ');
    return new ServiceError(
      'audio_format_unsupported',
      `The audio is not a readable ${names} stream: ${problem}.`,
    );
  }

  #compact(): void {
    this.#bytes.copyWithin(0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
  }
}

/** Reads files of bare frames of one of the possible kinds. */
export function createMpegSource(possible: readonly MpegKind[], sink: AudioSink): AudioSource {
  let hasStarted = false;
  function take(frame: Uint8Array, header: MpegFrameHeader, kind: MpegKind): void {
    if (header.channels !== 1) throw notMono(kinds[kind].name, header.channels);
    if (!hasStarted) sink.startCoded(kinds[kind].coding);
    hasStarted = true;
    sink.coded(frame, (header.samples / header.sampleRateHz) * 1000);
  }
  const reader = new MpegReader(possible, take, sink.passedOver);
  return {
    push: (chunk) => reader.push(chunk),
    gap: () => reader.resync(),
    end: () => reader.end(),
    free: () => undefined,
  };
}

// Frames in packets of Matroska.

export function createMp3Track({ sink }: TrackDecoderOptions): TrackDecoder {
  const damage = damageLimit('MP3');
  sink.startCoded('mp3');
  return {
    packet(packet) {
      const header = readMp3Header(packet, 0);
      damage.count(header !== undefined);
      if (header === undefined) return;
      if (header.channels !== 1) throw notMono('MP3', header.channels);
      sink.coded(packet, (header.samples / header.sampleRateHz) * 1000);
    },
    free: () => undefined,
  };
}

/** Decodes AAC packets. FFmpeg expects ADTS, so each packet gets a header from the container's data. */
export function createAacTrack({ setup, sink }: TrackDecoderOptions): TrackDecoder {
  const config = parseAacConfig(setup);
  if (config.channels !== 1) throw notMono('AAC', config.channels);
  const durationMs = (1024 / config.sampleRateHz) * 1000;
  const damage = damageLimit('AAC');
  const frame = new Uint8Array(MAX_ADTS_FRAME_BYTES);
  sink.startCoded('aac');
  return {
    packet(packet) {
      const lengthBytes = ADTS_HEADER_BYTES + packet.length;
      const fits = packet.length > 0 && lengthBytes <= frame.length;
      damage.count(fits);
      if (!fits) return;
      frame.set(adtsHeader(config, packet.length));
      frame.set(packet, ADTS_HEADER_BYTES);
      sink.coded(frame.subarray(0, lengthBytes), durationMs);
    },
    free: () => undefined,
  };
}
