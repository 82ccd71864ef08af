/**
 * What a process that speaks with sherpa-onnx and its parent say to each other, as frames
 * (`process/children.ts`). Each frame begins with the number of its text as four bytes, little endian.
 */

/** What a child needs to know of a voice model; also its command line, as JSON. */
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
  /** Nobody listens any more. */
  stop: 2,
} as const;

export interface VoiceRequest {
  text: string;
  /** Number of the speaker within the model. */
  speaker: number;
}

/** Kinds of frames to the parent, beside `ready` and `failed` of hearing-protocol.ts. */
export const fromVoice = {
  /** Rate in Hz as four bytes, then samples, s16le. */
  samples: 16,
  /** The text is spoken. */
  done: 17,
} as const;
