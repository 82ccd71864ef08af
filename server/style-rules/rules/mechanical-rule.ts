/** Mechanical style rules: rules that need no understanding of the text. */
import { styleLanguages } from '../../../shared/language.ts';
import type {
  StyleRuleCategory,
  StyleRuleLanguage,
} from '../../../shared/style-rules/catalogue.ts';
import type { Span } from '../../text/placeholders.ts';
import { ELEMENT, WORD } from './masked-text.ts';

/** A catalogue option that is applied mechanically, and the languages in which it is. */
export interface MechanicalRule {
  category: StyleRuleCategory;
  rule: string;
  option: string;
  languages: readonly StyleRuleLanguage[];
}

/** The options of a list that are applied mechanically in this language. */
export interface ChosenStyle {
  language: StyleRuleLanguage;
  /** Language as requested, in lower case: `en-gb`. */
  tag: string;
  option(category: StyleRuleCategory, rule: string): string | undefined;
}

/**
 * One rule, or several that act together. `apply` gets a text in which marks and protected parts are single
 * stand-ins (`masked-text.ts`), and keeps all of them in order.
 */
export interface StyleStep {
  readonly rules: readonly MechanicalRule[];
  apply(text: string, style: ChosenStyle): string;
}

type Change = (text: string, style: ChosenStyle) => string;

/** Makes a step for one rule whose options do not interact with other rules. */
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

/** Makes entries for several options of a rule with the same languages. */
export function rulesOf(
  category: StyleRuleCategory,
  rule: string,
  languages: readonly StyleRuleLanguage[],
  options: readonly string[],
): MechanicalRule[] {
  return options.map((option) => ({ category, rule, option, languages }));
}

/** All languages of style rule lists. */
export const EVERY_LANGUAGE = styleLanguages;

/** Languages of style rule lists in Latin script. */
export const LATIN_LANGUAGES = ['de', 'en', 'es', 'fr', 'it'] as const;

// Characters and parts of patterns that style rules share.

/** No-break space, for French guillemets and units. */
export const NO_BREAK = '\u00A0';
/** Narrow no-break space, for thousands. */
export const NARROW = '\u202F';

/** Pattern of an optional space within a line. Never more than one, which keeps matching linear. */
export const BLANK = '[ \\u00A0\\u2009\\u202F]?';
/** Pattern of a space within a line. */
export const ONE_BLANK = '[ \\u00A0\\u2009\\u202F]';

/** Parts of character classes: Han, kana and Hangul. */
export const HAN = '\\p{Script=Han}';
export const KANA = '\\p{Script=Hiragana}\\p{Script=Katakana}ー';
export const HANGUL = '\\p{Script=Hangul}';

const BLANKS = /^[\s\u200B]$/u;
const LETTER = /^[\p{L}\p{M}]$/u;
const FIGURE = /^\p{N}$/u;
const EAST_ASIAN = new RegExp(`^[${HAN}${KANA}${HANGUL}]$`, 'u');

export const isBlank = (character: string | undefined): boolean =>
  character !== undefined && BLANKS.test(character);
/** Whether a character is a letter, or stands for a word. */
export const isLetter = (character: string | undefined): boolean =>
  character !== undefined && (character === WORD || LETTER.test(character));
export const isFigure = (character: string | undefined): boolean =>
  character !== undefined && FIGURE.test(character);
export const isEastAsian = (character: string | undefined): boolean =>
  character !== undefined && EAST_ASIAN.test(character);

/** Returns the character before a position, ignoring formatting in between. */
export function characterBefore(text: string, at: number): string | undefined {
  let index = at - 1;
  while (text[index] === ELEMENT) index -= 1;
  return index < 0 ? undefined : text[index];
}

/** Returns the character at a position, or after formatting there. */
export function characterFrom(text: string, at: number): string | undefined {
  let index = at;
  while (text[index] === ELEMENT) index += 1;
  return text[index];
}

/** Returns a pattern of alternatives, the longest first. */
export function oneOf(words: Iterable<string>): string {
  return [...words]
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('|');
}

