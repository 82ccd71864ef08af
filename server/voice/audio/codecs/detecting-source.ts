/** Audio in a container: looks at its first bytes, and again where bytes are missing. */
import type { AudioFormat } from '../../../../shared/media-type.ts';
import type { AudioSource } from './audio-sink.ts';
import {
  DETECTION_BYTES,
  detectContainer,
  unknownContainer,
  type DetectedContainer,
  type Detection,
} from './container-detection.ts';
import { createContainerSource, type ContainerSourceOptions } from './container-sources.ts';
import { notAsDeclared } from './decodable-formats.ts';

/** What the containers that can be declared are read as. */
const declared: Record<Exclude<AudioFormat['container'], 'pcm' | 'auto'>, DetectedContainer> = {
  ogg: 'ogg',
  webm: 'matroska',
  matroska: 'matroska',
  flac: 'flac',
  mpeg: 'mpeg',
};

/** @throws ServiceError audio_format_unsupported, from `push`, when it is not of the declared format */
export function createDetectingSource(options: ContainerSourceOptions): AudioSource {
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
