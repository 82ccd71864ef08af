/** How tall a bar is when nothing is heard, as a share of its full height. */
const REST = 0.14;
/** Quietest level that moves the meter, in dB of full scale. */
const FLOOR_DB = -54;
/** Level that fills it: ordinary speech comes near, shouting does no more. */
const CEILING_DB = -6;

/** Moves the bars of the level meter with the voice, without rendering anything anew. */
export class LevelMeter {
  readonly #bars: () => ArrayLike<Element>;
  readonly #heights: number[] = [];

  constructor(bars: () => ArrayLike<Element>) {
    this.#bars = bars;
  }

  /** Adds a moment: the middle bar shows it, the others the moments before. @param peak 0 to 1 */
  show(peak: number): void {
    this.#heights.unshift(height(peak));
    this.#heights.length = Math.min(this.#heights.length, 3);
    this.#draw();
  }

  rest(): void {
    this.#heights.length = 0;
    this.#draw();
  }

  #draw(): void {
    const bars = Array.from(this.#bars());
    const middle = Math.floor(bars.length / 2);
    bars.forEach((bar, index) => {
      const share = this.#heights[Math.abs(index - middle)] ?? REST;
      (bar as HTMLElement).style.setProperty('--_level', share.toFixed(2));
    });
  }
}

/** Loudness is heard in decibels, so the meter shows them. */
function height(peak: number): number {
  const share = (20 * Math.log10(Math.max(peak, 1e-6)) - FLOOR_DB) / (CEILING_DB - FLOOR_DB);
  return Math.max(REST, Math.min(1, share));
}
