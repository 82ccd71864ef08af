/** Is somebody speaking? Silero's model, which tells speech from noise, music and clatter. */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { RECOGNITION_RATE_HZ } from '../engine.ts';

/** Samples that are judged at a time: 32 ms. */
export const VAD_FRAME_SAMPLES = 512;
/** Samples from before the frame that the model sees as well. */
const CONTEXT_SAMPLES = 64;
const STATE_SIZE = 128;

/** Judges the frames of one stream, in their order. */
export interface VoiceDetector {
  /** How likely a frame of {@link VAD_FRAME_SAMPLES} belongs to speech, from 0 to 1. */
  judge(frame: Float32Array): Promise<number>;
}

export interface SileroVad {
  /** A detector that has heard nothing yet. */
  open(): VoiceDetector;
}

/** Loads the model; throws Error when it cannot. */
export async function loadSileroVad(file: string): Promise<SileroVad> {
  const session = await InferenceSession.create(file, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    enableCpuMemArena: false,
  });
  const rate = new Tensor('int64', BigInt64Array.of(BigInt(RECOGNITION_RATE_HZ)), []);
  return {
    open() {
      let state = new Tensor('float32', new Float32Array(2 * STATE_SIZE), [2, 1, STATE_SIZE]);
      const window = new Float32Array(CONTEXT_SAMPLES + VAD_FRAME_SAMPLES);
      const input = new Tensor('float32', window, [1, window.length]);
      return {
        async judge(frame) {
          window.copyWithin(0, VAD_FRAME_SAMPLES);
          window.set(frame, CONTEXT_SAMPLES);
          const { output, stateN } = await session.run({ input, state, sr: rate });
          if (output === undefined || stateN === undefined) throw new Error('it answers nothing.');
          state = stateN as typeof state;
          return Number(output.data[0]);
        },
      };
    },
  };
}
