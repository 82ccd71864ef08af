/** The format of incoming audio, as described by `source_media_content_type`. */
export interface AudioFormat {
  /** Spelling of the API, without blanks: `audio/pcm;encoding=s16le;rate=16000`. */
  contentType: string;
  container: 'pcm' | (typeof containers)[keyof typeof containers];
  /** Codec inside the container; undefined if only the container tells. */
  codec: 's16le' | 'alaw' | 'ulaw' | 'opus' | 'flac' | 'aac' | 'mp3' | undefined;
  /** Samples per second; known in advance only for PCM. */
  sampleRateHz: number | undefined;
}

const containers = {
  'audio/auto': 'auto',
  'audio/flac': 'flac',
  'audio/mpeg': 'mpeg',
  'audio/ogg': 'ogg',
  'audio/webm': 'webm',
  'audio/x-matroska': 'matroska',
} as const;

/** The source media content types of the voice protocol, in the order of its documentation. */
export const sourceMediaTypes = [
  'audio/auto',
  'audio/flac',
  'audio/mpeg',
  'audio/ogg',
  'audio/webm',
  'audio/x-matroska',
  'audio/ogg;codecs=flac',
  'audio/ogg;codecs=opus',
  'audio/webm;codecs=opus',
  'audio/x-matroska;codecs=aac',
  'audio/x-matroska;codecs=flac',
  'audio/x-matroska;codecs=mp3',
  'audio/x-matroska;codecs=opus',
  'audio/pcm;encoding=alaw;rate=8000',
  'audio/pcm;encoding=ulaw;rate=8000',
  'audio/pcm;encoding=s16le;rate=8000',
  'audio/pcm;encoding=s16le;rate=16000',
  'audio/pcm;encoding=s16le;rate=44100',
  'audio/pcm;encoding=s16le;rate=48000',
] as const;

/**
 * Parses a content type of the API; blanks after `;`, quotes and letter case do not matter. Returns
 * undefined for anything that is not one of {@link sourceMediaTypes}.
 */
export function parseSourceMediaType(text: string): AudioFormat | undefined {
  const [type = '', ...rest] = currentName(text.toLowerCase())
    .split(';')
    .map((part) => part.trim().replace(/\s*=\s*/, '='));
  const parameters = new Map(
    rest.filter(Boolean).map((part) => {
      const [name = '', value = ''] = part.split('=');
      return [name, value.replaceAll('"', '')] as const;
    }),
  );
  const names = type === 'audio/pcm' ? ['encoding', 'rate'] : ['codecs'];
  const known = names.filter((name) => parameters.has(name));
  const contentType = [type, ...known.map((name) => `${name}=${parameters.get(name)}`)].join(';');
  if (known.length !== parameters.size || !sourceMediaTypes.some((each) => each === contentType)) {
    return undefined;
  }
  if (type === 'audio/pcm') {
    const codec = parameters.get('encoding') as 's16le' | 'alaw' | 'ulaw';
    return { contentType, container: 'pcm', codec, sampleRateHz: Number(parameters.get('rate')) };
  }
  const container = containers[type as keyof typeof containers];
  const codec = parameters.get('codecs') as AudioFormat['codec'];
  return { contentType, container, codec, sampleRateHz: undefined };
}

/** Some clients write `audio/opus;container=ogg` for `audio/ogg;codecs=opus`. */
function currentName(text: string): string {
  const [, container] =
    /^\s*audio\/opus\s*;\s*container\s*=\s*(ogg|webm|matroska)\s*$/.exec(text) ?? [];
  if (container === undefined) return text;
  return `audio/${container === 'matroska' ? 'x-matroska' : container};codecs=opus`;
}

/** Returns the size of one sample of a PCM format (one channel), in bytes. */
export function bytesPerSample(codec: AudioFormat['codec']): number {
  return codec === 's16le' ? 2 : 1;
}
