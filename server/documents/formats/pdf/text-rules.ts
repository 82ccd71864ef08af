/**
 * Lines under and through text: files draw them as paths of their own, beside the text. The other
 * straight lines of a page are those of tables, above footnotes, around boxes.
 */
import { type Operator, scanOperators } from './content-stream.ts';
import { applyToBox, identityMatrix, type Matrix, multiply, union, apply } from './geometry.ts';
import type { PageCharacter } from './page-characters.ts';
import type { Box, PageParagraph, Ruling, TextStyle } from './page-model.ts';
import type { OpenPage } from './pdfium.ts';

/** Where such lines run, from the baseline, as shares of the size of the text. */
const UNDER = { from: -0.3, to: -0.01 } as const;
const THROUGH = { from: 0.15, to: 0.42 } as const;
/** They begin and end with their text, but for so much; others belong to tables. */
const OVERHANG_EMS = 0.35;
/** Readers leave gaps where letters reach below the line. */
const MAX_GAP_EMS = 0.9;
/** Thicker ones are bars. */
const MAX_THICKNESS_POINTS = 3;
/** Pages of drawings have too many lines to compare with all letters. */
const MAX_COMPARISONS = 20_000_000;

type Decoration = NonNullable<TextStyle['decoration']>;

/** Marks the level characters that have a line under or through them; returns these lines. */
export function markDecorated(
  characters: readonly PageCharacter[],
  rulings: readonly Ruling[],
): Ruling[] {
  const level = characters.filter(({ rotation }) => rotation === 0);
  const lines = rulings.filter(({ isHorizontal }) => isHorizontal);
  if (lines.length * level.length > MAX_COMPARISONS) return [];
  const decorations: Ruling[] = [];
  const looks = new Map<string, PageCharacter['look']>();
  const known = new Map<PageCharacter['look'], number>();
  for (const line of joined(lines)) {
    const near = level.filter((character) => decorationBy(line, character) !== undefined);
    if (!isOfText(line, near)) continue;
    decorations.push(line);
    for (const character of near) {
      const decoration = decorationBy(line, character);
      const { look } = character;
      if (decoration === undefined || look.decoration !== undefined) continue;
      if (!known.has(look)) known.set(look, known.size);
      const key = `${known.get(look) ?? 0}${decoration}`;
      const decorated = looks.get(key) ?? { ...look, decoration };
      looks.set(key, decorated);
      character.look = decorated;
    }
  }
  return decorations;
}

/** Pieces at one height with small gaps are one line. */
function joined(lines: readonly Ruling[]): Ruling[] {
  const sorted = lines.toSorted((a, b) => a.at - b.at || a.from - b.from);
  const all: Ruling[] = [];
  for (const line of sorted) {
    const last = all.at(-1);
    const isSame = last !== undefined && Math.abs(last.at - line.at) < 0.05;
    // The size of the text is not known yet: underlined text is hardly ever larger than this.
    if (isSame && line.from - last.to < MAX_GAP_EMS * 10) last.to = Math.max(last.to, line.to);
    else all.push({ ...line });
  }
  return all;
}

function decorationBy(
  line: Ruling,
  { box, baseline, sizePoints }: PageCharacter,
): Decoration | undefined {
  const middle = (box.left + box.right) / 2;
  if (middle < line.from || middle > line.to) return undefined;
  const height = (line.at - baseline) / sizePoints;
  if (height > UNDER.from && height < UNDER.to) return 'underline';
  return height > THROUGH.from && height < THROUGH.to ? 'strike' : undefined;
}

function isOfText(line: Ruling, characters: readonly PageCharacter[]): boolean {
  const [first] = characters;
  if (first === undefined) return false;
  const { left, right } = union(characters.map(({ box }) => box));
  const most = OVERHANG_EMS * first.sizePoints;
  return Math.abs(line.from - left) < most && Math.abs(line.to - right) < most;
}

/** A thin level path in a content stream. */
interface DrawnRule {
  from: number;
  to: number;
  /** On the page as it is looked at. */
  box: Box;
}

