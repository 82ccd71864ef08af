import { html, svg } from 'lit';

/** Icons of the controls, drawn in the colour of the adjacent text. */
export const microphoneIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
  <rect x="9" y="3" width="6" height="11" rx="3" fill="currentColor" />
  <path
    d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
  />
</svg>`;

export const playIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
  <path d="M8 5.5v13l10.5-6.5Z" fill="currentColor" />
</svg>`;

export const stopIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
  <rect x="6" y="6" width="12" height="12" rx="2.5" fill="currentColor" />
</svg>`;

export const retryIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
  <path
    d="M19 12a7 7 0 1 1-2.3-5.2M19.5 3.5V8H15"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
  />
</svg>`;

export const noticeIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
  <path
    d="M12 8v5M12 16.6v.1M10.4 4.1 2.9 17.2A1.9 1.9 0 0 0 4.5 20h15a1.9 1.9 0 0 0 1.6-2.8L13.6 4.1a1.9 1.9 0 0 0-3.2 0Z"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
  />
</svg>`;

const speaker = svg`<path
  d="M4 9.5h3.2L12 5.5v13l-4.8-4H4Z"
  fill="currentColor"
/>`;

/** Loudspeaker icons: sounding and silent. */
export const speechIcons = {
  on: html`<svg class="icon drawn" viewBox="0 0 24 24" aria-hidden="true">
    ${speaker}
    <path d="M15.5 9a4.2 4.2 0 0 1 0 6M18 6.3a8 8 0 0 1 0 11.4" />
  </svg>`,
  off: html`<svg class="icon drawn" viewBox="0 0 24 24" aria-hidden="true">
    ${speaker}
    <path d="m16 9.5 5 5M21 9.5l-5 5" />
  </svg>`,
};

const letter = svg`<path d="M3 19 8.5 5h1L15 19M5.2 14h7.6" />`;

/** Letter icons: smaller and larger type. */
export const textSizeIcons = {
  smaller: html`<svg class="icon drawn" viewBox="0 0 24 24" aria-hidden="true">
    ${letter}
    <path d="M17 9h5.5" />
  </svg>`,
  larger: html`<svg class="icon drawn" viewBox="0 0 24 24" aria-hidden="true">
    ${letter}
    <path d="M17 9h5.5M19.75 6.25v5.5" />
  </svg>`,
};

/** Arrow icon for the jump to the newest words. */
export const jumpIcon = html`<svg class="icon drawn" viewBox="0 0 24 24" aria-hidden="true">
  <path d="M12 5v13M6.5 12.5 12 18l5.5-5.5" />
</svg>`;

/** Pen icon: a person wrote this line. */
export const personIcon = html`<svg class="icon drawn" viewBox="0 0 24 24" aria-hidden="true">
  <path d="m5 19 1-4L16.5 4.5a2 2 0 0 1 3 3L9 18Z" />
</svg>`;
