/** Puts the target phrases of a glossary where an engine has put the words for them. */
import { capitalised, isSentenceStart } from './letter-case.ts';
import type { Mark, TextSegment } from '../../text/text-segment.ts';

/** A target phrase in its place, and what the engine had there. */
interface Settled {
  settled: string;
  /** The engine's words, with the blanks around them; empty when it has lost them. */
  engineText: string;
}

type Part = string | Mark | Settled;

/**
 * Replaces the content of term elements by their targets and drops their marks. Other marks inside
 * them stay, once each; the target goes into the innermost of these elements, so that it keeps its
 * looks. A target at the beginning of a sentence gets a capital if the engine's words had one.
 */
export function settleTerms(
  translated: TextSegment,
  terms: ReadonlyMap<number, string>,
): TextSegment {
  const parts: Part[] = [];
  for (const part of translated) {
    if (typeof part === 'string' || !terms.has(part.id)) {
      parts.push(part);
    } else if (part.mark === 'open') {
      parts.push(part);
    } else if (part.mark === 'close') {
      const open = parts.findLastIndex((each) => isMark(each) && each.id === part.id);
      if (open < 0) continue;
      const content = parts.splice(open).slice(1);
      parts.push(...settleContent(content, terms.get(part.id) ?? ''));
    }
  }
  return joined(parts);
}

function isMark(part: Part): part is Mark {
  return typeof part === 'object' && 'mark' in part;
}

/** The content of a term element with its target in place of its texts. */
function settleContent(content: readonly Part[], target: string): Part[] {
  const engineText = content.filter((part) => typeof part === 'string').join('');
  const settled: Settled = { settled: target, engineText };
  const place = placeOfTarget(content);
  if (place < 0) return [settled, ...content.filter((part) => typeof part !== 'string')];
  return content.flatMap((part, at) => {
    if (at === place) return [settled];
    return typeof part === 'string' ? [] : [part];
  });
}

/** Which text to replace: the longest of those in the most elements; -1 without any. */
function placeOfTarget(content: readonly Part[]): number {
  let place = -1;
  let most = { depth: -1, length: 0 };
  let depth = 0;
  for (const [at, part] of content.entries()) {
    if (isMark(part)) {
      if (part.mark === 'open') depth += 1;
      if (part.mark === 'close') depth -= 1;
      continue;
    }
    if (typeof part !== 'string' || part.trim() === '') continue;
    const isMore = depth > most.depth || (depth === most.depth && part.length > most.length);
    if (!isMore) continue;
    most = { depth, length: part.length };
    place = at;
  }
  return place;
}

/** The parts as a segment, with the blanks and capitals that the targets need where they are now. */
function joined(parts: readonly Part[]): TextSegment {
  const segment: (string | Mark)[] = [];
  let before = '';
  for (const [at, part] of parts.entries()) {
    if (isMark(part)) {
      segment.push(part);
      continue;
    }
    const text = typeof part === 'string' ? part : inPlace(part, before, textAfter(parts, at));
    if (text === '') continue;
    before += text;
    const last = segment.at(-1);
    if (typeof last === 'string') segment[segment.length - 1] = last + text;
    else segment.push(text);
  }
  return segment;
}

const BLANK_BEFORE = /^\p{White_Space}*/u;
const BLANK_AFTER = /\p{White_Space}*$/u;
const LETTER = /\p{L}/u;
/** Between two of these goes a blank. */
const ENDS_IN_WORD = /[\p{L}\p{N}\p{M}]$/u;
const STARTS_WITH_WORD = /^[\p{L}\p{N}]/u;
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

/** A target with what it needs between the text before and the text after it. */
function inPlace({ settled, engineText }: Settled, before: string, after: string): string {
  const [blankBefore = ''] = BLANK_BEFORE.exec(engineText) ?? [];
  const words = engineText.slice(blankBefore.length);
  const [blankAfter = ''] = BLANK_AFTER.exec(words) ?? [];
  const text =
    hasCapital(words) && isSentenceStart(before, before.length)
      ? capitalised(settled, 'und')
      : settled;
  if (words !== '') return blankBefore + text + blankAfter;
  const first = needsBlank(before, text) ? ' ' : '';
  const last = needsBlank(text, after) ? ' ' : '';
  return first + text + last;
}

function hasCapital(words: string): boolean {
  return /\p{Lu}|\p{Lt}/u.test(LETTER.exec(words)?.[0] ?? '');
}

function needsBlank(left: string, right: string): boolean {
  if (!ENDS_IN_WORD.test(left) || !STARTS_WITH_WORD.test(right)) return false;
  return !UNSPACED.test(left.slice(-1)) && !UNSPACED.test(right.slice(0, 1));
}

/** The next text, as far as it is settled. */
function textAfter(parts: readonly Part[], at: number): string {
  for (const part of parts.slice(at + 1)) {
    if (isMark(part)) continue;
    const text = typeof part === 'string' ? part : part.settled;
    if (text !== '') return text;
  }
  return '';
}
