/**
 * Reads the first audio track of a live WebM or Matroska stream.
 *
 * The reader is strict: it refuses anything that is not a stream of elements. It is bounded: headers are
 * collected byte by byte, needed elements are kept whole up to {@link MAX_KEPT_BYTES}, and all others are
 * skipped without being stored. Every byte is looked at once, however small the chunks are.
 *
 * Segment and Cluster are read flat, by ids alone: their sizes are unknown in live streams and
 * placeholders in others, and no needed element has another meaning elsewhere.
 */
import {
  children,
  ElementId,
  malformed,
  MAX_HEADER_BYTES,
  readElementHeader,
  readSigned,
  readString,
  readUnsigned,
  type Element,
  type ElementHeader,
  readVint,
  vintBytes,
} from './ebml.ts';

/** Largest element to keep: seconds of Opus at its highest rate, or Tracks with a large CodecPrivate. */
const MAX_KEPT_BYTES = 256 * 1024;
/** Largest element to skip: cover pictures are this large; a larger size is damage or malice. */
const MAX_SKIPPED_BYTES = 16 * 1024 * 1024;
/** TrackType of audio. */
const AUDIO = 2;

const keptElements: ReadonlySet<number> = new Set([
  ElementId.ebmlHeader,
  ElementId.tracks,
  ElementId.simpleBlock,
  ElementId.blockGroup,
]);

/** Description of an audio track from its TrackEntry. */
export interface AudioTrack {
  number: number;
  /** Codec ID of the Matroska registry, such as `A_OPUS`. */
  codecId: string;
  codecPrivate: Uint8Array;
}

export type DocType = 'webm' | 'matroska';

export interface WebmHandler {
  /** A document of this type begins. */
  document?(docType: DocType): void;
  /** Describes the track whose packets follow; called again when a new document starts in mid-stream. */
  track(track: AudioTrack): void;
  /**
   * Takes one packet of the track; the bytes are valid during the call only.
   *
   * @param discardPaddingNs sound to drop from the end of the packet, in ns
   */
  packet(packet: Uint8Array, discardPaddingNs: number): void;
  /** Reports that bytes of an unneeded element were skipped without being stored. */
  passedOver?(sizeBytes: number): void;
}

/** @throws ServiceError audio_format_unsupported, from `push`, when the stream cannot be read */
export class WebmReader {
  readonly #handler: WebmHandler;
  readonly #header = new Uint8Array(MAX_HEADER_BYTES);
  #headerBytes = 0;
  /** The element being collected across chunks, and how many of its bytes have arrived. */
  #kept: Element | undefined;
  #keptBytes = 0;
  #skipBytes = 0;
  #isOpen = false;
  #trackNumber: number | undefined;
  /** Whether bytes are missing and the next cluster or document is being searched. */
  #isLost = false;
  /** Last four bytes during the search. */
  #window = 0;

  constructor(handler: WebmHandler) {
    this.#handler = handler;
  }

  /** Number of bytes held between chunks. */
  get heldBytes(): number {
    return this.#headerBytes + (this.#kept?.body.length ?? 0);
  }

