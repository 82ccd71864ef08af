/**
 * The source grammar of Debian's mode from English to Spanish. It chooses the readings of words in a sentence
 * (`Open the door` is a request), joins verbs and their particles (`turn on`), and rearranges what the mode's
 * transfer rules do not handle: questions, negative requests, object pronouns behind noun subjects.
 */
import {
  anyOf,
  DELIMITERS,
  entriesOf,
  inBothSizes,
  indexed,
  lemmasOf,
  phraseRules,
  wordsOf,
  type GrammarTexts,
} from '../grammars.ts';
import {
  BEFORE_TO,
  CLITICS,
  FORBIDDEN,
  IRREGULAR,
  LASTING,
  MASS,
  MODALS,
  OBJECTS,
  ORDERS,
  PRONOUNS,
  REQUESTS,
  SAID_OTHERWISE,
  WISHES,
  WITH_PARTICLES,
  newWordReadings,
  spanishGrammar,
} from './spanish-words.ts';

export const englishToSpanish = (): GrammarTexts => ({
  source: englishGrammar(),
  target: spanishGrammar(),
});

/** Every tag of a pronoun, for rules that replace its reading. */
const ANY_PRONOUN = '".*"r prn subj p1 p2 p3 m f nt mf sg pl sp';

/** Constructions that Spanish expresses differently. A lemma with `*` is unknown to the dictionary and passes through. */
const PHRASES = String.raw`
# Let's go, let us begin, let me explain.
SUBSTITUTE (".*"r vblex inf pres past pp) ("*let's") ("<let>"i) IF (1 ("<'s>"i) OR ("<us>"i)) (2 V) ;
REMCOHORT ("<'s>") OR ("<us>") IF (-1 ("*let's")) ;
SUBSTITUTE (".*"r prn obj p1 mf sg) ("*let me") ("<me>") IF (-1 ("<let>"i)) (1 V) (-2 START OR (cm) OR PLEASE) ;
REMCOHORT ("<let>"i) IF (1 ("*let me")) ;
# See you tomorrow.
SUBSTITUTE (".*"r vblex inf pres) ("*see you") ("<see>"i) IF (-1 START) (1 ("<you>")) (2 (adv) OR N) ;
REMCOHORT ("<you>") IF (-1 ("*see you")) ;
# Good afternoon, good evening.
SUBSTITUTE (".*"r n sg) ("*good day") ("<afternoon>"i) OR ("<evening>"i) IF (-1 ("<good>"i)) ;
REMCOHORT ("<good>"i) IF (1 ("*good day")) ;
# He saw me, I told you: the transfer rules make the verb agree with such an object, unless an auxiliary precedes it.
# The subject pronoun becomes that auxiliary, because a blank follows it, and a second pronoun is added before it.
REMOVE ("saw" vblex) ;
ADDCOHORT ("<+did>" "do" vbdo past) BEFORE (vblex past) IF (-1 N OR NAME) (1 SPOKEN_TO) (NOT 0 (pp)) ;
ADDCOHORT ("<+did>" "do" vbdo past) BEFORE (vblex past) IF (-1C N OR NAME) (1 SPOKEN_TO) ;
SELECT (rel) IF (0 THAT) (-1 N) (1 (vblex past)) (2 SPOKEN_TO) ;
ADDCOHORT ("<+did>" "do" vbdo past) BEFORE (vblex past) IF (-1C (rel)) (1 SPOKEN_TO) ;
ADDCOHORT ("<+did>" "do" vbdo past) BEFORE (vblex past) IF (-1 ("<who>"i)) (1 SPOKEN_TO) ;
ADDCOHORT ("<+do>" "do" vbdo pres) BEFORE (vblex pres) IF (-1 (n pl)) (NOT 0 N) (1 SPOKEN_TO) (NOT -2 (vaux) OR (vbdo)) ;
ADDCOHORT ("<+do>" "do" vbdo pres) BEFORE (vblex pres) IF (-1 (n pl)) (1 ("<me>") OR ("<us>")) (NOT -2 (vaux) OR (vbdo)) (NOT -1 ("<+do>")) ;
ADDCOHORT ("<+does>" "do" vbdo pri p3 sg) BEFORE (vblex pri) IF (-1 N OR NAME) (NOT 0 N) (1 SPOKEN_TO) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") V IF (-1 ("<+do>") OR ("<+did>") OR ("<+does>")) ;
# I like this book, I think that you are right: undo the analyser's multiwords "like this" and "think that".
SPLITCOHORT ("<like>" "like" vblex pres "<this>" "ø<s>+this" det dem sg) ("<like this>") IF (-1 (prn subj)) (1 N) ;
SUBSTITUTE ("think# that") ("think") ("think# that") IF (1 (prn)) ;
# Learn to cook.
SUBSTITUTE ("to") ("at") ("to" pr) IF (-1 LEARNS) (1 INF) ;
SELECT INF IF (-1 ("at" pr)) (-2 LEARNS) ;
# When does the shop open: the auxiliary goes, and the verb moves before its subject.
SUBSTITUTE (inf) (pri p3 sg) (vblex inf) IF (-1 N) (-2 DET) (-3 ("<does>"i)) ;
SUBSTITUTE (inf) (past) (vblex inf) IF (-1 N) (-2 DET) (-3 ("<did>"i)) ;
SELECT (vblex pri) OR (vblex past) IF (-1 N) (-2 DET) (-3 ("<does>"i) OR ("<did>"i)) ;
SELECT (vblex) IF (0 ("<this>" vblex) OR ("<that>" vblex)) ;
SELECT (prn tn) IF (-1 ("<this>" vblex) OR ("<that>" vblex)) (0 (prn tn)) ;
REMCOHORT ("<does>"i) IF (1 ("<this>" vblex) OR ("<that>" vblex)) ;
MOVE (vblex) (-1 N) (-2 DET) (-3 ("<does>"i) OR ("<did>"i)) (-4 ASKED) (1 ("<?>")) BEFORE (-2 DET) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") DET IF (-1 (vblex)) (-2 ("<does>"i) OR ("<did>"i)) (-3 ASKED) (1 N) (2 ("<?>")) ;
REMCOHORT ("<does>"i) OR ("<did>"i) IF (1 (vblex pri) OR (vblex past)) (2 DET) (3 N) (4 ("<?>")) ;
REMCOHORT ("<does>"i) OR ("<did>"i) IF (1 DET) (2 N) (3 (vblex pri) OR (vblex past)) ;
REMCOHORT ("<one>") OR ("<ones>") IF (-1 ADJ) (-2 DET) ;
# She made me laugh, stop talking, I forgot to call, our goal is to win, what to do.
SUBSTITUTE (ger) (inf) (vblex ger) IF (-1 ("stop"i vblex)) ;
SELECT INF IF (-1 ("<to>")) (-2 WITHOUT_TO OR (vbser)) ;
SELECT INF IF (-1 ("stop"i vblex)) ;
ADDCOHORT ("<+of>" "of" pr) BEFORE INF IF (-1 ("stop"i vblex)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") INF IF (-1 ("<+of>")) ;
SELECT INF IF (-1 OBJECT) (-2 ("make"i) OR ("let"i) OR ("see"i) OR ("hear"i) OR ("help"i)) ;
REMCOHORT ("<to>") IF (1 INF) (-1 WITHOUT_TO) ;
REMCOHORT ("<to>") IF (1 INF) (-1 (vbser)) (-2 N) ;
# Do you know where the bathroom is: the verb moves before its subject.
SELECT (itg) IF (0 ("<where>")) (-1 ("know"i) OR ("ask"i) OR ("tell"i) OR ("see"i) OR ("wonder"i) OR OBJECT) ;
MOVE (vbser) (-1 N) (-2 DET) (-3 ("<where>")) (1 (sent) OR (cm)) BEFORE (-2 DET) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") DET IF (-1 (vbser)) (-2 ("<where>")) (1 N) (2 (sent) OR (cm)) ;
# What she said, with what he has.
APPEND ("*what") ("<what>") IF (1 (prn subj)) (NOT -1 START OR (cm)) ;
SELECT ("*what") ;
SELECT (prn itg) IF (0 ("<what>"i)) (1C INF) ;
# The film we saw: Spanish does not leave out the pronoun.
ADDCOHORT ("<+that>" "that" rel an mf sp) BEFORE (prn subj) IF (-1 N - PERIOD) (-2 THE) (1 FINITE_VERB OR (vbhaver)) (NOT -3 (pr)) (NOT 0 (obj)) ;
ADDCOHORT ("<+that>" "that" rel an mf sp) BEFORE (prn subj) IF (-1 N - PERIOD) (-2 THE) (1 FINITE_VERB OR (vbhaver)) (-3 (pr)) (NOT -4 START OR (cm)) (NOT 0 (obj)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") (prn subj) IF (-1 ("<+that>")) ;
APPEND ("*there") ("<there>") IF (-1 FINITE_VERB) (-2 (prn subj)) (-3 ("<+that>")) ;
SELECT ("*there") ;
# What a beautiful day, some water, all of us.
REMCOHORT ("<a>") OR ("<an>") IF (-1 ("<what>"i)) (-2 START) ;
APPEND ("a=bit=" adv) ("<some>"i) IF (1 MASS) (NOT 1 (pl)) ;
SELECT ("a=bit=") ;
APPEND ("*all") ("<all>"i) IF (1 ("<of>")) (2 OBJECT) ;
APPEND ("*both") ("<both>"i) IF (1 ("<of>")) (2 OBJECT) ;
APPEND ("*some") ("<some>"i) IF (1 ("<of>")) (2 OBJECT) ;
APPEND ("*many") ("<many>"i) IF (1 ("<of>")) (2 OBJECT) ;
SELECT OF_THEM ;
SUBSTITUTE (obj) (subj) (prn obj) IF (-2 OF_THEM) (1 FINITE OR V OR (vaux)) ;
SELECT (subj) IF (-2 OF_THEM) ;
REMCOHORT ("<of>") IF (-1 OF_THEM) (1 (subj)) ;
# The book was written by her: the transfer rules make a state of a passive, so an unknown verb takes the place of "be".
SUBSTITUTE (".*"r vbser past p1 p3 sg) ("be=" vblex past) (vbser past) IF (1 (pp)) (NOT 1 LASTING OR ADJ) (-1 N OR (prn)) ;
SUBSTITUTE (".*"r vbser past p1 p3 sg) ("be=" vblex past) (vbser past) IF (1 (pp)) (2 ("<by>")) ;
SUBSTITUTE (vbser) (vblex) (vbser pri) IF (1 (pp)) (1 PASSIVE) (-1 N OR (prn)) ;
SUBSTITUTE (vbser) (vblex) (vbser pres) IF (1 (pp)) (1 PASSIVE) (-1 N OR (prn)) ;
SUBSTITUTE ("be") ("be=") ("be" vblex) ;
SELECT (pp) IF (-1 ("be=")) ;
# I got your message: an imperfect otherwise.
SUBSTITUTE ("get") ("receive") (vblex past) IF (1* MESSAGE BARRIER V OR (pr)) ;
SUBSTITUTE ("get") ("obtain") (vblex past) IF (1 DET) ;
# Are there questions: in the order of a statement.
APPEND ("there" adv) ("<is>"i) OR ("<are>"i) OR ("<was>"i) OR ("<were>"i) IF (-1 BEGINS) (1 ("<there>")) ;
APPEND ("be" vbser pri p3 sg) ("<there>") IF (-1 ("<is>"i adv)) ;
APPEND ("be" vbser pres) ("<there>") IF (-1 ("<are>"i adv)) ;
APPEND ("be" vbser past p3 sg) ("<there>") IF (-1 ("<was>"i adv)) ;
APPEND ("be" vbser past) ("<there>") IF (-1 ("<were>"i adv)) ;
SELECT ("there") IF (0 ("be"i)) (1 ("<there>")) ;
SELECT ("be") IF (0 ("<there>")) ;
SUBSTITUTE (${ANY_PRONOUN}) ("do" vbdo past) (prn subj) IF (-1 (prn subj)) (1 (vblex past)) (2 SPOKEN_TO) ;
SUBSTITUTE (${ANY_PRONOUN}) ("do" vbdo pri p3 sg) (prn subj) IF (-1 (prn subj)) (1 (vblex pri)) (2 SPOKEN_TO) ;
SUBSTITUTE (${ANY_PRONOUN}) ("do" vbdo pres) (prn subj) IF (-1 (prn subj)) (1 (vblex pres)) (2 SPOKEN_TO) ;
SELECT (vbdo) IF (0 (vbdo)) (-1 (prn subj)) (2 SPOKEN_TO) ;
SUBSTITUTE (past) (inf) (vblex past) IF (-1C (vbdo)) (1 SPOKEN_TO) ;
SUBSTITUTE (pri p3 sg) (inf) (vblex pri) IF (-1C (vbdo)) (1 SPOKEN_TO) ;
SELECT INF IF (-1C (vbdo)) (1 SPOKEN_TO) ;
`;

