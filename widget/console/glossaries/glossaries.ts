/** The pages of glossaries: all of them, one of them, one of its dictionaries. */
import { html, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import './glossary-list.ts';
import './glossary-page.ts';

/** The page for what follows `#/glossaries/`: nothing, an id, an id and two languages. */
export function glossariesView(rest: readonly string[]): TemplateResult {
  const [id, source, target] = rest;
  if (id === undefined) return html`<console-glossary-list></console-glossary-list>`;
  const pair = source === undefined || target === undefined ? undefined : { source, target };
  return html`${keyed(
    id,
    html`<console-glossary .glossaryId=${id} .pair=${pair}></console-glossary>`,
  )}`;
}
