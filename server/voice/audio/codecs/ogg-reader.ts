/**
 * Reads packets from a live Ogg stream (RFC 3533), each as soon as its last byte arrives: pages often
 * hold a second of sound, and waiting for them would delay it. For the same reason checksums, which cover
 * whole pages, are not verified; the transport already detects damage.
 *
 * Memory is bounded by a page header and one packet. Longer packets are truncated; no audio is that long,
 * but tags with a cover picture are. Every byte is looked at once, however small the chunks are.
 *
 * prism-media's demuxer is unsuitable: it waits for whole pages, stalls for ever (keeping all input) once
 * a packet spans two pages, and drops every link of a chain but the first.
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
/** Start of the first packet of FLAC 1.x in Ogg (RFC 9639, 10.1), whose last 42 bytes begin a FLAC file. */
const flacMappingMagic = Buffer.from('\x7fFLAC\x01', 'latin1');
const FLAC_MAPPING_BYTES = 9;

export interface OggPage {
  serial: number;
  /** Position at the end of the last packet on the page; undefined when no packet ends there. */
  granulePosition: number | undefined;
  isContinued: boolean;
  beginsStream: boolean;
  endsStream: boolean;
}

export interface OggHandler {
  /** A page begins; returns whether to read its packets or skip them. */
  page(page: OggPage): boolean;
  /** Takes a packet of a page that was accepted; the bytes are valid during the call only. */
  packet(packet: Uint8Array): void;
}

/** @throws ServiceError audio_format_unsupported, from `push`, when the data is not Ogg */
export class OggReader {
  readonly #handler: OggHandler;
  readonly #header = new Uint8Array(FIXED_HEADER_BYTES + MAX_SEGMENTS);
  #headerBytes = 0;
  /** Index of the next segment table entry; equal to `#segments` while a header is read. */
  #segment = 0;
  #segments = 0;
  /** Remaining bytes of the current packet, or of its part on this page. */
  #pieceBytes = 0;
  #pieceEndsPacket = false;
  #isWanted = false;
  /** Beginning of an incomplete packet. */
  #packet = new Uint8Array(1024);
  #packetBytes = 0;
  #isPacketOpen = false;
  /** Whether to drop the rest of a packet whose beginning is missing. */
  #isPieceLost = false;
  /** Whether bytes are missing and the next page is being searched. */
  #isLost = false;
  /** Last four bytes during the search. */
  #window = 0;

  constructor(handler: OggHandler) {
    this.#handler = handler;
  }

  /** Number of bytes held between chunks. */
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

  /** Handles missing bytes: continues at the next page. */
  resync(): void {
    this.#headerBytes = 0;
    this.#segment = this.#segments;
    this.#pieceBytes = 0;
    this.#closePacket();
    this.#isLost = true;
    this.#window = 0;
  }

  /** Searches for the pattern that begins a page; returns the offset after it. */
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
      // A packet without its end is lost, and so is one without its beginning.
      if (!page.isContinued) this.#closePacket();
      this.#isPieceLost = page.isContinued && !this.#isPacketOpen;
    }
    this.#nextPiece();
  }

  /** Moves to the next non-empty piece: a lacing value of 255 continues a packet, a smaller one ends it. */
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

// Selects the audio stream, and trims the sound of its last page.

/** Receives the audio in the container. */
export interface OggAudioHandler {
  /**
   * A stream begins; called again for every link of a chain.
   *
   * @param head its first packet (for FLAC: from `fLaC` on), valid during the call only
   */
  start(codec: Codec, head: Uint8Array): void;
  /**
   * Takes a packet, including FLAC and Vorbis headers; valid during the call only.
   *
   * @param trimEnd48k samples at 48 kHz to drop from the end of an Opus packet
   */
  packet(packet: Uint8Array, trimEnd48k: number): void;
}

interface OggAudio extends OggHandler {
  /** Reports missing bytes: a stream that begins next takes over. */
  gap(): void;
}

/** @throws ServiceError audio_format_unsupported, from its methods, when no supported stream is found */
export function readAudioFromOgg(handler: OggAudioHandler): OggAudio {
  /** Serial number of the selected stream; a container may hold others beside it. */
  let serial: number | undefined;
  let codec: Codec | undefined;
  /** Serial number of a stream whose first packet is about to identify it. */
  let candidate: number | undefined;
  let awaitsTags = false;
  /** Whether a stream that begins now is a successor of the selected one, not parallel to it. */
  let mayTakeOver = true;
  let isHeadPage = false;
  /** Position at the end of the previous page; granules of Opus count samples at 48 kHz. */
  let previousGranule = 0;
  /** Audible samples left on the last page. */
  let remaining48k = Infinity;

  function beginPage(page: OggPage): boolean {
    isHeadPage = page.beginsStream;
    if (isHeadPage) {
      // Parallel streams all begin before the first audio, and the first supported one is selected. A
      // stream that begins later is the next link of a chain and takes over.
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
