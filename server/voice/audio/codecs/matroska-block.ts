/** Blocks of Matroska (RFC 9559, 10.2 and 10.3): one track's frames, alone or laced together. */
import { malformed, readVint, vintBytes } from './ebml.ts';

/** A block's track, and where its frames begin. */
interface BlockHeader {
  trackNumber: number;
  lacing: number;
  framesStart: number;
}

const Lacing = { none: 0, xiph: 1, fixed: 2, ebml: 3 } as const;

/**
 * The frames of a Block or SimpleBlock, as views of it; none when it belongs to another track.
 *
 * @throws ServiceError audio_format_unsupported when the block contradicts itself
 */
export function blockFrames(block: Uint8Array, trackNumber: number): Uint8Array[] {
  const header = readBlockHeader(block);
  if (header.trackNumber !== trackNumber) return [];
  if (header.lacing === Lacing.none) return [block.subarray(header.framesStart)];
  const { sizes, start } = lacedSizes(block, header);
  let offset = start;
  return sizes.map((size) => block.subarray(offset, (offset += size)));
}

function readBlockHeader(block: Uint8Array): BlockHeader {
  const track = readVint(block, 0);
  // The number is followed by a timestamp of two bytes, which a live stream has no use for, and flags.
  const flags = track && block[track.length + 2];
  if (track === undefined || flags === undefined) throw malformed('a block is cut off');
  return {
    trackNumber: track.value,
    lacing: (flags >> 1) & 3,
    framesStart: track.length + 3,
  };
}

/** Sizes of all frames, and the offset of the first; together they fill the block exactly. */
function lacedSizes(
  block: Uint8Array,
  { lacing, framesStart }: BlockHeader,
): { sizes: number[]; start: number } {
  const lastFrame = block[framesStart];
  if (lastFrame === undefined) throw malformed('a laced block is cut off');
  const offset = framesStart + 1;
  if (lacing === Lacing.fixed) {
    const size = (block.length - offset) / (lastFrame + 1);
    if (!Number.isInteger(size)) throw malformed('a block does not divide into equal frames');
    return { sizes: new Array<number>(lastFrame + 1).fill(size), start: offset };
  }
  const read = lacing === Lacing.xiph ? readXiphSizes : readEbmlSizes;
  const { sizes, start } = read(block, offset, lastFrame);
  // The last frame's size is not written: it has what the others leave.
  const rest = block.length - start - sizes.reduce((sum, size) => sum + size, 0);
  if (rest < 0) throw malformed('the frames of a block are larger than the block');
  return { sizes: [...sizes, rest], start };
}

/** Each size is a run of 255s and a smaller byte, summed. */
function readXiphSizes(block: Uint8Array, offset: number, count: number) {
  const sizes: number[] = [];
  let start = offset;
  while (sizes.length < count) {
    let size = 0;
    let byte: number | undefined;
    do {
      byte = block[start++];
      if (byte === undefined) throw malformed('a laced block is cut off');
      size += byte;
    } while (byte === 255);
    sizes.push(size);
  }
  return { sizes, start };
}

/** The first size is a variable-length number, each further one a signed difference to the one before. */
function readEbmlSizes(block: Uint8Array, offset: number, count: number) {
  const sizes: number[] = [];
  let start = offset;
  let size = 0;
  while (sizes.length < count) {
    const number = readVint(block, start);
    if (number === undefined) throw malformed('a laced block is cut off');
    const bias = 2 ** (7 * vintBytes(block[start] ?? 0) - 1) - 1;
    size = sizes.length === 0 ? number.value : size + number.value - bias;
    if (size < 0) throw malformed('a frame has a negative size');
    sizes.push(size);
    start += number.length;
  }
  return { sizes, start };
}
