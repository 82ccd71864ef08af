/**
 * The source grammar of Debian's mode from Spanish to English. It adds the subjects that Spanish leaves out
 * (`Tengo la llave`), forms questions with `do`, recognises requests, and rearranges what the mode's transfer rules
 * do not handle.
 */
import {
  capital,
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
  ASKED_OF_THINGS,
  COMING,
  INVERTED,
  ORDERS,
  PASSIVE,
  PERSONAL,
  PROFESSIONS,
  REFLEXIVE,
  SAID_OTHERWISE,
  STATES,
  SUBJECTS,
  TRANSITIVE,
  YOURS,
  WITH_PARTICLES,
  englishGrammar,
  newWordReadings,
} from './english-words.ts';

export const spanishToEnglish = (): GrammarTexts => ({
  source: spanishGrammar(),
  target: englishGrammar(),
});

/** Rules that choose readings. */
const READING = String.raw`
SELECT ("vivir"i vblex) IF (0 ("<vivo>"i)) (1 ("<en>")) ;
SELECT ("mañana" adv) IF (NOT -1 DET OR (pr) OR ADJ OR ("<at>"i) OR ("<la>")) ;
SELECT STATE_NOUN IF (-1 ("tener"i)) ;
SELECT ("amigo" n) IF (-1 ("ser"i)) ;
SELECT ("costar" vblex) IF (-1 ("cuánto"i)) ;
REMOVE N IF (0 (vblex p2)) (-1 ("<¿>")) ;
REMOVE (imp) IF (-1 ("<¿>")) ;
SELECT ("frío" adj) IF (-1* ("hacer"i) BARRIER N OR V) ;
SELECT ("deber"i vbmod) IF (1 (inf) OR (enc)) ;
SELECT ("pronto" adv) IF (1 (sent) OR (cm)) ;
SELECT (pp) IF (-1 ("<+never>")) ;
SELECT N IF (-1 DET) (-2 ("<+does>")) ;
SELECT ("poder"i cni p3) IF (-1 ("<¿>")) ;
# Nouns, and no verbs.
SELECT DET IF (0 DET) (1 N OR ADJ) (NOT 0 (pro) OR (preadv) OR (adv)) ;
REMOVE V IF (-1C DET) (0 N OR ADJ) ;
REMOVE ("apenar") ;
REMOVE (ifi p1 pl) IF (0 (pri p1 pl)) (NEGATE 0* ("<ayer>"i) OR ("<anoche>"i) OR ("<pasado>") OR ("<pasada>") OR ("<hace>"i)) ;
SELECT (vbser) IF (0 (vbser)) (0 ("ir"i)) (1 (pp) OR DET OR ADJ OR ("<el>")) ;
SELECT N IF (0 N) (0 V) (1 ("de" pr) OR ("<del>") OR ("previo" adj)) (-1 START OR DET OR ADJ OR (pr) OR (sent)) ;
REMOVE V - (inf) IF (0 N) (-1 (pr)) ;
REMOVE ("sentar") IF (0 ("sentir")) ;
REMOVE ("vestir"i) OR ("vestirse"i) IF (0 ("ver"i)) ;
# Open the door: requests.
SELECT (imp p3) IF (-1 BEGINS) (0 (imp p3)) (1 DET) (NOT 0 ("querer"i) OR ("ser"i) OR ("haber"i)) ;
SELECT (imp p3) IF (-1 BEGINS) (0 (imp p3)) (1 NEXT) (NOT 0 ("querer"i) OR ("ser"i) OR ("haber"i) OR N) ;
SELECT (imp p2) IF (-1 PLEASE OR (cm)) (-2 PLEASE OR START) (0 (imp p2)) ;
SELECT (imp p2) IF (-1 BEGINS) (0 ORDER) (1 NEXT) (NOT 0 (prs) OR N) ;
SELECT (vblex) IF (0 ("querer"i vbmod)) (NOT 1 (inf)) ;
# He asks the man: English has no preposition here.
REMCOHORT ("<a>") IF (-1 TRANSITIVE) (1 DET OR (np) OR (prn tn)) ;
# Reflexive verbs that are not reflexive in English.
REMCOHORT ("<me>"i) IF (1 REFLEXIVE) (1 (p1 sg)) ;
REMCOHORT ("<te>"i) IF (1 REFLEXIVE) (1 (p2 sg)) ;
REMCOHORT ("<nos>"i) IF (1 REFLEXIVE) (1 (p1 pl)) ;
REMCOHORT ("<se>"i) IF (1 REFLEXIVE) (1 (p3)) ;
`;

