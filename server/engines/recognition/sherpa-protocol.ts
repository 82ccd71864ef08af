/**
 * What a process of sherpa-onnx and its parent say to each other, as frames (`process/frames.ts`).
 * One process hears several utterances at a time; each frame begins with the number of its utterance
 * as four bytes, little endian. Times are in ms from the first sample of the utterance.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import type { Word } from '../engine.ts';

/** Kinds of frames to the child. */
export const toSherpa = {
  /** An utterance begins: {@link SherpaOpening} as JSON. */
  open: 1,
  /** Samples, s16le at 16 kHz. */
  audio: 2,
  /** The utterance is over: what was heard is wanted. */
  end: 3,
  /** Nobody wants to know any more. */
  drop: 4,
} as const;

/** Kinds of frames to the parent, beside `ready` and `failed` of recogniser-protocol.ts. */
export const fromSherpa = {
  /** So many bytes of audio have been heard: a number of four bytes. */
  heard: 16,
  /** {@link SherpaHeard} as JSON, of the audio so far. */
  partial: 17,
  /** {@link SherpaHeard} as JSON, of the whole utterance. */
  final: 18,
} as const;

export interface SherpaOpening {
  /** Language that is spoken; undefined: to be found out. */
  language: LanguageTag | undefined;
}

export interface SherpaHeard {
  text: string;
  words: Word[];
  language?: LanguageTag;
}

/** Bytes of the number of an utterance. */
export const NUMBER_BYTES = 4;

/** The payload of a frame: the number of an utterance and what follows it. */
export function numbered(utterance: number, rest: Uint8Array = new Uint8Array()): Buffer {
  const payload = Buffer.allocUnsafe(NUMBER_BYTES + rest.byteLength);
  payload.writeUInt32LE(utterance, 0);
  payload.set(rest, NUMBER_BYTES);
  return payload;
}
