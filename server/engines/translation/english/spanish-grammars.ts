/**
 * The grammars of Debian's mode from English to Spanish. The source grammar chooses the readings of words in a sentence
 * (`Open the door` is a request), joins verbs and their particles (`turn on`), and rearranges what the mode's
 * transfer rules do not handle: questions, negative requests, object pronouns behind noun subjects. The target grammar
 * chooses Spanish words and their forms.
 */
import {
  anyOf,
  DELIMITERS,
  entriesOf,
  inBothSizes,
  indexed,
  lemmasOf,
  markedFirst,
  phraseRules,
  wordsOf,
  type GrammarTexts,
} from '../grammars.ts';
import { PHRASES, READING, SPLITS } from './spanish-constructions.ts';
import {
  ASKED_FOR,
  CERTAIN,
  clauseRules,
  EVERYBODY,
  MODALS,
  negativeQuestionRules,
  nounQuestionRules,
  PERCEIVED,
  PERFECT,
  pronounRules,
  questionRules,
  relativeRules,
  STATED,
  STRANDED,
  strandedRules,
  tagRules,
  TELLS,
  thingQuestionRules,
} from './spanish-clauses.ts';
import { phrases, requestRules } from './spanish-phrases.ts';
import { spanishGrammar } from './spanish-target-grammar.ts';
import {
  BEFORE_TO,
  CLITICS,
  COULD,
  DAYS,
  DONE,
  FORBIDDEN,
  HAD,
  INTRANSITIVE,
  IRREGULAR,
  LASTING,
  MASS,
  MONTHS,
  OBJECTS,
  OFFERED,
  ORDERS,
  PEOPLE,
  PREPOSED,
  PROFESSIONS,
  PRONOUNS,
  REQUESTS,
  SEASONS,
  WISHES,
  WITH_PARTICLES,
  newWordReadings,
} from './spanish-words.ts';

export const englishToSpanish = (): GrammarTexts => ({
  source: englishGrammar(),
  target: spanishGrammar(),
});

