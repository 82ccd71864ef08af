/**
 * Questions and clauses in the source grammar from English to Spanish. Questions are put in the order of statements,
 * which the mode's transfer rules handle better; clauses get the words that Spanish does not leave out. The sets are
 * those of `spanish-grammars.ts`.
 */
import { entriesOf, inBothSizes, markedFirst, wordsOf } from '../grammars.ts';
import { PRONOUNS } from './spanish-words.ts';

export const MODALS = `
can: can vaux pres, could: can vaux past, may: may vaux inf, might: might vaux inf, must: must vaux inf,
shall: shall vaux inf, should: should vaux inf, will: will vaux inf, would: would vaux inf,
do: do vbdo pres, does: do vbdo pri p3 sg, did: do vbdo past, have: have vbhaver pres, has: have vbhaver pri p3 sg,
had: have vbhaver past`;
export const FORMS_OF_BE = `
is: be vbser pri p3 sg, are: be vbser pres, was: be vbser past p3 sg, were: be vbser past`;

/** Prepositions at the end of a question: `Who did you go with?` */
export const STRANDED = `about: de, for: para, from: de, in: en, of: de, to: a, with: con`;
export const ASKED_FOR = `who: quién, what: qué, where: dónde, which: cuál`;

/** Every tag of a pronoun, for rules that replace its reading. */
export const ANY_PRONOUN = '".*"r prn subj p1 p2 p3 m f nt mf sg pl sp';

export const PERFECT = ['have', 'has', 'had'];

export const EVERYBODY = 'everybody everyone anybody anyone somebody someone';

/** `Didn't you call?`: put like `Did you not call?`, which is then rearranged like other questions. */
export function negativeQuestionRules(): string[] {
  const irregular = new Map([
    ['can', "can't"],
    ['will', "won't"],
    ['shall', "shan't"],
  ]);
  return [
    ...entriesOf(`${MODALS}, ${FORMS_OF_BE}`).map(([verb, reading]) => {
      const [lemma = '', ...tags] = reading.split(' ');
      const contracted = irregular.get(verb) ?? `${verb}n't`;
      return inBothSizes(
        (sized) =>
          `SPLITCOHORT ("<${sized(verb)}>" "${sized(lemma)}" ${tags.join(' ')} "<n't>" "not" adv) ("<${sized(contracted)}>") OR ("<${sized(contracted.replace("'", '’'))}>") IF (1 (prn subj) OR NEAR OR THIS OR THAT) (1* ("<?>")) ;`,
      );
    }),
    // Before a noun: `Why not does the shop open?`
    `MOVE ("<n't>") (-1 (vbdo) OR (vbhaver) OR (vaux)) (NOT 1 (prn subj)) BEFORE (-1 (vbdo) OR (vbhaver) OR (vaux)) ;`,
    `SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") (vbhaver) OR (vaux) IF (-1 ("<n't>")) ;`,
    `SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") NEAR OR THIS OR THAT IF (-1 (vbhaver) OR (vaux)) (-2 ("<n't>")) ;`,
    `MOVE (prn subj) (-1 ("<n't>")) (-2 (vbser)) BEFORE (-2 (vbser)) ;`,
    `MOVE ("<n't>") (1 (prn subj)) AFTER (1 (prn subj)) ;`,
    `SUBSTITUTE ("not" adv) ("ø<s>+not" adv) ("<n't>") IF (-1 (vbser)) ;`,
    `SUBSTITUTE ("not" adv) ("ø<s>+not" adv) ("<n't>") IF (-1 ASKED) ;`,
  ];
}

/**
 * `Can you hear me?`: puts questions in the order of statements, which the transfer rules handle better. The two
 * words exchange their readings but keep their positions, because marks of elements may begin and end there.
 */
