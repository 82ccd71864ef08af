/** What stands where there is nothing to show, or nothing yet. */
import { html, nothing, type TemplateResult } from 'lit';
import { ApiFailure } from '../api.ts';
import { icons } from './icons.ts';

type Content = TemplateResult | typeof nothing;

/** Nothing is there yet: what it would be for, and how to begin. */
export function emptyState(words: {
  icon?: TemplateResult;
  heading: string;
  text: string;
  actions?: Content;
}): TemplateResult {
  return html`<div class="state">
    ${words.icon ?? nothing}
    <h2>${words.heading}</h2>
    <p>${words.text}</p>
    ${words.actions === undefined ? nothing : html`<div class="row">${words.actions}</div>`}
  </div>`;
}

/** Grey lines in place of what is being fetched. */
export function loadingState(lines = 5): TemplateResult {
  return html`<div class="skeleton" role="status">
    <p class="unseen">Loading…</p>
    ${Array.from({ length: lines }, () => html`<span></span>`)}
  </div>`;
}

/** What went wrong, and a way to try again. */
export function failedState(failure: Error, retry?: () => void): TemplateResult {
  const isOffline = failure instanceof ApiFailure && failure.isOffline;
  return html`<div class="state" role="alert">
    ${isOffline ? icons.offline : icons.warning}
    <h2>${isOffline ? 'No connection to the server' : 'That did not work'}</h2>
    <p>${failure.message}</p>
    ${
      retry === undefined
        ? nothing
        : html`<div class="row">
            <button type="button" @click=${retry}>${icons.retry} Try again</button>
          </div>`
    }
  </div>`;
}

/** A remark of one or two lines among other things. */
export function note(kind: 'info' | 'warn' | 'bad', content: unknown): TemplateResult {
  return html`<div class="note ${kind}" role=${kind === 'bad' ? 'alert' : nothing}>
    ${kind === 'info' ? icons.information : icons.warning}
    <div>${content}</div>
  </div>`;
}
