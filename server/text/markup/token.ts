/** A piece of marked-up text, before anyone has decided what it means for its sentences. */
import { countCodePoints } from '../code-points.ts';
import type { Reference } from './text-layout.ts';

export interface Token {
  kind:
    | 'text'
    | 'open'
    | 'close'
    /** A tag that stands alone, a comment, a declaration. */
    | 'lone'
    /** Characters that are text but never read as markup: a CDATA section. */
    | 'data';
  start: number;
  end: number;
  /** Of tags, empty otherwise; lower case in HTML. */
  name: string;
  /** Index of the tag that ends (or began) this element; -1 when there is none. */
  partner: number;
  /** For `open`: index of the first token that is outside the element. */
  scopeEnd: number;
  references: readonly Reference[];
  /** The document itself asks for this element to be left as it is. */
  untranslated: boolean;
}

/** The end of a stretch of tokens in the source. */
export function endOf(tokens: readonly Token[], scopeEnd: number): number {
  return tokens[scopeEnd - 1]?.end ?? 0;
}

const CDATA_START = '<![CDATA['.length;
const CDATA_END = ']]>'.length;

/** Unicode code points a token adds to the length of the text; tags and comments add none. */
export function charactersOf(source: string, token: Token): number {
  if (token.kind === 'data') {
    return countCodePoints(source.slice(token.start + CDATA_START, token.end - CDATA_END));
  }
  if (token.kind !== 'text') return 0;
  let characters = countCodePoints(source.slice(token.start, token.end));
  for (const { start, end, text } of token.references) {
    // What a reference of someone's own stands for is unknown; it counts as one.
    const written = countCodePoints(source.slice(start, end));
    characters += (text === '' ? 1 : countCodePoints(text)) - written;
  }
  return characters;
}