export function questionRules(): string[] {
  return [
    ...entriesOf(PRONOUNS).map(
      ([pronoun, tags]) =>
        `APPEND ("prpers" prn subj ${tags}) MODAL IF (0 (vaux) OR (vbdo)) (1 ("<${pronoun}>" subj)) (2 V OR AUXILIARY OR (adv)) (1* ("<?>")) ;`,
    ),
    ...entriesOf(PRONOUNS).map(
      ([pronoun, tags]) =>
        `APPEND ("prpers" prn subj ${tags}) PERFECT IF (1 ("<${pronoun}>" subj)) (2 (pp) OR ("<n't>") OR ("<ever>") OR ("<never>") OR ("<already>")) (1* ("<?>")) ;`,
    ),
    ...wordsOf(EVERYBODY).map(
      (word) =>
        `APPEND ("${word}" prn tn m sg) PERFECT IF (1 ("<${word}>" prn)) (2 (pp)) (1* ("<?>")) ;`,
    ),
    ...wordsOf(EVERYBODY).map(
      (word) =>
        `APPEND ("${word}" prn tn m sg) MODAL IF (0 (vaux) OR (vbdo)) (1 ("<${word}>" prn)) (2 V OR AUXILIARY) ;`,
    ),
    'SELECT (prn tn) IF (0 MODAL OR PERFECT) (1 EVERYBODY) ;',
    'SELECT (prn subj) IF (0 MODAL OR PERFECT) (1 (prn subj)) ;',
    ...entriesOf(MODALS).map(([modal, reading]) => {
      const [lemma = '', ...tags] = reading.split(' ');
      return [
        `SUBSTITUTE (${ANY_PRONOUN}) ("${lemma}" ${tags.join(' ')}) (prn subj) IF (-1 ("<${modal}>"i prn)) ;`,
        `SUBSTITUTE (".*"r prn tn m sg) ("${lemma}" ${tags.join(' ')}) EVERYBODY IF (-1 ("<${modal}>"i prn)) ;`,
      ].join('\n');
    }),
    'SELECT (vaux) OR (vbdo) OR (vbhaver) IF (-1 MODAL OR PERFECT) (-1 (prn)) ;',
    'SELECT (pp) IF (-1 (vbhaver)) (-2 PERFECT) (-2 (prn)) ;',
    'SELECT (pp) IF (-1 ("<n\'t>")) (-2 (vbhaver)) ;',
    `SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") (vbdo) OR (vaux) OR (vbhaver) IF (1 ("<n't>")) (-1 MODAL OR PERFECT LINK 0 (prn)) ;`,
    'SELECT INF OR (vbser inf) IF (-1 ("<n\'t>")) (-2 (vbdo) OR (vaux)) ;',
  ];
}

/** `Can your parents come?`: what transfer knows of statements is asked in their order, which is right in Spanish. */
export function nounQuestionRules(): string[] {
  const asked = [
    ['(vaux)', 'INF'],
    ['(vbhaver)', '(pp)'],
    ['(vbser)', 'ADJ OR (pp) OR (ger) OR (pr) OR (preadv) OR HERE OR (".*=.*"r)'],
  ];
  const names = [
    ['(1 NEAR - ("<that>")) (2 N)', 2],
    ['(1 NEAR - ("<that>")) (2 ADJ) (3 N)', 3],
  ] as const;
  const moved = '(vaux) OR (vbhaver) OR (vbser) LINK 0 ("<[A-Z].*>"r)';
  return [
    ...names.flatMap(([name, last]) => [
      `SELECT (vbdo) IF (0 ("<do>"i)) (-1 START OR ASKED) ${name} (${last} (n pl)) (${last + 1} V) (1* ("<?>")) ;`,
      ...asked.map(
        ([verb = '', next = '']) =>
          `MOVE ${verb} (-1 START) ${name} (${last + 1} ${next}) (1* ("<?>")) AFTER (${last} N) ;`,
      ),
    ]),
    ...[2, 3].map(
      (last) => `SUBSTITUTE ("([^>]*)"r) (VSTR:"%u$1") NEAR IF (-1 START) (${last} ${moved}) ;`,
    ),
    `SUBSTITUTE ("([^>]*)"r) (VSTR:"%l$1") (vaux) OR (vbhaver) OR (vbser) IF (0 ("<[A-Z].*>"r)) (-1 N) (-2 LOWER) ;`,
    'SELECT (pp) IF (-1 ("<Has>") OR ("<Have>") OR ("<Had>")) (-2 N) ;',
    'SELECT ADJ IF (0 N) (-1 ("<[A-Z].*>"r vbser)) (-2 N) (1 ("<?>")) ;',
    'SELECT (vbdo) IF (0 ("<Do>")) (1 (n pl)) (2 V - N) (1* ("<?>")) ;',
    'SELECT INF IF (-1 N) (-2 NEAR) (-3 (vbdo)) (NOT 1 V) ;',
    'REMCOHORT ("<it>") IF (-1 ("like" vblex)) (-2 (n pl)) (-4 (vbdo)) ;',
  ];
}

