/** Rate of the samples between decoding and recognition, as `engines/engine.ts` promises them. */
export const RECOGNITION_RATE_HZ = 16_000;
