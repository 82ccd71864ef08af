/** What the server and a decoding process say to each other. */
import type { ErrorCode } from '../../../shared/errors.ts';
import type { AudioFormat } from '../../../shared/media-type.ts';
import type { Coding } from './codecs/decodable-formats.ts';

/** What a stream's decoder is made from. */
export interface StreamParameters {
  format: AudioFormat;
  sampleRateHz: number;
  /** Whether there is an FFmpeg for codecs the worker does not decode. */
  hasFfmpeg: boolean;
}

/** In place of a chunk's size: bytes are missing between the chunks around it. */
export const GAP = -1;

/** Some chunks of a stream, in order. Each is answered once, with a {@link DecodeAnswer}. */
export interface DecodeRequest {
  kind: 'decode';
  streamId: number;
  /** With the first request of a stream. */
  open?: StreamParameters;
  /** The chunks one after the other. */
  bytes: ArrayBuffer;
  /** In order; {@link GAP} where some are missing. */
  chunkSizesBytes: number[];
  /** No more follows: the answer has the last samples, and the decoder is freed. */
  isLast: boolean;
}

export interface DecodeFailure {
  code: ErrorCode;
  message: string;
  /** For our log: an error that was not meant for the sender. */
  cause?: string;
  /** The worker should get no new streams: its memory cannot be relied upon. */
  retires: boolean;
}

/** Audio in one piece. */
export type DecodedPart =
  | { kind: 'pcm'; bytes: ArrayBuffer }
  /**
   * Frames for FFmpeg, of which `soundBytes` have sound in them; `starts` with the first ones, which
   * have nothing to do with those before.
   */
  | { kind: 'coded'; bytes: ArrayBuffer; soundBytes: number; starts?: Coding };

export interface DecodeAnswer {
  kind: 'decoded';
  streamId: number;
  /** In order. With a failure, what came before it. */
  parts: DecodedPart[];
  /** How long each chunk plays, as far as the worker can tell; no entry for a gap. */
  durationsMs: number[];
  /** The stream has ended by it. */
  failure?: DecodeFailure;
}
