import { css } from 'lit';
import { controlsStyles } from './controls.styles.ts';
import { notesStyles } from './notes.styles.ts';
import { tablesStyles } from './tables.styles.ts';

const texts = css`
  :host {
    display: block;
    color: var(--ink);
    font-size: 0.9375rem;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  [hidden] {
    display: none !important;
  }
  h1,
  h2,
  h3,
  p,
  figure,
  dl,
  dd,
  ul,
  ol {
    margin: 0;
    padding: 0;
  }
  ul.plain,
  ol.plain {
    list-style: none;
  }
  h1 {
    font-size: clamp(1.5rem, 1.3rem + 0.8vw, 1.875rem);
    font-weight: 680;
    line-height: 1.2;
    letter-spacing: -0.02em;
  }
  h2 {
    font-size: 1.0625rem;
    font-weight: 650;
    line-height: 1.3;
    letter-spacing: -0.01em;
  }
  h3 {
    font-size: 0.9375rem;
    font-weight: 650;
  }
  a {
    color: var(--accent);
    text-underline-offset: 0.2em;
    text-decoration-thickness: 1px;
  }
  code,
  .mono {
    font-family: var(--mono);
    font-size: 0.92em;
    overflow-wrap: anywhere;
  }
  .soft {
    color: var(--soft);
  }
  .small {
    font-size: 0.8125rem;
  }
  .number {
    font-variant-numeric: tabular-nums;
  }
  .unseen {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    margin: 0;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .icon {
    flex: none;
    inline-size: 1.25rem;
    block-size: 1.25rem;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.75;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  :focus-visible {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
    border-radius: var(--radius-small);
  }
`;

const layout = css`
  .page {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1.5rem;
    align-content: start;
  }
  .page-head {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem 1.5rem;
    align-items: flex-end;
    justify-content: space-between;
  }
  .page-head > :first-child {
    flex: 1 1 20rem;
  }
  .page-head p {
    max-inline-size: 80ch;
    margin-block-start: 0.375rem;
    color: var(--soft);
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: 0.625rem;
    align-items: center;
  }
  .row.end {
    justify-content: flex-end;
  }
  .row.between {
    justify-content: space-between;
  }
  .stack {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1rem;
  }
  .card {
    min-inline-size: 0;
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: var(--radius);
    box-shadow: var(--shadow);
  }
  .card.padded,
  .card > .inside {
    padding: clamp(1rem, 0.75rem + 1vw, 1.5rem);
  }
  .card > .card-head {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem 1rem;
    align-items: center;
    justify-content: space-between;
    min-block-size: 3.75rem;
    padding: 0.75rem clamp(1rem, 0.75rem + 1vw, 1.5rem);
    border-block-end: 1px solid var(--line);
  }
  .grid {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr));
    gap: 1.25rem;
  }
`;

/** What every element of the console looks like; each takes it first: `static styles = [baseStyles, …]`. */
export const baseStyles = [texts, layout, controlsStyles, tablesStyles, notesStyles];
