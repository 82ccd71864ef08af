/**
 * PDF files: written as PDF with their layout kept (`redraw.ts`) or as a flowing document (`flow.ts`).
 * Pages that are pictures of text are read by text recognition first (`scanned.ts`).
 */
import type { DocumentFormat, OpenOptions } from '../format.ts';
import { openFlow } from './flow.ts';
import type { Page } from './page-model.ts';
import { hasPicture } from './page-to-redraw.ts';
import { openPdfFile, type PdfFile } from './pdfium.ts';
import { openRedraw } from './redraw.ts';
import type { ScannedPages } from './scanned.ts';
import { charactersOf, readAllPages } from './paragraph-segments.ts';

/** Fewer characters on a page are its number or a stamp on a scan. */
const MIN_PAGE_CHARACTERS = 20;

export const pdf: DocumentFormat = {
  async open(file, options) {
    const opened = await openPdfFile(file);
    try {
      const read = readAllPages(opened, options.maxCharacters);
      const scanned = await recogniseScans({ file: opened, pages: read, options });
      if (options.output !== 'docx') {
        const { maxCharacters } = options;
        return openRedraw({ file, pdf: opened, pages: read, scanned, maxCharacters });
      }
      const pages = scanned?.pages ?? read;
      const characters = pages.reduce((sum, page) => sum + charactersOf(page), 0);
      const flow = await openFlow({ file: opened, pages, characters, options });
      opened.close();
      return flow;
    } catch (error) {
      opened.close();
      throw error;
    }
  },
};

/** Reads the pages that have no text of their own; undefined when all have. */
async function recogniseScans({
  file,
  pages,
  options,
}: {
  file: PdfFile;
  pages: readonly Page[];
  options: OpenOptions;
}): Promise<ScannedPages | undefined> {
  if (!pages.some((page) => isScan(file, page))) return undefined;
  const { readScannedPages } = await import('./scanned.ts');
  return readScannedPages({ file, pages, language: options.source });
}

/** Whether a page shows pictures and next to no text. */
function isScan(file: PdfFile, page: Page): boolean {
  if (charactersOf(page) >= MIN_PAGE_CHARACTERS) return false;
  return page.invisibleCharacters > 0 || file.withPage(page.index, hasPicture) === true;
}