/** Rules that choose readings, once new words and joined particles are in place. */
const READING = String.raw`
# This seat, who is that man, repeat that.
SELECT (det dem) IF (0 THIS) (1 N) (NOT 1 (vblex pri) OR (vaux)) (NOT 1 ("like")) (NOT -1 ("<does>") OR ("<did>")) ;
REMOVE V IF (-1 THIS) (0 N) (NOT 0 (vblex pri)) ;
SELECT (det dem) IF (0 THAT) (-1 (vbser)) (1 N) ;
SELECT (prn) IF (0 THAT) (-1 V) (1 (sent) OR (cm)) ;
SELECT (pr) IF (0 ("since"i)) (1 NUM) ;
SELECT ADJ IF (0 ("<right>")) (-1 (vbser)) (1 (sent) OR (cm)) ;
REMOVE (vbhaver) IF (0 ("have"i vblex)) (1 DET OR NUM OR ("<at least>")) ;
# This site uses cookies.
SELECT (vblex pri) IF (-1 (n sg)) (-2 DET OR THIS) (1 (n pl)) (NOT 1 V) (NEGATE 1* FINITE) (NEGATE -1* FINITE) ;
# Do you have, can you hear: questions, put in the order of statements, which the transfer rules handle better.
SELECT INF IF (-1C (vbdo)) ;
SELECT (vbdo) IF (0 ("do"i)) (1 (prn subj)) (2 V OR AUXILIARY OR (adv)) ;
REMOVE N IF (0 (vaux)) (1 (prn subj)) ;
SELECT (prn subj) IF (-1 (vaux) OR (vbdo)) (1 V OR AUXILIARY OR (adv)) ;
SELECT PRES IF (-1 (prn subj)) (-2 (vbdo)) ;
REMOVE (vblex past) IF (-1 (prn subj)) (-2 (vbdo)) ;
SELECT INF IF (-1 ("*let's") OR ("*let me") OR ("*forget")) ;
# The train leaves at nine.
SELECT (vblex pri) IF (-1 (n sg)) (-2 DET) (1 (pr) OR DET) (NEGATE 1* FINITE) (NEGATE -1* FINITE) ;
SELECT (pr) IF (0 ("about"i)) (1 OBJECT OR DET OR (prn)) ;
SELECT (pr) IF (0 ("about")) (-1 ("talk") OR ("think") OR ("learn") OR ("hear") OR ("know") OR ("worry")) ;
# I do it: neither a question nor an auxiliary.
REMOVE (vbdo) IF (1 OBJECT OR (prn tn) OR DET) (NOT 2 V OR AUXILIARY) (NEGATE 1* ("<?>")) ;
SELECT PRES IF (0 ("do")) (-1 (prn subj)) ;
REMOVE ("coming"i adj) ;
SELECT (vblex past) IF (-1 (prn subj)) (-2 ("<+that>")) ;
SUBSTITUTE (ger) (inf) (vblex ger) IF (-1 ("looking=forward=to="i)) ;
SELECT INF IF (-1 ("looking=forward=to="i)) ;
# What happened, the house where I was born.
SELECT (vblex past) IF (-1 ("<what>"i) OR ("<who>"i)) (0 (pp)) (NOT -2 V OR (pr)) ;
SELECT (prn subj) IF (0 ("<I>")) ;
SELECT (vblex pres) IF (0 ("stop"i) OR ("keep"i)) (-1 BEGINS) (1 (ger) OR INF) ;
# The man who came, when I came.
SELECT (rel) IF (0 ("who"i)) (-1 N) ;
SELECT (rel) IF (0 ("which"i)) (-1 N OR (cm)) ;
SELECT (itg) IF (0 ASKED) (-1 START) (1* ("<?>")) ;
SELECT (rel) IF (0 ("where"i)) (NEGATE 1* ("<?>")) ;
SELECT (cnjadv) IF (0 ("when"i)) (1 (prn) OR DET OR THIS OR N) (NEGATE 1* ("<?>")) ;
SELECT (det qnt) IF (0 ("more"i)) (1 N) ;
REMOVE V IF (-1C DET) (0 N OR ADJ) ;
SELECT INF IF (-1 ("to"i pr)) (-2 BEFORE_TO) ;
REMOVE N OR ADJ IF (-1 (vbmod) OR (vaux)) (0 V) ;
REMOVE N OR ADJ IF (-1C (prn subj)) (0 V) ;
REMOVE N OR ADJ IF (-1 ("<you>"i) OR ("<I>")) (0 V) ;
SELECT (adv) IF (0 PLEASE) (-1 START OR (cm)) ;
SELECT (adv) IF (0 PLEASE) (1 (sent)) ;
# Save: a single word is the label of a button. Several words are a request.
SELECT INF IF (-1 START) (0 ORDER) (1 ("<.>")) ;
SELECT INF IF (-1 BEGINS) (0 ORDER) (1 OBJECT) ;
SELECT INF IF (-1 BEGINS) (0 IRREGULAR) (1 DET OR OBJECT OR NEXT) ;
SELECT PRES IF (-1 BEGINS) (0 INF) (1 DET OR PARTICLE) ;
SELECT PRES IF (-1 BEGINS) (0 ORDER) (0 INF) (1 NEXT) ;
`;

