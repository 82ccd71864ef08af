/**
 * Changes the rate of a stream of samples by any rational ratio: a polyphase windowed-sinc filter.
 *
 * The sinc is cut at the lower of the two Nyquist frequencies and shaped by a Kaiser window. With 20
 * zero crossings a side and beta 7.9 the transition is an eighth of the lower rate wide and what
 * would alias is 80 dB down: at 16 kHz the passband is flat to 7 kHz and nothing above 9 kHz is left.
 */
const ZERO_CROSSINGS = 20;
const KAISER_BETA = 7.9;
/** Phases of the filter table: 44.1 kHz to 48 kHz and back needs 160. */
const MAX_PHASES = 2048;

const kaiserPeak = bessel(KAISER_BETA);

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
  #input: Int16Array;
  #inputLength: number;
  /** Where the next output sample is: before `#input[#index]` lie `reach - 1` samples of history. */
  #index: number;
  #phase = 0;
  #output = new Int16Array(0);

  /** @throws RangeError when the rates have hardly a common divisor */
  constructor({ fromHz, toHz }: { fromHz: number; toHz: number }) {
    this.#filter = filterFor(fromHz, toHz);
    // The sound before the first sample is silence.
    this.#inputLength = this.#filter.reach - 1;
    this.#index = this.#filter.reach - 1;
    this.#input = new Int16Array(4 * this.#filter.reach);
  }

  /** The samples that the input so far settles; valid until the next call. */
  process(samples: Int16Array): Int16Array {
    this.#append(samples);
    const { phases, step, reach } = this.#filter;
    const room = Math.ceil(((this.#inputLength - this.#index) * phases) / step) + 1;
    if (this.#output.length < room) this.#output = new Int16Array(Math.max(room, 1));
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
  flush(): Int16Array {
    return this.process(new Int16Array(this.#filter.reach));
  }

  #append(samples: Int16Array): void {
    const length = this.#inputLength + samples.length;
    if (length > this.#input.length) {
      const larger = new Int16Array(2 * length);
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
    return Math.max(-32768, Math.min(32767, Math.round(sum)));
  }

  #forget(): void {
    const used = Math.min(this.#index - this.#filter.reach + 1, this.#inputLength);
    this.#input.copyWithin(0, used, this.#inputLength);
    this.#inputLength -= used;
    this.#index -= used;
  }
}

function filterFor(fromHz: number, toHz: number): Filter {
  const divisor = greatestCommonDivisor(fromHz, toHz);
  const phases = toHz / divisor;
  const step = fromHz / divisor;
  if (phases > MAX_PHASES) throw new RangeError(`No filter from ${fromHz} to ${toHz} Hz.`);
  const key = `${step}:${phases}`;
  const known = filters.get(key);
  if (known !== undefined) return known;
  const filter = designFilter(phases, step);
  filters.set(key, filter);
  return filter;
}

function designFilter(phases: number, step: number): Filter {
  // The cut-off as a fraction of the input's Nyquist frequency.
  const cutoff = Math.min(1, phases / step);
  const reach = Math.ceil(ZERO_CROSSINGS / cutoff);
  const coefficients = new Float32Array(phases * 2 * reach);
  for (let phase = 0; phase < phases; phase += 1) {
    const row = coefficients.subarray(phase * 2 * reach, (phase + 1) * 2 * reach);
    row.forEach((_, tap) => {
      const distance = tap - reach + 1 - phase / phases;
      row[tap] = sinc(distance * cutoff) * kaiser(distance / reach);
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
function kaiser(x: number): number {
  return bessel(KAISER_BETA * Math.sqrt(Math.max(0, 1 - x * x))) / kaiserPeak;
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
