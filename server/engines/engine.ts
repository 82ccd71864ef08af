/**
 * What an engine is. Capabilities are data; the work is an async function or an async iterable that
 * obeys an AbortSignal. An engine that blocks keeps its work in a child process or a worker thread.
 * A new engine is one file, with its settings (`declaration.ts`), one line in `index.ts` and one line in
 * the conformance test.
 */
import type { LanguageTag } from '../../shared/language.ts';
import type { TextSegment } from '../text/text-segment.ts';

/** One word of a recogniser, timed on the stream clock (ms since the first sample). */
export interface Word {
  text: string;
  startMs: number;
  endMs: number;
  /** How sure the engine is of it, 0 to 1; left out where it does not say. */
  confidence?: number;
}

/** Rate of the audio that recognisers get: s16le, one channel. */
export const RECOGNITION_RATE_HZ = 16_000;

/**
 * What a recogniser gets, in stream order: the speech of one utterance after another, each closed by
 * an endpoint. The voice path finds the utterances and leaves the silence between them out, so
 * `startMs` may leap from one utterance to the next; within one, pieces follow without a gap. Some
 * silence comes before and after the words of each.
 */
export type SpeechPiece =
  /** s16le samples of any even length; the first was spoken at `startMs` of the stream clock. */
  | { kind: 'samples'; samples: Uint8Array; startMs: number }
  /** The utterance is over: what was heard is final. `isCut` when speech goes on all the same. */
  | { kind: 'endpoint'; atMs: number; isCut?: boolean };

/**
 * What a recogniser reports, in stream order, times in ms since the first sample. For each
 * utterance: any number of partials, each replacing the one before, then its finals, usually one;
 * nothing but an empty partial, if one was reported before, where no word was heard.
 */
export type Recognition =
  | {
      kind: 'partial';
      text: string;
      /**
       * The beginning of the text as it is worth reading, from engines that can tell: it stays for a while
       * when the text says something else. Of others, that is what two partials in a row agree on.
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
      /** Empty when the engine has no times for them. */
      words: Word[];
      /** Set by engines that detect the language themselves. */
      language?: LanguageTag;
    };

export interface RecognitionOptions {
  /** Language that is spoken; undefined only for engines with `detectsLanguage`. */
  language: LanguageTag | undefined;
  /** `hint` lets an engine that detects the language hear another one; `fixed` does not. */
  languageMode: 'hint' | 'fixed';
  /** Words and phrases that are likely to be said; given only to engines with `usesSpokenTerms`. */
  spokenTerms: readonly string[];
  /** Called with the end of an utterance when all that was heard of it has been taken. */
  onHeard?: ((untilMs: number) => void) | undefined;
  signal: AbortSignal;
}

/** What an engine on this machine has heard so far, and what that took. */
export interface HearingEffort {
  /** Audio, in ms. */
  audioMs: number;
  /** Time of the processor, in ms. */
  processorMs: number;
  /** Share of a processor that a speaker is expected to take, before that is measured. */
  expectedShare: number;
}

export interface RecognitionEngine {
  readonly name: string;
  /** Base languages it hears. */
  readonly languages: readonly LanguageTag[];
  readonly detectsLanguage: boolean;
  /** Whether lists of spoken terms make it hear these rather than others. */
  readonly usesSpokenTerms: boolean;
  /** Whether its text has capitals and punctuation; if not, a sentence finisher adds them. */
  readonly punctuates: boolean;
  /** It hears nothing: of speech it is given the ends of utterances alone. */
  readonly ignoresSpeech?: boolean;
  /**
   * Hears a stream. Pulls audio as fast as it can take it, so a slow engine holds its source back.
   * Ends after the last final once the speech has ended; an utterance without an endpoint ends then.
   *
   * @throws ServiceError recognition_failed when it cannot go on; the signal's reason when aborted
   */
  recognise(
    speech: AsyncIterable<SpeechPiece>,
    options: RecognitionOptions,
  ): AsyncIterable<Recognition>;
  /** Of engines that work on this machine alone. */
  effort?(): HearingEffort;
  close(): Promise<void>;
}

export type VoiceGender = 'male' | 'female';

/** Samples of speech: s16, one channel. */
export interface SpokenSamples {
  samples: Int16Array;
  sampleRateHz: number;
}

export interface SynthesisOptions {
  /** A language of the engine, or a variant of one. */
  language: LanguageTag;
  /** Undefined: whatever suits the language best. */
  gender: VoiceGender | undefined;
  signal: AbortSignal;
}

export interface SynthesisEngine {
  readonly name: string;
  /** Who speaks, for people who are about to hear it: completes "is spoken by". */
  readonly describedAs: string;
  /** Base languages it speaks with a voice people understand; others are not offered. */
  readonly languages: readonly LanguageTag[];
  /**
   * Speaks a text; the first samples come before the last are made where the engine can do that.
   *
   * @throws ServiceError synthesis_failed when it cannot; the signal's reason when aborted
   */
  speak(text: string, options: SynthesisOptions): AsyncIterable<SpokenSamples>;
  close(): Promise<void>;
}

/** A direction in which an engine translates. */
export interface LanguagePair {
  source: LanguageTag;
  target: LanguageTag;
}

/** A glossary entry: what a phrase of the source must become. */
export interface Term {
  source: string;
  target: string;
}

/** A pair of a translation memory that resembles what is to be translated: plain text both. */
export interface TranslationExample {
  source: string;
  target: string;
}

