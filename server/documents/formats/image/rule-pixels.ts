/** Rules of tables and frames close to a line of text: they stay when its letters are taken away. */

/** What is looked at: how much each pixel differs from the ground. */
export interface Differences {
  values: Float32Array;
  width: number;
  height: number;
}

/** Share of a rule that is seen; scans have it worn. */
const UNBROKEN = 0.95;
/** A scan is not quite level: how far a rule moves from one piece to the next. */
const MOST_DRIFT = 2;

/**
 * Marks the pixels, with their soft edges, of rules that go through a cutting from side to side or from
 * top to bottom, with 1. No letter does, nor does what underlines the text.
 *
 * @param least what differs by more is no ground
 * @param pieceWidth level rules are followed piece by piece; longer than letters are wide
 */
export function rulePixels(
  differences: Differences,
  { least, pieceWidth }: { least: number; pieceWidth: number },
): Uint8Array {
  const { values, width, height } = differences;
  const marked = new Uint8Array(values.length);
  const isOther = (x: number, y: number): boolean => (values[y * width + x] ?? 0) > least;
  const mark = (x: number, y: number): void => {
    if (x >= 0 && x < width && y >= 0 && y < height) marked[y * width + x] = 1;
  };
  const count = Math.max(1, Math.floor(width / pieceWidth));
  const pieces = Array.from({ length: count }, (_, piece) => ({
    from: Math.round((piece * width) / count),
    to: Math.round(((piece + 1) * width) / count),
  }));
  const rows = pieces.map(({ from, to }) =>
    range(0, height).filter((y) => isMost(from, to, (x) => isOther(x, y))),
  );
  const through = throughAll(rows);
  for (const [piece, { from, to }] of pieces.entries()) {
    for (const y of through[piece] ?? []) {
      for (let x = from; x < to; x += 1) for (const by of [-1, 0, 1]) mark(x, y + by);
    }
  }
  for (const x of range(0, width)) {
    if (!isMost(0, height, (y) => isOther(x, y))) continue;
    for (let y = 0; y < height; y += 1) for (const by of [-1, 0, 1]) mark(x + by, y);
  }
  return marked;
}

function isMost(from: number, to: number, is: (at: number) => boolean): boolean {
  let most = (1 - UNBROKEN) * (to - from);
  for (let at = from; at < to; at += 1) if (!is(at) && --most < 0) return false;
  return true;
}

/** Of the rows in each piece, those that go on in all of the others. */
function throughAll(rows: readonly (readonly number[])[]): (readonly number[])[] {
  const follow = (all: readonly (readonly number[])[]): number[][] => {
    const kept: number[][] = [];
    for (const [piece, own] of all.entries()) {
      const before = kept[piece - 1];
      kept.push(
        own.filter((y) => before?.some((other) => Math.abs(other - y) <= MOST_DRIFT) ?? true),
      );
    }
    return kept;
  };
  return follow(follow(rows).toReversed()).toReversed();
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
