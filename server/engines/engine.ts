/**
 * Engine interfaces: recognition, synthesis, translation, improvement and language detection.
 * Capabilities are plain data. Work is an async function or an async iterable that obeys an AbortSignal. An
 * engine whose work would block runs it in a child process or a worker thread.
 * A new engine is one file with its settings (`declaration.ts`), one line in `index.ts` and one line in the
 * conformance test.
 */
import type { LanguageTag } from '../../shared/language.ts';
import type { TextSegment } from '../text/text-segment.ts';

/** One recognised word, timed on the stream clock (ms since the first sample). */
export interface Word {
  text: string;
  startMs: number;
  endMs: number;
  /** The engine's confidence, 0 to 1; left out when the engine reports none. */
  confidence?: number;
}

/** Sample rate of the audio that recognisers receive: s16le, one channel. */
export const RECOGNITION_RATE_HZ = 16_000;
export const SAMPLES_PER_MS = RECOGNITION_RATE_HZ / 1000;

/**
 * The input of a recogniser, in stream order: one utterance after another, each closed by an endpoint. The
 * voice path detects the utterances and omits the silence between them, so `startMs` may jump from one
 * utterance to the next; within an utterance the pieces are contiguous. Each utterance has some silence
 * before its first word and after its last.
 */
export type SpeechPiece =
  /** s16le samples of any even length; the first was spoken at `startMs` of the stream clock. */
  | { kind: 'samples'; samples: Uint8Array; startMs: number }
  /** The utterance is over and its text becomes final. `isCut` when speech continues nevertheless. */
  | { kind: 'endpoint'; atMs: number; isCut?: boolean };

/**
 * The output of a recogniser, in stream order, times in ms since the first sample. Each utterance yields any
 * number of partials, each replacing the previous one, and then its finals, usually one. An utterance without
 * words yields no final, only an empty partial if a partial was reported before.
 */
export type Recognition =
  | {
      kind: 'partial';
      text: string;
      /**
       * The beginning of the text that is stable enough to show, from engines that can tell. It stays for a
       * while even when `text` contradicts it. For other engines, the stable beginning is what two
       * consecutive partials agree on.
       */
      agreed?: string;
      startMs: number;
      endMs: number;
      /** Set by engines that detect the language themselves. */
      language?: LanguageTag;
    }
  | {
      kind: 'final';
      text: string;
      startMs: number;
      endMs: number;
      /** Empty when the engine reports no word times. */
      words: Word[];
      /** Set by engines that detect the language themselves. */
      language?: LanguageTag;
    };

export interface RecognitionOptions {
  /** Spoken language; undefined only for engines with `detectsLanguage`. */
  language: LanguageTag | undefined;
  /** With `hint`, an engine that detects the language may recognise another one; with `fixed` it may not. */
  languageMode: 'hint' | 'fixed';
  /** Words and phrases that are likely to be said; passed only to engines with `usesSpokenTerms`. */
  spokenTerms: readonly string[];
  /** Called with the end time of an utterance once the consumer has taken all its results. */
  onHeard?: ((untilMs: number) => void) | undefined;
  signal: AbortSignal;
}

/** Audio that a local engine has recognised so far, and the processor time this took. */
export interface HearingEffort {
  /** Recognised audio, in ms. */
  audioMs: number;
  /** Processor time, in ms. */
  processorMs: number;
  /** Expected share of a processor per speaker, until a measurement exists. */
  expectedShare: number;
}

export interface RecognitionEngine {
  readonly name: string;
  /** Base languages it recognises. */
  readonly languages: readonly LanguageTag[];
  readonly detectsLanguage: boolean;
  /** Whether a list of spoken terms makes these terms more likely to be recognised. */
  readonly usesSpokenTerms: boolean;
  /** Whether its text has capitals and punctuation; if not, a sentence finisher adds them. */
  readonly punctuates: boolean;
  /** The engine recognises nothing and therefore receives only the endpoints of utterances, no samples. */
  readonly ignoresSpeech?: boolean;
  /**
   * Recognises a stream. Pulls audio as fast as it can process it, so a slow engine applies back-pressure to
   * its source. Ends after the last final once the speech has ended; the end of the speech also closes an
   * open utterance.
   *
   * @throws ServiceError recognition_failed when it cannot continue; the signal's reason when aborted
   */
  recognise(
    speech: AsyncIterable<SpeechPiece>,
    options: RecognitionOptions,
  ): AsyncIterable<Recognition>;
  /** Only on engines that run entirely on this machine. */
  effort?(): HearingEffort;
  /**
   * Time until its processes are started again, in ms, while none runs because the last start failed; undefined
   * while it can recognise. Only on engines with processes on this machine.
   */
  retryInMs?(): number | undefined;
  close(): Promise<void>;
}

