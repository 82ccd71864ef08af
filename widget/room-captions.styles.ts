import { css } from 'lit';
import { captionBase } from './voice-captions.styles.ts';

const frame = css`
  :host {
    block-size: 24rem;
  }
  :host([lines]:not([lines='0'])) {
    block-size: auto;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  .base {
    /* The size of captions grows with the width of the element, not of the window. */
    --_size: calc(var(--vc-font-size, clamp(1.3125rem, 1.05rem + 1.1cqi, 3rem)) * var(--_scale, 1));
    --_leading: var(--vc-leading, 1.45);
    --_inset: var(--vc-padding, clamp(1.125rem, 4cqi, 2.5rem));
    position: relative;
    block-size: 100%;
    color: var(--_ink);
    background: var(--_paper);
    border-radius: var(--vc-radius, 0);
    overflow: clip;
  }
  /* Where a page that resets all elements has taken the height, without which no line would scroll. */
  .whole {
    container-type: size;
    contain-intrinsic-block-size: 24rem;
    max-block-size: inherit;
  }
`;

const lines = css`
  .lines {
    block-size: 100%;
    font-size: var(--_size);
    line-height: var(--_leading);
    font-weight: var(--vc-font-weight, 450);
    text-align: var(--vc-text-align, start);
    overflow-wrap: anywhere;
    /* Any other setting re-breaks lines that are being read. */
    text-wrap: wrap;
  }
  .whole .lines {
    overflow: hidden auto;
    overscroll-behavior: contain;
    overflow-anchor: none;
    scrollbar-width: thin;
    scrollbar-color: var(--_line) transparent;
    /* Lines go out of sight, and are not cut. */
    mask-image: linear-gradient(transparent, black 1.5rem);
  }
  .whole .flow {
    max-inline-size: calc(var(--vc-measure, 46ch) + 2 * var(--_inset));
    margin-inline: auto;
    /* The newest words do not stand at the very edge, nor above a low block with large type. */
    padding: var(--_inset);
    padding-block-end: min(max(var(--_inset), 3lh), 0.25 * var(--_height, 100vb));
  }
  .base.block {
    padding-block: var(--vc-block-padding, 0);
    block-size: auto;
  }
  .block .flow {
    padding-inline: var(--vc-padding, 0);
  }
  .faded {
    opacity: 0.45;
  }
  .lines:focus-visible {
    outline: 3px solid var(--_accent);
    outline-offset: -3px;
  }
  .whole .caption + .caption {
    margin-block-start: 0.55em;
  }
  .whole .caption.first:not(:first-child) {
    margin-block-start: 1.4em;
  }
  .time {
    display: block;
    margin-block-end: 0.15em;
    font-size: max(0.8125rem, 0.6em);
    font-weight: 400;
    font-variant-numeric: tabular-nums;
    color: var(--_soft);
  }
  .words {
    background: var(--vc-line-background, none);
    padding: var(--vc-line-padding, 0);
    border-radius: var(--vc-line-radius, 0);
    box-decoration-break: clone;
    -webkit-box-decoration-break: clone;
    text-shadow: var(--vc-text-shadow, none);
  }
  .whole .caption {
    position: relative;
  }
  /* Beside the text, where it moves none of it. */
  .person {
    position: absolute;
    inset-block-end: 0.5em;
    inset-inline-start: max(-0.72em, -1 * var(--_inset));
    color: var(--_soft);
  }
  .person .icon {
    inline-size: min(0.52em, var(--_inset) - 2px);
    block-size: min(0.52em, var(--_inset) - 2px);
  }
  .block .person {
    display: none;
  }

  /* A few lines of fixed height: the newest at the bottom, and what is above goes out of sight. */
  .block .lines {
    display: flex;
    flex-direction: column;
    justify-content: flex-end;
    overflow: clip;
    block-size: calc(var(--_lines) * var(--_leading) * 1em);
    max-inline-size: var(--vc-measure, none);
    margin-inline: auto;
  }
  /* Browsers round the height of a line in different ways; a whole number leaves them no choice. */
  @supports (line-height: round(up, 1em, 1px)) {
    .block .lines {
      --_row: round(up, calc(var(--_leading) * 1em), 1px);
      line-height: var(--_row);
      block-size: calc(var(--_lines) * var(--_row));
    }
  }
  .block .flow {
    flex: none;
  }
  .block.bare {
    background: none;
  }
`;