/** Verbs that questions ask of things: `How much does this cost?` */
const ASKED_OF_THINGS = 'belong change cost end happen help last look matter mean say start work';

/** Exchanges the readings of the pronoun and the verb, and removes the auxiliary. */
export function thingQuestionRules(): string[] {
  return wordsOf(ASKED_OF_THINGS).flatMap((verb) =>
    ['this', 'that'].flatMap((thing) => [
      `APPEND ("${verb}" vblex pri p3 sg) ("<${thing}>") IF (-1 ("<does>"i)) (1 ("<${verb}>")) ;`,
      `APPEND ("${thing}" prn tn mf sg) ("<${verb}>") IF (-1 ("<${thing}>" vblex)) ;`,
    ]),
  );
}

/** What like, what time, whose, and when a noun does something. */
export const THING_QUESTIONS = String.raw`# What was the film like, what time does it start.
APPEND ("what=like=" adv) ("<what>"i) IF (1 (vbser)) (2 DET) (3* ("<like>") BARRIER (pr) LINK 1 ("<?>")) (NOT 3 ("<weather>")) ;
APPEND ("what=like=" adv) ("<what>"i) IF (1 (vbser)) (2 (prn)) (3 ("<like>")) (4 ("<?>")) ;
REMCOHORT ("<like>") IF (1 ("<?>")) (-1* ("what=like="i)) ;
APPEND ("what=time=" adv) ("<what>"i) IF (1 ("<time>")) (2 (vbdo) OR (vaux) OR ("<do>"i) OR ("<does>"i) OR ("<did>"i)) ;
APPEND ("what=time=" adv) ("<what>"i) IF (1 ("<time>")) (2 (vbser)) (3 DET OR THIS OR NAME) ;
REMCOHORT ("<time>") IF (-1 ("what=time="i)) ;
SELECT ("what=like="i) OR ("what=time="i) ;
# Whose jacket is this: it is this jacket.
APPEND ("whose=is=" adv) ("<whose>"i) IF (1 N) (2 ("<is>")) (3 THIS OR THAT) (4 ("<?>")) ;
APPEND ("whose=are=" adv) ("<whose>"i) IF (1 N) (2 ("<are>")) (3 THIS) (4 ("<?>")) ;
SELECT WHOSE ;
SUBSTITUTE (prn tn) (det dem) (prn tn) IF (-3 WHOSE) ;
SELECT (det dem) IF (-3 WHOSE) ;
REMCOHORT (vbser) IF (-2 WHOSE) ;
MOVE (det dem) (-2 WHOSE) BEFORE (-1 N) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") N IF (-1 (det dem)) (-2 WHOSE) ;
# When does the shop open: the auxiliary goes, and the verb moves before its subject.
SUBSTITUTE (inf) (pri p3 sg) (inf) IF (-1 N) (-2 NEAR) (-3 ("<does>"i)) ;
SUBSTITUTE (inf) (pri p3 pl) (inf) IF (-1 (n pl)) (-2 NEAR) (-3 ("<do>" vbdo)) ;
SUBSTITUTE (inf) (ifi p3 pl) (inf) IF (-1 (n pl)) (-2 NEAR) (-3 ("<did>")) ;
SUBSTITUTE (inf) (past) (inf) IF (-1 N) (-2 NEAR) (-3 ("<did>"i)) ;
SELECT (pri) OR (past) OR (ifi) IF (-1 N) (-2 NEAR) (-3 DOES) ;
SELECT (vblex) IF (0 ("<this>" vblex) OR ("<that>" vblex)) ;
SELECT (prn tn) IF (-1 ("<this>" vblex) OR ("<that>" vblex)) (0 (prn tn)) ;
REMCOHORT ("<does>"i) IF (1 ("<this>" vblex) OR ("<that>" vblex)) ;
MOVE (vblex) (-1 N) (-2 NEAR) (-3 DOES) (-4 ASKED OR ("<n't>")) (1 ("<?>")) BEFORE (-2 NEAR) ;
SELECT (det dem) IF (0 THIS OR THAT) (-1 (vblex)) (-2 ("<does>"i) OR ("<did>"i)) (1 N) (2 ("<?>")) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") NEAR IF (-1 (vblex)) (-2 DOES) (-3 ASKED OR ("<n't>")) (1 N) (2 ("<?>")) ;
# Hasn't the parcel arrived, can't the doctor come, doesn't that hurt.
SELECT (prn tn) IF (0 ("<that>")) (-1 (vbdo)) (-2 ("<n't>")) (NOT 1 N) ;
SELECT (prn tn) IF (0 THIS) (-1 (vaux)) (-2 ("<n't>")) (1 INF) (2 ("<?>")) ;
SELECT INF IF (-1 THIS) (-2 (vaux)) (-3 ("<n't>")) (1 ("<?>")) ;
MOVE INF (-1 THIS) (-2 (vaux)) (-3 ("<n't>")) (1 ("<?>")) BEFORE (-1 THIS) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") INF IF (1 THIS) (-1 (vaux)) (-2 ("<n't>")) (2 ("<?>")) ;
SUBSTITUTE (pres) (pri p3 pl) (pres) IF (0 (vbhaver)) (-1 ("<n't>")) (1 NEAR) (2 (n pl)) ;
SELECT (pp) IF (-1 N) (-2 NEAR) (-3 (vbhaver)) (-4 ("<n't>")) ;
SELECT INF IF (-1 N) (-2 NEAR) (-3 (vaux)) (-4 ("<n't>")) ;
MOVE SIMPLE (-1 N) (-2 NEAR) (-3 (vbhaver) OR (vaux)) (-4 ("<n't>")) (1 ("<?>")) BEFORE (-2 NEAR) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") SIMPLE IF (-1 (vbhaver) OR (vaux)) (-2 ("<n't>")) (1 NEAR) (2 N) (3 ("<?>")) ;
REMCOHORT DOES IF (1 (vblex pri) OR (vblex past) OR (vblex ifi)) (2 NEAR) (3 N) (4 ("<?>")) ;
REMCOHORT DOES IF (1 NEAR) (2 N) (3 (vblex pri) OR (vblex past) OR (vblex ifi)) ;
`;

