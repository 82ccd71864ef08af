/**
 * The index of a memory: a hash table whose buckets are rows of the database, read by number, so that the
 * cost of a search does not depend on the size of the memory.
 *
 * An entry takes 8 bytes: the low half of a key and the number of a text, little-endian.
 */
import { MAX_WORDS, type MemoryText } from './memory-text.ts';

const ENTRY_BYTES = 8;
/** Average entries per bucket: half a kilobyte to read and compare. */
const ENTRIES_PER_BUCKET = 64;
/**
 * Maximum number of texts per key. What more texts have in common is not distinctive, and would slow down
 * searches of large memories. The newest are kept.
 */
const MAX_TEXTS_PER_KEY = 16;
/** Bounds the buckets of a memory crafted to have large ones. */
const MAX_ENTRIES_PER_BUCKET = 1_024;
/** Entries processed between two pauses that let the thread do other work: a few ms. */
const ENTRIES_PER_SLICE = 100_000;
const FIRST_SIZE = 1_024;
const GROWTH = 1.5;
const TWO_TO_32 = 2 ** 32;

/** Lets other work of the thread proceed. */
type Rest = () => Promise<unknown>;

/** Collects the entries of an index, using 12 bytes each, and 16 while the buckets are built. */
export class MemoryIndexBuilder {
  #high = new Uint32Array(FIRST_SIZE);
  #low = new Uint32Array(FIRST_SIZE);
  #texts = new Uint32Array(FIRST_SIZE);
  #count = 0;

  add(keys: readonly MemoryKey[], textNumber: number): void {
    if (this.#count + keys.length > this.#high.length) this.#grow(keys.length);
    for (const { high, low } of keys) {
      this.#high[this.#count] = high;
      this.#low[this.#count] = low;
      this.#texts[this.#count] = textNumber;
      this.#count += 1;
    }
  }

  /** Number of buckets of the finished index; 0 if there are no entries. */
  get bucketCount(): number {
    return Math.ceil(this.#count / ENTRIES_PER_BUCKET);
  }

  /** Yields the buckets in ascending order, without empty ones. */
  async *buckets(rest: Rest): AsyncGenerator<{ bucket: number; entries: Uint8Array }> {
    const { starts, order } = await this.#sortedByBucket(rest);
    let sinceRest = 0;
    for (let bucket = 0; bucket < starts.length - 1; bucket += 1) {
      const own = order.subarray(starts[bucket], starts[bucket + 1]);
      if (own.length === 0) continue;
      yield { bucket, entries: this.#written(this.#kept(own)) };
      sinceRest += own.length;
      if (sinceRest < ENTRIES_PER_SLICE) continue;
      sinceRest = 0;
      await rest();
    }
  }

  #grow(more: number): void {
    const size = Math.ceil(Math.max(this.#high.length * GROWTH, this.#count + more));
    this.#high = grown(this.#high, size);
    this.#low = grown(this.#low, size);
    this.#texts = grown(this.#texts, size);
  }

  /** Sorts entries by bucket, stably (a counting sort), and returns where each bucket begins. */
  async #sortedByBucket(rest: Rest): Promise<{ starts: Uint32Array; order: Uint32Array }> {
    const { bucketCount } = this;
    const starts = new Uint32Array(bucketCount + 1);
    const order = new Uint32Array(this.#count);
    await this.#forEach(bucketCount, rest, (bucket) => {
      starts[bucket + 1] = (starts[bucket + 1] ?? 0) + 1;
    });
    for (let bucket = 1; bucket < starts.length; bucket += 1) {
      starts[bucket] = (starts[bucket] ?? 0) + (starts[bucket - 1] ?? 0);
    }
    const next = starts.slice();
    await this.#forEach(bucketCount, rest, (bucket, entry) => {
      const place = next[bucket] ?? 0;
      order[place] = entry;
      next[bucket] = place + 1;
    });
    return { starts, order };
  }

