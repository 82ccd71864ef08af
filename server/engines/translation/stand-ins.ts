/**
 * Stand-ins for text that an Apertium mode would spoil; the original returns after the last step. Compounds
 * and formulas are replaced by a word that no dictionary knows, surnames by a given name, and English single
 * quotation marks by other marks.
 */
import { surnamesIn } from '../../text/words/person-names.ts';
import { isCommonCompound } from './english/common-compounds.ts';
import { HYPHEN, textOf, type KnowsWord, type Replacement } from './hyphenated-words.ts';
import type { Token } from './marked-text.ts';

/** Replaces parts of a text. */
export function replaced(text: string, replacements: readonly Replacement[]): string {
  let result = '';
  let from = 0;
  for (const { start, end, text: other } of replacements) {
    result += text.slice(from, start) + other;
    from = end;
  }
  return result + text.slice(from);
}

/** Replaces parts of the text of tokens. */
export function replacedTokens(
  tokens: readonly Token[],
  replacements: readonly Replacement[],
): Token[] {
  let next = 0;
  return placed(tokens).map(({ token, from, to }) => {
    const own: Replacement[] = [];
    for (let each = replacements[next]; each !== undefined && each.start < to;) {
      const { start, end, text } = each;
      if (start >= from && end <= to) own.push({ start: start - from, end: end - from, text });
      each = replacements[(next += 1)];
    }
    return token.kind === 'atom' ? token : { ...token, text: replaced(token.text, own) };
  });
}

/**
 * Returns a predicate that tells whether a part of the text lies within one word token and may be replaced.
 */
export function withinWords(tokens: readonly Token[]): (start: number, end: number) => boolean {
  const places = placed(tokens).filter(({ token }) => token.kind === 'word');
  return (start, end) => {
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((places[middle]?.from ?? 0) <= start) low = middle + 1;
      else high = middle;
    }
    return end <= (places[low - 1]?.to ?? -1);
  };
}

function placed(tokens: readonly Token[]): { token: Token; from: number; to: number }[] {
  let to = 0;
  return tokens.map((token) => {
    const from = to;
    to += token.kind === 'atom' ? 1 : token.text.length;
    return { token, from, to };
  });
}

// Kept words. Formulas (`CO₂`) contain letters that a dictionary may know. Names (`Spider-Man`) and
// identifiers (`GPL-3.0-or-later`) would be translated part by part. English compounds with a prefix or an
// unknown part would have their parts put in different places (`anti-war film`: `anti-película de guerra`).

export interface KeptWords {
  /** In order; for kept words the text is a stand-in. */
  replacements: readonly Replacement[];
  /** Kept words by their stand-ins. */
  kept: ReadonlyMap<string, string>;
}

const JOINED = '[\\p{L}\\p{M}\\p{N}]+(?:[-‐‑.][\\p{L}\\p{M}\\p{N}]+)*';
const COMPOUND = new RegExp(`(?<![\\p{L}\\p{M}\\p{N}@._/'’-])${JOINED}(?![\\p{M}@_/])`, 'gu');

/** English prefixes; `re` is one only where the word has no other meaning. */
const PREFIXES = new Set(
  'anti co counter ex inter intra macro mega micro mid mini multi neo over post pre pro pseudo quasi re self semi sub super trans ultra un under'.split(
    ' ',
  ),
);
/** Words with `re` that mean something else with the hyphen than without it. */
const OTHER_WORDS =
  /^(?:coop|multiply|re(?:act|bound|call|coil|collect|count|cover|creat|dress|form|fund|fuse|lay|lease|mark|move|petition|place|pose|present|press|prove|quest|search|sent|serve|side|sign|solve|sort|sound|store|strain|tire|tired|treat|turn|view|ward)\p{L}*)$/u;

/** Nouns made of verbs (`check-in`, `sign-up`), which make no sense in any language word by word. */
const VERB_WITH_PARTICLE = /^\p{L}+-(?:away|back|down|in|off|on|out|over|up)$/u;

/** A part of a text, in UTF-16 positions. */
export interface Part {
  start: number;
  end: number;
  /** Stand-ins to choose from; by default a word that no dictionary knows. */
  standIns?: readonly string[];
}

