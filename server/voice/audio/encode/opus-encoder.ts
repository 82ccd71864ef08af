/** Samples to Opus packets, by libopus. */
import {
  BYTES_PER_SPREAD_SAMPLE,
  createOpusInstances,
  OpusCoder,
  type OpusHandler,
} from '../codecs/opus-library.ts';
import { OPUS_PRE_SKIP, OPUS_RATE_HZ } from './opus-head.ts';
import type { Packet, PacketEncoder } from './packet.ts';

/** Voices of speech engines end below 12 kHz: all of it, and half the work of 48 kHz. */
const SAMPLE_RATE_HZ = 24_000;
/** 20 ms, what libopus is best at. */
const FRAME_SAMPLES = 480;
const LOOKAHEAD_SAMPLES = (OPUS_PRE_SKIP * SAMPLE_RATE_HZ) / OPUS_RATE_HZ;
const BIT_RATE = 32_000;
/** Of 10. Speech at this bit rate sounds the same with more, which takes twice the time. */
const COMPLEXITY = 5;
/** More than a frame of 20 ms can have (RFC 6716, 3.2.1). */
const MAX_PACKET_BYTES = 1_500;

const SET_BITRATE = 4002;
const SET_COMPLEXITY = 4010;
const SET_SIGNAL = 4024;
const SIGNAL_VOICE = 3001;

const instances = createOpusInstances({
  inputBytes: FRAME_SAMPLES * BYTES_PER_SPREAD_SAMPLE,
  outputBytes: MAX_PACKET_BYTES,
});

function setUp(handler: OpusHandler): void {
  handler._encoder_ctl(SET_BITRATE, BIT_RATE);
  handler._encoder_ctl(SET_COMPLEXITY, COMPLEXITY);
  handler._encoder_ctl(SET_SIGNAL, SIGNAL_VOICE);
}

export class OpusEncoder implements PacketEncoder {
  readonly sampleRateHz = SAMPLE_RATE_HZ;
  readonly #coder = new OpusCoder({ instances, sampleRateHz: SAMPLE_RATE_HZ, setUp });
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
    // After a trap all others go on with a new encoder in a new instance; decoders take that.
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
