/** What the process of a neural model and its parent say to each other. */
import type { BergamotSentence } from './bergamot.ts';
import type { MarianFiles } from './marian-files.ts';

/** What the process is started with, as JSON. */
export interface NeuralOpening {
  files: MarianFiles;
  hasAlphas: boolean;
}

/** To the process: sentences, answered in the order of the questions. */
export interface NeuralQuestion {
  sentences: readonly BergamotSentence[];
}

/** From the process. */
export type NeuralAnswer =
  /** The model is loaded, and has translated once. */
  | { kind: 'ready' }
  /** It will not be: why, for people. The process ends. */
  | { kind: 'failed'; reason: string }
  | { kind: 'translated'; texts: readonly string[] };