export type VoiceGender = 'male' | 'female';

/** Speech samples: s16, one channel. */
export interface SpokenSamples {
  samples: Int16Array;
  sampleRateHz: number;
}

export interface SynthesisOptions {
  /** A base language of the engine, or a variant of one. */
  language: LanguageTag;
  /** Undefined lets the engine choose the voice that suits the language best. */
  gender: VoiceGender | undefined;
  signal: AbortSignal;
}

export interface SynthesisEngine {
  readonly name: string;
  /** Description of the speaker for listeners; completes the sentence "is spoken by". */
  readonly describedAs: string;
  /** Base languages it speaks intelligibly; other languages are not offered. */
  readonly languages: readonly LanguageTag[];
  /**
   * Speaks a text. Where the engine can stream, the first samples arrive before the last are synthesised.
   *
   * @throws ServiceError synthesis_failed when it cannot speak the text; the signal's reason when aborted
   */
  speak(text: string, options: SynthesisOptions): AsyncIterable<SpokenSamples>;
  close(): Promise<void>;
}

/** A direction in which an engine translates. */
export interface LanguagePair {
  source: LanguageTag;
  target: LanguageTag;
}

/** A glossary entry: `source` must be translated as `target`. */
export interface Term {
  source: string;
  target: string;
}

/** An entry of a translation memory that resembles the text to translate; both sides are plain text. */
export interface TranslationExample {
  source: string;
  target: string;
}

export interface TranslationOptions extends LanguagePair {
  signal: AbortSignal;
  /** Account that sent the texts: accounts take turns when texts have to queue. */
  account?: string | undefined;
  /** Text that surrounds the segments: it informs the translation and is not translated itself. */
  context?: string;
  formality?: 'more' | 'less';
  /** Glossary entries that occur in these segments; passed only to engines with `usesTerms`. */
  terms?: readonly Term[];
  /**
   * The caller's instructions in plain words; passed only to engines that follow instructions in the target.
   */
  instructions?: readonly string[];
  /**
   * Style rules in plain words, applied where they fit; passed under the same condition as `instructions`.
   */
  styleRules?: readonly string[];
  /** Earlier translations that resemble these segments; passed only to engines with `usesExamples`. */
  examples?: readonly TranslationExample[];
  /** `whole` treats a segment as one sentence; `split`, the default, lets the engine divide it. */
  sentences?: 'split' | 'whole';
}

/** Optional capabilities of a translation engine. */
export interface TranslationAbilities {
  /** `classic` engines are quick and ignore context; `next` engines are models that use it. */
  generation: 'classic' | 'next';
  /** Target languages whose formality the engine can choose. */
  formality: readonly LanguageTag[];
  usesContext: boolean;
  usesTerms: boolean;
  /** Target languages in which the engine follows instructions in plain words; `true` for all its targets. */
  followsInstructions: boolean | readonly LanguageTag[];
  usesExamples: boolean;
}

