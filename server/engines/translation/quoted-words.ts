/**
 * Signs that Apertium would leave in place while their words move (`The "red" car`: `El "coche" rojo`). A few
 * words that are quoted or set off are passed as an element, which moves with its words. Signs at the edges
 * of an element are removed and restored afterwards. Apostrophes that were typed in other ways are put right before.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import { type Mark, plainText, type TextSegment } from '../../text/text-segment.ts';
import { type Direction, frenchBlanks } from './sentence-signs.ts';
import { replaced } from './stand-ins.ts';

/**
 * Returns a function that spells parts of a text as the dictionaries do. Keyboards have `It´s` and `It`s` at hand, and
 * Java writes `It''s`. People who write English in haste are `i`; so are indices and numbers (`i. The key`, `if i is odd`).
 */
export function asDictionariesKnow(source: LanguageTag) {
  return <Part extends string | Mark>(part: Part): Part | string => {
    if (typeof part !== 'string') return part;
    const text = part.replaceAll(/(?<=\p{L})(?:[`´]|'')(?=\p{L})/gu, '’');
    return source === 'en' ? text.replaceAll(HASTY_I, 'I') : text;
  };
}

const HASTY_I =
  /i(?=[’'](?:m|ll|ve|d)\b| (?!(?:is|and|or)\b)\p{Ll}{2})(?<=(?:^|[.!?,;:…]\s+|\b(?:and|but|because|if|when|what|that|so|as|think|hope|know|say|said|or|than|do|did|can|will|should|am|where|how|why|who|yes|yeah|ok|okay|well|now|then|wish|guess) )i)/giu;

/** Opening and closing signs; a repetition of the same sign must not follow. */
const SIGNS = [
  ['"', '"'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
  ['‹', '›'],
  ["'''", "'''"],
  ["''", "''"],
  ["'", "'"],
  ['‘', '’'],
  ['***', '***'],
  ['**', '**'],
  ['*', '*'],
  ['_', '_'],
  ['~~', '~~'],
  ['<', '>'],
] as const;
const SUSPECT = /["“„«‹'‘*_<]|~~/u;
/** An apostrophe at the end of a word could also be a closing sign. */
const ONE_WORD = String.raw`[\p{L}\p{N}](?:['’-]?[\p{L}\p{M}\p{N}]){0,40}`;
/** One to three words, with blanks between them but none at the ends. */
const WORDS = String.raw`(?!n['’])${ONE_WORD}(?: ${ONE_WORD}){0,2}`;
const BEFORE = String.raw`(?<=^|[\s([])`;
const BEHIND = String.raw`(?=$|[\s)\].,;:!?…])`;
const PAIRS = SIGNS.map(([opening, closing]) => {
  const [before, after] = [opening, closing].map((sign) => sign.replaceAll('*', String.raw`\*`));
  const blank = opening === '«' ? String.raw`[ \u00a0\u202f]?` : '';
  return [`${BEFORE}${before}${blank}`, `${blank}${after}${BEHIND}`] as const;
});
const QUOTED = new RegExp(PAIRS.map(([before, after]) => before + WORDS + after).join('|'), 'gu');
const ONLY_WORDS = new RegExp(`^${WORDS}$`, 'u');
/** Signs that end before an element, and signs that begin after it. */
const AROUND_ELEMENT = PAIRS.map(
  ([before, after]) => [new RegExp(`${before}$`, 'u'), new RegExp(`^${after}`, 'u')] as const,
);
/** Maximum number of segment parts in an element of a few words. */
const MOST_PARTS = 8;

/** Arrows, stars and emoji. */
const SYMBOL = String.raw`[\p{So}\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f]`;
const APART = String.raw`[\p{So}\p{Sm}\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f«‹»›]`;
const SYMBOLS_FIRST = new RegExp(String.raw`^(?:${APART}{1,8}\s+|${SYMBOL}{1,8})`, 'u');
const SYMBOLS_LAST = new RegExp(String.raw`(?:(?<!\s)\s{1,2}${APART}{1,8}|${SYMBOL}{1,8})$`, 'u');

/**
 * Signs of an element. An element created for its signs (`isOwn`) is not in the source and keeps its signs
 * inside.
 */
interface Signs {
  isOwn: boolean;
  before: string;
  first: string;
  last: string;
  behind: string;
}

/** A text without such signs. */
export interface QuotedWords {
  segment: TextSegment;
  /** Returns the translation with its signs restored; undefined when an element has lost its words. */
  restore: (translated: TextSegment) => TextSegment | undefined;
}

/** Signs, and French blanks, before the first word and after the last. */
const AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu;

/** Returns undefined for a text without such signs, or with nothing else. */
export function quotedWords(
  text: string | TextSegment,
  direction: Direction,
): QuotedWords | undefined {
  const signs = new Map<number, Signs>();
  const parts = typeof text === 'string' ? [text] : withoutSignsOfElements(text, signs, direction);
  const ofElements = signs.size;
  let id = Math.max(0, ...parts.map((part) => (typeof part === 'string' ? 0 : part.id)));
  let outside = '';
  const segment = parts.flatMap((part): (string | Mark)[] => {
    if (typeof part !== 'string') return [part];
    const pieces: (string | Mark)[] = [];
    let from = 0;
    for (const { 0: quoted, index } of SUSPECT.test(part) ? part.matchAll(QUOTED) : []) {
      const [opening = '', closing = ''] = quoted.match(AROUND) ?? [];
      id += 1;
      signs.set(id, {
        isOwn: false,
        before: '',
        first: spaced(`${opening}x`, direction).slice(0, -1),
        last: spaced(`x${closing}`, direction).slice(1),
        behind: '',
      });
      outside += part.slice(from, index);
      pieces.push(part.slice(from, index), { mark: 'open', id });
      pieces.push(quoted.slice(opening.length, -closing.length), { mark: 'close', id });
      from = index + quoted.length;
    }
    outside += part.slice(from);
    return [...pieces, part.slice(from)].filter((piece) => piece !== '');
  });
  if (signs.size === 0 || (ofElements === 0 && !/\p{L}/u.test(outside))) return undefined;
  return { segment, restore: (translated) => withSigns(translated, signs) };
}

function spaced(signs: string, direction: Direction): string {
  return replaced(signs, frenchBlanks(signs, direction));
}

/** Reduces `"<b>red</b>"` and `<b>red →</b>` to `<b>red</b>`. */
function withoutSignsOfElements(
  segment: TextSegment,
  signs: Map<number, Signs>,
  direction: Direction,
): TextSegment {
  const parts = [...segment];
  const textAt = (at: number): string => {
    const part = parts[at];
    return typeof part === 'string' ? part : '';
  };
  const open: { at: number; letters: number }[] = [];
  let letters = 0;
  for (const [at, part] of segment.entries()) {
    if (typeof part === 'string') letters += /\p{L}/u.test(part) ? 1 : 0;
    else if (part.mark === 'open') open.push({ at, letters });
    else if (part.mark === 'close') {
      const opening = open.pop();
      if (opening === undefined || opening.letters === letters) continue;
      let [first = ''] = SYMBOLS_FIRST.exec(textAt(opening.at + 1)) ?? [];
      let [last = ''] = SYMBOLS_LAST.exec(textAt(at - 1)) ?? [];
      // An arrow (`« Back`) is a single sign; with both, they are quotation marks.
      if (/[«‹]/.test(first) && /[»›]/.test(last)) first = last = '';
      parts[opening.at + 1] = withoutEdge(parts[opening.at + 1], first.length, 0);
      parts[at - 1] = withoutEdge(parts[at - 1], 0, last.length);
      const within =
        at - opening.at > MOST_PARTS ? '' : plainText(parts.slice(opening.at, at)).trim();
      const [before, behind] = signsAround(textAt(opening.at - 1), within, segment[at + 1]);
      if (before !== '') {
        parts[opening.at - 1] = withoutEdge(parts[opening.at - 1], 0, before.length);
        parts[at + 1] = withoutEdge(parts[at + 1], behind.length, 0);
      }
      if (before + first + last === '') continue;
      signs.set(part.id, {
        isOwn: true,
        before: spaced(`${before}x`, direction).slice(0, -1),
        first,
        last,
        behind: spaced(`x${behind}`, direction).slice(1),
      });
    }
  }
  return parts.filter((part) => part !== '');
}

function withoutEdge(part: string | Mark | undefined, start: number, end: number): string | Mark {
  if (typeof part !== 'string') return part ?? '';
  return part.slice(start, part.length - end);
}

/** Returns the signs before an element of a few words, and the matching ones after it. */
function signsAround(
  before: string,
  within: string,
  behind: string | Mark | undefined,
): [before: string, behind: string] {
  if (before === '' || typeof behind !== 'string' || !ONLY_WORDS.test(within)) return ['', ''];
  for (const [opening, closing] of AROUND_ELEMENT) {
    const [first, last] = [opening.exec(before)?.[0], closing.exec(behind)?.[0]];
    if (first !== undefined && last !== undefined) return [first, last];
  }
  return ['', ''];
}

/** Restores signs, and moves blanks that rules have left inside them to the outside. */
function withSigns(
  translated: TextSegment,
  signs: ReadonlyMap<number, Signs>,
): TextSegment | undefined {
  const result: (string | Mark)[] = [];
  const add = (part: string | Mark): void => {
    const before = result.at(-1);
    if (typeof part !== 'string' || typeof before !== 'string') result.push(part);
    else result[result.length - 1] = before + part;
  };
  let openSign: string | undefined;
  for (const part of translated) {
    const own = typeof part === 'string' ? undefined : signs.get(part.id);
    if (typeof part === 'string') {
      const text = part.trimStart();
      const blanks = part.slice(0, part.length - text.length);
      if (openSign === undefined) add(part);
      else if (text === '') return undefined;
      else add(`${blanks}${openSign}${text}`);
      openSign = undefined;
    } else if (openSign !== undefined) return undefined;
    else if (own === undefined) add(part);
    else if (own.isOwn) {
      const isOpen = part.mark === 'open';
      for (const each of [isOpen ? own.before : own.last, part, isOpen ? own.first : own.behind]) {
        if (each !== '') add(each);
      }
    } else if (part.mark === 'open') openSign = own.first;
    else {
      const last = result.at(-1);
      const text = typeof last === 'string' ? last.trimEnd() : '';
      if (typeof last !== 'string' || text === '') return undefined;
      result[result.length - 1] = text;
      add(`${own.last}${last.slice(text.length)}`);
    }
  }
  return result;
}
