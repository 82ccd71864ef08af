/**
 * Finds the lines of a track whose speech is playing: the gateway sends a segment's text, not its position.
 */
import type { CaptionLine } from './transcript-state.ts';

/** Lines that a spoken segment covers, and the position in the last one at which it ends. */
export interface SpokenLines {
  /** Ids of the first and the last line. */
  readonly first: number;
  readonly last: number;
  /** Characters of the last line that were reached, not counting white space. */
  readonly reached: number;
}

/**
 * Finds a segment in the lines, searching from the previous position. Returns undefined if the text is not
 * found, as after the captions were cleared.
 */
export function findSpokenLines(
  lines: readonly CaptionLine[],
  text: string,
  from?: SpokenLines,
): SpokenLines | undefined {
  const begin = lines.findLastIndex(({ id }) => id <= (from?.last ?? -1));
  const rest = lines.slice(Math.max(0, begin));
  const contents = rest.map(({ concluded }) => letters(concluded));
  const wanted = letters(text);
  const whole = contents.join('');
  const isFromHere = rest[0]?.id === from?.last;
  const start = whole.indexOf(wanted, isFromHere ? from?.reached : 0);
  if (start < 0 || wanted === '') return undefined;
  const first = lineAt(contents, start + 1);
  const last = lineAt(contents, start + wanted.length);
  const firstLine = rest[first.index];
  const lastLine = rest[last.index];
  if (firstLine === undefined || lastLine === undefined) return undefined;
  return { first: firstLine.id, last: lastLine.id, reached: last.reached };
}

/** Strips white space: lines are trimmed, and segments carry blanks of their own. */
function letters(text: string): string {
  return text.replace(/\s+/gu, '');
}

/** Returns the line that holds the nth character, counted from 1, and the position within that line. */
function lineAt(contents: readonly string[], number: number): { index: number; reached: number } {
  let before = 0;
  const index = contents.findIndex(({ length }) => {
    if (before + length >= number) return true;
    before += length;
    return false;
  });
  return { index, reached: number - before };
}