  async #forEach(
    bucketCount: number,
    rest: Rest,
    visit: (bucket: number, entry: number) => void,
  ): Promise<void> {
    for (let entry = 0; entry < this.#count; entry += 1) {
      visit(bucketOfKey(this.#high[entry] ?? 0, bucketCount), entry);
      if (entry % ENTRIES_PER_SLICE === ENTRIES_PER_SLICE - 1) await rest();
    }
  }

  /** Returns the newest entries of each key, the very newest first. */
  #kept(entries: Uint32Array): number[] {
    const kept: number[] = [];
    const counts = new Map<number, number>();
    for (let index = entries.length - 1; index >= 0; index -= 1) {
      const entry = entries[index] ?? 0;
      const key = this.#low[entry] ?? 0;
      const count = counts.get(key) ?? 0;
      if (count >= MAX_TEXTS_PER_KEY) continue;
      counts.set(key, count + 1);
      kept.push(entry);
      if (kept.length >= MAX_ENTRIES_PER_BUCKET) break;
    }
    return kept;
  }

  #written(entries: readonly number[]): Uint8Array {
    const bytes = new Uint8Array(entries.length * ENTRY_BYTES);
    const view = new DataView(bytes.buffer);
    for (const [index, entry] of entries.entries()) {
      view.setUint32(index * ENTRY_BYTES, this.#low[entry] ?? 0, true);
      view.setUint32(index * ENTRY_BYTES + 4, this.#texts[entry] ?? 0, true);
    }
    return bytes;
  }
}

/** Returns the bucket of a key, by the high half of the key. */
export function bucketOfKey(high: number, bucketCount: number): number {
  return Math.floor((high * bucketCount) / TWO_TO_32);
}

/** Returns the numbers of a key's texts in its bucket, the newest first. */
export function textsOfKey(entries: Uint8Array, low: number): number[] {
  const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength);
  const numbers: number[] = [];
  for (let at = 0; at + ENTRY_BYTES <= entries.byteLength; at += ENTRY_BYTES) {
    if (view.getUint32(at, true) === low) numbers.push(view.getUint32(at + 4, true));
  }
  return numbers;
}

function grown(array: Uint32Array<ArrayBuffer>, size: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(size);
  larger.set(array);
  return larger;
}

// Keys by which similar texts find each other. A stored text is cut into pieces of words, each with a key of
// its words, its place among the pieces, and the length of the text. A search computes the keys that similar
// texts may share with its own text: if few words differ, some piece is unchanged (the pigeonhole principle),
// and has moved only as far as words can have been added or removed on either side (PassJoin, Li et al.,
// 2011). The number of keys read thus depends on the length of the text, not on the size of the memory.

/** A 64-bit key in two halves: `high` determines the bucket, `low` is stored there. */
export interface MemoryKey {
  high: number;
  low: number;
}

/** Texts that are less similar are found only by chance. */
export const FOUND_FROM_SCORE = 75;
/** Minimum share of common words: less is of no use, and would need too many keys. */
const LEAST_SHARE = 0.5;
/** Maximum number of pieces; more would have to be looked for in too many places. */
const MAX_PIECES = 8;

/** Returns the keys under which a text is stored: about a third as many as its words. */
export function keysOfText(text: MemoryText): MemoryKey[] {
  const keys = [exactKey(text)];
  const length = text.words.length;
  if (length === 0 || length > MAX_WORDS) return keys;
  const hashes = hashesOf(text.words);
  for (const pieces of dissections(length)) {
    for (let piece = 0; piece < pieces; piece += 1) {
      const start = borderOf(piece, pieces, length);
      const end = borderOf(piece + 1, pieces, length);
      keys.push(pieceKey(hashes, { start, end, length, pieces, piece }));
    }
  }
  return keys;
}

