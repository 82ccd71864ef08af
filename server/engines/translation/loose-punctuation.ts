/**
 * Blanks before a full stop, a comma and the like that rules have left where they have dropped or moved
 * a word. What the source has before its own signs stays, and so do no-break blanks.
 */
import { textOf } from './hyphenated-words.ts';
import type { Token } from './marked-text.ts';

/** Signs that end something; `.NET` and `:x` begin with one. */
const SIGNS = /( {0,2})([.,;:!?)…]+)(?=[\s"'”’»)\]]|$)/gu;

/** Where signs stand, the blanks before them included. */
interface Signs {
  start: number;
  blanks: number;
}

function signsIn(text: string): Map<string, Signs[]> {
  const found = new Map<string, Signs[]>();
  for (const { 1: blanks = '', 2: signs = '', index } of text.matchAll(SIGNS)) {
    const same = found.get(signs) ?? [];
    same.push({ start: index, blanks: blanks.length });
    found.set(signs, same);
  }
  return found;
}

/** The places of blanks that the source has not: of signs as often as there, each is its own. */
function looseBlanks(translated: string, source: string): number[] {
  const before = signsIn(source);
  return [...signsIn(translated)].flatMap(([signs, all]) => {
    const own = before.get(signs) ?? [];
    const hasAny = own.some(({ blanks }) => blanks > 0);
    return all.flatMap(({ start, blanks }, i) => {
      const isKept = own.length === all.length ? (own[i]?.blanks ?? 0) > 0 : hasAny;
      return isKept ? [] : Array.from({ length: blanks }, (_, blank) => start + blank);
    });
  });
}

/** A translation without such blanks. */
export function tightened(translated: string, source: string): string {
  const loose = new Set(looseBlanks(translated, source));
  if (loose.size === 0) return translated;
  return translated
    .split('')
    .filter((_, place) => !loose.has(place))
    .join('');
}

/** The tokens of a translation without such blanks. */
export function tightenedTokens(tokens: readonly Token[], source: string): Token[] {
  const loose = new Set(looseBlanks(textOf(tokens), source));
  let start = 0;
  return tokens.filter((token) => {
    const place = start;
    start += token.kind === 'atom' ? 1 : token.text.length;
    return !(token.kind === 'blank' && token.text === ' ' && loose.has(place));
  });
}
