/**
 * Makes a recogniser of streams out of one that hears whole recordings. The utterance is collected
 * and heard as a whole when it is over; while it grows, what there is of it is heard again and again
 * for partials, so that captions move.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import type { RecognitionEngine, RecognitionOptions, SpeechPiece, Word } from '../engine.ts';
import type { HeardUtterance, Utterance } from './utterance.ts';
import { hearUtterances, type UtteranceHearer } from './utterance-stream.ts';

/** What is to be heard in a recording. */
export interface TranscriptionRequest {
  /** Language that is spoken; undefined: to be found out, only for engines that detect it. */
  language: LanguageTag | undefined;
  /** Words and phrases that are likely to be said; only for engines that use them. */
  spokenTerms: readonly string[];
  /** A partial is worth little: no second tries. It is aborted when the utterance is over. */
  purpose: 'partial' | 'final';
  signal: AbortSignal;
}

/** What was heard in a recording. */
export interface Transcript {
  /** Empty when no word was heard. */
  text: string;
  /** Timed from the first sample of the recording; empty or left out when there are no times. */
  words?: readonly Word[];
  /** Where speech begins and ends, in ms from the first sample, if that is known without words. */
  startMs?: number;
  endMs?: number;
  /** What was detected. */
  language?: LanguageTag;
}

/**
 * Hears a recording.
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
  /** Speech after which the growing utterance is heard once more, in ms; 0 for no partials. */
  partialEveryMs?: number;
  /** Longest recording, in ms; a longer utterance is heard in parts. */
  maxUtteranceMs?: number;
  /** Of engines that work on this machine alone. */
  effort?: RecognitionEngine['effort'];
  /** Frees what the engine holds; streams have ended by then. */
  close?: () => Promise<void>;
}

/** Of less speech than this, engines that detect the language cannot be trusted to tell it. */
const DETECTABLE_MS = 3_000;

/** Wraps a recogniser of recordings. */
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
    recognise: (speech: AsyncIterable<SpeechPiece>, session: RecognitionOptions) =>
      hearUtterances({
        engine: name,
        speech,
        signal: session.signal,
        onHeard: session.onHeard,
        closing: closing.signal,
        ...(options.maxUtteranceMs !== undefined && { maxUtteranceMs: options.maxUtteranceMs }),
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
  /** What the last final was in; engines that detect it get this with short utterances. */
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
      // The final goes first: a server that hears a partial now would keep it waiting.
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
    // Nothing is held between utterances.
  }

  /** Hears the growing utterance, one request at a time, always all there is. */
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
      // What comes after the end is old; what fails is made good by the next one or the final.
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