/** Constructions that English expresses differently. A lemma with `*` is unknown to the dictionary and passes through. */
const PHRASES = String.raw`
SUBSTITUTE (".*"r pr) ("*acuerdo") ("<de>"i) IF (-1 BEGINS) (1 ("<acuerdo>")) (2 (cm) OR (sent)) ;
REMCOHORT ("<acuerdo>") IF (-1 ("*acuerdo")) ;
SUBSTITUTE (".*"r n f pl) ("*tardes") ("<tardes>") IF (-1 ("<buenas>"i)) ;
SUBSTITUTE (".*"r n f pl) ("*noches") ("<noches>") IF (-1 ("<buenas>"i)) ;
SUBSTITUTE (".*"r adj m f mf sg pl) ("*buenas") ("<buenas>"i) IF (1 ("*tardes") OR ("*noches")) ;
# At nine, in the morning.
SUBSTITUTE (".*"r pr) ("at=" adv itg) ("<a>"i) IF (1 ("<las>") OR ("<la>")) (2 (num) OR HOUR) ;
REMCOHORT ("<las>") OR ("<la>") IF (-1 ("at=")) ;
SUBSTITUTE (".*"r pr) ("en" pr) ("<por>"i) IF (1 ("<la>")) (2 ("<mañana>") OR ("<tarde>") OR ("<noche>")) ;
# Two years ago.
ADDCOHORT ("<+ago>" "ago=" adv itg) AFTER TIME IF (-1 (num) OR DET OR ADJ) (NOT -1 ("<buen>") OR ("<mal>")) (-2 ("<hace>"i)) ;
REMCOHORT ("<hace>"i) IF (3 ("ago=")) ;
# Better than, bigger than; not all.
SUBSTITUTE (".*"r cnjsub cnjcoo cnjadv rel an mf sp) ("than=" adv itg) ("<que>") IF (-1 ADJ OR (adv)) (-2 ("<más>"i) OR ("<menos>"i)) (NOT 1 V) ;
SUBSTITUTE (".*"r cnjsub cnjcoo cnjadv rel an mf sp) ("than=" adv itg) ("<que>") IF (-1 ("<mejor>"i) OR ("<peor>"i) OR ("<mayor>"i) OR ("<menor>"i)) (NOT 1 V) ;
SUBSTITUTE (".*"r adv) ("not=" adv itg) ("<no>"i) IF (1 ("<todos>") OR ("<todas>") OR ("<solo>") OR ("<sólo>") OR ("<mucho>") OR ("<muy>")) ;
# It is three, half past.
SUBSTITUTE (pl) (sg) ("ser" p3 pl) OR ("Ser" p3 pl) IF (1 ("<las>")) (2 HOURS OR HOUR) ;
REMCOHORT ("<las>") IF (-1 ("ser"i p3 sg)) (1 HOURS OR HOUR) ;
SUBSTITUTE (".*"r n f sg) ("*media") ("<media>") IF (-1 ("<y>")) (-2 HOURS OR HOUR) ;
REMCOHORT ("<y>") IF (1 ("*media")) ;
SUBSTITUTE (".*"r pr) ("desde" pr) ("<desde>"i) IF (1 HOURS) ;
# It is very cold.
SUBSTITUTE (".*"r vblex) ("ser" vbser) ("hacer") OR ("Hacer") IF (1 COLD) ;
SUBSTITUTE (".*"r vblex) ("ser" vbser) ("hacer") OR ("Hacer") IF (1 ("<mucho>")) (2 COLD) ;
SUBSTITUTE (".*"r adv det qnt m sg) ("muy" preadv) ("<mucho>") IF (1 COLD) (-1 ("ser"i)) ;
SUBSTITUTE (".*"r n m sg) ("calor=" adv) ("<calor>") IF (-1* ("ser"i) BARRIER N) ;
# There will be no elections.
ADDCOHORT ("<+ninguno>" "ninguno" det ind m sg) AFTER ("haber" vbhaver fti p3 sg) OR ("haber" vbhaver cni p3 sg) IF (-1 NO) (1 N) ;
REMCOHORT NO IF (1 ("haber" vbhaver)) (2 ("<+ninguno>")) ;
# Where is the station, is this seat free, are there questions.
APPEND ("are=there=" adv) ("<hay>"i) IF (-1 ("<¿>")) (1 (pl)) ;
APPEND ("is=there=" adv) ("<hay>"i) IF (-1 ("<¿>")) (NOT 1 (pl)) ;
SELECT ("are=there=") OR ("is=there=") ;
SUBSTITUTE (".*"r vbser vblex pri p3 sg) ("is=" adv itg) ("ser") OR ("estar") IF (0 (pri p3 sg)) (-1 WHERE) (1 NOUN_PHRASE) ;
SUBSTITUTE (".*"r vbser vblex pri p3 sg) ("Is=" adv itg) ("Ser") OR ("Estar") IF (0 (pri p3 sg)) (-1 ("<¿>")) (1 NOUN_PHRASE OR ADJ) ;
SUBSTITUTE (".*"r vbser vblex pri p3 pl) ("are=" adv itg) ("ser") OR ("estar") IF (0 (pri p3 pl)) (-1 WHERE) (1 NOUN_PHRASE) ;
SUBSTITUTE (".*"r vbser vblex ifi pii p3 sg) ("was=" adv itg) ("ser") OR ("estar") IF (0 (p3 sg)) (-1 WHERE) (0 (ifi) OR (pii)) (1 NOUN_PHRASE) ;
# Where can I buy it, can we start.
SUBSTITUTE (".*"r vbmod vblex pri p1 sg pl) ("can=" adv itg) ("poder") IF (0 (pri p1)) (-1 (itg) OR ("<¿>")) (1 (inf) OR (enc)) ;
SUBSTITUTE (".*"r vbmod vblex pri p1 sg pl) ("Can=" adv itg) ("Poder") IF (0 (pri p1)) (-1 ("<¿>")) (1 (inf) OR (enc)) ;
ADDCOHORT ("<+yo>" "prpers" prn tn p1 mf sg) AFTER ("can="i) IF (0 ("<puedo>"i)) ;
ADDCOHORT ("<+nosotros>" "prpers" prn tn p1 m pl) AFTER ("can="i) IF (0 ("<podemos>"i)) ;
SUBSTITUTE (inf) (pri p1 sg) (vblex inf) IF (-1 ("<+yo>") OR ("<+nosotros>")) (-2 ("can="i)) ;
# What to do.
ADDCOHORT ("<+to>" "to=" adv itg) BEFORE (inf) IF (-1 ("<qué>") OR ("<cómo>") OR ("<dónde>")) ;
# If I had money, I would buy it.
SELECT (pis p1) IF (0 PERSONAL OR ("poder")) (-1 ("<si>"i)) ;
SELECT (cni p1) IF (0 PERSONAL OR ("poder")) (-1 (cm)) (-1* (pis p1)) ;
ADDCOHORT ("<+yo>" "prpers" prn tn p1 mf sg) BEFORE (pis p1 sg) IF (0C (p1)) (-1 ("<si>"i)) ;
ADDCOHORT ("<+yo>" "prpers" prn tn p1 mf sg) BEFORE (cni p1 sg) IF (0C (p1)) (-1 (cm)) ;
# You are right, I am thirsty.
SUBSTITUTE ("tener" vblex) ("ser" vbser) ("tener") IF (1 STATE) ;
SUBSTITUTE ("Tener" vblex) ("Ser" vbser) ("Tener") IF (1 STATE) ;
${entriesOf(STATES)
  .map(([noun]) => `SUBSTITUTE (".*"r n m f sg) ("${noun}=" adv) ("<${noun}>") IF (-1 ("ser"i)) ;`)
  .join('\n')}
# It is true.
SUBSTITUTE (".*"r n f sg) ("verdadero" adj f sg) ("<verdad>") IF (-1 ("ser"i)) ;
# You can pay by card.
SUBSTITUTE (p3 sg) (p2 sg) ("poder" pri p3 sg) IF (-1 ("<se>"i)) (-2 BEGINS OR NO) (1 (inf)) ;
SUBSTITUTE (".*"r prn pro ref p3 mf sp) ("prpers" prn tn p2 mf sg) ("<se>") IF (1 ("poder" pri p2 sg)) (NOT -1 NO) ;
SUBSTITUTE (".*"r prn pro ref p3 mf sp) ("Prpers" prn tn p2 mf sg) ("<Se>") IF (1 ("poder" pri p2 sg)) ;
REMCOHORT ("<se>") IF (1 ("poder" pri p2 sg)) (-1 NO) ;
# Mary likes to dance.
REMCOHORT ("<A>") IF (1 NAME) (2 ("<le>") OR ("<les>")) (3 LIKES) ;
REMCOHORT ("<A>") IF (1 DET) (2 N) (3 ("<le>") OR ("<les>")) (4 LIKES) ;
REMCOHORT ("<le>") OR ("<les>") IF (1 LIKES) (-1 NAME OR N) ;
# I have been here for ten years.
${['p1 sg', 'p2 sg', 'p3 sg', 'p1 pl', 'p3 pl']
  .flatMap((person) => [
    `ADDCOHORT ("<+haber>" "haber" vbhaver pri ${person}) BEFORE ("llevar"i pri ${person}) IF (1 HOURS) (2 TIME) (3 (ger)) ;`,
    `SUBSTITUTE (".*"r pri ${person}) ("pasar" pp m sg) ("llevar"i pri ${person}) IF (-1 ("<+haber>")) ;`,
  ])
  .join('\n')}
# Sign in, sign out.
SUBSTITUTE (".*"r n f sg) ("in=" adv itg) ("<sesión>") IF (-1 ("iniciar"i)) ;
SUBSTITUTE (".*"r n f sg) ("out=" adv itg) ("<sesión>") IF (-1 ("cerrar"i)) ;
# Could not find it.
REMCOHORT ("poder") IF (0 (ifi p3 sg)) (-1 ("<se>")) (-2 ("<No>")) (-3 BEGINS) (1 (inf)) ;
SUBSTITUTE (".*"r prn pro ref p3 mf sp) ("not=" adv itg) ("<se>") IF (-1 ("<No>")) (-2 BEGINS) (1 (inf)) ;
SUBSTITUTE (inf) (imp p2 sg) (vblex inf) IF (-1 ("<se>" "not=")) ;
SUBSTITUTE (".*"r adv) ("Could=" adv itg) ("<No>") IF (1 ("<se>" "not=")) ;
# We met.
REMCOHORT ("<nos>"i) IF (1 ("conocer" ifi p1 pl)) ;
# From nine to five.
SUBSTITUTE (".*"r pr) ("desde" pr) ("<de>"i) IF (1 HOURS OR HOUR) (2 ("<a>")) (3 HOURS OR HOUR) ;
# I have never been there.
ADDCOHORT ("<+never>" "never=" adv itg) AFTER ("haber") IF (0 (vbhaver pri)) (-1 ("<nunca>"i)) (1 (pp)) ;
REMCOHORT ("<nunca>"i) IF (1 ("haber" vbhaver pri)) (2 ("<+never>")) ;
# Do not forget.
SUBSTITUTE (prs p2 sg) (imp p2 sg) (vblex prs p2 sg) IF (-1 NO) (-2 BEGINS) ;
SUBSTITUTE (prs p2 sg) (imp p2 sg) (vblex prs p2 sg) IF (-1 CLITIC) (-2 NO) (-3 BEGINS) ;
REMCOHORT ("<te>") IF (1 (imp p2 sg)) (-1 NO) (1 REFLEXIVE) ;
# I am a doctor.
ADDCOHORT ("<+un>" "uno" det ind m sg) AFTER ("ser"i p1 sg) OR ("ser"i p2 sg) OR ("ser"i p3 sg) IF (1 PROFESSION) ;
SUBSTITUTE (adj) (n) PROFESSION IF (-1 ("<+un>")) ;
# How do you say that.
SUBSTITUTE (".*"r prn pro ref p3 mf sp) ("do=" adv itg) ("<se>") IF (-1 ("<cómo>"i)) (1 (vblex pri p3)) ;
ADDCOHORT ("<+tú>" "prpers" prn tn p2 mf sg) AFTER ("do=") IF (0 ("<se>")) ;
SUBSTITUTE (p3 sg) (p2 sg) (vblex pri p3 sg) IF (-1 ("<+tú>")) (-2 ("<se>" "do=")) ;
SUBSTITUTE (p3 pl) (p2 sg) (vblex pri p3 pl) IF (-1 ("<+tú>")) (-2 ("<se>" "do=")) ;
# My name is.
SUBSTITUTE (".*"r vblex pri p1 sg) ("*llamo") ("<llamo>") IF (-1 ("<me>"i)) ;
SUBSTITUTE (".*"r prn pro ref p1 mf sg) ("*me") ("<me>"i) IF (1 ("*llamo")) ;
SUBSTITUTE (".*"r vblex pri p2 sg) ("*llamas") ("<llamas>") IF (-1 ("<te>")) (-2 ("<cómo>"i)) ;
SUBSTITUTE (".*"r prn pro ref p2 mf sg) ("*te") ("<te>") IF (1 ("*llamas")) ;
SUBSTITUTE (".*"r adv itg) ("*cómo") ("<cómo>"i) IF (1 ("*te")) ;
`;