/** `Who did you go with?`: the preposition at the end goes before the word that asks. */
export const strandedRules = (): string[] => [
  ...entriesOf(STRANDED).flatMap(([preposition]) => [
    ...entriesOf(ASKED_FOR).map(([asked]) =>
      inBothSizes(
        (sized) =>
          `APPEND ("${sized(`${preposition}=${asked}`)}=" adv) ("<${sized(asked)}>") IF (-1 BEGINS) (NOT 1 N) (1* ("<${preposition}>" pr) LINK NOT -1 (pp) LINK 2 ("<?>")) ;`,
      ),
    ),
    `REMCOHORT ("<${preposition}>") IF (1 ("<?>")) (-1* ("${preposition}=.*"ri) BARRIER (sent)) ;`,
  ]),
  'SELECT STRANDED ;',
];

/** Do you know where it is, and what is it of many. */
export const INDIRECT_QUESTIONS = String.raw`# Do you know where the bathroom is: the verb moves before its subject.
SELECT (itg) IF (0 ("<where>")) (-1 ("know"i) OR ("ask"i) OR ("tell"i) OR ("see"i) OR ("wonder"i) OR OBJECT) ;
MOVE (vbser) (-1 N) (-2 DET) (-3 ("<where>") OR ("<what>")) (1 (sent) OR (cm)) BEFORE (-2 DET) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") DET IF (-1 (vbser)) (-2 ("<where>") OR ("<what>")) (1 N) (2 (sent) OR (cm)) ;
# What is your address: one of many.
SUBSTITUTE ("what") ("which") (prn itg) IF (1 (vbser)) (2 (det def) OR (det pos)) (NEGATE 1* ("<like>")) ;
SUBSTITUTE ("What") ("Which") (prn itg) IF (1 (vbser)) (2 (det def) OR (det pos)) (NEGATE 1* ("<like>")) ;
SELECT (prn itg) IF (0 ("which"i)) (1 (vbser)) (0 ("<what>"i)) ;
`;

