/**
 * libopus as opusscript compiles it to WebAssembly.
 *
 * Its own OpusScript class is not used. It takes `HEAPU16.subarray(pointer)`, an index of elements,
 * for an address of bytes, so it writes every packet at twice the address it reserved: into other
 * coders, which then fail or crash once some have come and gone. It also cuts packets of 120 ms at
 * 48 kHz. Calling the compiled code directly takes one input and one output buffer for all coders of
 * a kind and writes only there.
 */
import { createRequire } from 'node:module';

/** opusscript spreads samples, given and taken: each byte of one gets 16 bits. */
export const BYTES_PER_SPREAD_SAMPLE = 4;
/** OPUS_APPLICATION_AUDIO, which keeps to the sound of the voice. */
const APPLICATION_AUDIO = 2049;
const CHANNELS = 1;

/** An encoder and a decoder of libopus, which opusscript creates together. */
export interface OpusHandler {
  /** @returns samples, or a negative libopus error */
  _decode(input: number, inputBytes: number, output: number): number;
  _decoder_ctl(request: number, value: number): number;
  /** @returns bytes, or a negative libopus error */
  _encode(input: number, inputBytes: number, output: number, frameSamples: number): number;
  _encoder_ctl(request: number, value: number): number;
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

/** One WebAssembly memory with the buffers that its coders share: addresses of bytes in it. */
export interface OpusInstance {
  readonly module: OpusModule;
  readonly input: number;
  readonly output: number;
}

/** Where coders of one kind are made. */
export interface OpusInstances {
  /** The instance in use; a new one at first, and after one was given up. */
  current(): OpusInstance;
  isCurrent(instance: OpusInstance): boolean;
  /** Its code has trapped: what is in its memory cannot be relied upon. */
  giveUp(instance: OpusInstance): void;
}

export function createOpusInstances({
  inputBytes,
  outputBytes,
}: {
  inputBytes: number;
  outputBytes: number;
}): OpusInstances {
  let current: OpusInstance | undefined;
  return {
    current() {
      if (current === undefined) {
        const silent = () => undefined;
        const module = createModule({ print: silent, printErr: silent });
        const input = module._malloc(inputBytes);
        current = { module, input, output: module._malloc(outputBytes) };
      }
      return current;
    },
    isCurrent: (instance) => instance === current,
    giveUp(instance) {
      if (instance === current) current = undefined;
    },
  };
}

export interface OpusCoderOptions {
  instances: OpusInstances;
  sampleRateHz: number;
  /** Sets a new encoder or decoder up. */
  setUp: (handler: OpusHandler) => void;
}

/** Where a coder's input goes and its output is, and what is called for it. */
export interface OpusPlace {
  readonly instance: OpusInstance;
  readonly handler: OpusHandler;
}

/**
 * One stream's encoder or decoder, mono.
 *
 * A trap leaves a WebAssembly instance undefined (its stack pointer stays where it was), so the
 * instance is given up: the coder that hit it throws, all others go on in a new instance.
 */
export class OpusCoder {
  readonly #options: OpusCoderOptions;
  #place: OpusPlace | undefined;

  constructor(options: OpusCoderOptions) {
    this.#options = options;
  }

  /**
   * Where to code the next packet.
   *
   * @throws RangeError or WebAssembly.RuntimeError when the instance had to be given up
   */
  place(): OpusPlace {
    const { instances } = this.#options;
    const place = this.#place;
    if (place !== undefined && instances.isCurrent(place.instance)) return place;
    this.#place = undefined;
    const instance = instances.current();
    try {
      return (this.#place = { instance, handler: this.#create(instance) });
    } catch (error) {
      instances.giveUp(instance);
      throw error;
    }
  }

  /** Gives the instance up, in which the code has trapped. */
  giveUp(): void {
    if (this.#place !== undefined) this.#options.instances.giveUp(this.#place.instance);
  }

  /** Gives the memory back; the coder must not be used any more. Safe to call again. */
  free(): void {
    const { instances } = this.#options;
    const place = this.#place;
    this.#place = undefined;
    if (place === undefined || !instances.isCurrent(place.instance)) return;
    try {
      place.instance.module.OpusScriptHandler.destroy_handler(place.handler);
    } catch {
      instances.giveUp(place.instance);
    }
  }

  #create({ module }: OpusInstance): OpusHandler {
    const { sampleRateHz, setUp } = this.#options;
    const handler = new module.OpusScriptHandler(sampleRateHz, CHANNELS, APPLICATION_AUDIO);
    setUp(handler);
    return handler;
  }
}
