/**
 * Decodes and encodes Opus packets with libopus, which opusscript provides as WebAssembly.
 *
 * The OpusScript class itself is not used: it takes the element index `HEAPU16.subarray(pointer)` for a
 * byte address and so writes every packet at twice the reserved address, into other coders, which then
 * fail or crash once some have come and gone. It also truncates packets of 120 ms at 48 kHz. Calling the
 * compiled code directly needs one input and one output buffer for all coders of a kind, and writes only
 * there.
 */
import { createRequire } from 'node:module';
import { damageLimit, type TrackDecoder, type TrackDecoderOptions } from './decodable-formats.ts';
import type { Packet, PacketEncoder } from './media-pieces.ts';
import {
  MAX_PACKET_BYTES,
  MAX_PACKET_SAMPLES_48K,
  OPUS_PRE_SKIP,
  OPUS_RATE_HZ,
  parseOpusHead,
} from './opus-format.ts';

/** Size of a sample in opusscript's buffers, which hold each byte of a sample in 16 bits. */
const BYTES_PER_SPREAD_SAMPLE = 4;
/** OPUS_APPLICATION_AUDIO, which preserves the sound of the voice. */
const APPLICATION_AUDIO = 2049;
const CHANNELS = 1;

/** An encoder and a decoder of libopus, which opusscript creates together. */
interface OpusHandler {
  /** @returns the number of samples, or a negative libopus error */
  _decode(input: number, inputBytes: number, output: number): number;
  _decoder_ctl(request: number, value: number): number;
  /** @returns the number of bytes, or a negative libopus error */
  _encode(input: number, inputBytes: number, output: number, frameSamples: number): number;
  _encoder_ctl(request: number, value: number): number;
}

