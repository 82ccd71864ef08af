/** Tones for the fake microphone, and measurements of the result. */
import { wavHeader } from '../../shared/wav.ts';

/** Returns one channel of s16le samples as a WAV file. */
export function wav(samples: Int16Array, sampleRateHz: number): Buffer {
  const header = wavHeader({ sampleRateHz, dataBytes: samples.byteLength });
  return Buffer.concat([header, Buffer.from(samples.buffer)]);
}

/** Returns mixed tones: frequency in Hz → amplitude, 0 to 1. */
export function tones(
  amplitudes: Record<number, number>,
  { sampleRateHz, lengthS }: { sampleRateHz: number; lengthS: number },
): Int16Array {
  const parts = Object.entries(amplitudes).map(([hz, amplitude]) => ({
    step: (2 * Math.PI * Number(hz)) / sampleRateHz,
    amplitude,
  }));
  return Int16Array.from({ length: sampleRateHz * lengthS }, (_, index) =>
    Math.round(
      32_767 *
        parts.reduce((sum, { step, amplitude }) => sum + amplitude * Math.sin(step * index), 0),
    ),
  );
}

/** Returns the amplitude of one frequency in samples, 0 to 1. */
export function amplitudeAt(samples: Int16Array, hz: number, sampleRateHz: number): number {
  let real = 0;
  let imaginary = 0;
  for (const [index, sample] of samples.entries()) {
    // A Hann window suppresses other frequencies.
    const weight = 1 - Math.cos((2 * Math.PI * index) / samples.length);
    const angle = (2 * Math.PI * hz * index) / sampleRateHz;
    real += sample * weight * Math.cos(angle);
    imaginary += sample * weight * Math.sin(angle);
  }
  return (2 * Math.hypot(real, imaginary)) / samples.length / 32_767;
}