  push(chunk: Uint8Array): void {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#isLost) offset = this.#find(chunk, offset);
      else if (this.#skipBytes > 0) offset += this.#skip(chunk.length - offset);
      else if (this.#kept !== undefined) offset += this.#collect(this.#kept, chunk, offset);
      else offset = this.#readHeader(chunk, offset);
    }
  }

  /** Handles missing bytes: continues at the next cluster or at the beginning of another document. */
  resync(): void {
    this.#headerBytes = 0;
    this.#kept = undefined;
    this.#skipBytes = 0;
    this.#isLost = true;
    this.#window = 0;
  }

  /** Finds the id of a document or, once its track is known, of a cluster; returns the offset after it. */
  #find(chunk: Uint8Array, offset: number): number {
    for (let index = offset; index < chunk.length; index += 1) {
      this.#window = (this.#window << 8) | (chunk[index] ?? 0);
      const id = this.#window >>> 0;
      const isFound =
        id === ElementId.ebmlHeader ||
        (id === ElementId.cluster && this.#trackNumber !== undefined);
      if (!isFound) continue;
      this.#isLost = false;
      new DataView(this.#header.buffer).setUint32(0, id);
      this.#headerBytes = 4;
      return index + 1;
    }
    return chunk.length;
  }

  #skip(availableBytes: number): number {
    const bytes = Math.min(this.#skipBytes, availableBytes);
    this.#skipBytes -= bytes;
    this.#handler.passedOver?.(bytes);
    return bytes;
  }

  #collect(kept: Element, chunk: Uint8Array, offset: number): number {
    const piece = chunk.subarray(offset, offset + kept.body.length - this.#keptBytes);
    kept.body.set(piece, this.#keptBytes);
    this.#keptBytes += piece.length;
    if (this.#keptBytes === kept.body.length) {
      this.#kept = undefined;
      this.#read(kept);
    }
    return piece.length;
  }

  /** Takes one byte of a header; with the last one, also reads a kept element that is already complete. */
  #readHeader(chunk: Uint8Array, offset: number): number {
    this.#header[this.#headerBytes++] = chunk[offset] ?? 0;
    const header = readElementHeader(this.#header.subarray(0, this.#headerBytes));
    const next = offset + 1;
    if (header === undefined) return next;
    this.#headerBytes = 0;
    this.#admit(header);
    if (header.id === ElementId.segment || header.id === ElementId.cluster) return next;
    if (!keptElements.has(header.id)) {
      this.#skipBytes = header.sizeBytes;
      return next;
    }
    if (next + header.sizeBytes <= chunk.length) {
      const end = next + header.sizeBytes;
      this.#read({ id: header.id, body: chunk.subarray(next, end) });
      return end;
    }
    this.#kept = { id: header.id, body: new Uint8Array(header.sizeBytes) };
    this.#keptBytes = 0;
    return next;
  }

  #admit({ id, sizeBytes }: ElementHeader): void {
    if (!this.#isOpen && id !== ElementId.ebmlHeader) throw malformed('no EBML header begins it');
    if (id === ElementId.segment || id === ElementId.cluster) return;
    const limit = keptElements.has(id) ? MAX_KEPT_BYTES : MAX_SKIPPED_BYTES;
    if (sizeBytes === Infinity) throw malformed('an element that must have a size has none');
    if (sizeBytes > limit) throw malformed(`an element is larger than ${limit} bytes`);
  }

  #read({ id, body }: Element): void {
    if (id === ElementId.ebmlHeader) this.#openDocument(body);
    else if (id === ElementId.tracks) this.#selectTrack(body);
    else if (id === ElementId.simpleBlock) this.#readBlock(body, 0);
    else this.#readBlockGroup(body);
  }

  /** Opens a document, possibly in mid-stream: a restarted recorder sends a whole new document. */
  #openDocument(body: Uint8Array): void {
    let docType = '';
    for (const child of children(body)) {
      if (child.id === ElementId.docType) docType = readString(child.body);
    }
    if (docType !== 'webm' && docType !== 'matroska') {
      throw malformed('its document type is neither webm nor matroska');
    }
    this.#isOpen = true;
    this.#trackNumber = undefined;
    this.#handler.document?.(docType);
  }

  #selectTrack(body: Uint8Array): void {
    // A live stream may repeat its Tracks, which must not change.
    if (this.#trackNumber !== undefined) return;
    for (const child of children(body)) {
      if (child.id !== ElementId.trackEntry) continue;
      const track = readAudioTrack(child.body);
      if (track === undefined) continue;
      this.#trackNumber = track.number;
      this.#handler.track(track);
      return;
    }
    throw malformed('it has no audio track');
  }

  #readBlock(block: Uint8Array, discardPaddingNs: number): void {
    if (this.#trackNumber === undefined) throw malformed('audio comes before its description');
    const frames = blockFrames(block, this.#trackNumber);
    frames.forEach((frame, index) => {
      this.#handler.packet(frame, index === frames.length - 1 ? discardPaddingNs : 0);
    });
  }

  #readBlockGroup(body: Uint8Array): void {
    let block: Uint8Array | undefined;
    let discardPaddingNs = 0;
    for (const child of children(body)) {
      if (child.id === ElementId.block) block = child.body;
      else if (child.id === ElementId.discardPadding) discardPaddingNs = readSigned(child.body);
    }
    if (block === undefined) throw malformed('a block group has no block');
    this.#readBlock(block, Math.max(0, discardPaddingNs));
  }
}

/** Reads a TrackEntry; undefined when it is not audio. */
function readAudioTrack(entry: Uint8Array): AudioTrack | undefined {
  const fields = new Map<number, Uint8Array>();
  for (const { id, body } of children(entry)) fields.set(id, body);
  const number = (id: number) => readUnsigned(fields.get(id) ?? new Uint8Array());
  if (number(ElementId.trackType) !== AUDIO) return undefined;
  if (fields.has(ElementId.contentEncodings)) {
    throw malformed('its audio track is compressed or encrypted a second time (ContentEncodings)');
  }
  return {
    number: number(ElementId.trackNumber),
    codecId: readString(fields.get(ElementId.codecId) ?? new Uint8Array()),
    codecPrivate: Uint8Array.from(fields.get(ElementId.codecPrivate) ?? []),
  };
}

// Blocks of Matroska (RFC 9559, 10.2 and 10.3): frames of one track, alone or laced together.

/** Track and lacing of a block, and the offset of its frames. */
interface BlockHeader {
  trackNumber: number;
  lacing: number;
  framesStart: number;
}

const Lacing = { none: 0, xiph: 1, fixed: 2, ebml: 3 } as const;

/**
 * Returns the frames of a Block or SimpleBlock, as views of it; none when it belongs to another track.
 *
 * @throws ServiceError audio_format_unsupported when the block is inconsistent
 */
function blockFrames(block: Uint8Array, trackNumber: number): Uint8Array[] {
  const header = readBlockHeader(block);
  if (header.trackNumber !== trackNumber) return [];
  if (header.lacing === Lacing.none) return [block.subarray(header.framesStart)];
  const { sizes, start } = lacedSizes(block, header);
  let offset = start;
  return sizes.map((size) => block.subarray(offset, (offset += size)));
}

function readBlockHeader(block: Uint8Array): BlockHeader {
  const track = readVint(block, 0);
  // The track number is followed by a timestamp of two bytes, not needed in a live stream, and flags.
  const flags = track && block[track.length + 2];
  if (track === undefined || flags === undefined) throw malformed('a block is cut off');
  return {
    trackNumber: track.value,
    lacing: (flags >> 1) & 3,
    framesStart: track.length + 3,
  };
}

/** Returns the sizes of all frames, which fill the block exactly, and the offset of the first. */
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
  // The size of the last frame is not written: it takes the rest of the block.
  const rest = block.length - start - sizes.reduce((sum, size) => sum + size, 0);
  if (rest < 0) throw malformed('the frames of a block are larger than the block');
  return { sizes: [...sizes, rest], start };
}

/** Reads Xiph lacing: each size is the sum of a run of 255s and a smaller byte. */
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

/** Reads EBML lacing: a variable-length number, then signed differences to the previous size. */
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
