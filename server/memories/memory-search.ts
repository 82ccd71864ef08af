/** Searches a translation memory for the segments of a request. */
import type { LanguageTag } from '../../shared/language.ts';
import type { MemoryPart, TranslationMemoryStore } from './store.ts';
import { bucketOfKey, textsOfKey, keysToFind, type MemoryKey } from './matching/memory-index.ts';
import {
  normalised,
  readMemoryText,
  type MemoryText,
  matchScore,
  sameNumbers,
  samePlaces,
} from './matching/memory-text.ts';
import { readSegment, withMarksOf, writeSegment } from './matching/memory-unit.ts';
import { repairMarks } from '../text/repair.ts';
import { plainText, type TextSegment } from '../text/text-segment.ts';

/** A pair of the memory that is similar to a segment. */
export interface MemoryMatch {
  /** Score from 0 to 100, see `memory-text.ts`. */
  score: number;
  /** Source and target text, without marks. */
  source: string;
  target: string;
  /** The translation with the segment's marks; undefined if numbers or marks do not agree. */
  translation: TextSegment | undefined;
}

/** A search of one memory for one target language. */
export interface MemorySearch {
  readonly sourceLang: LanguageTag;
  /** Minimum score of a match. */
  readonly threshold: number;
  /**
   * Returns the matches of each segment, the best first; empty if nothing is similar enough.
   *
   * @throws the signal's reason, before anything else is read
   */
  find(segments: readonly TextSegment[], signal: AbortSignal): Promise<MemoryMatch[][]>;
}

/** Segments looked up together: keeps the computation between two reads within a few ms. */
const SEGMENTS_PER_LOOKUP = 16;
/** Maximum number of buckets or pairs per query. */
const MAX_NUMBERS = 1_000;
/** Maximum number of pairs scored: those with the most keys in common with the segment. */
const MAX_CANDIDATES = 24;
/** Maximum number of matches per segment. */
const MAX_MATCHES = 2;

export interface MemorySearchOptions {
  memories: Pick<TranslationMemoryStore, 'buckets' | 'segments'>;
  part: MemoryPart;
  sourceLang: LanguageTag;
  threshold: number;
}

export function createMemorySearch(options: MemorySearchOptions): MemorySearch {
  const { sourceLang, threshold } = options;
  return {
    sourceLang,
    threshold,
    async find(segments, signal) {
      const found: MemoryMatch[][] = [];
      for (let start = 0; start < segments.length; start += SEGMENTS_PER_LOOKUP) {
        const some = segments.slice(start, start + SEGMENTS_PER_LOOKUP);
        found.push(...(await lookUp(some, { ...options, signal })));
      }
      return found;
    },
  };
}

/** Looks up several segments with two reads: the buckets of their keys, then the candidate pairs. */
async function lookUp(
  segments: readonly TextSegment[],
  {
    memories,
    part: { partId, bucketCount },
    threshold,
    signal,
  }: MemorySearchOptions & { signal: AbortSignal },
): Promise<MemoryMatch[][]> {
  signal.throwIfAborted();
  if (bucketCount === 0) return segments.map(() => []);
  const queries = segments.map((segment) => {
    const text = readMemoryText(segment);
    return { segment, text, keys: keysToFind(text, threshold) };
  });
  const wanted = queries.flatMap(({ keys }) =>
    keys.map(({ high }) => bucketOfKey(high, bucketCount)),
  );
  const buckets = new Map(
    (await readAll(wanted, (numbers) => memories.buckets(partId, numbers), signal)).map((each) => [
      each.bucket,
      each.entries,
    ]),
  );
  const candidates = queries.map(({ keys }) => candidatesOf(keys, buckets, bucketCount));
  const pairs = new Map(
    (await readAll(candidates.flat(), (numbers) => memories.segments(partId, numbers), signal)).map(
      (pair) => [pair.number, pair],
    ),
  );
  return queries.map(({ segment, text }, index) => {
    const own = (candidates[index] ?? []).map((number) => pairs.get(number));
    const there = own.filter((pair) => pair !== undefined);
    return bestOf(segment, text, there, threshold);
  });
}

/** Reads each number once, in batches of the size that the store accepts. */
async function readAll<Row>(
  numbers: readonly number[],
  read: (numbers: readonly number[]) => Promise<Row[]>,
  signal: AbortSignal,
): Promise<Row[]> {
  const all = [...new Set(numbers)];
  const rows: Row[] = [];
  for (let start = 0; start < all.length; start += MAX_NUMBERS) {
    signal.throwIfAborted();
    rows.push(...(await read(all.slice(start, start + MAX_NUMBERS))));
  }
  return rows;
}

/**
 * Returns the numbers of the pairs with the most keys in common. A key counts for more if few pairs have it,
 * and pairs with the exact key, the first one, precede all others.
 */
function candidatesOf(
  keys: readonly MemoryKey[],
  buckets: ReadonlyMap<number, Uint8Array>,
  bucketCount: number,
): number[] {
  const weights = new Map<number, number>();
  for (const [index, { high, low }] of keys.entries()) {
    const entries = buckets.get(bucketOfKey(high, bucketCount));
    if (entries === undefined) continue;
    const numbers = textsOfKey(entries, low);
    const weight = index === 0 ? keys.length : 1 / numbers.length;
    for (const number of numbers) weights.set(number, (weights.get(number) ?? 0) + weight);
  }
  return [...weights]
    .sort(([one, ownWeight], [other, otherWeight]) => otherWeight - ownWeight || other - one)
    .slice(0, MAX_CANDIDATES)
    .map(([number]) => number);
}

function bestOf(
  segment: TextSegment,
  text: MemoryText,
  pairs: readonly { number: number; source: string; target: string }[],
  threshold: number,
): MemoryMatch[] {
  const written = normalised(writeSegment(segment));
  const scored = pairs.map(({ number, source, target }) => {
    const kept = readSegment(source);
    const keptText = readMemoryText(kept);
    const isSame = normalised(source) === written;
    const score = isSame ? 100 : matchScore(text, keptText, threshold);
    return { number, score, target: readSegment(target), kept, keptText };
  });
  return scored
    .filter(({ score }) => score > 0 && score >= threshold)
    .sort((one, other) => other.score - one.score || other.number - one.number)
    .slice(0, MAX_MATCHES)
    .map(({ score, target, kept, keptText }) => ({
      score,
      source: keptText.text,
      target: normalised(plainText(target)),
      translation:
        sameNumbers(text, keptText) &&
        text.marks === keptText.marks &&
        (text.marks === '' || samePlaces(segment, kept))
          ? withBlanksOf(segment, repairMarks(segment, withMarksOf(target, segment)))
          : undefined,
    }));
}

/** Gives the translation the whitespace that the segment has at both ends, in place of its own. */
function withBlanksOf(segment: TextSegment, translation: TextSegment): TextSegment {
  const [first, last] = [segment[0], segment.at(-1)];
  const before =
    typeof first === 'string' ? first.slice(0, -first.trimStart().length || undefined) : '';
  const after = typeof last === 'string' ? last.slice(last.trimEnd().length) : '';
  const bare = [...translation];
  const start = bare[0];
  if (typeof start === 'string') bare[0] = start.trimStart();
  const end = bare.at(-1);
  if (typeof end === 'string') bare[bare.length - 1] = end.trimEnd();
  return [before, ...bare, after].filter((part) => part !== '');
}
