/** From the parts of an Office file that hold text to a document that can be translated. */
import { textDirection } from '../../../../shared/language.ts';
import type { OpenedDocument, OpenOptions } from '../format.ts';
import { type EntryContent, writeArchive } from './archive-writing.ts';
import type { ArchiveEntry } from './archive.ts';
import type { OfficePackage } from './package-parts.ts';
import type { TargetLanguage } from './paragraph.ts';
import { type PartVisitor, readPart, rewritePart } from './part-reading.ts';
import { DocumentTexts, type TextExchange, exchangeText } from './text-exchange.ts';
import { serialise, textOf, type XmlElement, encodeText } from './xml-element.ts';

/** A part with text. */
export interface TextPart {
  entry: ArchiveEntry;
  /** A visitor for one pass. `target` is undefined while text is only collected. */
  visitor: (exchange: TextExchange, target: TargetLanguage | undefined) => PartVisitor;
  /** Whether it is also written when only the direction changes: it lays out other parts. */
  hasDirection?: boolean;
  /** Parts of the same group show the same text: it is offered once and has one translation. */
  group?: string;
  /** A part that holds this part's text as well and is made anew with it: the workbook of a chart. */
  attachment?: {
    entry: ArchiveEntry;
    /** @param translations of this part's texts, by their source */
    content: (translations: ReadonlyMap<string, string>) => Promise<Uint8Array>;
  };
}

/** A part without text that depends on the language, such as styles. */
export interface LanguagePart {
  entry: ArchiveEntry;
  visitor: (target: TargetLanguage) => PartVisitor;
}

/**
 * Collects the text of parts, in their order, and writes the file anew. Parts in which nothing is
 * translated stay byte for byte as they were; when nothing is translated at all, all parts do.
 *
 * @throws DocumentError when a part is damaged or there is too much text
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

/** What the written text is in, and which way it runs. */
export function targetLanguage(languages: { source: string; target: string }): TargetLanguage {
  return {
    tag: languages.target,
    isRightToLeft: textDirection(languages.target) === 'rtl',
    wasRightToLeft: textDirection(languages.source) === 'rtl',
  };
}

// The properties of an Office file that are text people read: its title, subject and description.

const TEXTS = new Set(['dc:title', 'dc:subject', 'dc:description']);

/** The part with the file's properties. */
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

function exchangeProperty(element: XmlElement, exchange: TextExchange): string | undefined {
  const translated = exchangeText(exchange, textOf(element), 'unit');
  return translated === undefined ? undefined : written(element, translated);
}

function written(element: XmlElement, text: string): string {
  element.children = [encodeText(text)];
  return serialise(element);
}
