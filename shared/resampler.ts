/**
 * Resamples audio streams by any rational ratio with a polyphase windowed-sinc filter. Used in the
 * audio thread of pages as well as in the processes that decode and encode.
 */

/** Quality and cost of a filter. */
export interface FilterShape {
  /**
   * Zero crossings of the sinc on each side, at the lower of the two rates: determines steepness
   * and cost.
   */
  zeroCrossings: number;
  /** Kaiser β: determines the attenuation of aliases. */
  kaiserBeta: number;
  /** Centre of the transition band, relative to the lower Nyquist frequency. */
  cutoff: number;
}

/**
 * For recordings: the transition band is an eighth of the lower rate wide, and aliases are
 * attenuated by 80 dB. At 16 kHz the passband is flat to 7 kHz and nothing above 9 kHz remains.
 */
const usualShape: FilterShape = { zeroCrossings: 20, kaiserBeta: 7.9, cutoff: 1 };

/**
 * For microphones: aliases are near −90 dB, below the 16-bit resolution of the output. At 16 kHz
 * the passband is flat to 7 kHz, and nothing above 8 kHz folds back into it.
 */
export const steepShape: FilterShape = { zeroCrossings: 48, kaiserBeta: 9, cutoff: 0.94 };

/**
 * Maximum number of phases in a filter table: 44.1 to 48 kHz needs 160, a microphone of any rate at
 * most 16,000.
 */
const MAX_PHASES = 16_000;

interface Filter {
  /** Input samples on each side of an output sample. */
  reach: number;
  phases: number;
  /** Distance between two output samples in input samples, times `phases`. */
  step: number;
  /** Coefficients, phase by phase, `2 * reach` each. */
  coefficients: Float32Array;
}

const filters = new Map<string, Filter>();

/**
 * A stateful resampler. Output is aligned with its input: output sample n is the sound at time n /
 * toHz.
 */
export class Resampler {
  readonly #filter: Filter;
  /** Unused input, preceded by the history that the filter still needs. */
  #input: Float32Array;
  #inputLength: number;
  /** Position of the next output sample; `reach - 1` samples of history precede `#input[#index]`. */
  #index: number;
  #phase = 0;
  #output = new Float32Array(0);

  /** @throws RangeError when the common divisor of the rates is too small */
  constructor({
    fromHz,
    toHz,
    shape = usualShape,
  }: {
    fromHz: number;
    toHz: number;
    shape?: FilterShape;
  }) {
    this.#filter = filterFor(fromHz, toHz, shape);
    // The sound before the first sample is silence.
    this.#inputLength = this.#filter.reach - 1;
    this.#index = this.#filter.reach - 1;
    this.#input = new Float32Array(4 * this.#filter.reach);
  }

