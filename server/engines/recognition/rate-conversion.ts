/**
 * From 16 to 24 kHz. Works on whole utterances by absolute positions, so that the samples do not
 * depend on the pieces in which they are asked for. Pure.
 */

/** Samples to each side that a new one is made of. */
const REACH = 16;
const UP = 3;
const DOWN = 2;
/** A little below half of the lower rate, in cycles per sample: nothing above it was recorded. */
const CUTOFF = 0.48;

/** For each of the three positions between samples, what the samples around it weigh. */
const phases: readonly Float64Array[] = [0, 1, 2].map((third) => {
  const weights = Float64Array.from({ length: 2 * REACH }, (_, tap) => {
    const distance = tap - REACH + 1 - third / UP;
    return lowPass(distance) * window(distance);
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
});

function lowPass(distance: number): number {
  if (distance === 0) return 2 * CUTOFF;
  return Math.sin(2 * Math.PI * CUTOFF * distance) / (Math.PI * distance);
}

/** Hann: half a period over the reach. */
function window(distance: number): number {
  return Math.abs(distance) >= REACH ? 0 : 0.5 + 0.5 * Math.cos((Math.PI * distance) / REACH);
}

/**
 * How many samples at 24 kHz can be made of so many at 16 kHz: all of them once nothing more will
 * come, before that those whose surroundings are known.
 */
export function samplesAt24kHz(sampleCount: number, isOver: boolean): number {
  const known = isOver ? sampleCount : Math.max(0, sampleCount - REACH);
  return Math.ceil((known * UP) / DOWN);
}

/**
 * The samples `from` up to `to`, counted at 24 kHz, of a recording at 16 kHz.
 *
 * @param samples the recording from its beginning; silence lies around it
 */
export function convertTo24kHz(samples: Int16Array, from: number, to: number): Int16Array {
  const converted = new Int16Array(to - from);
  for (let index = from; index < to; index += 1) {
    const thirds = index * DOWN;
    const weights = phases[thirds % UP] ?? new Float64Array(0);
    const first = Math.floor(thirds / UP) - REACH + 1;
    let value = 0;
    for (let tap = 0; tap < 2 * REACH; tap += 1) {
      value += (samples[first + tap] ?? 0) * (weights[tap] ?? 0);
    }
    converted[index - from] = Math.max(-32_768, Math.min(32_767, Math.round(value)));
  }
  return converted;
}
