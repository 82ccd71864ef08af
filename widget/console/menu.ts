/** Pages of the console, in the order of the menu. */
import { html, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import './events/events.ts';
import './glossaries/glossaries.ts';
import './pages/engines.ts';
import './pages/keys.ts';
import './pages/memories.ts';
import './pages/overview.ts';
import './pages/settings.ts';
import './pages/usage.ts';
import './pages/voice-sessions.ts';
import { icons } from './parts/icons.ts';
import type { Session } from './session.ts';
import './style-rules/style-rules.ts';

/** Context of a page view. */
interface Visit {
  session: Session;
  /** Parts of the address after the page's path. */
  rest: readonly string[];
}

export interface ConsolePage {
  /** First part of the address: `#/path`. */
  path: string;
  title: string;
  icon: TemplateResult;
  view(visit: Visit): TemplateResult;
}

interface PageGroup {
  title: string;
  pages: readonly ConsolePage[];
}

/** All pages, by group. A new page is added here. */
export const pageGroups: readonly PageGroup[] = [
  {
    title: 'Use',
    pages: [
      {
        path: 'overview',
        title: 'Overview',
        icon: icons.overview,
        view: ({ session }) => html`<console-overview .session=${session}></console-overview>`,
      },
      {
        path: 'usage',
        title: 'Usage',
        icon: icons.usage,
        view: ({ session }) => html`<console-usage .session=${session}></console-usage>`,
      },
    ],
  },
  {
    title: 'Live',
    pages: [
      {
        path: 'events',
        title: 'Events',
        icon: icons.microphone,
        view: ({ session, rest }) => eventsView(session, rest),
      },
      {
        path: 'voice',
        title: 'Live sessions',
        icon: icons.live,
        view: ({ session }) =>
          html`<console-voice-sessions .session=${session}></console-voice-sessions>`,
      },
    ],
  },
  {
    title: 'Keys',
    pages: [
      {
        path: 'keys',
        title: 'Developer keys',
        icon: icons.key,
        view: ({ session }) =>
          html`<console-developer-keys .session=${session}></console-developer-keys>`,
      },
      {
        path: 'admin-keys',
        title: 'Admin keys',
        icon: icons.shield,
        view: ({ session }) => html`<console-admin-keys .session=${session}></console-admin-keys>`,
      },
    ],
  },
  {
    title: 'Language',
    pages: [
      {
        path: 'glossaries',
        title: 'Glossaries',
        icon: icons.book,
        view: ({ rest }) => glossariesView(rest),
      },
      {
        path: 'style-rules',
        title: 'Style rules',
        icon: icons.rules,
        view: ({ session, rest }) => styleRulesView(session, rest),
      },
      {
        path: 'translation-memories',
        title: 'Translation memories',
        icon: icons.memory,
        view: () => html`<console-memories></console-memories>`,
      },
    ],
  },
  {
    title: 'Server',
    pages: [
      {
        path: 'engines',
        title: 'Engines',
        icon: icons.engine,
        view: ({ session }) => html`<console-engines .session=${session}></console-engines>`,
      },
      {
        path: 'settings',
        title: 'Settings',
        icon: icons.settings,
        view: ({ session }) => html`<console-settings .session=${session}></console-settings>`,
      },
    ],
  },
];

/** Returns the page of a path; the first page for an empty path, undefined for an unknown one. */
export function pageOf(path: string): ConsolePage | undefined {
  const pages = pageGroups.flatMap((group) => group.pages);
  return path === '' ? pages[0] : pages.find((page) => page.path === path);
}

/** Returns all glossaries; with an id, that glossary; with two languages, that dictionary of it. */
function glossariesView([id, source, target]: readonly string[]): TemplateResult {
  if (id === undefined) return html`<console-glossaries></console-glossaries>`;
  const pair = source === undefined || target === undefined ? undefined : { source, target };
  return html`${keyed(
    id,
    html`<console-glossary .glossaryId=${id} .pair=${pair}></console-glossary>`,
  )}`;
}

/** Returns all style rule lists; with an id, that list. */
function styleRulesView(session: Session, [id]: readonly string[]): TemplateResult {
  if (id === undefined) {
    return html`<console-style-lists .session=${session}></console-style-lists>`;
  }
  return html`${keyed(id, html`<console-style-list .styleId=${id}></console-style-list>`)}`;
}

/** Returns all rooms; with an id, that room. */
function eventsView(session: Session, [id]: readonly string[]): TemplateResult {
  if (id === undefined) return html`<console-rooms .session=${session}></console-rooms>`;
  return html`${keyed(id, html`<console-room .roomId=${id}></console-room>`)}`;
}
