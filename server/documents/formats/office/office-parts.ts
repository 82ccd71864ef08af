/**
 * Turns the text parts of an Office file into a translatable document. The same visitor passes over
 * a part twice: in the first pass, it offers texts, which are collected; in the second, each offer
 * is answered with its translation, in the same order.
 */
import { textDirection, type LanguageTag } from '../../../../shared/language.ts';
import { countCodePoints } from '../../../text/code-points.ts';
import {
  hasLetters,
  isSameSegment,
  plainText,
  type TextSegment,
} from '../../../text/text-segment.ts';
import {
  type OpenedDocument,
  type OpenOptions,
  checkLength,
  type DocumentBlock,
} from '../format.ts';
import { type EntryContent, writeArchive } from './archive-writing.ts';
import type { ArchiveEntry } from './archive.ts';
import type { OfficePackage } from './package-parts.ts';
import { type PartVisitor, readPart, rewritePart } from './part-reading.ts';
import { serialise, textOf, type XmlElement, encodeText } from './xml-element.ts';

/** A part with text. */
export interface TextPart {
  entry: ArchiveEntry;
  /** Creates the visitor for one pass. `target` is undefined while text is only collected. */
  visitor: (exchange: TextExchange, target: TargetLanguage | undefined) => PartVisitor;
  /**
   * Whether the part is also rewritten when the writing direction changes but none of its own text
   * does: it determines layout, its own or that of other parts.
   */
  hasDirection?: boolean;
  /** Parts of the same group show the same text: it is offered once and has one translation. */
  group?: string;
  /** A part with copies of this part's text, which is rewritten along with it: the workbook of a chart. */
  attachment?: {
    entry: ArchiveEntry;
    /** @param translations translations of this part's texts, by their source */
    content: (translations: ReadonlyMap<string, string>) => Promise<Uint8Array>;
  };
}

/** A part without text that depends on the language, such as styles. */
export interface LanguagePart {
  entry: ArchiveEntry;
  visitor: (target: TargetLanguage) => PartVisitor;
}

/**
 * Collects the text of parts, in their order, and writes the file anew. Parts without translated
 * text stay byte for byte the same; if nothing is translated at all, so do all parts.
 *
 * @throws DocumentError when a part is damaged or has too much text
 */
export async function openParts(
  { archive }: OfficePackage,
  parts: { text: readonly TextPart[]; language: readonly LanguagePart[] },
  options: OpenOptions,
): Promise<OpenedDocument> {
  const texts = new DocumentTexts(options);
  for (const { entry, visitor, group } of parts.text) {
    await readPart(archive, entry, visitor(texts.reading(entry.name, group), undefined));
  }
  return {
    blocks: texts.blocks,
    characters: texts.characters,
    async write(translated, languages) {
      const language = targetLanguage(languages);
      const replace = new Map<string, EntryContent>();
      const turns = language.isRightToLeft !== language.wasRightToLeft;
      const isAnyChanged = parts.text.some(({ entry }) => texts.isChanged(entry.name, translated));
      for (const { entry, visitor, attachment, hasDirection = false } of parts.text) {
        const isTurned = turns && hasDirection && isAnyChanged;
        if (!isTurned && !texts.isChanged(entry.name, translated)) continue;
        const exchange = texts.writing(entry.name, translated);
        replace.set(entry.name, () => rewritePart(archive, entry, visitor(exchange, language)));
        if (attachment === undefined) continue;
        const content = await attachment.content(texts.translations(entry.name, translated));
        replace.set(attachment.entry.name, content);
      }
      if (replace.size > 0) {
        for (const { entry, visitor } of parts.language) {
          replace.set(entry.name, () => rewritePart(archive, entry, visitor(language)));
        }
      }
      return writeArchive(archive, { replace });
    },
  };
}

/** Language of the written text and its direction. */
export interface TargetLanguage {
  tag: LanguageTag;
  isRightToLeft: boolean;
  /** Direction of the source language, whose markup must be removed if the direction changes. */
  wasRightToLeft: boolean;
}

export function targetLanguage(languages: { source: string; target: string }): TargetLanguage {
  return {
    tag: languages.target,
    isRightToLeft: textDirection(languages.target) === 'rtl',
    wasRightToLeft: textDirection(languages.source) === 'rtl',
  };
}

// The exchange of texts between visitor and document.

/** Offers a segment. The returned segment replaces it; undefined leaves everything as it is. */
export type TextExchange = (
  segment: TextSegment,
  kind: DocumentBlock['kind'],
) => TextSegment | undefined;