const TENSES = 'pri ifi pii fti cni prs';

/** Returns word forms as the content of a `LIST`. */
const writtenAs = (words: string): string =>
  wordsOf(words)
    .map((word) => `"<${word}>"`)
    .join(' ');

/** Returns the grammar that runs before the tagger. */
function spanishGrammar(): string {
  return indexed(`${DELIMITERS}
LIST START = (>>>) ;
LIST V = vblex vbmod vbser vbhaver ; LIST N = n ; LIST ADJ = adj ; LIST DET = det ;
LIST CLITIC = (prn pro) ; LIST NO = "no"i ; LIST CAPITAL = "[A-ZÁÉÍÓÚÑ].*"r ;
LIST ADDED = "<+yo>" "<+tú>" "<+nosotros>" "<+vosotros>" "<+estar>" "<+do>" "<+did>" "<+ago>" "<+off>" "<+on>" "<+out>" "<+up>" "<+in>" "<+él>" "<+really>" "<+ninguno>" "<+never>" "<+un>" "<+it>" "<+does>" "<+haber>" "<+to>" ;
LIST PARTICLE = "off=" "on=" "out=" "up=" "in=" "ago=" "it=" ;
SET WHERE = ("<dónde>"i) OR ("<cómo>"i) OR ("<cuándo>"i) OR ("<por qué>"i) OR ("<¿>") ; LIST NAME = np ; LIST PERSONAL = ${lemmasOf(PERSONAL)} "tener" ;
LIST NOUN_PHRASE = det np ; LIST HOURS = num ; LIST COLD = "<frío>" "<calor>" ;
LIST ASKS = "do=" "are=" "Are=" "were=" "Were=" "can=" "Can=" "could=" "Could=" "have=" "Have=" ;
LIST SUBJECT = (prn tn p1) (prn tn p2) (prn tn p3) ;
LIST ORDER = ${lemmasOf(ORDERS)} ; LIST PASSIVE = ${lemmasOf(PASSIVE)} ;
LIST TRANSITIVE = ${lemmasOf(TRANSITIVE)} ; LIST FORMAL = ${lemmasOf(`${PERSONAL} ${ORDERS} desear necesitar poder deber tener`)} ;
LIST QUEUE = ".*#.*"r ; LIST REFLEXIVE = ${lemmasOf(REFLEXIVE)} ;
LIST THANKS = "<gracias>"i "<muchas gracias>"i ;
LIST PROFESSION = ${writtenAs(PROFESSIONS)} ; LIST YOURS = ${lemmasOf(YOURS)} ; LIST STATE_NOUN = ${entriesOf(
    STATES,
  )
    .map(([noun]) => `("${noun}" n)`)
    .join(' ')} ; LIST STATE = ${writtenAs(
    entriesOf(STATES)
      .map(([noun]) => noun)
      .join(' '),
  )} ;
LIST PAIR = ${['me', 'te', 'se', 'nos', 'os'].flatMap((one) => ['lo', 'la', 'los', 'las'].map((other) => `"<${one} ${other}>"i`)).join(' ')} ;
LIST ASKED_OF_THINGS = ${wordsOf(ASKED_OF_THINGS)
    .map((verb) => `("${verb}" vblex pri p3 sg) ("${verb}" vblex imp p2 sg)`)
    .join(' ')} ; LIST COMING = ${wordsOf(COMING)
    .map((verb) => `("${verb}" vblex p3)`)
    .join(' ')} ; LIST LIKED = "gustar" "encantar" ; LIST LIKES = ("gustar" p3) ("encantar" p3) ;
LIST PLEASE = "<por favor>"i ;
SET BEGINS = START OR (cm) OR PLEASE OR ("<y>") OR (lquest) OR ("<¡>") OR ("<luego>"i) OR ("<después>"i) ;
SET ASKED = START OR (cm) OR ("<si>"i) OR ("<cuando>"i) OR ("<que>") OR ("<donde>") OR ("<y>") OR ("<o>") OR ("<para que>") OR ("<usted>"i) OR ("<ustedes>"i) OR (adv) ;
LIST NEXT = det n adj np pr num adv cnjsub prn ;
LIST HOUR = ${writtenAs('una dos tres cuatro cinco seis siete ocho nueve diez once doce')} ;
LIST TIME = "año" "mes" "día" "semana" "hora" "minuto" "segundo" "siglo" "rato" "tiempo" "década" ;
BEFORE-SECTIONS
${[...newWordReadings(), ...phraseRules(SAID_OTHERWISE).source].join('\n')}
${READING}${PHRASES}
${[...thirdPersonRules(), ...movingRules(), ...withoutReflexives(), ...likingRules(), LIKING, ...passiveRules(), ...futureRules(), ...formalRules(), ...inversionRules(), ...subjectRules(), ...questionRules(), ...particleRules()].join('\n')}
${BLANKS}SECTION
${READING}`);
}