/** The lines under or through paragraphs that are written anew, as edits of the content stream. */
export function decorationsIn({
  bytes,
  view,
  textRules,
  paragraphs,
}: {
  bytes: Uint8Array;
  view: Matrix;
  textRules: readonly Ruling[];
  paragraphs: readonly PageParagraph[];
}): { from: number; to: number; text: string }[] {
  const own = textRules.filter((rule) => paragraphs.some((paragraph) => belongs(rule, paragraph)));
  if (own.length === 0) return [];
  const paths = thinPaths(bytes, view);
  // Where one is drawn otherwise, in a form for example, all stay as they are.
  const areFound = own.every((rule) => paths.some(({ box }) => isPieceOf(box, rule)));
  if (!areFound) return [];
  return paths
    .filter(({ box }) => own.some((rule) => isPieceOf(box, rule)))
    .map(({ from, to }) => ({ from, to, text: '' }));
}

function belongs({ at, from, to }: Ruling, { lines, rotation }: PageParagraph): boolean {
  if (rotation !== 0) return false;
  return lines.some(({ box, baseline, runs }) => {
    if (!runs.some(({ style }) => style.decoration !== undefined)) return false;
    const size = runs[0]?.style.sizePoints ?? 0;
    const isNear = at > baseline + UNDER.from * size && at < baseline + THROUGH.to * size;
    return isNear && from < box.right && to > box.left;
  });
}

function isPieceOf(box: Box, { at, from, to }: Ruling): boolean {
  const isLevel = box.bottom <= at + 0.7 && box.top >= at - 0.7;
  return isLevel && box.left >= from - 0.7 && box.right <= to + 0.7;
}

const PATH_PARTS = new Set(['m', 'l', 're', 'h']);
const PAINTING = new Set(['f', 'F', 'f*', 'S', 's', 'B', 'b', 'B*', 'b*']);

/** Paths of one straight line or of one rectangle that is as thin as a line. */
function thinPaths(bytes: Uint8Array, view: Matrix): DrawnRule[] {
  const rules: DrawnRule[] = [];
  const states: Matrix[] = [];
  let matrix = identityMatrix;
  let path: { from: number; numbers: number[]; kinds: string } | undefined;
  scanOperators(bytes, (operator) => {
    const { name, from, to } = operator;
    if (name === 'q') states.push(matrix);
    else if (name === 'Q') matrix = states.pop() ?? identityMatrix;
    else if (name === 'cm') matrix = multiply(asMatrix(numbersOf(bytes, operator)), matrix);
    else if (PATH_PARTS.has(name)) {
      path ??= { from, numbers: [], kinds: '' };
      path.kinds += `${name} `;
      if (path.kinds.length < 16) path.numbers.push(...numbersOf(bytes, operator));
    } else {
      const drawn = path === undefined ? undefined : boxOfPath(path.kinds, path.numbers);
      const box = drawn && applyToBox(multiply(matrix, view), drawn);
      const isThin = box !== undefined && box.top - box.bottom < MAX_THICKNESS_POINTS;
      if (path !== undefined && isThin && PAINTING.has(name))
        rules.push({ from: path.from, to, box });
      path = undefined;
    }
  });
  return rules;
}

function boxOfPath(
  kinds: string,
  [a = 0, b = 0, c = 0, d = 0, ...more]: number[],
): Box | undefined {
  if (kinds === 're ') {
    const [left, right] = c < 0 ? [a + c, a] : [a, a + c];
    const [bottom, top] = d < 0 ? [b + d, b] : [b, b + d];
    return { left, right, bottom, top };
  }
  const isPolygon = /^m l (l l (l )?(h )?|h )?$/.test(kinds);
  if (!isPolygon) return undefined;
  const xs = [a, c, ...more.filter((_, at) => at % 2 === 0)];
  const ys = [b, d, ...more.filter((_, at) => at % 2 === 1)];
  return {
    ...{ left: Math.min(...xs), right: Math.max(...xs) },
    ...{ bottom: Math.min(...ys), top: Math.max(...ys) },
  };
}

function numbersOf(bytes: Uint8Array, { name, from, to }: Operator): number[] {
  const text = Buffer.from(bytes.subarray(from, to - name.length)).toString('latin1');
  return text.trim().split(/\s+/).map(Number);
}

