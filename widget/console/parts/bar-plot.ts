import { LitElement, html, nothing, svg, type TemplateResult } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { axisTicks, shownLabels, type AxisUnit } from './axis.ts';
import { barPlotStyles } from './bar-plot.styles.ts';
import { baseStyles } from './base.styles.ts';
import { shortNumber } from './numbers.ts';

const HEIGHT = 272;
const TOP = 12;
const BOTTOM = 28;
const LEFT = 56;
/** Room that one label of the time axis takes. */
const LABEL_WIDTH = 64;
const MAX_BAR_WIDTH = 40;
const TIP_GAP = 10;

/** Bars over time. */
export interface BarPlotData {
  buckets: readonly { label: string; fullLabel: string }[];
  /** Parts of each bar, from the bottom up; `part` is the colour, 1 to 6. */
  series: readonly { name: string; part: number; values: readonly number[] }[];
}

/**
 * Stacked bars. With the pointer or the arrow keys one goes from bar to bar and is told what each
 * stands for.
 */
export class ConsoleBarPlot extends LitElement {
  static override styles = [baseStyles, barPlotStyles];

  @property() label = '';
  @property({ attribute: false }) data: BarPlotData = { buckets: [], series: [] };
  @property({ attribute: false }) unit: AxisUnit = { size: 1, suffix: '' };
  /** Writes an amount in full. */
  @property({ attribute: false }) format: (amount: number) => string = String;
  @state() private width = 0;
  @state() private chosen: number | undefined;
  @query('.frame', true) private readonly frame!: HTMLElement;
  @query('.tip', true) private readonly tip!: HTMLElement;
  readonly #size = new ResizeObserver(([entry]) => (this.width = entry?.contentRect.width ?? 0));

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
    // Beside the bar, where there is more room.
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
      aria-valuetext=${this.told(now)}
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
    const y = (amount: number) => HEIGHT - BOTTOM - (amount / top) * (HEIGHT - TOP - BOTTOM);
    const slot = this.slotWidth;
    const bar = Math.max(1, Math.min(MAX_BAR_WIDTH, slot * 0.72));
    const room = Math.floor((this.width - LEFT) / LABEL_WIDTH);
    return html`<svg width=${this.width} height=${HEIGHT} aria-hidden="true">
      ${ticks.map(
        (tick) =>
          svg`<line class="grid-line" x1=${LEFT} x2=${this.width} y1=${y(tick)} y2=${y(tick)} />
            <text class="tick" x=${LEFT - 10} y=${y(tick)} dy="0.32em" text-anchor="end">${this.tickText(tick)}</text>`,
      )}
      ${
        this.chosen === undefined
          ? nothing
          : svg`<rect class="chosen" x=${LEFT + this.chosen * slot} y=${TOP} width=${slot} height=${HEIGHT - TOP - BOTTOM} />`
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
      <line class="base-line" x1=${LEFT} x2=${this.width} y1=${y(0)} y2=${y(0)} />
      ${shownLabels(buckets.length, room).map(
        (index) =>
          svg`<text class="tick" x=${this.labelPlace(index)} y=${HEIGHT - 8} text-anchor="middle">${buckets[index]?.label}</text>`,
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

  /** A bar in words, for those who listen. */
  private told(index: number): string {
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

  private get slotWidth(): number {
    return (this.width - LEFT) / Math.max(1, this.data.buckets.length);
  }

  private barMiddle(index: number): number {
    return LEFT + (index + 0.5) * this.slotWidth;
  }

  /** Under its bar, but within the picture. */
  private labelPlace(index: number): number {
    return Math.min(this.barMiddle(index), this.width - LABEL_WIDTH / 2 + 8);
  }

  private readonly onPointer = (event: PointerEvent): void => {
    const x = event.clientX - this.frame.getBoundingClientRect().left - LEFT;
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

  /** A finger that is lifted leaves what it has pointed at. */
  private readonly onPointerLeave = ({ pointerType }: PointerEvent): void => {
    if (pointerType === 'mouse') this.leave();
  };

  private readonly leave = (): void => {
    this.chosen = undefined;
  };
}

customElements.define('console-bar-plot', ConsoleBarPlot);
