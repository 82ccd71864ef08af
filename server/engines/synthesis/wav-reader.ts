/** Reads WAV as speech engines stream it: s16le, one channel, with sizes in the header that are not true. */
import { ServiceError } from '../../../shared/errors.ts';
import { isWav, readWavHead, wavCodec } from '../../../shared/wav.ts';
import type { SpokenSamples } from '../engine.ts';

/** As many as show whether it is one. */
const RIFF_BYTES = 12;
/** A header that is longer than this is none. */
const MAX_HEADER_BYTES = 65_536;

export class WavReader {
  #rest = Buffer.alloc(0) as Buffer;
  #sampleRateHz: number | undefined;

  /**
   * Takes bytes cut anywhere; answers the samples in them, in memory of their own.
   *
   * @throws ServiceError synthesis_failed for anything but s16le of one channel
   */
  push(chunk: Uint8Array): SpokenSamples | undefined {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    this.#sampleRateHz ??= this.#readHeader();
    if (this.#sampleRateHz === undefined) return undefined;
    const { samples, rest } = wholeSamples(this.#rest);
    this.#rest = rest;
    return samples.length === 0 ? undefined : { samples, sampleRateHz: this.#sampleRateHz };
  }

  #readHeader(): number | undefined {
    const bytes = this.#rest;
    if (bytes.length < RIFF_BYTES) return undefined;
    if (!isWav(bytes)) throw notReadable();
    const head = readWavHead(bytes);
    if (head === undefined && bytes.length > MAX_HEADER_BYTES) throw notReadable();
    if (head === undefined) return undefined;
    const { format, dataStart } = head;
    const isReadable =
      format?.codec === wavCodec.pcm && format.channels === 1 && format.bitsPerSample === 16;
    if (!isReadable) throw notReadable();
    this.#rest = bytes.subarray(dataStart);
    return format.sampleRateHz;
  }
}

/** Samples out of bytes that may end inside one; little endian, whatever the machine. */
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
