/** Translates source captions into the captions of one target language. */
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

/** Failures of translators: no engine can be reached, or each refuses this sentence. */
const UNTRANSLATED: ReadonlySet<string> = new Set(['engine_unavailable', 'translation_failed']);

/** Translates one text. @throws ServiceError engine_unavailable, translation_failed */
export type TranslateText = (
  text: string,
  options: { source: LanguageTag; target: LanguageTag; signal: AbortSignal },
) => Promise<string>;

export interface TranslateOptions {
  target: LanguageTag;
  mode: CaptionMode;
  /** Whether nothing has been said in this language yet. */
  isFirst?: boolean;
  /** Index of the last sentence that the client already has. */
  after?: number;
  translateText: TranslateText;
  signal: AbortSignal;
}

/**
 * Runs one translation at a time. Whole sentences are translated in order, each exactly once. The growing
 * sentence is translated only while no whole sentence waits, in its newest state, and is aborted when a
 * whole sentence arrives.
 *
 * A sentence that cannot be translated, such as one in a language without a translator, is passed on
 * untranslated rather than lost.
 *
 * @throws errors of the source; the signal's reason
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
  /** The text shown last; `guessedFrom` is the source text it translates. */
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
        // A failed guess costs nothing: the next guess or the whole sentence replaces it.
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
    // Models have no answer to some sentences.
    return (await translateText(said, { source: language, target, signal })).trim() || said;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError && UNTRANSLATED.has(error.code)) return said;
    throw error;
  }
}

/** Translates the growing sentence; returns undefined when that fails or a whole sentence arrives first. */
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
  /** Returns all updates since the last call as one; undefined after the end. @throws the source's errors */
  take(): Promise<CaptionUpdate | undefined>;
  /** Called when a whole sentence arrives, which takes precedence over the growing one. */
  onSentence: () => void;
  /** Releases the source. */
  close(): void;
}

/** Starts reading at once; updates not taken yet are conflated into one. */
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

// Which words of a growing translation are shown.

interface TargetDisplay {
  /**
   * Takes the translation of the sentence so far; returns the leading part to show.
   *
   * @param options.isUnsure whether the recognised text may well change
   */
  next(translation: string, options?: { isUnsure: boolean }): string;
  /** Resets the state: the next translation begins another sentence. */
  reset(): void;
}

/** Part hidden at the end of a growing translation: at most so many units, and a share of all. */
interface Mask {
  words: number;
  /** Limit for scripts without spaces, in which a unit is a character. */
  characters: number;
  /** Limits the mask at the beginning of a sentence, so that the first word is not delayed. */
  share: number;
}

/**
 * Translators revise the last word or two as a sentence grows; recognisers revise more. Measured: a mask
 * of one word shows well recognised speech 0.2 s sooner than three; five words erase a third less of
 * badly recognised speech than three.
 */
const USUAL: Mask = { words: 1, characters: 2, share: 1 / 3 };
const CAUTIOUS: Mask = { words: 5, characters: 10, share: 1 / 2 };

/**
 * Creates a display that shows, depending on the mode, the whole translation, nothing, or the part that
 * two successive translations agree on once the mask has hidden their last words.
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
