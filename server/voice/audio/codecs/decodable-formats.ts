/** Which formats can be decoded, what their readers take and give, and how their failures are worded. */
import { ServiceError } from '../../../../shared/errors.ts';
import {
  parseSourceMediaType,
  sourceMediaTypes,
  type AudioFormat,
} from '../../../../shared/media-type.ts';

/** The contract allows 1 s a chunk; containers cut where their packets end, hence the quarter more. */
export const MAX_CHUNK_MS = 1250;

/** Codecs that containers may hold. */
export type Codec = 'opus' | 'flac' | 'mp3' | 'aac' | 'vorbis';

/** FFmpeg's name of the form in which it gets frames: MP3, AAC in ADTS, Vorbis in Ogg. */
export type Coding = 'mp3' | 'aac' | 'ogg';

/** What readers give: samples that are decoded already, or frames that FFmpeg is to decode. */
export interface AudioSink {
  /** Samples of one channel, valid during the call only; those from `start` to before `end` are to be heard. */
  samples(samples: Int16Array, sampleRateHz: number, start?: number, end?: number): void;
  /** Frames follow that have nothing to do with those before. */
  startCoded(coding: Coding): void;
  /**
   * Frames for FFmpeg, valid during the call only.
   *
   * @param durationMs how long they play; undefined where only decoding tells
   * @param leastMs how long they play at least, where that is all that can be told
   */
  coded(bytes: Uint8Array, durationMs: number | undefined, leastMs?: number): void;
  /** That many bytes of what was pushed were skipped unread, as part of a large tag or picture. */
  readonly passedOver: (sizeBytes: number) => void;
}

/** A format's own part: bytes in, audio out. */
export interface AudioSource {
  /** @throws ServiceError audio_format_unsupported, audio_not_mono, and what the sink throws */
  push(chunk: Uint8Array): void;
  /** Bytes are missing here, and another file may begin. */
  gap(): void;
  /** Gives what the end of the stream settles. */
  end(): void;
  free(): void;
}

/** Packets of one track, as containers hold them, to audio. */
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
  /** What the container says about the track: OpusHead, STREAMINFO, AudioSpecificConfig, … */
  setup: Uint8Array;
  /** Rate to which Opus is decoded. */
  opusRateHz: number;
  sink: AudioSink;
}

/** Makes the decoder of one codec. @throws ServiceError audio_format_unsupported, audio_not_mono */
export type CreateTrackDecoder = (options: TrackDecoderOptions) => TrackDecoder;

/** Whether a packet begins with these bytes. */
export function startsWith(packet: Uint8Array, prefix: Uint8Array): boolean {
  return prefix.every((byte, index) => packet[index] === byte);
}

/**
 * Content types that can be decoded: without FFmpeg those that name a codec for which it is needed
 * are missing. Of containers alone the codec shows only when it comes.
 */
export function decodableContentTypes({ hasFfmpeg }: { hasFfmpeg: boolean }): readonly string[] {
  return sourceMediaTypes.filter((contentType) => {
    const format = parseSourceMediaType(contentType);
    return hasFfmpeg || format === undefined || declaredCoding(format) === undefined;
  });
}

/** What FFmpeg will be given, where the content type tells; undefined when it is not needed, or not known to be. */
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
    'A chunk may hold at most one second of audio; 50 to 250 ms are best.',
  );
}

/**
 * @param codec its name as people know it
 * @param channels 0 when the audio does not say
 */
export function notMono(codec: string, channels: number): ServiceError {
  const found = channels === 0 ? 'an unknown number of' : `${channels}`;
  return new ServiceError(
    'audio_not_mono',
    `The ${codec} audio has ${found} channels; audio of one channel is expected.`,
  );
}

/** @param found what came instead, as people know it */
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

// How much of a track may be damaged.

/** Packets in a row: half a second at the usual 20 ms. */
const MAX_FAILURES = 25;

export interface DamageLimit {
  /** @throws ServiceError audio_format_unsupported when too many packets in a row were no good */
  count(wasGood: boolean): void;
}

/** @param codec the name of what was expected */
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
