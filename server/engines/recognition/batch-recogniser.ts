/**
 * Turns a recogniser of whole recordings into a streaming one. An utterance is collected and transcribed as a
 * whole when it is over; while it grows, the audio so far is transcribed repeatedly for partials, so that
 * captions move.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import type { RecognitionEngine, RecognitionOptions, SpeechPiece, Word } from '../engine.ts';
import type { HeardUtterance, Utterance } from './utterance.ts';
import { hearUtterances, type UtteranceHearer } from './utterance-stream.ts';

/** A request to transcribe one recording. */
export interface TranscriptionRequest {
  /** Spoken language; undefined, only for engines that can detect it, when it has to be detected. */
  language: LanguageTag | undefined;
  /** Words and phrases that are likely to be said; only for engines that use them. */
  spokenTerms: readonly string[];
  /** A partial is not retried, and is aborted when the utterance is over. */
  purpose: 'partial' | 'final';
  signal: AbortSignal;
}

/** The text of one recording. */
export interface Transcript {
  /** Empty when no word was recognised. */
  text: string;
  /** Timed from the first sample of the recording; empty or left out when the engine reports no times. */
  words?: readonly Word[];
  /** Where speech begins and ends, in ms from the first sample, if known without word times. */
  startMs?: number;
  endMs?: number;
  /** Detected language. */
  language?: LanguageTag;
}

/**
 * Transcribes a recording.
 *
 * @param samples s16, one channel, RECOGNITION_RATE_HZ; a view that must not be written to
 * @throws ServiceError recognition_failed; the signal's reason when aborted
 */
type Transcribe = (samples: Int16Array, request: TranscriptionRequest) => Promise<Transcript>;

export interface BatchRecogniserOptions extends Pick<
  RecognitionEngine,
  'name' | 'languages' | 'detectsLanguage' | 'usesSpokenTerms' | 'punctuates'
> {
  transcribe: Transcribe;
  /**
   * Amount of new speech after which the growing utterance is transcribed again, in ms; 0 for no partials.
   */
  partialEveryMs?: number;
  /** Maximum length of a recording, in ms; a longer utterance is heard in parts. */
  maxUtteranceMs?: number;
  /** Only for engines that run entirely on this machine. */
  effort?: RecognitionEngine['effort'];
  retryInMs?: RecognitionEngine['retryInMs'];
  /** Frees the engine's resources; all streams have ended by then. */
  close?: () => Promise<void>;
}

/** Minimum speech, in ms, for a reliable language detection. */
const DETECTABLE_MS = 3_000;

/** Creates a streaming engine from a recogniser of recordings. */
export function createBatchRecogniser(options: BatchRecogniserOptions): RecognitionEngine {
  const { name, languages, detectsLanguage, usesSpokenTerms, punctuates } = options;
  const closing = new AbortController();
  return {
    name,
    languages,
    detectsLanguage,
    usesSpokenTerms,
    punctuates,
    ...(options.effort && { effort: options.effort }),
    ...(options.retryInMs && { retryInMs: options.retryInMs }),
    recognise: (speech: AsyncIterable<SpeechPiece>, session: RecognitionOptions) =>
      hearUtterances({
        engine: name,
        speech,
        signal: session.signal,
        onHeard: session.onHeard,
        closing: closing.signal,
        maxUtteranceMs: options.maxUtteranceMs,
        createHearer: () => new BatchHearer(options, session),
      }),
    async close() {
      closing.abort();
      await options.close?.();
    },
  };
}

class BatchHearer implements UtteranceHearer {
  readonly #options: BatchRecogniserOptions;
  readonly #session: RecognitionOptions;
  /** Language of the last final, passed to language-detecting engines with short utterances. */
  #language: LanguageTag | undefined;

  constructor(options: BatchRecogniserOptions, session: RecognitionOptions) {
    this.#options = options;
    this.#session = session;
    this.#language = session.language;
  }

  async hear(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
    signal: AbortSignal,
  ): Promise<HeardUtterance> {
    const partials = new AbortController();
    const giveUp = () => partials.abort(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    const guessing = this.#guess(utterance, onPartial, partials.signal);
    try {
      while (!utterance.isOver && !signal.aborted) await utterance.change.next();
      signal.throwIfAborted();
    } finally {
      // Aborts the partial in progress, since it would delay the final on the server.
      signal.removeEventListener('abort', giveUp);
      partials.abort();
      utterance.change.notify();
    }
    await guessing;
    const heard = await this.#transcribe(utterance, 'final', signal);
    this.#language = heard.language ?? this.#language;
    return heard;
  }

  close(): void {
    // No resources are held between utterances.
  }

  /** Transcribes the growing utterance, one request at a time, each for all audio so far. */
  async #guess(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { partialEveryMs = 1_000 } = this.#options;
    if (partialEveryMs <= 0) return;
    const isOver = () => signal.aborted;
    let heardMs = 0;
    while (!isOver()) {
      if (utterance.lengthMs - heardMs < partialEveryMs) {
        await utterance.change.next();
        continue;
      }
      heardMs = utterance.lengthMs;
      const heard = await this.#transcribe(utterance, 'partial', signal).catch(() => undefined);
      // Partials that arrive after the end are stale; a failed one is superseded by the next or by the final.
      if (heard !== undefined && !isOver()) onPartial(heard);
    }
  }

  async #transcribe(
    utterance: Utterance,
    purpose: 'partial' | 'final',
    signal: AbortSignal,
  ): Promise<HeardUtterance> {
    const { spokenTerms } = this.#session;
    const { samples, lengthMs } = utterance;
    const language = this.#languageOf(lengthMs);
    const request = { language, spokenTerms, purpose, signal };
    return { ...(await this.#options.transcribe(samples, request)), lengthMs };
  }

  #languageOf(lengthMs: number): LanguageTag | undefined {
    const isOpen = this.#session.language === undefined || this.#session.languageMode === 'hint';
    if (!this.#options.detectsLanguage || !isOpen) return this.#session.language;
    return lengthMs < DETECTABLE_MS ? this.#language : undefined;
  }
}
