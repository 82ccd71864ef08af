/**
 * Looks over MessagePack before it is decoded, which takes no memory and half a microsecond for a
 * message: decoding makes an object for each level and each value, however little they say.
 * Format: https://github.com/msgpack/msgpack/blob/master/spec.md
 */

/** Lists and maps in each other; messages have two. */
export const MAX_DEPTH = 32;
/** Of a frame, keys and fields nobody knows included; messages have five. */
export const MAX_VALUES = 1024;

/** Values still to come, at each level. */
const left = new Uint32Array(MAX_DEPTH + 1);

/**
 * Whether what a frame holds is at most {@link MAX_DEPTH} deep and {@link MAX_VALUES} many. Frames that
 * are no MessagePack, or cut short, are left to the decoder: nothing is looked at past where it stops.
 */
export function isShallow(frame: Uint8Array): boolean {
  let depth = 0;
  let values = 0;
  left[0] = 1;
  for (let at = 0; at < frame.length;) {
    values += 1;
    if (values > MAX_VALUES) return false;
    const head = frame[at] ?? 0;
    const children = childrenAt(frame, at, head);
    at += sizeAt(frame, at, head);
    left[depth] = (left[depth] ?? 0) - 1;
    if (children > 0) {
      depth += 1;
      if (depth > MAX_DEPTH) return false;
      left[depth] = children;
    }
    while (left[depth] === 0) {
      if (depth === 0) return true;
      depth -= 1;
    }
  }
  return true;
}

/** Values that a list holds, keys and values that a map holds; 0 for anything else. */
function childrenAt(frame: Uint8Array, at: number, head: number): number {
  if (head >= 0x80 && head <= 0x8f) return (head & 0x0f) * 2;
  if (head >= 0x90 && head <= 0x9f) return head & 0x0f;
  if (head === 0xdc) return lengthAt(frame, at, 2);
  if (head === 0xdd) return lengthAt(frame, at, 4);
  if (head === 0xde) return lengthAt(frame, at, 2) * 2;
  if (head === 0xdf) return lengthAt(frame, at, 4) * 2;
  return 0;
}

/** Bytes of those heads, `0xc0` to `0xdf`, that are followed by as many as ever. */
const FIXED_SIZES: Readonly<Record<number, number>> = {
  0xca: 5,
  0xcb: 9,
  0xcc: 2,
  0xcd: 3,
  0xce: 5,
  0xcf: 9,
  0xd0: 2,
  0xd1: 3,
  0xd2: 5,
  0xd3: 9,
  0xd4: 3,
  0xd5: 4,
  0xd6: 6,
  0xd7: 10,
  0xd8: 18,
  0xdc: 3,
  0xdd: 5,
  0xde: 3,
  0xdf: 5,
};

/** Bytes of a value, of a list or map without what it holds. */
function sizeAt(frame: Uint8Array, at: number, head: number): number {
  if (head >= 0xa0 && head <= 0xbf) return 1 + (head & 0x1f);
  // Bytes, extensions (which have a type besides) and texts, by the width of their length.
  if (head >= 0xc4 && head <= 0xc6) return sizedAt(frame, at, 2 ** (head - 0xc4));
  if (head >= 0xc7 && head <= 0xc9) return 1 + sizedAt(frame, at, 2 ** (head - 0xc7));
  if (head >= 0xd9 && head <= 0xdb) return sizedAt(frame, at, 2 ** (head - 0xd9));
  return FIXED_SIZES[head] ?? 1;
}

function sizedAt(frame: Uint8Array, at: number, width: number): number {
  return 1 + width + lengthAt(frame, at, width);
}

/** The length behind a head, big-endian. */
function lengthAt(frame: Uint8Array, at: number, width: number): number {
  let length = 0;
  for (let place = 1; place <= width; place += 1) length = length * 256 + (frame[at + place] ?? 0);
  return length;
}
