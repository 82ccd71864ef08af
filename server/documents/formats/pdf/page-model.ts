/**
 * The text of a page in reading order: `read-pages.ts` produces it, and both writers (`redraw`, which keeps
 * the layout, and `flow`, a flowing document) start from it. Lengths are in points (1/72 inch); the origin is
 * the lower left corner of the page as displayed.
 */

/** A rectangle; `bottom` < `top`. */
export interface Box {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

/** The look of characters. */
export interface TextStyle {
  /** Font name as the file spells it: `BCDEEE+Calibri-Bold`. */
  fontName: string;
  sizePoints: number;
  isBold: boolean;
  isItalic: boolean;
  isSerif: boolean;
  isMonospaced: boolean;
  /** Red, green and blue, 0 to 255. */
  color: readonly [number, number, number];
  position: 'normal' | 'superscript' | 'subscript';
  /** From 0 to 1; opaque by default. */
  opacity?: number;
  /** A line under or through the letters that the file draws as a separate object. */
  decoration?: 'underline' | 'strike';
}

/** Text of one style within a line. */
export interface TextRun {
  text: string;
  style: TextStyle;
  /** Index of the page's link that contains the run. */
  link?: number | undefined;
}

export interface TextLine {
  runs: readonly TextRun[];
  box: Box;
  /** Height of the baseline. */
  baseline: number;
  /** Whether the last word continues in the next line; the runs leave out its hyphen. */
  endsInHyphen: boolean;
}

export interface PageParagraph {
  /**
   * Lines of the text. In a rotated paragraph, boxes and baselines are given as if the page were rotated
   * around its origin until they lie level.
   */
  lines: readonly TextLine[];
  /** Box on the page as displayed, also for a rotated paragraph. */
  box: Box;
  align: 'left' | 'right' | 'center' | 'justify';
  /** Distance from baseline to baseline. */
  leading: number;
  /** Counterclockwise rotation in degrees; 0 for nearly all paragraphs. */
  rotation: number;
  /** Heading level from 1, where the look suggests one. */
  headingLevel: number | undefined;
  /** `•`, `1.`: the marker before the text of a list item, which is not part of the lines. */
  listMarker: string | undefined;
  /** The list marker as a line. */
  markerLine: TextLine | undefined;
  /** Indexes of the text objects that the paragraph consists of, in PDFium's order; in forms, depth first. */
  textObjects: readonly number[];
  /** Indexes of the text objects of its list marker. */
  markerObjects: readonly number[];
}

/** A straight line that separates: a table's, one above a footnote, or the edge of a box. */
export interface Ruling {
  isHorizontal: boolean;
  /** The y of a horizontal ruling, the x of a vertical one. */
  at: number;
  /** From left to right, or from bottom to top. */
  from: number;
  to: number;
}

export interface Page {
  /** From 0. */
  index: number;
  width: number;
  height: number;
  /** In reading order. */
  paragraphs: readonly PageParagraph[];
  rulings: readonly Ruling[];
  /** The rulings that underline or strike out text. */
  textRules?: readonly Ruling[];
  /** Boxes of the pictures and drawings around which text may run. */
  obstacles?: readonly Box[];
  /** Boxes of the page's links, in the order of its annotations. */
  links: readonly Box[];
  /** Number of invisible characters: the text layer of a scan, meant for search. */
  invisibleCharacters: number;
}