/** Returns the grammar that runs before the tagger. */
function englishGrammar(): string {
  return indexed(`${DELIMITERS}
LIST N = n ; LIST ADJ = adj ; LIST V = vblex ; LIST INF = (vblex inf) ; LIST PRES = (vblex pres) ;
LIST AUXILIARY = vbhaver vbser vbmod ; LIST FINITE = vbser vaux vbhaver vbdo vbmod (vblex past) ;
LIST DET = (det def) (det ind) (det pos) ; LIST NEAR = (det def) (det ind) (det pos) (det dem) ; LIST KNOWN = (det def) (det pos) ; LIST OBJECT = (prn obj) ;
LIST MODAL = ${entriesOf(MODALS)
    .filter(([modal]) => !PERFECT.includes(modal))
    .map(([modal]) => `"<${modal}>"i`)
    .join(' ')} ; LIST PERFECT = ${PERFECT.map((word) => `"<${word}>"i`).join(' ')} ;
LIST EVERYBODY = ${wordsOf(EVERYBODY)
    .map((word) => `"<${word}>"`)
    .join(' ')} ;
LIST OBJECT_FOLLOWS = ${lemmasOf('about ask bring buy call find give help lend love make offer owe pay see send show teach tell of with from to like for')} ; LIST OFTEN = ${lemmasOf('never always often usually sometimes rarely seldom')} ; LIST LEARNS = "learn"i "begin"i "teach"i ; LIST THINKS_THAT = ".* that"r ; LIST FINITE_VERB = (vblex past) (vblex pri) (vblex pres) ; LIST SPOKEN_TO = (prn obj p1) (prn obj p2) ;
LIST THIS = "<this>"i "<these>"i "<those>"i ; LIST THAT = "<that>" ; LIST ASKED = ${madeOf(entriesOf(STRANDED).flatMap(([preposition]) => ['what', 'who', 'where'].map((asked) => `${preposition}=${asked}`)))} "what=time="i "what"i "when"i "where"i "why"i "how"i "much"i "who"i ;
LIST THE = "<the>"i "<a>"i "<all>"i "<only>" "<every>"i "<some>" ; LIST PERIOD = "day"i "week"i "month"i "year"i "morning"i "afternoon"i "evening"i "night"i "end"i ;
LIST LASTING = ${lemmasOf(LASTING)} ; LIST MESSAGE = ${lemmasOf('call email letter mail message note package parcel reply')} ;
LIST WISHES = ${lemmasOf(WISHES)} ; LIST REQUESTS = ${lemmasOf(REQUESTS)} ; LIST SUBJUNCTIVE = prs pis ; LIST TOLD = ${madeOf(entriesOf(OBJECTS).flatMap(([object]) => [`tell=${object}=to`, `ask=${object}=to`]))} ;
LIST WHEN = "<when>"i "<as soon as>"i ; LIST FUTURE = "<will>"i "<won't>"i "<won’t>"i ".*['’]ll>"r "[a-z]+=(me|us|him|her|them)=.*"ri "want" "want# to" ;
LIST WERE = "<were>"i "<weren't>"i "<weren’t>"i ; LIST LASTS = "second" "minute" "hour" "day" "week" "month" "year" ; LIST PROFESSION = ${lemmasOf(PROFESSIONS)} ; LIST BEHIND_DET = "only"i "own"i ; LIST WITHOUT_TO = "forget"i "promise"i "refuse"i "what"i "how"i "where"i "when"i "who"i ;
LIST MASS = ${lemmasOf(MASS)} ; LIST OF_THEM = "*all" "*both" "*some" "*many" "*neither" ; LIST STATED = ${lemmasOf(STATED)} ; LIST PERCEIVED = ${lemmasOf(PERCEIVED)} ; LIST CERTAIN = ${lemmasOf(CERTAIN)} ; LIST TELLS = ${lemmasOf(TELLS)} ; LIST SUBJECT = "<I>" "<he>" "<she>" "<we>" "<they>" ; LIST TOLD_TO = "*forget" "[Tt]ell=(me|us|him|her|them)="r ${madeOf(["I='m=glad", 'I=am=glad', "we='re=glad", 'we=are=glad', 'I=mean', "I=didn't=know", 'I=did=not=know', "we=didn't=know", 'we=did=not=know'])} ; LIST PASSIVE = "build" "call" "consider" "find" "give" "know" "need" "say" "see" "sell" "send" "serve" "speak" "teach" "use" ; LIST NAME = np ; LIST NUM = num ;
LIST PARTICLE = "<on>"i "<off>"i "<in>"i "<out>"i "<up>"i "<down>"i "<back>"i "<away>"i ;
LIST WITH_PARTICLE = ${entriesOf(WITH_PARTICLES)
    .map(([words]) => `"${words.replace(' ', '# ')}"i`)
    .join(' ')} ;
LIST NEXT = n adj adv num np pr cnjsub rel prn det "[*].*"r ;
LIST AND = "and"i "but"i "or"i ; LIST LANGUAGE = "english"i "spanish"i "french"i "german"i "italian"i "portuguese"i "chinese"i "japanese"i "russian"i "arabic"i ; LIST INTRANSITIVE = ${lemmasOf(INTRANSITIVE)} ; LIST WHOSE = "whose=is="i "whose=are="i ; LIST IS_HAD = ${madeOf([...entriesOf(HAD).map(([state]) => `had=${state}`), 'had=in=a=hurry', 'had=right', 'had=cold'])} ;
LIST BEFORE_INF = "<while>"i ${madeOf(['accustomed=to', 'thanks=for', 'let=it', 'let=him', 'let=her', 'let=them', 'feel=like', "don't=feel=like", 'look=forward=to=doing', 'looking=forward=to', ...entriesOf(COULD).map(([, spanish]) => `not=${spanish}`)])} ".*you=mind="ri ".*=you=please="r ".*=better="r ".*=rather="r ".*=pleasure=to="r "*let's" "*let me" "*forget" ; LIST NOT_BE = "could=not=be=" "cannot=be=" ;
LIST FORBIDS = ${madeOf(entriesOf(CLITICS).flatMap(([, pronouns]) => wordsOf(pronouns).map((pronoun) => `no=${pronoun}`)))} ;
LIST COULD_NOT = ${madeOf(entriesOf(COULD).map(([, spanish]) => `not=${spanish}`))} ;
LIST STRANDED = ${madeOf(entriesOf(STRANDED).flatMap(([preposition]) => entriesOf(ASKED_FOR).map(([asked]) => `${preposition}=${asked}`)))} ;
LIST JOINED = ".*# .*"r ; SET FORM = (pp) OR INF ; SET SIMPLE = FORM - JOINED ; LIST THE_MORE = "the=more=first="i "the=less=first="i "the=more=" "the=less=" "the=better=" ; LIST PERSON = ${lemmasOf(PEOPLE)} ;
LIST NO_PERSON = ${lemmasOf('arrive be become come get go have include live look play reply say seem sit stand')} ;
LIST MONTH = ${entriesOf(MONTHS)
    .map(([month]) => `"<${month}>"`)
    .join(' ')} ; LIST SEASON = ${wordsOf(SEASONS)
    .map((season) => `"<${season}>"i`)
    .join(
      ' ',
    )} ; LIST DAY_OF_MONTH = "<[0-3]?[0-9]>"r "<[0-3]?[0-9][snrt][dht]>"r ; LIST YEAR = "<[12][0-9][0-9][0-9]>"r ;
LIST FORBIDDEN = ${entriesOf(FORBIDDEN)
    .map(([verb]) => `"*${verb}"`)
    .join(
      ' ',
    )} ; LIST REMAINING = ${madeOf(['is', 'are', 'was', 'were'].map((be) => `there=${be}=left`))} ; LIST DAY = ${lemmasOf(DAYS)} ; LIST WEEK = ${madeOf(wordsOf(DAYS).map((day) => `from=${day}=to`))} ;
LIST DONE = ${lemmasOf(DONE)} ; LIST OFFERED = ${lemmasOf(OFFERED)} ; LIST LOWER = "<[a-z].*>"r ; LIST PLEASE = "please"i ; LIST START = (>>>) ;
LIST HERE = "<here>" "<there>" ; LIST DOES = "<does>"i "<did>"i ("<do>" vbdo) ; SET ENDS = (sent) OR (cm) OR PLEASE OR (cnjcoo) ; SET BEGINS = START OR PLEASE OR (cm) OR ("then"i adv) OR ("and"i cnjcoo) ;
LIST ORDER = ${lemmasOf(ORDERS)} ;
LIST IRREGULAR = ${lemmasOf(IRREGULAR)} ;
LIST BEFORE_TO = ${lemmasOf(BEFORE_TO)} ;
BEFORE-SECTIONS
SELECT (prn subj) IF (0 ("<I>")) ;
SELECT (prn subj) IF (0 ("<you>") OR ("<it>")) (1 (vaux)) (NOT -1 OBJECT_FOLLOWS OR (ger)) ;
${SPLITS}${[...tagRules(), ...negativeQuestionRules(), ...newWordReadings(), ...requestRules(), ...phraseRules(phrases()).source, ...nounQuestionRules(), ...clauseRules(personOf), ...relativeRules(), ...particleRules(), ...forbiddingRules(), ...thingQuestionRules(), ...pronounRules(), ...questionRules(), ...wishRules(), ...conditionRules(), ...habitRules(), ...toComeRules(), ...secondVerbRules(), ...hadRules(), ...strandedRules(), ...leftRules(), ...weekRules(), ...couldRules(), ...preposedRules()].join('\n')}${PHRASES}SECTION
${READING}`);
}

