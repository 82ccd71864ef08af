/** The pages of style rules: all lists, one list. */
import { html, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { Session } from '../session.ts';
import './style-list.ts';
import './style-page.ts';

/** The page for what follows `#/style-rules/`: nothing, or an id. */
export function styleRulesView(session: Session, [id]: readonly string[]): TemplateResult {
  if (id === undefined) {
    return html`<console-style-lists .session=${session}></console-style-lists>`;
  }
  return html`${keyed(id, html`<console-style-list .styleId=${id}></console-style-list>`)}`;
}
