/** Which formats can be decoded, the limits that hold for all of them, and how their failures are worded. */
import { ServiceError } from '../../../../shared/errors.ts';
import type { Coding } from './audio-sink.ts';
import {
  parseSourceMediaType,
  sourceMediaTypes,
  type AudioFormat,
} from '../../../../shared/media-type.ts';

/** The contract allows 1 s a chunk; containers cut where their packets end, hence the quarter more. */
export const MAX_CHUNK_MS = 1250;

/** Codecs that containers may hold. */
export type Codec = 'opus' | 'flac' | 'mp3' | 'aac' | 'vorbis';

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
 * @param channels 0 when the audio does not tell
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
