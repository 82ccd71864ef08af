/** Opus in Ogg (RFC 7845): finds the Opus stream, its headers, and where its last page cuts the sound. */
import { ServiceError } from '../../../shared/errors.ts';
import type { OggHandler, OggPage } from './ogg-reader.ts';
import { isOpusHead, parseOpusHead, startsWith } from './opus-head.ts';
import { packetSamples48k } from './opus-packet.ts';
import type { OpusHandler } from './opus-stream.ts';

const tagsMagic = Buffer.from('OpusTags');

/** @throws ServiceError audio_format_unsupported, from its methods, when there is no Opus stream */
export function readOpusFromOgg(handler: OpusHandler): OggHandler {
  /** Serial number of the stream that is read; a container may carry others beside it. */
  let serial: number | undefined;
  /** Serial number of a stream whose first packet is about to say what it is. */
  let candidate: number | undefined;
  let awaitsTags = false;
  let hasAudio = false;
  let isHeadPage = false;
  /** Position at the end of the page before; granules count samples at 48 kHz. */
  let previousGranule = 0;
  /** Samples of the last page that are to be heard. */
  let remaining48k = Infinity;

  function beginPage(page: OggPage): boolean {
    isHeadPage = page.beginsStream;
    if (isHeadPage) {
      // Streams side by side all begin before the first audio: the first Opus stream is ours. One
      // that begins later is the next link of a chain and takes over.
      const mayBeOurs = serial === undefined || hasAudio;
      if (mayBeOurs) candidate = page.serial;
      return mayBeOurs;
    }
    if (serial === undefined) throw noOpus();
    if (page.serial !== serial) return false;
    remaining48k = Infinity;
    if (page.granulePosition === undefined) return true;
    const length = page.granulePosition - previousGranule;
    if (page.endsStream && length >= 0) remaining48k = length;
    previousGranule = page.granulePosition;
    return true;
  }

  function readHead(packet: Uint8Array): void {
    if (!isOpusHead(packet)) return;
    serial = candidate;
    awaitsTags = true;
    hasAudio = false;
    previousGranule = 0;
    handler.start(parseOpusHead(packet));
  }

  return {
    page: beginPage,
    packet(packet) {
      if (isHeadPage) {
        readHead(packet);
        return;
      }
      if (awaitsTags) {
        awaitsTags = false;
        if (startsWith(packet, tagsMagic)) return;
      }
      hasAudio = true;
      const duration48k = packetSamples48k(packet);
      const trimEnd48k = Math.max(0, duration48k - remaining48k);
      remaining48k = Math.max(0, remaining48k - duration48k);
      handler.packet(packet, trimEnd48k);
    },
  };
}

function noOpus(): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    'The Ogg stream does not begin with an Opus stream, which was expected.',
  );
}
