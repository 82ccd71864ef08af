/** Packets of one track, as containers hold them, to audio: by their codec. */
import type { AudioSink } from './audio-sink.ts';
import { notMono, type Codec } from './decodable-formats.ts';
import { decodeFlacFrame } from './flac-frame.ts';
import { crc16, parseFlacSetup, readFrameHeader } from './flac-header.ts';
import {
  ADTS_HEADER_BYTES,
  adtsHeader,
  MAX_ADTS_FRAME_BYTES,
  parseAacConfig,
  readMp3Header,
} from './mpeg-audio.ts';
import { OggWriter } from './ogg-writer.ts';
import { parseOpusHead, type OpusHead } from './opus-head.ts';
import {
  checkVorbisHead,
  emptyVorbisComment,
  isVorbisAudio,
  isVorbisSetup,
  malformedVorbis,
  shortestPacketMs,
} from './vorbis-header.ts';
import { OpusDecoder } from './opus-decoder.ts';
import { ServiceError } from '../../../../shared/errors.ts';

export interface TrackDecoder {
  /**
   * Takes a packet, valid during the call only.
   *
   * @param trimEnd48k samples at 48 kHz to drop from its end, where the codec cannot tell
   * @throws ServiceError audio_format_unsupported when what comes is not of the codec, audio_not_mono
   */
  packet(packet: Uint8Array, trimEnd48k: number): void;
  free(): void;
}

export interface TrackDecoderOptions {
  codec: Codec;
  /** What the container says about the track: OpusHead, STREAMINFO, AudioSpecificConfig, … */
  setup: Uint8Array;
  /** Rate to which Opus is decoded. */
  opusRateHz: number;
  sink: AudioSink;
}

/** @throws ServiceError audio_format_unsupported, audio_not_mono */
export function createTrackDecoder(options: TrackDecoderOptions): TrackDecoder {
  switch (options.codec) {
    case 'opus':
      return createOpusTrack(options);
    case 'flac':
      return createFlacTrack(options);
    case 'mp3':
      return createMp3Track(options);
    case 'aac':
      return createAacTrack(options);
    case 'vorbis':
      return createVorbisTrack(options);
  }
}

function createOpusTrack({ setup, opusRateHz, sink }: TrackDecoderOptions): TrackDecoder {
  return createOpusStream({
    head: parseOpusHead(setup),
    sampleRateHz: opusRateHz,
    emit: (samples, start, end) => sink.samples(samples, opusRateHz, start, end),
  });
}

function createFlacTrack({ setup, sink }: TrackDecoderOptions): TrackDecoder {
  const info = parseFlacSetup(setup);
  const damage = damageLimit('FLAC');
  return {
    packet(packet) {
      // Ogg has packets of metadata before the audio; frames begin with ones.
      if (packet[0] !== 0xff) return;
      const header = readFrameHeader(packet, 0, packet.length, info);
      const isWhole = header !== undefined && header !== 'incomplete' && crc16(packet) === 0;
      const samples = isWhole ? decodeFlacFrame(packet, 0, packet.length, header) : undefined;
      damage.count(samples !== undefined);
      if (samples !== undefined) sink.samples(samples, info.sampleRateHz);
    },
    free: () => undefined,
  };
}

function createMp3Track({ sink }: TrackDecoderOptions): TrackDecoder {
  const damage = damageLimit('MP3');
  sink.startCoded('mp3');
  return {
    packet(packet) {
      const header = readMp3Header(packet, 0);
      damage.count(header !== undefined);
      if (header === undefined) return;
      if (header.channels !== 1) throw notMono('MP3', header.channels);
      sink.coded(packet, (header.samples / header.sampleRateHz) * 1000);
    },
    free: () => undefined,
  };
}

