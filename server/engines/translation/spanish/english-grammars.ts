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
  GENERAL,
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
import { PHRASES, READING } from './english-constructions.ts';

export const spanishToEnglish = (): GrammarTexts => ({
  source: spanishGrammar(),
  target: englishGrammar(),
});

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
LIST ADDED = "<+yo>" "<+tú>" "<+nosotros>" "<+vosotros>" "<+estar>" "<+do>" "<+did>" "<+ago>" "<+off>" "<+on>" "<+out>" "<+up>" "<+in>" "<+él>" "<+really>" "<+ninguno>" "<+never>" "<+un>" "<+it>" "<+does>" "<+haber>" "<+to>" "<+yet>" "<+anymore>" "<+down>" ;
LIST PARTICLE = "off=" "on=" "out=" "up=" "in=" "ago=" "it=" "yet=" "anymore=" "down=" ;
SET WHERE = ("<dónde>"i) OR ("<cómo>"i) OR ("<cuándo>"i) OR ("<por qué>"i) OR ("<¿>") ; LIST NAME = np ; LIST PERSONAL = ${lemmasOf(PERSONAL)} "tener" ;
LIST NOUN_PHRASE = det np ; LIST HOURS = num ; LIST COLD = "<frío>" "<calor>" ;
LIST ASKS = "do=" "are=" "Are=" "were=" "Were=" "can=" "Can=" "could=" "Could=" "have=" "Have=" ;
LIST SUBJECT = (prn tn p1) (prn tn p2) (prn tn p3) ;
LIST ORDER = ${lemmasOf(ORDERS)} ; LIST PASSIVE = ${lemmasOf(PASSIVE)} ;
LIST TRANSITIVE = ${lemmasOf(TRANSITIVE)} ; LIST FORMAL = ${lemmasOf(`${PERSONAL} ${ORDERS} aceptar desear necesitar poder deber tener`)} ;
LIST QUEUE = ".*#.*"r ; LIST REFLEXIVE = ${lemmasOf(REFLEXIVE)} "levantarse="i "despertarse="i "sentarse="i ;
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
    .map((verb) => `"${verb}"`)
    .join(' ')} ; LIST COMING = ${wordsOf(COMING)
    .map((verb) => `"${verb}"`)
    .join(' ')} ; LIST LIKED = "gustar" "encantar" ; LIST LIKES = ("gustar" p3) ("encantar" p3) ;
LIST SHOULD = "should=" "deberías="i "deberíamos="i "deberían="i ; LIST GENERAL = ${writtenAs(GENERAL)} ; LIST WISH = "querer"i "necesitar"i "preferir"i "pedir"i ; LIST PLEASE = "<por favor>"i ;
SET BEGINS = START OR (cm) OR PLEASE OR ("<y>") OR (lquest) OR ("<¡>") OR ("<luego>"i) OR ("<después>"i) ;
SET ASKED = START OR (cm) OR ("<si>"i) OR ("<cuando>"i) OR ("<que>") OR ("<donde>") OR ("<y>") OR ("<o>") OR ("<para que>") OR ("<usted>"i) OR ("<ustedes>"i) OR (adv) ;
LIST NEXT = det n adj np pr num adv cnjsub prn ;
LIST DAY = "lunes" "martes" "miércoles" "jueves" "viernes" "sábado" "domingo" ;
LIST HOUR = ${writtenAs('una dos tres cuatro cinco seis siete ocho nueve diez once doce')} ;
LIST TIME = "año" "mes" "día" "semana" "hora" "minuto" "segundo" "siglo" "rato" "tiempo" "década" ;
BEFORE-SECTIONS
SPLITCOHORT ("<ya>" "ya" adv "<no>" "no" adv) ("<ya no>") ;
SPLITCOHORT ("<Ya>" "Ya" adv "<No>" "No" adv) ("<Ya no>") ;
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
    const anyOfPerson = `(${person.split(' ')[0]})`;
    const verb = `(0C ${kinds.map((kind) => `(${kind} ${person})`).join(' OR ')})`;
    const isFirst = `(NOT -1 CLITIC OR NO OR SUBJECT${pronoun.startsWith('n') ? ' OR N' : ''})`;
    const added = (lemma: string, place: string) =>
      `ADDCOHORT ("<+${pronoun}>" "${lemma}" prn tn ${tags}) BEFORE ${place} ${isFirst} ;`;
    const leads = `IF (1* V BARRIER (*) - CLITIC LINK ${verb}${person.startsWith('p2') ? ' LINK NOT 0 (prs) OR (imp)' : ''})`;
    return [
      added('Prpers', `${anyOfPerson} IF (0 CAPITAL) ${verb} (NOT 0 (imp) OR QUEUE)`),
      added('prpers', `${anyOfPerson} IF (NOT 0 CAPITAL) ${verb} (NOT 0 (imp) OR QUEUE)`),
      added('Prpers', `("<No>") ${leads}`),
      added('prpers', `("<no>") ${leads}`),
      added('Prpers', `CLITIC ${leads} (0C CLITIC) (0 CAPITAL)`),
      added('prpers', `CLITIC ${leads} (0C CLITIC) (NOT 0 CAPITAL)`),
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
        `SUBSTITUTE ("${capital(verb)}") ("${verb}") ("${capital(verb)}") IF (0 (p3)) (-1 START) (1 DET) (2 N) ;`,
    ),
    'MOVE COMING (0 (p3)) (-1 START) (1 DET) (2 N) (NOT 3 ADJ) AFTER (2 N) ;',
    'SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") COMING IF (-1 N) (-2 DET) (-3 START) (1 (sent) OR (cm)) ;',
    'ADDCOHORT ("<+does>" "does=" adv itg) BEFORE ASKED_OF_THINGS IF (0 (pri p3 sg) OR (imp p2 sg)) (-1 (adv itg) OR ("a=qué=hora="i)) (1 DET) (2 N) (3 ("<?>")) ;',
    'SUBSTITUTE (pri p3 sg) (imp p2 sg) ASKED_OF_THINGS IF (-1 ("<+does>")) ;',
    'MOVE ASKED_OF_THINGS (-1 ("<+does>")) AFTER (2 N) ;',
    'SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") ASKED_OF_THINGS IF (-1 N) (-3 ("<+does>")) ;',
  ];
}

