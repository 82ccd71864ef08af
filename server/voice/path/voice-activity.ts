/** Is somebody speaking? WebRTC's detector (fvad), which needs no model and 10 µs a frame. */
import { RECOGNITION_RATE_HZ } from './speech-rate.ts';

/** The detector takes frames of 10, 20 or 30 ms. */
export const FRAME_MS = 20;
export const FRAME_SAMPLES = (FRAME_MS * RECOGNITION_RATE_HZ) / 1000;

/** The detector of one stream. */
export interface VoiceActivity {
  /** Whether the frame of samples that begins at an index belongs to speech. Frames in their order. */
  isVoice(samples: Int16Array, index: number): boolean;
  /** Mean square of the samples of the last frame. */
  readonly power: number;
  /** Gives its memory back; nothing may be asked after it. */
  close(): void;
}

/** The strictest but one: it does not take steady noise for speech, and hears speech at -30 dB. */
const MODE = 2;

/** The part of the module that is used; addresses are in bytes of its memory. */
interface FvadModule {
  /** Another object whenever the memory has grown. */
  readonly HEAP16: Int16Array;
  _malloc(sizeBytes: number): number;
  /** 0 when there is no memory left. */
  _fvad_new(): number;
  _fvad_free(detector: number): void;
  _fvad_set_sample_rate(detector: number, sampleRateHz: number): number;
  _fvad_set_mode(detector: number, mode: number): number;
  /** 1 voice, 0 none, -1 for a frame that is not 10, 20 or 30 ms long. */
  _fvad_process(detector: number, frame: number, samples: number): number;
}

/** The package brings no types. */
const PACKAGE: string = '@echogarden/fvad-wasm';

/** One module with one frame for all streams: a frame is looked at in one go. */
let shared: Promise<{ module: FvadModule; frame: number }> | undefined;

async function loadShared(): Promise<{ module: FvadModule; frame: number }> {
  const { default: load } = (await import(PACKAGE)) as { default: () => Promise<FvadModule> };
  const module = await load();
  return { module, frame: module._malloc(FRAME_SAMPLES * 2) };
}

/** @throws Error when there is no memory for another detector */
export async function createVoiceActivity(): Promise<VoiceActivity> {
  const { module, frame } = await (shared ??= loadShared());
  const detector = module._fvad_new();
  if (detector === 0) throw new Error('There is no memory for another voice activity detector');
  module._fvad_set_sample_rate(detector, RECOGNITION_RATE_HZ);
  module._fvad_set_mode(detector, MODE);
  let power = 0;
  return {
    isVoice(samples, index) {
      const { HEAP16: memory } = module;
      const base = frame / 2;
      let sum = 0;
      // One pass for both, and no view of the samples to be thrown away afterwards.
      for (let at = 0; at < FRAME_SAMPLES; at += 1) {
        const sample = samples[index + at] ?? 0;
        memory[base + at] = sample;
        sum += sample * sample;
      }
      power = sum / FRAME_SAMPLES;
      return module._fvad_process(detector, frame, FRAME_SAMPLES) === 1;
    },
    get power() {
      return power;
    },
    close: () => module._fvad_free(detector),
  };
}
