/** What the server and the process that runs Harper say to each other. */
import type { FreeRequest } from '../../process/index.ts';

export interface HarperRequest {
  kind: 'lint';
  streamId: number;
  texts: readonly string[];
  variant: 'en-GB' | 'en-US';
}

/** Something that Harper would write otherwise. */
export interface Lint {
  /** In UTF-16 units. */
  start: number;
  end: number;
  /** Harper's word for what it is about: `Spelling`, `Agreement`. */
  kind: string;
  suggestions: readonly { kind: 'replace' | 'remove' | 'insert-after'; text: string }[];
}

/** The lints of the texts, in order; fewer than texts where Harper has failed at the next one. */
export interface HarperAnswer {
  streamId: number;
  lints: readonly (readonly Lint[])[];
  hasFailed: boolean;
}

export type HarperMessage = HarperRequest | FreeRequest;
