/** What a rule of style is that needs no understanding: text in, text out. */
import { styleLanguages } from '../../../shared/language.ts';
import type {
  StyleRuleCategory,
  StyleRuleLanguage,
} from '../../../shared/style-rules/catalogue.ts';
import { ELEMENT, WORD } from './masked-text.ts';

/** An option of the catalogue that is kept by a machine, and the languages it is kept in. */
export interface MechanicalRule {
  category: StyleRuleCategory;
  rule: string;
  option: string;
  languages: readonly StyleRuleLanguage[];
}

/** What a list has chosen, as far as machines keep it in this language. */
export interface ChosenStyle {
  language: StyleRuleLanguage;
  /** As it was asked for: `en-GB`, in lower case. */
  tag: string;
  option(category: StyleRuleCategory, rule: string): string | undefined;
}

/**
 * One or several rules that act together. `apply` gets a text in which marks and whatever must not
 * change are single stand-ins (`masked-text.ts`); it keeps each of them, in order.
 */
export interface StyleStep {
  readonly rules: readonly MechanicalRule[];
  apply(text: string, style: ChosenStyle): string;
}

type Change = (text: string, style: ChosenStyle) => string;

/** A step for one rule whose options have nothing to do with others. */
export function singleRule({
  category,
  rule,
  options,
}: {
  category: StyleRuleCategory;
  rule: string;
  options: Readonly<
    Record<string, { languages: readonly StyleRuleLanguage[]; apply: Change } | undefined>
  >;
}): StyleStep {
  return {
    rules: Object.entries(options).map(([option, work]) => ({
      category,
      rule,
      option,
      languages: work?.languages ?? [],
    })),
    apply(text, style) {
      const option = style.option(category, rule);
      const work = option === undefined ? undefined : options[option];
      return work === undefined ? text : work.apply(text, style);
    },
  };
}

/** The same languages for several options of a rule. */
export function rulesOf(
  category: StyleRuleCategory,
  rule: string,
  languages: readonly StyleRuleLanguage[],
  options: readonly string[],
): MechanicalRule[] {
  return options.map((option) => ({ category, rule, option, languages }));
}

/** All languages of lists. */
export const EVERY_LANGUAGE = styleLanguages;

/** Languages of lists that are written in Latin letters. */
export const LATIN_LANGUAGES = ['de', 'en', 'es', 'fr', 'it'] as const;

// Characters that rules of style ask about, and pieces of their patterns.

/** No-break space: French guillemets and units. */
export const NO_BREAK = '\u00A0';
/** Narrow no-break space: thousands. */
export const NARROW = '\u202F';

/** A blank within a line, or none, as a piece of a pattern. Never more than one: time stays linear. */
export const BLANK = '[ \\u00A0\\u2009\\u202F]?';
/** A blank within a line, as a piece of a pattern. */
export const ONE_BLANK = '[ \\u00A0\\u2009\\u202F]';

/** Han, kana and hangul, as pieces of a pattern of characters. */
export const HAN = '\\p{Script=Han}';
export const KANA = '\\p{Script=Hiragana}\\p{Script=Katakana}ー';
export const HANGUL = '\\p{Script=Hangul}';

const BLANKS = /^[\s\u200B]$/u;
const LETTER = /^[\p{L}\p{M}]$/u;
const FIGURE = /^\p{N}$/u;
const EAST_ASIAN = new RegExp(`^[${HAN}${KANA}${HANGUL}]$`, 'u');

export const isBlank = (character: string | undefined): boolean =>
  character !== undefined && BLANKS.test(character);
/** A letter, or what stands for a word. */
export const isLetter = (character: string | undefined): boolean =>
  character !== undefined && (character === WORD || LETTER.test(character));
export const isFigure = (character: string | undefined): boolean =>
  character !== undefined && FIGURE.test(character);
export const isEastAsian = (character: string | undefined): boolean =>
  character !== undefined && EAST_ASIAN.test(character);

