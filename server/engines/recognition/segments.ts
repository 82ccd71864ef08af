/** What of a decoder's hypothesis was spoken, and where it can be cut. Pure. */
import type { Word } from '../engine.ts';

const FILLER = /^(?:<.*>|\[.*\]|\+\+.*\+\+)$/;
/** The dictionary numbers its variants of pronunciation: `read(2)`. */
const VARIANT = /\(\d+\)$/;

/** Only the spoken words, without the marks of the dictionary. */
export function spokenWords(segments: readonly Word[]): Word[] {
  return segments
    .filter(({ text }) => !FILLER.test(text))
    .map((segment) => ({ ...segment, text: segment.text.replace(VARIANT, '') }));
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
