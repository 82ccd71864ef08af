/**
 * Feeds the pieces of segments to an engine as it takes them: neither time nor memory is spent on what
 * is not yet its turn, and the thread that also carries live audio is never held for long.
 */
import type { TextSegment } from '../../text/text-segment.ts';
import { joinPieces, splitSegment, withoutSeams, type SegmentPiece } from './segment-pieces.ts';
import type { TextCutting } from './text-pieces.ts';

/** Pieces of one call under way: enough for two pipelines in a row, each kept busy by 16. */
const MAX_UNDER_WAY = 32;
/** What a call may cut before it lets other work go on, in UTF-16 units: less than 1 ms. */
const TURN_LENGTH = 2_048;

export interface PieceFeed extends TextCutting {
  segments: readonly TextSegment[];
  /** Must reject soon once `call` is aborted. */
  translatePiece: (content: SegmentPiece['content']) => Promise<SegmentPiece['content']>;
  /** Aborted with the first failure of a piece; ends the feed when it is aborted from outside. */
  call: AbortController;
}

/**
 * Translates segments piece by piece, in order, and joins what comes back to one answer per segment.
 *
 * @throws the reason of the abort, or what the first piece that failed was rejected with
 */
export async function feedPieces({
  segments,
  translatePiece,
  call,
  ...cutting
}: PieceFeed): Promise<TextSegment[]> {
  const answers: SegmentPiece['content'][][] = segments.map(() => []);
  // A ring: the engine answers a call in order, so that the oldest piece makes room first.
  const underWay: Promise<void>[] = [];
  let pieceCount = 0;
  let turnLength = 0;
  for (const [i, parts] of answers.entries()) {
    for (const piece of splitSegment(segments[i] ?? [], cutting)) {
      const { seams } = piece;
      const place = parts.push(seams ? withoutSeams(piece.content, seams) : piece.content) - 1;
      turnLength += piece.length;
      if (piece.translatable) {
        const slot = pieceCount++ % MAX_UNDER_WAY;
        // Not even a microtask while there is room: a caption is sent at once.
        if (pieceCount > MAX_UNDER_WAY) await underWay[slot];
        const translated = translatePiece(piece.content).then((answer) => {
          parts[place] = seams ? withoutSeams(answer, seams) : answer;
        });
        // The pieces that nobody awaits at that moment fail with it, and so they are handled here.
        translated.catch((error: unknown) => call.abort(error));
        underWay[slot] = translated;
      }
      if (turnLength >= TURN_LENGTH) {
        await nextTurn();
        call.signal.throwIfAborted();
        turnLength = 0;
      }
    }
  }
  await Promise.all(underWay);
  return answers.map(joinPieces);
}

/** Calls that wait for their turn, first come, first served. */
const waiting: (() => void)[] = [];

/**
 * Resolves after the event loop has gone round. All calls of the process share one turn per round:
 * with a turn each, a hundred calls at once would hold the thread a hundred times as long.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(startTurn);
  });
}

function startTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startTurn);
}
