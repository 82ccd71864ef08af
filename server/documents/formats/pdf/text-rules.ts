/** Underlines and strike-through lines, which PDF files draw as paths, independent of the text. */
import { type Operator, scanOperators } from './content-stream.ts';
import { applyToBox, identityMatrix, type Matrix, multiply, union } from './geometry.ts';
import type { PageCharacter } from './page-characters.ts';
import type { Box, PageParagraph, Ruling, TextStyle } from './page-model.ts';

/** Range of heights of such lines above the baseline, as shares of the text size. */
const UNDER = { from: -0.3, to: -0.01 } as const;
const THROUGH = { from: 0.15, to: 0.42 } as const;
/** Maximum distance between the ends of a line and of its text; other lines belong to tables. */
const OVERHANG_EMS = 0.35;
/** Maximum gap within an underline, in ems: programs interrupt it where letters descend below it. */
const MAX_GAP_EMS = 0.9;
/** A thicker line is a bar. */
const MAX_THICKNESS_POINTS = 3;
/** Maximum number of pairs of line and letter to compare; pages of drawings have too many lines. */
const MAX_COMPARISONS = 20_000_000;

type Decoration = NonNullable<TextStyle['decoration']>;

/** Marks the level characters that have a line under or through them, and returns these lines. */
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

/** Joins pieces at one height that have only small gaps between them. */
function joined(lines: readonly Ruling[]): Ruling[] {
  const sorted = lines.toSorted((a, b) => a.at - b.at || a.from - b.from);
  const all: Ruling[] = [];
  for (const line of sorted) {
    const last = all.at(-1);
    const isSame = last !== undefined && Math.abs(last.at - line.at) < 0.05;
    // The size of the text is not known yet; underlined text is hardly ever larger than this.
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

/** Returns the edits of the content stream that delete the lines under and through redrawn paragraphs. */
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
  // If one of them is drawn otherwise, for example in a form, all stay as they are.
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

/** A thin level path in a content stream. */
interface DrawnRule {
  from: number;
  to: number;
  /** Box on the page as displayed. */
  box: Box;
}

const PATH_PARTS = new Set(['m', 'l', 're', 'h']);
const PAINTING = new Set(['f', 'F', 'f*', 'S', 's', 'B', 'b', 'B*', 'b*']);

/** Finds paths that are one straight line or one rectangle as thin as a line. */
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
    left: Math.min(...xs),
    right: Math.max(...xs),
    bottom: Math.min(...ys),
    top: Math.max(...ys),
  };
}

function numbersOf(bytes: Uint8Array, { name, from, to }: Operator): number[] {
  const text = Buffer.from(bytes.subarray(from, to - name.length)).toString('latin1');
  return text.trim().split(/\s+/).map(Number);
}

function asMatrix([a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: readonly number[]): Matrix {
  return [a, b, c, d, e, f];
}
