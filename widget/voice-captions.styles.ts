import { css, unsafeCSS, type CSSResult } from 'lit';
// Imported as raw text: the build's transform of `light-dark()` relies on the root element of the page, which
// an embedding page does not provide.
import sheet from './page/tokens.css?raw';
import { captionStyles } from './views/captions.ts';
import { toolbarStyles } from './views/toolbar.ts';

/** Values of the sheet by token name. A colour is a pair, `light-dark(#15191c, #f1f4f4)`. */
const tokens = new Map(
  Array.from(sheet.matchAll(/--([\w-]+):\s*([^;}]+)/g), ([, name = '', value = '']) => [
    name,
    value,
  ]),
);

/** Returns the value of a token of the sheet. @throws Error if the sheet has no such token */
export function token(name: string): CSSResult {
  const value = tokens.get(name);
  if (value === undefined) throw new Error(`The sheet has no ${name}.`);
  return unsafeCSS(value);
}

/** Returns the light colour of a pair, for browsers without `light-dark()`. */
function lightToken(name: string): CSSResult {
  return unsafeCSS(token(name).cssText.replace(/^light-dark\((.+?),.*\)$/, '$1'));
}

/**
 * Colours that follow the inherited color-scheme. A page overrides any of them with a custom property. Text
 * keeps a contrast of at least 7:1.
 */
const colours = (colour: (name: string) => CSSResult): CSSResult => css`
  :host {
    --_ink: var(--vc-color, ${colour('ink')});
    --_paper: var(--vc-background, ${colour('card')});
    --_soft: var(--vc-muted-color, ${colour('soft')});
    --_tentative: var(--vc-tentative-color, ${colour('tentative')});
    --_source: var(--vc-source-color, ${colour('source')});
    --_line: var(--vc-border-color, ${colour('line')});
    --_accent: var(--vc-accent, ${colour('accent')});
    --_on-accent: var(--vc-on-accent, ${colour('on-accent')});
    --_wash: var(--vc-wash-color, ${colour('wash')});
    --_notice: var(--vc-notice-background, ${colour('warn-tint')});
    --_notice-ink: var(--vc-notice-color, ${colour('warn')});
  }
`;

const frame = css`
  :host([hidden]) {
    display: none;
  }
  .base {
    /* The size of captions grows with the width of the element, not of the window. */
    --_size: calc(var(--vc-font-size, clamp(1.5rem, 0.9rem + 2.2cqi, 5rem)) * var(--_scale, 1));
    --_leading: 1.32;
    position: relative;
    display: flex;
    flex-direction: column;
    color: var(--_ink);
    background: var(--_paper);
    border: 1px solid var(--_line);
    border-radius: var(--vc-radius, ${token('radius-large')});
    overflow: clip;
  }
`;

const adaptations = css`
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

/** What both caption elements begin with; their colours have a fallback for browsers without `light-dark()`. */
export const captionBase = [
  colours(lightToken),
  css`
    @supports (color: light-dark(#000, #fff)) {
      ${colours(token)}
    }
  `,
  css`
    :host {
      display: block;
      min-inline-size: 0;
      font-family: var(--vc-font-family, ${token('font')});
      font-size: 1rem;
      line-height: 1.4;
      text-align: start;
    }
    *,
    *::before,
    *::after {
      box-sizing: border-box;
    }
    /* Not the host, which resets of the page reach. In a row of the page, it wants this width. */
    .base {
      container-type: inline-size;
      contain-intrinsic-inline-size: 40rem;
      text-indent: 0;
      white-space: normal;
    }
    p {
      margin: 0;
    }
    .icon {
      display: block;
      inline-size: 1.375rem;
      block-size: 1.375rem;
    }
    .icon.drawn {
      fill: none;
      stroke: currentColor;
      stroke-width: 2;
      stroke-linecap: round;
      stroke-linejoin: round;
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
    .heard {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      overflow: hidden;
      clip-path: inset(50%);
      white-space: nowrap;
    }
  `,
];

/** Styles of `<voice-captions>`: adopted style sheets, which `style-src 'self'` permits. */
export const voiceCaptionsStyles = [
  ...captionBase,
  frame,
  captionStyles,
  toolbarStyles,
  adaptations,
];