/** Replaces pieces of a text; they are in order and do not overlap. */
export function withPieces(text: string, pieces: readonly (Span & { text: string })[]): string {
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

// Joints between numbers in a range or list: `3 to 5 May 2024`, `9–5 p.m.`. A date or time joined to a bare
// number is read together with it, so a rule must not change only one of them.

const CONJUNCTIONS =
  "to|and|or|through|thru|till|until|bis|und|oder|sowie|et|ou|à|au|aux|y|e|ed|o|u|a|al|ad|hasta|alle|alla|ai|agli|all[’']";
const EAST_ASIAN_JOINTS = '、|，|・|から|と|や|または|か|到|至|和|或|및|와|과|부터|까지|에서|또는';
const DASH = '[-–—~〜～－&+/]';
const ARTICLES = "the|el|la|las|los|le|les|il|i|gli|l[’']|den|dem|der|zum|am|del|dell[’']";

/** Pattern of a joint, with an optional article after it. */
export const JOINT =
  `(?:[,;]?${ONE_BLANK}(?:${CONJUNCTIONS})(?:${ONE_BLANK}(?:${ARTICLES}))?(?:${ONE_BLANK}|(?<=[’']))` +
  `|${BLANK}${DASH}${BLANK}(?:(?:${ARTICLES})${ONE_BLANK})?|[,;]${BLANK}|${BLANK}(?:${EAST_ASIAN_JOINTS})${BLANK})`;
/** Pattern of a joint that clearly continues: after a comma, another clause may begin with a number. */
export const JOINT_ONWARD = JOINT.replace(`|[,;]${BLANK}`, '').replace('、|，|', '');

/** How far joints and joined numbers are searched for, in UTF-16 units. */
const REACH = 48;

/** Patterns of numbers that something may be joined to. */
export interface Neighbours {
  /** Matches at the end of the text before. */
  before: RegExp;
  /** Matches at the start of the text after. */
  after: RegExp;
}

const WHOLE_JOINT = new RegExp(
  `^(?:${JOINT}|${JOINT_ONWARD}(?:\\p{L}{1,12}${ONE_BLANK}){0,2})$`,
  'iu',
);

/** The text before or after a position, without formatting. */
export const textBefore = (text: string, at: number): string =>
  text.slice(Math.max(0, at - REACH), at).replaceAll('\uFDD0', '');
export const textAfter = (text: string, at: number): string =>
  text.slice(at, at + REACH).replaceAll('\uFDD0', '');

/**
 * Filters out places that are joined to bare numbers. Places joined to each other are kept or dropped as a
 * group. Places are in reading order.
 *
 * @param isOneWay whether a joined group can be read in only one way
 */
export function withoutJoined<Found extends Span>(
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

function areJoined({ end }: Span, { start }: Span, text: string): boolean {
  const gap = start - end;
  return gap <= REACH && WHOLE_JOINT.test(text.slice(end, start).replaceAll('\uFDD0', ''));
}

// Detection of whether the full stop of an abbreviation also ends its sentence.

/** Words that start English sentences and hardly ever follow an abbreviation with a capital. */
const STARTER =
  /^[\s\uFDD0]+["“‘'(]?(?:An?|And|As|At|But|By|For|From|He|Her|His|However|I|If|In|It|Its|My|No|On|Or|Our|She|So|That|The|Their|Then|There|These|They|This|Those|To|We|What|When|Where|Who|Why|With|Yes|You|Your)(?![\p{L}'’])/u;

/** Capitalised words that continue a sentence after an abbreviation: the U.S. Army, 5 p.m. Monday. */
const FOLLOWER =
  /^[ \u00A0](?:Air|Army|Bank|Congress|Constitution|Department|Embassy|General|Government|House|Navy|President|Prime|Secretary|Security|Senate|Senator|State|States|Supreme|Treasury|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|GMT|UTC|[A-Z][DS]?T|CES?T)(?!\p{L})/u;

/**
 * Words typical of sentences, as opposed to headings, cells and labels; or the end of an earlier sentence.
 */
const SENTENCE =
  /(?<!\p{L})(?:am|are|be|been|can|could|did|does?|ends?|goes|go|had|has|have|he|I|is|it|may|must|she|should|starts?|they|was|we|were|will|would|you|ist|sind|war|hat|haben|wird|wir|es|son|está|fue|hay|est|sont|il|elle|nous|è|sono|ha|hanno)(?!\p{L})|\p{L}{2}[.!?]["”’»)]{0,2}\s/u;
/** Maximum text of a line examined, in UTF-16 units. */
const LINE = 300;

/** At the end of a line: whether the line is a sentence, is not (`9 a.m.–5 p.m.`), or may be either. */
function endsAsSentence(text: string, end: number): 'yes' | 'no' | 'unclear' {
  const line =
    text
      .slice(Math.max(0, end - LINE), end)
      .split('\n')
      .at(-1) ?? '';
  // Ignores a.m. and p.m., initials and the abbreviation itself.
  const others = line.replace(/(?:\p{L}\.[ \u00A0]?)+|(?<!\p{L})[AaPp][Mm](?!\p{L})/gu, ' ');
  if (SENTENCE.test(others)) return 'yes';
  return /\p{L}{2}|\uFDD1/u.test(others) ? 'unclear' : 'no';
}

/**
 * Whether an abbreviation ends its sentence. `yes` if what follows begins a sentence, or if only closing
 * marks follow and the line is a sentence; `unclear` before other capitalised words, and at the end of a
 * possible heading.
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
 * Replaces an abbreviation by a form without full stops. The last stop is kept if it ends the sentence; if
 * that is unclear, the abbreviation stays as it is.
 */
export function withoutStop(found: string, form: string, text: string, at: number): string {
  const end = at + found.length;
  if (!found.endsWith('.') || text[end] === '.') return form;
  const ends = endsSentence(text, end);
  if (ends === 'unclear') return found;
  return ends === 'yes' ? `${form}.` : form;
}
