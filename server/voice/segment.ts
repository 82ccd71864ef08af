/** Recognition events to captions: what grows is steadied, what is final becomes a sentence. */
import type { LanguageTag } from '../../shared/language.ts';
import type { Recognition } from '../engines/engine.ts';
import { beginSentence, finishSentence } from '../text/sentence-finisher.ts';
import { leadingBlank, type CaptionSegment, type CaptionUpdate } from './captions.ts';
import { createSteady } from './steady.ts';

export interface SegmentOptions {
  /** Language of segments whose recogniser names none. */
  language: LanguageTag;
  /** Whether the recogniser writes capitals and punctuation itself. */
  punctuates: boolean;
}

/**
 * One concluded segment per utterance. Tentative text shows only words that two successive
 * hypotheses agree on; an update is told only when it changes what is seen.
 */
export async function* segment(
  recognitions: AsyncIterable<Recognition>,
  { language, punctuates }: SegmentOptions,
): AsyncGenerator<CaptionUpdate> {
  const steady = createSteady();
  let isFirst = true;
  let shown = '';
  for await (const recognition of recognitions) {
    const { kind, text, startMs, endMs } = recognition;
    const spoken = (kind === 'final' ? recognition.language : undefined) ?? language;
    if (kind === 'partial') {
      // A recogniser takes back what turned out to be noise with an empty partial.
      if (text.trim() === '') steady.reset();
      const stable = steady.next(words(text)).join(' ');
      const begun = punctuates ? stable : beginSentence(stable, spoken);
      if (begun === shown) continue;
      shown = begun;
      const blank = leadingBlank(spoken, isFirst);
      const tentative = { text: blank + begun, startMs, endMs, language: spoken };
      yield { concluded: [], tentative: begun === '' ? [] : [tentative] };
      continue;
    }
    steady.reset();
    const sentence = punctuates ? text.trim() : finishSentence(text, spoken);
    const wasShown = shown !== '';
    shown = '';
    if (sentence === '') {
      if (wasShown) yield { concluded: [], tentative: [] };
      continue;
    }
    const blank = leadingBlank(spoken, isFirst);
    isFirst = false;
    const concluded: CaptionSegment = { text: blank + sentence, startMs, endMs, language: spoken };
    concluded.words = recognition.words;
    yield { concluded: [concluded], tentative: [] };
  }
}

function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}
