/** Writes Matroska elements by hand, for streams that no available tool makes. */

/** Encodes a variable-length number; `length` may exceed the minimum. */
export function vint(value: number, length = 8): number[] {
  const bytes = Array.from(
    { length },
    (_, index) => Math.floor(value / 2 ** (8 * (length - 1 - index))) % 256,
  );
  bytes[0]! |= 0x80 >> (length - 1);
  return bytes;
}

function idBytes(id: number): number[] {
  return id < 256 ? [id] : [...idBytes(Math.floor(id / 256)), id % 256];
}

/** Encodes an element with its content. */
export function element(id: number, ...content: (number | number[] | Uint8Array)[]): number[] {
  const body = content.flatMap((part) => (typeof part === 'number' ? [part] : [...part]));
  return [...idBytes(id), ...vint(body.length), ...body];
}

/** A Segment and a Cluster of unknown length. */
export const openSegment = [...idBytes(0x18538067), 0x01, ...new Array<number>(7).fill(255)];
export const openCluster = [...idBytes(0x1f43b675), 0xff, ...element(0xe7, 0)];

const ascii = (text: string) => [...Buffer.from(text)];

export const ebmlHeader = element(0x1a45dfa3, element(0x4282, ascii('webm')));

export function opusHead({ channels = 1, preSkip = 0, family = 0 } = {}): number[] {
  const rate = [0x80, 0xbb, 0, 0];
  const skip = [preSkip & 255, preSkip >> 8];
  return [...ascii('OpusHead'), 1, channels, ...skip, ...rate, 0, 0, family];
}

/** Encodes Tracks with one audio track, number 1. */
export function tracks({ codecId = 'A_OPUS', type = 2, codecPrivate = opusHead() } = {}): number[] {
  const parts = [
    element(0xd7, 1),
    element(0x83, type),
    element(0x86, ascii(codecId)),
    element(0x63a2, codecPrivate),
  ];
  return element(0x1654ae6b, element(0xae, ...parts));
}

/** Returns the content of a block of track 1. Lacing: 0 none, 1 Xiph, 2 fixed, 3 EBML. */
export function block(lacing: number, ...content: (number | number[] | Uint8Array)[]): number[] {
  return element(0, [0x81, 0, 0, lacing << 1], ...content).slice(9);
}
