/** Source captions to the captions of one target language. */
import { ServiceError } from '../../../shared/errors.ts';
import type { LanguageTag } from '../../../shared/language.ts';
import { linkAbort } from '../../process/concurrency.ts';
import {
  captionUnits,
  conflateUpdates,
  isWrittenWithoutBlanks,
  leadingBlank,
  type CaptionMode,
  type CaptionSegment,
  type CaptionUpdate,
} from './captions.ts';
import { createSteady } from './steady.ts';
import { createSignal } from './streams.ts';

/** Translates one text. @throws ServiceError engine_unavailable, translation_failed */
export type TranslateText = (
  text: string,
  options: { source: LanguageTag; target: LanguageTag; signal: AbortSignal },
) => Promise<string>;

export interface TranslateOptions {
  target: LanguageTag;
  mode: CaptionMode;
  /** Whether nothing was said in this language before. */
  isFirst?: boolean;
  /** Sentences up to that index have been told. */
  after?: number;
  translateText: TranslateText;
  signal: AbortSignal;
}

/**
 * One translation at a time. Whole sentences are translated in order and each exactly once; what
 * still grows is translated when no sentence waits, the newest state of it only, and is let go when a
 * sentence arrives.
 *
 * A sentence in a language that nobody translates is passed on as it was said rather than lost.
 *
 * @throws ServiceError translation_failed when a whole sentence cannot be translated
 */
export async function* translate(
  updates: AsyncIterable<CaptionUpdate>,
  options: TranslateOptions,
): AsyncGenerator<CaptionUpdate> {
  const { target, mode, signal } = options;
  const inbox = createUpdateInbox(updates);
  const display = createTargetDisplay({ mode, target });
  let { isFirst = true } = options;
  const { after = 0 } = options;
  /** What was last seen and what it was the translation of. */
  let shown = '';
  let guessedFrom = '';

  function segmentOf({ startMs, endMs, index }: CaptionSegment, text: string): CaptionSegment {
    const segment = {
      text: leadingBlank(target, isFirst) + text,
      startMs,
      endMs,
      language: target,
    };
    return index === undefined ? segment : { ...segment, index };
  }

  try {
    for (let update = await inbox.take(); update; update = await inbox.take()) {
      const { concluded = [], growing, isUnsure = false } = update.sentences ?? {};
      for (const sentence of concluded) {
        if (sentence.index !== undefined && sentence.index <= after) continue;
        const text = await translated(sentence, options);
        display.reset();
        const wasShown = shown !== '';
        shown = guessedFrom = '';
        if (text !== '') yield { concluded: [segmentOf(sentence, text)], tentative: [] };
        else if (wasShown) yield { concluded: [], tentative: [] };
        isFirst &&= text === '';
      }
      if (growing === undefined) {
        display.reset();
        guessedFrom = '';
        if (shown !== '') yield { concluded: [], tentative: [] };
        shown = '';
      } else if (mode !== 'settled' && growing.text !== guessedFrom) {
        const guess = await guessed(growing, inbox, options);
        signal.throwIfAborted();
        // A guess that failed costs nothing: the next one, or the whole sentence, takes its place.
        if (guess === undefined) continue;
        guessedFrom = growing.text;
        const text = display.next(guess, { isUnsure });
        if (text === shown) continue;
        shown = text;
        yield { concluded: [], tentative: text === '' ? [] : [segmentOf(growing, text)] };
      }
    }
  } finally {
    inbox.close();
  }
}

async function translated(
  { text, language }: CaptionSegment,
  { target, translateText, signal }: TranslateOptions,
): Promise<string> {
  const said = text.trim();
  try {
    return (await translateText(said, { source: language, target, signal })).trim();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError && error.code === 'engine_unavailable') return said;
    throw error;
  }
}

