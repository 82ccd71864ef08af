/**
 * Styles and tones that rules can give to English: short forms written out or taken, wordy and hard
 * phrases said plainly, words of the street said politely, fillers left out, long sentences parted. Each
 * rule changes how something is said and nothing of what is said; where a word has two meanings it
 * stays, and what is quoted stays as somebody has said it.
 */
import type { WritingForm } from '../../engines/engine.ts';
import { shortened, writtenOut } from './contractions.ts';
import { changed } from './edits.ts';
import { quotedSpans } from './quotations.ts';
import type { Rule } from './rewording.ts';
import { partedSentences } from './sentence-parting.ts';
import {
  plainly,
  politely,
  simply,
  thanks,
  thankYou,
  warmly,
  withoutDetours,
  withoutFillers,
} from './wordings.ts';

/** The styles and tones that rules can give. */
export const ruledForms = [
  'academic',
  'business',
  'casual',
  'simple',
  'confident',
  'friendly',
] as const satisfies readonly WritingForm[];

export type RuledForm = (typeof ruledForms)[number];

/** An English text in a style or tone; takes linear time. */
export function inRegister(text: string, form: RuledForm): string {
  return rules[form].reduce((current, rule) => changed(current, rule, quotedSpans), text);
}

const rules: Readonly<Record<RuledForm, readonly Rule[]>> = {
  academic: [...politely, ...writtenOut, ...withoutFillers, thankYou],
  business: [...politely, ...writtenOut, ...withoutFillers, thankYou, ...plainly],
  casual: [...plainly, ...simply, ...shortened],
  simple: [...withoutFillers, ...plainly, ...simply, partedSentences],
  confident: [...withoutFillers, ...withoutDetours],
  friendly: [thanks, ...warmly, ...shortened],
};