/** `Veo la casa`: adds a pronoun for the person of the verb, before the verb and its clitics. */
function subjectRules(): string[] {
  const kinds = ['vblex', 'vbmod', 'vbser', 'vbhaver'];
  return entriesOf(SUBJECTS).flatMap(([pronoun, tags]) => {
    const person = tags.replace(/ mf? /, ' ');
    const verb = `(0C ${kinds.map((kind) => `(${kind} ${person})`).join(' OR ')})`;
    const isFirst = `(NOT -1 CLITIC OR NO OR SUBJECT${pronoun.startsWith('n') ? ' OR N' : ''})`;
    const added = (lemma: string, place: string) =>
      `ADDCOHORT ("<+${pronoun}>" "${lemma}" prn tn ${tags}) BEFORE ${place} ${isFirst} ;`;
    const leads = `IF (1* V BARRIER (*) - CLITIC LINK ${verb}${person.startsWith('p2') ? ' LINK NOT 0 (prs) OR (imp)' : ''})`;
    return [
      added('Prpers', `CAPITAL IF (0 V) ${verb} (NOT 0 (imp) OR QUEUE)`),
      added('prpers', `V - CAPITAL IF ${verb} (NOT 0 (imp) OR QUEUE)`),
      added('Prpers', `("<No>") ${leads}`),
      added('prpers', `("<no>") ${leads}`),
      added('Prpers', `CAPITAL ${leads} (0C CLITIC)`),
      added('prpers', `CLITIC - CAPITAL ${leads} (0C CLITIC)`),
    ];
  });
}

