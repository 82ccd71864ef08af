/** The format of synthesised speech, as described by `target_media_content_type`. */
export interface TargetMediaFormat {
  /** Spelling of the API, without blanks. */
  contentType: string;
  container: 'pcm' | 'ogg' | 'webm' | 'matroska' | 'mpegts' | 'flac';
  codec: 's16le' | 'alaw' | 'ulaw' | 'opus' | 'flac' | 'aac';
  /** Sample rate of the decoded audio. */
  sampleRateHz: number;
}

/** The target media content types of the voice protocol, in the order of its documentation. */
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
  // Name of Opus in Ogg, as in .opus files; bare packets would have no boundaries.
  'audio/opus': 'ogg',
  'audio/pcm': 'pcm',
  'audio/webm': 'webm',
  'audio/x-matroska': 'matroska',
  'video/mp2t': 'mpegts',
};

/** Opus always decodes at 48 kHz; the other codecs use a rate sufficient for speech. */
const ratesHz = { opus: 48_000, flac: 24_000, aac: 24_000 } as const;

const formats = new Map(
  targetMediaTypes.map((contentType) => [sortedParts(contentType), describe(contentType)]),
);

/**
 * Parses a content type of the API; blanks after `;`, quotes and letter case do not matter. Returns
 * undefined for anything that is not one of {@link targetMediaTypes}.
 */
export function parseTargetMediaType(text: string): TargetMediaFormat | undefined {
  return formats.get(sortedParts(text));
}

/** Normalises a content type; parameters may come in any order. */
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
