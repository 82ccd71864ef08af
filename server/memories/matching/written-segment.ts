/** Segments as texts: marks are written between control characters, which texts of memories never have. */
import type { Mark, TextSegment } from '../../text/text-segment.ts';

const FENCE = '\u0001';
/** Control characters but for tab, line feed and carriage return; and the halves of broken pairs. */
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/gu;
const kinds = { o: 'open', c: 'close', l: 'lone' } as const;

/** A text without what cannot be kept. */
export function writable(text: string): string {
  return text.replace(UNWRITABLE, '');
}

/**
 * Writes a segment. Its marks are numbered anew from 1, in the order of `numbering`, so that those of
 * a translation go by those of its source; marks that are not in it are left out.
 */
export function writeSegment(segment: TextSegment, numbering: TextSegment = segment): string {
  const numbers = markNumbers(numbering);
  let text = '';
  for (const part of segment) {
    if (typeof part === 'string') {
      text += writable(part);
      continue;
    }
    const number = numbers.get(part.id);
    if (number !== undefined) text += `${FENCE}${part.mark.charAt(0)}${number}${FENCE}`;
  }
  return text;
}

/** Reads what {@link writeSegment} has written. */
export function readSegment(text: string): TextSegment {
  if (!text.includes(FENCE)) return [text];
  const parts: (string | Mark)[] = [];
  for (const [index, piece] of text.split(FENCE).entries()) {
    if (index % 2 === 0) {
      if (piece !== '') parts.push(piece);
      continue;
    }
    const mark = kinds[piece.charAt(0) as keyof typeof kinds];
    parts.push({ mark, id: Number(piece.slice(1)) });
  }
  return parts;
}

/** Gives the marks of a kept segment the ids that the marks of `like` have, in their order. */
export function withMarksOf(segment: TextSegment, like: TextSegment): TextSegment {
  const ids = [...markNumbers(like).keys()];
  return segment.flatMap((part): (string | Mark)[] => {
    if (typeof part === 'string') return [part];
    const id = ids[part.id - 1];
    return id === undefined ? [] : [{ ...part, id }];
  });
}

/** Ids of marks in the order in which they come, numbered from 1. */
function markNumbers(segment: TextSegment): Map<number, number> {
  const numbers = new Map<number, number>();
  for (const part of segment) {
    if (typeof part !== 'string' && !numbers.has(part.id)) numbers.set(part.id, numbers.size + 1);
  }
  return numbers;
}