/** Returns the grammar that runs before the tagger. */
function englishGrammar(): string {
  return indexed(`${DELIMITERS}
LIST N = n ; LIST ADJ = adj ; LIST V = vblex ; LIST INF = (vblex inf) ; LIST PRES = (vblex pres) ;
LIST AUXILIARY = vbhaver vbser ; LIST FINITE = vbser vaux vbhaver vbdo vbmod (vblex past) ;
LIST DET = (det def) (det ind) (det pos) ; LIST OBJECT = (prn obj) ;
LIST MODAL = ${entriesOf(MODALS)
    .filter(([modal]) => !PERFECT.includes(modal))
    .map(([modal]) => `"<${modal}>"i`)
    .join(' ')} ; LIST PERFECT = ${PERFECT.map((word) => `"<${word}>"i`).join(' ')} ;
LIST EVERYBODY = ${wordsOf(EVERYBODY)
    .map((word) => `"<${word}>"`)
    .join(' ')} ;
LIST LEARNS = "learn"i "begin"i "teach"i ; LIST THINKS_THAT = ".* that"r ; LIST FINITE_VERB = (vblex past) (vblex pri) (vblex pres) ; LIST SPOKEN_TO = (prn obj p1) (prn obj p2) ;
LIST THIS = "<this>"i "<these>"i "<those>"i ; LIST THAT = "<that>" ; LIST ASKED = "what"i "when"i "where"i "why"i "how"i "much"i "who"i ;
LIST THE = "<the>"i "<a>"i "<all>"i "<only>" "<every>"i "<some>" ; LIST PERIOD = "day"i "week"i "month"i "year"i "morning"i "afternoon"i "evening"i "night"i "end"i ;
LIST LASTING = ${lemmasOf(LASTING)} ; LIST MESSAGE = ${lemmasOf('call email letter mail message note package parcel reply')} ;
LIST WISHES = ${lemmasOf(WISHES)} ; LIST REQUESTS = ${lemmasOf(REQUESTS)} ; LIST SUBJUNCTIVE = prs pis ;
LIST WITHOUT_TO = "forget"i "promise"i "refuse"i "what"i "how"i "where"i "when"i "who"i ;
LIST MASS = ${lemmasOf(MASS)} ; LIST OF_THEM = "*all" "*both" "*some" "*many" ; LIST PASSIVE = "build" "call" "consider" "find" "give" "know" "need" "say" "see" "sell" "send" "serve" "speak" "teach" "use" ; LIST NAME = np ; LIST NUM = num ;
LIST PARTICLE = "<on>"i "<off>"i "<in>"i "<out>"i "<up>"i "<down>"i "<back>"i "<away>"i ;
LIST NEXT = n adj adv num np pr cnjsub rel prn det "[*].*"r ;
LIST PLEASE = "please"i ; LIST START = (>>>) ;
SET BEGINS = START OR PLEASE OR (cm) OR ("then"i adv) OR ("and"i cnjcoo) ;
LIST ORDER = ${lemmasOf(ORDERS)} ;
LIST IRREGULAR = ${lemmasOf(IRREGULAR)} ;
LIST BEFORE_TO = ${lemmasOf(BEFORE_TO)} ;
BEFORE-SECTIONS
${[...newWordReadings(), ...phraseRules(SAID_OTHERWISE).source, ...particleRules(), ...forbiddingRules(), ...thingQuestionRules(), ...pronounRules(), ...questionRules(), ...wishRules(), ...conditionRules(), ...habitRules()].join('\n')}${PHRASES}SECTION
${READING}`);
}