export interface TranslationOptions extends LanguagePair {
  signal: AbortSignal;
  /** Whose texts these are: accounts take turns where texts have to wait. */
  account?: string | undefined;
  /** Text that surrounds the segments: it informs the translation and is not translated itself. */
  context?: string;
  formality?: 'more' | 'less';
  /** Glossary entries that occur in these segments; given only to engines with `usesTerms`. */
  terms?: readonly Term[];
  /** Wishes of the caller in plain words; given only to engines that follow them into the target. */
  instructions?: readonly string[];
  /** Rules of style in plain words, to be kept where they apply; given as `instructions` are. */
  styleRules?: readonly string[];
  /** Earlier translations that resemble these segments; given only to engines with `usesExamples`. */
  examples?: readonly TranslationExample[];
  /** `whole` takes a segment as one sentence; `split`, the default, lets the engine divide it. */
  sentences?: 'split' | 'whole';
}

/** What a translation engine can do besides turning one language into another. */
export interface TranslationAbilities {
  /** `classic` engines are quick and know no context; `next` are models that take it in. */
  generation: 'classic' | 'next';
  /** Target languages whose formality it can choose. */
  formality: readonly LanguageTag[];
  usesContext: boolean;
  usesTerms: boolean;
  /** Target languages in which it follows wishes in plain words; true for all of its own. */
  followsInstructions: boolean | readonly LanguageTag[];
  usesExamples: boolean;
}

export interface TranslationEngine {
  readonly name: string;
  /** Another array when they have changed. */
  readonly pairs: readonly LanguagePair[];
  readonly abilities: TranslationAbilities;
  /**
   * What an outage concerns: the whole `engine`, as with a server elsewhere, or, by default, one
   * `pair`, where each has processes of its own.
   */
  readonly outage?: 'engine' | 'pair';
  /**
   * Translates segments, each on its own; the answer has the order and the length of the question.
   * Marks follow the words they belong to as well as the engine can; whatever it loses or tangles is
   * mended by its caller. Blanks at the ends of a segment and line breaks within it are kept.
   *
   * @throws ServiceError engine_unavailable when the engine cannot be reached or is overloaded, so
   *   that another may try; translation_failed when it refuses these texts; the signal's reason when
   *   aborted
   */
  translate(segments: readonly TextSegment[], options: TranslationOptions): Promise<TextSegment[]>;
  /** Starts what a pair needs, so that the first sentence does not wait. */
  prepare(pair: LanguagePair): void;
  /**
   * Tells the base languages of texts, order kept; undefined for those it is not sure of, and for all
   * where it cannot be asked. Never rejects. Only engines that know better than our own detector.
   *
   * @param texts those that are not `clear` to our own detector are worth a charge
   * @param options.target what they are to be translated into
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
  /** Of the texts, and of the improved ones: a variant where it has some, `en-GB`. */
  language: LanguageTag;
  /** `correct` mends what is wrong and changes no more words than that takes; `rephrase` rewords as well. */
  task: 'correct' | 'rephrase';
  /** Given only to engines that know it, see {@link ImprovementEngine.forms}, and at most one of the two. */
  writingStyle?: WritingStyle;
  tone?: WritingTone;
  signal: AbortSignal;
  /** Whose texts these are: accounts take turns where texts have to wait. */
  account?: string | undefined;
}

/** Improves texts without leaving their language. */
export interface ImprovementEngine {
  readonly name: string;
  /** Languages it improves, variants included: `en-GB`, `pt-BR`. */
  readonly languages: readonly LanguageTag[];
  /** Styles and tones it can give to texts of a language, or of a variant of one. */
  forms(language: LanguageTag): readonly WritingForm[];
  /**
   * Improves texts, each on its own; the answer has the order and the length of the question. Blanks
   * at the ends and line breaks are kept.
   *
   * @throws ServiceError engine_unavailable, translation_failed as translation engines do; the
   *   signal's reason when aborted
   */
  improve(texts: readonly string[], options: ImprovementOptions): Promise<string[]>;
  /**
   * Starts what takes seconds to start, so that the first text does not wait.
   *
   * @param mayStay asked whenever what was started has had nothing to do for long; it ends on `false`
   * @throws as `improve`
   */
  prepare?(mayStay: () => boolean): Promise<void>;
  close(): Promise<void>;
}

/** What was found out about the language of a text. */
export type Detection =
  | { status: 'success'; language: LanguageTag }
  /** Candidates are too close: the likeliest, and all of them, the likeliest first. */
  | {
      status: 'insufficient_confidence';
      language: LanguageTag;
      candidates: readonly LanguageTag[];
    }
  /** No letters, or nothing that resembles a language. */
  | { status: 'no_language_detected' };

/** Tells the language of texts, at once. */
export interface DetectionEngine {
  readonly name: string;
  /** Base languages it tells apart, `zh` for both scripts. */
  readonly languages: readonly LanguageTag[];
  /**
   * Looks at the beginning of a text only, so that a long one takes no longer.
   *
   * @param options.expected the base language that somebody says it is in: in a short text that counts
   *   for more than a small lead of another one
   * @param options.usual how much is written in each base language where the text comes from: decides
   *   between languages that all have its words
   */
  detect(
    text: string,
    options?: { expected?: LanguageTag; usual?: ReadonlyMap<LanguageTag, number> | undefined },
  ): Detection;
  /** Languages a text may be in, the likeliest first; empty when there are no letters in it. */
  rank(text: string): LanguageTag[];
  /**
   * Loads what it takes, once: to be awaited before anything is detected. The first short text has lists
   * of words read as well, in about a second and not on this thread; without them it would be detected
   * less surely.
   */
  prepare(texts: readonly string[]): Promise<void>;
}

/** An engine that cannot run here, and what would let it. */
export interface Unavailable {
  name: string;
  /** For people: what is missing and how to install or configure it. */
  reason: string;
}
