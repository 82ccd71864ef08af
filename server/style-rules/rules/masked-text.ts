/**
 * A segment as one string, so that rules see neighbouring words across formatting. Marks and protected text
 * are replaced by single stand-in characters, which rules keep in order.
 */
import type { Mark, TextSegment } from '../../text/text-segment.ts';
import { findPlaceholders, type Span } from '../../text/placeholders.ts';

/**
 * Stands for the start or end of an element, and has no width. A Unicode noncharacter, which texts do not
 * contain.
 */
export const ELEMENT = '\uFDD0';
/** Stands for something that reads as a word: a field, code, an address. */
export const WORD = '\uFDD1';

const STAND_INS = /[\uFDD0\uFDD1]/g;
const STAND_IN = /[\uFDD0\uFDD1]/;

interface MaskedText {
  text: string;
  /** What the stand-ins replace, in order. */
  hidden: readonly (string | Mark)[];
}

/** Replaces the marks of a segment, and the protected parts of its text, by stand-ins. */
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
    // A mark within protected text keeps its place.
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

/** Returns the stand-ins of a masked text, which a rule must leave unchanged. */
export function standInsOf(text: string): string {
  return text.match(STAND_INS)?.join('') ?? '';
}

/** Restores the segment of a masked text. */
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

// Finds text that style rules must not change: placeholders, addresses, code, tags in plain text, and names
// of files and identifiers. Linear in the length of the text.

/**
 * Character classes of names: letters, marks and digits. Han, kana and Hangul adjoin names without a space,
 * so they count only within file names.
 */
const L = String.raw`\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}`;
const W = String.raw`${L}\p{M}\p{N}_`;
const EAST = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}`;
const EXTENSION =
  '(?:csv|docx?|html?|jpe?g|js|json|md|mp[34]|pdf|png|pptx?|py|sh|svg|ts|txt|wav|xlsx?|xml|ya?ml|zip)';

const PROTECTED = new RegExp(
  [
    // A tag or a comment in plain text.
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
    // Identifiers: snake_case, camelCase, call(), --option, @name, #tag.
    String.raw`(?<![${W}.])[${W}]{0,60}[${L}0-9]_[${W}]{1,60}(?:\(\))?`,
    String.raw`(?<![${W}.])\p{Ll}{1,40}\p{Lu}[${L}]{0,60}(?:\(\))?`,
    String.raw`(?<![${W}])[${L}_][${W}]{0,60}(?:\.[${W}]{1,60}){0,8}\((?:["'][^()\n]{0,200})?\)`,
    String.raw`(?<=^|[\s(["'“‘])--?[${L}][${W}-]{0,60}`,
    String.raw`(?<![${W}&])[@#][\p{L}_][\p{L}\p{N}_]{0,100}`,
    // Spread syntax: call(...list), [...list], call(a, ...list).
    String.raw`(?<=[(\[{])\.{3}[${L}_][${W}.]{0,60}|(?<=, )\.{3}[${L}_][${W}.]{0,60}(?=[)\]}])`,
    // IP addresses, UUIDs, hexadecimal numbers, versions.
    String.raw`(?<![${W}.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![${W}.]?\d)`,
    String.raw`(?<![${W}])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![${W}])`,
    String.raw`(?<![${W}])0[xX][0-9a-fA-F]{1,64}(?![${W}])`,
    String.raw`(?<![${W}])[vV]\d{1,4}(?:\.\d{1,5}){1,4}(?![${W}])`,
    // Names of products and standards: ISO-8601, COVID-19, MP3, INV-2024-001; but not EUR100.
    String.raw`(?<![\p{L}\p{N}_])(?!(?:AD|AUD|CAD|CHF|CNY|EUR|GBP|JPY|KRW|US|USD|INR|[nN]o?)\d)[${L}]{1,20}-?\d[${W}-]{0,60}(?![${W}])`,
  ].join('|'),
  'gu',
);

/** Quick check: every protected part matches this. */
const SUSPECT = /[<{=\\/_@#`.%:]|\d|\(['")]|--|\]\(|\p{Ll}\p{Lu}|-\p{L}/u;

/** HTML elements that contain code. */
const CODE = /<(code|pre|kbd|samp|script|style|tt|var)(?=[\s>])[^<>]{0,200}>/giu;

/** Returns the protected ranges of a text, in reading order and without overlaps. */
function protectedRanges(text: string): Span[] {
  if (!SUSPECT.test(text)) return [];
  const ranges = [...backtickRanges(text), ...codeElements(text)];
  ranges.push(...findPlaceholders(text));
  for (const { 0: found, index } of text.matchAll(PROTECTED)) {
    ranges.push({ start: index, end: index + found.length });
  }
  return merged(ranges);
}

/** Returns the ranges between equal runs of backticks. */
function backtickRanges(text: string): Span[] {
  const runs: Span[] = [];
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
  const ranges: Span[] = [];
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

function codeElements(text: string): Span[] {
  if (!text.includes('<')) return [];
  const ranges: Span[] = [];
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

function merged(ranges: Span[]): Span[] {
  ranges.sort((a, b) => a.start - b.start || b.end - a.end);
  const result: Span[] = [];
  for (const range of ranges) {
    const last = result.at(-1);
    if (last !== undefined && range.start < last.end) last.end = Math.max(last.end, range.end);
    else result.push({ ...range });
  }
  return result;
}