/** Adds a second subject pronoun where the object is a first or second person: see {@link PHRASES}. */
function pronounRules(): string[] {
  return entriesOf(PRONOUNS).map(([pronoun, tags]) =>
    inBothSizes(
      (sized) =>
        `ADDCOHORT ("<${sized(pronoun)}>" "${sized('prpers')}" prn subj ${tags}) BEFORE ("<${sized(pronoun)}>") IF (0 (subj)) (1 FINITE_VERB) (NOT 1 ("like"i) OR THINKS_THAT) (2 SPOKEN_TO) (NOT 3C FINITE OR FINITE_VERB OR (vaux)) (NOT -1 (vaux) OR (vbdo) OR (prn subj)) ;`,
    ),
  );
}

/** `Don't touch the door`: the transfer rules have no negative imperative, so the verb form comes from a table. */
function forbiddingRules(): string[] {
  const forbidden = entriesOf(FORBIDDEN).map(([verb]) => `("*${verb}")`);
  return [
    ...entriesOf(FORBIDDEN).flatMap(([verb]) => [
      `APPEND ("*${verb}") ("<${verb}>") IF (-1 ("<Don't>") OR ("<don't>") OR ("<Don’t>")) (-2 BEGINS) ;`,
      `APPEND ("*${verb}") ("<${verb}>") IF (-1 ("<not>")) (-2 ("<do>"i)) (-3 BEGINS) (NOT 1 OBJECT) ;`,
      `SELECT ("*${verb}") ;`,
    ]),
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
    'SELECT ("no=.*"r adv) ;',
    'REMCOHORT OBJECT IF (-2 ("no=.*"r adv)) ;',
  ];
}