/** `Don't touch the door`: the transfer rules have no negative imperative, so the verb form comes from a table. */
function forbiddingRules(): string[] {
  const forbidden = entriesOf(FORBIDDEN).map(([verb]) => `("*${verb}")`);
  return [
    ...entriesOf(FORBIDDEN).flatMap(([verb]) => [
      `APPEND ("*${verb}") ("<${verb}>") IF (-1 ("<Don't>") OR ("<don't>") OR ("<Don’t>")) (-2 BEGINS)${verb === 'keep' ? ' (NOT 1 (ger))' : ''} ;`,
      `APPEND ("*${verb}") ("<${verb}>") IF (-1 ("<not>")) (-2 ("<do>"i)) (-3 BEGINS) (NOT 1 OBJECT)${verb === 'keep' ? ' (NOT 1 (ger))' : ''} ;`,
      `SELECT ("*${verb}") ;`,
    ]),
    ...entriesOf(FORBIDDEN).flatMap(([verb]) => [
      `APPEND ("*${verb}") ("<${verb}>") IF (-1 ("<or>")) (-2 ${forbidden.join(' OR ')}) ;`,
      `SELECT ("*${verb}") ;`,
    ]),
    `APPEND ("*or") ("<or>") IF (-1 ${forbidden.join(' OR ')}) (1 ${forbidden.join(' OR ')}) ;`,
    'SELECT ("*or") ;',
    ...forbiddingObjectRules(forbidden.join(' OR ')),
    'REMCOHORT ("<to>") IF (-1 ("*forget")) ;',
    `REMCOHORT ("<do>"i) IF (1 ("<not>")) (2 ${forbidden.join(' OR ')}) ;`,
  ];
}

