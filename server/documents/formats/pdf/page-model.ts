/**
 * The text of a page as people read it: what `read-pages.ts` finds, what is translated, and what both
 * ways of writing (`redraw`, the layout kept; `flow`, a flowing document) start from. Lengths are
 * points (1/72 inch), the origin is the lower left corner of the page as it is looked at.
 */

/** A rectangle; `bottom` < `top`. */
export interface Box {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

/** How characters look. */
export interface TextStyle {
  /** Name in the file, for people: `BCDEEE+Calibri-Bold`. */
  fontName: string;
  sizePoints: number;
  isBold: boolean;
  isItalic: boolean;
  isSerif: boolean;
  isMonospaced: boolean;
  /** Red, green, blue, 0 to 255. */
  color: readonly [number, number, number];
  position: 'normal' | 'superscript' | 'subscript';
  /** From 0 to 1; opaque without it. */
  opacity?: number;
  /** A line under or through the letters that the file draws by itself. */
  decoration?: 'underline' | 'strike';
}

/** Text of one style within a line. */
export interface TextRun {
  text: string;
  style: TextStyle;
  /** Index of the page's link it is part of. */
  link?: number | undefined;
}

export interface TextLine {
  runs: readonly TextRun[];
  box: Box;
  /** Where the letters stand. */
  baseline: number;
  /** Whether its last word goes on in the next line, its hyphen is left out of the runs. */
  endsInHyphen: boolean;
}

export interface PageParagraph {
  /**
   * In those of a turned paragraph, boxes and baselines are given as if the page were turned back
   * around its origin until they lie level.
   */
  lines: readonly TextLine[];
  /** On the page as it is, also when the paragraph is turned. */
  box: Box;
  align: 'left' | 'right' | 'center' | 'justify';
  /** From baseline to baseline. */
  leading: number;
  /** Counterclockwise, in degrees: 0 for nearly all. */
  rotation: number;
  /** Level of a heading from 1, where its look says so. */
  headingLevel: number | undefined;
  /** `•`, `1.`: what stands before the text of a list item and is not part of the lines. */
  listMarker: string | undefined;
  /** Where the list marker stands. */
  markerLine: TextLine | undefined;
  /** Indexes of the page's text objects it is made of, in PDFium's order; in forms, depth first. */
  textObjects: readonly number[];
  /** … and those of its list marker. */
  markerObjects: readonly number[];
}

/** A straight line that separates: of a table, above a footnote; an edge of a box. */
export interface Ruling {
  isHorizontal: boolean;
  /** Its y when it is horizontal, else its x. */
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
  /** Of the rulings, those that underline or strike out text. */
  textRules?: readonly Ruling[];
  /** Boxes of the pictures and drawings that text may run around. */
  obstacles?: readonly Box[];
  /** Where the page's links are, in the order of its annotations. */
  links: readonly Box[];
  /** Characters that are there to be found, not to be seen: what text recognition put on a scan. */
  invisibleCharacters: number;
}
