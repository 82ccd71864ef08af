/**
 * Text segments, the unit of translation: a sentence, line or paragraph whose inline markup is represented by
 * numbered marks. Tag handling, glossary terms and documents all use segments; each engine carries the marks
 * in its own way.
 */

/** One end of an inline element, or a standalone item. Ids are unique within a segment. */
export interface Mark {
  mark: 'open' | 'close' | 'lone';
  id: number;
  /**
   * For a standalone item that divides the text of a document: a `line` break, after which a sentence may go on,
   * or a `gap` such as a tab, after which none does.
   */
  divides?: Division | undefined;
}

export type Division = 'line' | 'gap';

/**
 * Text and marks in reading order. Elements are well nested: between `open` and `close` of an id, other ids
 * are opened and closed in pairs. Line breaks in a segment count as blanks.
 */
export type TextSegment = readonly (string | Mark)[];

/** Returns the text of a segment without its marks. */
export function plainText(segment: TextSegment): string {
  const [first] = segment;
  if (segment.length === 1 && typeof first === 'string') return first;
  return segment.filter((part) => typeof part === 'string').join('');
}

/** Whether a segment has no marks, which allows a faster path. */
export function isPlain(segment: TextSegment): boolean {
  return segment.every((part) => typeof part === 'string');
}

/** Whether two segments have the same text and marks. */
export function isSameSegment(one: TextSegment, other: TextSegment): boolean {
  if (one.length !== other.length) return false;
  return one.every((part, index) => {
    const counterpart = other[index];
    if (typeof part === 'string' || typeof counterpart !== 'object') return part === counterpart;
    return part.mark === counterpart.mark && part.id === counterpart.id;
  });
}

/** Whether a text or segment has anything to translate; numbers, dates and signs alone have not. */
export function hasLetters(text: string | TextSegment): boolean {
  return /\p{L}/u.test(typeof text === 'string' ? text : plainText(text));
}
