/** What text recognition makes of pages that are pictures. */
import type { Matrix } from './geometry.ts';
import type { Box, Page, PageParagraph } from './page-model.ts';

/** A picture that is drawn over the text of a scan before its translation is. */
export interface PageCover {
  /** On the page as it is looked at, turned back. */
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
  /**
   * From a page as it is looked at to where its paragraphs and covers are: scans that lie askew were
   * turned back to be read. Undefined for pages that are no scans.
   */
  turnedBack(pageIndex: number): Matrix | undefined;
}