/** `Tiene dos hermanos`: adds `he` to verbs that only persons are the subject of. */
function thirdPersonRules(): string[] {
  const added = (lemma: string, place: string, conditions: string) =>
    `ADDCOHORT ("<+él>" "${lemma}" prn tn p3 m sg) BEFORE ${place} IF ${conditions} ;`;
  const first = '(-1 START)';
  return [
    added('Prpers', 'PERSONAL', `${first} (0C (p3 sg)) (NOT 0 (imp)) (0 CAPITAL) (NOT 1 NAME)`),
    added(
      'Prpers',
      '("<Le>") OR ("<Me>") OR ("<Te>") OR ("<Nos>")',
      `${first} (1C (p3 sg)) (1 ("dar") OR ("decir") OR PERSONAL)`,
    ),
  ];
}

/** Moves the verb behind its subject: `Llegó el tren`, and, with `does`, `¿Cuándo abre la tienda?` */
function movingRules(): string[] {
  return [
    ...wordsOf(COMING).map(
      (verb) =>
        `SUBSTITUTE ("${capital(verb)}") ("${verb}") ("${capital(verb)}" vblex p3) IF (-1 START) (1 DET) (2 N) ;`,
    ),
    'MOVE COMING (-1 START) (1 DET) (2 N) (NOT 3 ADJ) AFTER (2 N) ;',
    'SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") COMING IF (-1 N) (-2 DET) (-3 START) (1 (sent) OR (cm)) ;',
    'ADDCOHORT ("<+does>" "does=" adv itg) BEFORE ASKED_OF_THINGS IF (-1 (adv itg)) (1 DET) (2 N) (3 ("<?>")) ;',
    'SUBSTITUTE (pri p3 sg) (imp p2 sg) ASKED_OF_THINGS IF (-1 ("<+does>")) ;',
    'MOVE ASKED_OF_THINGS (-1 ("<+does>")) AFTER (2 N) ;',
    'SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") ASKED_OF_THINGS IF (-1 N) (-3 ("<+does>")) ;',
  ];
}

