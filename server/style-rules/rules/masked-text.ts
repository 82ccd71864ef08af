/**
 * A segment as one string, so that rules see the neighbours of a word across its formatting. Marks and
 * whatever must not change are stand-ins of one character each, which rules leave in their order.
 */
import type { Mark, TextSegment } from '../../text/text-segment.ts';
import { protectedRanges } from './protected-text.ts';

/** Stands for the begin or end of an element: it has no width. Unicode keeps it out of texts. */
export const ELEMENT = '\uFDD0';
/** Stands for something that reads as a word: a field, code, an address. */
export const WORD = '\uFDD1';

const STAND_INS = /[\uFDD0\uFDD1]/g;
const STAND_IN = /[\uFDD0\uFDD1]/;

export interface MaskedText {
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
