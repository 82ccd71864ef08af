/**
 * A compact form of the n-gram table of the package eld, for the bundle: sorted arrays of 1.3 MB, instead of
 * 30 MB for nested objects and 4 MB for the source text. The package reads the table as before.
 */
import { readFileSync } from 'node:fs';
import { firstFrom } from '../../text/words/dictionary-words.ts';

/** Scores of each n-gram, by language index. */
export type Ngrams = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Letters of the longest n-gram: a number represents this many bytes exactly. */
const MAX_LENGTH = 6;
const MAX_BYTE = 255;
/** Located beside the bundle of this module. */
const FILE = new URL('./ngrams.bin', import.meta.url);

/**
 * Encodes the table as a file: the number of n-grams, their sorted keys, the start of each n-gram's
 * languages, and then the languages and scores of all.
 *
 * @throws RangeError for an n-gram or value that does not fit
 */
export function encodeNgrams(ngrams: Ngrams): Uint8Array {
  const entries = Object.entries(ngrams)
    .map(([ngram, scores]) => ({ key: keyOf(ngram), scores: Object.entries(scores) }))
    .sort((one, other) => one.key - other.key);
  if (entries.some(({ key }) => Number.isNaN(key))) throw new RangeError('An n-gram is too long.');
  const pairs = entries.flatMap(({ scores }) => scores);
  const starts = new Uint32Array(entries.length + 1);
  for (const [i, { scores }] of entries.entries()) starts[i + 1] = (starts[i] ?? 0) + scores.length;
  const arrays = [
    Float64Array.of(entries.length),
    Float64Array.from(entries, ({ key }) => key),
    starts,
    Uint8Array.from(pairs, ([language]) => byte(Number(language))),
    Uint8Array.from(pairs, ([, score]) => byte(score)),
  ];
  return Buffer.concat(arrays.map((array) => new Uint8Array(array.buffer)));
}

/** Reads the bundled table. It supports lookups of single n-grams only, as the package does. */
export function readNgrams(): Ngrams {
  return decodeNgrams(readFileSync(FILE));
}

export function decodeNgrams(file: Uint8Array): Ngrams {
  // A copy in its own memory, so that the numbers are aligned.
  const { buffer } = Uint8Array.from(file);
  const [count = 0] = new Float64Array(buffer, 0, 1);
  const keys = new Float64Array(buffer, Float64Array.BYTES_PER_ELEMENT, count);
  const starts = new Uint32Array(buffer, keys.byteOffset + keys.byteLength, count + 1);
  const pairs = starts[count] ?? 0;
  const languages = new Uint8Array(buffer, starts.byteOffset + starts.byteLength, pairs);
  const scores = new Uint8Array(buffer, languages.byteOffset + pairs, pairs);

  const scoresOf = (ngram: string) => {
    const key = keyOf(ngram);
    const place = firstFrom(keys, key);
    if (keys[place] !== key) return undefined;
    const own: Record<number, number> = {};
    for (let at = starts[place] ?? 0; at < (starts[place + 1] ?? 0); at += 1)
      own[languages[at] ?? 0] = scores[at] ?? 0;
    return own;
  };
  // The package accesses the table as an object.
  return new Proxy<Ngrams>({}, { get: (_, ngram) => scoresOf(String(ngram)) });
}

/** Packs an n-gram into a unique number of up to six bytes; NaN for anything else. */
function keyOf(ngram: string): number {
  if (ngram.length > MAX_LENGTH) return NaN;
  let key = 0;
  for (let i = 0; i < ngram.length; i += 1) {
    const code = ngram.charCodeAt(i);
    key = code > MAX_BYTE ? NaN : key * (MAX_BYTE + 1) + code;
  }
  return key;
}

function byte(value: number): number {
  if (value >= 0 && value <= MAX_BYTE) return value;
  throw new RangeError(`${value} is no byte.`);
}
