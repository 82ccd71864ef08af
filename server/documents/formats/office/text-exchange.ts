/**
 * How a format hands out text and gets it back. A file is gone through twice by the same code: first
 * the exchange keeps what it is offered, later it answers each offer, in the same order, with the
 * translation.
 */
import { checkLength, type DocumentBlock } from '../format.ts';
import { hasLetters, plainText, type TextSegment } from '../../../text/text-segment.ts';
import { countCodePoints } from '../../../text/code-points.ts';

/** Offers a segment; what comes back takes its place, undefined leaves everything as it is. */
export type TextExchange = (
  segment: TextSegment,
  kind: DocumentBlock['kind'],
) => TextSegment | undefined;

/** Keeps what a document offers. */
export class TextCollector {
  readonly blocks: DocumentBlock[] = [];
  /** Unicode code points of the blocks. */
  characters = 0;
  readonly #maxCharacters: number;

  constructor({ maxCharacters }: { maxCharacters: number }) {
    this.#maxCharacters = maxCharacters;
  }

  /** @throws DocumentError when there is more text than may be translated */
  readonly exchange: TextExchange = (segment, kind) => {
    this.characters += countCodePoints(plainText(segment));
    checkLength(this.characters, this.#maxCharacters);
    this.blocks.push({ segment, kind });
    return undefined;
  };
}

/** Answers offers, which must come as they came to the collector, with translations. */
export class TextReplacer {
  readonly #translated: readonly TextSegment[];
  #next = 0;

  constructor(translated: readonly TextSegment[]) {
    this.#translated = translated;
  }

  /** A translation that is the same as its source changes nothing, so it is not given. */
  readonly exchange: TextExchange = (segment) => {
    const translation = this.#translated[this.#next];
    this.#next += 1;
    if (translation === undefined) throw new RangeError('More text than there are translations.');
    return isSameText(segment, translation) ? undefined : translation;
  };
}

/** Whether two segments have the same text and marks. */
export function isSameText(a: TextSegment, b: TextSegment): boolean {
  if (a.length !== b.length) return false;
  return a.every((part, index) => {
    const other = b[index];
    if (typeof part === 'string' || typeof other !== 'object') return part === other;
    return part.mark === other.mark && part.id === other.id;
  });
}

/**
 * An exchange for content that a file holds several times, as drawings for old and new programs: the
 * same text is offered once and has one translation.
 */
export function offeringOnce(exchange: TextExchange): TextExchange {
  const known = new Map<string, TextSegment | undefined>();
  return (segment, kind) => {
    const key = JSON.stringify(segment);
    if (!known.has(key)) known.set(key, exchange(segment, kind));
    return known.get(key);
  };
}

/** Exchanges a text without marks, such as an attribute; undefined when it stays. */
export function exchangeText(
  exchange: TextExchange,
  text: string,
  kind: DocumentBlock['kind'] = 'paragraph',
): string | undefined {
  if (!hasLetters(text)) return undefined;
  const translated = exchange([text], kind);
  return translated && plainText(translated);
}
