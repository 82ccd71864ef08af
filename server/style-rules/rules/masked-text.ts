/**
 * A segment as one string, so that rules see the neighbours of a word across its formatting. Marks and
 * whatever must not change are stand-ins of one character each, which rules leave in their order.
 */
import type { Mark, TextSegment } from '../../text/text-segment.ts';
import { findPlaceholders, type Range } from '../../text/placeholders.ts';

/** Stands for the begin or end of an element: it has no width. Unicode keeps it out of texts. */
export const ELEMENT = '\uFDD0';
/** Stands for something that reads as a word: a field, code, an address. */
export const WORD = '\uFDD1';

const STAND_INS = /[\uFDD0\uFDD1]/g;
const STAND_IN = /[\uFDD0\uFDD1]/;

interface MaskedText {
  text: string;
  /** What the stand-ins stand for, in order. */
  hidden: readonly (string | Mark)[];
}

/** Hides the marks of a segment and what is protected in its text. */
export function maskSegment(segment: TextSegment): MaskedText {
  const marks: (string | Mark)[] = [];
  let joined = '';
  for (const part of segment) {
    if (typeof part !== 'string') {
      marks.push(part);
      joined += part.mark === 'lone' ? WORD : ELEMENT;
    } else if (STAND_IN.test(part)) {
      for (const character of part.match(STAND_INS) ?? []) marks.push(character);
      joined += part;
    } else joined += part;
  }
  return maskRanges(joined, marks);
}

function maskRanges(joined: string, marks: readonly (string | Mark)[]): MaskedText {
  const ranges = protectedRanges(joined);
  if (ranges.length === 0) return { text: joined, hidden: marks };
  const hidden: (string | Mark)[] = [];
  const texts: string[] = [];
  let next = 0;
  const keep = (from: number, to: number): void => {
    const kept = joined.slice(from, to);
    texts.push(kept);
    for (let left = kept.match(STAND_INS)?.length ?? 0; left > 0; left -= 1) {
      hidden.push(marks[next] ?? '');
      next += 1;
    }
  };
  let at = 0;
  for (const { start, end } of ranges) {
    keep(at, start);
    // A mark within what is protected stays in its place there.
    for (const piece of joined.slice(start, end).split(/([\uFDD0\uFDD1])/)) {
      if (STAND_IN.test(piece)) {
        texts.push(piece);
        hidden.push(marks[next] ?? '');
        next += 1;
      } else if (piece !== '') {
        texts.push(WORD);
        hidden.push(piece);
      }
    }
    at = end;
  }
  keep(at, joined.length);
  return { text: texts.join(''), hidden };
}

/** The stand-ins of a masked text, in order: the same before and after a rule. */
export function standInsOf(text: string): string {
  return text.match(STAND_INS)?.join('') ?? '';
}

/** The segment of a masked text. */
export function unmaskSegment({ text, hidden }: MaskedText): TextSegment {
  const parts: (string | Mark)[] = [];
  let pending = '';
  let next = 0;
  for (const piece of text.split(/([\uFDD0\uFDD1])/)) {
    const part = STAND_IN.test(piece) ? hidden[next++] : piece;
    if (part === undefined) continue;
    if (typeof part === 'string') {
      pending += part;
      continue;
    }
    if (pending !== '') parts.push(pending);
    pending = '';
    parts.push(part);
  }
  if (pending !== '') parts.push(pending);
  return parts;
}

// Finds what no rule of style may touch: placeholders, addresses, code, tags that were written into
// plain text, names of files and of things in programs. Linear in the length of the text.

/**
 * Letters, marks and figures of names, as a piece of a class. Han, kana and hangul stand beside names
 * without a blank and are none of them, but in names of files.
 */
