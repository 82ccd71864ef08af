/**
 * English phrases and replacements that are certain to mean the same. A phrase with another meaning in some
 * sentences (`in order to` after a verb, `an assist`) is restricted to safe contexts, or omitted.
 */
import type { Edit } from './edits.ts';

/** Finds the parts of an English text to reword. */
export type Rule = (text: string) => Edit[];

export const APOSTROPHE = "['’]";
export const WORD_STARTS = "(?<![\\p{L}\\p{N}'’-])";
export const WORD_ENDS = "(?![\\p{L}\\p{N}'’-])";
/** Bounded, so that a long run of blanks is not scanned again from each position. */
export const BLANK = '[ \\t]{1,3}';
/** Words that begin a clause with a subject. */
export const SUBJECT =
  '(?:I|you|we|they|he|she|it|this|that|these|those|there|the|a|an|our|your|my|their|his|her)';
export const SENTENCE_STARTS =
  '(?<=^[ \\t]{0,8}(?:[-*•–(][ \\t]{0,3}|\\d{1,2}[.)][ \\t]{1,3})?|[.!?…]["”’)]{0,2}\\s{1,4})';
const CLAUSE_ENDS = '(?=[ \\t]{0,3}(?:[.,;:!?)]|$))';

const BEGINS_SENTENCE = new RegExp(`${SENTENCE_STARTS}(?![\\s\\S])`, 'mu');
const LONGEST_BEGINNING = 16;

/** Whether a sentence, a line or a list item begins at a position. */
function beginsSentence(text: string, place: number): boolean {
  const start = Math.max(0, place - LONGEST_BEGINNING);
  return BEGINS_SENTENCE.test((start > 0 ? 'x' : '') + text.slice(start, place));
}

interface Places {
  /** Pattern that must precede a phrase. */
  behind?: string;
  /** Pattern that must follow it. */
  ahead?: string;
  /** Whether it must begin a sentence. */
  atStart?: boolean;
}

/**
 * Creates a rule from lines of the form `longer phrase > shorter`. Names, titles and headings stay, as far as
 * capitals identify them.
 */
function phrases(list: string, { behind = '', ahead = '', atStart = false }: Places = {}): Rule {
  const others = new Map(
    list
      .trim()
      .split('\n')
      .map((line) => parted(line)),
  );
  // Of two phrases with the same beginning, the longer one must match.
  const patterns = [...others.keys()]
    .sort((one, other) => other.length - one.length)
    .map((phrase) => phrase.replaceAll(' ', BLANK).replaceAll("'", APOSTROPHE));
  const found = new RegExp(
    `${behind}${WORD_STARTS}(?:${patterns.join('|')})${WORD_ENDS}${ahead}`,
    'gimu',
  );
  return each(found, ({ 0: phrase, index, input }) => {
    const key = phrase
      .toLowerCase()
      .replaceAll('’', "'")
      .replaceAll(/[ \t]+/gu, ' ');
    const other = others.get(key);
    const isTitle = /[ \t](?!I(?![\p{L}]))\p{Lu}/u.test(phrase) || isShouted(phrase);
    if (other === undefined || isTitle) return undefined;
    // After the full stop of an abbreviation the sentence continues.
    const isWithin =
      /^\p{Ll}/u.test(phrase) &&
      /[.!?…]["”’)]{0,2}\s{1,4}$/u.test(input.slice(Math.max(0, index - 8), index));
    if (atStart && (isWithin || !beginsSentence(input, index))) return undefined;
    const isNamed = /^\p{Lu}/u.test(phrase) && !/^I(?!\p{L})/u.test(phrase);
    if (isNamed && !beginsSentence(input, index)) return undefined;
    return likeCase(phrase, other);
  });
}

function parted(line: string): [phrase: string, other: string] {
  const [phrase = '', other = ''] = line.split(' > ');
  return [phrase.trim().toLowerCase(), other.trim()];
}

/** Creates a rule that replaces each match of a pattern; undefined leaves a match unchanged. */
export function each(pattern: RegExp, other: (match: RegExpExecArray) => string | undefined): Rule {
  return (text) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const said = other(match);
      const start = match.index;
      return said === undefined ? [] : [{ start, end: start + match[0].length, text: said }];
    });
}