/** Whether the reflexive verb has a translation of its own, with a particle. */
const isOther = (verb: string): boolean => WITH_PARTICLES.includes(`${verb}se=`);

/** `Tenemos que irnos`: removes the reflexive pronoun. */
function withoutReflexives(): string[] {
  return wordsOf(REFLEXIVE).flatMap((verb) =>
    ['me', 'te', 'se', 'nos'].flatMap((pronoun) => [
      `APPEND ("${isOther(verb) ? `${verb}se=` : verb}" vblex inf) ("<${verb}${pronoun}>") ;`,
      `REMOVE SUB:-1 ("${verb}") OR ("${verb}se") IF (0 ("<${verb}${pronoun}>")) (0 (enc)) ;`,
    ]),
  );
}

/** Adds the particle behind its verb: `turn off`. */
function particleRules(): string[] {
  return entriesOf(WITH_PARTICLES).map(([spanish, english]) => {
    const particle = english.replace(/.* /, '');
    return `ADDCOHORT ("<+${particle}>" "${particle}=" adv itg) AFTER ("${spanish}"i) IF (0 (vblex)) (NOT 1 ("${particle}=")) ;`;
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
      `ADDCOHORT ("<+tú>" "prpers" prn tn p2 mf sg) AFTER ("${english}="i) IF (NOT 1 SUBJECT) (NOT 0 ("<No>") OR ("<están>"i) OR ("<son>"i)) ;`,
    ]),
    'SUBSTITUTE (inf) (pri p2 sg) (vblex inf) IF (-1 ("<+tú>")) ;',
  ];
}

/** `¿Qué quieres?`: adds `do` before the subject. */
function questionRules(): string[] {
  const ofMain = (tense: string) =>
    `(1* (${tense} p2) BARRIER (*) - CLITIC - NO LINK 0 (vblex) OR ("querer"i) LINK NOT 0 ("ser"i) OR ("estar"i)) (-1* ("<¿>") BARRIER V OR ("<seguro>"i)) (NOT -1 ASKS)`;
  const rule = (english: string, tense: string) => [
    `ADDCOHORT ("<+${english}>" "${capital(english)}=" adv itg) BEFORE ("<+tú>" "Prpers") OR ("<+vosotros>" "Prpers") IF ${ofMain(tense)} ;`,
    `ADDCOHORT ("<+${english}>" "${english}=" adv itg) BEFORE ("<+tú>" "prpers") OR ("<+vosotros>" "prpers") IF ${ofMain(tense)} ;`,
  ];
  return [
    ...rule('do', 'pri'),
    ...rule('did', 'ifi'),
    'SUBSTITUTE (".*"r adv) ("not=" adv itg) NO IF (-1 ("<+tú>")) (-2 ("<+do>") OR ("<+did>")) ;',
    'SUBSTITUTE (ifi) (pri) (ifi) IF (-1* ("<+did>") BARRIER V) ;',
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
    'SUBSTITUTE (p3) (p2) FORMAL IF (0C (p3 pl)) (-1 ("a=qué=hora="i)) (1 (sent)) ;',
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
    `SUBSTITUTE (${TENSES} imp p3) (pp m) (p3) IF (-1 ("<se>"i vbser)) ;`,
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
        `ADDCOHORT ("<+estar>" "estar" vblex ${form}) BEFORE ("ir"i) IF (0 (${form})) (1 ("<a>")) (2 (inf)) (NOT -1 ("<+estar>")) ;`,
    ),
    'SUBSTITUTE (pri pii p1 p2 p3 sg pl imp) (ger) ("ir") OR ("Ir") IF (-1 ("<+estar>")) (1 ("<a>")) (2 (inf)) ;',
  ];
}