interface OpusModule {
  /** Replaced when the memory grows, so never kept. */
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

/** A WebAssembly instance and the byte addresses of the buffers that its coders share. */
interface OpusInstance {
  readonly module: OpusModule;
  readonly input: number;
  readonly output: number;
}

/** Manages the instance for coders of one kind. */
interface OpusInstances {
  /** Returns the current instance; creates one at first and after the previous one was given up. */
  current(): OpusInstance;
  isCurrent(instance: OpusInstance): boolean;
  /** Gives up an instance whose code has trapped: its memory is no longer reliable. */
  giveUp(instance: OpusInstance): void;
}

function createOpusInstances({
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

interface OpusCoderOptions {
  instances: OpusInstances;
  sampleRateHz: number;
  /** Configures a new encoder or decoder. */
  setUp: (handler: OpusHandler) => void;
}

/** A coder in its instance. */
interface OpusPlace {
  readonly instance: OpusInstance;
  readonly handler: OpusHandler;
}

/**
 * One stream's encoder or decoder, mono.
 *
 * A trap leaves a WebAssembly instance in an undefined state (its stack pointer is not restored), so the
 * instance is given up: the coder that trapped throws, and all others continue in a new instance.
 */
class OpusCoder {
  readonly #options: OpusCoderOptions;
  #place: OpusPlace | undefined;

  constructor(options: OpusCoderOptions) {
    this.#options = options;
  }

  /**
   * Returns the coder for the next packet.
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

  /** Gives up the instance, after its code has trapped. */
  giveUp(): void {
    if (this.#place !== undefined) this.#options.instances.giveUp(this.#place.instance);
  }

  /** Frees memory; the coder must not be used afterwards. Can be called repeatedly. */
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

// Decoding.

/** Sample rates to which libopus can decode. */
export const opusRatesHz: readonly number[] = [8000, 12000, 16000, 24000, 48000];

/** OPUS_SET_GAIN, in 1/256 dB. */
const SET_GAIN = 4034;

const decoders = createOpusInstances({
  inputBytes: MAX_PACKET_BYTES,
  outputBytes: MAX_PACKET_SAMPLES_48K * BYTES_PER_SPREAD_SAMPLE,
});
/** Shared by all streams, as each packet is decoded and consumed synchronously. */
const samples = new Int16Array(MAX_PACKET_SAMPLES_48K);

/** Returns the memory of the current instance, for tests that damage it. */
export function opusMemory(): Uint8Array {
  return decoders.current().module.HEAPU8;
}

/**
 * Decoder of one stream: mono output, whatever the stream's channels, at one of {@link opusRatesHz}.
 * After another stream's decoder has trapped, it recovers within a few packets.
 */
export class OpusDecoder {
  readonly #coder: OpusCoder;

  constructor({ sampleRateHz, outputGain }: { sampleRateHz: number; outputGain: number }) {
    this.#coder = new OpusCoder({
      instances: decoders,
      sampleRateHz,
      setUp(handler) {
        if (outputGain !== 0) handler._decoder_ctl(SET_GAIN, outputGain);
      },
    });
  }

  /**
   * Decodes one packet.
   *
   * @returns samples, valid until the next call of any decoder; undefined for an invalid packet
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

  /** Frees memory; the decoder must not be used afterwards. */
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

/** Decodes the packets of a track at one of {@link opusRatesHz}; skips damaged packets. */
export function createOpusTrack({ setup, opusRateHz, sink }: TrackDecoderOptions): TrackDecoder {
  const { preSkip48k, outputGain } = parseOpusHead(setup);
  const atOurRate = (samples48k: number) => Math.round((samples48k * opusRateHz) / OPUS_RATE_HZ);
  const decoder = new OpusDecoder({ sampleRateHz: opusRateHz, outputGain });
  const damage = damageLimit('Opus');
  /** Samples still to be dropped from the beginning. */
  let skip = atOurRate(preSkip48k);

  return {
    packet(packet, trimEnd48k) {
      const decoded = decoder.decode(packet);
      damage.count(decoded !== undefined);
      if (decoded === undefined) return;
      const start = Math.min(skip, decoded.length);
      skip -= start;
      const end = Math.max(start, decoded.length - atOurRate(trimEnd48k));
      sink.samples(decoded, opusRateHz, start, end);
    },
    free: () => decoder.free(),
  };
}

// Encoding.

/** Sample rate of the encoder: speech engines stay below 12 kHz, and 48 kHz would cost twice the work. */
const ENCODED_RATE_HZ = 24_000;
/** Samples per frame of 20 ms, the length that suits libopus best. */
const FRAME_SAMPLES = 480;
const LOOKAHEAD_SAMPLES = (OPUS_PRE_SKIP * ENCODED_RATE_HZ) / OPUS_RATE_HZ;
const BIT_RATE = 32_000;
/** Complexity, out of 10. At this bit rate, higher values sound the same and take twice the time. */
const COMPLEXITY = 5;
/** More than a frame of 20 ms can need (RFC 6716, 3.2.1). */
const MAX_ENCODED_BYTES = 1_500;

const SET_BITRATE = 4002;
const SET_COMPLEXITY = 4010;
const SET_SIGNAL = 4024;
const SIGNAL_VOICE = 3001;

const encoders = createOpusInstances({
  inputBytes: FRAME_SAMPLES * BYTES_PER_SPREAD_SAMPLE,
  outputBytes: MAX_ENCODED_BYTES,
});

function setUpForVoice(handler: OpusHandler): void {
  handler._encoder_ctl(SET_BITRATE, BIT_RATE);
  handler._encoder_ctl(SET_COMPLEXITY, COMPLEXITY);
  handler._encoder_ctl(SET_SIGNAL, SIGNAL_VOICE);
}

export class OpusEncoder implements PacketEncoder {
  readonly sampleRateHz = ENCODED_RATE_HZ;
  readonly #coder = new OpusCoder({
    instances: encoders,
    sampleRateHz: ENCODED_RATE_HZ,
    setUp: setUpForVoice,
  });
  readonly #frame = new Int16Array(FRAME_SAMPLES);
  #filled = 0;
  #hasSamples = false;

  /** @throws Error when libopus fails; WebAssembly.RuntimeError when its instance had to be given up */
  encode(samples: Int16Array): Packet[] {
    const packets: Packet[] = [];
    for (let offset = 0; offset < samples.length;) {
      const taken = samples.subarray(offset, offset + FRAME_SAMPLES - this.#filled);
      this.#frame.set(taken, this.#filled);
      this.#filled += taken.length;
      offset += taken.length;
      this.#hasSamples = true;
      if (this.#filled === FRAME_SAMPLES) packets.push(this.#encodeFrame());
    }
    return packets;
  }

  flush(): Packet[] {
    if (!this.#hasSamples) return [];
    const short = FRAME_SAMPLES - ((this.#filled + LOOKAHEAD_SAMPLES) % FRAME_SAMPLES);
    const packets = this.encode(new Int16Array(LOOKAHEAD_SAMPLES + (short % FRAME_SAMPLES)));
    this.#hasSamples = false;
    return packets;
  }

  free(): void {
    this.#coder.free();
  }

  #encodeFrame(): Packet {
    this.#filled = 0;
    // After a trap, this continues with a new encoder in a new instance, which decoders tolerate.
    const { instance, handler } = this.#coder.place();
    const { module, input, output } = instance;
    this.#spread(module.HEAPU32, input / BYTES_PER_SPREAD_SAMPLE);
    let sizeBytes: number;
    try {
      sizeBytes = handler._encode(input, 2 * FRAME_SAMPLES, output, FRAME_SAMPLES);
    } catch (error) {
      this.#coder.giveUp();
      throw error;
    }
    if (sizeBytes <= 0) throw new Error(`libopus answered ${sizeBytes}.`);
    return { data: module.HEAPU8.slice(output, output + sizeBytes), samples: FRAME_SAMPLES };
  }

  #spread(heap: Uint32Array, start: number): void {
    for (let index = 0; index < FRAME_SAMPLES; index += 1) {
      const sample = this.#frame[index] as number;
      heap[start + index] = (sample & 0xff) | ((sample & 0xff00) << 8);
    }
  }
}
