/** Lists of words in little memory: sorted numbers, of which the highest bits are a word's hash. */

/** 32 bits: of a hundred thousand words, one in 40,000 is taken for one that it is not. */
export function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Where the first of sorted numbers stands that is not below another; their count where all are. */
export function firstFrom(sorted: Float64Array | Uint32Array, least: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