  /**
   * Returns the samples that are determined by the input so far, at its scale; valid until the next
   * call.
   */
  process(samples: Float32Array | Int16Array): Float32Array {
    this.#append(samples);
    const { phases, step, reach } = this.#filter;
    const room = Math.ceil(((this.#inputLength - this.#index) * phases) / step) + 1;
    if (this.#output.length < room) this.#output = new Float32Array(Math.max(room, 1));
    let count = 0;
    while (this.#index + reach < this.#inputLength) {
      this.#output[count++] = this.#sampleHere();
      const position = this.#phase + step;
      this.#index += Math.floor(position / phases);
      this.#phase = position % phases;
    }
    this.#forget();
    return this.#output.subarray(0, count);
  }

  /**
   * Returns the remaining samples, as if silence followed. All calls together return ceil(input ×
   * toHz / fromHz) samples.
   */
  flush(): Float32Array {
    return this.process(new Float32Array(this.#filter.reach));
  }

  #append(samples: Float32Array | Int16Array): void {
    const length = this.#inputLength + samples.length;
    if (length > this.#input.length) {
      const larger = new Float32Array(2 * length);
      larger.set(this.#input.subarray(0, this.#inputLength));
      this.#input = larger;
    }
    this.#input.set(samples, this.#inputLength);
    this.#inputLength = length;
  }

  #sampleHere(): number {
    const { coefficients, reach } = this.#filter;
    const input = this.#input;
    const taps = 2 * reach;
    const from = this.#index - reach + 1;
    const row = this.#phase * taps;
    let sum = 0;
    for (let tap = 0; tap < taps; tap += 1) {
      sum += (input[from + tap] as number) * (coefficients[row + tap] as number);
    }
    return sum;
  }

  #forget(): void {
    const used = Math.min(this.#index - this.#filter.reach + 1, this.#inputLength);
    this.#input.copyWithin(0, used, this.#inputLength);
    this.#inputLength -= used;
    this.#index -= used;
  }
}

/** Converts consecutive blocks of 16-bit samples of any rate to one rate. */
export interface RateConverter {
  push(samples: Int16Array, fromHz: number): void;
  /** Writes the remaining output of the samples so far. */
  flush(): void;
}

/** @param write receives the output, which is valid only during the call */
export function createRateConverter(
  toHz: number,
  write: (samples: Int16Array) => void,
): RateConverter {
  let current: { fromHz: number; resampler: Resampler } | undefined;
  let rounded = new Int16Array(0);

  function give(samples: Float32Array): void {
    const count = samples.length;
    if (rounded.length < count) rounded = new Int16Array(count);
    for (let index = 0; index < count; index += 1) {
      const sample = Math.round(samples[index] as number);
      rounded[index] = Math.max(-32768, Math.min(32767, sample));
    }
    write(rounded.subarray(0, count));
  }

  function flush(): void {
    if (current !== undefined) give(current.resampler.flush());
    current = undefined;
  }
  return {
    push(samples, fromHz) {
      if (fromHz !== (current?.fromHz ?? toHz)) {
        flush();
        if (fromHz !== toHz) current = { fromHz, resampler: new Resampler({ fromHz, toHz }) };
      }
      if (current === undefined) write(samples);
      else give(current.resampler.process(samples));
    },
    flush,
  };
}

function filterFor(fromHz: number, toHz: number, shape: FilterShape): Filter {
  const divisor = greatestCommonDivisor(fromHz, toHz);
  const phases = toHz / divisor;
  const step = fromHz / divisor;
  if (phases > MAX_PHASES) throw new RangeError(`No filter from ${fromHz} to ${toHz} Hz.`);
  const { zeroCrossings, kaiserBeta, cutoff } = shape;
  const key = [step, phases, zeroCrossings, kaiserBeta, cutoff].join(':');
  const known = filters.get(key);
  if (known !== undefined) return known;
  const filter = designFilter(phases, step, shape);
  filters.set(key, filter);
  return filter;
}

function designFilter(
  phases: number,
  step: number,
  { zeroCrossings, kaiserBeta, cutoff: share }: FilterShape,
): Filter {
  // The lower rate as a fraction of the input rate.
  const lower = Math.min(1, phases / step);
  const cutoff = share * lower;
  const reach = Math.ceil(zeroCrossings / lower);
  const window = kaiser(kaiserBeta);
  const coefficients = new Float32Array(phases * 2 * reach);
  for (let phase = 0; phase < phases; phase += 1) {
    const row = coefficients.subarray(phase * 2 * reach, (phase + 1) * 2 * reach);
    row.forEach((_, tap) => {
      const distance = tap - reach + 1 - phase / phases;
      row[tap] = sinc(distance * cutoff) * window(distance / reach);
    });
    // Normalised so that every phase passes a constant unchanged; otherwise the phases would hum at
    // the output rate.
    const sum = row.reduce((total, coefficient) => total + coefficient, 0);
    row.forEach((coefficient, tap) => (row[tap] = coefficient / sum));
  }
  return { reach, phases, step, coefficients };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** The Kaiser window on -1 to 1. */
function kaiser(beta: number): (x: number) => number {
  const peak = bessel(beta);
  return (x) => bessel(beta * Math.sqrt(Math.max(0, 1 - x * x))) / peak;
}

/** The modified Bessel function of the first kind and order 0, by its series. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
