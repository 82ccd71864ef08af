/**
 * Styles and tones that rules can give to English: short forms written out or taken, wordy and hard
 * phrases said plainly, words of the street said politely, fillers and hedges left out, long sentences
 * parted. Each rule changes how something is said and nothing of what is said; where a word has two
 * meanings it stays.
 */
import type { WritingForm } from '../../engines/engine.ts';
import { sentenceEnds } from '../sentences.ts';
import { changed, type Edit } from './edits.ts';

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

type Rule = (text: string) => Edit[];

/** An English text in a style or tone; takes linear time. */
export function inRegister(text: string, form: RuledForm): string {
  return rules[form].reduce(changed, text);
}

const APOSTROPHE = "['’]";
const WORD_STARTS = "(?<![\\p{L}\\p{N}'’-])";
const WORD_ENDS = "(?![\\p{L}\\p{N}'’-])";
/** Beginnings of a clause with a subject: what stands before them can be left out. */
const SUBJECT =
  '(?:I|you|we|they|he|she|it|this|that|these|those|there|the|a|an|our|your|my|their|his|her)';

/** `longer phrase > shorter`, one a line; what has capitals keeps them. */
function phrases(list: string): Rule {
  const others = new Map(
    list
      .trim()
      .split('\n')
      .map((line) => parted(line)),
  );
  // Of two that begin alike the longer one is found.
  const patterns = [...others.keys()]
    .sort((one, other) => other.length - one.length)
    .map((phrase) => phrase.replaceAll(' ', '[ \\t]+').replaceAll("'", APOSTROPHE));
  const found = new RegExp(
    `${WORD_STARTS}(?:(an?)([ \\t]+))?(${patterns.join('|')})${WORD_ENDS}`,
    'giu',
  );
  return (text) =>
    [...text.matchAll(found)].flatMap((match) => {
      const [whole, article, blank = '', phrase = ''] = match;
      const key = phrase
        .toLowerCase()
        .replaceAll('’', "'")
        .replaceAll(/[ \t]+/gu, ' ');
      const other = others.get(key);
      // Of names and headings nothing is known.
      if (other === undefined || isShouted(phrase)) return [];
      const start = match.index;
      const said = likeCase(phrase, other);
      const before = article === undefined ? '' : `${articleBefore(article, other)}${blank}`;
      return [{ start, end: start + whole.length, text: before + said }];
    });
}

function parted(line: string): [phrase: string, other: string] {
  const [phrase = '', other = ''] = line.split(' > ');
  return [phrase.trim().toLowerCase(), other.trim()];
}

function isShouted(phrase: string): boolean {
  return phrase.length > 1 && phrase === phrase.toUpperCase();
}

function likeCase(model: string, text: string): string {
  return /^\p{Lu}/u.test(model) ? text.replace(/^\p{L}/u, (letter) => letter.toUpperCase()) : text;
}

function articleBefore(article: string, word: string): string {
  return likeCase(article, /^[aeiou]/u.test(word) && !word.startsWith('use') ? 'an' : 'a');
}

/** What a pattern finds, in other words; none when it answers nothing. */
function each(pattern: RegExp, other: (match: RegExpExecArray) => string | undefined): Rule {
  return (text) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const said = other(match);
      const start = match.index;
      return said === undefined ? [] : [{ start, end: start + match[0].length, text: said }];
    });
}

/** Phrases at the beginning of a sentence that can be left out; what follows begins it then. */
function openings(pattern: string): Rule {
  const found = new RegExp(
    `(?<=^[\\s"“(]{0,8}|[.!?]["”)]{0,2}\\s{1,4})(?:${pattern})[ \\t]*(\\p{L})(?=\\p{L}|[ \\t'’])`,
    'gmu',
  );
  return each(found, ([, first = '']) => first.toUpperCase());
}

const DENIED: Readonly<Record<string, string>> = {
  ...{ "can't": 'cannot', "won't": 'will not', "shan't": 'shall not' },
};
/** After it a question has its subject: `Don't you think so?` cannot be written out in its place. */
const NOT_WRITTEN_OUT = new RegExp(
  `${WORD_STARTS}(can|won|shan|do|does|did|is|are|was|were|have|has|had|would|should|could|must|need|might)(n)?${APOSTROPHE}t${WORD_ENDS}(?![ \\t]+${SUBJECT}${WORD_ENDS})(?=[^.!?\\n]*(?:[.!\\n]|$))`,
  'giu',
);
const writtenOutNot = each(NOT_WRITTEN_OUT, ([whole, verb = '', n = '']) => {
  if (isShouted(whole)) return undefined;
  const known = DENIED[`${verb.toLowerCase()}'t`];
  if (known !== undefined) return likeCase(whole, known);
  return n === '' ? undefined : `${verb} not`;
});

