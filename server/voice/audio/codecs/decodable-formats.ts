/** Decodable formats, the interfaces of their readers, and the wording of their failures. */
import { ServiceError } from '../../../../shared/errors.ts';
import {
  parseSourceMediaType,
  sourceMediaTypes,
  type AudioFormat,
} from '../../../../shared/media-type.ts';

/**
 * Most sound in a chunk, in ms: as much as an answer of the decoding process has room for. Many seconds of a
 * pause take no more bytes than a quarter of a second of speech, and clients cut files into chunks of one size.
 */
export const MAX_CHUNK_MS = 20_000;

/** Codecs that containers may hold. */
export type Codec = 'opus' | 'flac' | 'mp3' | 'aac' | 'vorbis';

/** FFmpeg's name for the form of its input: MP3, AAC in ADTS, Vorbis in Ogg. */
export type Coding = 'mp3' | 'aac' | 'ogg';

/** Receives the output of a reader: decoded samples, or frames for FFmpeg to decode. */
export interface AudioSink {
  /** Takes mono samples, valid during the call only; those from `start` to before `end` are audible. */
  samples(samples: Int16Array, sampleRateHz: number, start?: number, end?: number): void;
  /** Announces frames that are independent of earlier ones. */
  startCoded(coding: Coding): void;
  /**
   * Takes frames for FFmpeg, valid during the call only.
   *
   * @param durationMs playing time; undefined when only decoding can tell
   * @param leastMs minimum playing time, when no more is known
   */
  coded(bytes: Uint8Array, durationMs: number | undefined, leastMs?: number): void;
  /** Reports that bytes of the input were skipped unread, as part of a large tag or picture. */
  readonly passedOver: (sizeBytes: number) => void;
}

/** Reader of one format: takes bytes, outputs audio. */
export interface AudioSource {
  /** @throws ServiceError audio_format_unsupported, audio_not_mono, and errors of the sink */
  push(chunk: Uint8Array): void;
  /** Reports missing bytes, after which another file may begin. */
  gap(): void;
  /** Delivers what only the end of the stream determines. */
  end(): void;
  free(): void;
}

/** Decodes the packets of one track of a container. */
export interface TrackDecoder {
  /**
   * Takes a packet, valid during the call only.
   *
   * @param trimEnd48k samples at 48 kHz to drop from its end, where the codec cannot tell
   * @throws ServiceError audio_format_unsupported when the packets are not of the codec, audio_not_mono
   */
  packet(packet: Uint8Array, trimEnd48k: number): void;
  free(): void;
}

export interface TrackDecoderOptions {
  /** The container's description of the track: OpusHead, STREAMINFO, AudioSpecificConfig, … */
  setup: Uint8Array;
  /** Rate to which Opus is decoded. */
  opusRateHz: number;
  sink: AudioSink;
}

/** Creates the decoder of one codec. @throws ServiceError audio_format_unsupported, audio_not_mono */
export type CreateTrackDecoder = (options: TrackDecoderOptions) => TrackDecoder;

/** Whether a packet begins with these bytes. */
export function startsWith(packet: Uint8Array, prefix: Uint8Array): boolean {
  return prefix.every((byte, index) => packet[index] === byte);
}

/**
 * Lists the content types that can be decoded. Without FFmpeg, those that name a codec it decodes are
 * missing; a container's codec is known only when its data arrives.
 */
export function decodableContentTypes({ hasFfmpeg }: { hasFfmpeg: boolean }): readonly string[] {
  return sourceMediaTypes.filter((contentType) => {
    const format = parseSourceMediaType(contentType);
    return hasFfmpeg || format === undefined || declaredCoding(format) === undefined;
  });
}

/** Returns FFmpeg's input format, if the content type tells that FFmpeg is needed. */
export function declaredCoding({ container, codec }: AudioFormat): Coding | undefined {
  if (container === 'mpeg' || codec === 'mp3') return 'mp3';
  return codec === 'aac' ? 'aac' : undefined;
}

export function formatUnsupported(
  { contentType }: AudioFormat,
  supported: readonly string[],
): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    `Audio of type "${contentType}" cannot be decoded here. Supported: ${supported.join(', ')}.`,
  );
}

export function ffmpegMissing(): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    'Audio of this codec cannot be decoded here: FFmpeg is not installed. Opus, FLAC and PCM need none.',
  );
}

export function chunkTooLarge(): ServiceError {
  return new ServiceError(
    'chunk_too_large',
    `A chunk may hold at most ${MAX_CHUNK_MS / 1000} s of audio; 50 to 250 ms are best.`,
  );
}

/**
 * @param codec display name of the codec
 * @param channels 0 when the audio does not say
 */
export function notMono(codec: string, channels: number): ServiceError {
  const found = channels === 0 ? 'an unknown number of' : `${channels}`;
  return new ServiceError(
    'audio_not_mono',
    `The ${codec} audio has ${found} channels; audio of one channel is expected.`,
  );
}

/** @param found display name of the format found instead */
export function notAsDeclared(format: AudioFormat, found: string): ServiceError {
  if (format.container === 'auto') return notDetectable(found);
  return new ServiceError(
    'audio_format_unsupported',
    `The audio is ${found}, which is not of the type "${format.contentType}" that was declared.`,
  );
}

function notDetectable(found: string): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    `The audio is ${found}, which cannot be read here. Send Ogg, WebM, Matroska, FLAC, MP3 or AAC (ADTS), ` +
      'or the samples themselves in a session of type "audio/pcm;encoding=s16le;rate=16000".',
  );
}

// Limit on damage in a track.

/** Most damaged packets in a row: half a second at the usual 20 ms. */
const MAX_FAILURES = 25;

export interface DamageLimit {
  /** @throws ServiceError audio_format_unsupported when too many packets in a row were damaged */
  count(wasGood: boolean): void;
}

/** @param codec display name of the expected codec */
export function damageLimit(codec: string): DamageLimit {
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