function asMatrix([a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: readonly number[]): Matrix {
  return [a, b, c, d, e, f];
}

/** `FPDF_PAGEOBJ_PATH` in `fpdf_edit.h`. */
const PATH_OBJECT = 2;
const IMAGE_OBJECT = 3;
/** `FPDF_SEGMENT_*`. */
const LINE_TO = 0;
const MOVE_TO = 2;

/** Drawings of maps have millions of segments; tables do not. */
const MAX_SEGMENTS = 20_000;
/** Larger drawings are not bullets, and pages with more of them are drawings. */
const MAX_SIGN_POINTS = 16;
const MAX_SIGNS = 400;
/** Shorter ones are parts of signs. */
const MIN_LENGTH_POINTS = 8;
/** A line may be this far out of true. */
const TOLERANCE_POINTS = 0.6;

/** Reads the level and the upright lines of a page as it is looked at; thin boxes count as lines. */
export function readRulings(page: OpenPage, view: Matrix): Ruling[] {
  const { pdfium, handle } = page;
  const rulings: Ruling[] = [];
  const count = pdfium.FPDFPage_CountObjects(handle);
  let segmentsLeft = MAX_SEGMENTS;
  for (let at = 0; at < count && segmentsLeft > 0; at += 1) {
    const object = pdfium.FPDFPage_GetObject(handle, at);
    if (pdfium.FPDFPageObj_GetType(object) !== PATH_OBJECT) continue;
    const segments = Math.min(segmentsLeft, pdfium.FPDFPath_CountSegments(object));
    segmentsLeft -= Math.max(1, segments);
    addPath({ page, object, segments, view, rulings });
  }
  return rulings;
}

/** The drawings and pictures of a page that are no larger than bullets of large text. */
export function readSigns({ pdfium, handle, scratch }: OpenPage, view: Matrix): Box[] {
  const signs: Box[] = [];
  const count = Math.min(MAX_SEGMENTS, pdfium.FPDFPage_CountObjects(handle));
  for (let at = 0; at < count && signs.length < MAX_SIGNS; at += 1) {
    const object = pdfium.FPDFPage_GetObject(handle, at);
    const type = pdfium.FPDFPageObj_GetType(object);
    if (type !== PATH_OBJECT && type !== IMAGE_OBJECT) continue;
    if (!pdfium.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12)) {
      continue;
    }
    const { HEAPF32 } = pdfium.pdfium;
    const float = (offset: number): number => HEAPF32[(scratch >> 2) + offset] ?? 0;
    const box = { left: float(0), bottom: float(1), right: float(2), top: float(3) };
    const [width, height] = [box.right - box.left, box.top - box.bottom];
    const isSign = Math.max(width, height) < MAX_SIGN_POINTS && Math.min(width, height) > 1;
    if (isSign) signs.push(applyToBox(view, box));
  }
  return signs;
}

function addPath({
  page: { pdfium, scratch },
  object,
  segments,
  view,
  rulings,
}: {
  page: OpenPage;
  object: number;
  segments: number;
  view: Matrix;
  rulings: Ruling[];
}): void {
  if (!pdfium.FPDFPageObj_GetMatrix(object, scratch)) return;
  const float = (offset: number): number => pdfium.pdfium.HEAPF32[(scratch >> 2) + offset] ?? 0;
  const own: Matrix = [float(0), float(1), float(2), float(3), float(4), float(5)];
  const matrix = multiply(own, view);
  let start = { x: 0, y: 0 };
  let last = start;
  for (let at = 0; at < segments; at += 1) {
    const segment = pdfium.FPDFPath_GetPathSegment(object, at);
    if (!pdfium.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4)) continue;
    const point = apply(matrix, { x: float(0), y: float(1) });
    const type = pdfium.FPDFPathSegment_GetType(segment);
    if (type === LINE_TO) addLine(last, point, rulings);
    if (type === MOVE_TO) start = point;
    last = point;
    if (pdfium.FPDFPathSegment_GetClose(segment)) addLine(last, start, rulings);
  }
}

function addLine(
  a: { x: number; y: number },
  b: { x: number; y: number },
  rulings: Ruling[],
): void {
  const width = Math.abs(a.x - b.x);
  const height = Math.abs(a.y - b.y);
  if (height <= TOLERANCE_POINTS && width >= MIN_LENGTH_POINTS) {
    const [from, to] = a.x < b.x ? [a.x, b.x] : [b.x, a.x];
    rulings.push({ isHorizontal: true, at: (a.y + b.y) / 2, from, to });
  } else if (width <= TOLERANCE_POINTS && height >= MIN_LENGTH_POINTS) {
    const [from, to] = a.y < b.y ? [a.y, b.y] : [b.y, a.y];
    rulings.push({ isHorizontal: false, at: (a.x + b.x) / 2, from, to });
  }
}