/** The character before a place, whatever formatting begins or ends between. */
export function characterBefore(text: string, at: number): string | undefined {
  let index = at - 1;
  while (text[index] === ELEMENT) index -= 1;
  return index < 0 ? undefined : text[index];
}

/** The character at a place or after the formatting that begins or ends there. */
export function characterFrom(text: string, at: number): string | undefined {
  let index = at;
  while (text[index] === ELEMENT) index += 1;
  return text[index];
}

/** The words of a list as alternatives of a pattern, the longest first. */
export function oneOf(words: Iterable<string>): string {
  return [...words]
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('|');
}

/** A text with new pieces at places, which are in order and do not overlap. */
export function withPieces(
  text: string,
  pieces: readonly { start: number; end: number; text: string }[],
): string {
  if (pieces.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const piece of pieces) {
    parts.push(text.slice(at, piece.start), piece.text);
    at = piece.end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

// What joins figures to others in a range or a list: `3 to 5 May 2024`, `9–5 p.m.`. A date or a time
// that is joined to bare figures is read with them, so that a rule may not change one of the two.

const CONJUNCTIONS =
  "to|and|or|through|thru|till|until|bis|und|oder|sowie|et|ou|à|au|aux|y|e|ed|o|u|a|al|ad|hasta|alle|alla|ai|agli|all[’']";
const EAST_ASIAN_JOINTS = '、|，|・|から|と|や|または|か|到|至|和|或|및|와|과|부터|까지|에서|또는';
const DASH = '[-–—~〜～－&+/]';
const ARTICLES = "the|el|la|las|los|le|les|il|i|gli|l[’']|den|dem|der|zum|am|del|dell[’']";

/** A joint, with an article after it, as a piece of a pattern. */
export const JOINT =
  `(?:[,;]?${ONE_BLANK}(?:${CONJUNCTIONS})(?:${ONE_BLANK}(?:${ARTICLES}))?(?:${ONE_BLANK}|(?<=[’']))` +
  `|${BLANK}${DASH}${BLANK}(?:(?:${ARTICLES})${ONE_BLANK})?|[,;]${BLANK}|${BLANK}(?:${EAST_ASIAN_JOINTS})${BLANK})`;
/** A joint that goes on: after a comma another sentence may begin with figures. */
export const JOINT_ONWARD = JOINT.replace(`|[,;]${BLANK}`, '').replace('、|，|', '');

/** How far a joint and what it joins are looked for, in UTF-16 units. */
const REACH = 48;

interface Place {
  start: number;
  end: number;
}

/** Patterns that end or begin with the figures something is joined to. */
export interface Neighbours {
  /** Of the text before, to its end. */
  before: RegExp;
  /** Of the text after, from its beginning. */
  after: RegExp;
}

const WHOLE_JOINT = new RegExp(
  `^(?:${JOINT}|${JOINT_ONWARD}(?:\\p{L}{1,12}${ONE_BLANK}){0,2})$`,
  'iu',
);

/** The text before or after a place, without formatting. */
export const textBefore = (text: string, at: number): string =>
  text.slice(Math.max(0, at - REACH), at).replaceAll('\uFDD0', '');
export const textAfter = (text: string, at: number): string =>
  text.slice(at, at + REACH).replaceAll('\uFDD0', '');

/**
 * Those of what was found, in reading order, that are not joined to bare figures. What is joined to each
 * other stays or goes as a whole.
 *
 * @param isOneWay whether several that are joined can be read in one way only
 */
export function withoutJoined<Found extends Place>(
  found: readonly Found[],
  text: string,
  { before, after }: Neighbours,
  isOneWay: (joined: readonly Found[]) => boolean = () => true,
): Found[] {
  const free: Found[] = [];
  let group: Found[] = [];
  let isBare = false;
  for (const [index, place] of found.entries()) {
    const next = found[index + 1];
    if (group.length === 0) isBare = before.test(textBefore(text, place.start));
    group.push(place);
    if (next !== undefined && areJoined(place, next, text)) continue;
    if (!isBare && !after.test(textAfter(text, place.end)) && isOneWay(group)) free.push(...group);
    group = [];
  }
  return free;
}

function areJoined({ end }: Place, { start }: Place, text: string): boolean {
  const gap = start - end;
  return gap <= REACH && WHOLE_JOINT.test(text.slice(end, start).replaceAll('\uFDD0', ''));
}

// Whether the full stop of a short form ends its sentence as well.

/** Words that begin English sentences and hardly ever follow a short form with a capital. */
const STARTER =
  /^[\s\uFDD0]+["“‘'(]?(?:An?|And|As|At|But|By|For|From|He|Her|His|However|I|If|In|It|Its|My|No|On|Or|Our|She|So|That|The|Their|Then|There|These|They|This|Those|To|We|What|When|Where|Who|Why|With|Yes|You|Your)(?![\p{L}'’])/u;

/** Words with a capital that go on after a short form: the U.S. Army, 5 p.m. Monday. */
const FOLLOWER =
  /^[ \u00A0](?:Air|Army|Bank|Congress|Constitution|Department|Embassy|General|Government|House|Navy|President|Prime|Secretary|Security|Senate|Senator|State|States|Supreme|Treasury|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|GMT|UTC|[A-Z][DS]?T|CES?T)(?!\p{L})/u;

/** What stands in sentences and hardly in headings, cells and labels; or a sentence before. */
const SENTENCE =
  /(?<!\p{L})(?:am|are|be|been|can|could|did|does?|ends?|goes|go|had|has|have|he|I|is|it|may|must|she|should|starts?|they|was|we|were|will|would|you|ist|sind|war|hat|haben|wird|wir|es|son|está|fue|hay|est|sont|il|elle|nous|è|sono|ha|hanno)(?!\p{L})|\p{L}{2}[.!?]["”’»)]{0,2}\s/u;
/** Text of a line that is looked at, in UTF-16 units. */
const LINE = 300;

/** At the end of a line: whether the line is a sentence, none (`9 a.m.–5 p.m.`) or may be either. */
function endsAsSentence(text: string, end: number): 'yes' | 'no' | 'unclear' {
  const line =
    text
      .slice(Math.max(0, end - LINE), end)
      .split('\n')
      .at(-1) ?? '';
  // Halves of days, initials and the short form itself are no words.
  const others = line.replace(/(?:\p{L}\.[ \u00A0]?)+|(?<!\p{L})[AaPp][Mm](?!\p{L})/gu, ' ');
  if (SENTENCE.test(others)) return 'yes';
  return /\p{L}{2}|\uFDD1/u.test(others) ? 'unclear' : 'no';
}

/**
 * `yes` where what follows begins a sentence, or nothing follows but closing marks and the line is a
 * sentence; `unclear` before other words with a capital and after words that may be a heading.
 */
export function endsSentence(text: string, end: number): 'yes' | 'no' | 'unclear' {
  const rest = text.slice(end, end + 24);
  if (/^[\uFDD0"”’»)\]]{0,4}(?:$|\s*\n)/.test(rest)) return endsAsSentence(text, end);
  if (STARTER.test(rest)) return 'yes';
  return /^[\uFDD0]*[ \u00A0][\uFDD0"“(]{0,3}[\p{Lu}\uFDD1]/u.test(rest) && !FOLLOWER.test(rest)
    ? 'unclear'
    : 'no';
}

/**
 * Another form for one with full stops that was found at a place: the last is kept where it ends the
 * sentence, and where nobody knows, the form that was found.
 */
export function withoutStop(found: string, form: string, text: string, at: number): string {
  const end = at + found.length;
  if (!found.endsWith('.') || text[end] === '.') return form;
  const ends = endsSentence(text, end);
  if (ends === 'unclear') return found;
  return ends === 'yes' ? `${form}.` : form;
}
