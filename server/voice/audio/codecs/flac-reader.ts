/**
 * Reads frames from a live stream of native FLAC (RFC 9639), each as soon as its last byte arrives.
 * Frames do not state their length: instead of waiting for the next one to begin, the reader tries to
 * decode a frame wherever its checksum matches.
 *
 * Buffers at most one frame, as large as its header permits; metadata other than STREAMINFO is skipped
 * unread. Damage costs only the frames it hits.
 */
import { ServiceError } from '../../../../shared/errors.ts';
import { crc16, crc16Step, crc8 } from './checksums.ts';
import {
  damageLimit,
  notMono,
  type AudioSink,
  type AudioSource,
  type TrackDecoder,
  type TrackDecoderOptions,
} from './decodable-formats.ts';
import { decodeFlacFrame, type FlacFrameHeader } from './flac-frame.ts';

/** Size of `fLaC`, the header of the first metadata block, and the STREAMINFO in it. */
const FLAC_SETUP_BYTES = 4 + 4 + 34;
const flacMagic = Buffer.from('fLaC');
const MAX_METADATA_BYTES = 16 * 1024 * 1024;
/** Most coincidental checksum matches per frame; one is rare. Crafted streams with more are given up. */
const MAX_ATTEMPTS = 16;
/** Most damaged frames in a row. */
const MAX_FAILURES = 10;
/** Most bytes without a frame; the largest frames of one channel have this size. */
const MAX_LOST_BYTES = 512 * 1024;

/** Most bytes of a frame besides samples and header: 32 coefficients of 15 bits, and smaller fields. */
const MOST_EXTRA_BYTES = 72;

/** Takes samples of 16 bits, valid during the call only. */
type TakeFlacSamples = (samples: Int16Array, sampleRateHz: number) => void;

/** @throws ServiceError audio_format_unsupported and audio_not_mono, from `push` */
export class FlacReader {
  readonly #take: TakeFlacSamples;
  readonly #passedOver: (sizeBytes: number) => void;
  #info: FlacStreamInfo | undefined;
  /** Unprocessed bytes, from `#start` to before `#end`. */
  #bytes = new Uint8Array(16 * 1024);
  #start = 0;
  #end = 0;
  /** Remaining bytes of a metadata block to skip. */
  #skipBytes = 0;
  #metadataBytes = 0;
  #isInMetadata = false;
  /** The frame that begins at `#start`, its checksum so far, and the position that this has reached. */
  #frame: FlacFrameHeader | undefined;
  #summed = 0;
  #crc = 0;
  #attempts = 0;
  #failures = 0;
  #lostBytes = 0;

  /** @param passedOver called with the number of bytes of metadata that were skipped without being stored */
  constructor(take: TakeFlacSamples, passedOver: (sizeBytes: number) => void = () => undefined) {
    this.#take = take;
    this.#passedOver = passedOver;
  }

  /** Number of bytes held between chunks. */
  get heldBytes(): number {
    return this.#bytes.length;
  }