const notices = css`
  .empty {
    position: absolute;
    inset: 0;
    display: grid;
    align-content: center;
    justify-items: center;
    gap: 0.375rem;
    padding: var(--_inset);
    text-align: center;
    text-wrap: balance;
    color: var(--_soft);
    pointer-events: none;
  }
  ::slotted([slot='empty']) {
    pointer-events: auto;
  }
  .title {
    font-size: clamp(1.25rem, 1.1rem + 0.9cqi, 1.75rem);
    font-weight: 600;
    color: var(--_ink);
  }
  .status {
    position: absolute;
    inset-block-start: 0.75rem;
    inset-inline: 0.75rem;
    margin-inline: auto;
    inline-size: fit-content;
    max-inline-size: calc(100% - 1.5rem);
    padding: 0.5rem 1.125rem;
    font-size: 0.9375rem;
    text-align: center;
    text-wrap: balance;
    color: var(--_notice-ink);
    background: var(--_notice);
    border-radius: 1.5rem;
    box-shadow: 0 2px 12px rgb(0 0 0 / 0.12);
  }
  .status b {
    display: block;
  }
  /* Below the newest words, where none are; above the button that leads to them. */
  .whole .status {
    inset-block: auto 0.75rem;
  }
  .whole.back .status {
    inset-block-end: 4.75rem;
  }
  /* In a few lines stands the title, and the hint only where there is room for all of it. */
  .block :is(.empty, .status) {
    display: flex;
    flex-flow: column wrap;
    place-content: flex-start safe center;
    /* Beyond the padding, where a hint would still be seen. */
    column-gap: 2rem;
    inset-block: 0 auto;
    max-block-size: 100%;
    overflow: hidden;
  }
  .block .empty {
    block-size: 100%;
    padding: 0;
  }
  .block .status {
    padding-block: 0.25rem;
  }
  .block :is(.empty p, .status > *) {
    inline-size: 100%;
  }
  .block .title {
    font-size: clamp(1rem, 0.9rem + 0.9cqi, 1.75rem);
  }
  .jump {
    position: absolute;
    inset-block-end: 1rem;
    inset-inline: 0;
    margin-inline: auto;
    inline-size: fit-content;
    display: flex;
    gap: 0.5rem;
    align-items: center;
    min-block-size: 3rem;
    padding: 0.5rem 1.25rem 0.5rem 1rem;
    font: inherit;
    font-weight: 600;
    color: var(--_on-accent);
    background: var(--_accent);
    border: 0;
    border-radius: 2rem;
    box-shadow: 0 4px 16px rgb(0 0 0 / 0.24);
    cursor: pointer;
    -webkit-tap-highlight-color: transparent;
  }
  .jump:focus-visible {
    outline: 3px solid var(--_accent);
    outline-offset: 3px;
  }
  @media (prefers-reduced-motion: no-preference) {
    .lines {
      transition: opacity 160ms;
    }
    .tentative {
      transition: color 120ms;
    }
  }
  @media (forced-colors: active) {
    .status,
    .jump {
      border: 1px solid;
    }
  }
`;

/** On paper stands the whole transcript, not only what is in view. */
const paper = css`
  @media print {
    :host {
      block-size: auto !important;
    }
    .whole.base {
      container-type: inline-size;
    }
    .whole.base,
    .whole .lines {
      block-size: auto;
      overflow: visible;
      mask-image: none;
    }
    .whole .caption {
      break-inside: avoid;
    }
    .status,
    .jump {
      display: none;
    }
  }
`;

/** Styles of `<room-captions>`: adopted style sheets, which `style-src 'self'` permits. */
export const roomCaptionsStyles = [...captionBase, frame, lines, notices, paper];
