import { LitElement, css, html, nothing, svg, type TemplateResult } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { shortNumber } from '../../page/numbers.ts';
import { baseStyles } from './base.styles.ts';

/** Height of the bars' area, in px. */
const BARS = 232;
const TOP = 12;
/** Space of the labels below and at the left, and the width of one below, in rem: they grow with the letters. */
const BOTTOM = 1.75;
const LEFT = 3.5;
const LABEL_WIDTH = 4;
const MAX_BAR_WIDTH = 40;
const TIP_GAP = 10;

/** Stacked bars over time. */
export interface BarPlotData {
  buckets: readonly { label: string; fullLabel: string }[];
  /** Parts of each bar, from the bottom up; `part` is the colour, 1 to 6. */
  series: readonly { name: string; part: number; values: readonly number[] }[];
}

/** Colours of the parts, for plots and their legends. */
export const partColours = css`
  .part-1 {
    --part: var(--series-1);
  }
  .part-2 {
    --part: var(--series-2);
  }
  .part-3 {
    --part: var(--series-3);
  }
  .part-4 {
    --part: var(--series-4);
  }
  .part-5 {
    --part: var(--series-5);
  }
  .part-6 {
    --part: var(--series-6);
  }
  rect[class^='part-'] {
    fill: var(--part);
    stroke: var(--card);
    stroke-width: 1;
  }
  .swatch {
    display: inline-block;
    flex: none;
    inline-size: 0.75rem;
    block-size: 0.75rem;
    margin-inline-end: 0.5rem;
    background: var(--part);
    border-radius: 0.1875rem;
  }
  @media (forced-colors: active) {
    .swatch,
    rect[class^='part-'] {
      forced-color-adjust: none;
    }
  }
`;

const barPlotStyles = [
  partColours,
  css`
    .frame {
      position: relative;
      min-block-size: calc(${TOP + BARS}px + ${BOTTOM}rem);
      touch-action: pan-y;
    }
    /* Paper is narrower than the window it was drawn for. */
    svg {
      display: block;
      max-inline-size: 100%;
      block-size: auto;
    }
    .grid-line {
      stroke: var(--line);
    }
    .base-line {
      stroke: var(--edge);
    }
    .tick {
      font-size: 0.75rem;
      font-variant-numeric: tabular-nums;
      fill: var(--soft);
    }
    .chosen {
      fill: var(--wash);
    }
    .tip {
      position: absolute;
      inset-block-start: 0;
      inset-inline-start: 0;
      z-index: 1;
      max-inline-size: min(100%, 22rem);
      padding: 0.625rem 0.875rem;
      font-size: 0.8125rem;
      background: var(--raised);
      border: 1px solid var(--line);
      border-radius: var(--radius-small);
      box-shadow: var(--shadow-raised);
      pointer-events: none;
    }
    .tip dl {
      display: grid;
      grid-template-columns: minmax(0, 1fr) auto;
      gap: 0.125rem 1.25rem;
      margin-block-start: 0.25rem;
    }
    .tip dt {
      display: flex;
      align-items: baseline;
      overflow-wrap: anywhere;
    }
    .tip dd {
      text-align: end;
      font-variant-numeric: tabular-nums;
    }
    .sum {
      font-weight: 600;
    }
  `,
];

/** Stacked bar plot. The pointer or the arrow keys select a bar and show its values. */
export class ConsoleBarPlot extends LitElement {
  static override styles = [baseStyles, barPlotStyles];

