import { css } from 'lit';

export const modelsStyles = css`
  :host {
    scroll-margin-block-start: 5rem;
  }
  li {
    display: flex;
    flex-wrap: wrap;
    gap: 0.625rem 1.5rem;
    align-items: center;
    padding: 0.875rem clamp(1rem, 0.75rem + 1vw, 1.5rem);
  }
  .what {
    display: grid;
    flex: 1 1 22rem;
    gap: 0.25rem;
    min-inline-size: 0;
  }
  .actions {
    flex: 0 1 auto;
    min-inline-size: 0;
  }
  .actions:has(.progress) {
    flex: 1 1 16rem;
  }
  li > .note {
    flex: 1 0 100%;
  }
  li,
  .foot {
    border-block-start: 1px solid var(--line);
  }
  .tools,
  .hint-line {
    border-block-end: 0;
  }
  li:first-child {
    border-block-start: 0;
  }
  .what p {
    max-inline-size: 80ch;
    overflow-wrap: anywhere;
  }
  .tools > .search {
    margin-inline-start: 0;
  }
  .head {
    display: flex;
    flex-wrap: wrap;
    gap: 0.375rem 0.75rem;
    align-items: center;
  }
  .head h3 {
    overflow-wrap: anywhere;
  }
  .badge {
    white-space: normal;
  }
  .hint-line {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem 1.5rem;
    align-items: center;
    justify-content: space-between;
    border-block-end: 1px solid var(--line);
  }
  .hint-line p {
    flex: 1 1 18rem;
    max-inline-size: 70ch;
  }
  .choice {
    flex-wrap: wrap;
  }
  .progress {
    display: grid;
    flex: 1 1 14rem;
    gap: 0.25rem;
    max-inline-size: 28rem;
    font-size: 0.875rem;
    font-variant-numeric: tabular-nums;
  }
  /* Where nobody tells how far it is, something moves all the same. */
  progress:indeterminate {
    background: linear-gradient(90deg, var(--wash) 30%, var(--accent) 50%, var(--wash) 70%) 0 0 /
      200% 100%;
  }
  progress:indeterminate::-webkit-progress-bar {
    background: transparent;
  }
  @media (prefers-reduced-motion: no-preference) {
    progress:indeterminate {
      animation: pass 1.6s linear infinite;
    }
  }
  @keyframes pass {
    from {
      background-position: 100% 0;
    }
    to {
      background-position: -100% 0;
    }
  }
`;
