import { html } from 'lit';

/** Icons of the viewer page's controls, drawn in the colour of the adjacent text. */
export const globeIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
  <circle cx="12" cy="12" r="8.5" />
  <path d="M3.5 12h17M12 3.5c5 5 5 12 0 17M12 3.5c-5 5-5 12 0 17" />
</svg>`;

export const textIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
  <path d="M3 18.5 8.5 5h1L15 18.5M5 14h8M15.5 18.5l3.25-8.5h.5l3.25 8.5M16.7 15.5h4.6" />
</svg>`;

export const listenIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
  <path d="M4 16v-3a8 8 0 0 1 16 0v3" />
  <path d="M4 15.5a2 2 0 0 1 4 0v3a2 2 0 0 1-4 0ZM16 15.5a2 2 0 0 1 4 0v3a2 2 0 0 1-4 0Z" />
</svg>`;

export const smallerIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
  <path d="M7 17.5 11.5 7h1L17 17.5M8.7 14h6.6" />
</svg>`;

export const largerIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
  <path d="M4 20 11.5 3.5h1L20 20M7 14.5h10" />
</svg>`;

export const installIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
  <path d="M12 4v10M7.5 10 12 14.5 16.5 10M5 19.5h14" />
</svg>`;
