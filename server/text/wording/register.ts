/**
 * Styles and tones that rules can give to English: short forms written out or taken, wordy and hard
 * phrases said plainly, words of the street said politely, fillers left out, long sentences parted. Each
 * rule changes how something is said and nothing of what is said; where a word has two meanings it
 * stays, and what is quoted stays as somebody has said it.
 */
import type { WritingForm } from '../../engines/engine.ts';
import { shortened, writtenOut } from './contractions.ts';
import { changed, type Edit } from './edits.ts';
import { quotedSpans } from './quotations.ts';
import type { Rule } from './rewording.ts';
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
import { sentenceEnds } from '../sentences.ts';

// Long sentences of English in parts, where each part says by itself what it has said in the whole.

/** More than so many words are parted where one clause ends and the next has its own subject. */
const LONG_SENTENCE = 18;
/** A clause of fewer words is no sentence. */
const LEAST_CLAUSE = 4;
const VERBS = "(?:is|was|has|had|does|did|are|were|have|do|isn't|wasn't|doesn't|didn't)";
const PRONOUN = '(?:I|we|they|he|she)';
/** `You pay today, and we will start` makes a condition. */
const PROMISE = `(?!${PRONOUN}[ \\t]{1,3}(?:will|can|may|must)(?!\\p{L}))`;
const JOINT = new RegExp(
  `(?:(;)|,[ \\t]{1,3}(and|but))[ \\t]{1,3}${PROMISE}(?=(?:${PRONOUN}|(?:it|there|this|you)[ \\t]{1,3}${VERBS})[ \\t])`,
  'gu',
);
/** Only what begins with its subject is a statement: `Pay in time, and we are content` is none. */
const STATEMENT =
  /^\s*(?:I|You|We|They|He|She|It|This|These|Those|There|The|A|An|Our|Your|My|Their|His|Her)(?![\p{L}'’-])/u;
/**
 * What may hold for all clauses of a sentence (a condition, a reason, what somebody has said), and what
 * joins two of them (`not only`).
 */
const HOLDS_FOR_ALL =
  /(?<![\p{L}])(?:if|unless|when|whenever|although|though|even|because|while|whilst|whether|provided|providing|assuming|supposing|since|as|after|before|until|till|once|where|wherever|whoever|whatever|whichever|who|whom|whose|which|that|what|how|why|however|except|lest|case|subject to|so|than|the more|the less|not only|either|neither|both|shall|would|could|should|might|say|says|said|saying|tells?|told|thinks?|thought|believes?|believed|claims?|claimed|hopes?|hoped|wish|wishes|wished|fears?|feared|knows?|knew|supposes?|supposed|suggests?|suggested|reports?|reported|imagines?|imagined|doubts?|doubted|argues?|argued|admits?|admitted|denies|denied|explains?|explained|agrees?|agreed|feels?|felt|writes?|wrote|announces?|announced|likely|possible|true|according)(?![\p{L}])|[:?()\[\]…]/iu;

/** The joints at which long sentences are parted. */
function partedSentences(text: string): Edit[] {
  const edits: Edit[] = [];
  let start = 0;
  for (const end of sentenceEnds(text, { language: 'en', atLineBreaks: true })) {
    const sentence = text.slice(start, end);
    const isSafe = STATEMENT.test(sentence) && !HOLDS_FOR_ALL.test(sentence);
    if (isSafe && countWords(sentence) > LONG_SENTENCE) edits.push(...jointsIn(sentence, start));
    start = end;
  }
  return edits;
}

function jointsIn(sentence: string, offset: number): Edit[] {
  const edits: Edit[] = [];
  let from = 0;
  for (const match of sentence.matchAll(JOINT)) {
    const to = match.index + match[0].length;
    const before = sentence.slice(from, match.index);
    const [, , word = ''] = match;
    // Of three clauses the last two belong together: `he came, he saw, and he left`.
    const isOneOfMany = word !== '' && before.includes(',');
    const isLong =
      countWords(before) >= LEAST_CLAUSE && countWords(sentence.slice(to)) >= LEAST_CLAUSE;
    if (isOneOfMany || !isLong) continue;
    const next =
      word === ''
        ? sentence.charAt(to).toUpperCase()
        : `${word.charAt(0).toUpperCase()}${word.slice(1)} `;
    const end = word === '' ? to + 1 : to;
    edits.push({ start: offset + match.index, end: offset + end, text: `. ${next}` });
    from = to;
  }
  return edits;
}

function countWords(text: string): number {
  return text.match(/\p{L}+/gu)?.length ?? 0;
}

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