  push(chunk: Uint8Array): void {
    const skipped = Math.min(this.#skipBytes, chunk.length);
    this.#skipBytes -= skipped;
    if (skipped > 0) this.#passedOver(skipped);
    this.#append(chunk.subarray(skipped));
    while (this.#skipBytes === 0 && this.#step());
    // Compact only when half of the buffer is processed, so that bytes are seldom moved.
    if (this.#start * 2 > this.#bytes.length || this.#start === this.#end) this.#compact();
  }

  /** Handles missing bytes: continues at the next frame or at the beginning of another file. */
  resync(): void {
    this.#start = this.#end;
    this.#skipBytes = 0;
    this.#isInMetadata = false;
    this.#frame = undefined;
    this.#failures = 0;
    this.#lostBytes = 0;
  }

  /** Takes one step; returns false when more bytes are needed. */
  #step(): boolean {
    if (this.#isInMetadata) return this.#skipMetadata();
    if (this.#frame !== undefined)
      return this.#readFrame(this.#frame, this.#info as FlacStreamInfo);
    return this.#findFrame();
  }

  /** Looks for a frame, or for the beginning of a file, at `#start`. */
  #findFrame(): boolean {
    if (this.#end === this.#start) return false;
    const byte = this.#bytes[this.#start];
    if (byte === flacMagic[0]) return this.#readSetup();
    const header =
      this.#info === undefined
        ? undefined
        : readFrameHeader(this.#bytes, this.#start, this.#end, this.#info);
    if (header === 'incomplete') return false;
    if (header === undefined) return this.#lose(1);
    this.#frame = header;
    this.#summed = this.#start;
    this.#crc = 0;
    this.#attempts = 0;
    return true;
  }

  #readSetup(): boolean {
    const available = Math.min(this.#end - this.#start, flacMagic.length);
    const isMagic =
      flacMagic.compare(this.#bytes, this.#start, this.#start + available, 0, available) === 0;
    if (!isMagic) return this.#lose(1);
    const setup = this.#bytes.subarray(this.#start, this.#end);
    if (setup.length < FLAC_SETUP_BYTES) return false;
    this.#info = parseFlacSetup(setup);
    this.#start += FLAC_SETUP_BYTES;
    this.#lostBytes = 0;
    this.#metadataBytes = 0;
    // The highest bit of a block's type marks the last one.
    this.#isInMetadata = ((setup[4] ?? 0) & 0x80) === 0;
    return true;
  }

  #skipMetadata(): boolean {
    if (this.#end - this.#start < 4) return false;
    const at = (index: number) => this.#bytes[this.#start + index] as number;
    const sizeBytes = (at(1) << 16) | (at(2) << 8) | at(3);
    this.#isInMetadata = at(0) < 0x80;
    this.#metadataBytes += 4 + sizeBytes;
    if (this.#metadataBytes > MAX_METADATA_BYTES) {
      throw malformedFlac(`it has more than ${MAX_METADATA_BYTES} bytes of metadata`);
    }
    const there = Math.min(sizeBytes, this.#end - this.#start - 4);
    this.#start += 4 + there;
    this.#skipBytes = sizeBytes - there;
    return this.#skipBytes === 0;
  }

  /** Advances the checksum to the end of the frame or of the available bytes. */
  #readFrame(frame: FlacFrameHeader, { sampleRateHz }: FlacStreamInfo): boolean {
    const bytes = this.#bytes;
    // No sensible encoder writes more than the uncompressed samples.
    const sampleBytes = Math.ceil((frame.blockSamples * (frame.bitsPerSample + 1)) / 8);
    const mostBytes = frame.headerBytes + MOST_EXTRA_BYTES + sampleBytes;
    const stop = Math.min(this.#end, this.#start + mostBytes);
    let crc = this.#crc;
    for (let index = this.#summed; index < stop; index += 1) {
      crc = crc16Step(crc, bytes[index] as number);
      if (crc !== 0 || index < this.#start + frame.headerBytes + 2) continue;
      this.#attempts += 1;
      const samples = decodeFlacFrame(bytes, this.#start, index + 1, frame);
      if (samples !== undefined) {
        this.#frame = undefined;
        this.#start = index + 1;
        this.#failures = 0;
        this.#lostBytes = 0;
        this.#take(samples, sampleRateHz);
        return true;
      }
      if (this.#attempts >= MAX_ATTEMPTS) return this.#giveUpFrame();
    }
    this.#crc = crc;
    this.#summed = stop;
    return stop - this.#start < mostBytes ? false : this.#giveUpFrame();
  }

  #giveUpFrame(): boolean {
    this.#frame = undefined;
    this.#failures += 1;
    if (this.#failures > MAX_FAILURES) {
      throw malformedFlac(`more than ${MAX_FAILURES} frames in a row are damaged`);
    }
    return this.#lose(1);
  }

  #lose(count: number): boolean {
    if (this.#info === undefined && this.#lostBytes === 0) {
      throw malformedFlac('it does not begin with fLaC');
    }
    this.#start += count;
    this.#lostBytes += count;
    if (this.#lostBytes > MAX_LOST_BYTES) throw malformedFlac('no frame could be found');
    return true;
  }

  #append(piece: Uint8Array): void {
    if (this.#end + piece.length > this.#bytes.length) {
      this.#compact();
      const length = this.#end + piece.length;
      if (length > this.#bytes.length) {
        const larger = new Uint8Array(2 * length);
        larger.set(this.#bytes.subarray(0, this.#end));
        this.#bytes = larger;
      }
    }
    this.#bytes.set(piece, this.#end);
    this.#end += piece.length;
  }

  #compact(): void {
    this.#bytes.copyWithin(0, this.#start, this.#end);
    this.#summed -= this.#start;
    this.#end -= this.#start;
    this.#start = 0;
  }
}

/** Reads a FLAC file. */
export function createFlacSource(sink: AudioSink): AudioSource {
  const reader = new FlacReader(
    (samples, sampleRateHz) => sink.samples(samples, sampleRateHz),
    sink.passedOver,
  );
  return {
    push: (chunk) => reader.push(chunk),
    gap: () => reader.resync(),
    end: () => undefined,
    free: () => undefined,
  };
}

/** Decodes FLAC frames in packets of Ogg or Matroska. */
export function createFlacTrack({ setup, sink }: TrackDecoderOptions): TrackDecoder {
  const info = parseFlacSetup(setup);
  const damage = damageLimit('FLAC');
  return {
    packet(packet) {
      // Ogg has metadata packets before the audio; frames begin with 0xff.
      if (packet[0] !== 0xff) return;
      const header = readFrameHeader(packet, 0, packet.length, info);
      const isWhole = header !== undefined && header !== 'incomplete' && crc16(packet) === 0;
      const samples = isWhole ? decodeFlacFrame(packet, 0, packet.length, header) : undefined;
      damage.count(samples !== undefined);
      if (samples !== undefined) sink.samples(samples, info.sampleRateHz);
    },
    free: () => undefined,
  };
}

// STREAMINFO and frame headers.

/** Sample rates in practical use; others would need filters of any size (9.1.2 allows 655,350 rates). */
const ratesHz: ReadonlySet<number> = new Set([
  ...[8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000],
  ...[44_100, 48_000, 64_000, 88_200, 96_000, 176_400, 192_000],
]);
/** Sample rates and sample sizes by their codes in frame headers; 0 refers to STREAMINFO. */
const rateCodes = [
  ...[0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000],
  ...[32_000, 44_100, 48_000, 96_000],
];
const sizeCodes = [0, 8, 12, undefined, 16, 20, 24, 32];

interface FlacStreamInfo {
  sampleRateHz: number;
  bitsPerSample: number;
}

/**
 * Reads `fLaC` and the STREAMINFO after it.
 *
 * @throws ServiceError audio_format_unsupported, audio_not_mono
 */
function parseFlacSetup(bytes: Uint8Array): FlacStreamInfo {
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
 * Reads a frame header at `start`; returns 'incomplete' when more bytes are needed, and undefined when no
 * frame of this stream begins there.
 */
function readFrameHeader(
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
  // One channel; sample size by code or from STREAMINFO; the last bit is reserved.
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

/** Returns the block size of a code. */
function samplesOf(sizeCode: number): number {
  if (sizeCode === 1) return 192;
  return sizeCode < 6 ? 576 << (sizeCode - 2) : 256 << (sizeCode - 8);
}

/** Returns the length of a number that is coded like UTF-8, extended to 36 bits. */
function codedNumberBytes(first: number): number | undefined {
  if (first < 0x80) return 1;
  const ones = Math.clz32(~(first << 24));
  return ones >= 2 && ones <= 7 ? ones : undefined;
}

/** Returns an error in words meant for the sender of the stream. */
function malformedFlac(problem: string): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    `The FLAC audio cannot be decoded: ${problem}.`,
  );
}
