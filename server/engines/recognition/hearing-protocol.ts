/**
 * What a recogniser's process and its parent say to each other, as frames (`process/children.ts`). One
 * process hears several utterances at a time; each frame about one begins with its number as four
 * bytes, little endian. Times are in ms from the first sample of the utterance.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import type { Word } from '../engine.ts';

/** Kinds of frames to the child. */
export const toHearing = {
  /** An utterance begins: {@link HearingOpening} as JSON. */
  open: 1,
  /** Samples, s16le at 16 kHz. */
  audio: 2,
  /** The utterance is over: what was heard is wanted. One byte: 1 when speech goes on all the same. */
  end: 3,
  /** Nobody wants to know any more. */
  drop: 4,
} as const;

/** Kinds of frames to the parent. */
export const fromHearing = {
  /** The model is loaded. */
  ready: 1,
  /** The engine cannot run here: UTF-8 text for people. The child ends by itself. */
  failed: 2,
  /** So many bytes of audio have been taken in: a number of four bytes. */
  heard: 16,
  /** {@link HeardPart} as JSON, of the audio so far. */
  partial: 17,
  /** {@link HeardPart} as JSON, of the rest of the utterance; its last frame. */
  final: 18,
  /** {@link ConcludedPart} as JSON: what comes next is heard on its own. */
  part: 19,
} as const;

export interface HearingOpening {
  /** Language that is spoken; undefined: to be found out. */
  language: LanguageTag | undefined;
  /** Words and phrases that are likely to be said; empty where they belong to the process. */
  spokenTerms: readonly string[];
  /** What was said just before: the first samples that are sent are of it, and need no answer. */
  before?: Pick<Context, 'sampleCount' | 'tokens' | 'isOpen'>;
}

/** What was concluded, and the audio it was heard in. */
export interface Context {
  /** In samples of the utterance. */
  from: number;
  sampleCount: number;
  tokens: readonly number[];
  /** Whether its sentence goes on. */
  isOpen: boolean;
}

export interface HeardPart {
  text: string;
  words: Word[];
  /** The beginning of a partial as it is worth reading, as far as the engine can tell. */
  agreed?: string;
  language?: LanguageTag;
  /** For {@link HearingOpening.before} of the next utterance. */
  context?: Context;
}

export interface ConcludedPart extends HeardPart {
  /** Samples of the utterance that need not be heard again. */
  settledSamples: number;
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
