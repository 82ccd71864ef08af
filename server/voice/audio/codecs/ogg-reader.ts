/**
 * Reads packets out of a live Ogg stream (RFC 3533), each as soon as its last byte is there: pages
 * often hold a second of sound, which nobody should have to wait for. For the same reason checksums,
 * which cover whole pages, are not verified; the transport has already taken care of damage.
 *
 * Memory is bounded: a page's header and one packet. Longer packets are delivered cut: no audio is,
 * tags with a cover picture are. Every byte is looked at once, however small the chunks are.
 *
 * The demuxer of prism-media cannot do this: it waits for whole pages, waits for ever once a packet
 * runs across two of them (keeping all that comes), and drops every link of a chain but the first.
 */
import { ServiceError } from '../../../../shared/errors.ts';
import { startsWith, type Codec } from './decodable-formats.ts';
import { isOpusHead, MAX_PACKET_BYTES, packetSamples48k } from './opus-format.ts';
import { isVorbisHead } from './vorbis.ts';

const FIXED_HEADER_BYTES = 27;
const MAX_SEGMENTS = 255;
const capturePattern = Buffer.from('OggS');
const CAPTURE_PATTERN = capturePattern.readInt32BE();
const tagsMagic = Buffer.from('OpusTags');
/** Mapping of FLAC 1.x (RFC 9639, 10.1): its first packet, of which the last 42 bytes begin a FLAC file. */
const flacMappingMagic = Buffer.from('\x7fFLAC\x01', 'latin1');
const FLAC_MAPPING_BYTES = 9;

export interface OggPage {
  serial: number;
  /** Position at the end of the page's last packet; undefined when no packet ends on it. */
  granulePosition: number | undefined;
  isContinued: boolean;
  beginsStream: boolean;
  endsStream: boolean;
}

export interface OggHandler {
  /** A page begins; its packets follow if the answer is true and are skipped otherwise. */
  page(page: OggPage): boolean;
  /** One packet of a page that was wanted; the bytes are valid during the call only. */
  packet(packet: Uint8Array): void;
}

/** @throws ServiceError audio_format_unsupported, from `push`, for anything that is not Ogg */
export class OggReader {
  readonly #handler: OggHandler;
  readonly #header = new Uint8Array(FIXED_HEADER_BYTES + MAX_SEGMENTS);
  #headerBytes = 0;
  /** The next entry of the segment table to look at; the table's length while a header is read. */
  #segment = 0;
  #segments = 0;
  /** What is left of the packet (or the part of it on this page) that is being read. */
  #pieceBytes = 0;
  #pieceEndsPacket = false;
  #isWanted = false;
  /** The beginning of a packet that is not complete yet. */
  #packet = new Uint8Array(1024);
  #packetBytes = 0;
  #isPacketOpen = false;
  /** The rest of a packet whose beginning was never seen is dropped. */
  #isPieceLost = false;
  /** Bytes are missing: the next page is looked for. */
  #isLost = false;
  /** The last four bytes, while looking. */
  #window = 0;

  constructor(handler: OggHandler) {
    this.#handler = handler;
  }

  /** Bytes held between chunks. */
  get heldBytes(): number {
    return this.#header.length + this.#packet.length;
  }

  push(chunk: Uint8Array): void {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#isLost) offset = this.#find(chunk, offset);
      else if (this.#pieceBytes > 0) offset += this.#readPiece(chunk, offset);
      else offset += this.#readHeader(chunk, offset);
    }
  }

  /** Bytes are missing: goes on at the next page. */
  resync(): void {
    this.#headerBytes = 0;
    this.#segment = this.#segments;
    this.#pieceBytes = 0;
    this.#closePacket();
    this.#isLost = true;
    this.#window = 0;
  }

  /** Looks for the pattern that begins a page; answers where it ends. */
  #find(chunk: Uint8Array, offset: number): number {
    for (let index = offset; index < chunk.length; index += 1) {
      this.#window = (this.#window << 8) | (chunk[index] ?? 0);
      if (this.#window !== CAPTURE_PATTERN) continue;
      this.#isLost = false;
      this.#header.set(capturePattern);
      this.#headerBytes = capturePattern.length;
      return index + 1;
    }
    return chunk.length;
  }

