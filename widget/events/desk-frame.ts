/** Common parts of the speaker and captioner pages: heading, and the views shown without a room. */
import { css, html, type TemplateResult } from 'lit';
import { textDirection, type LanguageTag } from '../../shared/language.ts';
import { ApiFailure } from '../console/api.ts';
import { icons } from '../console/parts/icons.ts';
import { loadingState, type Loaded } from '../console/parts/states.ts';
import { deskLanguage, deskWords, failureText, type DeskWords } from './desk-words.ts';
import { isFinal, type RoomAtDesk } from './room-desk.ts';

/** Interval at which the room is polled, in ms: its readers change all the time. */
export const LOOK_EVERY_MS = 4_000;

/** Sets the page to a language of the browser. @param role the user's role on this page */
export function speakLanguageOfBrowser(role: keyof DeskWords['roles']): {
  language: LanguageTag;
  words: DeskWords;
} {
  const language = deskLanguage(navigator.languages);
  const words = deskWords(language);
  document.documentElement.lang = language;
  document.documentElement.dir = textDirection(language);
  document.title = words.roles[role];
  return { language, words };
}

/** Returns the heading: the name and the state of the room. */
export function deskHead(
  words: DeskWords,
  { name, state }: RoomAtDesk,
  role: keyof DeskWords['roles'],
): TemplateResult {
  const states: Readonly<Record<string, string>> = words.roomStates;
  return html`<header class="head">
    <div>
      <p class="role">${words.roles[role]}</p>
      <h1><bdi>${name}</bdi></h1>
    </div>
    <p class="badge ${state === 'live' ? 'good' : state === 'paused' ? 'warn' : ''}">
      <span class="dot" aria-hidden="true"></span>
      <span class="unseen">${words.room}</span> ${states[state] ?? state}
    </p>
  </header>`;
}

/** Returns the view for a room that is loading or unavailable; undefined once the room is known. */
export function deskWithoutRoom(
  words: DeskWords,
  loaded: Loaded<RoomAtDesk>,
): TemplateResult | undefined {
  const { failure } = loaded;
  if (isFinal(failure)) {
    const { title, hint } = failure.status === 404 ? words.gone : words.refused;
    return html`<main class="page">
      <div class="state" role="alert">
        ${icons.key}
        <h1>${title}</h1>
        <p>${hint}</p>
      </div>
    </main>`;
  }
  if (loaded.value !== undefined) return undefined;
  if (failure === undefined) {
    return html`<main class="page">${loadingState(6, words.loading)}</main>`;
  }
  const isOffline = failure instanceof ApiFailure && failure.isOffline;
  return html`<main class="page">
    <div class="state" role="alert">
      ${isOffline ? icons.offline : icons.warning}
      <h1>${isOffline ? words.noConnection : words.didNotWork}</h1>
      <p><bdi>${failureText(words, failure)}</bdi></p>
      <div class="row">
        <button type="button" @click=${() => void loaded.reload()}>
          ${icons.retry} ${words.tryAgain}
        </button>
      </div>
    </div>
  </main>`;
}

/** Inserts caption text into a template, isolated because it has a direction of its own. */
export function withText(template: string, text: string): TemplateResult {
  const [before, after] = template.split('{text}');
  return html`${before}<bdi>${text}</bdi>${after}`;
}

/** Style of both pages. */
export const deskStyles = css`
  :host {
    font-size: 1rem;
  }
  .page {
    display: grid;
    gap: 1.25rem;
    max-inline-size: 96rem;
    min-block-size: 100dvb;
    padding: clamp(1rem, 2.4vi, 2.5rem);
    margin-inline: auto;
    align-content: start;
  }
  .page > .state {
    align-self: center;
    min-block-size: 70dvb;
    align-content: center;
  }
  .state h1 {
    font-size: 1.375rem;
  }
  /* The state stands beside the role, where its width moves no name. */
  .head {
    display: flex;
    flex-wrap: wrap;
    gap: 0.125rem 1rem;
    align-items: center;
    justify-content: space-between;
  }
  .head > div {
    display: contents;
  }
  .head h1 {
    flex: 1 0 100%;
    order: 1;
    overflow-wrap: anywhere;
  }
  .role {
    font-size: 0.875rem;
    font-weight: 600;
    color: var(--accent);
  }
  .head .badge {
    flex: none;
    padding: 0.25rem 0.75rem;
    font-size: 0.875rem;
  }
  .dot {
    inline-size: 0.5rem;
    block-size: 0.5rem;
    background: currentColor;
    border-radius: 50%;
  }
  h2 {
    font-size: 1rem;
  }
`;