const ENDINGS: Readonly<Record<string, string>> = { m: 'am', re: 'are', ll: 'will', ve: 'have' };
const writtenOutVerbs = each(
  new RegExp(
    `${WORD_STARTS}(I|you|he|she|it|we|they|that|there|who)${APOSTROPHE}(m|re|ll|ve)${WORD_ENDS}`,
    'giu',
  ),
  ([whole, subject = '', ending = '']) =>
    isShouted(whole) ? undefined : `${subject} ${ENDINGS[ending.toLowerCase()]}`,
);
/** What follows an `is`, and no `has`. */
const writtenOutIs = each(
  new RegExp(
    `${WORD_STARTS}(he|she|it|that|there|here|what|who|where|how)${APOSTROPHE}s(?=[ \\t]+(?:an?|the|not|no|in|on|at|by|for|from|of|to|with|my|your|our|their|his|this|that|these|those|very|so|too|quite|still|also|always|never|about|likely|important|possible|impossible|clear|necessary|good|great|hard|easy|better|best|true|worth|time|because|why|what|how|where|when|\\p{L}{2,}ing)${WORD_ENDS})`,
    'giu',
  ),
  ([whole, subject = '']) => (isShouted(whole) ? undefined : `${subject} is`),
);
const writtenOutUs = each(
  new RegExp(`${WORD_STARTS}([Ll]et)${APOSTROPHE}s(?=[ \\t]+\\p{Ll})`, 'gu'),
  ([, verb]) => `${verb} us`,
);

const SHORT_DENIED: Readonly<Record<string, string>> = { can: "can't", will: "won't" };
/** Before a word: at the end of a clause the short form sounds cut off. */
const shortNot = each(
  new RegExp(
    `${WORD_STARTS}(?:(can)not|(can|will|do|does|did|is|are|was|were|would|should|could)[ \\t]+not)(?=[ \\t]+(?!only${WORD_ENDS})\\p{Ll})`,
    'giu',
  ),
  ([whole, joined, apart]) => {
    const verb = joined ?? apart ?? '';
    return isShouted(whole)
      ? undefined
      : likeCase(verb, SHORT_DENIED[verb.toLowerCase()] ?? `${verb}n't`);
  },
);
/** `What they are now`, `older than she is`: there the verb has the stress. */
const STRESSED =
  /(?<![\p{L}])(?:what|who|where|when|why|how|which|whatever|whoever|than|as)(?![\p{L}])[^.,;:!?()\n]*$/iu;
const CLAUSE_LENGTH = 80;
const shortVerbs = each(
  new RegExp(
    `${WORD_STARTS}(?:(I)[ \\t]+am|(you|we|they)[ \\t]+are|(he|she|it|that|there)[ \\t]+is|(I|you|he|she|it|we|they)[ \\t]+will|(I|you|we|they)[ \\t]+have(?=[ \\t]+(?:been|got|seen|made|had|done|\\p{L}{3,}ed)${WORD_ENDS}))(?=[ \\t]+\\p{Ll})`,
    'giu',
  ),
  (match) => {
    const [whole, ...subjects] = match as readonly (string | undefined)[];
    const which = subjects.findIndex((subject) => subject !== undefined);
    const before = match.input.slice(Math.max(0, match.index - CLAUSE_LENGTH), match.index);
    if (isShouted(whole ?? '') || STRESSED.test(before)) return undefined;
    return `${subjects[which]}'${['m', 're', 's', 'll', 've'][which]}`;
  },
);

const FILLERS =
  '[Bb]asically|[Hh]onestly|[Ff]rankly|[Tt]o be honest|[Nn]eedless to say|[Yy]ou know|[Ii]f you ask me|I mean';
const withoutFillers: readonly Rule[] = [
  openings(`(?:${FILLERS}|[Ww]ell),`),
  each(new RegExp(`,[ \\t]+(?:${FILLERS})(?:,|(?=[.!?]))`, 'gu'), () => ''),
];
const CERTAIN = '(?:I|you|we|they|he|she|it|this|there)';
const withoutHedges: readonly Rule[] = [
  // `I believe the story` is no hedge.
  openings(
    `I (?:really |just |personally )?(?:think (?:that )?(?=${SUBJECT}${WORD_ENDS})|(?:believe|feel) that (?=${SUBJECT}${WORD_ENDS})|(?:guess|suppose) (?:that )?(?=${CERTAIN}${WORD_ENDS}))`,
  ),
  openings(`[Ii]n my (?:humble )?opinion,? |[Ii]t seems to me that `),
  each(/,[ \t]+I (?:think|guess|suppose|believe)(?:,|(?=[.!?]))/gu, () => ''),
  phrases(`
    I just wanted to > I want to
    we just wanted to > we want to
    I would just like to > I would like to
    am just writing to > am writing to
    I'm just writing to > I'm writing to
    am just checking > am checking
    was wondering if > would like to know if
    was wondering whether > would like to know whether
  `),
];

