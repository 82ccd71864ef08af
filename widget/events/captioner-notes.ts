/** Notes of the captioner page: about its connection, and below its rows. */
import { html, nothing, type TemplateResult } from 'lit';
import type { RoomFeedState } from '../../shared/client/room-feed.ts';
import { icons } from '../console/parts/icons.ts';
import type { CaptionRow } from './caption-rows.ts';
import { withText } from './desk-frame.ts';
import type { DeskWords } from './desk-words.ts';

type Words = DeskWords['captioner'];

export function connectionView(words: Words, state: RoomFeedState): TemplateResult {
  const { connecting, reconnecting, offline, full } = words;
  const texts: Partial<Record<RoomFeedState, string>> = {
    connecting,
    reconnecting,
    offline,
    full,
  };
  const text = texts[state];
  return html`<p class="connection" role="status">
    ${text === undefined ? nothing : html`${icons.offline} ${text}`}
  </p>`;
}

/** Returns what became of an edit, or what the machine had heard. */
export function aboutRow(words: Words, row: CaptionRow): TemplateResult | typeof nothing {
  const { draft, text, meanwhile, machine } = row;
  if (draft !== undefined && draft.failure !== '') {
    return html`<p class="error" role="alert">${draft.failure}</p>`;
  }
  if (draft?.isSending === true) return html`<p class="hint">${words.sending}</p>`;
  if (meanwhile !== undefined) {
    return html`<p class="hint">${withText(words.meanwhile, meanwhile)}</p>`;
  }
  if (draft !== undefined) {
    const isEmptied = text.trim() === '' && draft.before !== '';
    return html`<p class="hint">${isEmptied ? words.emptied : words.changed}</p>`;
  }
  if (machine === undefined) return nothing;
  return html`<p class="hint">${withText(words.heardAs, machine)}</p>`;
}
