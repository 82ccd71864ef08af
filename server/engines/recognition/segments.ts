/** What of a decoder's hypothesis was spoken, and where it can be cut. Pure. */
import type { Word } from '../engine.ts';

const FILLER = /^(?:<.*>|\[.*\]|\+\+.*\+\+)$/;
/** The dictionary numbers its variants of pronunciation: `read(2)`. */
const VARIANT = /\(\d+\)$/;

/** Names in the dictionary that stand for spoken terms, each with the words of its term. */
export type TermWords = ReadonlyMap<string, readonly string[]>;

/** Only the spoken words, without the marks of the dictionary; terms as their words. */
export function spokenWords(segments: readonly Word[], terms: TermWords = new Map()): Word[] {
  return segments.flatMap((segment) => {
    if (FILLER.test(segment.text)) return [];
    const words = terms.get(segment.text);
    if (words !== undefined) return shared(segment, words);
    return [{ ...segment, text: segment.text.replace(VARIANT, '') }];
  });
}

/** Words that share the time of a segment, as many letters as they have. */
function shared({ startMs, endMs }: Word, words: readonly string[]): Word[] {
  const lengthMs = endMs - startMs;
  const letterCount = words.reduce((count, { length }) => count + length, 0);
  let before = 0;
  const timeMs = (): number => Math.round(startMs + (lengthMs * before) / letterCount);
  return words.map((text) => {
    const fromMs = timeMs();
    before += text.length;
    return { text, startMs: fromMs, endMs: timeMs() };
  });
}

/**
 * Where to cut an utterance that does not end, in ms: in the middle of the widest gap between two
 * words that lies within the bounds, of equally wide ones the last. Undefined when there is none.
 */
export function cutPoint(
  words: readonly Word[],
  { earliestMs, latestMs }: { earliestMs: number; latestMs: number },
): number | undefined {
  let cutMs: number | undefined;
  let widestMs = 0;
  for (const [index, { endMs }] of words.entries()) {
    const next = words[index + 1];
    if (next === undefined || endMs < earliestMs || next.startMs > latestMs) continue;
    const gapMs = next.startMs - endMs;
    if (gapMs >= widestMs) {
      widestMs = gapMs;
      cutMs = Math.round((endMs + next.startMs) / 2);
    }
  }
  return cutMs;
}
