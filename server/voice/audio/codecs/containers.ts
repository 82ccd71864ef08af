/** Audio in containers: recognised by its first bytes, again wherever bytes are missing, and read. */
import type { AudioFormat } from '../../../../shared/media-type.ts';
import {
  notAsDeclared,
  type AudioSink,
  type AudioSource,
  type Codec,
  type CreateTrackDecoder,
  type TrackDecoder,
} from './decodable-formats.ts';
import { malformed } from './ebml.ts';
import { createFlacSource, createFlacTrack } from './flac-reader.ts';
import {
  createAacTrack,
  createMp3Track,
  createMpegSource,
  readAdtsHeader,
  readMp3Header,
} from './mpeg-audio.ts';
import { OggReader, readAudioFromOgg } from './ogg-reader.ts';
import { createOpusTrack } from './opus.ts';
import { createVorbisTrack, unpackVorbisHeaders } from './vorbis.ts';
import { WebmReader, type AudioTrack } from './webm-reader.ts';

export interface ContainerSourceOptions {
  format: AudioFormat;
  /** Rate to which Opus is decoded. */
  opusRateHz: number;
  sink: AudioSink;
}

/** What the containers that can be declared are read as. */
const declared: Record<Exclude<AudioFormat['container'], 'pcm' | 'auto'>, DetectedContainer> = {
  ogg: 'ogg',
  webm: 'matroska',
  matroska: 'matroska',
  flac: 'flac',
  mpeg: 'mpeg',
};

/** @throws ServiceError audio_format_unsupported, from `push`, when it is not of the declared format */
export function createContainedSource(options: ContainerSourceOptions): AudioSource {
  const { format } = options;
  const expected =
    format.container === 'auto' || format.container === 'pcm'
      ? undefined
      : declared[format.container];
  let source: AudioSource | undefined;
  let container: DetectedContainer | undefined;
  /** The first bytes, as long as they are too few; undefined once they have been looked at. */
  let first: Uint8Array | undefined = new Uint8Array();

  function open(found: DetectedContainer): void {
    source?.free();
    container = found;
    source = createContainerSource(found, options);
  }

  /** Goes on with what was begun, unless something else certainly begins here. */
  function choose(detection: Detection): void {
    const found = detection.container;
    if (source !== undefined && (!detection.isCertain || found === container)) return;
    // A stream of MP3 may begin in the middle of a frame.
    const begins = detection === unknownContainer && expected === 'mpeg' ? expected : found;
    if (begins === undefined || (expected !== undefined && begins !== expected)) {
      throw notAsDeclared(format, detection.name);
    }
    open(begins);
  }

  function look(): void {
    if (first === undefined) return;
    const bytes = first;
    first = undefined;
    choose(detectContainer(bytes));
    source?.push(bytes);
  }

  return {
    push(chunk) {
      if (first === undefined) {
        source?.push(chunk);
        return;
      }
      const missing = DETECTION_BYTES - first.length;
      first = Buffer.concat([first, chunk.subarray(0, missing)]);
      if (first.length < DETECTION_BYTES) return;
      look();
      if (chunk.length > missing) source?.push(chunk.subarray(missing));
    },
    gap() {
      source?.gap();
      first = new Uint8Array();
    },
    end() {
      if (first !== undefined && first.length > 0) look();
      source?.end();
    },
    free: () => source?.free(),
  };
}

// What the first bytes tell.

/** Bytes after which {@link detectContainer} always knows. */
const DETECTION_BYTES = 8;

/** Containers we read, and others that are known by name only. */
type DetectedContainer = 'ogg' | 'matroska' | 'flac' | 'mpeg' | 'adts';