export function isShouted(phrase: string): boolean {
  return phrase.length > 1 && phrase === phrase.toUpperCase();
}

/** Capitalises a text if the model is capitalised. */
export function likeCase(model: string, text: string): string {
  return /^\p{Lu}/u.test(model) ? text.replace(/^\p{L}/u, (letter) => letter.toUpperCase()) : text;
}

const before = (words: string) => `(?=${BLANK}(?:${words})${WORD_ENDS})`;
const notBefore = (words: string) => `(?!${BLANK}(?:${words})${WORD_ENDS})`;
const after = (words: string) => `(?<=${WORD_STARTS}(?:${words})${BLANK})`;
const notAfter = (words: string) => `(?<!${WORD_STARTS}(?:${words})${BLANK})`;

/** Words after which a verb follows, never a noun. */
const VERB_FOLLOWS = "to|can|could|would|should|may|might|must|cannot|can't|couldn't";
const IS = 'is|are|was|were|be|been|being|am';
const DETERMINER = 'a|an|the|your|my|our|their|his|her|its|more';
const QUESTION_WORD = 'whether|if|what|who|how|why|when|where|which';
const PERSON = 'you|us|me|him|them';
/**
 * Rejects sentences in which a parallel construction follows, as in `because it rained and to bad weather` or
 * `because it was late, that it was unsigned`: the continuation would no longer fit.
 */
const STANDS_ALONE =
  '(?![^.!?\\n]{0,200}(?:,| and| or| but| than| not)(?: \\p{L}+){0,2} (?:to|that|the fact)\\b)';

/**
 * Fillers before a clause, at the beginning of a sentence. Elsewhere they may be part of a list (`openly,
 * frankly, and at length`) or a self-correction (`left, I mean, right`).
 */
const FILLERS = [
  `(?:(?:[Bb]asically|[Hh]onestly|[Ff]rankly|[Nn]eedless to say|[Ww]ell),${BLANK})+(?!I never)(?=${SUBJECT}(?![\\p{L}\\p{N}-]))`,
  // `To be honest, you need courage` may name a condition.
  `To be honest,${BLANK}(?=I(?![\\p{L}\\p{N}-]))`,
].map((filler) => new RegExp(`${SENTENCE_STARTS}(?=\\p{Lu})${filler}(\\p{L})`, 'gmu'));

/** Removes meaningless words at the beginning of a sentence. */
export const withoutFillers: readonly Rule[] = FILLERS.map((filler) =>
  each(filler, ([, first = '']) => first.toUpperCase()),
);

/** Makes requests and statements direct; an opinion stays an opinion. */
export const withoutDetours: readonly Rule[] = [
  phrases(
    `
    I just wanted to > I wanted to
    we just wanted to > we wanted to
    I just want to > I want to
    we just want to > we want to
    I would just like to > I would like to
    we would just like to > we would like to
    I'd just like to > I'd like to
    we'd just like to > we'd like to
    `,
    {
      atStart: true,
      ahead: before('let you know|thank you|tell you|remind you|ask you|say thank you|point out'),
    },
  ),
  phrases(
    `
    I am just writing to > I am writing to
    I'm just writing to > I'm writing to
    we are just writing to > we are writing to
    we're just writing to > we're writing to
    `,
    {
      atStart: true,
      ahead: before('ask|say|tell|let|thank|confirm|inform|remind|follow|check|find'),
    },
  ),
  // `I was wondering if you could hear me when the light went out` is a narrative, not a request.
  phrases(
    `
    I was wondering if you could > I would like to know if you could
    I was wondering whether you could > I would like to know whether you could
    we were wondering if you could > we would like to know if you could
    we were wondering whether you could > we would like to know whether you could
    `,
    {
      atStart: true,
      ahead: `${before('please|send|help|tell|let|give|check|confirm|explain|forward|recommend')}(?![^.!?\\n]{0,300}\\b(?:when|while|as|until|before|after|but|then|yesterday|had|was|were)\\b)(?=[^.!?\\n]{0,300}[.!?])`,
    },
  ),
];

