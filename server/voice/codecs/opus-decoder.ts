/**
 * Opus packets to samples, by libopus as opusscript compiles it to WebAssembly.
 *
 * Its own OpusScript class is not used. It takes `HEAPU16.subarray(pointer)`, an index of elements,
 * for an address of bytes, so it writes every decoded packet at twice the address it reserved: into
 * other decoders, which then fail or crash once some have come and gone. It also cuts packets of
 * 120 ms at 48 kHz. Calling the compiled code directly takes one input and one output buffer for
 * all decoders and writes only there.
 */
import { createRequire } from 'node:module';
import { MAX_PACKET_BYTES, MAX_PACKET_SAMPLES_48K } from './opus-packet.ts';

/** Rates libopus decodes to by itself. */
export const opusRatesHz: readonly number[] = [8000, 12000, 16000, 24000, 48000];

/** OPUS_SET_GAIN, in 1/256 dB. */
const SET_GAIN = 4034;
/** OPUS_APPLICATION_AUDIO: for the encoder that opusscript creates beside every decoder. */
const APPLICATION_AUDIO = 2049;
const CHANNELS = 1;
/** opusscript spreads its output: each byte of a sample gets 16 bits. */
const BYTES_PER_DECODED_SAMPLE = 4;

interface OpusHandler {
  /** @returns samples, or a negative libopus error */
  _decode(input: number, inputBytes: number, output: number): number;
  _decoder_ctl(request: number, value: number): number;
}

interface OpusModule {
  /** Replaced when the memory grows: never kept. */
  HEAPU8: Uint8Array;
  HEAPU32: Uint32Array;
  _malloc(sizeBytes: number): number;
  OpusScriptHandler: {
    new (sampleRateHz: number, channels: number, application: number): OpusHandler;
    destroy_handler(handler: OpusHandler): void;
  };
}

const createModule = createRequire(import.meta.url)(
  'opusscript/build/opusscript_native_wasm.js',
) as (options: { print(line: string): void; printErr(line: string): void }) => OpusModule;

/** One WebAssembly memory with the buffers that its decoders share. */
interface OpusInstance {
  module: OpusModule;
  input: number;
  output: number;
}

/** Where the next decoder is made; undefined at first, and after the code has trapped. */
let instance: OpusInstance | undefined;
const samples = new Int16Array(MAX_PACKET_SAMPLES_48K);

function currentInstance(): OpusInstance {
  if (instance === undefined) {
    const silent = () => undefined;
    const module = createModule({ print: silent, printErr: silent });
    instance = {
      module,
      input: module._malloc(MAX_PACKET_BYTES),
      output: module._malloc(MAX_PACKET_SAMPLES_48K * BYTES_PER_DECODED_SAMPLE),
    };
  }
  return instance;
}

/** The memory of the instance in use, for tests that damage it. */
export function opusMemory(): Uint8Array {
  return currentInstance().module.HEAPU8;
}

/**
 * One stream's decoder: mono, whatever the stream's channels, at one of {@link opusRatesHz}.
 *
 * A trap leaves a WebAssembly instance undefined (its stack pointer stays where it was), so the
 * instance is given up: the decoder that hit it throws, all others go on in a new instance, where
 * they find back into their stream within a few packets.
 */
export class OpusDecoder {
  readonly #sampleRateHz: number;
  readonly #outputGain: number;
  #instance: OpusInstance | undefined;
  #handler: OpusHandler | undefined;

  constructor({ sampleRateHz, outputGain }: { sampleRateHz: number; outputGain: number }) {
    this.#sampleRateHz = sampleRateHz;
    this.#outputGain = outputGain;
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
      if (instance === this.#instance) instance = undefined;
      throw error;
    }
  }

  /** Gives the memory back; the decoder must not be used any more. */
  free(): void {
    const handler = this.#handler;
    this.#handler = undefined;
    if (handler === undefined || this.#instance !== instance || instance === undefined) return;
    try {
      instance.module.OpusScriptHandler.destroy_handler(handler);
    } catch {
      instance = undefined;
    }
  }

  #decode(packet: Uint8Array): Int16Array | undefined {
    if (this.#handler === undefined || this.#instance !== instance) this.#handler = this.#create();
    const { module, input, output } = this.#instance as OpusInstance;
    module.HEAPU8.set(packet, input);
    const count = this.#handler._decode(input, packet.length, output);
    if (count < 0) return undefined;
    const heap = module.HEAPU32;
    const start = output / BYTES_PER_DECODED_SAMPLE;
    for (let index = 0; index < count; index += 1) {
      const spread = heap[start + index] as number;
      samples[index] = (spread & 0xff) | ((spread >>> 8) & 0xff00);
    }
    return samples.subarray(0, count);
  }

  #create(): OpusHandler {
    this.#instance = currentInstance();
    const { OpusScriptHandler } = this.#instance.module;
    const handler = new OpusScriptHandler(this.#sampleRateHz, CHANNELS, APPLICATION_AUDIO);
    if (this.#outputGain !== 0) handler._decoder_ctl(SET_GAIN, this.#outputGain);
    return handler;
  }
}
