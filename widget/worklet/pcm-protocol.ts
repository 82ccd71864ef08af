/** Messages between the page and the capture worklet. */

/** Name the processor is registered under. */
export const PROCESSOR_NAME = 'voice-captions-pcm-capture';

export interface PcmCaptureOptions {
  sampleRateHz: number;
  chunkMs: number;
}

/** A message of the processor. The last chunk after a {@link STOP} may be short or missing. */
export type PcmCaptureMessage =
  | {
      kind: 'chunk';
      /** s16le samples. */
      samples: ArrayBuffer;
      /** Loudest sample, 0 to 1. */
      peak: number;
    }
  | { kind: 'stopped' };

/** The only message to the processor: post the remaining samples, then end. */
export const STOP = 'stop';