/** `Tenemos que irnos`: removes the reflexive pronoun. */
function withoutReflexives(): string[] {
  return wordsOf(REFLEXIVE).flatMap((verb) =>
    ['me', 'te', 'se', 'nos'].flatMap((pronoun) => [
      `APPEND ("${verb}" vblex inf) ("<${verb}${pronoun}>") ;`,
      `REMOVE SUB:-1 ("${verb}") IF (0 ("<${verb}${pronoun}>")) (0 (enc)) ;`,
    ]),
  );
}

/** Adds the particle behind its verb: `turn off`. */
function particleRules(): string[] {
  return entriesOf(WITH_PARTICLES).map(([spanish, english]) => {
    const particle = english.replace(/.* /, '');
    return `ADDCOHORT ("<+${particle}>" "${particle}=" adv itg) AFTER ("${spanish}"i vblex) IF (NOT 1 ("${particle}=")) ;`;
  });
}

/** `¿Dónde estás?`: exchanges verb and subject, `are you`. */
function inversionRules(): string[] {
  const added = new Set(entriesOf(INVERTED).map(([, english]) => english));
  return [
    ...entriesOf(INVERTED).map(([verb, english]) => {
      const [lemma = '', tense = ''] = verb.split(' ');
      return inBothSizes(
        (sized) =>
          `SUBSTITUTE (".*"r vblex vbser vbmod vbhaver p2 sg pl ${tense}) ("${sized(english)}=" adv itg) ("${sized(lemma)}" ${tense} p2) IF (0C (p2)) (-1* ("<¿>") BARRIER V) (NOT -1 CLITIC OR NO OR SUBJECT) ;`,
      );
    }),
    ...[...added].flatMap((english) => [
      `ADDCOHORT ("<+tú>" "prpers" prn tn p2 mf sg) AFTER ("${english}="i) IF (NOT 1 SUBJECT) (NOT 0 ("<No>")) ;`,
    ]),
    'SUBSTITUTE (inf) (pri p2 sg) (vblex inf) IF (-1 ("<+tú>")) ;',
  ];
}

