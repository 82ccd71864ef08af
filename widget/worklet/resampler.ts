/** Zero crossings of the sinc on each side at the lower of the two rates: sets the steepness. */
const ZERO_CROSSINGS = 48;
/** Fractions of an input sample the filter is tabulated at; between them it is interpolated. */
const PHASES = 128;
/** Kaiser β: 9 puts the stop band near −90 dB, below the 16 bits of the output. */
const KAISER_BETA = 9;
/**
 * Middle of the transition band as a share of the output's Nyquist frequency. With these lengths
 * what comes out at 16 kHz is flat to 7 kHz and nothing from above 8 kHz folds back into it.
 */
const CUTOFF = 0.94;

/**
 * Changes the sample rate of a stream with an anti-aliasing windowed-sinc filter. Keeps its history
 * between calls and allocates only when it is made.
 */
export class Resampler {
  readonly #step: number;
  readonly #taps: number;
  /** Row per phase, one more than PHASES so that the last can be interpolated towards. */
  readonly #filter: Float32Array;
  readonly #history: Float32Array;
  #filled: number;
  /** Where the next output sample lies, in input samples from the start of the history. */
  #position = 0;

  constructor({ fromHz, toHz, maxBlock }: { fromHz: number; toHz: number; maxBlock: number }) {
    this.#step = fromHz / toHz;
    const widening = Math.max(1, this.#step);
    this.#taps = 2 * Math.ceil(ZERO_CROSSINGS * widening);
    this.#filter = filterTable(this.#taps, CUTOFF / widening);
    this.#history = new Float32Array(this.#taps + maxBlock + Math.ceil(widening));
    // Half a filter of silence first: output sample n then lies at input time n × step.
    this.#filled = this.#taps / 2 - 1;
  }

  /**
   * Takes a block of at most `maxBlock` samples and writes what can be computed so far.
   *
   * @returns number of samples written to `output`, which must hold ⌈block / step⌉ + 1
   */
  process(input: Float32Array, output: Float32Array): number {
    const history = this.#history;
    history.set(input, this.#filled);
    this.#filled += input.length;
    let written = 0;
    while (Math.floor(this.#position) + this.#taps <= this.#filled) {
      output[written++] = this.#sampleAt(this.#position);
      this.#position += this.#step;
    }
    const used = Math.min(Math.floor(this.#position), this.#filled);
    history.copyWithin(0, used, this.#filled);
    this.#filled -= used;
    this.#position -= used;
    return written;
  }

  #sampleAt(position: number): number {
    const taps = this.#taps;
    const start = Math.floor(position);
    const phase = (position - start) * PHASES;
    const row = Math.floor(phase);
    const share = phase - row;
    let at = row * taps;
    let lower = 0;
    let upper = 0;
    for (let index = start; index < start + taps; index++, at++) {
      const sample = this.#history[index] as number;
      lower += sample * (this.#filter[at] as number);
      upper += sample * (this.#filter[at + taps] as number);
    }
    return lower + (upper - lower) * share;
  }
}

/** Rows of `taps` coefficients for each phase; every row sums to 1, so silence stays silent and DC exact. */
function filterTable(taps: number, cutoff: number): Float32Array {
  const table = new Float32Array((PHASES + 1) * taps);
  for (let phase = 0; phase <= PHASES; phase++) {
    const row = table.subarray(phase * taps, (phase + 1) * taps);
    let sum = 0;
    for (let tap = 0; tap < taps; tap++) {
      const x = tap - (taps / 2 - 1) - phase / PHASES;
      sum += row[tap] = cutoff * sinc(cutoff * x) * kaiser(x / (taps / 2));
    }
    for (let tap = 0; tap < taps; tap++) row[tap] = (row[tap] as number) / sum;
  }
  return table;
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);
}

/** Modified Bessel function of the first kind, order 0. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-9; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
