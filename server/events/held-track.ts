/** One track of a room as it is held in memory. */
import {
  LAST_LINES,
  MAX_HELD,
  type Caption,
  type CaptionFollower,
  type CaptionTrack,
} from './caption-log.ts';
import type { CaptionWriter } from './caption-writer.ts';

export interface HeldTrack {
  readonly track: CaptionTrack;
  readonly writer: CaptionWriter;
  /** Those of the last lines, by sequence. */
  captions: Caption[];
  /** Those of them that nobody was told. */
  untold: WeakSet<Caption>;
  followers: Set<CaptionFollower>;
  /** What changes a track is done one after the other. */
  last: Promise<unknown>;
  /** Captions that are being appended. */
  appending: number;
  /** Whether what a process before this one has kept was read; under way. */
  isFilled: boolean;
  filling: Promise<void> | undefined;
  /** Whether the database does not keep up, and is not waited for. */
  isBehind: boolean;
  /** What came up to this sequence is not held: there was too much, or it was deleted. */
  cutAt: number;
  /** What was said up to this sequence was deleted, also what renders it. */
  deletedUpTo: number;
  /** Whether there is more in the database. */
  hasMore: boolean;
}

/** Whether a caption was said, or renders what was said, up to a sequence. */
export function isOf(upTo: number, { renders, sequence }: Caption): boolean {
  return (renders ?? sequence) <= upTo;
}

/** What the database may not have, by sequence. */
export function inMemory({ captions, writer }: HeldTrack): Caption[] {
  if (writer.waiting.length === 0) return captions;
  const known = [...writer.waiting, ...captions];
  const all = new Map(known.map((caption) => [caption.sequence, caption]));
  return [...all.values()].sort((a, b) => a.sequence - b.sequence);
}

/** Whether what came after a sequence is held, with no gap before it. */
export function reachesBack({ captions: [first] }: HeldTrack, after: number): boolean {
  return first !== undefined && first.sequence <= after;
}

/** Whether a line is one of the last, or one that followers were told. */
export function isNear({ captions, untold }: HeldTrack, line: number): boolean {
  if (captions.some((each) => each.line === line && !untold.has(each))) return true;
  const later = captions.filter((each) => each.line > line).map((each) => each.line);
  return new Set(later).size < LAST_LINES;
}

/** Lets go of what was said longest ago. */
export function cut(held: HeldTrack): void {
  const { captions, untold } = held;
  while (captions.length > MAX_HELD) {
    const oldest = captions.reduce((first, each) => (each.line < first.line ? each : first));
    captions.splice(captions.indexOf(oldest), 1);
    held.hasMore = true;
    if (!untold.has(oldest)) held.cutAt = Math.max(held.cutAt, oldest.sequence);
  }
}
