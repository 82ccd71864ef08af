/** A flowing document as read from the pages of a PDF, before it is written. Lengths are in points. */
import type { PageLink } from './page-links.ts';
import type { Box, TextStyle } from './page-model.ts';
import type { PagePicture } from './page-picture.ts';

/** Text of one look; paragraphs consist of these. */
export interface TextPiece {
  text: string;
  look: TextLook;
}

/** The look of a piece, and the target of its link. */
export interface TextLook {
  font: string;
  /** In half points, as in Word. */
  size: number;
  isBold: boolean;
  isItalic: boolean;
  /** Hexadecimal: `1F3864`. */
  color: string;
  /**
   * Colour of the area behind the piece, where the text needs it to be legible and the paragraph has none;
   * undefined on paper.
   */
  shading: string | undefined;
  position: TextStyle['position'];
  link: PageLink['target'] | undefined;
  /** Number of the footnote to which the piece refers, in place of its text. */
  note: number | undefined;
  /** Number that Word computes, in place of the text. */
  field: 'page' | 'pages' | undefined;
}

export interface FlowText {
  kind: 'text';
  pieces: readonly TextPiece[];
  box: Box;
  pageIndex: number;
  align: 'left' | 'right' | 'center' | 'justify';
  /** Distance from baseline to baseline; undefined for a single line. */
  leading: number | undefined;
  /** Indent of the first line against the others; negative for a hanging indent. */
  firstIndent: number;
  headingLevel: number | undefined;
  /** The marker before the text of a list item, and its left edge. */
  marker: { text: string; left: number } | undefined;
  /**
   * Whether the last line reaches the end of its column, so that the paragraph may continue in the next one.
   */
  isCutOff: boolean;
  /** Colour of the area behind it. */
  shading: string | undefined;
}

export interface FlowPicture {
  kind: 'picture';
  picture: PagePicture;
  box: Box;
}

/** Start of a new page. */
interface FlowBreak {
  kind: 'break';
}

export interface FlowCell {
  /** From 0. */
  column: number;
  columnSpan: number;
  rowSpan: number;
  shading: string | undefined;
  /** Box between its rules; undefined without rules. */
  box: Box | undefined;
  items: (FlowText | FlowPicture)[];
}

export interface FlowTable {
  kind: 'table';
  box: Box;
  /** Width of each column. */
  columnWidths: readonly number[];
  rows: readonly (readonly FlowCell[])[];
  /** Empty space above and below the text of cells. */
  padding: { top: number; bottom: number };
  /** Colour and width of its rules; undefined without rules. */
  border: { color: string; widthPoints: number } | undefined;
}

/** An item on a page. */
export type PageItem = FlowText | FlowPicture | FlowTable;

/** An item in the flow. */
export interface PlacedItem {
  item: PageItem | FlowBreak;
  /** Edges of its column on the page. */
  frame: { left: number; right: number };
  /** Distance to the item above it in the same column; 0 for the first. */
  spaceBefore: number;
  /** Index of the page of which it is the first item, where links lead to that page. */
  bookmark: number | undefined;
}

/** A part of the document with one page size and one number of columns. */
export interface FlowSection {
  width: number;
  height: number;
  margins: { left: number; right: number; top: number; bottom: number };
  columns: number;
  /** Gap between columns. */
  gap: number;
  /** Whether it begins on a new page. */
  isOnNewPage: boolean;
  items: PlacedItem[];
}

/** A line of a header or footer, with its parts at the left, centre and right. */
export interface RunningLine {
  left: FlowText | undefined;
  center: FlowText | undefined;
  right: FlowText | undefined;
}

/** Headers or footers: the default lines, other lines on even pages, and whether the first page has none. */
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
  /** Footnotes by number from 1. */
  notes: ReadonlyMap<number, FlowText>;
}