/**
 * Returns the keys under which similar texts are stored, the exact key first. They find all texts of up to 24
 * words with a score of {@link FOUND_FROM_SCORE} or more; of longer texts, all with up to seven changed
 * words, and most with more.
 */
export function keysToFind(text: MemoryText, threshold: number): MemoryKey[] {
  const keys = [exactKey(text)];
  const count = text.words.length;
  if (threshold >= 100 || count === 0 || count > MAX_WORDS) return keys;
  const share = Math.max(LEAST_SHARE, threshold / 100);
  const hashes = hashesOf(text.words);
  const longest = Math.min(MAX_WORDS, Math.floor(count / share));
  for (let length = Math.ceil(count * share); length <= longest; length += 1) {
    for (const pieces of dissections(length)) addKeysOf(keys, hashes, { length, pieces });
  }
  return keys;
}

/** Returns the key of the text as a whole. */
function exactKey({ text, marks }: MemoryText): MemoryKey {
  const whole = `${marks}\0${text}`;
  return { high: hashOf(whole, 0x51ed270b), low: hashOf(whole, 0x2f6b1d93) };
}

/**
 * Returns the numbers of pieces that a text is cut into: one, two, and as many as guarantee a score of 75.
 */
function dissections(length: number): number[] {
  // At a score of 75, a text of n words has at most n ÷ 3 words added or n ÷ 4 changed.
  const pieces = Math.min(Math.floor(length / 3) + 1, MAX_PIECES);
  return [...new Set([1, Math.min(2, length), pieces])];
}

function borderOf(piece: number, pieces: number, length: number): number {
  return Math.floor((piece * length) / pieces);
}

/** Adds the keys that texts of a given length may share with the words. */
function addKeysOf(
  keys: MemoryKey[],
  hashes: WordHashes,
  { length, pieces }: { length: number; pieces: number },
): void {
  const added = hashes.high.length - length;
  for (let piece = 0; piece < pieces; piece += 1) {
    const start = borderOf(piece, pieces, length);
    const end = borderOf(piece + 1, pieces, length);
    const after = pieces - 1 - piece;
    const first = Math.max(-piece, added - after, -start);
    const last = Math.min(piece, added + after, hashes.high.length - end);
    for (let shift = first; shift <= last; shift += 1) {
      const place = { start: start + shift, end: end + shift };
      keys.push(pieceKey(hashes, { ...place, length, pieces, piece }));
    }
  }
}

interface WordHashes {
  high: Uint32Array;
  low: Uint32Array;
}

function hashesOf(words: readonly string[]): WordHashes {
  const high = new Uint32Array(words.length);
  const low = new Uint32Array(words.length);
  for (const [index, word] of words.entries()) {
    high[index] = hashOf(word, 0x811c9dc5);
    low[index] = hashOf(word, 0x7a3f51c7);
  }
  return { high, low };
}

interface Piece {
  /** Range of its words. */
  start: number;
  end: number;
  /** Words of the whole text, number of its pieces, and index of this piece. */
  length: number;
  pieces: number;
  piece: number;
}

function pieceKey(hashes: WordHashes, { start, end, length, pieces, piece }: Piece): MemoryKey {
  const seed = (length << 8) | (pieces << 4) | piece;
  let high = mixed(seed, 0x3c6ef372);
  let low = mixed(seed, 0x1b873593);
  for (let index = start; index < end; index += 1) {
    high = mixed(high, hashes.high[index] ?? 0);
    low = mixed(low, hashes.low[index] ?? 0);
  }
  return { high: finished(high), low: finished(low) };
}

/** FNV-1a over UTF-16 units, with a seed. */
function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return finished(hash);
}

function mixed(hash: number, value: number): number {
  const product = Math.imul(hash ^ value, 0x9e3779b1);
  return (product << 13) | (product >>> 19);
}

/** Final mix of MurmurHash3: every input bit affects every output bit. */
function finished(hash: number): number {
  let bits = hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