/** Are there some. */
export const THERE_QUESTIONS = String.raw`# Are there questions: in the order of a statement.
APPEND ("there" adv) ("<is>"i) OR ("<are>"i) OR ("<was>"i) OR ("<were>"i) IF (-1 BEGINS) (1 ("<there>")) ;
APPEND ("be" vbser pri p3 sg) ("<there>") IF (-1 ("<is>"i adv)) ;
APPEND ("be" vbser pres) ("<there>") IF (-1 ("<are>"i adv)) ;
APPEND ("be" vbser past p3 sg) ("<there>") IF (-1 ("<was>"i adv)) ;
APPEND ("be" vbser past) ("<there>") IF (-1 ("<were>"i adv)) ;
SELECT ("there") IF (0 ("be"i)) (1 ("<there>")) ;
SELECT ("be") IF (0 ("<there>")) ;
`;

/** Readings in questions that are in the order of statements. */
export const QUESTION_READINGS = String.raw`# When the film ends you can go, after lunch we can rest.
SELECT (vaux) IF (-1C (prn subj)) (0 (vaux)) (1 V OR AUXILIARY OR (adv)) ;
SELECT (vblex pri) IF (-1 (n sg)) (-2 NEAR) (-3 (cnjadv) OR ("if"i)) (1 (prn subj)) ;
SELECT (pr) IF (0 ("after"i)) (1 N) (2 (prn subj) OR NEAR OR (cm)) ;
REMOVE V IF (0 N) (-1C (pr)) (-1 ("after"i) OR ("before"i)) ;
# Do you have, can you hear: questions, put in the order of statements, which the transfer rules handle better.
SELECT INF IF (-1C (vbdo)) ;
SELECT (vbdo) IF (0 ("do"i)) (1 (prn subj)) (2 V OR AUXILIARY OR (adv)) (NOT -1 (vaux) OR (vbmod)) ;
REMOVE N IF (0 (vaux)) (1 (prn subj)) ;
SELECT (prn subj) IF (-1 (vaux) OR (vbdo)) (1 V OR AUXILIARY OR (adv)) ;
SELECT PRES IF (-1 (prn subj)) (-2 (vbdo)) ;
REMOVE (vblex past) IF (-1 (prn subj)) (-2 (vbdo)) ;
`;

/** Readings of `do` where nothing is asked. */
export const NO_QUESTION_READINGS = String.raw`# I do it: neither a question nor an auxiliary.
REMOVE (vbdo) IF (1 OBJECT OR (prn tn) OR DET) (NOT 2 V OR AUXILIARY) (NEGATE 1* ("<?>")) ;
SELECT PRES IF (0 ("do")) (-1 (prn subj)) ;
`;

/** Verbs of what is said or thought, and those of what is perceived, which may also have an infinitive. */
export const STATED =
  'say think believe know hope guess suppose bet swear promise mean imagine assume expect admit realise realize understand';
export const PERCEIVED = 'see hear feel notice remember';
/** Adjectives that such a clause follows, and verbs that it follows after their object. */
export const CERTAIN = 'sure certain glad happy aware convinced confident sorry proud worried';
export const TELLS = 'tell show remind warn promise assure inform';

