import { css } from 'lit';

/** Colours of parts, in plots and in what explains them. */
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

export const barPlotStyles = [
  partColours,
  css`
    .frame {
      position: relative;
      min-block-size: 272px;
      touch-action: pan-y;
    }
    svg {
      display: block;
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