interface Detection {
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

/** None that we know. */
const unknownContainer: Detection = {
  container: undefined,
  name: 'of an unknown format',
  isCertain: false,
};

/** @param bytes the first {@link DETECTION_BYTES}, or fewer when no more came */
function detectContainer(bytes: Uint8Array): Detection {
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

// What is read: containers, and the codecs in them.

/** As people know a codec, and how packets of it become audio. */
const codecs: Record<Codec, { name: string; createTrack: CreateTrackDecoder }> = {
  opus: { name: 'Opus', createTrack: createOpusTrack },
  flac: { name: 'FLAC', createTrack: createFlacTrack },
  mp3: { name: 'MP3', createTrack: createMp3Track },
  aac: { name: 'AAC', createTrack: createAacTrack },
  vorbis: { name: 'Vorbis', createTrack: createVorbisTrack },
};

function createContainerSource(
  container: DetectedContainer,
  options: ContainerSourceOptions,
): AudioSource {
  switch (container) {
    case 'ogg':
      return createOggSource(options);
    case 'matroska':
      return createMatroskaSource(options);
    case 'flac':
      return createFlacSource(options.sink);
    case 'mpeg':
    case 'adts':
      return createMpegSource(container, options.sink);
  }
}

/** The track that is decoded at a time. */
function createTrackSlot({ format, opusRateHz, sink }: ContainerSourceOptions) {
  let decoder: TrackDecoder | undefined;
  return {
    start(codec: Codec, setup: Uint8Array): void {
      const isWelcome =
        format.codec === undefined
          ? format.container !== 'webm' || webmCodecs.has(codec)
          : format.codec === codec;
      if (!isWelcome) throw notAsDeclared(format, codecs[codec].name);
      decoder?.free();
      decoder = codecs[codec].createTrack({ setup, opusRateHz, sink });
    },
    packet: (packet: Uint8Array, trimEnd48k: number) => decoder?.packet(packet, trimEnd48k),
    free: () => decoder?.free(),
  };
}

/** All that may be in a WebM. */
const webmCodecs: ReadonlySet<Codec> = new Set(['opus', 'vorbis']);

function createOggSource(options: ContainerSourceOptions): AudioSource {
  const slot = createTrackSlot(options);
  const audio = readAudioFromOgg(slot);
  const reader = new OggReader(audio);
  return {
    push: (chunk) => reader.push(chunk),
    gap() {
      reader.resync();
      audio.gap();
    },
    end: () => undefined,
    free: slot.free,
  };
}

function createMatroskaSource(options: ContainerSourceOptions): AudioSource {
  const slot = createTrackSlot(options);
  const { format, sink } = options;
  const reader = new WebmReader({
    // Every WebM is Matroska as well; not the other way round.
    document(docType) {
      if (format.container === 'webm' && docType !== 'webm')
        throw notAsDeclared(format, 'Matroska');
    },
    track(track) {
      const codec = codecOf(track);
      if (codec === 'vorbis') {
        const [head = new Uint8Array(), ...headers] = unpackVorbisHeaders(track.codecPrivate);
        slot.start(codec, head);
        for (const header of headers) slot.packet(header, 0);
      } else slot.start(codec, track.codecPrivate);
    },
    packet: (packet, discardPaddingNs) => slot.packet(packet, (discardPaddingNs * 48) / 1e6),
    passedOver: sink.passedOver,
  });
  return {
    push: (chunk) => reader.push(chunk),
    gap: () => reader.resync(),
    end: () => undefined,
    free: slot.free,
  };
}

const matroskaCodecs: Readonly<Record<string, Codec>> = {
  A_OPUS: 'opus',
  A_FLAC: 'flac',
  'A_MPEG/L3': 'mp3',
  A_AAC: 'aac',
  A_VORBIS: 'vorbis',
};

function codecOf({ codecId }: AudioTrack): Codec {
  // Old writers append the profile: A_AAC/MPEG4/LC.
  const codec = matroskaCodecs[codecId.startsWith('A_AAC') ? 'A_AAC' : codecId];
  if (codec !== undefined) return codec;
  // As the sender wrote it, if it looks like a name.
  const name = /^[A-Z0-9_/.]{1,32}$/.test(codecId) ? codecId : 'of an unknown codec';
  throw malformed(`its first audio track is ${name}`);
}