/** `¿Qué quieres?`: adds `do` before the subject. */
function questionRules(): string[] {
  const ofMain = (tense: string) =>
    `(1* (${tense} p2) BARRIER (*) - CLITIC LINK 0 (vblex) OR ("querer"i) LINK NOT 0 ("ser"i) OR ("estar"i)) (-1* ("<¿>") BARRIER V OR ("<seguro>"i)) (NOT -1 ASKS)`;
  const rule = (english: string, tense: string) => [
    `ADDCOHORT ("<+${english}>" "${capital(english)}=" adv itg) BEFORE ("<+tú>" "Prpers") OR ("<+vosotros>" "Prpers") IF ${ofMain(tense)} ;`,
    `ADDCOHORT ("<+${english}>" "${english}=" adv itg) BEFORE ("<+tú>" "prpers") OR ("<+vosotros>" "prpers") IF ${ofMain(tense)} ;`,
  ];
  return [
    ...rule('do', 'pri'),
    ...rule('did', 'ifi'),
    'SUBSTITUTE (ifi) (pri) (vblex ifi) IF (-1* ("<+did>") BARRIER V) ;',
    'SUBSTITUTE ("Prpers") ("prpers") ("Prpers") IF (-1 ("<+do>") OR ("<+did>")) ;',
  ];
}

/** `Si quiere salir, pulse aquí`: in polite requests the third person means the person addressed. */
function formalRules(): string[] {
  const formal = '(0*C (imp p3) OR ("<usted>"i) OR ("<ustedes>"i))';
  return [
    `SUBSTITUTE (p3) (p2) FORMAL - (imp) IF (0C (p3)) (-1 ASKED) ${formal} ;`,
    `SUBSTITUTE (p3) (p2) FORMAL - (imp) IF (0C (p3)) (-1 NO) (-2 ASKED) ${formal} ;`,
    `SUBSTITUTE (p3) (p2) (vblex pri p3) IF (0C ("estar"i)) (1 (ger) OR ("<seguro>")) ${formal} ;`,
    'SUBSTITUTE (p3) (p2) FORMAL IF (0C (p3)) (-1 ("<¿>")) (NOT 1 (np) OR ("<él>") OR ("<ella>") OR ("<ellos>") OR ("<ellas>")) ;',
    `SUBSTITUTE (".*"r) ("tuyo") ("suyo" det) IF ${formal} ;`,
    'SUBSTITUTE (".*"r) ("tuyo") ("suyo" det) IF (-1 ("<por>")) (-2 THANKS) ;',
    'SUBSTITUTE ("Suyo") ("Tuyo") ("<Su>" det) IF (-1 START) (1 YOURS) ;',
  ];
}

/**
 * Added words have no blank behind them. The next word gets a prefix, which becomes a word of its own behind a blank
 * and which the target grammar removes.
 */
const BLANKS = String.raw`
SUBSTITUTE SUB:-1 ("([^>]*)"r) (VSTR:"ø<s>+%l$1") V IF (-1 ADDED) (0 (enc)) ;
SUBSTITUTE SUB:-1 ("([^>]*)"r) (VSTR:"ø<s>+%l$1") PAIR IF (-1 ADDED) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") ("<+tú>") IF (-1 ASKS) (1 (sent) OR (cm)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") PARTICLE IF (1 (sent) OR (cm)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") PARTICLE IF (0 (<<<)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") V OR NO OR CLITIC OR SUBJECT OR NEXT IF (-1 ADDED) (NOT 0 (enc) OR PAIR) ;
`;

