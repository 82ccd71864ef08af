/** What a stream's readers give: samples that are decoded already, or frames that FFmpeg is to decode. */

/** FFmpeg's name of the form in which it gets frames: MP3, AAC in ADTS, Vorbis in Ogg. */
export type Coding = 'mp3' | 'aac' | 'ogg';

export interface AudioSink {
  /** Samples of one channel, valid during the call only; those from `start` to before `end` are to be heard. */
  samples(samples: Int16Array, sampleRateHz: number, start?: number, end?: number): void;
  /** Frames follow that have nothing to do with those before. */
  startCoded(coding: Coding): void;
  /**
   * Frames for FFmpeg, valid during the call only.
   *
   * @param durationMs how long they play; undefined where only decoding tells
   * @param leastMs how long they play at least, where that is all that can be told
   */
  coded(bytes: Uint8Array, durationMs: number | undefined, leastMs?: number): void;
  /** That many bytes of what was pushed were skipped unread, as part of a large tag or picture. */
  readonly passedOver: (sizeBytes: number) => void;
}

/** A format's own part: bytes in, audio out. */
export interface AudioSource {
  /** @throws ServiceError audio_format_unsupported, audio_not_mono, and what the sink throws */
  push(chunk: Uint8Array): void;
  /** Bytes are missing here, and another file may begin. */
  gap(): void;
  /** Gives what the end of the stream settles. */
  end(): void;
  free(): void;
}
