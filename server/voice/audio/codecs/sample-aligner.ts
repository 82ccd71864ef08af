/**
 * Makes chunks of s16le cut anywhere into chunks of whole samples: a byte that is left over goes in
 * front of the next chunk. A chunk that is whole already is returned as it is, not copied.
 */
export function createSampleAligner(): (chunk: Uint8Array) => Uint8Array {
  let half: number | undefined;
  return (chunk) => {
    if (half === undefined && chunk.length % 2 === 0) return chunk;
    const carried = half === undefined ? [] : [half];
    const whole = new Uint8Array((carried.length + chunk.length) & ~1);
    if (whole.length === 0) {
      half ??= chunk[0];
      return whole;
    }
    whole.set(carried);
    const taken = whole.length - carried.length;
    whole.set(chunk.subarray(0, taken), carried.length);
    half = chunk[taken];
    return whole;
  };
}
