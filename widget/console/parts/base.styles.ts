import { css, unsafeCSS } from 'lit';
import pageSheet from '../../page/page.css?inline';
import { choiceStyles } from './choices.ts';
import { frameStyles } from './frame.ts';
import { stateStyles } from './states.ts';

const texts = css`
  :host {
    display: block;
    color: var(--ink);
    font-size: 0.9375rem;
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
    padding: var(--inset);
  }
  .card > .card-head {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem 1rem;
    align-items: center;
    justify-content: space-between;
    min-block-size: 3.75rem;
    padding: 0.75rem var(--inset);
    border-block-end: 1px solid var(--line);
  }
  .grid {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr));
    gap: 1.25rem;
  }
  .badge {
    display: inline-flex;
    gap: 0.375rem;
    align-items: center;
    padding: 0.125rem 0.5625rem;
    font-size: 0.8125rem;
    font-weight: 600;
    white-space: nowrap;
    color: var(--soft);
    background: var(--wash);
    border-radius: 1rem;
  }
  .badge.good {
    color: var(--good);
    background: var(--good-tint);
  }
  .badge.warn {
    color: var(--warn);
    background: var(--warn-tint);
  }
  .badge.bad {
    color: var(--bad);
    background: var(--bad-tint);
  }
  progress.warn::-webkit-progress-value {
    background: var(--series-2);
  }
  progress.bad::-webkit-progress-value {
    background: var(--bad);
  }
`;

/** Buttons, fields and choices. */
const controls = css`
  button,
  .button,
  input,
  select,
  textarea {
    font: inherit;
    color: inherit;
  }
  button,
  .button {
    display: inline-flex;
    gap: 0.5rem;
    align-items: center;
    justify-content: center;
    min-block-size: 2.5rem;
    padding: 0.25rem 1rem;
    font-weight: 600;
    line-height: 1.25;
    text-decoration: none;
    color: var(--ink);
    background: var(--card);
    border: 1px solid var(--edge);
    border-radius: var(--radius-small);
    cursor: pointer;
  }
  button.primary,
  .button.primary {
    color: var(--on-accent);
    background: var(--accent);
    border-color: var(--accent);
  }
  button.danger {
    color: var(--bad);
    border-color: currentColor;
  }
  button.danger.primary {
    color: var(--on-bad);
    background: var(--bad);
    border-color: var(--bad);
  }
  button.quiet,
  .button.quiet {
    background: transparent;
    border-color: transparent;
  }
  button.icon-only,
  .button.icon-only {
    inline-size: 2.5rem;
    padding: 0;
  }
  button.small,
  .button.small {
    min-block-size: 2.25rem;
    padding-inline: 0.75rem;
    font-size: 0.875rem;
  }
  button:is(:disabled, [aria-disabled='true']) {
    color: var(--soft);
    background: transparent;
    border-color: var(--line);
    border-style: dashed;
    cursor: default;
  }
  @media (hover: hover) {
    button:hover:enabled:not([aria-disabled='true']),
    .button:hover {
      border-color: var(--accent);
    }
    button.quiet:hover:enabled:not([aria-disabled='true']),
    .button.quiet:hover {
      background: var(--wash);
      border-color: transparent;
    }
    button.primary:hover:enabled:not([aria-disabled='true']),
    .button.primary:hover {
      background: var(--accent-strong);
      border-color: var(--accent-strong);
    }
    button.danger:hover:enabled:not([aria-disabled='true']) {
      border-color: var(--bad);
      background: var(--bad-tint);
    }
    button.danger.primary:hover:enabled:not([aria-disabled='true']) {
      background: var(--bad-strong);
      border-color: var(--bad-strong);
    }
  }
  .field {
    display: grid;
    gap: 0.375rem;
    min-inline-size: 0;
  }
  .field > label,
  .label {
    font-size: 0.875rem;
    font-weight: 600;
  }
  .hint {
    font-size: 0.8125rem;
    color: var(--soft);
  }
  .error {
    font-size: 0.8125rem;
    font-weight: 550;
    color: var(--bad);
  }
  input:not([type='checkbox'], [type='radio'], [type='file']),
  select,
  textarea {
    inline-size: 100%;
    min-inline-size: 0;
    min-block-size: 2.5rem;
    padding: 0.375rem 0.75rem;
    color: var(--ink);
    background: var(--card);
    border: 1px solid var(--edge);
    border-radius: var(--radius-small);
  }
  textarea {
    resize: vertical;
  }
  ::placeholder {
    color: var(--soft);
    opacity: 1;
  }
  [aria-invalid='true'] {
    border-color: var(--bad) !important;
  }
  input[type='checkbox'],
  input[type='radio'] {
    flex: none;
    inline-size: 1.125rem;
    block-size: 1.125rem;
    margin: 0;
    accent-color: var(--accent);
  }
  .check {
    display: flex;
    gap: 0.625rem;
    align-items: center;
    min-block-size: 2.25rem;
  }
  /* Fingers need more room than a mouse. */
  @media (pointer: coarse) {
    button,
    .button,
    :is(button, .button).small,
    input:not([type='checkbox'], [type='radio']),
    select {
      min-block-size: 2.75rem;
    }
    button.icon-only {
      inline-size: 2.75rem;
    }
  }
`;

/** Styles of every console element, listed first: `static styles = [baseStyles, …]`. */
export const baseStyles = [
  unsafeCSS(pageSheet),
  texts,
  layout,
  controls,
  choiceStyles,
  frameStyles,
  stateStyles,
];
