import { css } from 'lit';
import { toolbarStyles } from './views/toolbar.styles.ts';

/**
 * Colours come in pairs, light and dark, after the color-scheme the element inherits; a page
 * overrides any of them with a custom property. Text keeps a contrast of at least 7:1.
 */
const colours = css`
  :host {
    --_ink: var(--vc-color, #15191c);
    --_paper: var(--vc-background, #ffffff);
    --_soft: var(--vc-muted-color, #495157);
    --_tentative: var(--vc-tentative-color, #4a555d);
    --_source: var(--vc-source-color, #3d464d);
    --_line: var(--vc-border-color, #dfe3e2);
    --_accent: var(--vc-accent, #0b5d55);
    --_on-accent: var(--vc-on-accent, #ffffff);
    --_wash: var(--vc-wash-color, #f1f4f3);
    --_notice: var(--vc-notice-background, #fdf3dc);
    --_notice-ink: var(--vc-notice-color, #6b4300);
  }
  @supports (color: light-dark(#000, #fff)) {
    :host {
      --_ink: var(--vc-color, light-dark(#15191c, #f1f4f4));
      --_paper: var(--vc-background, light-dark(#ffffff, #161b1d));
      --_soft: var(--vc-muted-color, light-dark(#495157, #b0babd));
      --_tentative: var(--vc-tentative-color, light-dark(#4a555d, #aeb9be));
      --_source: var(--vc-source-color, light-dark(#3d464d, #c7d0d2));
      --_line: var(--vc-border-color, light-dark(#dfe3e2, #2c3437));
      --_accent: var(--vc-accent, light-dark(#0b5d55, #7fd8c9));
      --_on-accent: var(--vc-on-accent, light-dark(#ffffff, #06231f));
      --_wash: var(--vc-wash-color, light-dark(#f1f4f3, #1f2629));
      --_notice: var(--vc-notice-background, light-dark(#fdf3dc, #332913));
      --_notice-ink: var(--vc-notice-color, light-dark(#6b4300, #f6d48b));
    }
  }
`;

const frame = css`
  :host {
    display: block;
    container-type: inline-size;
    color: var(--_ink);
    font-family: var(
      --vc-font-family,
      system-ui,
      -apple-system,
      'Segoe UI',
      Roboto,
      'Noto Sans',
      'Helvetica Neue',
      Arial,
      sans-serif
    );
    font-size: 1rem;
    line-height: 1.4;
    text-align: start;
  }
  :host([hidden]) {
    display: none;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  p {
    margin: 0;
  }
  .base {
    /* The size of captions grows with the width of the element, not of the window. */
    --_size: calc(var(--vc-font-size, clamp(1.5rem, 0.9rem + 2.2cqi, 5rem)) * var(--_scale, 1));
    --_leading: 1.32;
    position: relative;
    display: flex;
    flex-direction: column;
    background: var(--_paper);
    border: 1px solid var(--_line);
    border-radius: var(--vc-radius, 1.25rem);
    overflow: clip;
  }
`;

