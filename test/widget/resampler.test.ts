import { describe, expect, it } from 'vitest';
import { Resampler } from '../../widget/worklet/resampler.ts';

/** One second of a tone through the resampler in blocks of 128, as the browser hands them over. */
function resampleTone({ fromHz, toneHz }: { fromHz: number; toneHz: number }): Float32Array {
  const resampler = new Resampler({ fromHz, toHz: 16_000, maxBlock: 128 });
  const output = new Float32Array(512);
  const result: number[] = [];
  const block = new Float32Array(128);
  for (let start = 0; start < fromHz; start += 128) {
    for (let index = 0; index < 128; index++) {
      block[index] = Math.sin((2 * Math.PI * toneHz * (start + index)) / fromHz);
    }
    const written = resampler.process(block, output);
    result.push(...output.subarray(0, written));
  }
  return Float32Array.from(result);
}

/** Level of what is there after the filter has filled, in dB of a full-scale tone. */
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

  it('lets nothing from above 8 kHz fold back', () => {
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
    // Half a filter is still to come.
    const expected = (blocks / fromHz) * 16_000;
    expect(expected - samples.length).toBeLessThan(150);
    expect(expected - samples.length).toBeGreaterThanOrEqual(0);
  });
});
