import { css } from 'lit';
import { partColours } from '../parts/bar-plot.styles.ts';

export const overviewStyles = [
  partColours,
  css`
    .tiles {
      display: grid;
      grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
      gap: 1.25rem;
    }
    .amounts {
      display: grid;
      grid-template-columns: repeat(auto-fit, minmax(min(100%, 9rem), 1fr));
      gap: 1.25rem 2rem;
    }
    .amounts > div {
      display: grid;
      gap: 0.375rem;
      align-content: start;
    }
    .amounts > div > dt {
      font-size: 0.8125rem;
      font-weight: 600;
      color: var(--soft);
    }
    .parts > div {
      display: flex;
      flex-direction: row-reverse;
      gap: 0.375rem;
      justify-content: flex-end;
    }
    .parts dd {
      font-variant-numeric: tabular-nums;
    }
    .large {
      display: grid;
      gap: 0.5rem;
      justify-items: start;
    }
    .large :is(.meter-text, a) {
      font-size: 1.25rem;
      font-weight: 650;
      line-height: 1.25;
      letter-spacing: -0.01em;
    }
    .legend {
      display: flex;
      flex-wrap: wrap;
      gap: 0.25rem 1.25rem;
      font-size: 0.875rem;
    }
    @media (max-width: 52rem) {
      .tiles {
        grid-template-columns: minmax(0, 1fr);
      }
    }
  `,
];
