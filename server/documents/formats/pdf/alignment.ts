/** How the lines of a paragraph stand to each other: centred, at the right, scattered, justified. */
import { horizontalOverlap } from './geometry.ts';
import type { ReadLine } from './read-line.ts';

/** Whether lines share their middle and nothing else. */
export function isCentered(lines: readonly ReadLine[]): boolean {
  const [first] = lines;
  if (first === undefined || lines.length < 2) return false;
  const middle = (first.box.left + first.box.right) / 2;
  const isSameMiddle = lines.every(
    ({ box, sizePoints }) => Math.abs((box.left + box.right) / 2 - middle) < 0.35 * sizePoints,
  );
  return isSameMiddle && spread(lines.map(({ box }) => box.left)) > 0.7 * first.sizePoints;
}

/** Whether lines share their right edge only. */
export function isRightAligned(lines: readonly ReadLine[]): boolean {
  const [first] = lines;
  if (first === undefined || lines.length < 2) return false;
  const lefts = lines.map(({ box }) => box.left);
  const hasEdge = spread(lines.map(({ box }) => box.right)) < 0.25 * first.sizePoints;
  if (!hasEdge || spread(lefts) < first.sizePoints || first.isRightToLeft) return false;
  // Of justified text whose last line is full, only the first line begins elsewhere.
  const margin = Math.min(...lefts);
  const flush = lefts.filter((left) => left - margin < 0.25 * first.sizePoints).length;
  return lines.length === 2 ? !haveStretchedBlanks(lines) : flush <= lines.length / 2;
}

/** How many lines of its column a paragraph is compared with. */
const MAX_PEERS = 20;

/**
 * Finds, for the lines of a paragraph from top to bottom, full lines of others in its column: those
 * that begin where its last line does and end where its first does.
 */
export function columnPeers(
  groups: readonly (readonly ReadLine[])[],
): (lines: readonly ReadLine[]) => ReadLine[] {
  const byEdges = new Map<string, ReadLine[]>();
  const key = (left: number, right: number): string => `${Math.round(left)}|${Math.round(right)}`;
  for (const line of groups.flat()) {
    const edges = key(line.box.left, line.box.right);
    const known = byEdges.get(edges);
    if (known === undefined) byEdges.set(edges, [line]);
    else if (known.length < MAX_PEERS) known.push(line);
  }
  return (lines) => {
    const [left, right] = [lines.at(-1)?.box.left ?? 0, lines[0]?.box.right ?? 0];
    const size = lines[0]?.sizePoints ?? 0;
    const baselines = new Set(lines.map(({ baseline }) => baseline));
    return [-1, 0, 1]
      .flatMap((dx) => [-1, 0, 1].flatMap((dy) => byEdges.get(key(left + dx, right + dy)) ?? []))
      .filter(
        ({ box, baseline, sizePoints }) =>
          !baselines.has(baseline) &&
          Math.abs(sizePoints - size) < 0.05 * size &&
          Math.max(Math.abs(box.left - left), Math.abs(box.right - right)) < 0.1 * size,
      );
  };
}

/** Whether no two lines that follow each other have an edge or their middle in common. */
export function isScattered(lines: readonly ReadLine[]): boolean {
  if (lines.length < 3) return false;
  return lines.slice(1).every(({ box, sizePoints }, at) => {
    const above = lines[at]?.box ?? box;
    const [left, right] = [box.left - above.left, box.right - above.right];
    return [left, right, (left + right) / 2].every((apart) => Math.abs(apart) > sizePoints);
  });
}

/** Blanks of ragged text are all equally wide; lines without any count when they are many. */
export function haveStretchedBlanks(lines: readonly ReadLine[]): boolean {
  const means = lines.map(meanBlank).filter((mean) => mean !== undefined);
  const size = lines[0]?.sizePoints ?? 1;
  if (means.length < 2) return lines.length > 3;
  return spread(means) > 0.025 * size;
}

function meanBlank({ characters }: ReadLine): number | undefined {
  let sum = 0;
  let count = 0;
  for (const [at, { character, hasSpaceBefore }] of characters.entries()) {
    const previous = characters[at - 1]?.character;
    if (!hasSpaceBefore || previous === undefined) continue;
    sum += -horizontalOverlap(previous.box, character.box);
    count += 1;
  }
  return count > 2 ? sum / count : undefined;
}

/** Distance of the largest to the smallest. */
export function spread(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values);
}