/** Verbs that questions ask of things: `How much does this cost?` */
const ASKED_OF_THINGS = 'belong change cost end happen help last look matter mean say start work';

/** Exchanges the readings of the pronoun and the verb, and removes the auxiliary. */
function thingQuestionRules(): string[] {
  return wordsOf(ASKED_OF_THINGS).flatMap((verb) =>
    ['this', 'that'].flatMap((thing) => [
      `APPEND ("${verb}" vblex pri p3 sg) ("<${thing}>") IF (-1 ("<does>"i)) (1 ("<${verb}>")) ;`,
      `APPEND ("${thing}" prn tn mf sg) ("<${verb}>") IF (-1 ("<${thing}>" vblex)) ;`,
    ]),
  );
}

const PERFECT = ['have', 'has', 'had'];

const EVERYBODY = 'everybody everyone anybody anyone somebody someone';

/**
 * `Can you hear me?`: puts questions in the order of statements, which the transfer rules handle better. The two
 * words exchange their readings but keep their positions, because marks of elements may begin and end there.
 */
function questionRules(): string[] {
  return [
    ...entriesOf(PRONOUNS).map(
      ([pronoun, tags]) =>
        `APPEND ("prpers" prn subj ${tags}) MODAL IF (0 (vaux) OR (vbdo)) (1 ("<${pronoun}>" subj)) (2 V OR AUXILIARY OR (adv)) (1* ("<?>")) ;`,
    ),
    ...entriesOf(PRONOUNS).map(
      ([pronoun, tags]) =>
        `APPEND ("prpers" prn subj ${tags}) PERFECT IF (1 ("<${pronoun}>" subj)) (2 (pp)) (1* ("<?>")) ;`,
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
    `SUBSTITUTE (inf) (pis ${person}) (inf) IF (-1 ("<to>")) ${subject} (${verb} WISHES OR REQUESTS LINK 0 (past)) ;`,
    `SUBSTITUTE (inf) (prs ${person}) (inf) IF (-1 ("<to>")) ${subject} (${verb} WISHES OR REQUESTS) ;`,
  ];
  return [
    'REMOVE (pp) IF (0 (past)) (0 WISHES OR REQUESTS) (1 OBJECT OR DET) (-1 (prn subj)) ;',
    ...objects.flatMap((object) =>
      subjunctives(`(-2 ("<${object}>"))`, '-3', subjectOf(object).person),
    ),
    ...objects.map(
      (object) =>
        `SUBSTITUTE (inf) (prs ${subjectOf(object).person}) (inf) IF (-1 ("tell=${object}=to="i) OR ("ask=${object}=to="i)) ;`,
    ),
    ...subjunctives('(-2 (n sg)) (-3 DET)', '-4', 'p3 sg'),
    ...subjunctives('(-2 (n pl)) (-3 DET)', '-4', 'p3 pl'),
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
    ...entriesOf(PRONOUNS).flatMap(([pronoun, tags]) =>
      ['vblex', 'vbser'].map(
        (kind) =>
          `SUBSTITUTE (past${kind === 'vbser' ? ' p1 p3 sg' : ''}) (pis ${personOf(tags)}) (${kind} past) IF (-1 ("<${pronoun}>" subj)) (-2 ("<if>"i)) (0* ("<would>") OR ("<could>")) (NOT 1 (pp)) ;`,
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
    ...personsOfSubjects(-3).map(
      ([subject, person]) =>
        `SUBSTITUTE (inf) (pii ${person}) (inf) IF (-1 ("<to>")) (-2 ("<used>")) ${subject} ;`,
    ),
    'SELECT (pii) ;',
    'REMCOHORT ("<to>") IF (1 (pii)) (-1 ("<used>")) ;',
    'REMCOHORT ("<used>") IF (1 (pii)) ;',
  ];
}

/** Words that do not separate from their verb: not `look it at`. */
const CLOSE = new Set(['after', 'at', 'for', 'sure', 'to']);

/** Joins each particle to its verb, unless the verb is read as a noun. */
function particleRules(): string[] {
  return entriesOf(WITH_PARTICLES).flatMap(([words]) => {
    const [verb = '', particle = ''] = words.split(' ');
    const joined = `${verb}# ${particle}`;
    const joins = (place: string) =>
      inBothSizes(
        (sized) =>
          `SUBSTITUTE (".*"r) ("${sized(joined)}") ("${sized(verb)}") IF (0 V) (NOT -1 DET OR ADJ OR (num)) ${place} ;`,
      );
    const goes = (place: string) => `REMCOHORT ("<${particle}>"i) IF ${place} ;`;
    const isFree = !CLOSE.has(particle);
    return [
      joins(`(1 ("<${particle}>"i))`),
      ...(isFree ? [joins(`(1 OBJECT) (2 ("<${particle}>"i))`)] : []),
      `REMOVE ("${joined}"i) - V ;`,
      goes(`(-1C ("${joined}"i))`),
      ...(isFree ? [goes(`(-1 OBJECT) (-2C ("${joined}"i))`)] : []),
    ];
  });
}
