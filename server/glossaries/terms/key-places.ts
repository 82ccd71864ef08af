/**
 * Remembers where keys stand. One Map of a million keys would be copied in a single step each time it
 * grows, for more than 100 ms; many small ones grow one at a time.
 */

const SHARDS = 256;

/** A map from keys to numbers whose every step is short. */
export interface KeyPlaces {
  get(key: string): number | undefined;
  set(key: string, place: number): void;
}

/** Makes an empty map. */
export function createKeyPlaces(): KeyPlaces {
  const shards = Array.from({ length: SHARDS }, () => new Map<string, number>());
  const shardOf = (key: string) => shards[shardNumber(key)] ?? new Map<string, number>();
  return {
    get: (key) => shardOf(key).get(key),
    set: (key, place) => void shardOf(key).set(key, place),
  };
}

/** A few characters from all over the key tell the shard. */
function shardNumber(key: string): number {
  let sum = key.length;
  const stride = Math.max(1, key.length >> 3);
  for (let at = 0; at < key.length; at += stride) {
    sum = (Math.imul(sum, 31) + key.charCodeAt(at)) | 0;
  }
  sum = Math.imul(sum + key.charCodeAt(key.length - 1), 0x9e3779b1);
  return sum >>> 24;
}