/** `I know he is here`: in Spanish the clause begins with `que`. */
export function clauseRules(personOf: (tags: string) => string): string[] {
  const finite =
    '(vbser) OR (vbhaver) OR (vbmod) OR (vaux) OR (vbdo) OR (vblex past) OR (vblex pri)';
  const that = 'ADDCOHORT ("<+that>" "that" cnjsub) BEFORE';
  const either = '("<you>") OR ("<it>")';
  const said = '(-1 STATED) (-1 V) (NOT -2 NEAR OR ADJ) (NOT -3 ("as"i))';
  const told = '(-1 OBJECT) (-2 TELLS)';
  const certain = '(-1 CERTAIN) (-2 (vbser) OR ("not") OR (adv) OR (preadv))';
  const asked = '(-1 CERTAIN) (-2 (prn subj)) (-3 (vbser))';
  return [
    ...[
      ['inf', '(vbdo) OR (vaux) OR ("not") OR ("to")'],
      ['pres', '(prn subj)'],
    ].map(
      ([form = '', before = '']) =>
        `SPLITCOHORT ("<think>" "think" vblex ${form} "<+that>" "ø<s>+that" cnjsub) ("<think that>") IF (-1 ${before}) (1 (prn subj) OR NEAR OR THIS OR N OR NAME) ;`,
    ),
    ...[said, said.replace('STATED', 'PERCEIVED'), told, certain, asked, '(-1 TOLD_TO)'].flatMap(
      (place) => [
        `${that} SUBJECT IF ${place} (NOT 1 (sent) OR (cm)) ;`,
        `${that} ${either} IF ${place} (1 ${finite}) ;`,
        `${that} (".*=.*"r) IF (0 SUBJECT OR ${either}) ${place} ;`,
      ],
    ),
    `${that} ${either} IF ${said} (1 (vblex pres)) (NOT 1 N) ;`,
    `${that} ("<everything>") OR ("<all>") IF ${said} (1 SUBJECT OR ("<you>") OR ${finite}) ;`,
    ...[told, certain, '(-1 TOLD_TO)'].map(
      (place) => `${that} ("<you>") IF ${place} (1 (vblex pres)) ;`,
    ),
    ...['(1 N) (2 ', '(1 ADJ OR N) (2 N) (3 '].flatMap((noun) => [
      `${that} NEAR - ("<that>") IF ${said} ${noun}${finite}) (NEGATE 1 (n pl) LINK 1 (pp)) ;`,
      `${that} NEAR - ("<that>") IF ${said} ${noun}(vblex pres) - N LINK -1 (n pl)) ;`,
    ]),
    ...['(1 N) (2 ', '(1 ADJ OR N) (2 N) (3 '].map(
      (noun) =>
        `${that} NEAR IF (-1 ("seem"i vblex)) (-2 ("<it>"i)) ${noun}${finite} OR (".*=.*"r)) ;`,
    ),
    `SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") (det dem) OR ("<everything>") OR ("<all>") OR (".*=.*"r) - ("I=.*"r) IF (-1 ("<+that>" cnjsub)) ;`,
    `SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+$1") ("I=.*"r) IF (-1 ("<+that>" cnjsub)) ;`,
    'SELECT (cnjsub) IF (0 ("<that>")) (-1 STATED OR PERCEIVED OR CERTAIN) (1 (prn) OR NEAR OR NAME) ;',
    'SELECT (prn subj) IF (-1 ("<+that>" cnjsub)) ;',
    'SELECT (det) IF (-1 ("<+that>" cnjsub)) (1 N OR ADJ) ;',
    `SELECT N IF (-1 NEAR) (-2 ("<+that>" cnjsub)) (1 ${finite}) ;`,
    'SELECT (vaux) IF (0 ("can")) (-1 (prn subj)) (-2 ("<+that>" cnjsub)) ;',
    'REMOVE (gen) IF (-1 (prn subj)) (-2 ("<+that>" cnjsub)) ;',
    'REMOVE (pp) IF (-1 (prn subj)) (-2 ("<+that>" cnjsub)) ;',
    'SELECT INF IF (-1 (".*=hope=.*=can="r)) ;',
    'REMOVE INF IF (-1 (prn subj)) (-2 ("<+that>" cnjsub)) ;',
    'REMOVE INF IF (-1 (prn subj)) (1 ("<+that>" cnjsub)) (NOT -2 (vaux) OR (vbdo) OR (vbmod)) ;',
    'REMOVE (past p3 sg) IF (0 (past p1 sg)) (-1 ("<I>")) (-2 ("<+that>" cnjsub)) ;',
    'SELECT (vblex pres) IF (0 ("bet"i)) (-1 ("<I>")) ;',
    ...hopedRules(personOf),
  ];
}