/** `Me gusta el café`: the object of the Spanish verb is the subject of `like`. */
function likingRules(): string[] {
  const likers = 'me: p1 mf sg, te: p2 mf sg, le: p3 m sg, nos: p1 m pl, os: p2 m pl, les: p3 m pl';
  return entriesOf(likers).flatMap(([clitic, tags]) => {
    const person = tags.replace(/ mf? /, ' ');
    const likes = (place: string) =>
      ['sg', 'pl'].map((number) => `SUBSTITUTE (p3 ${number}) (${person}) LIKES IF ${place} ;`);
    return [
      `SUBSTITUTE (".*"r adv) ("prpers" prn tn ${tags}) ("<no>") IF (1 ("<${clitic}>")) (2 LIKES) ;`,
      `SUBSTITUTE (".*"r adv) ("Prpers" prn tn ${tags}) ("<No>") IF (1 ("<${clitic}>")) (2 LIKES) ;`,
      `SUBSTITUTE (prn pro ref p1 p2 p3 m f mf sg pl) (prn tn ${tags}) ("<${clitic}>"i) IF (1 LIKES) (NOT -1 ("<no>"i)) ;`,
      `SUBSTITUTE (".*"r prn pro ref p1 p2 p3 m f mf sg pl) ("no" adv) ("<${clitic}>") IF (1 LIKES) (-1 ("<no>"i)) ;`,
      ...likes(`(-1 ("<${clitic}>"i))`),
    ];
  });
}

/** `me gusta mucho`, `no me gusta`, `¿te gusta?` */
const LIKING = String.raw`
ADDCOHORT ("<+really>" "really=" adv itg) BEFORE LIKED IF (-1 (prn tn)) (1 ("<mucho>")) ;
REMCOHORT ("<mucho>") IF (-1 LIKED) (-2 ("<+really>")) ;
ADDCOHORT ("<+it>" "it=" adv itg) AFTER LIKED IF (1 (sent) OR (cm)) (-1 ("no"i)) ;
ADDCOHORT ("<+do>" "Do=" adv itg) BEFORE ("<Te>" prn tn) IF (-1 ("<¿>")) (1 LIKED) ;
ADDCOHORT ("<+do>" "do=" adv itg) BEFORE ("<te>" prn tn) IF (-1 ("qué"i)) (1 LIKED) ;
SUBSTITUTE ("Prpers") ("prpers") ("<Te>" "Prpers") IF (-1 ("<+do>")) ;
`;

/** `La lista se muestra`: the reflexive form is a passive, `is shown`. */
function passiveRules(): string[] {
  const forms = wordsOf(TENSES).flatMap((tense) =>
    ['sg', 'pl'].map((number) => `${tense} p3 ${number}`),
  );
  return [
    ...forms.flatMap((form) =>
      inBothSizes(
        (sized) =>
          `SUBSTITUTE (".*"r prn pro ref p3 mf sp) ("${sized('ser')}" vbser ${form}) ("<${sized('se')}>") IF (1 PASSIVE) (1 (vblex ${form})) ;`,
      ),
    ),
    ...forms.map(
      (form) =>
        `SUBSTITUTE (${form}) (pp m ${form.slice(-2)}) (vblex ${form}) IF (-1 ("<se>"i vbser)) ;`,
    ),
    'SELECT (pp) IF (-1 ("<se>"i vbser)) ;',
  ];
}

/** `Voy a hablar`: I am going to speak. */
function futureRules(): string[] {
  const forms = ['pri', 'pii'].flatMap((tense) =>
    ['sg', 'pl'].flatMap((number) =>
      ['p1', 'p2', 'p3'].map((person) => `${tense} ${person} ${number}`),
    ),
  );
  return [
    ...forms.map(
      (form) =>
        `ADDCOHORT ("<+estar>" "estar" vblex ${form}) BEFORE ("ir" ${form}) OR ("Ir" ${form}) IF (1 ("<a>")) (2 (inf)) (NOT -1 ("<+estar>")) ;`,
    ),
    'SUBSTITUTE (pri pii p1 p2 p3 sg pl imp) (ger) ("ir") OR ("Ir") IF (-1 ("<+estar>")) (1 ("<a>")) (2 (inf)) ;',
  ];
}
