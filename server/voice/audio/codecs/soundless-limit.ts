/**
 * How much may come without any sound in it. Headers, tags, padding and the packets of other tracks
 * cost time to read, are not counted as audio by anybody, and could go on for ever.
 */
import { ServiceError } from '../../../../shared/errors.ts';

/** Before the first sound, and whenever sound stays away. */
const MAX_BYTES = 2 * 1024 * 1024;
/** What sound pays for: more than FLAC takes at 192 kHz, or a track of video beside the audio. */
const BYTES_PER_MS = 1000;
/** Passing over is next to no work: the largest tag or picture, of 16 MB, counts as one. */
const PASSED_OVER_WEIGHT = 1 / 16;
/** A new FFmpeg takes a tenth of a second: a few may begin in vain, and then one in a quarter of a second. */
const FFMPEG_START_BYTES = 256 * 1024;

export interface SoundlessLimit {
  /** Bytes of a tag or a picture, among those of the chunk that is being read, were not looked at. */
  passedOver(sizeBytes: number): void;
  /**
   * Frames begin for which FFmpeg is started anew; a single chunk may have hundreds of beginnings.
   *
   * @throws ServiceError audio_format_unsupported when too many had no sound
   */
  startsFfmpeg(): void;
  /** Sound came, also sound that is cut away. */
  sounded(durationMs: number): void;
  /**
   * A chunk was read.
   *
   * @throws ServiceError audio_format_unsupported when too much came for the sound in it
   */
  tookChunk(sizeBytes: number): void;
}

/** One for all containers and codecs of a stream. */
export function createSoundlessLimit(): SoundlessLimit {
  let soundlessBytes = 0;

  function check(): void {
    if (soundlessBytes > MAX_BYTES) throw tooLittleSound();
  }
  return {
    passedOver(sizeBytes) {
      soundlessBytes -= sizeBytes * (1 - PASSED_OVER_WEIGHT);
    },
    startsFfmpeg() {
      soundlessBytes += FFMPEG_START_BYTES;
      check();
    },
    sounded(durationMs) {
      soundlessBytes -= durationMs * BYTES_PER_MS;
    },
    tookChunk(sizeBytes) {
      // Sound pays for what came before and with it, never for what will come.
      soundlessBytes = Math.max(0, soundlessBytes + sizeBytes);
      check();
    },
  };
}

function tooLittleSound(): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    `More than ${MAX_BYTES} bytes came with no sound in them. Send audio alone, without video, and smaller tags.`,
  );
}
