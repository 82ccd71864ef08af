import { css } from 'lit';

export const enginesStyles = css`
  li {
    display: grid;
    gap: 0.375rem;
    padding: 1rem clamp(1rem, 0.75rem + 1vw, 1.5rem);
  }
  li + li {
    border-block-start: 1px solid var(--line);
  }
  li p {
    max-inline-size: 80ch;
    overflow-wrap: anywhere;
  }
  .warning {
    font-weight: 550;
    color: var(--bad);
  }
  summary {
    min-block-size: 2rem;
    padding-block: 0.25rem;
    font-size: 0.875rem;
    font-weight: 600;
    color: var(--accent);
    cursor: pointer;
  }
  details dl {
    display: grid;
    grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr);
    gap: 0.25rem 1.25rem;
    padding-block: 0.375rem;
  }
  details dt {
    font-weight: 600;
  }
  details dd {
    color: var(--soft);
  }
  .counts {
    display: flex;
    flex-wrap: wrap;
    gap: 0.375rem 2.25rem;
    padding-block-start: 0.25rem;
  }
  .counts dt {
    font-size: 0.8125rem;
    color: var(--soft);
  }
  .counts dd {
    min-inline-size: 4.5rem;
    font-weight: 600;
    font-variant-numeric: tabular-nums;
  }
`;
