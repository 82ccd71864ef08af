import { describe, expect, it } from 'vitest';
import { createRateConverter, Resampler, steepShape } from '../../shared/resampler.ts';
import { seededRandom } from '../support/audio/audio-files.ts';

const AMPLITUDE = 16_000;

function tone(frequencyHz: number, rateHz: number, lengthS = 1): Int16Array {
  const step = (2 * Math.PI * frequencyHz) / rateHz;
  return Int16Array.from({ length: rateHz * lengthS }, (_, n) =>
    Math.round(AMPLITUDE * Math.sin(step * n)),
  );
}

function resample(samples: Int16Array, fromHz: number, toHz: number, chunk = samples.length) {
  const output: number[] = [];
  const converter = createRateConverter(toHz, (some) => output.push(...some));
  for (let offset = 0; offset < samples.length; offset += chunk) {
    converter.push(samples.subarray(offset, offset + chunk), fromHz);
  }
  converter.flush();
  return Int16Array.from(output);
}

const decibel = (ratio: number) => 20 * Math.log10(ratio);
/** The middle part, in whole periods of all tones, which are multiples of 100 Hz. */
function steady(samples: Int16Array, rateHz: number): Int16Array {
  const period = rateHz / 100;
  return samples.subarray(10 * period, samples.length - (samples.length % period) - 10 * period);
}

function rms(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

/** Gain of a tone relative to AMPLITUDE, and its level above everything else, in dB. */
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

  it('gives the same samples for any division of the input', () => {
    const random = seededRandom(fromHz + toHz);
    const input = Int16Array.from({ length: 9000 }, () => (random() - 0.5) * 60_000);
    const atOnce = resample(input, fromHz, toHz);
    for (const chunk of [1, 7, 160, 1001]) {
      expect(resample(input, fromHz, toHz, chunk)).toEqual(atOnce);
    }
  });

  it('gives exactly as many samples as the duration requires', () => {
    for (const length of [0, 1, 2, 441, 4801]) {
      const output = resample(new Int16Array(length), fromHz, toHz);
      expect(output.length).toBe(Math.ceil((length * toHz) / fromHz));
    }
  });

  it('keeps the position of a sound', () => {
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
])(
  'removes frequencies above 8 kHz when it converts from $fromHz Hz to 16 kHz',
  ({ fromHz, frequenciesHz }) => {
    for (const frequencyHz of frequenciesHz) {
      const output = steady(resample(tone(frequencyHz, fromHz), fromHz, 16_000), 16_000);
      const leak = decibel(rms(output) / (AMPLITUDE / Math.SQRT2));
      expect(leak, `${frequencyHz} Hz`).toBeLessThan(-60);
    }
  },
);

it('creates no images above the input band', () => {
  const output = steady(resample(tone(3000, 8000), 8000, 16_000), 16_000);
  expect(measureTone(output, 3000, 16_000).noise).toBeGreaterThan(70);
});

it('clips overshoots instead of wrapping around', () => {
  const square = Int16Array.from({ length: 8000 }, (_, n) => (n % 80 < 40 ? 32_767 : -32_768));
  const output = steady(resample(square, 8000, 16_000), 16_000);
  const jumps = output.filter((sample, n) => n > 0 && Math.abs(sample - output[n - 1]!) > 50_000);
  expect(jumps.length).toBe(0);
});

it('keeps the output rate when the input rate changes', () => {
  const output: number[] = [];
  const converter = createRateConverter(16_000, (some) => output.push(...some));
  for (const fromHz of [8000, 48_000, 16_000]) converter.push(tone(1000, fromHz), fromHz);
  converter.flush();
  expect(output.length).toBe(3 * 16_000);
  const { gain } = measureTone(steady(Int16Array.from(output), 16_000), 1000, 16_000);
  expect(Math.abs(gain)).toBeLessThan(0.1);
});

it('refuses rates that would require a huge filter', () => {
  expect(() => new Resampler({ fromHz: 44_100, toHz: 47_981 })).toThrow(RangeError);
});

describe('the microphone filter', () => {
  /** Resamples one second of a tone in blocks of 128, as the browser delivers them. */
  function resampleTone({ fromHz, toneHz }: { fromHz: number; toneHz: number }): Float32Array {
    const resampler = new Resampler({ fromHz, toHz: 16_000, shape: steepShape });
    const result: number[] = [];
    const block = new Float32Array(128);
    for (let start = 0; start < fromHz; start += 128) {
      for (let index = 0; index < 128; index++) {
        block[index] = Math.sin((2 * Math.PI * toneHz * (start + index)) / fromHz);
      }
      result.push(...resampler.process(block));
    }
    return Float32Array.from(result);
  }

  /** Level after the filter has settled, in dB of a full-scale tone. */
  function levelDb(samples: Float32Array): number {
    const steady = samples.subarray(1000, samples.length - 1000);
    const power = steady.reduce((sum, sample) => sum + sample * sample, 0) / steady.length;
    return 10 * Math.log10(2 * power + 1e-20);
  }

  describe.each([8_000, 32_000, 44_100, 48_000, 96_000])('from %i Hz to 16 kHz', (fromHz) => {
    const passHz = Math.min(7_000, (fromHz / 2) * 0.875);

    it('keeps the level of tones below 7 kHz', () => {
      for (const toneHz of [50, 440, 1_000, 3_400, passHz]) {
        expect(Math.abs(levelDb(resampleTone({ fromHz, toneHz })))).toBeLessThan(0.05);
      }
    });

    it('suppresses aliasing from above 8 kHz', () => {
      for (const toneHz of [8_050, 9_000, 11_000, 15_000, 20_000, 40_000]) {
        if (toneHz >= fromHz / 2) continue;
        expect(levelDb(resampleTone({ fromHz, toneHz }))).toBeLessThan(-80);
      }
    });

    it('reproduces a tone exactly, in time and shape', () => {
      const samples = resampleTone({ fromHz, toneHz: 1_000 });
      let worst = 0;
      for (let index = 500; index < samples.length - 500; index++) {
        const ideal = Math.sin((2 * Math.PI * 1_000 * index) / 16_000);
        worst = Math.max(worst, Math.abs(samples[index]! - ideal));
      }
      // The ripple of the filter stays below 1e-4, −80 dB.
      expect(worst).toBeLessThan(2e-4);
    });

    it('loses no samples', () => {
      const samples = resampleTone({ fromHz, toneHz: 1_000 });
      const blocks = Math.ceil(fromHz / 128) * 128;
      // Half a filter length is still pending.
      const expected = (blocks / fromHz) * 16_000;
      expect(expected - samples.length).toBeLessThan(150);
      expect(expected - samples.length).toBeGreaterThanOrEqual(0);
    });
  });
});