const L = String.raw`\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}`;
const W = String.raw`${L}\p{M}\p{N}_`;
const EAST = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}`;
const EXTENSION =
  '(?:csv|docx?|html?|jpe?g|js|json|md|mp[34]|pdf|png|pptx?|py|sh|svg|ts|txt|wav|xlsx?|xml|ya?ml|zip)';

const PROTECTED = new RegExp(
  [
    // A tag or a comment in a text that was not said to be marked up.
    String.raw`<!--[^<>]{0,500}-->`,
    String.raw`<[/!?]?[A-Za-z][^<>]{0,500}>`,
    // The address of a Markdown link.
    String.raw`(?<=\])\([^()\s]{1,500}\)`,
    // Objects and attributes: {"a": 1}, name="value".
    String.raw`\{[^{}\n"']{0,200}["'][^{}\n]{0,500}\}`,
    String.raw`(?<![${W}-])[${L}_][${W}-]{0,60}=(?:"[^"\n]{0,200}"|'[^'\n]{0,200}')`,
    // Folders: C:\a, \\host\a, ~/a, ./a, /usr/bin.
    String.raw`(?<![${W}\\])(?:[A-Za-z]:\\|\\\\)[${W}${EAST}.$\\-]{0,200}`,
    String.raw`(?<![${W}/.])(?:~|\.{1,2})?/[${L}_.][${W}.-]{0,80}(?:/[${W}.-]{0,80}){0,30}`,
    // Paths and names that end in an extension or a domain: src/main.ts, report-2.txt, example.org.
    String.raw`(?<![${W}./@-])(?:[${W}-]{1,60}/){0,20}[${W}-]{0,60}[${L}_][${W}-]{1,60}(?:\.[${W}-]{1,60}){0,8}\.[${L}][${L}0-9]{1,9}(?![${W}-])`,
    String.raw`(?<![${W}./@-])[${W}]{1,60}\.${EXTENSION}(?![${W}-])`,
    String.raw`(?<![${W}${EAST}./@-])[${W}${EAST}-]{1,60}(?:\.\d{1,9}){0,3}\.${EXTENSION}(?![${W}-])`,
    // Names in programs: snake_case, camelCase, call(), --option, @name, #tag.
    String.raw`(?<![${W}.])[${W}]{0,60}[${L}0-9]_[${W}]{1,60}(?:\(\))?`,
    String.raw`(?<![${W}.])\p{Ll}{1,40}\p{Lu}[${L}]{0,60}(?:\(\))?`,
    String.raw`(?<![${W}])[${L}_][${W}]{0,60}(?:\.[${W}]{1,60}){0,8}\((?:["'][^()\n]{0,200})?\)`,
    String.raw`(?<=^|[\s(["'“‘])--?[${L}][${W}-]{0,60}`,
    String.raw`(?<![${W}&])[@#][\p{L}_][\p{L}\p{N}_]{0,100}`,
    // What is spread in a program: call(...list), [...list], call(a, ...list).
    String.raw`(?<=[(\[{])\.{3}[${L}_][${W}.]{0,60}|(?<=, )\.{3}[${L}_][${W}.]{0,60}(?=[)\]}])`,
    // IP addresses, UUIDs, hexadecimal figures, versions.
    String.raw`(?<![${W}.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![${W}.]?\d)`,
    String.raw`(?<![${W}])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![${W}])`,
    String.raw`(?<![${W}])0[xX][0-9a-fA-F]{1,64}(?![${W}])`,
    String.raw`(?<![${W}])[vV]\d{1,4}(?:\.\d{1,5}){1,4}(?![${W}])`,
    // Signs of products and standards: ISO-8601, COVID-19, MP3, INV-2024-001; but not EUR100.
    String.raw`(?<![\p{L}\p{N}_])(?!(?:AD|AUD|CAD|CHF|CNY|EUR|GBP|JPY|KRW|US|USD|INR|[nN]o?)\d)[${L}]{1,20}-?\d[${W}-]{0,60}(?![${W}])`,
  ].join('|'),
  'gu',
);

/** One of these is in every protected stretch but for words like camelCase. */
const SUSPECT = /[<{=\\/_@#`.%:]|\d|\(['")]|--|\]\(|\p{Ll}\p{Lu}|-\p{L}/u;

/** Elements of programs, written into a text as they are. */
const CODE = /<(code|pre|kbd|samp|script|style|tt|var)(?=[\s>])[^<>]{0,200}>/giu;

/** The protected stretches of a text, in reading order, none overlapping. */
function protectedRanges(text: string): Range[] {
  if (!SUSPECT.test(text)) return [];
  const ranges = [...backtickRanges(text), ...codeElements(text)];
  ranges.push(...findPlaceholders(text));
  for (const { 0: found, index } of text.matchAll(PROTECTED)) {
    ranges.push({ start: index, end: index + found.length });
  }
  return merged(ranges);
}

/** What stands between as many backticks as it begins with. */
function backtickRanges(text: string): Range[] {
  const runs: Range[] = [];
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    runs.push({ start: index, end: index + run.length });
  }
  const closing = new Map<number, number[]>();
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index];
    if (run === undefined) continue;
    const ofLength = closing.get(run.end - run.start);
    if (ofLength === undefined) closing.set(run.end - run.start, [index]);
    else ofLength.push(index);
  }
  const ranges: Range[] = [];
  for (let index = 0; index < runs.length; index += 1) {
    const run = runs[index];
    if (run === undefined) continue;
    const waiting = closing.get(run.end - run.start) ?? [];
    while ((waiting.at(-1) ?? Infinity) <= index) waiting.pop();
    const close = waiting.at(-1);
    const end = close === undefined ? undefined : runs[close]?.end;
    if (close === undefined || end === undefined) continue;
    ranges.push({ start: run.start, end });
    index = close;
  }
  return ranges;
}

function codeElements(text: string): Range[] {
  if (!text.includes('<')) return [];
  const ranges: Range[] = [];
  const lower = text.toLowerCase();
  const unclosed = new Set<string>();
  let at = 0;
  for (const { 0: open, 1: name = '', index } of lower.matchAll(CODE)) {
    if (index < at || unclosed.has(name)) continue;
    const end = lower.indexOf(`</${name}>`, index + open.length);
    if (end === -1) {
      unclosed.add(name);
      continue;
    }
    at = end + name.length + 3;
    ranges.push({ start: index, end: at });
  }
  return lower.length === text.length ? ranges : [];
}

function merged(ranges: Range[]): Range[] {
  ranges.sort((a, b) => a.start - b.start || b.end - a.end);
  const result: Range[] = [];
  for (const range of ranges) {
    const last = result.at(-1);
    if (last !== undefined && range.start < last.end) last.end = Math.max(last.end, range.end);
    else result.push({ ...range });
  }
  return result;
}
