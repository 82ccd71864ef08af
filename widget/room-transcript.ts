/** Transcript of a room: lines by their numbers, plus the tentative text. Pure functions. */
import type { RoomLine, RoomServerMessage } from '../shared/protocol/room-messages.ts';

/** Transcript of one track: a language, or the untranslated one. */
export interface RoomTranscript {
  /** In order of their numbers. */
  readonly lines: readonly RoomLine[];
  /** Text that is being spoken and may still change. */
  readonly tentative: string;
}

export interface RoomUpdate {
  transcript: RoomTranscript;
  /** New lines that follow all others, so they have just been spoken. */
  added: readonly RoomLine[];
}

export const emptyRoomTranscript: RoomTranscript = { lines: [], tentative: '' };

/** Most lines kept, a day of speech; beyond that the oldest are dropped. */
const MOST_LINES = 10_000;

/** Applies a message to a transcript. The caller passes messages of its own language only. */
export function receiveRoomMessage(before: RoomTranscript, message: RoomServerMessage): RoomUpdate {
  if (message.type === 'history') {
    if (message.replaces) {
      // The tentative text, if any, follows in the next message.
      return { transcript: { lines: merge([], message.lines).lines, tentative: '' }, added: [] };
    }
    const { lines, added } = merge(before.lines, message.lines);
    return { transcript: { ...before, lines }, added };
  }
  if (message.type !== 'captions') return { transcript: before, added: [] };
  const { lines, added } = merge(before.lines, message.lines);
  return { transcript: { lines, tentative: message.tentative.trim() }, added };
}

/** Removes the tentative text, as when a room is paused or a connection is lost. */
export function withoutTentative(transcript: RoomTranscript): RoomTranscript {
  return transcript.tentative === '' ? transcript : { ...transcript, tentative: '' };
}

/**
 * Finds the lines that begin a paragraph: after a silence, and every few minutes as landmarks for the reader.
 *
 * @returns the numbers of these lines
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

/** Inserts lines by number; a later version replaces the line of the same number. */
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

/** Returns the index of the first line whose number is not smaller. Most lines come last. */
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