export interface TranslationEngine {
  readonly name: string;
  /** Replaced by a new array when the pairs change. */
  readonly pairs: readonly LanguagePair[];
  readonly abilities: TranslationAbilities;
  /**
   * Scope of an outage: the whole `engine`, for example a remote server, or one `pair` (the default), where
   * each pair has its own processes.
   */
  readonly outage?: 'engine' | 'pair';
  /**
   * Translates segments independently of each other; the result has the order and length of the input. Marks
   * follow the words they belong to as well as the engine can manage; the caller repairs marks that are lost
   * or tangled. Blanks at the ends of a segment and line breaks within it are kept.
   *
   * @throws ServiceError engine_unavailable when the engine is unreachable or overloaded, so that the caller
   *   may try another engine; translation_failed when it refuses these texts; the signal's reason when
   *   aborted
   */
  translate(segments: readonly TextSegment[], options: TranslationOptions): Promise<TextSegment[]>;
  /** Starts the resources of a pair in advance, so that the first sentence does not wait. */
  prepare(pair: LanguagePair): void;
  /**
   * Detects the base languages of texts, in order; undefined for a text it is not sure of, and for all texts
   * when the engine cannot be reached. Never rejects. Implemented only by engines that detect better than the
   * built-in detector.
   *
   * @param texts texts with `isClear` false are worth the cost of asking the engine
   * @param options.target language the texts are to be translated into
   */
  detect?(
    texts: readonly { text: string; isClear: boolean }[],
    options: { target: LanguageTag; signal: AbortSignal },
  ): Promise<(LanguageTag | undefined)[]>;
  close(): Promise<void>;
}

export type WritingStyle = 'academic' | 'business' | 'casual' | 'simple';
export type WritingTone = 'confident' | 'diplomatic' | 'enthusiastic' | 'friendly';
export type WritingForm = WritingStyle | WritingTone;

export interface ImprovementOptions {
  /** Language of the texts and of the result: a variant where the language has variants, such as `en-GB`. */
  language: LanguageTag;
  /** `correct` fixes errors and changes no more words than necessary; `rephrase` also rewords. */
  task: 'correct' | 'rephrase';
  /**
   * Passed only to engines that offer the form, see {@link ImprovementEngine.forms}; at most one of the two
   * is set.
   */
  writingStyle?: WritingStyle;
  tone?: WritingTone;
  signal: AbortSignal;
  /** Account that sent the texts: accounts take turns when texts have to queue. */
  account?: string | undefined;
}

/** Corrects or rephrases texts within their language. */
export interface ImprovementEngine {
  readonly name: string;
  /** Supported languages, variants included: `en-GB`, `pt-BR`. */
  readonly languages: readonly LanguageTag[];
  /** Styles and tones available for a language or a variant of one. */
  forms(language: LanguageTag): readonly WritingForm[];
  /**
   * Improves texts independently of each other; the result has the order and length of the input. Blanks at
   * the ends and line breaks are kept.
   *
   * @throws ServiceError engine_unavailable or translation_failed, as translation engines do; the signal's
   *   reason when aborted
   */
  improve(texts: readonly string[], options: ImprovementOptions): Promise<string[]>;
  /**
   * Starts whatever takes seconds to start, so that the first text does not wait.
   *
   * @param mayStay called whenever the started resources have been idle for long; `false` ends them
   * @throws as `improve`
   */
  prepare?(mayStay: () => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Result of language detection. */
export type Detection =
  | { status: 'success'; language: LanguageTag }
  /** Candidates are too close: `language` is the likeliest; `candidates` lists all, the likeliest first. */
  | {
      status: 'insufficient_confidence';
      language: LanguageTag;
      candidates: readonly LanguageTag[];
    }
  /** The text has no letters, or resembles no known language. */
  | { status: 'no_language_detected' };

/** Detects the language of texts synchronously. */
export interface DetectionEngine {
  readonly name: string;
  /** Base languages it distinguishes; `zh` covers both scripts. */
  readonly languages: readonly LanguageTag[];
  /**
   * Reads only the beginning of a text, so a long text takes no longer.
   *
   * @param options.expected base language the caller claims; in a short text it outweighs a small lead of
   *   another language
   * @param options.usual amount of text written in each base language where the text comes from; decides
   *   between languages that all contain its words
   */
  detect(
    text: string,
    options?: { expected?: LanguageTag; usual?: ReadonlyMap<LanguageTag, number> | undefined },
  ): Detection;
  /** Languages the text may be in, the likeliest first; empty when it has no letters. */
  rank(text: string): LanguageTag[];
  /**
   * Loads the detection data once; must be awaited before the first detection. The first short text also
   * loads word lists, which takes about a second on another thread; without them short texts are detected
   * less reliably.
   */
  prepare(texts: readonly string[]): Promise<void>;
}

/** An engine that cannot run here, with the remedy. */
export interface Unavailable {
  name: string;
  /** Message for the operator: what is missing and how to install or configure it. */
  reason: string;
}