/** Simplifies wordy phrases. */
export const plainly: readonly Rule[] = [
  phrases(`
    at this point in time > at this point
    at that point in time > at that point
    until such time as > until
    each and every > every
  `),
  phrases('at the present time > now', { ahead: notBefore('of|in') }),
  phrases(
    `
    due to the fact that > because
    owing to the fact that > because
    in view of the fact that > because
    `,
    { ahead: STANDS_ALONE },
  ),
  phrases(
    `
    in spite of the fact that > although
    despite the fact that > although
    `,
    { behind: notAfter(`${IS}|come|comes|came|even|and|or|this|that`), ahead: STANDS_ALONE },
  ),
  // After a verb, `to` alone could be its complement: `He refused in order to protect her.`
  phrases('in order to > to', { atStart: true, ahead: `(?=${BLANK}\\p{Ll})` }),
  phrases('it is important to note that > note that', { atStart: true }),
  phrases('in the near future > soon', { atStart: true, ahead: '(?=,)' }),
  phrases('in close proximity to > near', { behind: notAfter('very|so|too|such|as|more|less') }),
  phrases('on a regular basis > regularly', {
    behind: after('it|them|him|us|meet|meets|met|happen|happens|happened'),
    ahead: CLAUSE_ENDS,
  }),
  phrases(
    `
    in a large number of cases > in many cases
    in a great number of cases > in many cases
    in the majority of cases > in most cases
    `,
  ),
  phrases(
    `
    prior to > before
    subsequent to > after
    `,
    { behind: notAfter(`${IS}|a|an|the|this|that|his|our|their|as|more`) },
  ),
  phrases(
    `
    is able to > can
    are able to > can
    `,
    { behind: after('he|she|it|who|which|they|we|you'), ahead: `(?=${BLANK}\\p{Ll})` },
  ),
  phrases('make a decision > decide', { behind: after(VERB_FOLLOWS), ahead: '(?=[.!?])' }),
  phrases('take into consideration > consider', {
    behind: after(VERB_FOLLOWS),
    ahead: before(DETERMINER),
  }),
];

/** Replaces bureaucratic words. */
export const simply: readonly Rule[] = [
  phrases(`
    utilise > use
    utilises > uses
    utilising > using
    utilize > use
    utilizes > uses
    utilizing > using
    commence > start
    commences > starts
    commenced > started
    commencing > starting
    whilst > while
  `),
  // `The method he used to win` would mean something else, and so would `a used car`.
  phrases(
    `
    utilised > used
    utilized > used
    `,
    { behind: notAfter('a|an|the'), ahead: before(`${DETERMINER}|it|them|by|as|for|in`) },
  ),
  phrases('endeavour to > try to\nendeavor to > try to', {
    behind: after(`${VERB_FOLLOWS}|will|shall|we|I|they`),
  }),
  phrases('endeavoured to > tried to\nendeavored to > tried to'),
  phrases('ascertain > find out', { behind: after(VERB_FOLLOWS), ahead: before(QUESTION_WORD) }),
  phrases('assist > help', { behind: after(VERB_FOLLOWS), ahead: before(PERSON) }),
  phrases('obtain > get', { behind: after('to'), ahead: before('a|an|your|my|our|their|his|her') }),
  phrases('demonstrate > show\ndemonstrates > shows', { ahead: before('how|why|whether') }),
  phrases('numerous > many', {
    behind: after('in|for|on|with|of|from|by|has|had|there are|there were'),
    ahead: `(?=${BLANK}\\p{Ll})${notBefore('and|or|but|as|enough|than|to')}`,
  }),
  // Not `about`: one can talk about ten minutes.
  phrases('approximately > roughly', {
    ahead: `(?=${BLANK}(?:[£$€]?\\p{N}|(?:half|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty|one hundred|a hundred|a thousand|a third)${WORD_ENDS}))`,
  }),
  phrases('regarding > about', {
    behind: after('questions?|information|advice|complaints?|enquiry|enquiries|inquiry|inquiries'),
  }),
  phrases(
    `
    consequently > so
    furthermore > also
    additionally > also
    nevertheless > still
    `,
    { atStart: true, ahead: '(?=,)' },
  ),
];

