/** Which formats can be decoded, and the limits that hold for all of them. */
import { ServiceError } from '../../../shared/errors.ts';
import {
  parseSourceMediaType,
  sourceMediaTypes,
  type AudioFormat,
} from '../../../shared/media-type.ts';

/** The contract allows 1 s a chunk; containers cut where their packets end, hence the quarter more. */
export const MAX_CHUNK_MS = 1250;

/** Content types that can be decoded. */
export const decodableContentTypes: readonly string[] = sourceMediaTypes.filter((contentType) => {
  const format = parseSourceMediaType(contentType);
  return format !== undefined && isDecodable(format);
});

/** Containers without a `codecs` parameter may hold anything; Opus inside can be decoded. */
export function isDecodable({ container, codec }: AudioFormat): boolean {
  if (container === 'pcm') return true;
  const isRead = container === 'ogg' || container === 'webm' || container === 'matroska';
  return isRead && (codec === undefined || codec === 'opus');
}

export function formatUnsupported({ contentType }: AudioFormat): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    `Audio of type "${contentType}" cannot be decoded here. Supported: ${decodableContentTypes.join(', ')}.`,
  );
}

export function chunkTooLarge(): ServiceError {
  return new ServiceError(
    'chunk_too_large',
    'A chunk may hold at most one second of audio; 50 to 250 ms are best.',
  );
}
