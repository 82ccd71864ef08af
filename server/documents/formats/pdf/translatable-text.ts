/** The text of a PDF file as blocks, in an order that opening and writing agree on. */
import { countCodePoints } from '../../../text/code-points.ts';
import { plainText, type TextSegment } from '../../../text/text-segment.ts';
import { checkLength, type DocumentBlock } from '../format.ts';
import type { Titles } from './document-details.ts';
import type { Page, PageParagraph } from './page-model.ts';
import { type ParagraphText, textOfParagraph } from './paragraph-segments.ts';
import type { PdfFile } from './pdfium.ts';
import { readPages } from './read-pages.ts';

/** A paragraph and what it says. */
export interface ToldParagraph {
  paragraph: PageParagraph;
  text: ParagraphText;
}

/** Whether there is something to translate. */
export function isTold(segment: TextSegment): boolean {
  return /\p{L}/u.test(plainText(segment));
}

/** The paragraphs of a page that are told. */
export function toldParagraphs({ paragraphs }: Page): ToldParagraph[] {
  return paragraphs
    .map((paragraph) => ({ paragraph, text: textOfParagraph(paragraph) }))
    .filter(({ text }) => isTold(text.segment));
}

/** Unicode code points of what a page tells. */
export function charactersOf(page: Page): number {
  return toldParagraphs(page).reduce(
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
    toldParagraphs(page).map(({ text }): DocumentBlock => {
      return { segment: text.segment, kind: 'paragraph' };
    }),
  );
  const units = toldTitles(titles).map((title): DocumentBlock => {
    return { segment: [title], kind: 'unit' };
  });
  return [...paragraphs, ...units];
}

/** The titles that are told: those of the outline, then the document's own. */
export function toldTitles({ outline, document }: Titles): string[] {
  return [...outline, document ?? ''].filter((title) => isTold([title]));
}
