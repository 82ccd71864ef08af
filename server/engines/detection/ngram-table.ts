/**
 * The n-gram table of the package eld as the bundle has it: in sorted arrays, of 1.3 MB, where an object of
 * small objects takes 30 and the text that it is read from 4 more. What the package makes of it stays.
 */
import { readFileSync } from 'node:fs';
import { firstFrom } from '../../text/words/dictionary-words.ts';

/** How much each n-gram speaks for the languages, by their indices. */
export type Ngrams = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Letters of the longest n-gram: as many bytes are exact in a number. */
const MAX_LENGTH = 6;
const MAX_BYTE = 255;
/** Beside the bundle of this module. */
const FILE = new URL('./ngrams.bin', import.meta.url);

/**
 * The table as a file: the number of n-grams, their keys in order, where the languages of each begin, and of
 * all of them the languages and the scores.
 *
 * @throws RangeError for what does not fit
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

/** The table of the bundle. Asked for one n-gram at a time, as the package does. */
export function readNgrams(): Ngrams {
  return decodeNgrams(readFileSync(FILE));
}

export function decodeNgrams(file: Uint8Array): Ngrams {
  // Memory of its own, in which numbers stand where they may.
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
  // The package reads it as an object.
  return new Proxy<Ngrams>({}, { get: (_, ngram) => scoresOf(String(ngram)) });
}

/** Six bytes in a number, which no other n-gram has; NaN for what is none. */
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