/** Replaces colloquial words. */
export const politely: readonly Rule[] = [
  phrases('gonna > going to'),
  phrases('I dunno > I do not know\nwe dunno > we do not know'),
  // `Wanna beer?` has no verb after it.
  phrases('wanna > want to', {
    ahead: before('be|go|do|see|know|have|get|make|play|come|take|say|try|learn|leave|stay|meet'),
  }),
  phrases('lemme > let me', { ahead: before('know|see|tell|ask|think|go|check|try|show|say') }),
  phrases(`
    more info > more information
    further info > further information
    additional info > additional information
    any info > any information
  `),
  phrases('asap > as soon as possible', { behind: notAfter('an|the|is'), ahead: CLAUSE_ENDS }),
  phrases('yeah > yes\nyep > yes\nnope > no', {
    atStart: true,
    ahead: `(?=[.!]|,(?!${BLANK}(?:no|nah|right|yeah)${WORD_ENDS}))`,
  }),
  phrases('get in touch with > contact\ngot in touch with > contacted', {
    ahead: before(PERSON),
  }),
  phrases(`
    super important > very important
    super useful > very useful
    super helpful > very helpful
  `),
  phrases(`
    is way better > is much better
    are way better > are much better
    was way better > was much better
    were way better > were much better
  `),
];

/** `Thanks for this go to Anna` does not thank the reader. */
const NOBODY_ELSE = '(?![^.!?\\n]{0,200}\\b(?:go|goes|went|due|belong|belongs)\\b)';
export const thankYou = phrases('thanks for > thank you for', {
  atStart: true,
  ahead: NOBODY_ELSE,
});
export const thanks = phrases('thank you for > thanks for', { atStart: true });

const LETTER_LINE =
  /^[ \t]{0,8}(Dear Sir or Madam|Yours faithfully|Yours sincerely|With kind regards)(?=[,.!]?[ \t]{0,8}$)/gimu;

/** Replaces stiff phrases of letters. */
export const warmly: readonly Rule[] = [
  each(LETTER_LINE, ([whole, phrase = '']) => {
    const said = /^dear/iu.test(phrase) ? 'Hello' : 'Best wishes';
    return whole === whole.toUpperCase() ? undefined : whole.replace(phrase, said);
  }),
  phrases('at your earliest convenience > as soon as you can', { ahead: CLAUSE_ENDS }),
  phrases("please do not hesitate to > feel free to\nplease don't hesitate to > feel free to", {
    ahead: before(
      '(?:contact|ask|call|email|write to|get in touch with|reach out to) (?:us|me)|ask|call(?=[.!])|get in touch|reach out',
    ),
  }),
  phrases(
    `
    we regret to inform you that > we're sorry, but
    I regret to inform you that > I'm sorry, but
    `,
    { atStart: true, ahead: '(?![^.!?\\n]{0,300} that )' },
  ),
  phrases(
    `
    we would like to invite you > we'd love to invite you
    we look forward to hearing from you > we're looking forward to hearing from you
    `,
    { atStart: true },
  ),
];