/** The translation of what still grows; undefined when it fails or a whole sentence comes first. */
async function guessed(
  { text, language }: CaptionSegment,
  inbox: UpdateInbox,
  { target, translateText, signal }: TranslateOptions,
): Promise<string | undefined> {
  const { controller, unlink } = linkAbort(signal);
  inbox.onSentence = () => controller.abort();
  try {
    const options = { source: language, target, signal: controller.signal };
    return (await translateText(text.trim(), options)).trim();
  } catch {
    return undefined;
  } finally {
    unlink();
    inbox.onSentence = () => undefined;
  }
}

// Reads updates while their consumer is busy.

interface UpdateInbox {
  /** All that has come since the last call as one update; undefined after the end. @throws what the source threw */
  take(): Promise<CaptionUpdate | undefined>;
  /** Called when a whole sentence arrives: what is merely tentative can wait. */
  onSentence: () => void;
  /** Lets go of the source. */
  close(): void;
}

/** Starts reading at once; what is not taken yet is held as one update. */
function createUpdateInbox(updates: AsyncIterable<CaptionUpdate>): UpdateInbox {
  const iterator = updates[Symbol.asyncIterator]();
  const signal = createSignal();
  let held: CaptionUpdate | undefined;
  let isDone = false;
  let failure: { error: unknown } | undefined;

  async function pump(): Promise<void> {
    try {
      for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
        const update = step.value;
        held = held === undefined ? update : conflateUpdates(held, update);
        if ((update.sentences?.concluded.length ?? 0) > 0) inbox.onSentence();
        signal.raise();
      }
    } catch (error) {
      failure = { error };
    } finally {
      isDone = true;
      signal.raise();
    }
  }

  const inbox: UpdateInbox = {
    async take() {
      for (;;) {
        if (held !== undefined) {
          const update = held;
          held = undefined;
          return update;
        }
        if (failure !== undefined) throw failure.error;
        if (isDone) return undefined;
        await signal.raised();
      }
    },
    onSentence: () => undefined,
    close() {
      // Not awaited: a generator that waits for its engine only returns once the session is aborted.
      void iterator.return?.().catch(() => undefined);
    },
  };
  void pump();
  return inbox;
}

// Which words of a translation that still grows are shown.

interface TargetDisplay {
  /**
   * Takes the translation of what has been said so far; answers the beginning of it to be shown.
   *
   * @param options.isUnsure whether what was heard may well change
   */
  next(translation: string, options?: { isUnsure: boolean }): string;
  /** Forgets everything: the next translation begins another sentence. */
  reset(): void;
}

/** What is hidden at the end of a growing translation: units, at most, and a share of it. */
interface Mask {
  words: number;
  /** The same in scripts without blanks, where a unit is a character. */
  characters: number;
  /** The beginning is masked less, or the first word would be late. */
  share: number;
}

/**
 * A word or two is what a translator changes when more is said; what a recogniser changes goes deeper.
 * Measured: well recognised speech comes 0.2 s sooner with one word than with three, and badly
 * recognised speech erases a third less with five than with three.
 */
const USUAL: Mask = { words: 1, characters: 2, share: 1 / 3 };
const CAUTIOUS: Mask = { words: 5, characters: 10, share: 1 / 2 };

/**
 * Shows, by mode, the whole translation, nothing, or what two successive translations agree on without
 * its last words.
 */
export function createTargetDisplay({
  mode,
  target,
}: {
  mode: CaptionMode;
  target: LanguageTag;
}): TargetDisplay {
  const steady = createSteady();
  const unit = isWrittenWithoutBlanks(target) ? 'characters' : 'words';
  return {
    next(translation, { isUnsure } = { isUnsure: false }) {
      if (mode === 'instant') return translation;
      if (mode === 'settled') return '';
      const units = captionUnits(translation, target);
      const mask = isUnsure ? CAUTIOUS : USUAL;
      const masked = Math.min(mask[unit], Math.floor(units.length * mask.share));
      const shown = steady.next(units.slice(0, units.length - masked));
      return shown.join('').trimStart();
    },
    reset: () => steady.reset(),
  };
}
