import { describe, expect, it } from 'vitest';
import { Resampler } from '../../../../server/voice/audio/codecs/resampler.ts';
import { seededRandom } from '../../../support/audio/audio-files.ts';

const AMPLITUDE = 16_000;

function tone(frequencyHz: number, rateHz: number, lengthS = 1): Int16Array {
  const step = (2 * Math.PI * frequencyHz) / rateHz;
  return Int16Array.from({ length: rateHz * lengthS }, (_, n) =>
    Math.round(AMPLITUDE * Math.sin(step * n)),
  );
}

function resample(samples: Int16Array, fromHz: number, toHz: number, chunk = samples.length) {
  const resampler = new Resampler({ fromHz, toHz });
  const output: number[] = [];
  for (let offset = 0; offset < samples.length; offset += chunk) {
    output.push(...resampler.process(samples.subarray(offset, offset + chunk)));
  }
  output.push(...resampler.flush());
  return Int16Array.from(output);
}

const decibel = (ratio: number) => 20 * Math.log10(ratio);
/** The middle, in whole periods of every tone that is used, which are multiples of 100 Hz. */
function steady(samples: Int16Array, rateHz: number): Int16Array {
  const period = rateHz / 100;
  return samples.subarray(10 * period, samples.length - (samples.length % period) - 10 * period);
}

function rms(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

/** Gain of a tone against AMPLITUDE, and how far it stands above everything else, in dB. */
function measureTone(samples: Int16Array, frequencyHz: number, rateHz: number) {
  const step = (2 * Math.PI * frequencyHz) / rateHz;
  let cosine = 0;
  let sine = 0;
  samples.forEach((sample, n) => {
    cosine += (2 * sample * Math.cos(step * n)) / samples.length;
    sine += (2 * sample * Math.sin(step * n)) / samples.length;
  });
  const level = Math.hypot(cosine, sine);
  const rest = samples.map(
    (sample, n) => sample - cosine * Math.cos(step * n) - sine * Math.sin(step * n),
  );
  return {
    gain: decibel(level / AMPLITUDE),
    noise: decibel(level / Math.SQRT2 / Math.max(rms(rest), 0.3)),
  };
}

describe.each([
  { fromHz: 48_000, toHz: 16_000 },
  { fromHz: 44_100, toHz: 16_000 },
  { fromHz: 8000, toHz: 16_000 },
  { fromHz: 16_000, toHz: 24_000 },
  { fromHz: 48_000, toHz: 44_100 },
  { fromHz: 48_000, toHz: 8000 },
])('from $fromHz to $toHz Hz', ({ fromHz, toHz }) => {
  const lowerHz = Math.min(fromHz, toHz);

  it('passes tones below seven sixteenths of the lower rate unchanged', () => {
    for (const frequencyHz of [100, 1000, 3400, 7000].filter((f) => f <= (lowerHz * 7) / 16)) {
      const output = steady(resample(tone(frequencyHz, fromHz), fromHz, toHz), toHz);
      const { gain, noise } = measureTone(output, frequencyHz, toHz);
      expect(Math.abs(gain), `${frequencyHz} Hz`).toBeLessThan(0.1);
      expect(noise, `${frequencyHz} Hz`).toBeGreaterThan(75);
    }
  });

  it('gives the same samples for any cut of the input', () => {
    const random = seededRandom(fromHz + toHz);
    const input = Int16Array.from({ length: 9000 }, () => (random() - 0.5) * 60_000);
    const atOnce = resample(input, fromHz, toHz);
    for (const chunk of [1, 7, 160, 1001]) {
      expect(resample(input, fromHz, toHz, chunk)).toEqual(atOnce);
    }
  });

  it('gives exactly as many samples as the time needs', () => {
    for (const length of [0, 1, 2, 441, 4801]) {
      const output = resample(new Int16Array(length), fromHz, toHz);
      expect(output.length).toBe(Math.ceil((length * toHz) / fromHz));
    }
  });

  it('keeps the sound where it was', () => {
    const impulse = new Int16Array(fromHz);
    const at = fromHz / 10;
    impulse[at] = 30_000;
    const output = resample(impulse, fromHz, toHz);
    const loudest = output.reduce((best, sample, n) => (sample > output[best]! ? n : best), 0);
    expect(loudest).toBe(Math.round((at * toHz) / fromHz));
  });
});

it.each([
  { fromHz: 48_000, frequenciesHz: [9000, 10_000, 12_000, 15_900, 16_100, 23_000] },
  { fromHz: 44_100, frequenciesHz: [9000, 10_000, 13_000, 16_100, 21_000] },
])('removes what 16 kHz cannot carry from $fromHz Hz', ({ fromHz, frequenciesHz }) => {
  for (const frequencyHz of frequenciesHz) {
    const output = steady(resample(tone(frequencyHz, fromHz), fromHz, 16_000), 16_000);
    const leak = decibel(rms(output) / (AMPLITUDE / Math.SQRT2));
    expect(leak, `${frequencyHz} Hz`).toBeLessThan(-60);
  }
});

it('makes no images above the input band', () => {
  const output = steady(resample(tone(3000, 8000), 8000, 16_000), 16_000);
  expect(measureTone(output, 3000, 16_000).noise).toBeGreaterThan(70);
});

it('clips what overshoots instead of wrapping around', () => {
  const square = Int16Array.from({ length: 8000 }, (_, n) => (n % 80 < 40 ? 32_767 : -32_768));
  const output = steady(resample(square, 8000, 16_000), 16_000);
  const jumps = output.filter((sample, n) => n > 0 && Math.abs(sample - output[n - 1]!) > 50_000);
  expect(jumps.length).toBe(0);
});

it('refuses rates that would take an enormous filter', () => {
  expect(() => new Resampler({ fromHz: 44_100, toHz: 15_999 })).toThrow(RangeError);
});