/** A subscript digit after a letter, or a superscript one after one or two letters. */
const FORMULA =
  /(?<![\p{L}\p{M}\p{N}])(?:[\p{L}\p{N}]*\p{L}[₀-₉][\p{L}\p{N}]*|\p{L}{1,2}[⁰¹²³⁴-⁹]+(?![\p{L}\p{N}]))/gu;
/** Anything else before a figure is a word, and the figure is a footnote number. */
const SYMBOLS_AT_END = /(?<![\p{L}\p{M}\p{N}])(?:\p{L}|(?:\p{Lu}\p{Ll}?){2,4})$/u;
const SYMBOLS_AT_START = /^(?:\p{L}|(?:\p{Lu}\p{Ll}?){1,4})(?![\p{L}\p{M}])/u;
const FIGURE = /^\p{N}{1,3}[+−-]?$/u;

/**
 * Text that programs read: options, names with underscores, file names, paths, mentions and hashtags.
 */
const IDENTIFIERS = [
  /(?<!\S)--\p{Ll}[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu,
  /(?<![\p{L}\p{N}_])[\p{L}\p{N}]+(?:_+[\p{L}\p{N}]+)+(?![\p{L}\p{N}_])/gu,
  /(?<![^\s"'“‘(])(?:[A-Za-z]:\\|\\\\|~\/|\.{1,2}\/|\/(?=[\p{L}\p{N}_.-]+\/))[^\s"'“”‘’<>|*?,;:()]*[\p{L}\p{N}_/\\]/gu,
  /(?<![\p{L}\p{N}_@./\\-])(?:[\p{L}\p{N}_.-]{1,60}\/)*[\p{L}\p{N}_-]{1,60}(?:\.[\p{L}\p{N}_-]{1,60})*\.(?:avi|bat|bmp|c|cfg|conf|cpp|css|csv|docx?|eps|exe|gif|gz|h|html?|ini|java|jpe?g|jsx?|json|log|md|mov|mp[34]|odt|pdf|php|png|pptx?|py|rar|rb|rs|rtf|sh|sql|svg|tar|tiff?|tsx?|txt|wav|xlsx?|xml|ya?ml|zip)(?![\p{L}\p{N}])/gu,
  /(?<![\p{L}\p{N}&@#/])[@#](?=[\p{N}_]*\p{L})[\p{L}\p{M}\p{N}_]{2,60}(?:-[\p{L}\p{M}\p{N}_]{1,60}){0,8}/gu,
];
const HAS_IDENTIFIER = /[_\\/@#]|--|\.\p{L}/u;
const HAS_LETTER = /\bA\b|\ba\)|I\/O|\d ?[aA][mM]\b/;
const HAS_SIGN = /[&/>»›→⇒]/;
const HAS_SMALL_FIGURE = /[₀-₉⁰¹²³⁴-⁹]/;
/** Letters that could be read as words but are not (`A`, `I/O`), and times such as `9am`. */
const LETTERS = [
  /(?<![\p{L}\p{M}\p{N}'’.-])A(?=$|[.,;:!?)\]”»]|['"](?!\p{L})|–\p{Lu}| [&/>] )|(?<=\p{Ll} )A(?= \p{Ll})/gu,
  /(?<![\p{L}\p{M}\p{N}])(?:a(?=\))|(?:A[&/][B-Z]|[B-Z]&A|I\/O)(?![\p{L}\p{M}\p{N}]))/gu,
  /(?:(?<=\p{N} )am|(?<![\p{L}\p{N}.,:])\p{N}{1,2}(?::\p{N}{2})?am)(?![\p{L}\p{N}])/giu,
];
/** Signs across which rules would move words. */
const BETWEEN_WORDS = /(?<=\S )(?:[&/>»›→⇒]|[=-]>)(?= \S)/gu;
const QUOTES_WITH_BLANKS = /[«‹]/u;

/** Returns the formulas and other parts of a text that are kept. */
export function formulasIn(text: string, language: string): Part[] {
  const patterns = [
    ...(HAS_SMALL_FIGURE.test(text) ? [FORMULA] : []),
    ...(HAS_LETTER.test(text) ? LETTERS : []),
    ...(HAS_IDENTIFIER.test(text) ? IDENTIFIERS : []),
    ...(HAS_SIGN.test(text) && !QUOTES_WITH_BLANKS.test(text) ? [BETWEEN_WORDS] : []),
  ];
  const parts = patterns.flatMap((pattern) => partsOf(text, pattern));
  // The Italian mode drops the sign.
  if (language === 'it') parts.push(...partsOf(text, /\p{N}+(?:[.,]\p{N}+)*%/gu));
  return parts;
}

/**
 * Given names that stand in for surnames (`Anna Baker`: `Anna Panadero`). Apertium knows them as names, so
 * possessives (`Anna Baker's car`) and agreement with persons come out right.
 */
const MEN = 'Robert Thomas Richard Peter George David Michael Paul'.split(' ');
const WOMEN = 'Laura Patricia Sandra Julia Anna Barbara Susan Maria'.split(' ');

/** Returns the surnames of a text, which are kept. */
export function keptSurnames(text: string, language: string): Part[] {
  return surnamesIn(text, language).map(({ start, end, isOfWoman }) => ({
    start,
    end,
    standIns: isOfWoman ? WOMEN : MEN,
  }));
}

function partsOf(text: string, pattern: RegExp): Part[] {
  return Array.from(text.matchAll(pattern), ({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  }));
}

/**
 * Abbreviations of single letters that are words by themselves; the last full stop may also end a sentence.
 */
const ABBREVIATION = /(?<![\p{L}\p{N}.])(?:[ap]\.m|i\.e)(?:\.(?=\s?[\p{Ll}\p{N}(,;:])|(?=\.))/giu;

export function abbreviationsIn(text: string): Part[] {
  return partsOf(text, ABBREVIATION);
}

/**
 * An English `no` at the end of a sentence, in the body of a request. It is an abbreviation before figures
 * (`No. 5`), in lower case before a word (`no. of cars`) and with a capital after a word (`Invoice No.`).
 */
const FINAL_NO =
  /(?<![\p{L}\p{M}\p{N}])(?:no|(?<=(?:^|[.!?…:;,"“‘'(—–-])\s*(?:\[\[[^\]]*\]\])?)N[oO])(?=\.(?:["'”’»)]|(?:\[[^\]]*\]+)*(?:$|\s+(?!\S*\p{N})\P{Ll})))/gu;

/** Separates the answer `no.` from its full stop, which would make it `number`; the blank is removed later. */
export function withFreeNo(body: string, language: string): string {
  return language === 'en' ? body.replaceAll(FINAL_NO, '$& ') : body;
}

/** Returns the letters of formulas whose figures are in an element of their own: `CO<sub>2</sub>`. */
export function formulasOf(tokens: readonly Token[]): Part[] {
  const words = placed(tokens);
  return words.flatMap(({ token }, i) => {
    if (token.kind !== 'word' || !FIGURE.test(token.text)) return [];
    const [before, after] = [words[i - 1], words[i + 1]];
    if (before?.token.kind !== 'word') return [];
    const [symbols] = SYMBOLS_AT_END.exec(before.token.text.slice(-9)) ?? [];
    if (symbols === undefined) return [];
    const parts = [{ start: before.to - symbols.length, end: before.to }];
    if (after?.token.kind !== 'word') return parts;
    const [others] = SYMBOLS_AT_START.exec(after.token.text.slice(0, 9)) ?? [];
    // A figure may also follow these letters: `C<sub>2</sub>H<sub>5</sub>OH`.
    const isNext = others !== undefined && others.length === after.token.text.length;
    const isFollowed = isNext && FIGURE.test(wordAt(words[i + 2]?.token));
    if (others === undefined || isFollowed) return parts;
    return [...parts, { start: after.from, end: after.from + others.length }];
  });
}

function wordAt(token: Token | undefined): string {
  return token?.kind === 'word' ? token.text : '';
}

/**
 * Returns the formulas of a text, which are kept, and its compounds, which are kept or joined into one word.
 */
export function keptWords(
  text: string,
  { knows, language, formulas }: { knows: KnowsWord; language: string; formulas: readonly Part[] },
): KeptWords {
  const replacements: Replacement[] = [];
  const kept = new Map<string, string>();
  const isShouted = text === text.toUpperCase();
  for (const { 0: compound, index } of text.matchAll(COMPOUND)) {
    if (compound.search(HYPHEN) < 0) continue;
    const end = index + compound.length;
    const whole = compound.toLowerCase().replaceAll(HYPHEN, '-');
    if (isIdentifier(compound)) keep(index, compound);
    else if (knows(whole) || (language === 'en' && isCommonCompound(whole))) continue;
    else if (isName(compound, { knows, language, isShouted })) keep(index, compound);
    else if (language === 'en') {
      const joined = joinedWord(compound, knows);
      if (joined !== undefined) replacements.push({ start: index, end, text: joined });
      else if (isUnclear(whole, knows) || VERB_WITH_PARTICLE.test(whole)) keep(index, compound);
    }
  }
  const compounds = [...replacements];
  let next = 0;
  let keptUpTo = 0;
  for (const { start, end, standIns } of formulas.toSorted(
    (a, b) => a.start - b.start || b.end - a.end,
  )) {
    while ((compounds[next]?.end ?? Infinity) <= start) next += 1;
    if (start < keptUpTo || (compounds[next]?.start ?? Infinity) < end) continue;
    keep(start, text.slice(start, end), standIns);
    keptUpTo = end;
  }
  return { replacements: replacements.sort((a, b) => a.start - b.start), kept };

  function keep(start: number, word: string, standIns: readonly string[] = []): void {
    const standIn =
      standIns.find((each) => !text.includes(each) && !kept.has(each)) ??
      newStandIn(text, kept.size);
    kept.set(standIn, word);
    replacements.push({ start, end: start + word.length, text: standIn });
  }
}

/**
 * Whether a compound has digits and full stops as only identifiers do: `python-3.11`, `F-16`, but not
 * `3.5-inch`, `pre-1990`.
 */
function isIdentifier(compound: string): boolean {
  const [first = '', ...others] = compound.split(HYPHEN);
  const isMeasure = /^\p{N}/u.test(first) && !/\p{N}\p{L}+\p{N}/u.test(first);
  if (!isMeasure && /\.|\p{L}\p{N}/u.test(first)) return true;
  return others.some(
    (part) =>
      /\.|\p{L}\p{N}/u.test(part) ||
      (/^\p{N}+$/u.test(part) && !isMeasure && !PREFIXES.has(first.toLowerCase())),
  );
}

/**
 * Whether a compound is a name: `Jean-Luc`, `en-US`, `pro-European`. In languages with more hyphens, a part
 * must be unknown.
 */
function isName(
  compound: string,
  { knows, language, isShouted }: { knows: KnowsWord; language: string; isShouted: boolean },
): boolean {
  const parts = compound.split(HYPHEN);
  const hasUnknown = parts.some((part) => !knows(part.toLowerCase()));
  const isCapitals = compound === compound.toUpperCase();
  if (language !== 'en' || isShouted || isCapitals) {
    return hasUnknown && parts.every((part) => /^\p{Lu}/u.test(part));
  }
  return parts.slice(1).some((part) => /^\p{Lu}/u.test(part));
}

function joinedWord(compound: string, knows: KnowsWord): string | undefined {
  const [prefix = '', ...others] = compound.split(HYPHEN);
  const joined = prefix + others.join('');
  const isPrefixed = others.length === 1 && PREFIXES.has(prefix.toLowerCase());
  const isOther = OTHER_WORDS.test(joined.toLowerCase());
  return isPrefixed && !isOther && knows(joined.toLowerCase()) ? joined : undefined;
}

/** Whether a compound has a prefix, a single letter (`A-team`) or an unknown part. */
function isUnclear(compound: string, knows: KnowsWord): boolean {
  const parts = compound.split('-');
  const [first = ''] = parts;
  if (PREFIXES.has(first) || /^\p{L}$/u.test(first) || /^\p{L}$/u.test(parts.at(-1) ?? '')) {
    return true;
  }
  return parts.some((part) => !/^\p{N}/u.test(part) && !knows(part));
}

/** Returns a new stand-in of letters only, which no rule takes apart. */
function newStandIn(text: string, count: number): string {
  const letters = (number: number): string =>
    (number >= 20 ? letters(Math.floor(number / 20) - 1) : '') +
    'bcdfghjklmnpqrstvwxz'.charAt(number % 20);
  const lower = text.toLowerCase();
  let standIn = `xq${letters(count)}zq`;
  while (lower.includes(standIn)) standIn += 'q';
  return standIn;
}

/** Whether the engine knows a stand-in as a word. */
function isKnown(standIn: string): boolean {
  return /^\p{Lu}/u.test(standIn);
}

/**
 * Returns a pattern for a stand-in in a translation; a known word must match as a whole, since other words
 * may begin with it.
 */
function patternOf(standIn: string): RegExp {
  return isKnown(standIn)
    ? new RegExp(`(?<![\\p{L}\\p{M}])${standIn}(?![\\p{L}\\p{M}])`, 'u')
    : new RegExp(standIn, 'iu');
}

/** Removes kept words that an element covers only in part. */
export function undividedWords(words: KeptWords, tokens: readonly Token[]): KeptWords {
  const isWithin = withinWords(tokens);
  const replacements = words.replacements.filter(({ start, end }) => isWithin(start, end));
  const texts = new Set(replacements.map(({ text }) => text));
  return { replacements, kept: new Map([...words.kept].filter(([text]) => texts.has(text))) };
}

const BEGINS_SENTENCE = /(?:^|[.!?…:]["”’»)]{0,2}\s)[\s"“‘«(¿¡]*$/u;

/** Returns a translation with the kept words restored; undefined when a stand-in is lost or doubled. */
export function withKeptWords(
  translated: string,
  kept: ReadonlyMap<string, string>,
  source: string,
): string | undefined {
  let text = translated;
  for (const [standIn, word] of kept) {
    const [before = '', after, ...more] = text.split(patternOf(standIn));
    if (after === undefined || more.length > 0) return undefined;
    const isFirst = !isKnown(standIn) && BEGINS_SENTENCE.test(before);
    const place = isFirst ? misplacedCapital(after, source) : undefined;
    const rest =
      place === undefined
        ? after
        : after.slice(0, place) + after.charAt(place).toLowerCase() + after.slice(place + 1);
    text = before + word + rest;
  }
  return text;
}

/**
 * Returns the position of a sentence-initial capital that was moved from the stand-in to the first word the
 * engine knows: `Xyz Es un héroe`.
 */
function misplacedCapital(rest: string, source: string): number | undefined {
  // Letters directly after the mark of a figure belong to the same formula.
  const start = /^[\p{L}\p{M}\p{N}]*/u.exec(rest)?.[0].length ?? 0;
  const behind = rest.slice(start).matchAll(/[ \t]+(\p{L}+)|[^ \t,–—-]/gu);
  for (const { 0: found, 1: word = '', index } of behind) {
    if (word === '') return undefined;
    if (!source.includes(word)) {
      return /^\p{Lu}/u.test(word) ? start + index + found.length - word.length : undefined;
    }
  }
  return undefined;
}

/** Same as {@link withKeptWords}, for tokens. */
export function tokensWithKeptWords(
  tokens: readonly Token[],
  kept: ReadonlyMap<string, string>,
  source: string,
): Token[] | undefined {
  let changed = [...tokens];
  for (const [standIn, word] of kept) {
    const pattern = patternOf(standIn);
    const isHolder = (token: Token) => token.kind === 'word' && pattern.test(token.text);
    const place = changed.findIndex(isHolder);
    const holder = changed[place];
    if (holder?.kind !== 'word' || changed.findLastIndex(isHolder) !== place) return undefined;
    const before = changed.slice(0, place);
    let after = changed.slice(place + 1);
    const rest = textOf(after);
    const isFirst = !isKnown(standIn) && BEGINS_SENTENCE.test(textOf(before));
    const start = isFirst ? misplacedCapital(rest, source) : undefined;
    if (start !== undefined) {
      const lower = { start, end: start + 1, text: rest.charAt(start).toLowerCase() };
      after = replacedTokens(after, [lower]);
    }
    changed = [...before, { ...holder, text: holder.text.replace(pattern, () => word) }, ...after];
  }
  return changed;
}

/**
 * Returns the apostrophes and quotation marks that are escaped for a program (`Don\\'t`) wherever the text
 * has them.
 */
export function escapedSigns(text: string): string[] {
  if (!text.includes('\\')) return [];
  return ["'", '"'].filter((sign) => {
    const [, ...others] = text.split(sign);
    const escaped = text.split(`\\${sign}`).length - 1;
    return escaped > 0 && escaped === others.length;
  });
}

// Single quotation marks. Apertium's English reads them as apostrophes: `'small'` becomes a genitive and loses
// its first letter, the quoted text is glued to the word before, and `’` becomes straight. Angle quotation
// marks have no meaning to it.

/** Pairs that may replace quotation marks; the first pair that is absent from the text is used. */
const STAND_INS = [
  ['‹', '›'],
  ['❮', '❯'],
  ['❬', '❭'],
] as const;
/** Excludes `dogs'`, `rock ’n’ roll`, `'tis`, `’90s`: a quotation opens after a blank or another sign. */
const OPENING =
  /(?<=^|[\s([{"“«—–-])['‘’]{1,5}(?!['‘’]|(?:tis|twas|em|cause|til|till|bout|round|n)\b|\d{2}s\b)(?=[\p{L}\p{N}])/giu;
const CLOSING = /(?<=[\p{L}\p{N}.,;:!?…)])['’]{1,5}(?=$|[\s)\]}"”».,;:!?…—–-])/gu;

/** Quotation marks of a text, and their replacements. */
export interface SingleQuotes {
  /** In order of position, one UTF-16 unit each; empty when nothing is quoted. */
  replacements: readonly Replacement[];
  /**
   * Returns a translation with its quotation marks restored; undefined when some were lost or doubled.
   *
   * @param pieces the translation, possibly in several pieces
   */
  restore: (pieces: readonly string[]) => string[] | undefined;
}

const NOTHING_QUOTED: SingleQuotes = { replacements: [], restore: (pieces) => [...pieces] };

/** Finds the single quotation marks of a text. */
export function singleQuotes(text: string): SingleQuotes {
  const standIns = STAND_INS.find((pair) => pair.every((sign) => !text.includes(sign)));
  const [opens, closes] = standIns === undefined ? [[], []] : quotesOf(text);
  if (standIns === undefined || opens.length + closes.length === 0) return NOTHING_QUOTED;
  const [opening, closing] = standIns;
  const replacements = [
    ...opens.map((start) => ({ start, end: start + 1, text: opening })),
    ...closes.map((start) => ({ start, end: start + 1, text: closing })),
  ].sort((one, other) => one.start - other.start);
  return {
    replacements,
    restore(pieces) {
      const originals: Record<string, string[]> = {
        [opening]: opens.map((place) => text.charAt(place)),
        [closing]: closes.map((place) => text.charAt(place)),
      };
      const signs = new RegExp(`[${opening}${closing}]`, 'gu');
      const found = pieces.flatMap((piece) => piece.match(signs) ?? []);
      const isWhole = Object.entries(originals).every(
        ([sign, places]) => found.filter((each) => each === sign).length === places.length,
      );
      if (!isWhole) return undefined;
      return pieces.map((piece) =>
        piece.replace(signs, (sign) => originals[sign]?.shift() ?? sign),
      );
    },
  };
}

/**
 * Returns where quotation marks open, even without an end, and where they close a quotation: an open one, or
 * one that began in an earlier sentence.
 */
function quotesOf(text: string): [opens: number[], closes: number[]] {
  const closings = [...text.matchAll(CLOSING)];
  const opens: number[] = [];
  const closes: number[] = [];
  const closed = new Set<RegExpExecArray>();
  const add = (places: number[], { 0: marks, index }: RegExpExecArray) =>
    places.push(...Array.from(marks, (_, at) => index + at));
  let next = 0;
  let after = 0;
  for (const opening of text.matchAll(OPENING)) {
    add(opens, opening);
    if (opening.index < after) continue;
    while ((closings[next]?.index ?? Infinity) <= opening.index) next += 1;
    const closing = closings[next];
    if (closing === undefined) continue;
    closed.add(closing);
    after = closing.index;
  }
  // Behind a sign there is no apostrophe.
  const ends = closings.filter((each) => closed.has(each) || !isAfterLetter(text, each.index));
  for (const closing of ends) add(closes, closing);
  return [opens, closes];
}

function isAfterLetter(text: string, at: number): boolean {
  return /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at));
}
