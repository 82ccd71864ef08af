/** What text recognition makes of pages that are pictures. */
import type { Box, Page, PageParagraph } from './page-model.ts';

/** A picture that is drawn over the text of a scan before its translation is. */
export interface PageCover {
  /** On the page as it is looked at. */
  box: Box;
  png: Uint8Array;
  /** Whose text it covers: it is drawn only when that is written anew. */
  paragraph: PageParagraph;
}

/** The pages of a file, those that were recognised with their text. */
export interface ScannedPages {
  pages: readonly Page[];
  /** What covers the old text of a page; undefined for pages that are no scans. */
  covers(pageIndex: number): readonly PageCover[] | undefined;
}
