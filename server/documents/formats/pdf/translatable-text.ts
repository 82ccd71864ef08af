/** The text of a PDF file as blocks, in an order that opening and writing agree on. */
import { countCodePoints } from '../../../text/code-points.ts';
import { hasLetters, plainText } from '../../../text/text-segment.ts';
import { checkLength, type DocumentBlock } from '../format.ts';
import type { Titles } from './document-details.ts';
import type { Page, PageParagraph } from './page-model.ts';
import { type ParagraphText, textOfParagraph } from './paragraph-segments.ts';
import type { PdfFile } from './pdfium.ts';
import { readPages } from './read-pages.ts';

/** A paragraph and its text. */
export interface TranslatableParagraph {
  paragraph: PageParagraph;
  text: ParagraphText;
}

/** The paragraphs of a page that have something to translate. */
export function translatableParagraphs({ paragraphs }: Page): TranslatableParagraph[] {
  return paragraphs
    .map((paragraph) => ({ paragraph, text: textOfParagraph(paragraph) }))
    .filter(({ text }) => hasLetters(text.segment));
}

/** Unicode code points of a page's translatable text. */
export function charactersOf(page: Page): number {
  return translatableParagraphs(page).reduce(
    (sum, { text }) => sum + countCodePoints(plainText(text.segment)),
    0,
  );
}

/**
 * Reads all pages of a file.
 *
 * @throws DocumentError when they have more text than may be
 */
export function readAllPages(file: PdfFile, maxCharacters: number): Page[] {
  const pages: Page[] = [];
  let characters = 0;
  for (const page of readPages(file)) {
    characters += charactersOf(page);
    checkLength(characters, maxCharacters);
    pages.push(page);
  }
  return pages;
}

/** The blocks of pages, then those of the titles. */
export function blocksOf(pages: readonly Page[], titles: Titles): DocumentBlock[] {
  const paragraphs = pages.flatMap((page) =>
    translatableParagraphs(page).map(({ text }): DocumentBlock => {
      return { segment: text.segment, kind: 'paragraph' };
    }),
  );
  const units = translatableTitles(titles).map((title): DocumentBlock => {
    return { segment: [title], kind: 'unit' };
  });
  return [...paragraphs, ...units];
}

/** The titles that have something to translate: those of the outline, then the document's own. */
export function translatableTitles({ outline, document }: Titles): string[] {
  return [...outline, document ?? ''].filter((title) => hasLetters(title));
}
