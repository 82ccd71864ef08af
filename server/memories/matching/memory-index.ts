/**
 * The index of a memory: a table of buckets, each with the entries of the keys that fall into it. A
 * bucket is a value of the database, read by its number, so that a search costs the same however
 * large the memory is.
 *
 * An entry is 8 bytes: the low half of a key and the number of a text, little-endian.
 */
import type { MemoryKey } from './memory-keys.ts';

const ENTRY_BYTES = 8;
/** Entries of a bucket on average: a bucket is half a kilobyte to read and compare. */
const ENTRIES_PER_BUCKET = 64;
/**
 * Texts of a key: what more texts than these have in common tells nothing, and would make searches of
 * a large memory long. The last ones are kept, for they are the newest.
 */
const MAX_TEXTS_PER_KEY = 16;
/** Bounds buckets of a memory that was made to have large ones. */
const MAX_ENTRIES_PER_BUCKET = 1_024;
/** Entries between two rests, so that the thread has time for others: some ms. */
const ENTRIES_PER_SLICE = 100_000;
const FIRST_SIZE = 1_024;
const GROWTH = 1.5;
const TWO_TO_32 = 2 ** 32;

/** Lets other work of the thread go on. */
export type Rest = () => Promise<unknown>;

/** Collects the entries of an index; 12 bytes each, 16 while the buckets are made. */
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

  /** How many buckets there will be; 0 for none. */
  get bucketCount(): number {
    return Math.ceil(this.#count / ENTRIES_PER_BUCKET);
  }

  /** The buckets in ascending order, those without entries left out. */
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

  /** Entries by bucket, in the order in which they came (a counting sort), and where each begins. */
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

  /** Of each key the last entries, the very last one first. */
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

/** Which of so many buckets a key is in, by the high half of it. */
export function bucketOfKey(high: number, bucketCount: number): number {
  return Math.floor((high * bucketCount) / TWO_TO_32);
}

/** The numbers of the texts that a bucket has for a key, the newest first. */
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