const captions = css`
  .tracks {
    display: grid;
    --_gap: clamp(1.5rem, 4cqi, 3rem);
    gap: clamp(1rem, 3cqi, 1.75rem) var(--_gap);
    padding: var(--vc-padding, clamp(1.125rem, 3.6cqi, 2.25rem));
    /* As many columns as have room, and no more than there are languages to fill them. */
    --_share: calc((100% - (var(--_targets, 1) - 1) * var(--_gap)) / var(--_targets, 1));
    grid-template-columns: repeat(
      auto-fit,
      minmax(min(100%, max(var(--vc-column-min, 26ch), var(--_share))), 1fr)
    );
    font-size: var(--_size);
  }
  /* Several languages share the room. */
  .tracks.many {
    --_size: calc(var(--vc-font-size, clamp(1.375rem, 1.05rem + 0.95cqi, 3rem)) * var(--_scale, 1));
  }
  .track {
    min-inline-size: 0;
    /* How many lines there are depends on how many letters fit into one. */
    container: track / inline-size;
  }
  .track.source {
    grid-column: 1 / -1;
    font-size: max(1.0625rem, 0.62em);
    color: var(--_source);
    padding-block-end: clamp(0.875rem, 2.4cqi, 1.5rem);
    border-block-end: 1px solid var(--_line);
  }
  /* On a wide screen the spoken words, too, use the room. */
  @container (min-width: 60rem) {
    .track.source {
      font-size: 0.7em;
    }
    .many .track.source {
      font-size: 0.9em;
    }
  }
  .track.source:last-child {
    font-size: 1em;
    color: var(--_ink);
    padding-block-end: 0;
    border: 0;
  }
  .label {
    display: flex;
    gap: 0.5em;
    align-items: baseline;
    margin-block-end: 0.375rem;
    font-size: clamp(0.875rem, 0.36em, 1.75rem);
    font-weight: 600;
    letter-spacing: 0.01em;
    color: var(--_accent);
  }
  .original {
    font-weight: 400;
    color: var(--_soft);
  }
  .lines {
    --_rows: var(--vc-lines, max(var(--_lines, 2), var(--_least, 1)));
    /* The end is where it begins to scroll from, and where it stays. */
    display: flex;
    flex-direction: column-reverse;
    overflow: hidden auto;
    overflow-anchor: none;
    scrollbar-width: none;
    line-height: var(--_leading);
    block-size: calc(var(--_rows) * var(--_leading) * 1em);
    max-inline-size: var(--vc-measure, 54ch);
    /* Any other setting re-breaks lines that are being read. */
    text-wrap: wrap;
    overflow-wrap: anywhere;
    font-weight: 450;
    contain: layout paint style;
  }
  /* Browsers round the height of a line in different ways; a whole number leaves them no choice. */
  @supports (line-height: round(up, 1em, 1px)) {
    .lines {
      --_line: round(up, calc(var(--_leading) * 1em), 1px);
      line-height: var(--_line);
      block-size: calc(var(--_rows) * var(--_line));
    }
  }
  .lines:focus-visible {
    outline: 3px solid var(--_accent);
    outline-offset: 3px;
    border-radius: 0.25rem;
  }
  /* Where a line holds a few words only, as with large type on a phone, two are no sentence. */
  @container track (max-width: 12em) {
    .lines {
      --_least: 3;
    }
  }
  @container track (max-width: 10em) {
    .lines {
      --_least: 4;
    }
  }
  @container track (max-width: 7.5em) {
    .lines {
      --_least: 5;
    }
  }
  .flow {
    flex: none;
    position: relative;
  }
  /* The mark of what is being heard stands beside the text and moves none of it. */
  .lines {
    --_gutter: 0.75rem;
    margin-inline-start: calc(-1 * var(--_gutter));
    padding-inline-start: var(--_gutter);
    box-sizing: content-box;
  }
  .caption {
    position: relative;
  }
  .caption::before {
    content: '';
    position: absolute;
    inset-block: 0.16em;
    inset-inline-start: calc(-1 * var(--_gutter));
    inline-size: 3px;
    border-radius: 2px;
    background: var(--_accent);
    opacity: 0;
  }
  .caption.spoken::before {
    opacity: 1;
  }
  .label .icon {
    align-self: center;
    inline-size: 1.125rem;
    block-size: 1.125rem;
  }
  .track.source .lines {
    max-inline-size: var(--vc-source-measure, 62ch);
  }
  .tentative {
    color: var(--_tentative);
    /* Not in one: WebKit's shorthand knows the line alone. */
    text-decoration-line: underline;
    text-decoration-style: dotted;
    text-decoration-thickness: 0.05em;
    /* A mark for the eye that looks for it, not a second line to read. */
    text-decoration-color: color-mix(in srgb, currentColor 62%, transparent);
    text-underline-offset: 0.22em;
    text-decoration-skip-ink: none;
  }
  .empty {
    display: block;
    color: var(--_soft);
    font-size: max(1.125rem, 0.62em);
    line-height: 1.4;
    font-weight: 400;
  }
  @media (prefers-reduced-motion: no-preference) {
    .tentative {
      transition: color 120ms;
    }
    .caption::before {
      transition: opacity 160ms;
    }
  }
`;

const adaptations = css`
  .heard {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (forced-colors: active) {
    .bar,
    .caption::before {
      background: CanvasText;
      forced-color-adjust: none;
    }
    .button.main {
      border-color: ButtonText;
    }
    .status.notice {
      border: 1px solid CanvasText;
    }
    .button:focus-visible {
      outline-color: Highlight;
    }
  }
`;

/** Style of `<voice-captions>`: adopted sheets, which pass `style-src 'self'`. */
export const voiceCaptionsStyles = [colours, frame, captions, ...toolbarStyles, adaptations];