/** FFmpeg reads AAC of unknown beginning as ADTS: each packet gets a header that says what the container said. */
function createAacTrack({ setup, sink }: TrackDecoderOptions): TrackDecoder {
  const config = parseAacConfig(setup);
  if (config.channels !== 1) throw notMono('AAC', config.channels);
  const durationMs = (1024 / config.sampleRateHz) * 1000;
  const damage = damageLimit('AAC');
  const frame = new Uint8Array(MAX_ADTS_FRAME_BYTES);
  sink.startCoded('aac');
  return {
    packet(packet) {
      const lengthBytes = ADTS_HEADER_BYTES + packet.length;
      const fits = packet.length > 0 && lengthBytes <= frame.length;
      damage.count(fits);
      if (!fits) return;
      frame.set(adtsHeader(config, packet.length));
      frame.set(packet, ADTS_HEADER_BYTES);
      sink.coded(frame.subarray(0, lengthBytes), durationMs);
    },
    free: () => undefined,
  };
}

/** FFmpeg gets Vorbis in pages of our own: of what the sender wrote, nothing but packets reaches it. */
function createVorbisTrack({ setup, sink }: TrackDecoderOptions): TrackDecoder {
  checkVorbisHead(setup);
  const leastMs = shortestPacketMs(setup);
  const writer = new OggWriter();
  let hasSetup = false;
  sink.startCoded('ogg');
  sink.coded(writer.pages(setup), 0);
  return {
    packet(packet) {
      if (!hasSetup && isVorbisSetup(packet)) {
        hasSetup = true;
        sink.coded(writer.pages(emptyVorbisComment), 0);
        sink.coded(writer.pages(packet), 0);
      } else if (isVorbisAudio(packet)) {
        if (!hasSetup) throw malformedVorbis();
        sink.coded(writer.pages(packet), undefined, leastMs);
      }
    },
    free: () => undefined,
  };
}

// Opus packets of one stream to samples: what comes between a container and the decoder.

const RATE_48K_HZ = 48_000;

interface OpusStream {
  /**
   * Decodes one packet, valid during the call only; passes over it when it is damaged.
   *
   * @param trimEnd48k samples at 48 kHz to drop from its end
   * @throws ServiceError audio_format_unsupported when what comes is not Opus
   */
  packet(packet: Uint8Array, trimEnd48k: number): void;
  free(): void;
}

/**
 * Decodes to `sampleRateHz`, one of the rates of libopus.
 *
 * @param emit takes the samples of each packet, valid during the call only, of which those from
 *   `start` to before `end` are to be heard
 */
function createOpusStream({
  head,
  sampleRateHz,
  emit,
}: {
  head: OpusHead;
  sampleRateHz: number;
  emit: (samples: Int16Array, start: number, end: number) => void;
}): OpusStream {
  const atOurRate = (samples48k: number) => Math.round((samples48k * sampleRateHz) / RATE_48K_HZ);
  const decoder = new OpusDecoder({ sampleRateHz, outputGain: head.outputGain });
  const damage = damageLimit('Opus');
  /** Samples still to be dropped from the beginning. */
  let skip = atOurRate(head.preSkip48k);

  return {
    packet(packet, trimEnd48k) {
      const samples = decoder.decode(packet);
      damage.count(samples !== undefined);
      if (samples === undefined) return;
      const start = Math.min(skip, samples.length);
      skip -= start;
      const end = Math.max(start, samples.length - atOurRate(trimEnd48k));
      emit(samples, start, end);
    },
    free: () => decoder.free(),
  };
}

// How much of a track may be damaged.

/** Packets in a row: half a second at the usual 20 ms. */
const MAX_FAILURES = 25;

interface DamageLimit {
  /** @throws ServiceError audio_format_unsupported when too many packets in a row were no good */
  count(wasGood: boolean): void;
}

/** @param codec the name of what was expected */
function damageLimit(codec: string): DamageLimit {
  let failures = 0;
  return {
    count(wasGood) {
      failures = wasGood ? 0 : failures + 1;
      if (failures <= MAX_FAILURES) return;
      throw new ServiceError(
        'audio_format_unsupported',
        `More than ${MAX_FAILURES} packets in a row could not be decoded; ${codec} was expected.`,
      );
    },
  };
}
