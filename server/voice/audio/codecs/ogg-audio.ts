/** Audio in Ogg: finds the stream of a codec we know, and where its last page cuts the sound. */
import { ServiceError } from '../../../../shared/errors.ts';
import type { Codec } from './decodable-formats.ts';
import type { OggHandler, OggPage } from './ogg-reader.ts';
import { isOpusHead, startsWith } from './opus-head.ts';
import { packetSamples48k } from './opus-packet.ts';
import { isVorbisHead } from './vorbis-header.ts';

const tagsMagic = Buffer.from('OpusTags');
/** Mapping of FLAC 1.x (RFC 9639, 10.1): its first packet, of which the last 42 bytes begin a FLAC file. */
const flacMappingMagic = Buffer.from('\x7fFLAC\x01', 'latin1');
const FLAC_MAPPING_BYTES = 9;

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

export interface OggAudio extends OggHandler {
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
