/** A source of audio for each container. */
import type { AudioFormat } from '../../../../shared/media-type.ts';
import type { AudioSink, AudioSource } from './audio-sink.ts';
import type { DetectedContainer } from './container-detection.ts';
import { notAsDeclared, notMono, type Codec } from './decodable-formats.ts';
import { malformed } from './ebml.ts';
import { FlacReader } from './flac-reader.ts';
import type { MpegFrameHeader } from './mpeg-audio.ts';
import { MpegReader } from './mpeg-reader.ts';
import { readAudioFromOgg } from './ogg-audio.ts';
import { OggReader } from './ogg-reader.ts';
import { createTrackDecoder, type TrackDecoder } from './track-decoder.ts';
import { unpackVorbisHeaders } from './vorbis-header.ts';
import { WebmReader, type AudioTrack } from './webm-reader.ts';

export interface ContainerSourceOptions {
  format: AudioFormat;
  /** Rate to which Opus is decoded. */
  opusRateHz: number;
  sink: AudioSink;
}

export function createContainerSource(
  container: DetectedContainer,
  options: ContainerSourceOptions,
): AudioSource {
  switch (container) {
    case 'ogg':
      return createOggSource(options);
    case 'matroska':
      return createMatroskaSource(options);
    case 'flac':
      return createFlacSource(options);
    case 'mpeg':
    case 'adts':
      return createMpegSource(container, options);
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
      if (!isWelcome) throw notAsDeclared(format, codecNames[codec]);
      decoder?.free();
      decoder = createTrackDecoder({ codec, setup, opusRateHz, sink });
    },
    packet: (packet: Uint8Array, trimEnd48k: number) => decoder?.packet(packet, trimEnd48k),
    free: () => decoder?.free(),
  };
}

/** All that may be in a WebM. */
const webmCodecs: ReadonlySet<Codec> = new Set(['opus', 'vorbis']);

const codecNames: Record<Codec, string> = {
  opus: 'Opus',
  flac: 'FLAC',
  mp3: 'MP3',
  aac: 'AAC',
  vorbis: 'Vorbis',
};

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

function createFlacSource({ sink }: ContainerSourceOptions): AudioSource {
  const reader = new FlacReader(
    (samples, sampleRateHz) => sink.samples(samples, sampleRateHz),
    sink.passedOver,
  );
  return {
    push: (chunk) => reader.push(chunk),
    gap: () => reader.resync(),
    end: () => undefined,
    free: () => undefined,
  };
}

function createMpegSource(kind: 'mpeg' | 'adts', { sink }: ContainerSourceOptions): AudioSource {
  const [name, coding] = kind === 'mpeg' ? (['MP3', 'mp3'] as const) : (['AAC', 'aac'] as const);
  let hasStarted = false;
  function take(frame: Uint8Array, header: MpegFrameHeader): void {
    if (header.channels !== 1) throw notMono(name, header.channels);
    if (!hasStarted) sink.startCoded(coding);
    hasStarted = true;
    sink.coded(frame, (header.samples / header.sampleRateHz) * 1000);
  }
  const reader = new MpegReader(kind === 'mpeg' ? 'mp3' : 'adts', take, sink.passedOver);
  return {
    push: (chunk) => reader.push(chunk),
    gap: () => reader.resync(),
    end: () => reader.end(),
    free: () => undefined,
  };
}
