/**
 * Hyphenated words that an Apertium mode does not know as one word. To its rules the hyphen is a blank of the
 * source: when the words move, the hyphen is left behind or lost, and its neighbours are glued together
 * (`well-known methods`: `métodosbiensabidos`). With blanks instead, the rules have blanks to put between the
 * words.
 */
import { baseLanguage } from '../../../shared/language.ts';
import type { Mode } from './apertium-modes.ts';
import type { Token } from './marked-text.ts';

/** Includes `2.5-litre`, `U.S.-based`, and words with apostrophes such as `l'a-t-il` and `menja-t'ho`. */
const COMPOUND =
  /(?<![\p{L}\p{M}\p{N}@._/'’-])(?:\p{L}+['’])?(?:\p{N}+\.\p{N}+|(?:\p{Lu}\.)+|[\p{L}\p{M}\p{N}]+)(?:[-‐‑][\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*)+(?![\p{M}@_/])/gu;
export const HYPHEN = /[-‐‑]/gu;
const JOINT = /(?<=[\p{L}\p{M}\p{N}]|\p{Lu}\.)[-‐‑](?=[\p{L}\p{N}])/gu;
const UNIT_END = /(?<=[\p{L}\p{M}\p{N}]['’]?)(?![\p{L}\p{M}\p{N}])/gu;
/** A hyphen, or a letter or digit after a hyphen or apostrophe. */
const UNIT_START = /[-‐‑]|(?<=['’‐‑-])[\p{L}\p{N}]/gu;
/** Longest unit in UTF-16 units; dictionaries contain no longer words with hyphens. */
const LONGEST_UNIT = 40;

/** Tells whether a mode knows a word, given in lower case. */
export type KnowsWord = (word: string) => boolean;

/** Returns a mode's word lookup; undefined when its dictionary cannot be read. */
export type ModeWords = (mode: Mode) => Promise<KnowsWord | undefined>;

/** Positions of hyphens in compounds that are not within one word of a mode, each list in order. */
interface CompoundHyphens {
  /** Hyphens between words. */
  unknown: number[];
  /**
   * The subset of `unknown` in compounds of known parts that do not end in a name (`Jean-Luc`, `UTF-8`),
   * grouped by compound.
   */
  plain: number[][];
  /** Hyphens that begin a word: `-t-il` in `parle-t-il`. */
  enclitic: number[];
}

/** A character of a text that is replaced by others. */
export interface Division {
  place: number;
  by: string;
}

/** A replacement for a part of a text. */
export interface Replacement {
  start: number;
  end: number;
  text: string;
}

export function hasHyphen(text: string): boolean {
  return text.search(JOINT) >= 0;
}

/** Reads compounds as a mode does: at each position the longest known word. */
function compoundHyphens(text: string, knows: KnowsWord): CompoundHyphens {
  const isShouted = text === text.toUpperCase();
  const found: CompoundHyphens = { unknown: [], plain: [], enclitic: [] };
  for (const { 0: compound, index } of text.matchAll(COMPOUND)) {
    // Numbers (`978-3-16-148410-0`) are no words.
    if (!/\p{L}/u.test(compound)) continue;
    const { unknown, enclitic } = hyphensBetweenUnits(text, index, index + compound.length, knows);
    found.unknown.push(...unknown);
    found.enclitic.push(...enclitic);
    if (unknown.length > 0 && isPlain(compound, knows, isShouted)) found.plain.push(unknown);
  }
  return found;
}

function hyphensBetweenUnits(text: string, start: number, end: number, knows: KnowsWord) {
  const unknown: number[] = [];
  const enclitic: number[] = [];
  let at = start;
  while (at < end) {
    const known = endOfLongestKnown(text, at, knows);
    if (isHyphen(text, at)) (known === undefined ? unknown : enclitic).push(at);
    at = known ?? nextUnitStart(text, at);
    if (/['’]/u.test(text.charAt(at))) at = nextUnitStart(text, at);
  }
  return { unknown, enclitic };
}

function isHyphen(text: string, at: number): boolean {
  return text.charAt(at).search(HYPHEN) === 0;
}

/** Returns the end of the longest known word; some extend beyond a compound, such as `est-ce que`. */
function endOfLongestKnown(text: string, start: number, knows: KnowsWord): number | undefined {
  const after = text.slice(start, start + LONGEST_UNIT + 1);
  const ends = [...after.matchAll(UNIT_END)].map(({ index }) => index);
  const known = ends.findLast(
    (end) =>
      end <= LONGEST_UNIT && knows(after.slice(0, end).toLowerCase().replaceAll(HYPHEN, '-')),
  );
  return known === undefined ? undefined : start + known;
}

function nextUnitStart(text: string, at: number): number {
  const start = new RegExp(UNIT_START);
  start.lastIndex = at + 1;
  return start.exec(text)?.index ?? text.length;
}

function isPlain(compound: string, knows: KnowsWord, isShouted: boolean): boolean {
  // A genitive ending counts as a separate word.
  const parts = compound.replace(/['’]\p{L}+$/u, '').split(HYPHEN);
  const last = parts.at(-1) ?? '';
  return (
    (isShouted || /^\p{Ll}/u.test(last)) &&
    parts.every((part) => /^[\p{N}.]+$/u.test(part) || knows(part.toLowerCase()))
  );
}

/** Whether a translation has fewer hyphens within words than expected. */
function hasLostHyphens(translated: string, expected: number): boolean {
  return (translated.match(JOINT) ?? []).length < expected;
}

/** Whether more hyphens stand beside blanks than in the source. */
function hasLooseHyphens(translated: string, source: string): boolean {
  return countLoose(translated) > countLoose(source);
}

function countLoose(text: string): number {
  return text.match(/(?<=\s)-|(?<=[\p{L}\p{N}])-(?=\s)/gu)?.length ?? 0;
}

/**
 * Translates with the hyphens of unknown compounds surrounded or replaced by blanks. English does so at once,
 * because its compounds precede the words they describe; other languages only when hyphens were lost.
 */
export async function withHyphens<Translated>(
  text: string,
  {
    mode,
    words,
    translate,
    textOf: textOfTranslated,
  }: {
    mode: Mode;
    words: ModeWords;
    /** @param divisions replacements of hyphens */
    translate: (divisions: readonly Division[]) => Promise<Translated>;
    textOf: (translated: Translated) => string;
  },
): Promise<Translated> {
  const knows = hasHyphen(text) ? await words(mode) : undefined;
  const {
    unknown: all,
    plain,
    enclitic,
  } = knows === undefined ? NO_HYPHENS : compoundHyphens(text, knows);
  const combining = baseLanguage(mode.target) === 'en' ? combiningHyphens(text) : [];
  const unknown = all.filter((place) => !combining.includes(place));
  const asBlank = (place: number) => ({ place, by: ' ' });
  // Where rules drop or move such a word, its neighbours would be glued together.
  const apart = [
    ...enclitic.map((place) => ({ place, by: ' -' })),
    ...all.filter((place) => combining.includes(place)).map(asBlank),
    ...(mode.gluesAtCommas === true ? commasBetweenWords(text) : []),
  ];
  const translateWith = (divisions: readonly Division[]) =>
    translate([...apart, ...divisions].sort((a, b) => a.place - b.place));
  const apartFrom = (place: number) => ({ place, by: ' - ' });
  const isLoose = (translated: Translated) => hasLooseHyphens(textOfTranslated(translated), text);

  const places = mode.source === 'en' ? plain.flat() : [];
  let translated = await translateWith(places.map(apartFrom));
  // A hyphen that no rule has used is left loose: these are replaced by blanks.
  if (isLoose(translated)) {
    const used = new Set<number>();
    for (const compound of plain.length > MAX_TRIED ? [] : plain) {
      const others = places.filter((place) => !compound.includes(place));
      const tried = [...compound.map(apartFrom), ...others.map(asBlank)];
      if (!isLoose(await translateWith(tried))) for (const place of compound) used.add(place);
    }
    translated = await translateWith(
      places.map((place) => (used.has(place) ? apartFrom(place) : asBlank(place))),
    );
    if (isLoose(translated)) translated = await translateWith(places.map(asBlank));
  }
  const isLost = hasLostHyphens(textOfTranslated(translated), unknown.length - places.length);
  return isLost ? translateWith(unknown.map(asBlank)) : translated;
}

/**
 * Returns the hyphens between two adjectives of a Romance language, which English rules would move
 * separately: `empresa franco-alemana` (`frank company-german`).
 */
function combiningHyphens(text: string): number[] {
  const pair = /(?<![\p{L}\p{N}-])\p{Ll}{3,}o-(?=\p{Ll}{4,}(?![\p{L}\p{N}-]))/gu;
  return [...text.matchAll(pair)].map(({ 0: first, index }) => index + first.length - 1);
}

const NO_HYPHENS: CompoundHyphens = { unknown: [], plain: [], enclitic: [] };
/** Maximum number of compounds tried one by one. */
const MAX_TRIED = 8;

/**
 * Adds blanks before commas between words; they are removed afterwards, as are all blanks the source does not
 * have.
 */
function commasBetweenWords(text: string): Division[] {
  return [...text.matchAll(/(?<=\p{L}["”’]?),(?=[ \t]\S)/gu)].map(({ index }) => ({
    place: index,
    by: ' ,',
  }));
}

/** The article that replaces `La` at the beginning of a sentence, before a stressed a. */
const LOUD_ARTICLE = /(?<![\p{L}\p{N}])EL(?=[\s\ufffc]+h?[aá]\p{Ll})/gu;

/**
 * Removes capitals inside words that the source does not have. The engine capitalises the first word of a
 * sentence even after a hyphen (`self-Empleó`, `Re-Abierto`), and writes `EL agua`.
 */
export function withoutInnerCapitals(translated: string, source: string): string {
  const quiet = /(?<![\p{L}\p{N}])EL(?![\p{L}\p{N}])/u.test(source)
    ? translated
    : translated.replace(LOUD_ARTICLE, 'El');
  return quiet.replace(
    /(?<![\p{L}\p{N}-])(\p{L}+)([-‐‑])(\p{Lu})(?=\p{Ll})/gu,
    (whole, first: string, hyphen: string, letter: string) => {
      const begins = (next: string) =>
        new RegExp(`(?<![\\p{L}\\p{N}])${first}[-‐‑]${next}`, 'u').test(source);
      const isLower = /^\p{Ll}/u.test(first) ? !begins('\\p{Lu}') : begins('\\p{Ll}');
      return isLower ? first + hyphen + letter.toLowerCase() : whole;
    },
  );
}

/** Same as {@link withoutInnerCapitals}, for tokens; a compound may span several. */
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

/** Replaces the characters at these positions, given in order. */
export function divided(text: string, divisions: readonly Division[]): string {
  let rest = text;
  for (const { place, by } of divisions.toReversed()) {
    rest = rest.slice(0, place) + by + rest.slice(place + 1);
  }
  return rest;
}

/** Returns the text of tokens, with a placeholder for marks without words. */
export function textOf(tokens: readonly Token[]): string {
  return tokens.map((token) => (token.kind === 'atom' ? '\ufffc' : token.text)).join('');
}

/** Replaces characters at positions in the text of tokens, given in order. */
export function dividedTokens(tokens: readonly Token[], divisions: readonly Division[]): Token[] {
  let start = 0;
  return tokens.map((token) => {
    const from = start;
    start += token.kind === 'atom' ? 1 : token.text.length;
    if (token.kind !== 'word') return token;
    const own = divisions.filter(({ place }) => place >= from && place < start);
    const offsets = own.map(({ place, by }) => ({ place: place - from, by }));
    return { ...token, text: divided(token.text, offsets) };
  });
}
