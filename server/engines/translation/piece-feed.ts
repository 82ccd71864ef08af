/**
 * Feeds the pieces of texts to an engine as it takes them: neither time nor memory is spent on what
 * is not yet its turn, and the thread that also carries live audio is never held for long.
 */
import { splitText } from './text-pieces.ts';

/** Pieces of one call under way: enough for two pipelines in a row, each kept busy by 16. */
const MAX_UNDER_WAY = 32;
/** What a call may cut before it lets other work go on, in UTF-16 units: less than 1 ms. */
const TURN_LENGTH = 2_048;

export interface PieceFeed {
  texts: readonly string[];
  /** Language of the texts, whose rules tell where sentences end. */
  language: string;
  /** Longest piece, in UTF-16 units. */
  maxLength: number;
  /** Must reject soon once `call` is aborted. */
  translatePiece: (text: string) => Promise<string>;
  /** Aborted with the first failure of a piece; ends the feed when it is aborted from outside. */
  call: AbortController;
}

/**
 * Translates texts piece by piece, in order, and joins what comes back to one answer per text.
 *
 * @throws the reason of the abort, or what the first piece that failed was rejected with
 */
export async function feedPieces({
  texts,
  language,
  maxLength,
  translatePiece,
  call,
}: PieceFeed): Promise<string[]> {
  const answers: string[][] = texts.map(() => []);
  // A ring: the engine answers a call in order, so that the oldest piece makes room first.
  const underWay: Promise<void>[] = [];
  let pieceCount = 0;
  let turnLength = 0;
  for (const [i, parts] of answers.entries()) {
    for (const piece of splitText({ text: texts[i] ?? '', language, maxLength })) {
      const place = parts.push(piece.text) - 1;
      turnLength += piece.text.length;
      if (piece.translatable) {
        const slot = pieceCount++ % MAX_UNDER_WAY;
        // Not even a microtask while there is room: a caption is sent at once.
        if (pieceCount > MAX_UNDER_WAY) await underWay[slot];
        const translated = translatePiece(piece.text).then((answer) => {
          parts[place] = answer;
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
  return answers.map((parts) => parts.join(''));
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