/** `Don't tell him`: Spanish has the pronoun before the verb. */
function forbiddingObjectRules(forbidden: string): string[] {
  const dative = anyOf('ask give say send show tell write');
  return [
    ...entriesOf(CLITICS).flatMap(([object, pronouns]) => {
      const [direct = '', indirect = direct] = pronouns.split(' ');
      return [`"no=${indirect}=" adv`, `"no=${direct}=" adv`].map(
        (reading, index) =>
          `APPEND (${reading}) ("<Don't>") OR ("<don't>") OR ("<Don’t>") IF (1 ${forbidden}) (2 ("<${object}>" obj)) (${index === 0 ? '' : 'NOT '}1 ${dative}) ;`,
      );
    }),
    'SELECT FORBIDS ;',
    'REMCOHORT OBJECT IF (-2 FORBIDS) ;',
  ];
}

/** Returns the subject pronoun of an object pronoun, with its tags and those that a verb then has. */
function subjectOf(object: string): { tags: string; person: string } {
  const [, subject] = entriesOf(OBJECTS).find(([each]) => each === object) ?? [];
  const [, tags = ''] = entriesOf(PRONOUNS).find(([each]) => each === subject) ?? [];
  return { tags, person: personOf(tags) };
}

const personOf = (tags: string): string => tags.replace(/ (?:mf|m|f|nt) /, ' ').replace('sp', 'sg');

/**
 * `I want you to come`, `He asked me to help`: Spanish has a clause with `que` and a subjunctive. After a wish,
 * object and `to` become `que` and its subject; after a request, the object stays and `to` becomes `que`.
 */
function wishRules(): string[] {
  const objects = entriesOf(OBJECTS).map(([object]) => object);
  const subjunctives = (subject: string, verb: string, person: string) => [
    [`(pis ${person})`, `${subject} (${verb} WISHES OR REQUESTS LINK 0 (past))`],
    [`(prs ${person})`, `${subject} (${verb} WISHES OR REQUESTS)`],
  ];
  const forms = [
    ...objects.flatMap((object) =>
      subjunctives(`(-2 ("<${object}>"))`, '-3', subjectOf(object).person),
    ),
    ...objects.map((object) => [
      `(prs ${subjectOf(object).person})`,
      `(-1 ("tell=${object}=to="i) OR ("ask=${object}=to="i))`,
    ]),
    ...subjunctives('(-2 (n sg)) (-3 DET)', '-4', 'p3 sg'),
    ...subjunctives('(-2 (n pl)) (-3 DET)', '-4', 'p3 pl'),
  ];
  return [
    'REMOVE (pp) IF (0 (past)) (0 WISHES OR REQUESTS) (1 OBJECT OR DET) (-1 (prn subj)) ;',
    ...markedFirst(
      'wished',
      'inf',
      '(inf)',
      [
        '(-1 ("<to>")) (-3 WISHES OR REQUESTS)',
        '(-1 ("<to>")) (-4 WISHES OR REQUESTS)',
        '(-1 TOLD)',
      ],
      (replaced, marked) =>
        forms.map(([form, where]) => `SUBSTITUTE (${replaced}) ${form} ${marked} IF ${where} ;`),
    ),
    'SELECT SUBJUNCTIVE ;',
    ...objects.flatMap((object) => [
      `APPEND ("prpers" prn subj ${subjectOf(object).tags}) ("<to>") IF (1 SUBJUNCTIVE) (-1 ("<${object}>")) (-2 WISHES) ;`,
      `APPEND ("that" cnjsub) ("<${object}>") IF (1 ("<to>" subj)) ;`,
    ]),
    'SELECT (subj) IF (0 ("<to>")) (1 SUBJUNCTIVE) ;',
    'SELECT (cnjsub) IF (1 ("<to>" subj)) ;',
    'ADDCOHORT ("<+that>" "that" cnjsub) BEFORE DET IF (1 N) (2 ("<to>")) (3 SUBJUNCTIVE) (-1 WISHES) ;',
    'SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") DET IF (-1 ("<+that>")) ;',
    'REMCOHORT ("<to>") IF (1 SUBJUNCTIVE) (-3 ("<+that>")) ;',
    'ADDCOHORT ("<+to>" "to" pr) BEFORE DET IF (1 N) (2 ("<to>")) (3 SUBJUNCTIVE) (-1 REQUESTS) ;',
    'SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") DET IF (-1 ("<+to>")) ;',
    'SUBSTITUTE ("to" pr) ("that" cnjsub) ("<to>") IF (1 SUBJUNCTIVE) ;',
    'SELECT OBJECT IF (-1 SUBJUNCTIVE) ;',
    'MOVE OBJECT (-1 SUBJUNCTIVE) BEFORE (-1 SUBJUNCTIVE) ;',
    'SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") SUBJUNCTIVE IF (-1 OBJECT) ;',
  ];
}

