import { css } from 'lit';
import { partColours } from '../parts/bar-plot.styles.ts';

export const usageStyles = [
  partColours,
  css`
    .choices select {
      inline-size: auto;
    }
    .days {
      flex-wrap: nowrap;
    }
    .days input {
      inline-size: 9.5rem;
    }
    #range-problem:empty {
      display: none;
    }
    .choice label:has(:disabled) {
      opacity: 0.6;
      cursor: default;
    }
    figure table :is(th, td):first-child {
      padding-inline-start: 0;
    }
    figure table :is(th, td):last-child {
      padding-inline-end: 0;
    }
    tfoot > tr > * {
      font-weight: 650;
      border-block-start: 1px solid var(--edge);
      border-block-end: 0;
    }
    summary {
      min-block-size: 2.5rem;
      padding-block: 0.5rem;
      font-weight: 600;
      color: var(--accent);
      cursor: pointer;
    }
    details .table-frame {
      max-block-size: 24rem;
      overflow: auto;
    }
    details thead th {
      position: sticky;
      inset-block-start: 0;
      background: var(--card);
    }
  `,
];
