/** What the main thread and a decoding worker say to each other. */
import type { ErrorCode } from '../../../shared/errors.ts';
import type { AudioFormat } from '../../../shared/media-type.ts';

/** What a stream's decoder is made from. */
export interface StreamParameters {
  format: AudioFormat;
  sampleRateHz: number;
}

/** Some chunks of a stream, in order. Each is answered once, with a {@link DecodeAnswer}. */
export interface DecodeRequest {
  kind: 'decode';
  streamId: number;
  /** With the first request of a stream. */
  open?: StreamParameters;
  /** The chunks one after the other; transferred. */
  bytes: ArrayBuffer;
  chunkSizesBytes: number[];
  /** No more follows: the answer has the last samples, and the decoder is freed. */
  isLast: boolean;
}

/** The stream is of no interest any more; not answered. */
export interface FreeRequest {
  kind: 'free';
  streamId: number;
}

export type WorkerRequest = DecodeRequest | FreeRequest;

export interface DecodeFailure {
  code: ErrorCode;
  message: string;
  /** For our log: an error that was not meant for the sender. */
  cause?: string;
  /** The worker should get no new streams: its memory cannot be relied upon. */
  retires: boolean;
}

export interface DecodeAnswer {
  kind: 'decoded';
  streamId: number;
  /** s16le; transferred. With a failure, what came before it. */
  pcm: ArrayBuffer;
  /** How long each chunk plays. */
  durationsMs: number[];
  /** The stream has ended by it. */
  failure?: DecodeFailure;
}

/** Sent once, when the worker is about to take requests. */
export interface ReadyNotice {
  kind: 'ready';
}

export type WorkerMessage = DecodeAnswer | ReadyNotice;
