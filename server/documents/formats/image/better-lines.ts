/** Of two readings of a picture, the lines that were read better. */
import { worth } from './doubtful-cells.ts';
import type { PixelBox } from './ocr.ts';
import type { PlacedLine } from './table-cells.ts';

/** What was read second has to be better by this, as its lines are more often torn or have more in them. */
const CLEARLY_BETTER = 1.15;

/** What lines of both kinds have that are compared. */
type Compared = Pick<PlacedLine, 'words' | 'box' | 'paragraph'>;

export function better<Line extends Compared>(
  first: readonly Line[],
  second: readonly Line[],
): Line[] {
  const kept = new Set(first);
  for (const line of numberedAfter(first, second)) {
    const rivals = [...kept].filter((other) => overlap(line.box, other.box) > 0.3);
    if (!isClearlyBetter(line, rivals)) continue;
    for (const rival of rivals) kept.delete(rival);
    kept.add(line);
  }
  return [...kept];
}

/**
 * The same with each line where the second reading has it, after the one before it there.
 *
 * @param isBetter whether a line takes the place of those that are there
 */
export function betterInOrder<Line extends Compared>(
  first: readonly Line[],
  second: readonly Line[],
  isBetter: (line: Line, rivals: readonly Line[]) => boolean = isClearlyBetter,
): Line[] {
  const kept = [...first];
  let next = 0;
  for (const line of numberedAfter(first, second)) {
    const rivals = kept.filter((other) => overlap(line.box, other.box) > 0.3);
    const [rival] = rivals;
    const at = rival === undefined ? next : kept.indexOf(rival);
    next = at + 1;
    if (!isBetter(line, rivals)) continue;
    for (const other of rivals) kept.splice(kept.indexOf(other), 1);
    kept.splice(at, 0, line);
  }
  return kept;
}

function isClearlyBetter({ words }: Compared, rivals: readonly Compared[]): boolean {
  const theirs = rivals.reduce((sum, rival) => sum + worth(rival.words), 0);
  return worth(words) > CLEARLY_BETTER * theirs;
}

/** The second lines with numbers of paragraphs that none of the first has. */
export function numberedAfter<Line extends Compared>(
  first: readonly Compared[],
  second: readonly Line[],
): Line[] {
  const offset = 1 + Math.max(0, ...first.map(({ paragraph }) => paragraph));
  return second.map((line) => ({ ...line, paragraph: line.paragraph + offset }));
}

/** Share of the smaller box that lies in the other. */
function overlap(a: PixelBox, b: PixelBox): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / Math.min(area(a), area(b));
}

function area({ left, top, right, bottom }: PixelBox): number {
  return Math.max(1, (right - left) * (bottom - top));
}
