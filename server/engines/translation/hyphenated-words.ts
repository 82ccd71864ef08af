/**
 * Hyphenated words that a mode of Apertium does not know as one. To its rules the hyphen is a blank of
 * the source: where they move the words on, it is left behind or lost, and what stood around it is
 * glued together (`well-known methods`: `métodosbiensabidos`). Given with blanks, its rules have some to
 * put between the words.
 */
import type { Token } from './marked-text.ts';

/** `2.5-litre` and `U.S.-based` among them. */
const COMPOUND =
  /(?<![\p{L}\p{M}\p{N}@._/'’-])(?:\p{N}+\.\p{N}+|(?:\p{Lu}\.)+|[\p{L}\p{M}\p{N}]+)(?:[-‐‑][\p{L}\p{M}\p{N}]+)+(?![\p{M}@_/])/gu;
export const HYPHEN = /[-‐‑]/gu;
const JOINT = /(?<=[\p{L}\p{M}\p{N}]|\p{Lu}\.)[-‐‑](?=[\p{L}\p{N}])/gu;

/** Whether a mode knows a word, in lower case. */
export type KnowsWord = (word: string) => boolean;

export function hasHyphen(text: string): boolean {
  return text.search(JOINT) >= 0;
}

/**
 * Where hyphens of unknown compounds stand.
 *
 * @param which `plain`: of those only whose parts are known and that end in no name (`Jean-Luc`,
 *   `UTF-8`)
 */
export function unknownHyphens(text: string, knows: KnowsWord, which: 'all' | 'plain'): number[] {
  const isShouted = text === text.toUpperCase();
  return [...text.matchAll(COMPOUND)].flatMap(({ 0: compound, index }) => {
    const lower = compound.toLowerCase();
    if (knows(lower.replace(HYPHEN, '-'))) return [];
    const parts = lower.split(HYPHEN);
    const last = compound.slice(-(parts.at(-1)?.length ?? 0));
    const isPlain =
      (isShouted || /^\p{Ll}/u.test(last)) &&
      parts.every((part) => /^[\p{N}.]+$/u.test(part) || knows(part));
    if (which === 'plain' && !isPlain) return [];
    return [...compound.matchAll(HYPHEN)].map((hyphen) => index + hyphen.index);
  });
}

/** Whether a translation has fewer hyphens within words than so many. */
export function hasLostHyphens(translated: string, expected: number): boolean {
  return (translated.match(JOINT) ?? []).length < expected;
}

/** Whether more hyphens stand beside blanks than did. */
export function hasLooseHyphens(translated: string, source: string): boolean {
  return countLoose(translated) > countLoose(source);
}

function countLoose(text: string): number {
  return text.match(/(?<=\s)-|(?<=[\p{L}\p{N}])-(?=\s)/gu)?.length ?? 0;
}

/**
 * A translation without capitals inside words that the source had none in: a word that begins a
 * sentence for the engine (`self-Empleó`, `Re-Abierto`) does not behind a hyphen.
 */
export function withoutInnerCapitals(translated: string, source: string): string {
  return translated.replace(
    /(?<![\p{L}\p{N}-])(\p{L}+)([-‐‑])(\p{Lu})(?=\p{Ll})/gu,
    (whole, first: string, hyphen: string, letter: string) => {
      const begins = (next: string) =>
        new RegExp(`(?<![\\p{L}\\p{N}])${first}[-‐‑]${next}`, 'u').test(source);
      const isLower = /^\p{Ll}/u.test(first) ? !begins('\\p{Lu}') : begins('\\p{Ll}');
      return isLower ? first + hyphen + letter.toLowerCase() : whole;
    },
  );
}

/** The same for tokens, of which a compound may be several. */
export function tokensWithoutInnerCapitals(tokens: readonly Token[], source: string): Token[] {
  const text = textOf(tokens);
  const lowered = withoutInnerCapitals(text, source);
  if (lowered === text || lowered.length !== text.length) return [...tokens];
  let start = 0;
  return tokens.map((token) => {
    const from = start;
    start += token.kind === 'atom' ? 1 : token.text.length;
    return token.kind === 'word' ? { ...token, text: lowered.slice(from, start) } : token;
  });
}

/** With the characters at these places, in order, replaced. */
export function divided(text: string, places: readonly number[], by: string): string {
  let rest = text;
  for (const place of places.toReversed()) {
    rest = rest.slice(0, place) + by + rest.slice(place + 1);
  }
  return rest;
}

/** The text of tokens, in which marks without words are no letters. */
export function textOf(tokens: readonly Token[]): string {
  return tokens.map((token) => (token.kind === 'atom' ? '\ufffc' : token.text)).join('');
}

/** Tokens with the characters at places of their text replaced. */
export function dividedTokens(
  tokens: readonly Token[],
  places: readonly number[],
  by: string,
): Token[] {
  let start = 0;
  return tokens.map((token) => {
    const length = token.kind === 'atom' ? 1 : token.text.length;
    const own = places.filter((place) => place >= start && place < start + length);
    const offsets = own.map((place) => place - start);
    start += length;
    return token.kind === 'word' ? { ...token, text: divided(token.text, offsets, by) } : token;
  });
}
