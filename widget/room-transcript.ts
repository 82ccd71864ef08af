/** What was said in a room, as it is shown: lines by their numbers, and what is being said. Pure. */
import type { RoomLine, RoomServerMessage } from '../shared/protocol/room-messages.ts';

/** What is shown in one language, or of what is said itself. */
export interface RoomTranscript {
  /** In the order of their numbers. */
  readonly lines: readonly RoomLine[];
  /** What is being said, and may still change. */
  readonly tentative: string;
}

export interface RoomUpdate {
  transcript: RoomTranscript;
  /** Lines that nobody has seen before and that follow all others: what was just said. */
  added: readonly RoomLine[];
}

export const emptyRoomTranscript: RoomTranscript = { lines: [], tentative: '' };

/** A day of talking; of more, the oldest are let go. */
const MOST_LINES = 10_000;

/** What a message makes of a transcript; those of other languages are not to be passed. */
export function receiveRoomMessage(before: RoomTranscript, message: RoomServerMessage): RoomUpdate {
  if (message.type === 'history') {
    if (message.replaces) {
      // What is being said follows, where there is something.
      return { transcript: { lines: merge([], message.lines).lines, tentative: '' }, added: [] };
    }
    const { lines, added } = merge(before.lines, message.lines);
    return { transcript: { ...before, lines }, added };
  }
  if (message.type !== 'captions') return { transcript: before, added: [] };
  const { lines, added } = merge(before.lines, message.lines);
  return { transcript: { lines, tentative: message.tentative.trim() }, added };
}

/** Nothing is being said any more, as when a room is paused or a connection was lost. */
export function withoutTentative(transcript: RoomTranscript): RoomTranscript {
  return transcript.tentative === '' ? transcript : { ...transcript, tentative: '' };
}

/**
 * Where a new paragraph begins: after a silence, and every few minutes, so that one finds one's way back.
 *
 * @returns the numbers of the lines that begin one
 */
export function paragraphStarts(
  lines: readonly RoomLine[],
  { pauseMs, longestMs }: { pauseMs: number; longestMs: number },
): ReadonlySet<number> {
  const starts = new Set<number>();
  let beganAtMs = Number.NEGATIVE_INFINITY;
  let endedAtMs = Number.NEGATIVE_INFINITY;
  for (const { line, start_time: startMs, end_time: endMs } of lines) {
    if (startMs - endedAtMs >= pauseMs || startMs - beganAtMs >= longestMs) {
      starts.add(line);
      beganAtMs = startMs;
    }
    endedAtMs = endMs;
  }
  return starts;
}

/** Puts lines in their places: by number, the later one of a number instead of the one before. */
function merge(
  before: readonly RoomLine[],
  incoming: readonly RoomLine[],
): { lines: readonly RoomLine[]; added: RoomLine[] } {
  if (incoming.length === 0) return { lines: before, added: [] };
  const lines = [...before];
  const added: RoomLine[] = [];
  for (const line of incoming) {
    const at = placeOf(line.line, lines);
    const isKnown = lines[at]?.line === line.line;
    if (line.text === '') {
      if (isKnown) lines.splice(at, 1);
    } else {
      if (at === lines.length) added.push(line);
      lines.splice(at, isKnown ? 1 : 0, line);
    }
  }
  return { lines: lines.length > MOST_LINES ? lines.slice(-MOST_LINES) : lines, added };
}

/** The place of the first line whose number is not smaller; most come last. */
function placeOf(number: number, lines: readonly RoomLine[]): number {
  const last = lines.at(-1);
  if (last === undefined || last.line < number) return lines.length;
  let [from, to] = [0, lines.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((lines[middle]?.line ?? number) < number) from = middle + 1;
    else to = middle;
  }
  return from;
}
