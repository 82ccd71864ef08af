/**
 * The protocol between a sherpa-onnx voice process and its parent, as frames (`process/children.ts`). Each
 * frame begins with the number of its text as four bytes, little endian.
 */

/** What a child needs to know about a voice model; also its command-line argument, as JSON. */
export interface SherpaVoiceModel {
  family: string;
  /** Absolute paths by role. */
  files: Record<string, string>;
  threads: number;
}

/** Kinds of frames to the child. */
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

/** Kinds of frames to the parent, in addition to `ready` and `failed` of hearing-protocol.ts. */
export const fromVoice = {
  /** Sample rate in Hz as four bytes, then samples, s16le. */
  samples: 16,
  /** All samples of the text have been sent. */
  done: 17,
} as const;