const plainly = phrases(`
  at this point in time > now
  at the present time > now
  at that point in time > then
  due to the fact that > because
  owing to the fact that > because
  in view of the fact that > because
  in spite of the fact that > although
  despite the fact that > although
  for the purpose of > for
  in the event that > if
  in the event of > if there is
  in order to > to
  so as to > to
  with regard to > about
  with respect to > about
  in relation to > about
  in the near future > soon
  in close proximity to > near
  on a regular basis > regularly
  on a daily basis > every day
  on a weekly basis > every week
  a large number of > many
  a great number of > many
  prior to > before
  subsequent to > after
  until such time as > until
  has the ability to > can
  have the ability to > can
  is able to > can
  are able to > can
  is in a position to > can
  are in a position to > can
  make a decision > decide
  made a decision > decided
  take into consideration > consider
  took into consideration > considered
  it is important to note that > note that
  each and every > every
  first and foremost > first
`);

const simply = phrases(`
  utilise > use
  utilises > uses
  utilised > used
  utilising > using
  utilize > use
  utilizes > uses
  utilized > used
  utilizing > using
  commence > start
  commences > starts
  commenced > started
  commencing > starting
  endeavour to > try to
  endeavor to > try to
  endeavoured to > tried to
  endeavored to > tried to
  ascertain > find out
  ascertained > found out
  assist > help
  assists > helps
  assisted > helped
  assisting > helping
  obtain > get
  obtains > gets
  obtaining > getting
  demonstrate > show
  demonstrates > shows
  demonstrating > showing
  reside in > live in
  resides in > lives in
  resided in > lived in
  numerous > many
  approximately > about
  regarding > about
  consequently > so
  furthermore > also
  nevertheless > still
  additionally > also
  whilst > while
`);

/** `Special thanks for`, `to thank you for` are others. */
const thankYou = each(/(?<=^|[.!?]\s)Thanks(?= for )/gmu, () => 'Thank you');
const thanks = each(/(?<=^|[.!?]\s)Thank you(?= for )/gmu, () => 'Thanks');

const politely = phrases(`
  gonna > going to
  wanna > want to
  gimme > give me
  lemme > let me
  dunno > do not know
  kids > children
  info > information
  asap > as soon as possible
  yeah > yes
  yep > yes
  nope > no
  many thanks > thank you very much
  get in touch with > contact
  got in touch with > contacted
  find out > determine
  found out > determined
  set up a meeting > arrange a meeting
  a couple of > two or three
  pretty much > largely
  super important > very important
  really important > very important
  way better > much better
  right away > immediately
`);

const warmly = phrases(`
  yours faithfully > best wishes
  yours sincerely > best wishes
  dear sir or madam > hello
  at your earliest convenience > as soon as you can
  please do not hesitate to > feel free to
  please don't hesitate to > feel free to
  do not hesitate to > feel free to
  we regret to inform you that > we're sorry, but
  I regret to inform you that > I'm sorry, but
  with kind regards > best wishes
  we would like to invite you > we'd love to invite you
  we look forward to hearing from you > we're looking forward to hearing from you
`);

/** More than so many words are parted where one clause ends and the next has its own subject. */
const LONG_SENTENCE = 18;
/** A clause of fewer words is no sentence. */
const LEAST_CLAUSE = 4;
const JOINT = new RegExp(
  `(;)[ \\t]+(?=${SUBJECT}${WORD_ENDS})|,[ \\t]+(and|but|so)[ \\t]+(?=(?:I|you|we|they|he|she|it|this|there)${WORD_ENDS})`,
  'gu',
);

/** Long sentences in parts, at most one joint in so many words. */
function partedSentences(text: string): Edit[] {
  const edits: Edit[] = [];
  let start = 0;
  for (const end of sentenceEnds(text, { language: 'en', atLineBreaks: true })) {
    const sentence = text.slice(start, end);
    if (countWords(sentence) > LONG_SENTENCE) edits.push(...jointsIn(sentence, start));
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
    // Within brackets and quotations a sentence does not end.
    const isOpen = /[("“«][^)"”»]*$/u.test(sentence.slice(0, match.index));
    const isLong =
      countWords(before) >= LEAST_CLAUSE && countWords(sentence.slice(to)) >= LEAST_CLAUSE;
    if (isOpen || !isLong) continue;
    const [, , word = ''] = match;
    const next = word === '' ? sentence.charAt(to).toUpperCase() : `${likeCase('X', word)} `;
    const end = word === '' ? to + 1 : to;
    edits.push({ start: offset + match.index, end: offset + end, text: `. ${next}` });
    from = to;
  }
  return edits;
}

function countWords(text: string): number {
  return text.match(/\p{L}+/gu)?.length ?? 0;
}

const writtenOut = [writtenOutNot, writtenOutVerbs, writtenOutIs, writtenOutUs];
const shortened = [shortNot, shortVerbs];

const rules: Readonly<Record<RuledForm, readonly Rule[]>> = {
  academic: [...writtenOut, ...withoutFillers, thankYou, politely],
  business: [...writtenOut, ...withoutFillers, thankYou, politely, plainly],
  casual: [plainly, simply, ...shortened],
  simple: [...withoutFillers, plainly, simply, partedSentences],
  confident: [...withoutFillers, ...withoutHedges],
  friendly: [thanks, warmly, ...shortened],
};
