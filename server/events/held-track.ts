/** The in-memory state of one track of a room, and functions on it. */
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
  /** Captions of the last lines, by sequence. */
  captions: Caption[];
  /** Captions among them that followers were not told. */
  unannounced: WeakSet<Caption>;
  followers: Set<CaptionFollower>;
  /** Tail of the track's work queue: changes of a track run one after the other. */
  last: Promise<unknown>;
  /** Number of captions being appended. */
  appending: number;
  /** Whether captions stored by an earlier process have been loaded; `filling` while that is under way. */
  isFilled: boolean;
  filling: Promise<void> | undefined;
  /** Whether the database does not keep up, so that nothing waits for it. */
  isBehind: boolean;
  /** Captions up to this sequence may be missing: there were too many, or they were deleted. */
  incompleteUpTo: number;
  /** Captions up to this sequence were deleted, and so were their translations. */
  deletedUpTo: number;
  /** Whether the database holds more captions. */
  hasMore: boolean;
}

/** Whether a caption, or the caption that it renders, is at or before a sequence. */
export function isAtOrBefore(upTo: number, { renders, sequence }: Caption): boolean {
  return (renders ?? sequence) <= upTo;
}

/** Returns the captions in memory, held or waiting to be written, by sequence. */
export function inMemory({ captions, writer }: HeldTrack): Caption[] {
  if (writer.waiting.length === 0) return captions;
  const known = [...writer.waiting, ...captions];
  const all = new Map(known.map((caption) => [caption.sequence, caption]));
  return [...all.values()].sort((a, b) => a.sequence - b.sequence);
}

/** Whether memory holds every caption after a sequence, without a gap. */
export function reachesBack({ captions: [first] }: HeldTrack, after: number): boolean {
  return first !== undefined && first.sequence <= after;
}

/** Whether a line is among the last lines, or was told to followers. */
export function isNear({ captions, unannounced }: HeldTrack, line: number): boolean {
  if (captions.some((each) => each.line === line && !unannounced.has(each))) return true;
  const later = captions.filter((each) => each.line > line).map((each) => each.line);
  return new Set(later).size < LAST_LINES;
}

/** Drops the oldest lines beyond the limit. */
export function cut(held: HeldTrack): void {
  const { captions, unannounced } = held;
  while (captions.length > MAX_HELD) {
    const oldest = captions.reduce((first, each) => (each.line < first.line ? each : first));
    captions.splice(captions.indexOf(oldest), 1);
    held.hasMore = true;
    if (!unannounced.has(oldest))
      held.incompleteUpTo = Math.max(held.incompleteUpTo, oldest.sequence);
  }
}
