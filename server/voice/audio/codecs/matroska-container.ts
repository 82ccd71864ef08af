/** Writes live Matroska and WebM (RFC 9559): a segment of unknown size, made of clusters. */
import { flacHeader } from './flac-encoder.ts';
import type { Container, Packet } from './media-pieces.ts';
import { OPUS_PRE_SKIP, OPUS_RATE_HZ, opusHead } from './opus-format.ts';

const TRACK = 1;
const AUDIO = 2;
/** Unit of timestamps, in ns: they count ms. */
const TIMESTAMP_SCALE = 1_000_000;
const NS_PER_SECOND = 1_000_000_000;
/** Time that an Opus decoder needs to converge after a seek (RFC 7845, 4.6), in ns. */
const SEEK_PRE_ROLL = 80_000_000;
/** Flag of a SimpleBlock: key frame, as every block is. */
const KEY_FRAME = 0x80;
const UNKNOWN_SIZE = Uint8Array.of(0x01, 255, 255, 255, 255, 255, 255, 255);

const codecIds = { opus: 'A_OPUS', flac: 'A_FLAC', aac: 'A_AAC' };

export interface MatroskaOptions {
  codec: 'opus' | 'flac' | 'aac';
  docType: 'webm' | 'matroska';
  /** Rate of the samples that packets count. */
  sampleRateHz: number;
  /** AudioSpecificConfig for the player's decoder, with AAC. */
  audioSpecificConfig?: Uint8Array;
}

export function createMatroskaContainer(options: MatroskaOptions): Container {
  const { sampleRateHz } = options;
  const toMs = (samples: number) => Math.round((samples / sampleRateHz) * 1000);
  return {
    headers: [header(options)],
    pieceMs: 200,
    wrap(packets: readonly Packet[], startSample: number) {
      const startMs = toMs(startSample);
      let sample = startSample;
      const blocks = packets.map(({ data, samples }) => {
        const relativeMs = toMs(sample) - startMs;
        sample += samples;
        // Track number (one byte), relative timestamp (16 bits), flags.
        const place = Uint8Array.of(0x80 | TRACK, relativeMs >> 8, relativeMs & 0xff, KEY_FRAME);
        return element(0xa3, place, data);
      });
      return element(0x1f43b675, unsigned(0xe7, startMs), ...blocks);
    },
  };
}

function header({
  codec,
  docType,
  sampleRateHz,
  audioSpecificConfig,
}: MatroskaOptions): Uint8Array {
  const isOpus = codec === 'opus';
  const codecPrivate = isOpus
    ? opusHead()
    : codec === 'flac'
      ? flacHeader(sampleRateHz)
      : (audioSpecificConfig ?? new Uint8Array());
  const preSkipNs = (OPUS_PRE_SKIP * NS_PER_SECOND) / OPUS_RATE_HZ;
  const track = element(
    0xae,
    ...[unsigned(0xd7, TRACK), unsigned(0x73c5, TRACK), unsigned(0x83, AUDIO)],
    // No lacing.
    unsigned(0x9c, 0),
    text(0x86, codecIds[codec]),
    element(0x63a2, codecPrivate),
    ...(isOpus ? [unsigned(0x56aa, preSkipNs), unsigned(0x56bb, SEEK_PRE_ROLL)] : []),
    element(
      0xe1,
      ...[float(0xb5, isOpus ? OPUS_RATE_HZ : sampleRateHz), unsigned(0x9f, 1)],
      ...(codec === 'flac' ? [unsigned(0x6264, 16)] : []),
    ),
  );
  const info = element(
    0x1549a966,
    ...[unsigned(0x2ad7b1, TIMESTAMP_SCALE), text(0x4d80, 'Dragoman'), text(0x5741, 'Dragoman')],
  );
  const segment = Buffer.concat([Buffer.from('18538067', 'hex'), UNKNOWN_SIZE]);
  return Buffer.concat([ebmlHeader(docType), segment, info, element(0x1654ae6b, track)]);
}

function ebmlHeader(docType: string): Uint8Array {
  return element(
    0x1a45dfa3,
    // Version 1 of EBML; ids of at most 4 bytes and sizes of at most 8.
    ...[unsigned(0x4286, 1), unsigned(0x42f7, 1), unsigned(0x42f2, 4), unsigned(0x42f3, 8)],
    // CodecDelay was introduced in version 4; readers of version 2 can ignore it.
    ...[text(0x4282, docType), unsigned(0x4287, 4), unsigned(0x4285, 2)],
  );
}

/** Returns an element with its content, which must be smaller than 2 ** 28 bytes. */
function element(id: number, ...content: readonly Uint8Array[]): Buffer {
  const sizeBytes = content.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([bigEndian(id), vint(sizeBytes), ...content]);
}

function unsigned(id: number, value: number): Buffer {
  return element(id, bigEndian(value));
}

function float(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return element(id, bytes);
}

function text(id: number, value: string): Buffer {
  return element(id, Buffer.from(value, 'latin1'));
}

function bigEndian(value: number): Uint8Array {
  const bytes = [value % 256];
  for (let rest = Math.floor(value / 256); rest > 0; rest = Math.floor(rest / 256)) {
    bytes.unshift(rest % 256);
  }
  return Uint8Array.from(bytes);
}

/** Encodes a size: one byte if possible (127 would mean an unknown size), otherwise four. */
function vint(size: number): Uint8Array {
  if (size < 127) return Uint8Array.of(0x80 | size);
  return Uint8Array.of(0x10 | (size >>> 24), (size >>> 16) & 255, (size >>> 8) & 255, size & 255);
}
