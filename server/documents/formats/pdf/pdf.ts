/**
 * The PDF format: writes a translation as PDF that keeps the layout (`redraw.ts`) or as a flowing docx
 * document (`flow.ts`). Scanned pages first go through text recognition (`scanned.ts`).
 */
import type { DocumentFormat, OpenOptions } from '../format.ts';
import { openFlow } from './flow.ts';
import type { Page } from './page-model.ts';
import { hasPicture } from './page-to-redraw.ts';
import { openPdfFile, type PdfFile } from './pdfium.ts';
import { openRedraw } from './redraw.ts';
import type { ScannedPages } from './scanned.ts';
import { charactersOf, readAllPages } from './paragraph-segments.ts';

/** Number of visible characters below which a page may be a scan: a page number or a stamp. */
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

/** Recognises the pages without text of their own; returns undefined when no page is a scan. */
async function recogniseScans({
  file,
  pages,
  options,
}: {
  file: PdfFile;
  pages: readonly Page[];
  options: OpenOptions;
}): Promise<ScannedPages | undefined> {
  const bare = pages.filter((page) => isScan(file, page));
  if (bare.length === 0) return undefined;
  const { readScannedPages } = await import('./scanned.ts');
  return readScannedPages({ file, pages, bare, language: options.source });
}

/** Tests whether a page shows pictures and next to no text. */
function isScan(file: PdfFile, page: Page): boolean {
  if (charactersOf(page) >= MIN_PAGE_CHARACTERS) return false;
  return page.invisibleCharacters > 0 || file.withPage(page.index, hasPicture) === true;
}