  @property() label = '';
  @property({ attribute: false }) data: BarPlotData = { buckets: [], series: [] };
  @property({ attribute: false }) unit: AxisUnit = { size: 1, suffix: '' };
  /** Formats an amount in full. */
  @property({ attribute: false }) format: (amount: number) => string = String;
  @state() private width = 0;
  @state() private chosen: number | undefined;
  @query('.frame', true) private readonly frame!: HTMLElement;
  @query('.tip', true) private readonly tip!: HTMLElement;
  /** Size of the letters of the page, in px. */
  #rem = 16;
  readonly #size = new ResizeObserver(([entry]) => {
    this.#rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    this.width = entry?.contentRect.width ?? 0;
  });

  override connectedCallback(): void {
    super.connectedCallback();
    this.#size.observe(this);
  }

  override disconnectedCallback(): void {
    this.#size.disconnect();
    super.disconnectedCallback();
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('data')) this.chosen = undefined;
  }

  override updated(): void {
    if (this.chosen === undefined) return;
    // Places the tip on the side of the bar with more space.
    const middle = this.barMiddle(this.chosen);
    const away = this.slotWidth / 2 + TIP_GAP;
    const size = this.tip.offsetWidth;
    const left = middle < this.width / 2 ? middle + away : middle - away - size;
    this.tip.style.translate = `${Math.max(0, Math.min(this.width - size, left))}px 0`;
  }

  override render(): TemplateResult {
    const { buckets } = this.data;
    const now = this.chosen ?? Math.max(0, buckets.length - 1);
    return html`<div
      class="frame"
      tabindex="0"
      role="slider"
      aria-label=${this.label}
      aria-valuemin="1"
      aria-valuemax=${Math.max(1, buckets.length)}
      aria-valuenow=${now + 1}
      aria-valuetext=${this.barText(now)}
      @keydown=${this.onKey}
      @pointermove=${this.onPointer}
      @pointerdown=${this.onPointer}
      @pointerleave=${this.onPointerLeave}
      @blur=${this.leave}
    >
      ${this.width === 0 ? nothing : this.picture()}
      <div class="tip" ?hidden=${this.chosen === undefined} aria-hidden="true">
        ${this.chosen === undefined ? nothing : this.tipContent(this.chosen)}
      </div>
    </div>`;
  }

  private picture(): TemplateResult {
    const { buckets, series } = this.data;
    const ticks = axisTicks(Math.max(...this.totals(), 0), this.unit);
    const top = ticks.at(-1) ?? 1;
    const y = (amount: number) => TOP + BARS - (amount / top) * BARS;
    const slot = this.slotWidth;
    const bar = Math.max(1, Math.min(MAX_BAR_WIDTH, slot * 0.72));
    const { left } = this;
    const room = Math.floor((this.width - left) / (LABEL_WIDTH * this.#rem));
    const height = TOP + BARS + BOTTOM * this.#rem;
    return html`<svg
      width=${this.width}
      height=${height}
      viewBox=${`0 0 ${this.width} ${height}`}
      aria-hidden="true"
    >
      ${ticks.map(
        (tick) =>
          svg`<line class="grid-line" x1=${left} x2=${this.width} y1=${y(tick)} y2=${y(tick)} />
            <text class="tick" x=${left - 10} y=${y(tick)} dy="0.32em" text-anchor="end">${this.tickText(tick)}</text>`,
      )}
      ${
        this.chosen === undefined
          ? nothing
          : svg`<rect class="chosen" x=${left + this.chosen * slot} y=${TOP} width=${slot} height=${BARS} />`
      }
      ${buckets.map((_, index) => {
        const x = this.barMiddle(index) - bar / 2;
        let below = 0;
        return series.map(({ part, values }) => {
          const amount = values[index] ?? 0;
          if (amount === 0) return nothing;
          const from = y(below);
          below += amount;
          return svg`<rect class="part-${part}" x=${x} y=${y(below)} width=${bar} height=${Math.max(0.75, from - y(below))} />`;
        });
      })}
      <line class="base-line" x1=${left} x2=${this.width} y1=${y(0)} y2=${y(0)} />
      ${shownLabels(buckets.length, room).map(
        (index) =>
          svg`<text class="tick" x=${this.labelPlace(index)} y=${height - this.#rem / 2} text-anchor="middle">${buckets[index]?.label}</text>`,
      )}
    </svg>`;
  }

  private tipContent(index: number): TemplateResult {
    const parts = this.data.series
      .map(({ name, part, values }) => ({ name, part, amount: values[index] ?? 0 }))
      .filter(({ amount }) => amount > 0);
    return html`<strong>${this.data.buckets[index]?.fullLabel}</strong>
      <dl>
        ${parts.toReversed().map(
          ({ name, part, amount }) =>
            html`<dt><i class="swatch part-${part}"></i>${name}</dt>
              <dd>${this.format(amount)}</dd>`,
        )}
        ${
          parts.length === 1
            ? nothing
            : html`<dt class="sum">Total</dt>
                <dd class="sum">${this.format(this.totals()[index] ?? 0)}</dd>`
        }
      </dl>`;
  }

  /** Describes a bar, for screen readers. */
  private barText(index: number): string {
    const bucket = this.data.buckets[index];
    if (bucket === undefined) return 'Nothing';
    const parts = this.data.series
      .map(({ name, values }) => ({ name, amount: values[index] ?? 0 }))
      .filter(({ amount }) => amount > 0)
      .map(({ name, amount }) => `${name} ${this.format(amount)}`);
    return `${bucket.fullLabel}: ${parts.length === 0 ? 'nothing' : parts.join(', ')}`;
  }

  private totals(): number[] {
    return this.data.buckets.map((_, index) =>
      this.data.series.reduce((total, { values }) => total + (values[index] ?? 0), 0),
    );
  }

  private tickText(tick: number): string {
    return tick === 0 ? '0' : `${shortNumber(tick / this.unit.size)}${this.unit.suffix}`;
  }

  private get left(): number {
    return LEFT * this.#rem;
  }

  private get slotWidth(): number {
    return (this.width - this.left) / Math.max(1, this.data.buckets.length);
  }

  private barMiddle(index: number): number {
    return this.left + (index + 0.5) * this.slotWidth;
  }

  /** Centres a label under its bar, but within the plot. */
  private labelPlace(index: number): number {
    return Math.min(this.barMiddle(index), this.width - (LABEL_WIDTH / 2 - 0.5) * this.#rem);
  }

  private readonly onPointer = (event: PointerEvent): void => {
    const x = event.clientX - this.frame.getBoundingClientRect().left - this.left;
    const index = Math.floor(x / this.slotWidth);
    this.chosen = index >= 0 && index < this.data.buckets.length ? index : undefined;
  };

  private readonly onKey = (event: KeyboardEvent): void => {
    const last = this.data.buckets.length - 1;
    const now = this.chosen ?? last + 1;
    const steps: Partial<Record<string, number>> = {
      ArrowLeft: now - 1,
      ArrowDown: now - 1,
      ArrowRight: now + 1,
      ArrowUp: now + 1,
      Home: 0,
      End: last,
    };
    const next = steps[event.key];
    if (event.key === 'Escape') this.leave();
    if (next === undefined || last < 0) return;
    event.preventDefault();
    this.chosen = Math.max(0, Math.min(last, next));
  };

  /** A lifted finger leaves the selection in place. */
  private readonly onPointerLeave = ({ pointerType }: PointerEvent): void => {
    if (pointerType === 'mouse') this.leave();
  };

  private readonly leave = (): void => {
    this.chosen = undefined;
  };
}

/** Unit of an axis. */
export interface AxisUnit {
  /** Amount of one unit: 60,000 for an axis in minutes if amounts are in ms. */
  size: number;
  /** Suffix of a number, such as ` min`. */
  suffix: string;
}

/** Returns the unit for speech up to a length. */
export function speechUnit(longestMs: number): AxisUnit {
  if (longestMs >= 2 * 3_600_000) return { size: 3_600_000, suffix: ' h' };
  return longestMs >= 120_000 ? { size: 60_000, suffix: ' min' } : { size: 1000, suffix: ' s' };
}

/** Unit for plain amounts. */
export const plainUnit: AxisUnit = { size: 1, suffix: '' };

/** Returns about four ticks from 0 to the highest amount, in steps of 1, 2 or 5 times a power of ten. */
export function axisTicks(highest: number, unit: AxisUnit): number[] {
  const most = Math.max(highest / unit.size, 1);
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  // Amounts are counts, so a step is never below one.
  const step = Math.max(1, power * ([1, 2, 5, 10].find((nice) => nice * power >= rough) ?? 10));
  const count = Math.ceil(most / step);
  return Array.from({ length: count + 1 }, (_, index) => index * step * unit.size);
}

/** Returns which labels fit an axis: every n-th, including the newest. */
export function shownLabels(count: number, room: number): number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, room)));
  return Array.from({ length: count }, (_, index) => index).filter(
    (index) => (count - 1 - index) % every === 0,
  );
}

customElements.define('console-bar-plot', ConsoleBarPlot);