/** `The price you see`, `everything you need`: Spanish does not leave out the pronoun. */
export function relativeRules(): string[] {
  const that = 'ADDCOHORT ("<+that>" "that" rel an mf sp) BEFORE';
  const nouns = [
    '(-1 N - PERIOD) (-2 THE OR KNOWN) (NOT -3 (pr))',
    '(-1 N - PERIOD) (-2 THE OR KNOWN) (-3 (pr)) (NOT -4 START OR (cm))',
    '(-1 N - PERIOD) (-2 ADJ OR (ord)) (-3 THE OR KNOWN) (NOT -4 (pr))',
  ].map((noun) => `${noun} (NEGATE -1* ("<if>"i) OR WHEN BARRIER (cm))`);
  const things =
    '("<something>"i) OR ("<anything>"i) OR ("<nothing>"i) OR ("<one>") OR ("<the one>"i) OR ("<the ones>"i) OR ("<someone>"i) OR ("<somebody>"i) OR ("<everyone>"i) OR ("<everybody>"i) OR ("<anyone>"i) OR (".*=(nothing|thing)="ri)';
  const all = '("<everything>"i) OR ("<all>"i)';
  const times =
    '("<every time>"i) OR ("<the last time>"i) OR ("<the first time>"i) OR ("<the next time>"i) OR ("<last time>"i) OR ("every=time="i) OR ("next=time="i) OR ("the=next=time="i) OR ("the=last=time="i) OR ("the=first=time="i)';
  const verb = '(vblex past) OR (vblex pres) OR (vbhaver) OR (vbmod) OR (vaux)';
  return [
    ...nouns.flatMap((noun) => [
      `${that} ("<you>") IF ${noun} (1 (vblex past) OR (vblex pres) OR (vbhaver)) ;`,
      `${that} SUBJECT IF ${noun} (1 FINITE_VERB) (2 SPOKEN_TO) ;`,
      `${that} SUBJECT IF ${noun} (1 (vbhaver)) (2 (pp)) ;`,
    ]),
    `${that} SUBJECT OR ("<you>") IF (-1 ${things}) (1 ${verb}) ;`,
    `ADDCOHORT ("<what>" "*what") BEFORE SUBJECT OR ("<you>") IF (-1 ${all}) (1 ${verb}) ;`,
    `SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") (prn subj) IF (-1 ("*what")) (-2 ${all}) ;`,
    'SELECT (prn subj) IF (-1 ("*what")) ;',
    'REMOVE INF IF (-1 (prn subj)) (-2 ("*what")) ;',
    `ADDCOHORT ("<+that>" "that" cnjsub) BEFORE SUBJECT OR ("<you>") IF (-1 ${times}) (1 ${verb} OR (vblex pri) OR (vbser)) ;`,
    'SELECT (prn subj) IF (-1 ("<+that>")) ;',
    'REMOVE INF IF (-1 (prn subj)) (-2 ("<+that>")) ;',
    'REMOVE (pp) IF (-1 (prn subj)) (-2 ("<+that>")) ;',
    'SELECT (vblex) IF (-1 (prn subj)) (-2 ("<+that>")) (0 N) ;',
  ];
}

/** `The film we saw`, of any subject: the rules of {@link relativeRules} come first. */
export const LEFT_OUT_PRONOUNS = String.raw`# The film we saw: Spanish does not leave out the pronoun.
ADDCOHORT ("<+that>" "that" rel an mf sp) BEFORE (prn subj) IF (-1 N - PERIOD) (-2 THE) (1 FINITE_VERB OR (vbhaver) OR (vbmod)) (NOT -3 (pr)) (NOT 0 (obj)) ;
ADDCOHORT ("<+that>" "that" rel an mf sp) BEFORE (prn subj) IF (-1 N - PERIOD) (-2 THE) (1 FINITE_VERB OR (vbhaver) OR (vbmod)) (-3 (pr)) (NOT -4 START OR (cm)) (NOT 0 (obj)) ;
ADDCOHORT ("<+that>" "that" rel an mf sp) BEFORE (prn subj) IF (-1 N - PERIOD) (-2 THE) (1 (vbmod)) (NOT -1 ("<+that>")) ;
SELECT (subj) IF (-1 ("<+that>")) (1 (vbmod)) ;
ADDCOHORT ("<+that>" "that" rel an mf sp) BEFORE (prn subj) IF (-1 N) (1 (vbhaver)) (2 ("<ever>")) (NOT 0 (obj)) ;
REMCOHORT ("<ever>") IF (-1 (vbhaver)) (-3 ("<+that>") OR ("<if>"i)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") (prn subj) IF (-1 ("<+that>")) ;
`;

/** `It's cold, isn't it?` */
export function tagRules(): string[] {
  const verbs = 'is are was were do does did can could will would has have should';
  const contracted = [...wordsOf(verbs).map((verb) => `${verb}n't`), "can't", "won't"];
  const anyOfForms = (forms: readonly string[]) =>
    forms
      .flatMap((form) => [form, form.replace("'", '’')])
      .map((form) => `("<${form}>")`)
      .join(' OR ');
  const place = '(-1 (cm)) (1 (prn subj)) (2 ("<?>"))';
  return [
    `APPEND ("tag=question=" adv) (*) IF (0 ${anyOfForms(contracted)}) ${place} ;`,
    `APPEND ("tag=question=" adv) (*) IF (0 ${anyOfForms(wordsOf(verbs))}) ${place} (-1* ("not") OR ("never")) ;`,
    'SELECT ("tag=question=") ;',
    'REMCOHORT (prn subj) IF (-1 ("tag=question=")) (1 ("<?>")) ;',
  ];
}