  #readHeader(chunk: Uint8Array, offset: number): number {
    const needed =
      this.#headerBytes < FIXED_HEADER_BYTES
        ? FIXED_HEADER_BYTES
        : FIXED_HEADER_BYTES + this.#segments;
    const piece = chunk.subarray(offset, offset + needed - this.#headerBytes);
    this.#header.set(piece, this.#headerBytes);
    this.#headerBytes += piece.length;
    const patternBytes = Math.min(capturePattern.length, this.#headerBytes);
    if (capturePattern.compare(this.#header, 0, patternBytes, 0, patternBytes) !== 0) {
      throw malformed('an Ogg page was expected');
    }
    if (this.#headerBytes === FIXED_HEADER_BYTES && needed === FIXED_HEADER_BYTES) {
      if (this.#header[4] !== 0) throw malformed('its version of Ogg is unknown');
      this.#segments = this.#header[26] ?? 0;
    }
    if (this.#headerBytes === FIXED_HEADER_BYTES + this.#segments) this.#beginPage();
    return piece.length;
  }

  #beginPage(): void {
    const page = readPage(this.#header);
    this.#headerBytes = 0;
    this.#segment = 0;
    this.#isWanted = this.#handler.page(page);
    if (this.#isWanted) {
      // A packet whose end is missing is lost, and so is one whose beginning is.
      if (!page.isContinued) this.#closePacket();
      this.#isPieceLost = page.isContinued && !this.#isPacketOpen;
    }
    this.#nextPiece();
  }

  /** Goes to the next piece that has bytes: segments of 255 go on, a smaller one ends the packet. */
  #nextPiece(): void {
    while (this.#segment < this.#segments && this.#pieceBytes === 0) {
      let lacing = 255;
      while (lacing === 255 && this.#segment < this.#segments) {
        lacing = this.#header[FIXED_HEADER_BYTES + this.#segment++] ?? 0;
        this.#pieceBytes += lacing;
      }
      this.#pieceEndsPacket = lacing < 255;
      if (this.#pieceBytes === 0) this.#endPiece(new Uint8Array());
    }
  }

  #readPiece(chunk: Uint8Array, offset: number): number {
    const piece = chunk.subarray(offset, offset + this.#pieceBytes);
    this.#pieceBytes -= piece.length;
    const isWhole = this.#pieceBytes === 0 && this.#pieceEndsPacket && !this.#isPacketOpen;
    if (!isWhole && this.#isWanted && !this.#isPieceLost) this.#store(piece);
    if (this.#pieceBytes === 0) {
      this.#endPiece(piece);
      this.#nextPiece();
    }
    return piece.length;
  }

  /** @param piece the whole packet, unless its beginning is stored */
  #endPiece(piece: Uint8Array): void {
    if (!this.#pieceEndsPacket) return;
    const packet = this.#isPacketOpen ? this.#packet.subarray(0, this.#packetBytes) : piece;
    const isLost = this.#isPieceLost;
    if (!this.#isWanted) return;
    this.#isPieceLost = false;
    this.#closePacket();
    if (!isLost) this.#handler.packet(packet.subarray(0, MAX_PACKET_BYTES));
  }

  #store(piece: Uint8Array): void {
    this.#isPacketOpen = true;
    const kept = piece.subarray(0, MAX_PACKET_BYTES - this.#packetBytes);
    const length = this.#packetBytes + kept.length;
    if (length > this.#packet.length) {
      const larger = new Uint8Array(Math.min(2 * length, MAX_PACKET_BYTES));
      larger.set(this.#packet.subarray(0, this.#packetBytes));
      this.#packet = larger;
    }
    this.#packet.set(kept, this.#packetBytes);
    this.#packetBytes = length;
  }

  #closePacket(): void {
    this.#isPacketOpen = false;
    this.#packetBytes = 0;
  }
}

function readPage(header: Uint8Array): OggPage {
  const view = new DataView(header.buffer, header.byteOffset, FIXED_HEADER_BYTES);
  const flags = view.getUint8(5);
  const granulePosition = Number(view.getBigInt64(6, true));
  return {
    serial: view.getUint32(14, true),
    granulePosition: granulePosition < 0 ? undefined : granulePosition,
    isContinued: (flags & 1) !== 0,
    beginsStream: (flags & 2) !== 0,
    endsStream: (flags & 4) !== 0,
  };
}

function malformed(problem: string): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    `The audio is not a readable Ogg stream: ${problem}.`,
  );
}

// Finds the stream of a codec we know, and where its last page cuts the sound.

/** Takes what the container holds. */
export interface OggAudioHandler {
  /**
   * A stream begins; again for every link of a chain.
   *
   * @param head its first packet (of FLAC: from `fLaC` on), valid during the call only
   */
  start(codec: Codec, head: Uint8Array): void;
  /**
   * One packet, headers of FLAC and Vorbis included, valid during the call only.
   *
   * @param trimEnd48k samples at 48 kHz to drop from the end of a packet of Opus
   */
  packet(packet: Uint8Array, trimEnd48k: number): void;
}

interface OggAudio extends OggHandler {
  /** Bytes are missing: a stream that begins next takes over. */
  gap(): void;
}

/** @throws ServiceError audio_format_unsupported, from its methods, when there is no such stream */
export function readAudioFromOgg(handler: OggAudioHandler): OggAudio {
  /** Serial number of the stream that is read; a container may carry others beside it. */
  let serial: number | undefined;
  let codec: Codec | undefined;
  /** Serial number of a stream whose first packet is about to say what it is. */
  let candidate: number | undefined;
  let awaitsTags = false;
  /** A stream that begins now does not begin beside ours. */
  let mayTakeOver = true;
  let isHeadPage = false;
  /** Position at the end of the page before; granules of Opus count samples at 48 kHz. */
  let previousGranule = 0;
  /** Samples of the last page that are to be heard. */
  let remaining48k = Infinity;

  function beginPage(page: OggPage): boolean {
    isHeadPage = page.beginsStream;
    if (isHeadPage) {
      // Streams side by side all begin before the first audio: the first one of ours is read. One
      // that begins later is the next link of a chain and takes over.
      if (mayTakeOver) candidate = page.serial;
      return mayTakeOver;
    }
    if (serial === undefined) throw noAudio();
    if (page.serial !== serial) return false;
    remaining48k = Infinity;
    if (page.granulePosition === undefined) return true;
    const length = page.granulePosition - previousGranule;
    if (page.endsStream && length >= 0) remaining48k = length;
    previousGranule = page.granulePosition;
    return true;
  }

  function readHead(packet: Uint8Array): void {
    const found = codecOf(packet);
    if (found === undefined) return;
    codec = found;
    serial = candidate;
    awaitsTags = codec === 'opus';
    mayTakeOver = false;
    previousGranule = 0;
    handler.start(codec, codec === 'flac' ? packet.subarray(FLAC_MAPPING_BYTES) : packet);
  }

  function readOpus(packet: Uint8Array): void {
    if (awaitsTags) {
      awaitsTags = false;
      if (startsWith(packet, tagsMagic)) return;
    }
    const duration48k = packetSamples48k(packet);
    const trimEnd48k = Math.max(0, duration48k - remaining48k);
    remaining48k = Math.max(0, remaining48k - duration48k);
    mayTakeOver = true;
    handler.packet(packet, trimEnd48k);
  }

  return {
    page: beginPage,
    packet(packet) {
      if (isHeadPage) readHead(packet);
      else if (codec === 'opus') readOpus(packet);
      else {
        mayTakeOver = true;
        handler.packet(packet, 0);
      }
    },
    gap() {
      mayTakeOver = true;
    },
  };
}

function codecOf(packet: Uint8Array): Codec | undefined {
  if (isOpusHead(packet)) return 'opus';
  if (startsWith(packet, flacMappingMagic)) return 'flac';
  return isVorbisHead(packet) ? 'vorbis' : undefined;
}

function noAudio(): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    'The Ogg stream does not begin with a stream of Opus, FLAC or Vorbis.',
  );
}
