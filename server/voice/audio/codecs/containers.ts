/** Reads audio in containers, which are detected by their first bytes, and again after a gap. */
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
  id3v2TagBytes,
  ID3V2_HEADER_BYTES,
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

/**
 * @throws ServiceError audio_format_unsupported, from `push`, when the data does not match the declared
 *   format
 */
export function createContainedSource(options: ContainerSourceOptions): AudioSource {
  const { format } = options;
  const expected = expectedContainer(format);
  let source: AudioSource | undefined;
  let container: ContainerName | undefined;
  /** First bytes, until they suffice for detection; undefined afterwards. */
  let first: Uint8Array | undefined = new Uint8Array();
  const tag = createTagSkip(options.sink);

  function open(found: ContainerName): void {
    source?.free();
    container = found;
    source = containers[found].open(options);
  }

  /** Continues with the current container, unless another one certainly begins here. */
  function choose(detection: Detection): void {
    const found = detection.container;
    const isCertain = tag.isPresent || detection.isCertain;
    if (source !== undefined && (!isCertain || found === container)) return;
    // An MP3 stream may begin in the middle of a frame, or with other bytes between a tag and the first one.
    const mayBeMpeg = expected === 'mpeg' || (tag.isPresent && expected === undefined);
    const begins = detection === unknownContainer && mayBeMpeg ? 'mpeg' : found;
    if (begins === undefined || (expected !== undefined && begins !== expected)) {
      throw notAsDeclared(format, detection.name);
    }
    open(begins);
  }

  function look(): void {
    if (first === undefined) return;
    const bytes = first;
    // Files of MP3 are read with their tags.
    if (expected !== 'mpeg' && tag.begins(bytes)) {
      first = new Uint8Array();
      return;
    }
    first = undefined;
    choose(detectContainer(bytes));
    source?.push(bytes);
  }

  return {
    push(chunk) {
      let rest = chunk;
      while (first !== undefined && rest.length > 0) {
        rest = tag.after(rest);
        const missing = DETECTION_BYTES - first.length;
        first = Buffer.concat([first, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (first.length === DETECTION_BYTES) look();
      }
      if (rest.length > 0) source?.push(rest);
    },
    gap() {
      source?.gap();
      first = new Uint8Array();
      tag.forget();
    },
    end() {
      if (first !== undefined && first.length > 0) look();
      source?.end();
    },
    free: () => source?.free(),
  };
}

/** Passes over ID3 tags before a file. */
function createTagSkip(sink: AudioSink) {
  let leftBytes = 0;
  return {
    /** Whether a tag precedes what is read now. */
    isPresent: false,
    /** Whether these are the first bytes of a tag, which is then passed over. */
    begins(bytes: Uint8Array): boolean {
      const sizeBytes = id3v2TagBytes(bytes, 0);
      if (sizeBytes === undefined || bytes.length < DETECTION_BYTES) return false;
      leftBytes = sizeBytes - bytes.length;
      this.isPresent = true;
      return true;
    },
    /** Returns what follows the tag in a chunk. */
    after(chunk: Uint8Array): Uint8Array {
      const skipped = Math.min(leftBytes, chunk.length);
      leftBytes -= skipped;
      if (skipped > 0) sink.passedOver(skipped);
      return chunk.subarray(skipped);
    },
    forget(): void {
      leftBytes = 0;
      this.isPresent = false;
    },
  };
}

/** Returns the declared container; undefined when the declaration leaves it open. */
function expectedContainer({ container }: AudioFormat): ContainerName | undefined {
  if (container === 'auto' || container === 'pcm') return undefined;
  return container === 'webm' ? 'matroska' : container;
}

// Detection by the first bytes.

/** Number of bytes with which {@link detectContainer} can always decide; the header of a tag has as many. */
const DETECTION_BYTES = ID3V2_HEADER_BYTES;

/** Bytes that begin a file, or a page that begins a stream. */
interface Magic {
  bytes: Uint8Array;
  at?: number;
}

interface Container {
  /** Display name. */
  name: string;
  /** Undefined for formats that consist of bare frames. */
  magic?: Magic;
  open: (options: ContainerSourceOptions) => AudioSource;
}

/** The containers that can be read. */
const containers = {
  ogg: { name: 'Ogg', magic: { bytes: Buffer.from('OggS') }, open: createOggSource },
  matroska: {
    name: 'WebM or Matroska',
    magic: { bytes: Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3) },
    open: createMatroskaSource,
  },
  flac: {
    name: 'FLAC',
    magic: { bytes: Buffer.from('fLaC') },
    open: ({ sink }) => createFlacSource(sink),
  },
  mpeg: {
    name: 'MP3',
    magic: { bytes: Buffer.from('ID3') },
    // Behind a tag may be AAC just as well.
    open: ({ format, sink }) =>
      createMpegSource(format.container === 'mpeg' ? ['mp3'] : ['mp3', 'adts'], sink),
  },
  adts: { name: 'AAC (ADTS)', open: ({ sink }) => createMpegSource(['adts'], sink) },
} satisfies Record<string, Container>;

type ContainerName = keyof typeof containers;

/** Formats that are recognised only to name them in errors. */
const others: readonly { name: string; magic: Magic }[] = [
  { name: 'a WAV file', magic: { bytes: Buffer.from('RIFF') } },
  { name: 'an MP4 file', magic: { bytes: Buffer.from('ftyp'), at: 4 } },
];

interface Detection {
  container: ContainerName | undefined;
  /** Display name. */
  name: string;
  /** Whether a file certainly begins here, rather than by coincidence. */
  isCertain: boolean;
}

/** Detection result for unknown formats. */
const unknownContainer: Detection = {
  container: undefined,
  name: 'of an unknown format',
  isCertain: false,
};

/** @param bytes the first {@link DETECTION_BYTES}, or fewer if the stream has ended */
function detectContainer(bytes: Uint8Array): Detection {
  const begins = ({ magic }: { magic?: Magic }): boolean =>
    magic !== undefined &&
    magic.bytes.every((byte, index) => bytes[(magic.at ?? 0) + index] === byte);
  for (const [name, container] of Object.entries<Container>(containers)) {
    if (!begins(container)) continue;
    // Bit 1 of the sixth byte of an Ogg page marks the beginning of a stream.
    const isCertain = name !== 'ogg' || ((bytes[5] ?? 0) & 2) !== 0;
    return detected(name as ContainerName, isCertain);
  }
  const other = others.find(begins);
  if (other !== undefined) return { container: undefined, name: other.name, isCertain: true };
  if (readMp3Header(bytes, 0) !== undefined) return detected('mpeg', false);
  if (readAdtsHeader(bytes, 0) !== undefined) return detected('adts', false);
  return unknownContainer;
}

function detected(container: ContainerName, isCertain: boolean): Detection {
  return { container, name: containers[container].name, isCertain };
}

// Codecs in containers.

/** Display names of the codecs and their decoders. */
const codecs: Record<Codec, { name: string; createTrack: CreateTrackDecoder }> = {
  opus: { name: 'Opus', createTrack: createOpusTrack },
  flac: { name: 'FLAC', createTrack: createFlacTrack },
  mp3: { name: 'MP3', createTrack: createMp3Track },
  aac: { name: 'AAC', createTrack: createAacTrack },
  vorbis: { name: 'Vorbis', createTrack: createVorbisTrack },
};

/** Holds the decoder of the current track. */
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

/** Codecs that WebM allows. */
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
    // Every WebM document is Matroska as well, but not vice versa.
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
  // Old muxers append the profile, as in A_AAC/MPEG4/LC.
  const codec = matroskaCodecs[codecId.startsWith('A_AAC') ? 'A_AAC' : codecId];
  if (codec !== undefined) return codec;
  // Quoted as the sender wrote it, if it looks like a name.
  const name = /^[A-Z0-9_/.]{1,32}$/.test(codecId) ? codecId : 'of an unknown codec';
  throw malformed(`its first audio track is ${name}`);
}
