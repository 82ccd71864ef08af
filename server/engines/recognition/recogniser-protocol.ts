/**
 * What a recogniser's process and its parent say to each other, as frames (`process/frames.ts`).
 * One child hears one stream. Positions are in bytes since the first byte the child was given, and
 * times in ms on the same clock; the parent moves both to the clock of the stream, for which silence
 * between utterances counts as well.
 */
import type { Recognition } from '../engine.ts';

/** Kinds of frames to the child. */
export const toChild = {
  /** {@link Begin} as JSON; comes first and once. Answered by progress. */
  begin: 0,
  /** Samples, s16le. */
  audio: 1,
  /** No more audio follows. */
  end: 2,
  /** The utterance under way is over. Answered by a report, progress or both. */
  endpoint: 3,
} as const;

/** Kinds of frames to the parent. */
export const toParent = {
  /** The model is loaded. */
  ready: 1,
  /** The engine cannot run here: UTF-8 text for people. The child ends by itself. */
  failed: 2,
  /** {@link Progress}; also a sign of life. */
  progress: 3,
  /** {@link Report} as JSON. */
  report: 4,
  /** All audio is heard and everything is reported. */
  ended: 5,
} as const;

/** What a child is told about its stream. */
export interface Begin {
  /** Words and phrases that are likely to be said. */
  spokenTerms: readonly string[];
}

/** Audio a child may leave lying until more of it arrives, in ms: less than a block of its decoder. */
export const MAX_REMAINDER_MS = 100;

/** How far a child has come, in bytes. */
export interface Progress {
  /** Up to here the audio has been taken in. */
  heardBytes: number;
  /** What lies before is settled: silence, or part of a final that was reported. */
  settledBytes: number;
}

/** A recognition and, so that a final is never repeated, how far the audio is settled with it. */
export interface Report extends Progress {
  recognition: Recognition;
}

/** The payload of a progress frame: two doubles, exact beyond any stream's length. */
export function encodeProgress({ heardBytes, settledBytes }: Progress): Buffer {
  const payload = Buffer.allocUnsafe(16);
  payload.writeDoubleLE(heardBytes, 0);
  payload.writeDoubleLE(settledBytes, 8);
  return payload;
}

/** Reads the payload of a progress frame. */
export function decodeProgress(payload: Buffer): Progress {
  return { heardBytes: payload.readDoubleLE(0), settledBytes: payload.readDoubleLE(8) };
}
