/** Opus packets to samples, by libopus. */
import { BYTES_PER_SPREAD_SAMPLE, createOpusInstances, OpusCoder } from './opus-library.ts';
import { MAX_PACKET_BYTES, MAX_PACKET_SAMPLES_48K } from './opus-packet.ts';

/** Rates libopus decodes to by itself. */
export const opusRatesHz: readonly number[] = [8000, 12000, 16000, 24000, 48000];

/** OPUS_SET_GAIN, in 1/256 dB. */
const SET_GAIN = 4034;

const instances = createOpusInstances({
  inputBytes: MAX_PACKET_BYTES,
  outputBytes: MAX_PACKET_SAMPLES_48K * BYTES_PER_SPREAD_SAMPLE,
});
const samples = new Int16Array(MAX_PACKET_SAMPLES_48K);

/** The memory of the instance in use, for tests that damage it. */
export function opusMemory(): Uint8Array {
  return instances.current().module.HEAPU8;
}

/**
 * One stream's decoder: mono, whatever the stream's channels, at one of {@link opusRatesHz}. When the
 * decoder of another stream has trapped, it finds back into its stream within a few packets.
 */
export class OpusDecoder {
  readonly #coder: OpusCoder;

  constructor({ sampleRateHz, outputGain }: { sampleRateHz: number; outputGain: number }) {
    this.#coder = new OpusCoder({
      instances,
      sampleRateHz,
      setUp(handler) {
        if (outputGain !== 0) handler._decoder_ctl(SET_GAIN, outputGain);
      },
    });
  }

  /**
   * Decodes one packet.
   *
   * @returns samples, valid until any decoder's next call; undefined when this is no Opus packet
   * @throws RangeError or WebAssembly.RuntimeError when the instance had to be given up
   */
  decode(packet: Uint8Array): Int16Array | undefined {
    if (packet.length === 0 || packet.length > MAX_PACKET_BYTES) return undefined;
    try {
      return this.#decode(packet);
    } catch (error) {
      this.#coder.giveUp();
      throw error;
    }
  }

  /** Gives the memory back; the decoder must not be used any more. */
  free(): void {
    this.#coder.free();
  }

  #decode(packet: Uint8Array): Int16Array | undefined {
    const { instance, handler } = this.#coder.place();
    const { module, input, output } = instance;
    module.HEAPU8.set(packet, input);
    const count = handler._decode(input, packet.length, output);
    if (count < 0) return undefined;
    const heap = module.HEAPU32;
    const start = output / BYTES_PER_SPREAD_SAMPLE;
    for (let index = 0; index < count; index += 1) {
      const spread = heap[start + index] as number;
      samples[index] = (spread & 0xff) | ((spread >>> 8) & 0xff00);
    }
    return samples.subarray(0, count);
  }
}
