/**
 * The protocol between a recogniser process and its parent, as frames (`process/children.ts`). One process
 * hears several utterances at a time, so each frame about an utterance begins with its number as four bytes,
 * little endian. Times are in ms from the first sample of the utterance.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import { encodeFrame } from '../../process/index.ts';
import type { Word } from '../engine.ts';

/** Kinds of frames to the child. */
export const toHearing = {
  /** An utterance begins: {@link HearingOpening} as JSON. */
  open: 1,
  /** Samples, s16le at 16 kHz. */
  audio: 2,
  /** The utterance is over and its text is wanted. One byte: 1 when speech continues nevertheless. */
  end: 3,
  /** The utterance is abandoned; no result is wanted. */
  drop: 4,
} as const;

/** Kinds of frames to the parent. */
export const fromHearing = {
  /** The model is loaded. */
  ready: 1,
  /** The engine cannot run here: UTF-8 text for the operator. The child then exits by itself. */
  failed: 2,
  /** This many bytes of audio have been taken in: a number of four bytes. */
  heard: 16,
  /** {@link HeardPart} as JSON: hypothesis for the audio so far. */
  partial: 17,
  /** {@link HeardPart} as JSON: the rest of the utterance; its last frame. */
  final: 18,
  /** {@link ConcludedPart} as JSON: the audio after it is heard on its own. */
  part: 19,
} as const;

export interface HearingOpening {
  /** Spoken language; undefined when it has to be detected. */
  language: LanguageTag | undefined;
  /** Words and phrases that are likely to be said; empty when they belong to the process. */
  spokenTerms: readonly string[];
  /** Context from the previous utterance: the first samples sent belong to it and need no result. */
  before?: Pick<Context, 'sampleCount' | 'tokens' | 'isOpen'>;
}

/** Concluded text as tokens, and the audio it was heard in. */
export interface Context {
  /** Start, in samples of the utterance. */
  from: number;
  sampleCount: number;
  tokens: readonly number[];
  /** Whether its sentence continues in the following speech. */
  isOpen: boolean;
}

export interface HeardPart {
  text: string;
  words: Word[];
  /** The beginning of a partial that is stable enough to show, as far as the engine can tell. */
  agreed?: string;
  language?: LanguageTag;
  /** Context for {@link HearingOpening.before} of the next utterance. */
  context?: Context;
}

export interface ConcludedPart extends HeardPart {
  /** Samples of the utterance that need not be heard again. */
  settledSamples: number;
}

/** Length of an utterance number, in bytes. */
export const NUMBER_BYTES = 4;

/** Returns the payload of a frame: the number of an utterance and the content that follows it. */
export function numbered(utterance: number, rest: Uint8Array = new Uint8Array()): Buffer {
  const payload = Buffer.allocUnsafe(NUMBER_BYTES + rest.byteLength);
  payload.writeUInt32LE(utterance, 0);
  payload.set(rest, NUMBER_BYTES);
  return payload;
}

// The child's side.

/** Sends a frame. On POSIX systems pipes are written synchronously, even if decoding then occupies the thread. */
export function send(kind: number, payload?: Uint8Array): void {
  process.stdout.write(encodeFrame(kind, payload));
}

/** Sends what was heard of an utterance. */
export function tell(kind: number, utterance: number, heard: HeardPart): void {
  send(kind, numbered(utterance, Buffer.from(JSON.stringify(heard))));
}

/** Tells why the engine cannot run here, and ends this process. */
export function fail(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  process.stdout.write(encodeFrame(fromHearing.failed, Buffer.from(reason)), () => process.exit(1));
}

/** Converts s16le to samples from -1 to 1. */
export function floats(audio: Buffer): Float32Array {
  const samples = new Float32Array(audio.byteLength >> 1);
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = audio.readInt16LE(index * 2) / 32_768;
  }
  return samples;
}

// Voice processes speak one text after the other: each frame begins with the number of its text.

/** What a voice process needs to know about its model; also its command-line argument, as JSON. */
export interface SherpaVoiceModel {
  family: string;
  /** Absolute paths by role. */
  files: Record<string, string>;
  threads: number;
}

/** Kinds of frames to a voice process. */
export const toVoice = {
  /** {@link VoiceRequest} as JSON. */
  speak: 1,
  /** The text is abandoned; no more samples are wanted. */
  stop: 2,
} as const;

export interface VoiceRequest {
  text: string;
  /** Number of the speaker within the model. */
  speaker: number;
}

/** Kinds of frames to its parent, in addition to `ready` and `failed`. */
export const fromVoice = {
  /** Sample rate in Hz as four bytes, then samples, s16le. */
  samples: 16,
  /** All samples of the text have been sent. */
  done: 17,
} as const;
