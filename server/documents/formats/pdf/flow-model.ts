/** A flowing document as it is found in the pages of a PDF, before it is written. Lengths are points. */
import type { PageLink } from './page-links.ts';
import type { Box, TextStyle } from './page-model.ts';
import type { PagePicture } from './page-picture.ts';

/** Text of one look; what a paragraph consists of. */
export interface TextPiece {
  text: string;
  look: TextLook;
}

/** How a piece looks and where it leads. */
export interface TextLook {
  font: string;
  /** In half points, as Word counts. */
  size: number;
  isBold: boolean;
  isItalic: boolean;
  /** `1F3864`. */
  color: string;
  /** Of the area behind it, where its paragraph has none that shows the text; undefined for paper. */
  shading: string | undefined;
  position: TextStyle['position'];
  link: PageLink['target'] | undefined;
  /** Number of the footnote that the piece refers to, instead of its text. */
  note: number | undefined;
  /** What Word counts itself, instead of the text. */
  field: 'page' | 'pages' | undefined;
}

/** A paragraph. */
export interface FlowText {
  kind: 'text';
  pieces: readonly TextPiece[];
  box: Box;
  pageIndex: number;
  align: 'left' | 'right' | 'center' | 'justify';
  /** From baseline to baseline; undefined for a single line. */
  leading: number | undefined;
  /** Of its first line against the others; negative when it hangs. */
  firstIndent: number;
  headingLevel: number | undefined;
  /** What stands before the text of a list item, and where. */
  marker: { text: string; left: number } | undefined;
  /** Whether its last line reaches the end of its column, so that it may go on in the next. */
  isCutOff: boolean;
  /** Of the area behind it. */
  shading: string | undefined;
}

export interface FlowPicture {
  kind: 'picture';
  picture: PagePicture;
  box: Box;
}

/** Where a new page has to begin. */
interface FlowBreak {
  kind: 'break';
}

export interface FlowCell {
  /** From 0. */
  column: number;
  columnSpan: number;
  rowSpan: number;
  shading: string | undefined;
  /** Where its rules are; undefined without. */
  box: Box | undefined;
  items: (FlowText | FlowPicture)[];
}

export interface FlowTable {
  kind: 'table';
  box: Box;
  /** Width of each column. */
  columnWidths: readonly number[];
  rows: readonly (readonly FlowCell[])[];
  /** What is empty above and below the text of cells. */
  padding: { top: number; bottom: number };
  /** Of its rules; undefined when it has none. */
  border: { color: string; widthPoints: number } | undefined;
}

/** What is on a page. */
export type PageItem = FlowText | FlowPicture | FlowTable;

/** Something in the flow. */
export interface PlacedItem {
  item: PageItem | FlowBreak;
  /** The column that it stands in, on its page. */
  frame: { left: number; right: number };
  /** To what stands above it in the same column; 0 for the first. */
  spaceBefore: number;
  /** Whether links lead here: to the page that it is the first of. */
  bookmark: number | undefined;
}

/** A part of the document with one size of page and one number of columns. */
export interface FlowSection {
  width: number;
  height: number;
  margins: { left: number; right: number; top: number; bottom: number };
  columns: number;
  /** Between columns. */
  gap: number;
  /** Whether it begins on a new page. */
  isOnNewPage: boolean;
  items: PlacedItem[];
}

/** A line of a header or footer: what stands left, in the middle and right. */
export interface RunningLine {
  left: FlowText | undefined;
  center: FlowText | undefined;
  right: FlowText | undefined;
}

/** Headers or footers; `even` and `first` where they differ. */
export interface RunningLines {
  default: readonly RunningLine[];
  even: readonly RunningLine[] | undefined;
  isFirstWithout: boolean;
}

export interface FlowDocument {
  sections: readonly FlowSection[];
  header: RunningLines;
  footer: RunningLines;
  firstPageNumber: number;
  /** By number from 1. */
  notes: ReadonlyMap<number, FlowText>;
}
