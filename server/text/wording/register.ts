/**
 * Rule-based styles and tones for English: contractions expanded or introduced, wordy and bureaucratic
 * phrases simplified, colloquial words replaced, fillers removed, long sentences split. Each rule changes the
 * wording and never the meaning; an ambiguous word stays, and so do quotations.
 */
import type { WritingForm } from '../../engines/engine.ts';
import { changed, type Edit, quotedSpans } from './edits.ts';
import {
  type Rule,
  APOSTROPHE,
  BLANK,
  each,
  isShouted,
  likeCase,
  SENTENCE_STARTS,
  SUBJECT,
  WORD_ENDS,
  WORD_STARTS,
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

// Splits long English sentences into parts that each keep their meaning on their own.

/** Number of words above which a sentence is split where a clause ends and the next has its own subject. */
const LONG_SENTENCE = 18;
/** Minimum number of words in a clause that becomes a sentence. */
const LEAST_CLAUSE = 4;
const VERBS = "(?:is|was|has|had|does|did|are|were|have|do|isn't|wasn't|doesn't|didn't)";
const PRONOUN = '(?:I|we|they|he|she)';
/** `You pay today, and we will start` states a condition. */
const PROMISE = `(?!${PRONOUN}[ \\t]{1,3}(?:will|can|may|must)(?!\\p{L}))`;
const JOINT = new RegExp(
  `(?:(;)|,[ \\t]{1,3}(and|but))[ \\t]{1,3}${PROMISE}(?=(?:${PRONOUN}|(?:it|there|this|you)[ \\t]{1,3}${VERBS})[ \\t])`,
  'gu',
);
/** Only a sentence that begins with its subject is a statement: `Pay in time, and we are content` is not. */
const STATEMENT =
  /^\s*(?:I|You|We|They|He|She|It|This|These|Those|There|The|A|An|Our|Your|My|Their|His|Her)(?![\p{L}'’-])/u;
/**
 * Words that may apply to all clauses of a sentence (a condition, a reason, reported speech) or that connect
 * two of them (`not only`).
 */
const HOLDS_FOR_ALL =
  /(?<![\p{L}])(?:if|unless|when|whenever|although|though|even|because|while|whilst|whether|provided|providing|assuming|supposing|since|as|after|before|until|till|once|where|wherever|whoever|whatever|whichever|who|whom|whose|which|that|what|how|why|however|except|lest|case|subject to|so|than|the more|the less|not only|either|neither|both|shall|would|could|should|might|say|says|said|saying|tells?|told|thinks?|thought|believes?|believed|claims?|claimed|hopes?|hoped|wish|wishes|wished|fears?|feared|knows?|knew|supposes?|supposed|suggests?|suggested|reports?|reported|imagines?|imagined|doubts?|doubted|argues?|argued|admits?|admitted|denies|denied|explains?|explained|agrees?|agreed|feels?|felt|writes?|wrote|announces?|announced|likely|possible|true|according)(?![\p{L}])|[:?()\[\]…]/iu;

/** Returns the edits that split long sentences. */
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
    // The last two of three clauses belong together: `he came, he saw, and he left`.
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

// English contractions, expanded and introduced. `'s` is `is`, `has` or a possessive, and unstressed `is`
// never ends a sentence, so a verb changes only where the next words leave no doubt.

const DENIED: Readonly<Record<string, string>> = {
  "can't": 'cannot',
  "won't": 'will not',
  "shan't": 'shall not',
};
/** A subject that follows its verb: `don't you`, `isn't everybody`. */
const SUBJECT_BEHIND = `(?:${SUBJECT}|people|all|most|many|some|any|both|every|each|everyone|everybody|anyone|anybody|someone|somebody|no|nobody|one|two)`;
const VERB =
  '(can|won|shan|do|does|did|is|are|was|were|have|has|had|would|should|could|must|need|might)(n)?';
const IN_STATEMENT = '(?=[^.!?\\n]{0,400}(?:[.!\\n]|$))';
/** Excludes questions and exclamations, which begin with the verb; `a big don't` is a noun. */
const STATED = `(?!${BLANK}${SUBJECT_BEHIND}${WORD_ENDS})(?=${BLANK}\\p{Ll})${IN_STATEMENT}`;
/** The end of a clause, where no noun can stand: `the shop can't.` */
const CLAUSE_STATED = `(?=[,;:.!)]|$)${IN_STATEMENT}`;
const NO_STATEMENT = `(?<!${WORD_STARTS}(?:an?|the|why|how|where|when|what|who|whom|definite|big)${BLANK})`;
const writtenOutNot = [
  `(?<=${WORD_STARTS}(?:I|[Yy]ou|[Ww]e|[Tt]hey|[Hh]e|[Ss]he|[Ii]t)${BLANK})${VERB}${APOSTROPHE}t${WORD_ENDS}`,
  `(?<=[\\p{L}\\p{N}]${BLANK})${NO_STATEMENT}${VERB}${APOSTROPHE}t${WORD_ENDS}${STATED}`,
  `(?<=${WORD_STARTS}[Ww]ho${BLANK})${VERB}${APOSTROPHE}t${WORD_ENDS}${STATED}`,
  `(?<=[\\p{L}\\p{N}]${BLANK})${NO_STATEMENT}(can|won|shan|does|did|was|were|have|has|had|would|should|could)(n)?${APOSTROPHE}t${CLAUSE_STATED}`,
  `(?<=${WORD_STARTS}(?:[Ii]f|[Bb]ecause|[Ss]ince|[Aa]lthough)${BLANK}(?:the|our|your|my|their|his|her|this|that|an?)${BLANK}\\p{Ll}{1,40}${BLANK})${VERB}${APOSTROPHE}t${WORD_ENDS}`,
  `(?:${SENTENCE_STARTS}|(?<=[,;]${BLANK}))([Dd]o)(n)${APOSTROPHE}t${WORD_ENDS}${STATED}`,
  `${SENTENCE_STARTS}([Cc]an)${APOSTROPHE}t${WORD_ENDS}${STATED}`,
].map((pattern) =>
  each(new RegExp(pattern, 'gmu'), ([, verb = '', n = '']) => {
    const known = DENIED[`${verb.toLowerCase()}'t`];
    if (known !== undefined) return likeCase(verb, known);
    return n === '' ? undefined : `${verb} not`;
  }),
);

const ENDINGS: Readonly<Record<string, string>> = { m: 'am', re: 'are', ll: 'will', ve: 'have' };
const writtenOutVerbs = each(
  new RegExp(
    `${WORD_STARTS}(I|you|he|she|it|we|they|that|there|who)${APOSTROPHE}(m|re|ll|ve)${WORD_ENDS}`,
    'giu',
  ),
  ([whole, subject = '', ending = '']) =>
    isShouted(whole) ? undefined : `${subject} ${ENDINGS[ending.toLowerCase()]}`,
);

/** Adjectives that only `is` precedes, provided that the clause ends with them or continues as below. */
const DESCRIBING =
  'able|afraid|angry|available|aware|bad|best|better|busy|careful|certain|clear|cold|dead|different|difficult|easy|enough|essential|fine|free|full|glad|good|great|happy|hard|helpful|hot|hungry|ill|important|impossible|late|likely|necessary|new|nice|old|open|perfect|possible|probable|proud|ready|responsible|right|sad|safe|sick|silly|simple|small|sorry|strange|sure|true|unclear|unlikely|useful|useless|warm|welcome|wet|wonderful|worth it|wrong|young';
const GOES_ON =
  '(?=[ \\t]{0,3}(?:[.;:!?)]|$)|,? (?:but|so|because|if|when|which|to|that|for|about|of|with)\\b)';
const ING = '(?!(?:noth|someth|anyth|everyth|morn|even)ing\\b)\\p{L}{2,}ing';
/** Excludes quantities after `there`: `there's a lot` may need a plural verb, while `it's a lot` does not. */
const QUANTITY =
  '(?!(?:few|lot|number|couple|handful|dozen|hundred|thousand|range|variety|series|bunch|pair|ton|load|whole|great many|good many)\\b)';
const ADVERB =
  '(?:(?:not|never|always|also|still|now|only|just|probably|really|certainly|clearly|currently|already|very|too|so|quite)[ \\t]{1,3})?';
/** Roles of persons; other nouns may be possessions, as in `he's a cold`. */
const ROLE =
  '(?:an?[ \\t]{1,3}(?:(?:very )?(?:good|great|famous|young|retired)[ \\t]{1,3})?(?:doctor|teacher|student|lawyer|engineer|writer|painter|singer|actor|actress|member|nurse|genius|fool|hero|liar|beginner|expert|professor|scientist|designer|developer|manager|director|journalist|farmer|baker|cook|musician|person|man|woman|boy|girl|child|friend of)|the[ \\t]{1,3}(?:one|first|last|only|boss|manager|director|president|author|owner|winner))\\b';
const A_THING = '(?:(?:the|my|your|our|their|a|an)[ \\t]{1,3})?\\p{L}+(?=[.;!?])';
/** What follows an `is`, by the words before it. */
const IS_FOLLOWED: Readonly<Record<string, string>> = {
  'he|she|who': `${ADVERB}(?:${ING}\\b|${ROLE}|(?:${DESCRIBING})\\b${GOES_ON})`,
  'it|that': `${ADVERB}(?:${ING}\\b|an?\\b|the\\b|(?:${DESCRIBING})\\b(?:${GOES_ON}|(?=,)))|(?:why|because)\\b|no (?:use|good|longer|surprise|secret|wonder|accident|joke|coincidence)\\b|about (?:to|time)\\b`,
  'he|she|it': `(?:in|on|at)[ \\t]{1,3}${A_THING}|about to\\b|no longer\\b`,
  it: '(?:my|your|our|their)\\b|time (?:to|for|that|we|you|they|I)\\b',
  there: `(?:(?:not|always|also|still|only|just)[ \\t]{1,3})?(?:an?[ \\t]{1,3}${QUANTITY}|nothing (?:to|in|on|at|wrong|new)\\b)|no (?:need|doubt|way|reason|point|problem|time|question|chance|evidence|guarantee|rush|hurry|room|place|difference|charge|limit|such thing)\\b`,
  'what|who|where|how': `${ING}\\b|(?:the|my|your|our)[ \\t]{1,3}(?!\\p{L}*s\\b)\\p{L}+(?=[?.!])|(?:wrong|new|next|best|important|necessary|possible|responsible|there)\\b`,
  how: 'it going\\b',
  here: '(?:an?|the|my|your|our)[ \\t]{1,3}(?!\\p{L}*s\\b)\\p{Ll}+(?=[.,!]|[ \\t](?:for|of|to|we|you|I)\\b)',
};

const writtenOutIs = Object.entries(IS_FOLLOWED).map(([subjects, ahead]) =>
  each(
    new RegExp(`${WORD_STARTS}(${subjects})${APOSTROPHE}s(?=[ \\t]{1,3}(?:${ahead}))`, 'gimu'),
    ([whole, subject = '']) => (isShouted(whole) ? undefined : `${subject} is`),
  ),
);

/**
 * Verb forms that only follow `would`, and forms that only follow `had`; ambiguous ones such as `found` and
 * `let` are left out.
 */
const INFINITIVES =
  '(?:like|love|prefer|rather|be|have|appreciate|recommend|suggest|advise|need|want|expect|hate)';
const PARTICIPLES =
  '(?:been|gone|done|seen|taken|given|written|forgotten|known|had|got|gotten|made|heard|left|lost|met|said|sent|thought|told|bought|brought|spoken|chosen|begun|eaten|better)';
const MEANWHILE = '(?:(?:already|also|always|just|never|not|only|really|certainly)[ \\t]{1,3})?';
const writtenOutWould = [
  ['would', INFINITIVES],
  ['had', PARTICIPLES],
].map(([verb = '', ahead = '']) =>
  each(
    new RegExp(
      `${WORD_STARTS}(I|you|he|she|it|we|they|who)${APOSTROPHE}d(?=[ \\t]{1,3}${MEANWHILE}${ahead}${WORD_ENDS})`,
      'giu',
    ),
    ([whole, subject = '']) => (isShouted(whole) ? undefined : `${subject} ${verb}`),
  ),
);
const writtenOutHas = each(
  new RegExp(
    `${WORD_STARTS}(he|she|it|that|who|what)${APOSTROPHE}s(?=[ \\t]{1,3}(?:(?:not|never|always|also|already|only|just|recently|long|ever)[ \\t]{1,3})?(?:been|got|had|become|gotten)${WORD_ENDS})`,
    'giu',
  ),
  ([whole, subject = '']) => (isShouted(whole) ? undefined : `${subject} has`),
);
/** `She let's him` is a different mistake. */
const writtenOutUs = each(
  new RegExp(
    `(?:${SENTENCE_STARTS}(L)|(?<=(?:,|${WORD_STARTS}(?:[Aa]nd|[Bb]ut|[Ss]o|[Tt]hen|[Nn]ow|[Pp]lease))${BLANK})(l))et${APOSTROPHE}s(?=[ \\t]+(?!(?:you|me|us|him|her|them|it)\\b)\\p{Ll})`,
    'gmu',
  ),
  ([, capital, small]) => `${capital ?? small ?? ''}et us`,
);

/** Expands contractions. */
const writtenOut: readonly Rule[] = [
  ...writtenOutNot,
  writtenOutVerbs,
  ...writtenOutIs,
  writtenOutHas,
  ...writtenOutWould,
  writtenOutUs,
  each(new RegExp(`${WORD_STARTS}(y)${APOSTROPHE}all${WORD_ENDS}`, 'giu'), ([whole, y = '']) =>
    isShouted(whole) ? undefined : `${y}ou all`,
  ),
];

/** After `do` and `will`, excludes nouns: `all I could do not to laugh`, `her will not being found`. */
const INFINITIVE = `(?=${BLANK}(?!(?:to|only|but)${WORD_ENDS}|\\p{L}{2,}ing${WORD_ENDS})\\p{Ll})`;
/**
 * Excludes a `not` that belongs to the following words: `the trick is not to look down`, `the limit is not
 * more than five`.
 */
const NOT_SO = `(?=${BLANK}(?!(?:to|only|more|less|fewer|later|earlier|before|after|until|having|being|knowing)${WORD_ENDS})\\p{Ll})`;
const NEITHER_ING = `(?!${BLANK}\\p{L}{2,}ing${WORD_ENDS})`;
const SHORT_DENIED: Readonly<Record<string, string>> = { can: "can't", will: "won't" };
/** Only before a word: at the end of a clause a contraction sounds cut off. */
const shortNot: readonly Rule[] = [
  `${WORD_STARTS}([Cc]an)not(?=${BLANK}(?!but${WORD_ENDS})\\p{Ll})`,
  `(?<=${WORD_STARTS}(?:I|[Yy]ou|[Ww]e|[Tt]hey|[Hh]e|[Ss]he|[Ii]t|[Tt]here|who|which)${BLANK})(will)${BLANK}not${INFINITIVE}`,
  `${WORD_STARTS}([Dd]o|does|did|would|should|could)${BLANK}not${INFINITIVE}`,
  `(?<=${WORD_STARTS}(?:[Yy]ou|[Ww]e|[Tt]hey|[Hh]e|[Ss]he)${BLANK})(is|are|was|were)${BLANK}not${NOT_SO}`,
  `(?<=${SENTENCE_STARTS}(?:It|This|That|There)${BLANK})(is|are|was|were)${BLANK}not${NOT_SO}${NEITHER_ING}`,
].map((pattern) =>
  each(new RegExp(pattern, 'gmu'), ([, verb = '']) =>
    likeCase(verb, SHORT_DENIED[verb.toLowerCase()] ?? `${verb}n't`),
  ),
);

/**
 * Positions where the pronoun can only be a subject, and where no earlier word of the sentence governs the
 * verb, as in `There it is` or `all of you are`.
 */
const CLAUSE_STARTS = `(?<=${SENTENCE_STARTS}|[\\p{L}\\p{N}][,;]${BLANK}|${WORD_STARTS}(?:[Ii]f|[Bb]ecause|[Aa]lthough|[Uu]nless|I (?:think|hope|believe|know))${BLANK})`;
const SOON = '(?:(?:always|also|already|still|just|only|never|really|not|very|so|too)[ \\t]{1,3})?';
const DOING = `${SOON}(?:${ING}\\b|an?\\b|the\\b|not\\b|(?:${DESCRIBING})\\b)`;
const DONE =
  '(?:(?:always|also|already|just|never|not)[ \\t]{1,3})?(?:(?:been|got|seen|made|had|done|written|taken|given|found|heard|read|sent|told)[ \\t]{1,3}(?!(?:if|and|or|but|when|because|too|then|so|as|since)\\b)\\p{L}|(?!(?:indeed|hundred|limited|mixed|detailed)\\b)\\p{L}{3,}ed[ \\t]{1,3}(?:an?|the|it|this|that|my|your|his|her|our|their|them|him|us|you|to|for|in|on|at|with|by|from|about|all)\\b)';
const DO =
  '(?:(?:always|also|probably|soon|certainly|just|never)[ \\t]{1,3})?(?:(?:be|have|do)[ \\t]{1,3}(?!(?:if|and|or|but|when|because|unless|too|then|though|as|so)\\b)\\p{L}|(?:go|get|see|make|take|come|call|send|give|tell|let|need|write|ask|try|find|know|work|meet|bring|pay|show|help|start|check|look|wait|contact|keep|leave|explain|discuss|use|provide|return|join|talk|speak|think|buy|sell|learn|miss)\\b)';
const SHORT_VERBS: readonly (readonly [
  subject: string,
  verb: string,
  short: string,
  ahead: string,
])[] = [
  ['I', 'am', 'm', DOING],
  ['[Yy]ou|[Ww]e|[Tt]hey', 'are', 're', DOING],
  ['[Hh]e|[Ss]he|[Ii]t|[Tt]hat', 'is', 's', DOING],
  ['[Tt]here', 'is', 's', `(?:an?|no)${BLANK}\\p{Ll}`],
  ['I|[Yy]ou|[Hh]e|[Ss]he|[Ii]t|[Ww]e|[Tt]hey', 'will', 'll', DO],
  ['I|[Yy]ou|[Ww]e|[Tt]hey', 'have', 've', DONE],
];
const shortVerbs: readonly Rule[] = SHORT_VERBS.map(([subject, verb, short, ahead]) =>
  each(
    new RegExp(`${CLAUSE_STARTS}(${subject})${BLANK}${verb}(?=${BLANK}(?:${ahead}))`, 'gmu'),
    ([, said = '']) => `${said}'${short}`,
  ),
);

/** Introduces contractions. */
const shortened: readonly Rule[] = [...shortNot, ...shortVerbs];

// The rules of each style and tone.

/** Styles and tones that rules can produce. */
export const ruledForms = [
  'academic',
  'business',
  'casual',
  'simple',
  'confident',
  'friendly',
] as const satisfies readonly WritingForm[];

export type RuledForm = (typeof ruledForms)[number];

/** Puts an English text into a style or tone, in linear time. */
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
