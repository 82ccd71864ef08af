/** Checks that a piece of target media is one indivisible unit. */
import type { TargetMediaFormat } from '../../../shared/target-media-type.ts';

/** Describes what is wrong with a piece; undefined when it is exactly one whole unit. */
export function pieceProblem(
  piece: Uint8Array,
  format: TargetMediaFormat,
  isHeader: boolean,
): string | undefined {
  const bytes = Buffer.from(piece);
  switch (format.container) {
    case 'ogg':
      return oggProblem(bytes);
    case 'webm':
    case 'matroska':
      return isHeader ? headProblem(bytes) : clusterProblem(bytes);
    case 'mpegts':
      return packetsProblem(bytes, isHeader);
    case 'flac':
      return isHeader ? flacHeadProblem(bytes) : flacFrameProblem(bytes);
    case 'pcm':
      return bytes.length % (format.codec === 's16le' ? 2 : 1) === 0 ? undefined : 'half a sample';
  }
}

/** Expects exactly one page, whose length its segment table gives. */
function oggProblem(bytes: Buffer): string | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'OggS') return 'no page';
  if ((bytes[5]! & 1) !== 0) return 'a packet goes on from the page before';
  const segments = bytes.subarray(27, 27 + bytes[26]!);
  if (segments.at(-1) === 255) return 'a packet goes on in the next page';
  const contentBytes = segments.reduce((sum, size) => sum + size, 0);
  return bytes.length === 27 + segments.length + contentBytes ? undefined : 'not one page';
}

function headProblem(bytes: Buffer): string | undefined {
  return bytes.readUInt32BE(0) === 0x1a45dfa3 ? undefined : 'no EBML header';
}

/** Expects exactly one cluster of whole elements, the first of which is its timestamp. */
function clusterProblem(bytes: Buffer): string | undefined {
  if (bytes.readUInt32BE(0) !== 0x1f43b675) return 'no cluster';
  const size = sizeAt(bytes, 4);
  if (4 + size.bytes + size.value !== bytes.length) return 'not one cluster';
  const ids: number[] = [];
  let offset = 4 + size.bytes;
  while (offset < bytes.length) {
    ids.push(bytes[offset]!);
    const inner = sizeAt(bytes, offset + 1);
    offset += 1 + inner.bytes + inner.value;
  }
  if (offset !== bytes.length) return 'an element is cut';
  const [first, ...others] = ids;
  if (first !== 0xe7) return 'no time';
  return others.length > 0 && others.every((id) => id === 0xa3) ? undefined : 'no blocks';
}

function sizeAt(bytes: Buffer, offset: number): { value: number; bytes: number } {
  const length = Math.clz32(bytes[offset]!) - 23;
  let value = bytes[offset]! & (0xff >> length);
  for (let index = 1; index < length; index += 1) value = value * 256 + bytes[offset + index]!;
  return { value, bytes: length };
}

/** Expects whole packets. Units of sound must begin in the first packet and end in the last. */
function packetsProblem(bytes: Buffer, isHeader: boolean): string | undefined {
  if (bytes.length % 188 !== 0) return 'a packet is cut';
  let owedBytes = 0;
  for (let offset = 0; offset < bytes.length; offset += 188) {
    if (bytes[offset] !== 0x47) return 'no packet';
    if (isHeader) continue;
    const fieldBytes = (bytes[offset + 3]! & 0x20) === 0 ? 0 : 1 + bytes[offset + 4]!;
    const payload = bytes.subarray(offset + 4 + fieldBytes, offset + 188);
    const begins = (bytes[offset + 1]! & 0x40) !== 0;
    if (begins !== (owedBytes === 0)) return 'a unit begins before the last has ended';
    if (begins) owedBytes = 6 + payload.readUInt16BE(4);
    owedBytes -= payload.length;
  }
  return owedBytes === 0 ? undefined : 'a unit is cut';
}

function flacHeadProblem(bytes: Buffer): string | undefined {
  return bytes.toString('latin1', 0, 4) === 'fLaC' ? undefined : 'no FLAC header';
}

/** Expects one frame, which ends with a checksum over itself. */
function flacFrameProblem(bytes: Buffer): string | undefined {
  if (bytes.readUInt16BE(0) !== 0xfff9) return 'no frame';
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum << 1) ^ ((sum & 0x8000) === 0 ? 0 : 0x18005);
  }
  return sum === 0 ? undefined : 'not one frame';
}
