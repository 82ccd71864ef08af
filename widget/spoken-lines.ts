/** Which lines of a track are being spoken: the gateway says the text of a segment, not where it stands. */
import type { CaptionLine } from './transcript-state.ts';

/** A place in the concluded text of a track, and the lines up to it that are spoken. */
export interface SpokenLines {
  /** Ids of the first and the last line. */
  readonly first: number;
  readonly last: number;
  /** Letters of the last line that have been reached, blanks left out. */
  readonly reached: number;
}

/**
 * Finds a segment in the lines from a place on. Undefined when it is not there, as after captions
 * were emptied.
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

/** Lines are trimmed and segments carry blanks of their own. */
function letters(text: string): string {
  return text.replace(/\s+/gu, '');
}

/** The line that holds the letter of such a number, counted from 1, and its number in that line. */
function lineAt(contents: readonly string[], number: number): { index: number; reached: number } {
  let before = 0;
  const index = contents.findIndex(({ length }) => {
    if (before + length >= number) return true;
    before += length;
    return false;
  });
  return { index, reached: number - before };
}
