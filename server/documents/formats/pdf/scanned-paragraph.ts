/** Converts a text region recognised in a picture to a paragraph of its page. */
import type { LanguageTag } from '../../../../shared/language.ts';
import type { PixelBox } from '../image/ocr.ts';
import type { Picture, QuarterTurn } from '../image/picture.ts';
import type { SeenLine, TextRegion } from '../image/regions.ts';
import { matchTypeface } from '../image/typeface.ts';
import { applyToBox, turn, union } from './geometry.ts';
import type { Box, Page, PageParagraph, TextLine, TextStyle } from './page-model.ts';

/** A page and its picture. For rotated text, both are rotated until the text lies level. */
export interface ScanView {
  picture: Picture;
  page: Pick<Page, 'width' | 'height'>;
  /** Rotation of its text, counterclockwise in degrees. */
  rotation: QuarterTurn;
}

/** Height of letters with ascenders and descenders, as a share of the em. */
const LETTER_SHARE = 0.93;
/** How far the em square extends below and above the baseline, in ems. */
const BELOW = 0.22;
const ABOVE = 0.78;
/** Leading in ems, where there are no other lines to measure. */
const USUAL_LEADING = 1.2;
/** Maximum difference of the right edges of justified lines, in ems. */
const EVEN_EDGE = 0.3;
/** Maximum ratio of measured heights of letters that count as one size. */
const SAME_HEIGHT = 1.14;
/** Maximum ratio of stroke widths that count as one weight; bold strokes are half as wide again. */
const SAME_STROKE = 1.22;
const NEARLY_BLACK = 90;
const BULLET = '\u2022';

/**
 * Converts pixels, which count downwards, to points, which count upwards; level, with the origin of
 * `levelOrigin`.
 */
export function levelBox(box: PixelBox, view: ScanView): Box {
  const { picture, page } = view;
  const origin = levelOrigin(view);
  const x = page.width / picture.width;
  const y = page.height / picture.height;
  return {
    left: origin.x + box.left * x,
    right: origin.x + box.right * x,
    top: origin.y + page.height - box.top * y,
    bottom: origin.y + page.height - box.bottom * y,
  };
}

/** Returns the lower left corner of a page after rotation around that corner. */
function levelOrigin({ page, rotation }: ScanView): { x: number; y: number } {
  return {
    x: rotation === 180 || rotation === 270 ? -page.width : 0,
    y: rotation === 180 || rotation === 90 ? -page.height : 0,
  };
}

/** Converts a box of level text to the page. */
export function onPage(box: Box, { rotation }: ScanView): Box {
  return rotation === 0 ? box : applyToBox(turn(rotation), box);
}

/** The look of letters of about one height. */
export interface LetterLook {
  letterHeightPx: number;
  /** Width of strokes, as a share of the letter height. */
  strokeShare: number;
  sizePx: number;
  isSerif: boolean;
  isMonospaced: boolean;
  isBold: boolean;
  isItalic: boolean;
}

type LetterMeasure = Pick<LetterLook, 'letterHeightPx' | 'strokeShare'>;

/** Determines the look of letters of each height and weight, from the longest line of each. */
export async function lettersOf(
  regions: readonly TextRegion[],
  language: LanguageTag,
): Promise<LetterLook[]> {
  const longest = (region: TextRegion): SeenLine =>
    region.lines.reduce((a, b) => (b.text.length > a.text.length ? b : a));
  const sorted = [...regions].sort((a, b) => longest(b).text.length - longest(a).text.length);
  const looks: LetterLook[] = [];
  for (const region of sorted) {
    const measure = measureOf(region);
    if (nearest(looks, measure, 1) !== undefined) continue;
    const { letterHeightPx } = measure;
    const { text, appearance } = longest(region);
    const match = await matchTypeface(text, appearance, language);
    looks.push({
      ...measure,
      sizePx: match?.sizePx ?? letterHeightPx / LETTER_SHARE,
      isSerif: match?.typeface.family === 'serif',
      isMonospaced: match?.typeface.family === 'mono',
      isBold: match?.typeface.isBold ?? false,
      isItalic: match?.typeface.isItalic ?? false,
    });
  }
  return looks;
}