/** `I hope that`, `I don't think that`: places of these words before a verb that a pronoun precedes, and before one alone. */
const HOPED = [
  ['(-2 (cnjsub)) (-3 ("hope"i vblex))', '(-1 (cnjsub)) (-2 ("hope"i vblex))'],
  ...['think', 'believe'].map((verb) =>
    [-2, -1].map(
      (place) =>
        `(${place} (cnjsub)) (${place - 1} ("${verb}" vblex)) (${place - 2} ("<don't>") OR ("<don’t>") OR ("<doesn't>") OR ("<doesn’t>"))`,
    ),
  ),
];

/** `I hope it rains`: what is hoped for, or not thought, is a subjunctive, if transfer knows it of such a verb. */
function hopedRules(personOf: (tags: string) => string): string[] {
  const simple =
    '(NOT 0 (vaux) OR (vbdo) OR (".*#.*"r) OR ("agree"i) OR ("like"i)) (NOT 1 (pp) OR (ger) OR ("not") OR ("right"i) OR ("ready"i) OR PARTICLE)';
  const ofHope = '(-1** ("<+that>" cnjsub) BARRIER V OR FINITE LINK -1 ("hope"i vblex))';
  return [
    ...markedFirst(
      'hoped',
      'pres',
      '(pres) - (vaux)',
      HOPED.map(([place]) => `(-1 (prn subj)) ${place} ${simple}`),
      (replaced, marked) =>
        entriesOf(PRONOUNS).map(
          ([pronoun, tags]) =>
            `SUBSTITUTE (${replaced}) (prs ${personOf(tags)}) ${marked} IF (-1 ("<${pronoun}>" subj)) ;`,
        ),
    ),
    ...HOPED.flatMap(([place, moved]) => [
      ...['p1 sg', 'p3 sg'].map(
        (person) =>
          `SUBSTITUTE (pri ${person}) (prs ${person}) (pri ${person}) IF (-1 (prn subj)) ${place} ${simple} ;`,
      ),
      `SELECT (prs) IF (-1 (prn subj)) ${place} ;`,
      `REMCOHORT (prn subj) IF (1 (prs)) ${moved} ;`,
      `SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") (prs) IF ${moved} (-1 ("<+that>")) ;`,
      `SELECT (prs) IF ${moved} ;`,
    ]),
    ...[
      ['pri p3 sg', '(pri)', '(-1 (n sg))', 'prs p3 sg'],
      ['pres', '(pres) - (vaux)', '(-1 (n pl))', 'prs p3 pl'],
    ].map(
      ([from = '', target = '', noun = '', to = '']) =>
        `SUBSTITUTE (${from}) (${to}) ${target} IF ${noun} ${ofHope} ${simple} ;`,
    ),
    `SELECT (prs) IF (-1 N) ${ofHope} ;`,
    'SUBSTITUTE (vbhaver) (vblex) (vbhaver prs) IF (NOT 1 (pp)) ;',
  ];
}

/** Adds a second subject pronoun where the object is a first or second person: see `PHRASES`. */
export function pronounRules(): string[] {
  const alone = '(NOT 3C FINITE OR FINITE_VERB OR (vaux))';
  const relative = '(3C FINITE OR FINITE_VERB OR (vaux)) (-1 ("<+that>" rel))';
  return entriesOf(PRONOUNS).flatMap(([pronoun, tags]) =>
    [alone, relative].map((clause) =>
      inBothSizes(
        (sized) =>
          `ADDCOHORT ("<${sized(pronoun)}>" "${sized('prpers')}" prn subj ${tags}) BEFORE ("<${sized(pronoun)}>") IF (0 (subj)) (1 FINITE_VERB) (NOT 1 ("like"i) OR THINKS_THAT) (2 SPOKEN_TO) ${clause} (NOT -1 (vaux) OR (vbdo) OR (prn subj)) ;`,
      ),
    ),
  );
}