/** `If I had more time, I would tell you`: the past of such a condition is a subjunctive in Spanish. */
function conditionRules(): string[] {
  return [
    ...markedFirst(
      'supposed',
      'past',
      '(past)',
      ['(-2 ("<if>"i)) (0* ("<would>") OR ("<could>")) (NOT 1 (pp))'],
      (replaced, marked) =>
        entriesOf(PRONOUNS).map(
          ([pronoun, tags]) =>
            `SUBSTITUTE (${replaced} p1 p3 sg) (pis ${personOf(tags)}) ${marked} IF (-1 ("<${pronoun}>" subj)) ;`,
        ),
    ),
    'SELECT (pis) IF (-2 ("<if>"i)) ;',
  ];
}

/** Returns conditions for each kind of subject at a position, with the person of its verb. */
function personsOfSubjects(place: number): [condition: string, person: string][] {
  return [
    ...entriesOf(PRONOUNS).map(([pronoun, tags]): [string, string] => [
      `(${place} ("<${pronoun}>"i subj)) (NOT ${place - 1} N)`,
      personOf(tags),
    ]),
    [`(${place} (n sg)) (NOT ${place} (n pl))`, 'p3 sg'],
    [`(${place} (n pl))`, 'p3 pl'],
  ];
}

/** `We used to live here`: an imperfect in Spanish. */
function habitRules(): string[] {
  return [
    ...markedFirst('habit', 'inf', '(inf)', ['(-1 ("<to>")) (-2 ("<used>"))'], (replaced, marked) =>
      personsOfSubjects(-3).map(
        ([subject, person]) => `SUBSTITUTE (${replaced}) (pii ${person}) ${marked} IF ${subject} ;`,
      ),
    ),
    'SELECT (pii) ;',
    'REMCOHORT ("<to>") IF (1 (pii)) (-1 ("<used>")) ;',
    'REMCOHORT ("<used>") IF (1 (pii)) ;',
  ];
}

/** `Call me when you arrive`, `before you go`: a subjunctive in Spanish, of what is to come. */
const toComeRules = (): string[] =>
  markedFirst(
    'to-come',
    'pres',
    '(vblex pres)',
    [
      '("<before>"i) OR ("<until>"i))',
      'WHEN) (1* FUTURE BARRIER (sent))',
      'WHEN) (-3* FUTURE BARRIER (sent))',
    ].map((condition) => `(-1 (prn subj)) (NOT 1 (pp)) (-2 ${condition}`),
    (replaced, marked) =>
      entriesOf(PRONOUNS).map(
        ([pronoun, tags]) =>
          `SUBSTITUTE (${replaced}) (prs ${personOf(tags)}) ${marked} IF (-1 ("<${pronoun}>" subj)) ;`,
      ),
  );

