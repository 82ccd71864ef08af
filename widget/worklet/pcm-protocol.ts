/** What the page and the audio thread say to each other. */

/** Name the processor registers under. */
export const PROCESSOR_NAME = 'voice-captions-pcm-capture';

/** Options of the processor. */
export interface PcmCaptureOptions {
  sampleRateHz: number;
  chunkMs: number;
}

/** What the processor posts. The last chunk after a {@link STOP} may be short, or missing. */
export type PcmCaptureMessage =
  | {
      kind: 'chunk';
      /** s16le samples. */
      samples: ArrayBuffer;
      /** Loudest sample, 0 to 1. */
      peak: number;
    }
  | { kind: 'stopped' };

/** The one message to the processor: post what there is, then end. */
export const STOP = 'stop';
