/** Reads WAV as speech engines stream it: s16le, one channel, with incorrect sizes in the header. */
import { ServiceError } from '../../../shared/errors.ts';
import { isWav, readWavHead, wavCodec } from '../../../shared/wav.ts';
import type { SpokenSamples } from '../engine.ts';

/** Number of bytes that tell whether a response is a RIFF file. */
const RIFF_BYTES = 12;
/** Limit of the header length. */
const MAX_HEADER_BYTES = 65_536;
/** Name of a chunk that may follow the samples, such as `LIST` or `id3 `; another file does not end them. */
const CHUNK_NAME = /^(?!RIFF)[A-Za-z_][\w ]{3}$/;
const NAME_BYTES = 4;

export class WavReader {
  #rest = Buffer.alloc(0) as Buffer;
  #sampleRateHz: number | undefined;
  /** Bytes of samples up to the end that the header states. */
  #leftBytes = Infinity;
  #isOver = false;

  /**
   * Takes bytes split at any position and returns the samples in them, in newly allocated memory.
   *
   * @throws ServiceError synthesis_failed for anything but single-channel s16le
   */
  push(chunk: Uint8Array): SpokenSamples | undefined {
    if (this.#isOver) return undefined;
    this.#rest = Buffer.concat([this.#rest, chunk]);
    this.#sampleRateHz ??= this.#readHeader();
    if (this.#sampleRateHz === undefined) return undefined;
    const { samples } = wholeSamples(this.#rest.subarray(0, this.#samplesEnd()));
    this.#rest = this.#rest.subarray(2 * samples.length);
    this.#leftBytes -= 2 * samples.length;
    return samples.length === 0 ? undefined : { samples, sampleRateHz: this.#sampleRateHz };
  }

  /** Returns where the samples in the rest end: before a chunk in the place where they are said to end. */
  #samplesEnd(): number {
    const bytes = this.#rest;
    const statedEnd = this.#leftBytes;
    if (bytes.length < statedEnd + NAME_BYTES) return Math.min(bytes.length, statedEnd);
    this.#isOver = CHUNK_NAME.test(bytes.toString('latin1', statedEnd, statedEnd + NAME_BYTES));
    if (this.#isOver) return statedEnd;
    // The size in the header is incorrect.
    this.#leftBytes = Infinity;
    return bytes.length;
  }

  #readHeader(): number | undefined {
    const bytes = this.#rest;
    if (bytes.length < RIFF_BYTES) return undefined;
    if (!isWav(bytes)) throw notReadable();
    const head = readWavHead(bytes);
    if (head === undefined && bytes.length > MAX_HEADER_BYTES) throw notReadable();
    if (head === undefined) return undefined;
    const { format, dataStart, dataBytes } = head;
    const isReadable =
      format?.codec === wavCodec.pcm && format.channels === 1 && format.bitsPerSample === 16;
    if (!isReadable) throw notReadable();
    this.#rest = bytes.subarray(dataStart);
    this.#leftBytes = dataBytes - (dataBytes % 2 || 0);
    return format.sampleRateHz;
  }
}

/** Reads samples from bytes that may end within a sample; little endian, whatever the machine. */
export function wholeSamples(bytes: Buffer): { samples: Int16Array; rest: Buffer } {
  const samples = new Int16Array(bytes.length >> 1);
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = bytes.readInt16LE(2 * index);
  }
  return { samples, rest: bytes.subarray(2 * samples.length) };
}

function notReadable(): ServiceError {
  return new ServiceError(
    'synthesis_failed',
    'The speech engine gave something else than samples of 16 bits and one channel.',
  );
}