function nearest(
  looks: readonly LetterLook[],
  { letterHeightPx, strokeShare }: LetterMeasure,
  most: number,
): LetterLook | undefined {
  const distance = (look: LetterLook): number =>
    Math.max(
      Math.abs(Math.log(look.letterHeightPx / letterHeightPx)) / Math.log(SAME_HEIGHT),
      Math.abs(Math.log(look.strokeShare / strokeShare)) / Math.log(SAME_STROKE),
    );
  const [best] = [...looks].sort((a, b) => distance(a) - distance(b));
  return best !== undefined && distance(best) <= most ? best : undefined;
}

/** Measures letters. Bold shows in the stroke width: the ink divided by its edges, two to a stroke. */
function measureOf(region: TextRegion): LetterMeasure {
  const letterHeightPx = letterHeight(region);
  let [ink, edges] = [0, 1];
  for (const { appearance } of region.lines) {
    const { coverage, inkBox } = appearance;
    const width = inkBox.right - inkBox.left;
    for (let at = 0; at < coverage.length; at++) {
      const value = coverage[at] ?? 0;
      ink += value / 255;
      if (at % width > 0) edges += Math.abs(value - (coverage[at - 1] ?? 0)) / 255;
    }
  }
  return { letterHeightPx, strokeShare: Math.max(0.01, (2 * ink) / edges / letterHeightPx) };
}

/** Returns a text region as a paragraph; its lines keep their places. */
export function scannedParagraph(
  region: TextRegion,
  looks: readonly LetterLook[],
  view: ScanView,
): PageParagraph {
  const measure = measureOf(region);
  const heightPx = measure.letterHeightPx;
  const look = nearest(looks, measure, Infinity);
  const pointsPerPixel = view.page.height / view.picture.height;
  const sizePx = look?.sizePx ?? heightPx / LETTER_SHARE;
  const sizePoints = Math.round(sizePx * pointsPerPixel * 2) / 2;
  const [red, green, blue] = region.lines[0].appearance.ink;
  const style: TextStyle = {
    fontName: '',
    sizePoints,
    isBold: look?.isBold ?? false,
    isItalic: look?.isItalic ?? false,
    isSerif: look?.isSerif ?? false,
    isMonospaced: look?.isMonospaced ?? false,
    color: inkColor([red, green, blue]),
    position: 'normal',
  };
  const lines = region.lines.map((line, at) =>
    textLine({ line, next: region.lines[at + 1], style, view }),
  );
  return {
    lines,
    box: onPage(union(lines.map(({ box }) => box)), view),
    align: alignOf(lines, region.align, sizePoints),
    leading: (region.pitchPx ?? USUAL_LEADING * sizePx) * pointsPerPixel,
    rotation: view.rotation,
    headingLevel: undefined,
    listMarker: region.lines[0].isMarked ? BULLET : undefined,
    // The marker is a part of the picture, and stays there.
    markerLine: undefined,
    textObjects: [],
    markerObjects: [],
  };
}

/** Makes nearly black ink black: in scans, the edges of letters are grey. */
function inkColor(ink: readonly [number, number, number]): TextStyle['color'] {
  if (Math.max(...ink) < NEARLY_BLACK) return [0, 0, 0];
  return [Math.round(ink[0]), Math.round(ink[1]), Math.round(ink[2])];
}

function letterHeight({ lines }: TextRegion): number {
  const heights = lines.map(({ letterHeightPx }) => letterHeightPx).sort((a, b) => a - b);
  return heights[heights.length >> 1] ?? 0;
}

function textLine({
  line,
  next,
  style,
  view,
}: {
  line: SeenLine;
  next: SeenLine | undefined;
  style: TextStyle;
  view: ScanView;
}): TextLine {
  const { left, right } = levelBox(line.appearance.inkBox, view);
  const baseline =
    levelOrigin(view).y + view.page.height * (1 - line.baselinePx / view.picture.height);
  const endsInHyphen =
    next !== undefined && /\p{Ll}[-‐¬]$/u.test(line.text) && /^\p{Ll}/u.test(next.text);
  return {
    runs: [{ text: endsInHyphen ? line.text.slice(0, -1) : line.text, style }],
    box: {
      left,
      right,
      bottom: baseline - BELOW * style.sizePoints,
      top: baseline + ABOVE * style.sizePoints,
    },
    baseline,
    endsInHyphen,
  };
}

function alignOf(
  lines: readonly TextLine[],
  align: PageParagraph['align'],
  sizePoints: number,
): PageParagraph['align'] {
  const full = lines.slice(0, -1).map(({ box }) => box.right);
  const isEven = full.length > 1 && Math.max(...full) - Math.min(...full) < EVEN_EDGE * sizePoints;
  return isEven && align === 'left' ? 'justify' : align;
}
