/** Decides what the elements of HTML mean for its sentences. */
import type { Flow, FlowItem } from './flow.ts';
import { BLOCKS, NOT_TEXT, READINGS, UNTRANSLATED } from './html-elements.ts';
import { htmlTokens } from './html-tokens.ts';
import type { MarkupOptions } from './markup-layout.ts';
import { pairHtml } from './pairing.ts';
import { areReadingsApart, Readings } from './ruby.ts';
import { charactersOf, endOf, type Token } from './token.ts';

/**
 * Block elements, and inline ones around blocks, are structure; other elements are inline. Programs,
 * fields, `translate="no"` and `class="notranslate"` stay as they are.
 */
export function htmlFlow(source: string, options: MarkupOptions): Flow {
  const tokens = htmlTokens(source);
  pairHtml(tokens);
  const lower = (names: readonly string[]): Set<string> =>
    new Set(names.map((name) => name.toLowerCase()));
  const splitting = lower(options.splittingTags ?? []);
  const nonSplitting = lower(options.nonSplittingTags ?? []);
  const ignored = lower(options.ignoreTags ?? []);
  const splits = ({ name }: Token): boolean =>
    !nonSplitting.has(name) && (splitting.has(name) || BLOCKS.has(name));
  const isUntranslated = ({ name, untranslated }: Token, index: number): boolean =>
    untranslated ||
    ignored.has(name) ||
    UNTRANSLATED.has(name) ||
    (name === 'ruby' && areReadingsApart(tokens, index));

  const items: FlowItem[] = [];
  const readings = new Readings(source, items);
  let characters = 0;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) break;
    if (token.kind === 'open' && isUntranslated(token, index)) {
      const { start, scopeEnd, name } = token;
      const isText = !NOT_TEXT.has(name);
      for (let at = index; isText && at < scopeEnd; at += 1) {
        characters += charactersOf(source, tokens[at] ?? token);
      }
      const place = { start, end: endOf(tokens, scopeEnd) };
      if (splits(token)) items.push({ kind: 'cut', ...place });
      else if (READINGS.has(name)) readings.add(place);
      else items.push({ kind: 'lone', word: isText, ...place });
      index = scopeEnd - 1;
    } else {
      characters += charactersOf(source, token);
      items.push(itemOf(token, index, splits(token)));
    }
  }
  cutAroundStructure(items);
  return { items, characters };
}

function itemOf(token: Token, index: number, splits: boolean): FlowItem {
  const { kind, start, end, partner, references } = token;
  if (kind === 'text') return { kind, start, end, references };
  if (token.name !== '' && splits) return { kind: 'cut', start, end };
  if ((kind === 'open' || kind === 'close') && partner !== -1) {
    return { kind, element: Math.min(index, partner), start, end };
  }
  return { kind: 'lone', word: false, start, end };
}

/** Inline elements around structure are structure themselves: `<a><div>…</div></a>`. */
function cutAroundStructure(items: FlowItem[]): void {
  let cuts = 0;
  const open: { index: number; cuts: number }[] = [];
  for (const [index, item] of items.entries()) {
    if (item.kind === 'cut') cuts += 1;
    else if (item.kind === 'open') open.push({ index, cuts });
    else if (item.kind === 'close') {
      const opening = open.pop();
      const tag = items[opening?.index ?? -1];
      if (opening === undefined || tag === undefined || opening.cuts === cuts) continue;
      items[opening.index] = { kind: 'cut', start: tag.start, end: tag.end };
      items[index] = { kind: 'cut', start: item.start, end: item.end };
    }
  }
}
