/** Initials that are as high as several lines, joined to the word they begin. */
import { union } from './geometry.ts';
import type { ReadLine } from './read-line.ts';

/** An initial is this much larger than its text. */
const MIN_RATIO = 1.8;

/** Whether a line can be the initial of text of a size. */
export function isDropCap({ characters, sizePoints }: ReadLine, textPoints: number): boolean {
  const [first, ...others] = characters;
  if (first === undefined || others.length > 0) return false;
  return /^\p{Lu}$/u.test(first.character.text) && sizePoints > MIN_RATIO * textPoints;
}

/** The lines with each initial as the first letter of the line it begins, of that line's size. */
export function joinDropCaps(lines: readonly ReadLine[]): ReadLine[] {
  const joined = new Map<ReadLine, ReadLine | undefined>();
  for (const cap of lines) {
    if (!isDropCap(cap, 0)) continue;
    const beside = lines.filter((line) => standsBeside(line, cap));
    const first = beside.reduce<ReadLine | undefined>(
      (top, line) => (top === undefined || line.baseline > top.baseline ? line : top),
      undefined,
    );
    if (first === undefined || beside.length < 2) continue;
    joined.set(cap, undefined);
    // All of these lines begin where the paragraph does: the initial only takes their room.
    for (const line of beside) {
      const box = union([line.box, edgeOf(cap, line)]);
      joined.set(line, { ...line, box, isBesideInitial: line !== first });
    }
    joined.set(first, withInitial(first, cap));
  }
  return lines.flatMap((line) => (joined.has(line) ? (joined.get(line) ?? []) : line));
}

function standsBeside({ box, baseline, sizePoints }: ReadLine, cap: ReadLine): boolean {
  const gap = box.left - cap.box.right;
  const isBeside = gap > -0.5 * sizePoints && gap < 1.5 * sizePoints;
  const isLevel = baseline > cap.baseline - 0.3 * sizePoints && baseline < cap.box.top;
  return isBeside && isLevel && cap.sizePoints > MIN_RATIO * sizePoints;
}

function edgeOf(cap: ReadLine, { box }: ReadLine): ReadLine['box'] {
  return { ...box, left: cap.box.left };
}

function withInitial(line: ReadLine, cap: ReadLine): ReadLine {
  const box = edgeOf(cap, line);
  const { sizePoints } = line;
  const initial = cap.characters.map((member) => {
    const { look } = line.characters[0]?.character ?? member.character;
    return { ...member, character: { ...member.character, box, look, sizePoints } };
  });
  const rest = line.characters.map((member, at) =>
    at === 0 ? { ...member, hasSpaceBefore: false, position: 'normal' as const } : member,
  );
  return { ...line, characters: [...initial, ...rest], box: union([box, line.box]) };
}
