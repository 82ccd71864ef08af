/**
 * What an engine is. Capabilities are data; the work is an async function or an async iterable that
 * obeys an AbortSignal. An engine that blocks keeps its work in a child process or a worker thread.
 * A new engine is one file, one line in `index.ts` and one line in the conformance test.
 */
import type { LanguageTag } from '../../shared/language.ts';

/** One word of a recogniser, timed on the stream clock (ms since the first sample). */
export interface Word {
  text: string;
  startMs: number;
  endMs: number;
}

/**
 * What a recogniser reports, in stream order, times in ms since the first sample. For each
 * utterance: any number of partials, each replacing the one before, then one final.
 */
export type Recognition =
  | { kind: 'partial'; text: string; startMs: number; endMs: number }
  | {
      kind: 'final';
      text: string;
      startMs: number;
      endMs: number;
      words: Word[];
      /** Set by engines that detect the language themselves. */
      language?: LanguageTag;
    };

export interface RecognitionOptions {
  /** Language that is spoken; undefined only for engines with `detectsLanguage`. */
  language: LanguageTag | undefined;
  signal: AbortSignal;
}

export interface RecognitionEngine {
  readonly name: string;
  /** Base languages it hears. */
  readonly languages: readonly LanguageTag[];
  readonly detectsLanguage: boolean;
  /** Rate of the audio it wants: s16le, one channel. */
  readonly sampleRateHz: number;
  /** Whether its text has capitals and punctuation; if not, a sentence finisher adds them. */
  readonly punctuates: boolean;
  /**
   * Hears a stream. Pulls audio as fast as it can take it, so a slow engine holds its source back.
   * Ends after the last final once the audio has ended.
   *
   * @param audio s16le samples at `sampleRateHz`, in pieces of any even length
   * @throws ServiceError recognition_failed when it cannot go on; the signal's reason when aborted
   */
  recognise(
    audio: AsyncIterable<Uint8Array>,
    options: RecognitionOptions,
  ): AsyncIterable<Recognition>;
  close(): Promise<void>;
}

/** A direction in which an engine translates. */
export interface LanguagePair {
  source: LanguageTag;
  target: LanguageTag;
}

export interface TranslationOptions extends LanguagePair {
  signal: AbortSignal;
}

export interface TranslationEngine {
  readonly name: string;
  readonly pairs: readonly LanguagePair[];
  /**
   * Translates texts, each on its own; the answer has the order and the length of the question.
   *
   * @throws ServiceError translation_failed when it cannot; the signal's reason when aborted
   */
  translate(texts: readonly string[], options: TranslationOptions): Promise<string[]>;
  /** Starts what a pair needs, so that the first sentence does not wait. */
  prepare(pair: LanguagePair): void;
  close(): Promise<void>;
}

/** An engine that cannot run here, and what would let it. */
export interface Unavailable {
  name: string;
  /** For people: what is missing and how to install or configure it. */
  reason: string;
}
