/**
 * Changes the rate of a stream of samples by any rational ratio: a polyphase windowed-sinc filter, in
 * the audio thread of a page as well as in the processes that decode and encode.
 */

/** What a filter lets through, and what it costs. */
export interface FilterShape {
  /** Zero crossings of the sinc on each side, at the lower of the two rates: sets the steepness and the work. */
  zeroCrossings: number;
  /** Kaiser β: sets how far down is what would alias. */
  kaiserBeta: number;
  /** Middle of the transition band as a share of the lower Nyquist frequency. */
  cutoff: number;
}

/**
 * For recordings: the transition is an eighth of the lower rate wide, and what would alias is 80 dB
 * down. At 16 kHz the passband is flat to 7 kHz and nothing above 9 kHz is left.
 */
const usualShape: FilterShape = { zeroCrossings: 20, kaiserBeta: 7.9, cutoff: 1 };

/**
 * For microphones: near −90 dB, below the 16 bits of the output. At 16 kHz the passband is flat to
 * 7 kHz and nothing from above 8 kHz folds back into it.
 */
export const steepShape: FilterShape = { zeroCrossings: 48, kaiserBeta: 9, cutoff: 0.94 };

/** Phases of the filter table: 44.1 kHz to 48 kHz and back needs 160, a microphone of any rate 16,000 at most. */
const MAX_PHASES = 16_000;

interface Filter {
  /** Input samples on each side of the output sample. */
  reach: number;
  phases: number;
  /** Input samples that pass from one output sample to the next, times `phases`. */
  step: number;
  /** Coefficients, phase after phase, `2 * reach` each. */
  coefficients: Float32Array;
}

const filters = new Map<string, Filter>();

/** Aligned with its input: output sample n is the sound at time n / toHz. */
export class Resampler {
  readonly #filter: Filter;
  /** Input not used up yet, preceded by what the filter still looks back at. */
  #input: Float32Array;
  #inputLength: number;
  /** Where the next output sample is: before `#input[#index]` lie `reach - 1` samples of history. */
  #index: number;
  #phase = 0;
  #output = new Float32Array(0);

  /** @throws RangeError when the rates have hardly a common divisor */
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

  /** The samples that the input so far settles, at its scale; valid until the next call. */
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

  /** The rest, as if silence followed; all calls together give ceil(input × toHz / fromHz) samples. */
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

/** Changes samples of 16 bits of any rate, one after the other, to one rate. */
export interface RateConverter {
  push(samples: Int16Array, fromHz: number): void;
  /** Gives what is left of the samples so far. */
  flush(): void;
}

/** @param write takes what came out, valid during the call only */
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
  // The lower rate as a fraction of the input's.
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
    // Every phase passes a constant unchanged; otherwise the phases would hum at the output rate.
    const sum = row.reduce((total, coefficient) => total + coefficient, 0);
    row.forEach((coefficient, tap) => (row[tap] = coefficient / sum));
  }
  return { reach, phases, step, coefficients };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** The Kaiser window over -1 to 1. */
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
