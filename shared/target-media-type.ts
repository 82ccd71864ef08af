/** What a `target_media_content_type` says about the speech that is sent. */
export interface TargetMediaFormat {
  /** Spelling of the contract, without blanks. */
  contentType: string;
  container: 'pcm' | 'ogg' | 'webm' | 'matroska' | 'mpegts' | 'flac';
  codec: 's16le' | 'alaw' | 'ulaw' | 'opus' | 'flac' | 'aac';
  /** Rate of the sound that a player decodes. */
  sampleRateHz: number;
}

/** The target media content types of the voice protocol, in the order of its documents. */
export const targetMediaTypes = [
  'audio/flac',
  'video/mp2t;codecs=aac',
  'video/mp2t;codecs=opus',
  'audio/ogg',
  'audio/ogg;codecs=flac',
  'audio/ogg;codecs=opus',
  'audio/opus',
  'audio/webm',
  'audio/webm;codecs=opus',
  'audio/x-matroska;codecs=aac',
  'audio/x-matroska;codecs=flac',
  'audio/x-matroska;codecs=opus',
  'audio/pcm;encoding=alaw;rate=8000',
  'audio/pcm;encoding=ulaw;rate=8000',
  'audio/pcm;encoding=s16le;rate=16000',
  'audio/pcm;encoding=s16le;rate=24000',
] as const;

export const defaultTargetMediaType = 'audio/webm;codecs=opus';

const containers: Record<string, TargetMediaFormat['container']> = {
  'audio/flac': 'flac',
  'audio/ogg': 'ogg',
  // The name of Opus in Ogg for files ending in .opus; bare packets could not be separated.
  'audio/opus': 'ogg',
  'audio/pcm': 'pcm',
  'audio/webm': 'webm',
  'audio/x-matroska': 'matroska',
  'video/mp2t': 'mpegts',
};

/** Opus is always decoded at 48 kHz; the others have what speech needs. */
const ratesHz = { opus: 48_000, flac: 24_000, aac: 24_000 } as const;

const formats = new Map(
  targetMediaTypes.map((contentType) => [sortedParts(contentType), describe(contentType)]),
);

/**
 * Reads a content type of the contract; blanks after `;`, quotes and letter case do not matter.
 * Returns undefined for anything that is not one of {@link targetMediaTypes}.
 */
export function parseTargetMediaType(text: string): TargetMediaFormat | undefined {
  return formats.get(sortedParts(text));
}

/** Parameters may come in any order. */
function sortedParts(text: string): string {
  const [type = '', ...parameters] = text
    .toLowerCase()
    .split(';')
    .map((part) => part.trim().replace(/\s*=\s*"?([^"]*)"?$/, '=$1'));
  return [type, ...parameters.filter(Boolean).sort()].join(';');
}

function describe(contentType: string): TargetMediaFormat {
  const [type = '', ...parameters] = contentType.split(';');
  const values = new Map(parameters.map((part) => part.split('=') as [string, string]));
  const container = containers[type] ?? 'pcm';
  if (container === 'pcm') {
    const codec = values.get('encoding') as 's16le' | 'alaw' | 'ulaw';
    return { contentType, container, codec, sampleRateHz: Number(values.get('rate')) };
  }
  const usual = container === 'flac' ? 'flac' : 'opus';
  const codec = (values.get('codecs') ?? usual) as keyof typeof ratesHz;
  return { contentType, container, codec, sampleRateHz: ratesHz[codec] };
}
