import { html, svg, type SVGTemplateResult } from 'lit';

const icon = (strokes: SVGTemplateResult) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${strokes}</svg>`;

/** Icons of 24 by 24, drawn in the colour of the adjacent text. */
export const icons = {
  overview: icon(svg`<path d="M4 13a8 8 0 1 1 16 0M12 13l3.5-4M4.5 18h15" />`),
  usage: icon(svg`<path d="M5 20V11M10 20V5M15 20v-7M20 20V8" />`),
  key: icon(
    svg`<circle cx="8" cy="15" r="4" /><path d="m11 12 8.5-8.5M16 7l3 3M13.5 9.5 15 11" />`,
  ),
  shield: icon(svg`<path d="M12 3.5 5 6v5.5c0 4 3 7.5 7 9 4-1.5 7-5 7-9V6l-7-2.500Z" />`),
  book: icon(
    svg`<path d="M5 4.500h11a3 3 0 0 1 3 3v12H8a3 3 0 0 1-3-3v-12ZM5 16.500a3 3 0 0 1 3-3h11" />`,
  ),
  rules: icon(
    svg`<path d="M4 6.500h9M4 12h16M4 17.500h6M16 6.500h4M13 17.500h7M14.5 4.500v4M11.5 15.500v4" />`,
  ),
  memory: icon(
    svg`<ellipse cx="12" cy="6" rx="7" ry="2.5" /><path d="M5 6v6c0 1.4 3.1 2.5 7 2.500s7-1.1 7-2.500V6M5 12v6c0 1.4 3.1 2.5 7 2.500s7-1.1 7-2.500v-6" />`,
  ),
  live: icon(svg`<path d="M4 10v4M8 7v10M12 4v16M16 8v8M20 10.500v3" />`),
  microphone: icon(
    svg`<rect x="9.25" y="3.5" width="5.5" height="10.5" rx="2.75" /><path d="M6 11.500a6 6 0 0 0 12 0M12 17.500v3M8.5 20.500h7" />`,
  ),
  engine: icon(
    svg`<rect x="6.5" y="6.5" width="11" height="11" rx="2" /><path d="M9.5 3v3.500M14.5 3v3.500M9.5 17.500V21M14.5 17.500V21M3 9.500h3.500M3 14.500h3.500M17.5 9.500H21M17.5 14.500H21" />`,
  ),
  settings: icon(
    svg`<path d="M4 7h9M17 7h3M4 17h3M11 17h9" /><circle cx="15" cy="7" r="2" /><circle cx="9" cy="17" r="2" />`,
  ),
  signOut: icon(
    svg`<path d="M10 4.500H6a1.5 1.5 0 0 0-1.5 1.500v12A1.5 1.5 0 0 0 6 19.500h4M10 12h9.500M16 8.500l3.5 3.5-3.5 3.5" />`,
  ),
  menu: icon(svg`<path d="M4 7h16M4 12h16M4 17h16" />`),
  close: icon(svg`<path d="m6 6 12 12M18 6 6 18" />`),
  add: icon(svg`<path d="M12 5v14M5 12h14" />`),
  edit: icon(
    svg`<path d="m5 19 .8-3.700L16.5 4.600a1.6 1.6 0 0 1 2.3 0l.6.6a1.6 1.6 0 0 1 0 2.300L8.7 18.2 5 19Z" />`,
  ),
  remove: icon(
    svg`<path d="M5 7h14M10 7V4.500h4V7M7 7l.8 12.500h8.400L17 7M10.5 11v5M13.5 11v5" />`,
  ),
  upload: icon(svg`<path d="M12 15.500V4.500M7.5 9 12 4.5 16.5 9M5 15.500v4h14v-4" />`),
  download: icon(svg`<path d="M12 4.500v11M7.5 11l4.5 4.5 4.5-4.500M5 15.500v4h14v-4" />`),
  copy: icon(
    svg`<rect x="8.5" y="8.5" width="11" height="11" rx="2" /><path d="M15.5 8.500v-2a2 2 0 0 0-2-2h-7a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h2" />`,
  ),
  done: icon(svg`<path d="m5 12.5 4.5 4.500L19 7.5" />`),
  search: icon(svg`<circle cx="11" cy="11" r="6" /><path d="m15.5 15.5 4.5 4.5" />`),
  warning: icon(
    svg`<path d="M12 9v4.500M12 16.800v.1M10.5 4.6 3.2 17.300A1.7 1.7 0 0 0 4.7 20h14.600a1.7 1.7 0 0 0 1.5-2.700L13.5 4.600a1.7 1.7 0 0 0-3 0Z" />`,
  ),
  offline: icon(
    svg`<path d="M3 9.500a13 13 0 0 1 5-3M21 9.500a13 13 0 0 0-9-3.400M6.5 13a8 8 0 0 1 3-1.800M17.5 13a8 8 0 0 0-2.2-1.500M12 17.600v.1M4 4l16 16" />`,
  ),
  information: icon(svg`<circle cx="12" cy="12" r="8.5" /><path d="M12 11v5M12 8v.1" />`),
  back: icon(svg`<path d="M19 12H5M11 6l-6 6 6 6" />`),
  pause: icon(svg`<path d="M8.5 5.500v13M15.5 5.500v13" />`),
  resume: icon(svg`<path d="m7.5 5 11 7-11 7V5Z" />`),
  open: icon(svg`<path d="M13.5 4.500h6v6M19.5 4.5 11 13M17.5 14v5.500h-13v-13H10" />`),
  enlarge: icon(
    svg`<path d="M14.5 4.500h5v5M9.5 19.500h-5v-5M19 5l-5.500 5.500M5 19l5.500-5.500" />`,
  ),
  print: icon(svg`<path d="M7.5 9V4.500h9V9M7.5 16.500h-3V9h15v7.500h-3M7.5 13.500h9v6h-9v-6Z" />`),
  people: icon(
    svg`<circle cx="9" cy="8" r="3.25" /><path d="M3 19.500c.3-3.600 2.700-5.500 6-5.500s5.700 1.900 6 5.500M15.5 5a3.250 3.250 0 0 1 0 6M17.5 14.600c2 .8 3.300 2.400 3.500 4.900" />`,
  ),
  words: icon(svg`<path d="M4 6.500h16M4 12h6M14 12h6M4 17.500h10" />`),
  page: icon(
    svg`<path d="M6 3.500h8l4.500 4.500v12.500H6v-17ZM13.5 3.500V8.500h5M9 12.500h6M9 16h6" />`,
  ),
  link: icon(
    svg`<path d="M10 14a4 4 0 0 0 5.700 0l3-3A4 4 0 0 0 13 5.300l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3A4 4 0 0 0 11 18.700l1-1" />`,
  ),
  retry: icon(svg`<path d="M19 12a7 7 0 1 1-2.3-5.200M19.5 3.500V8H15" />`),
} as const;
