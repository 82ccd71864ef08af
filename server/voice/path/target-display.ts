/** Decides which words of a translation that still grows are shown. */
import type { LanguageTag } from '../../../shared/language.ts';
import { captionUnits, isWrittenWithoutBlanks } from './caption-units.ts';
import type { CaptionMode } from './captions.ts';
import { createSteady } from './steady.ts';

export interface TargetDisplay {
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