/** `We came and saw it`: transfer has forgotten the subject when it comes to the second verb. */
function secondVerbRules(): string[] {
  const subjects = [
    ...entriesOf(PRONOUNS).map(([pronoun, tags]) => [
      ...[`("<${pronoun}>"i subj)`, personOf(tags)],
      '(vblex pres) - (vblex past) OR (adv) - ("not")',
    ]),
    ['(n pl) LINK NOT 0 V', 'p3 pl', '(vblex pres) LINK NOT 0 N OR (vblex past)'],
  ];
  const places = ['-1 AND', '-1 (adv)) (-2 AND'];
  const barrier =
    'BARRIER (rel) OR (cnjsub) OR (cnjadv) OR (sent) OR (vaux) OR (vbhaver) OR ("to")';
  return [
    ...markedFirst(
      'second-past',
      'past',
      '(vblex past)',
      places.map((place) => `(${place}) (NEGATE 0 (pp) LINK 1 (n)) (NOT 1 OBJECT)`),
      (replaced, marked) =>
        places.flatMap((place) =>
          subjects.map(
            ([subject, person]) =>
              `SUBSTITUTE (${replaced}) (ifi ${person}) ${marked} IF (${place} LINK -1* (prn subj) OR (n pl) ${barrier} LINK 0 ${subject} LINK 1 (vblex past) OR (vbser past) OR (vbdo past) OR (adv) - ("not")) ;`,
          ),
        ),
    ),
    ...markedFirst(
      'second-present',
      'pres',
      '(vblex pres)',
      places.map((place) => `(${place}) (NOT 1 OBJECT)`),
      (replaced, marked) =>
        places.flatMap((place) =>
          subjects.map(
            ([subject, person, present]) =>
              `SUBSTITUTE (${replaced}) (pri ${person}) ${marked} IF (${place} LINK -1* (prn subj) OR (n pl) ${barrier} LINK 0 ${subject} LINK NOT -1 V OR (pr) LINK 2 ${present}) ;`,
          ),
        ),
    ),
    'SELECT (ifi) ;',
    'SELECT (pri) IF (-1 AND) (0 (inf)) (0 (p1) OR (p2) OR (pl)) ;',
  ];
}

/** `I am afraid`: Spanish has what English is. The target grammar replaces the verb. */
const hadRules = (): string[] => [
  ...entriesOf(HAD).map(
    ([state]) => `APPEND ("had=${state}=" adv) ("<${state}>") IF (-1 (vbser)) (NOT 1 N OR ADJ) ;`,
  ),
  'APPEND ("had=in=a=hurry=" adv) ("<in>") IF (-1 (vbser)) (1 ("<a>")) (2 ("<hurry>")) ;',
  'APPEND ("had=right=" adv) ("<right>") IF (-1 (vbser)) (-2 (prn subj) - (nt) OR ("<them>") OR ("<us>")) (1 (sent) OR (cm) OR ("all=along=")) ;',
  'APPEND ("had=cold=" adv) ("<cold>") IF (-1 (vbser)) (-2 (prn subj) - (nt)) (1 (sent) OR (cm) OR (adv)) ;',
  'SELECT IS_HAD ;',
  'REMCOHORT ("<hurry>") IF (-2 ("had=in=a=hurry=")) ;',
  'REMCOHORT ("<a>") IF (-1 ("had=in=a=hurry=")) ;',
];

/** Returns adverbs that the source grammar makes as the content of a `LIST`, in both sizes. */
const madeOf = (words: readonly string[]): string => words.map((word) => `"${word}="i`).join(' ');

/** `I couldn't sleep`: what was not done, unless there is a condition. */
function couldRules(): string[] {
  return [
    ...entriesOf(COULD).map(([pronoun, spanish]) =>
      inBothSizes(
        (sized) =>
          `APPEND ("${sized('not')}=${spanish}=" adv) ("<${sized(pronoun)}>") IF (1 ("<couldn't>") OR ("<couldn’t>")) (2 V) (NEGATE 0* ("<if>"i) OR ("<without>") OR ("<?>")) (NEGATE -1* ("<if>"i)) ;`,
      ),
    ),
    'SELECT COULD_NOT ;',
    'REMCOHORT ("<couldn\'t>") OR ("<couldn’t>") IF (-1 COULD_NOT) ;',
  ];
}

