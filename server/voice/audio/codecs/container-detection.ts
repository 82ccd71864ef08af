/** Tells by its first bytes in what container audio comes. */
import { readAdtsHeader, readMp3Header } from './mpeg-audio.ts';

/** Bytes after which {@link detectContainer} always knows. */
export const DETECTION_BYTES = 8;

/** Containers we read, and others that are known by name only. */
export type DetectedContainer = 'ogg' | 'matroska' | 'flac' | 'mpeg' | 'adts';

export interface Detection {
  container: DetectedContainer | undefined;
  /** As people know it. */
  name: string;
  /** Not by chance: a file begins here. */
  isCertain: boolean;
}

/** Ids that begin a file, or a page that begins a stream. */
const magics: readonly {
  bytes: Uint8Array;
  at?: number;
  container?: DetectedContainer;
  name: string;
}[] = [
  { bytes: Buffer.from('OggS'), container: 'ogg', name: 'Ogg' },
  { bytes: Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3), container: 'matroska', name: 'WebM or Matroska' },
  { bytes: Buffer.from('fLaC'), container: 'flac', name: 'FLAC' },
  { bytes: Buffer.from('ID3'), container: 'mpeg', name: 'MP3' },
  { bytes: Buffer.from('RIFF'), name: 'a WAV file' },
  { bytes: Buffer.from('ftyp'), at: 4, name: 'an MP4 file' },
];

/** Nothing that we could tell. */
export const unknownContainer: Detection = {
  container: undefined,
  name: 'of an unknown format',
  isCertain: false,
};

/** @param bytes the first {@link DETECTION_BYTES}, or fewer when no more came */
export function detectContainer(bytes: Uint8Array): Detection {
  for (const { bytes: magic, at = 0, container, name } of magics) {
    if (!magic.every((byte, index) => bytes[at + index] === byte)) continue;
    // The sixth byte of a page says, among others, whether a stream begins with it.
    const isCertain = container !== 'ogg' || ((bytes[5] ?? 0) & 2) !== 0;
    return { container, name, isCertain };
  }
  if (readMp3Header(bytes, 0) !== undefined) {
    return { container: 'mpeg', name: 'MP3', isCertain: false };
  }
  if (readAdtsHeader(bytes, 0) !== undefined) {
    return { container: 'adts', name: 'AAC (ADTS)', isCertain: false };
  }
  return unknownContainer;
}
