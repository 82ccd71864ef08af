/**
 * How a format hands out text and gets it back. A file is gone through twice by the same code: first
 * the exchange keeps what it is offered, later it answers each offer, in the same order, with the
 * translation.
 */
import { countCodePoints } from '../../../text/code-points.ts';
import { hasLetters, plainText, type TextSegment } from '../../../text/text-segment.ts';
import { checkLength, type DocumentBlock } from '../format.ts';

/** Offers a segment; what comes back takes its place, undefined leaves everything as it is. */
export type TextExchange = (
  segment: TextSegment,
  kind: DocumentBlock['kind'],
) => TextSegment | undefined;

/** Keeps what a document offers. */
class TextCollector {
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
class TextReplacer {
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

// The texts of a document of many parts. Parts are written in the order of the archive and only where
// something changed, so each part knows which of the document's blocks are its own.

/** Blocks of a document by the parts that offered them. */
export class DocumentTexts {
  readonly #collector: TextCollector;
  /** Indexes of blocks, in the order in which a part offers them. */
  readonly #places = new Map<string, number[]>();
  /** Indexes of blocks by their segments, in each group of parts. */
  readonly #groups = new Map<string, Map<string, number>>();

  constructor({ maxCharacters }: { maxCharacters: number }) {
    this.#collector = new TextCollector({ maxCharacters });
  }

  get blocks(): readonly DocumentBlock[] {
    return this.#collector.blocks;
  }

  /** Unicode code points of all blocks. */
  get characters(): number {
    return this.#collector.characters;
  }

  /**
   * Collects what a part offers.
   *
   * @param part its name
   * @param group parts that show the same text: what one has offered is not offered again. Without a
   *   group every offer is a block of its own.
   */
  reading(part: string, group?: string): TextExchange {
    const places = this.#places.get(part) ?? [];
    this.#places.set(part, places);
    const known =
      group === undefined ? undefined : (this.#groups.get(group) ?? new Map<string, number>());
    if (group !== undefined && known !== undefined) this.#groups.set(group, known);
    return (segment, kind) => {
      const key = known === undefined ? '' : JSON.stringify(segment);
      const place = known?.get(key) ?? this.blocks.length;
      if (place === this.blocks.length) this.#collector.exchange(segment, kind);
      known?.set(key, place);
      places.push(place);
      return undefined;
    };
  }

  /** Answers a part's offers, which must come in the same order, with translations of all blocks. */
  writing(part: string, translated: readonly TextSegment[]): TextExchange {
    return new TextReplacer(this.#own(part).map((place) => translated[place] ?? [])).exchange;
  }

  /** Whether any text of a part is another in its translation. */
  isChanged(part: string, translated: readonly TextSegment[]): boolean {
    return this.#own(part).some((place) => {
      const source = this.blocks[place]?.segment;
      const translation = translated[place];
      return source !== undefined && translation !== undefined && !isSameText(source, translation);
    });
  }

  /** The translations of a part's texts without their marks, by their source. */
  translations(part: string, translated: readonly TextSegment[]): Map<string, string> {
    const found = new Map<string, string>();
    for (const place of this.#own(part)) {
      const source = this.blocks[place]?.segment;
      const translation = translated[place];
      if (source === undefined || translation === undefined) continue;
      found.set(plainText(source), plainText(translation));
    }
    return found;
  }

  /** The translation of a text that a group has offered; undefined for one that it has not. */
  translationIn(
    group: string,
    segment: TextSegment,
    translated: readonly TextSegment[],
  ): TextSegment | undefined {
    const place = this.#groups.get(group)?.get(JSON.stringify(segment));
    return place === undefined ? undefined : translated[place];
  }

  #own(part: string): readonly number[] {
    return this.#places.get(part) ?? [];
  }
}