/** `There are two seats left`: they remain. */
const leftRules = (): string[] => [
  ...wordsOf('is are was were').map((be) =>
    inBothSizes(
      (sized) =>
        `APPEND ("${sized('there')}=${be}=left=" adv) ("<${sized('there')}>") IF (1 ("<${be}>")) (NOT 2 ("<no>")) (2* ("<left>") BARRIER (sent) OR (pr) OR (rel) OR (subj) LINK -1 N LINK 2 (sent) OR (pr)) ;`,
    ),
  ),
  'SELECT REMAINING ;',
  'REMCOHORT (vbser) IF (-1 REMAINING) ;',
  'REMCOHORT ("<left>") IF (-1 N) (-1* REMAINING BARRIER (sent)) ;',
];

/** `We are open Monday to Friday`: transfer would move the first day before `open`. */
const weekRules = (): string[] => [
  ...wordsOf(DAYS).map(
    (day) =>
      `APPEND ("from=${day}=to=" adv) ("<${day}>") IF (1 ("<to>")) (2 DAY) (NOT -1 ("<from>"i) OR ("<on>"i)) ;`,
  ),
  'SELECT WEEK ;',
  'REMCOHORT ("<to>") IF (-1 WEEK) ;',
];

/** `the best idea`: an ordinal number, which transfer leaves before its noun. */
function preposedRules(): string[] {
  return entriesOf(PREPOSED).flatMap(([adjective]) => [
    ...[
      '(-1 DET) (1 N)',
      '(-1 DET) (1 NUM) (2 N)',
      '(1 N) (NOT 1 V) (NOT 0 BEHIND_DET)',
      '(-1 DET) (1 ADJ) (2 N)',
    ].map((place) =>
      inBothSizes(
        (sized) =>
          `APPEND ("${sized(adjective)}=" det ord sp) ("<${sized(adjective)}>") IF ${place} ;`,
      ),
    ),
    `SELECT (ord) IF (0 ("<${adjective}>"i)) ;`,
  ]);
}

/** Words that do not separate from their verb: not `look it at`. */
const CLOSE = new Set(['after', 'at', 'for', 'sure', 'to']);

/** Joins each particle to its verb, unless the verb is read as a noun. */
function particleRules(): string[] {
  const verbs = entriesOf(WITH_PARTICLES).map(([words]) => {
    const [verb = '', particle = ''] = words.split(' ');
    return { verb, particle, joined: `${verb}# ${particle}`, isFree: !CLOSE.has(particle) };
  });
  return [
    'SELECT (det pos) IF (0 ("<her>")) (-1 V) (1 N) (2 PARTICLE) (3 ENDS) ;',
    ...verbs.flatMap(({ verb, particle, joined, isFree }) => {
      const joins = (place: string) =>
        inBothSizes(
          (sized) =>
            `SUBSTITUTE (".*"r) ("${sized(joined)}") ("${sized(verb)}") IF (0 V) (NOT -1 DET OR ADJ OR (num)) ${place} ;`,
        );
      return [
        // Waiting for an hour, and for somebody.
        joins(`(1 ("<${particle}>"i))${particle === 'for' ? ' (NOT 2 LASTS) (NOT 3 LASTS)' : ''}`),
        ...(isFree
          ? ['(1 OBJECT) (2 IT)', '(1 NEAR) (2 N) (3 IT) (4 ENDS)'].map((place) =>
              joins(place.replace('IT', `("<${particle}>"i)`)),
            )
          : []),
      ];
    }),
    'REMOVE WITH_PARTICLE - V ;',
    ...verbs.flatMap(({ particle, joined, isFree }) => {
      const goes = (place: string) => `REMCOHORT ("<${particle}>"i) IF ${place} ;`;
      return [
        goes(`(-1C ("${joined}"i))`),
        ...(isFree
          ? ['(-1 OBJECT) (-2C JOIN)', '(-1 N) (-2 NEAR) (-3 JOIN) (1 ENDS)'].map((place) =>
              goes(place.replace('JOIN', `("${joined}"i)`)),
            )
          : []),
      ];
    }),
  ];
}
