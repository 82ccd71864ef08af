/**
 * Capitals and signs of the sentences of a translation. Rules of Apertium give the capital of the first word
 * to the first one that they put in its place, be it the second (`Hola Todo el mundo`); none knows the signs
 * with which Spanish opens what it asks and exclaims, nor the blanks that French alone has before its signs,
 * and the one from English into Spanish takes every `please` for a verb.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { sentenceEnds } from '../../text/sentences.ts';
import type { Replacement } from './hyphenated-words.ts';

/** A step of a route, or all of them as one. */
export interface Direction {
  source: LanguageTag;
  target: LanguageTag;
}

/** A sentence, and where it is in its text. */
interface Sentence {
  start: number;
  text: string;
}

function sentencesOf(text: string, language: LanguageTag): Sentence[] {
  let start = 0;
  return sentenceEnds(text, { language, atLineBreaks: true }).map((end) => {
    const sentence = { start, text: text.slice(start, end) };
    start = end;
    return sentence;
  });
}

/** Languages in which only names have capitals within a sentence. */
const ONLY_NAMES = new Set(['ca', 'es', 'fr', 'gl', 'it', 'oc', 'pt']);
/** A later word is not the first that a rule knows: `Thank you very much For`. */
const MOST_BEFORE = 4;
/** So many words later a name may be in the source. */
const MOVED_BY = 1;
/** So far it is looked for, in UTF-16 units. */
const REACH = 1_000;
const WORD_PART = /[\p{L}\p{M}\p{N}]+/gu;
const WORD = /[\p{L}\p{M}\p{N}]+(?:[_'’][\p{L}\p{M}\p{N}]+)*/gu;
const LATER_CAPITAL = /[^\p{Lu}]\p{Lu}/u;
const ENDS_BEFORE_SMALL = /[.!?…\n][^\p{L}\s]{0,3}\s{1,3}[^\p{L}\s]{0,3}\p{Ll}/u;
const CAPITALISED = /^\p{Lu}(?:\p{Ll}|$)/u;
/** A name, or what might be one; `I` is none. */
const NAME = /^(?!I(?:['’]|$)).*\p{Lu}/u;
/** Behind these a word is the first. */
const OPENS = /(?:[.!?…:“‘«([¿¡‹❮❬][\s\ufffc]*|"\ufffc*)$/u;

const FUNCTION_WORD =
  /^(?:a|all|an|and|any|at|by|can|do|for|from|in|is|it|its|my|of|on|or|our|that|the|their|this|to|we|with|you|your)$/i;

/** What ends within a sentence, and the letter behind. */
const ENDED_WITHIN = /[.!?…]["'”’»)›❯❭]+\s+(?=\p{L})/gu;

/** The letters of a translation that are to be small, and of sentences the first that are to be capitals. */
export function wrongCapitals(
  translated: string,
  source: string,
  { source: from, target }: Direction,
): Replacement[] {
  const onlyNames = ONLY_NAMES.has(baseLanguage(target));
  const isEnglish = baseLanguage(target) === 'en';
  // Most texts are one sentence with no capital but the first.
  const isSimple = !LATER_CAPITAL.test(translated) && !ENDS_BEFORE_SMALL.test(translated);
  const originals = isSimple ? [{ start: 0, text: source }] : sentencesOf(source, from);
  const sentences = isSimple ? [{ start: 0, text: translated }] : sentencesOf(translated, target);
  // Where one has become two, only of the first is it known of what it was made.
  const isPaired = sentences.length === originals.length;
  const places = sentences.slice(0, isPaired ? undefined : 1).flatMap(({ start, text }, i) => {
    const original = (isPaired ? originals[i]?.text : source)?.slice(0, REACH) ?? '';
    if (isPaired && isShouted(original)) return smallLetters(text).map((at) => start + at);
    const first = wrongFirstLetter(text, original, onlyNames);
    const later = onlyNames || isEnglish ? misplacedCapital(text, original, isEnglish) : undefined;
    return [first, later].flatMap((place) => (place === undefined ? [] : [start + place]));
  });
  const within = onlyNames && !isSimple ? capitalsWithin(translated, source) : [];
  return [...new Set([...places, ...within, ...lostCapitals(translated, source)])]
    .sort((a, b) => a - b)
    .map((at) => ({ start: at, end: at + 1, text: withOtherCase(translated.charAt(at)) }));
}

/** `STOP`, but not `TV`. */
function isShouted(text: string): boolean {
  return /\p{Lu}{3}/u.test(text) && !/\p{Ll}/u.test(text);
}

function smallLetters(text: string): number[] {
  return Array.from(text.matchAll(/\p{Ll}/gu), ({ index }) => index);
}

const MIXED = /\p{Ll}\p{Lu}/u;

/** Letters of names such as `iPhone` and `JavaScript` that are capitals, or none, in the translation alone. */
function lostCapitals(translated: string, source: string): number[] {
  if (!MIXED.test(source)) return [];
  const names = new Map<string, string>();
  for (const word of new Set(source.match(WORD_PART))) {
    // What is written in two ways (`Resolver()`, `resolver`) may be either.
    names.set(word.toLowerCase(), names.has(word.toLowerCase()) ? '' : word);
  }
  return Array.from(translated.matchAll(WORD_PART)).flatMap(({ 0: word, index }) => {
    const name = names.get(word.toLowerCase()) ?? '';
    if (!MIXED.test(name)) return [];
    return word.split('').flatMap((letter, i) => (name[i] === letter ? [] : [index + i]));
  });
}

function withOtherCase(letter: string): string {
  const small = letter.toLowerCase();
  return small === letter ? letter.toUpperCase() : small;
}

/** `%d file` is not `%d Fichero`, for its first word begins no sentence; `Do not!` is `N’ouvre pas !`. */
function wrongFirstLetter(
  sentence: string,
  source: string,
  onlyNames: boolean,
): number | undefined {
  const [first] = firstWords(sentence, 1);
  const [original, ...others] = firstWords(source, 1 + MOVED_BY);
  if (first === undefined || original === undefined || isWordOf(source, first[0])) return undefined;
  const isSmall = onlyNames && /^\p{Ll}[^\p{Lu}]*$/u.test(original[0]);
  const isWrong = isSmall
    ? CAPITALISED.test(first[0]) && !others.some(({ 0: word }) => NAME.test(word))
    : /^\p{Lu}/u.test(original[0]) && /^\p{Ll}/u.test(first[0]);
  return isWrong ? first.index : undefined;
}

/** Behind what is quoted or in brackets, where the source goes on with a small letter: `“¿Sí?” Dijo.` */
function capitalsWithin(translated: string, source: string): number[] {
  const ends = (text: string) =>
    [...text.matchAll(ENDED_WITHIN)].map(({ 0: ending, index }) => index + ending.length);
  const [own, originals] = [ends(translated), ends(source)];
  if (own.length !== originals.length) return [];
  return own.filter((place, i) => {
    const [word = ''] = firstWords(translated.slice(place), 1)[0] ?? [];
    const original = source.slice(originals[i], (originals[i] ?? 0) + REACH);
    return CAPITALISED.test(word) && /^\p{Ll}/u.test(original) && !isWordOf(original, word);
  });
}

/**
 * Finds a capital that stands only because of where its word did.
 *
 * @param source from the beginning of what was translated on
 * @param isEnglish whether to look at function words alone: English has capitals for more than names
 */
function misplacedCapital(
  sentence: string,
  source: string,
  isEnglish: boolean,
): number | undefined {
  const [, ...others] = firstWords(sentence, MOST_BEFORE + 1);
  const at = others.findIndex(({ 0: word }) => CAPITALISED.test(word) && !isWordOf(source, word));
  const found = others[at];
  if (isEnglish && !FUNCTION_WORD.test(found?.[0] ?? '')) return undefined;
  if (found === undefined || OPENS.test(sentence.slice(0, found.index))) return undefined;
  const [, ...around] = firstWords(source, at + 2 + MOVED_BY);
  // A name that has stayed as it is is not what this one was.
  const isName = around.some(
    ({ 0: word }) => NAME.test(word) && !isWordOf(sentence.slice(0, REACH), word),
  );
  return isName ? undefined : found.index;
}

/** Whether a text has a word, be it in `L’iPhone` or `John’s`; not as a part, as `YouTube` has `Y`. */
function isWordOf(text: string, word: string): boolean {
  const words = new Set(text.match(WORD_PART));
  return (word.match(WORD_PART) ?? []).some((part) => words.has(part));
}

function firstWords(text: string, most: number): RegExpExecArray[] {
  const words: RegExpExecArray[] = [];
  for (const word of text.matchAll(WORD)) {
    if (words.push(word) === most) break;
  }
  return words;
}

const OPENING: Readonly<Record<string, string>> = { '?': '¿', '!': '¡' };
/** Not within an address. */
const CLOSING = /(?<=\S)[?!]+(?![\p{L}\p{N}=/])/gu;
/** French has a blank before them. */
const CLOSING_APART = /(?<=\S)\s?[?!]+(?![\p{L}\p{N}=/])/gu;
/** What is quoted or in brackets, by the sign behind its end. */
const OPENED_BY: Readonly<Record<string, string>> = {
  ...{ ')': '(', ']': '[', '”': '“', '’': '‘', '»': '«', '›': '‹', '❯': '❮', '❭': '❬' },
  ...{ '"': '"', "'": "'" },
};
/** Only what is behind these is asked: `Buenos días, ¿cómo estás?` */
const ASKED =
  /^.*(?::\s+|[,;]\s+(?=(?:(?:a|con|de|desde|en|hasta|o|para|pero|por|y)\s+){0,2}(?:a?dónde|cómo|cuál|cuáles|cuándo|cuánt[ao]s?|qué|quién|quiénes)(?!\p{L})))/isu;
const EXCLAIMED = /^.*:\s+/su;
/** What stays outside at the beginning: signs, and the number of an item. */
const OUTSIDE =
  /[\s,;"'“‘«‹❮❬([\ufffc•*#>–—\p{So}\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f-]*(?:(?:\d{1,3}[.)]|\p{L}\))\s+)?["'“‘«‹❮❬([\ufffc]*/uy;

/** The first letters of a translation that get a sign before them. */
export function spanishOpenings(translated: string, { source, target }: Direction): Replacement[] {
  if (!/[?!]/.test(translated) || baseLanguage(target) !== 'es') return [];
  const closings = baseLanguage(source) === 'fr' ? CLOSING_APART : CLOSING;
  return sentencesOf(translated, target).flatMap(({ start, text }) => {
    let from = 0;
    return [...text.matchAll(closings)].flatMap(({ 0: closing, index }) => {
      const signs = closing.trimStart();
      const place = openingPlace(
        text.slice(from, index),
        signs,
        text.charAt(index + closing.length),
      );
      const [begin, missing] = [from + (place ?? 0), missingSigns(text.slice(from, index), signs)];
      from = index + closing.length;
      if (place === undefined || missing === '') return [];
      const at = start + begin;
      return [{ start: at, end: at + 1, text: missing + text.charAt(begin) }];
    });
  });
}

/** @returns where it begins in the part before its closing signs; undefined where that says nothing */
function openingPlace(part: string, signs: string, behind: string): number | undefined {
  const opening = OPENED_BY[behind];
  let place = opening === undefined ? 0 : part.lastIndexOf(opening) + 1;
  const [before = ''] = (signs.includes('?') ? ASKED : EXCLAIMED).exec(part.slice(place)) ?? [];
  place += before.length;
  OUTSIDE.lastIndex = place;
  place += OUTSIDE.exec(part)?.[0].length ?? 0;
  return /[\p{L}\p{N}]/u.test(part.slice(place)) ? place : undefined;
}

/** Of `?!` both, each once, the other way round. */
function missingSigns(part: string, signs: string): string {
  const opening = [...new Set(signs)].toReversed().map((sign) => OPENING[sign] ?? '');
  return opening.filter((sign) => !part.includes(sign)).join('');
}

// French has a blank before `?`, `!`, `;`, `:` and within `« »`: rules pass it on, and make none.

const HAS_SIGN = /[?!;:«»]/;
/** Signs that end something, not within a number, an address, a reference (`&amp;`) or a face. */
const ENDS = String.raw`(?<!&#?[\p{L}\p{N}]{1,31})(?![:;]['’-]?[()])(?=[?!;:]+(?:[\s"'”’»\]\ufffc]|$)|[?!]+\)|»)`;
const APART = new RegExp(String.raw`(?<=\S)[ \u00a0\u202f]+${ENDS}|(?<=«)[ \u00a0\u202f]+`, 'gu');
const CLOSED = new RegExp(
  String.raw`(?<=[\p{L}\p{M}\p{N}"”’)\]»%€.…\ufffc])${ENDS}|(?<=[?!])(?=»)|«(?=\S)`,
  'gu',
);
const BLANK = '\u00a0';

/** The blanks that a translation from French has too many, or one into French too few. */
export function frenchBlanks(translated: string, { source, target }: Direction): Replacement[] {
  const [isFrom, isInto] = [source, target].map((language) => baseLanguage(language) === 'fr');
  if (isFrom === isInto || !HAS_SIGN.test(translated)) return [];
  const found = translated.matchAll(isFrom === true ? APART : CLOSED);
  return Array.from(found, ({ 0: signs, index }) => ({
    start: index,
    end: index + signs.length,
    text: isFrom === true ? '' : signs + BLANK,
  }));
}

// `Please` asks for something politely. To the mode from English into Spanish it is often the verb, and those
// behind it translate what is said word by word.

const PLEASE = /(?<!\p{L})please(?!\p{L})/giu;
/** Also what stands for a mark. */
const BLANK_OR_MARK = /[\s\ufffc]/u;
/** Behind these something is said, and before these it ends. */
const BEFORE_SAID = /[.!?…,;:“‘«("]/u;
const BEHIND_SAID = /[.!?…,;:”)"]/u;
const ASKED_OF_SOMEBODY = /\b(?:can|could|will|would) you\s$/iu;
/** What becomes of the verb, and what is said. */
const POLITE_WORDS: Readonly<Record<string, [verb: RegExp, word: string]>> = {
  es: [/(?<!\p{L})complacer?(?![\p{L}-])/giu, 'por favor'],
  fr: [/(?<!\p{L})(?:compla(?:ire|it|ît)|par faveur)(?![\p{L}-])/giu, "s'il vous plaît"],
  it: [/(?<!\p{L})compiac(?:er)?e(?![\p{L}-])/giu, 'per favore'],
  pt: [/(?<!\p{L})(?:compraz(?:er?)?|faz favor)(?![\p{L}-])/giu, 'por favor'],
};

/** The verbs of a translation that are none, `Complacer espera`; none where some of the source are. */
export function politeWords(
  translated: string,
  source: string,
  { source: from, target }: Direction,
): Replacement[] {
  const said = POLITE_WORDS[baseLanguage(target)];
  if (said === undefined || baseLanguage(from) !== 'en') return [];
  const asked = [...source.matchAll(PLEASE)];
  if (asked.length === 0) return [];
  if (!asked.every(({ 0: { length }, index }) => isPolite(source, index, index + length)))
    return [];
  const [verb, word] = said;
  const verbs = [...translated.matchAll(verb)];
  if (verbs.length !== asked.length) return [];
  return verbs.map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
    text: /^\p{Lu}/u.test(found) ? word.charAt(0).toUpperCase() + word.slice(1) : word,
  }));
}

/** Whether it stands at the beginning or the end of what is said, or in what is asked of somebody. */
function isPolite(source: string, start: number, end: number): boolean {
  let before = start;
  while (before > 0 && BLANK_OR_MARK.test(source.charAt(before - 1))) before -= 1;
  let behind = end;
  while (behind < source.length && BLANK_OR_MARK.test(source.charAt(behind))) behind += 1;
  return (
    before === 0 ||
    behind === source.length ||
    source.slice(before, start).includes('\n') ||
    source.slice(end, behind).includes('\n') ||
    BEFORE_SAID.test(source.charAt(before - 1)) ||
    BEHIND_SAID.test(source.charAt(behind)) ||
    ASKED_OF_SOMEBODY.test(source.slice(Math.max(0, start - 16), start))
  );
}

/** What is put right in a translation, one after the other. */
export const FINISHES: readonly ((
  translated: string,
  source: string,
  direction: Direction,
) => Replacement[])[] = [
  wrongCapitals,
  (translated, _source, direction) => frenchBlanks(translated, direction),
  (translated, _source, direction) => spanishOpenings(translated, direction),
  politeWords,
];