/**
 * Wraps an exchange for content that a file holds several times, such as drawings for old and new
 * programs: equal text is offered once and has one translation.
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

// Parts are written in the order of the archive, and only changed ones, so each part records which
// of the document's blocks it offered.

/** Blocks of a document, by the parts that offered them. */
export class DocumentTexts {
  /** In reading order. */
  readonly blocks: DocumentBlock[] = [];
  /** Unicode code points of all blocks. */
  characters = 0;
  readonly #maxCharacters: number;
  /** Indexes of blocks by part, in the order in which the part offers them. */
  readonly #places = new Map<string, number[]>();
  /** Indexes of blocks by segment, for each group of parts. */
  readonly #groups = new Map<string, Map<string, number>>();

  constructor({ maxCharacters }: { maxCharacters: number }) {
    this.#maxCharacters = maxCharacters;
  }

  /**
   * Returns an exchange that collects the offers of a part. The exchange throws DocumentError when
   * the text exceeds the limit.
   *
   * @param part name of the part
   * @param group group of parts that share their text: a segment that one has offered is not
   *   offered again. Without a group, every offer is a block of its own.
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
      if (place === this.blocks.length) this.#add({ segment, kind });
      known?.set(key, place);
      places.push(place);
      return undefined;
    };
  }

  /**
   * Returns an exchange that answers a part's offers, which must come in the same order, with their
   * translations. A translation that equals its source is answered with undefined.
   */
  writing(part: string, translated: readonly TextSegment[]): TextExchange {
    const places = this.#own(part).values();
    return (segment) => {
      const { value: place } = places.next();
      if (place === undefined) throw new RangeError('More text than there are translations.');
      const translation = translated[place] ?? [];
      return isSameSegment(segment, translation) ? undefined : translation;
    };
  }

  /** Whether the translation of any text of a part differs from its source. */
  isChanged(part: string, translated: readonly TextSegment[]): boolean {
    return this.#own(part).some((place) => {
      const source = this.blocks[place]?.segment;
      const translation = translated[place];
      return (
        source !== undefined && translation !== undefined && !isSameSegment(source, translation)
      );
    });
  }

  /** Returns the translations of a part's texts without marks, by their source. */
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

  /** Returns the translation of a text that a group has offered; undefined for any other text. */
  translationIn(
    group: string,
    segment: TextSegment,
    translated: readonly TextSegment[],
  ): TextSegment | undefined {
    const place = this.#groups.get(group)?.get(JSON.stringify(segment));
    return place === undefined ? undefined : translated[place];
  }

  /** Yields the texts that a group has offered, with their translations. */
  *pairsIn(
    group: string,
    translated: readonly TextSegment[],
  ): Generator<{ source: TextSegment; translation: TextSegment }> {
    for (const place of this.#groups.get(group)?.values() ?? []) {
      const source = this.blocks[place]?.segment;
      const translation = translated[place];
      if (source !== undefined && translation !== undefined) yield { source, translation };
    }
  }

  #add(block: DocumentBlock): void {
    this.characters += countCodePoints(plainText(block.segment));
    checkLength(this.characters, this.#maxCharacters);
    this.blocks.push(block);
  }

  #own(part: string): readonly number[] {
    return this.#places.get(part) ?? [];
  }
}

// Properties of an Office file with visible text: title, subject and description.

const TEXTS = new Set(['dc:title', 'dc:subject', 'dc:description']);

/** Returns the part with the file's properties. */
export function propertyParts(office: OfficePackage): TextPart[] {
  return office.partsOfType('core-properties+xml').map((entry) => ({
    entry,
    visitor: (exchange, target) => ({
      isTree: (name) => TEXTS.has(name) || name === 'dc:language',
      tree(element) {
        if (element.name !== 'dc:language') return exchangeProperty(element, exchange);
        return target && written(element, target.tag);
      },
    }),
  }));
}

/** A line end, which Office writes with an escaped carriage return, and blanks around it. */
const LINE_END = /((?<!\s)\s*(?:_x000d_)?\n\s*)/i;

/** Exchanges the lines of a property one by one. */
function exchangeProperty(element: XmlElement, exchange: TextExchange): string | undefined {
  const parts = textOf(element).split(LINE_END);
  const exchanged = parts.map((part, index) =>
    index % 2 === 0 ? exchangeText(exchange, part, 'unit') : undefined,
  );
  if (exchanged.every((part) => part === undefined)) return undefined;
  return written(element, exchanged.map((part, index) => part ?? parts[index]).join(''));
}

function written(element: XmlElement, text: string): string {
  element.children = [encodeText(text)];
  return serialise(element);
}
