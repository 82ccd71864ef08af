/**
 * The grammars of Debian's mode from Spanish to French, on which the way from English to French depends as well. The
 * source grammar recognises requests, says progressive forms simply, and rearranges what French builds differently.
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
import { englishToSpanish } from '../english/spanish-grammars.ts';
import { ORDERS, PERSONAL } from './english-words.ts';
import {
  BEFORE_NOUNS,
  FURTHER_ORDERS,
  newReadings,
  SAID_OTHERWISE,
  wordsOfFrench,
} from './french-words.ts';

export const spanishToFrench = (): GrammarTexts => ({
  source: spanishGrammar(),
  target: indexed(
    [
      `${DELIMITERS}BEFORE-SECTIONS`,
      'REMCOHORT ("@ø<s>") ;',
      'SECTION',
      ...wordsOfFrench(),
      ...phraseRules(SAID_OTHERWISE, 'cnjadv').target,
      'SUBSTITUTE (f) (m) ("<feliz>" adj sg) OR ("<Feliz>" adj sg) ;',
      'SUBSTITUTE (".*"r cnjadv) ("*en retard") ("@tarde=") ;',
      'SUBSTITUTE (".*"r cnjadv) ("*et") ("@y=") ;',
      'SUBSTITUTE ("il") ("lui") (prn tn m sg) IF (-1 (pr)) ;',
      'SUBSTITUTE ("il") ("eux") (prn tn m pl) IF (-1 (pr)) ;',
      'SUBSTITUTE (".*"r) ("dans") ("@dentro=") ;',
      'SUBSTITUTE (".*"r) ("près ~de") ("<cerca de>") ;',
      inBothSizes(
        (sized) => `SUBSTITUTE (".*"r cnjadv) ("*${sized("c'est")}") ("@${sized('ce')}=") ;`,
      ),
      inBothSizes(
        (sized) =>
          `SUBSTITUTE (".*"r cnjadv) ("*${sized('cela')} prend") ("@${sized('lleva')}=") ;`,
      ),
      'SUBSTITUTE (".*"r cnjadv) ("*quoi") ("@quoi=") ;',
      inBothSizes((sized) => `SUBSTITUTE (".*"r) ("${sized('qui')}") ("@${sized('qui')}=") ;`),
      'SUBSTITUTE (".*"r) ("parent") ("<padre>") IF (0 (n pl)) ;',
      'SUBSTITUTE (".*"r cnjadv) ("*ça fait") ("@hace="i) ;',
      'SUBSTITUTE (".*"r cnjadv) ("*désormais") ("@ya=") ;',
      'SUBSTITUTE (".*"r adv) ("*besoin") ("@besoin=") ;',
      'SUBSTITUTE (".*"r cnjadv) ("*ça") ("@ça=") ;',
    ].join('\n'),
  ),
});

/**
 * The grammars from English for the way to French, which needs the subjects that Spanish leaves out: `ella está
 * yendo`. These pronouns are written twice: the mode drops the one that it knows.
 */
export function englishTowardsFrench(): GrammarTexts {
  const { source, target } = englishToSpanish();
  const kept = entriesOf(
    'yo: p1 mf sg, él: p3 m sg, ella: p3 f sg, ellos: p3 m pl, ellos: p3 mf pl',
  ).flatMap(([pronoun, tags]) =>
    inBothSizes(
      (sized) =>
        `ADDCOHORT ("<kept>" "*${sized(pronoun)} ") BEFORE ("${sized('prpers')}" prn tn ${tags}) - (it) IF (NOT -1 ("<kept>")) (NOT 1 (cnjcoo)) ;`,
    ),
  );
  return {
    source: `${source}ADD (it) (prn subj nt) ;\n`,
    target: `${target}${kept.join('\n')}\nSUBSTITUTE (it) (*) (it) ;\n`,
  };
}

const PERSONS = ['p1 sg', 'p2 sg', 'p3 sg', 'p1 pl', 'p2 pl', 'p3 pl'];
const TENSES = 'pri pii fti cni prs pis';

function spanishGrammar(): string {
  return indexed(`${DELIMITERS}
${SPANISH_SETS}LIST BEFORE_NOUN = ${lemmasOf(BEFORE_NOUNS)} ;
LIST ADDED = "<+hora>" "<+de>" "<+besoin>" "<+ça>" "<+ser>" "<+no>" "<+el>" "<+ya>" "<+sobre>" ; LIST QUEUED = "[^#]*#.*"r ;
BEFORE-SECTIONS
${newReadings().join('\n')}
${READING}${SUBJECTS}${phraseRules(SAID_OTHERWISE, 'cnjadv').source.join('\n')}
${[...progressiveRules(), ...likingRules()].join('\n')}
${CONSTRUCTIONS}${BLANKS}SECTION
`);
}

/** Sets of Spanish words. */
export const SPANISH_SETS = `
LIST START = (>>>) ; LIST V = vblex vbmod vbser vbhaver ; LIST N = n ; LIST ADJ = adj ; LIST DET = det ;
LIST CLITIC = (prn pro) ; LIST NO = "no"i ; LIST SUBJECT = (prn tn) ;
LIST HOUR = "<dos>" "<tres>" "<cuatro>" "<cinco>" "<seis>" "<siete>" "<ocho>" "<nueve>" "<diez>" "<once>" "<doce>" ;
LIST ORDER = ${lemmasOf(`${ORDERS} ${FURTHER_ORDERS}`)} ; LIST SURFACE = "sitio" "página" "pantalla" "botón" "icono" "enlace" "lista" "web" "mesa" "suelo" "pared" "silla" "techo" "escritorio=" ;
LIST VEHICLE = "tren" "autobús" "avión" "vuelo" "barco" "metro" "taxi" ; LIST SOON = "siempre"i "ya"i "también"i "todavía"i ;
LIST TIME = "año" "mes" "día" "semana" "hora" "minuto" "segundo" "siglo" "rato" "tiempo" "década" ;
LIST MASS = "agua" "dinero" "pan" "leche" "café" "té" "vino" "cerveza" "azúcar" "sal" "arroz" "carne" "pescado" "queso" "paciencia" "suerte" "ayuda" "trabajo" ;
LIST SEEN = "ver" "conocer" "llamar" "ayudar" "amar" "encontrar" "buscar" "esperar" "invitar" "oír" "escuchar" "mirar" "visitar" "odiar" ;
LIST PERSONAL = ${lemmasOf(PERSONAL)} ;
LIST LIKED = "gustar" "encantar" ;
LIST ENDS = sent cm rpar ;
SET BEGINS = START OR (cm) OR (lquest) OR ("<favor>") OR ("<y>") OR ("<¡>") OR (sent) ;
`;

/** Rules that choose readings. */
export const READING = String.raw`
REMOVE ("[*].*"r) ;
SELECT (adv) IF (0 ("<mañana>"i)) (NOT -1 DET OR (pr)) ;
SELECT (adv) IF (0 ("<tarde>"i)) (NOT -1 DET OR ADJ OR (pr)) ;
SELECT N IF (0 ("<mañana>") OR ("<tarde>")) (-1 DET) ;
REMOVE ("unir"i) IF (0 DET) ;
REMOVE V - (inf) IF (0 N) (-1 DET OR (pr) OR ADJ) ;
REMOVE N IF (0 (vblex p2)) (-1 (lquest) OR NO OR CLITIC) ;
REMOVE N IF (0 (vblex p1 sg)) (-1 ("<yo>"i) OR NO OR CLITIC) ;
SELECT (pri p1 sg) IF (0 N) (0 (vblex)) (-1 START OR ("<y>") OR (cm)) (1 ("<en>") OR ("<con>") OR ("<para>") OR ("<por>") OR DET) (NOT 1 ("<del>")) ;
SELECT (vblex p2) IF (0 (n pl)) (-1 START) (NOT 1 (pr)) ;
REMOVE N IF (0 V) (-1 START) (1 DET OR (num) OR CLITIC) ;
SELECT (cnjadv) IF (0 ("<Como>")) (0 (np)) ;
SELECT N IF (0 ("física") OR ("pedido=")) (-1 DET OR (pr)) ;
SELECT V IF (0 ("costar")) (-1 ("cuánto"i)) ;
SELECT (p1) IF (0 (p1 sg)) (0 (p3 sg)) (-1* ("yo"i tn) BARRIER (*) - NO - CLITIC) ;
SELECT (pp) IF (-1 (vbhaver)) ;
SELECT (prn) IF (0 ("<nada>"i)) ;
SELECT (pr) IF (0 ("<bajo>"i)) (1 DET) ;
SELECT (pr) IF (0 ("<para>"i)) (NOT 1 ENDS) ;
REMCOHORT ("yo"i) IF (1 ("<me>"i)) (2 LIKED) ;
SELECT (vblex) IF (0 ("vivir"i)) (1 ("<en>") OR ("<aquí>") OR ("<con>")) ;
SELECT DET IF (0 DET) (1C N OR ADJ) ;
SELECT CLITIC IF (0 ("<lo>"i) OR ("<la>"i) OR ("<los>"i) OR ("<las>"i)) (1C V) ;
REMOVE ("sentar"i) IF (0 ("sentir"i)) ;
REMOVE ("enlazar"i) IF (0 N) ;
SELECT N IF (0 ("médico"i)) (-1 DET OR ("ser"i)) (NOT 1 N) ;
REMOVE (pri) IF (0 (ifi p1 pl)) (0* ("<ayer>"i) OR ("<anoche>"i) OR ("<pasado>") OR ("<pasada>") OR ("<hace>"i)) ;
REMOVE (pri) IF (0 (ifi p1 pl)) (-1* (pii) OR (ifi) BARRIER (sent)) ;
REMOVE (pri) IF (0 (ifi p1 pl)) (1 ("<en>")) (2 (num)) ;
REMOVE (ifi p1 pl) IF (0 (pri p1 pl)) ;
SELECT N IF (0 ("nombre"i) OR ("barra"i) OR ("orden"i)) (1 ("de")) (-1 START OR N OR (pr)) ;
SELECT ("enlace="i) ;
REMOVE ("vendar"i) ;
REMOVE ("crear"i) IF (0 ("creer"i)) (1 ("<que>"i) OR ("<en>")) ;
REMOVE ("creer"i) IF (0 ("crear"i)) (1 DET) ;
REMOVE ("creer"i imp) OR ("creer"i prs) IF (0 ("crear"i)) (-1 BEGINS) ;
SELECT ("saber"i) IF (0 ("<sé>"i)) ;
ADDCOHORT ("<+no>" "no" adv) AFTER ("<si no>"i) IF (1 V OR CLITIC) ;
SUBSTITUTE ("si no") ("si") ("si no") IF (1 ("<+no>")) ;
SUBSTITUTE ("Si no") ("Si") ("Si no") IF (1 ("<+no>")) ;
REMCOHORT ("yo") IF (-1 ("<y>")) (1 (p1 sg)) ;
SUBSTITUTE ("yo") ("mí") (prn tn) IF (-1 ("<y>")) ;
SELECT (adv) IF (0 ("mucho"i)) (NOT 1 N OR ADJ) ;
`;

/** Subjects and requests. */
const SUBJECTS = String.raw`
# Subjects that are there twice; what follows a subject is not the beginning.
SUBSTITUTE ("([^>]*)"r) (VSTR:"%l$1") CLITIC OR NO OR V IF (-1 SUBJECT) ;
SUBSTITUTE (".*"r cnjcoo) ("y=" cnjadv) ("<y>") IF (1 ("él" tn)) (2 V OR CLITIC OR NO) ;
REMCOHORT ("él") IF (-1 ("él"i)) (0 (tn)) ;
REMCOHORT ("él") IF (-1 ("<qué>"i)) (0 (tn)) ;
SUBSTITUTE ("le" mf) ("lo" m) ("le" prn pro) IF (1 SEEN) ;
SUBSTITUTE ("le" mf) ("lo" m) ("le" prn pro) IF (1 (vbhaver)) (2 SEEN) ;
MOVE ("él" tn) (-1 V) (-2 START OR (lquest)) (1* ("<?>")) BEFORE (-1 V) ;
SUBSTITUTE ("archivo") ("fichero") ("archivo") ;
SUBSTITUTE ("Archivo") ("Fichero") ("Archivo") ;
SELECT V IF (0 (vblex p2)) (-1 N) (-2 ("cuánto"i)) ;
# Requests.
SELECT (imp p2) IF (-1 BEGINS) (0 ORDER) (0 (imp p2)) (NOT -1 (lquest)) (NOT 0 N) (NOT 1 V) ;
SELECT (imp p2) IF (-1 ("<y>") OR (cm)) (0 ORDER) (0 (imp p2)) (-2* (imp p2) BARRIER (sent)) ;
SELECT (imp p3) IF (-1 BEGINS) (0 (imp p3)) (NOT -1 (lquest)) (1 DET OR N OR (pr) OR (adv) OR (num)) (NOT 0 ("querer"i) OR ("ser"i) OR ("haber"i) OR ("estar"i)) ;
SELECT (imp p2) IF (-1 BEGINS) (0 (imp p2)) (NOT -1 (lquest)) (1 ("tuyo" det)) ;
SELECT (imp p2) IF (-1 BEGINS) (0 ORDER) (0 (imp p2)) (NOT -1 (lquest)) (1 DET OR (num) OR ("<a>")) ;
SELECT (imp p2) IF (-1 BEGINS) (0 (imp p2)) (NOT -1 (lquest)) (1 DET OR N OR (adv) OR (num) OR (np)) (NOT 1 ("<del>") OR ("<al>")) (NOT 0 PERSONAL OR ("ser"i) OR ("haber"i) OR ("estar"i) OR ("hay"i) OR ("tener"i) OR ("venir"i) OR ("llegar"i) OR N) ;
SELECT (imp p2) IF (-1 BEGINS) (0 ("esperar"i) OR ("mirar"i) OR ("parar"i)) (0 (imp p2)) (1 ENDS) ;
REMOVE (imp p2) IF (0 (pri p3 sg)) ;
`;

/** `Está lloviendo`: French says `il pleut`. */
function progressiveRules(): string[] {
  const forms = [
    ...wordsOf(TENSES).flatMap((tense) => PERSONS.map((person) => `${tense} ${person}`)),
    'inf',
  ];
  return [
    ...forms.map(
      (form) => `SUBSTITUTE (ger) (${form} simple) (ger) IF (0 (vblex)) (-1 ("estar"i ${form})) ;`,
    ),
    'SUBSTITUTE ("(.*)"r) (VSTR:"%u$1") (simple) IF (-1 ("Estar")) ;',
    'REMCOHORT ("estar"i) IF (1 (simple)) ;',
    'SUBSTITUTE (simple) (*) (simple) ;',
  ];
}

/** `Me gusta el café`: the object of the Spanish verb is the subject in French. */
function likingRules(): string[] {
  const likers =
    'me: p1 sg yo mf, te: p2 sg tú mf, le: p3 sg él m, nos: p1 pl nosotros m, os: p2 pl vosotros m, les: p3 pl ellos m';
  return [
    'REMOVE (imp) IF (0 LIKED) (-1 CLITIC) ;',
    'REMOVE (prs p1) IF (0 LIKED) (-1 CLITIC) ;',
    ...entriesOf(likers).flatMap(([clitic, tags]) => {
      const [person, number, pronoun, gender] = tags.split(' ');
      const subject = `prn tn ${person} ${gender} ${number}`;
      const place = `IF (-1 ("<${clitic}>"i)) (NOT -2 N OR (np) OR SUBJECT) (NOT -3 N OR (np) OR SUBJECT)`;
      return [
        `SUBSTITUTE (p3 sg) (${person} ${number} liking) LIKED ${place} ;`,
        `SUBSTITUTE (p3 pl) (${person} ${number} liking) LIKED ${place} ;`,
        `SUBSTITUTE (".*"r adv) ("${pronoun}" ${subject}) ("<no>") IF (1 ("<${clitic}>")) (2 (liking)) ;`,
        `SUBSTITUTE (".*"r adv) ("${capital(pronoun ?? '')}" ${subject}) ("<No>") IF (1 ("<${clitic}>")) (2 (liking)) ;`,
        `SUBSTITUTE (".*"r prn pro ${person} mf ${number}) ("${pronoun}" ${subject}) ("<${clitic}>") IF (1 (liking)) (NOT -1 ("<no>"i)) ;`,
        `SUBSTITUTE (".*"r prn pro ${person} mf ${number}) ("${capital(pronoun ?? '')}" ${subject}) ("<${capital(clitic)}>") IF (1 (liking)) (NOT -1 ("<no>"i)) ;`,
        `SUBSTITUTE (".*"r prn pro ${person} mf ${number}) ("no" adv) ("<${clitic}>") IF (1 (liking)) (-1 ("<no>"i)) ;`,
      ];
    }),
    // To somebody that is named.
    'SUBSTITUTE ("gustar") ("amar") ("gustar") IF (-1 ("<le>"i) OR ("<les>"i)) ;',
    'SUBSTITUTE ("encantar") ("adorar") ("encantar") IF (-1 ("<le>"i) OR ("<les>"i)) ;',
    'REMCOHORT ("<le>"i) OR ("<les>"i) IF (1 ("amar") OR ("adorar")) (-1 N OR (np) OR SUBJECT) ;',
    'REMCOHORT ("<le>"i) OR ("<les>"i) IF (1 ("amar") OR ("adorar")) (-1 NO) (-2 N OR (np) OR SUBJECT) ;',
    'REMCOHORT ("<A>" pr) IF (-1 START) (1* ("amar") OR ("adorar") BARRIER V) ;',
    'ADDCOHORT ("<+ça>" "ça=" cnjadv) AFTER LIKED IF (0 (liking)) (NOT 0 (cni)) (1 ENDS) ;',
    'SUBSTITUTE ("gustar") ("querer") ("gustar" cni liking) ;',
    'SUBSTITUTE ("gustar") ("amar") ("gustar" liking) ;',
    'SUBSTITUTE ("encantar") ("adorar") ("encantar" liking) ;',
    'SUBSTITUTE (liking) (*) (liking) ;',
  ];
}

/** The blanks of words that were added or moved: see the grammar to English. */
export const BLANKS = String.raw`
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") ADDED IF (1 ENDS) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"%l$1") N IF (-1 (moved)) (-2 START) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+$1") N IF (-1 (moved)) (1 ENDS) ;
SUBSTITUTE (moved) (*) (moved) ;
# The prefix would stand between the parts of words with an invariable part (medio# de transporte).
REMCOHORT ADDED IF (1 QUEUED) ;
SUBSTITUTE SUB:-1 ("([^>]*)"r) (VSTR:"ø<s>+%l$1") V IF (-1 ADDED) (0 (enc)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+$1") (*) - ENDS IF (-1 ADDED) (NOT 0 (enc)) ;
`;

/** Constructions that French expresses differently. */
const CONSTRUCTIONS = String.raw`
# Thank you for coming.
SUBSTITUTE (".*"r pr) ("de" pr) ("<por>"i) IF (-1 ("<gracias>"i) OR ("<muchas gracias>"i)) (1 (inf)) ;
SUBSTITUTE ("Por") ("por") ("<Por>") IF (-1 ("<gracias>"i) OR ("<muchas gracias>"i)) ;
SUBSTITUTE ("por") ("para") ("<por>"i) IF (1 (inf)) ;
SUBSTITUTE ("por") ("para") ("<por>"i) IF (-1 ("<gracias>"i) OR ("<muchas gracias>"i)) ;
# A small company.
ADD (moved) ADJ (0 BEFORE_NOUN) (-1 N) (NOT -1 QUEUED) (NOT -2 ADJ) (NOT 1 ADJ OR ("<y>") OR ("<que>") OR ("<de>")) ;
MOVE (moved) (-1 N) BEFORE (-1 N) ;
SELECT N IF (-1 (moved)) ;
# When does the train leave, is this seat free.
SUBSTITUTE ("salir") ("partir") ("salir") IF (0* VEHICLE) ;
MOVE V (0 ("ser"i p3) OR ("estar"i p3)) (-1 START OR (lquest)) (1 DET) (2 N) (3 ADJ OR (pp)) (1* ("<?>")) AFTER (2 N) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"%l$1") V IF (-1 N) (-2 DET) (-3 START OR (lquest)) (1* ("<?>")) ;
MOVE V (0 (p3)) (-1 ("<cuándo>"i) OR ("<cómo>"i) OR ("<dónde>"i)) (1 DET) (2 N) (3 ("<?>")) AFTER (2 N) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") V IF (-1 N) (-3 ("<cuándo>"i) OR ("<cómo>"i) OR ("<dónde>"i)) (1 ("<?>")) ;
# How many.
ADDCOHORT ("<+de>" "de" pr) AFTER ("cuánto"i) IF (1 N) ;
# For two years, two years ago.
SUBSTITUTE (".*"r vblex pri p3 sg) ("hace=" cnjadv) ("<hace>"i) IF (1 (num) OR DET) (2 TIME) (3 ("<que>")) ;
SUBSTITUTE ("hacer") ("hay") ("<hace>") IF (1 (num) OR DET OR ("mucho")) (2 TIME) ;
SUBSTITUTE ("Hacer") ("Hay") ("<Hace>") IF (1 (num) OR DET OR ("mucho")) (2 TIME) ;
# Taller than I.
SUBSTITUTE ("yo") ("mí") (prn tn) IF (-1 ("<que>")) (1 ENDS) ;
SUBSTITUTE ("tú") ("ti") (prn tn) IF (-1 ("<que>")) (1 ENDS) ;
# I hope that you are well, I love you.
SUBSTITUTE (prs) (pri) (prs) IF (-1* ("<que>") BARRIER V LINK -1 ("esperar"i) OR ("espero=que="i) OR ("yo=espero=que="i) OR ("esperamos=que="i)) ;
SUBSTITUTE (prs) (pri) (prs) IF (-1* ("espero=que="i) OR ("yo=espero=que="i) OR ("esperamos=que="i) OR ("esperan=que="i) OR ("espera=que="i) BARRIER V) ;
SELECT (vblex) IF (0 ("querer"i)) (NOT 1 (inf) OR (enc)) ;
SUBSTITUTE ("querer") ("amar") ("querer") IF (-1 ("te"i) OR ("os"i) OR ("me"i)) (1 ENDS OR ("mucho")) ;
SUBSTITUTE ("querer") ("amar") ("querer") IF (-1 ("se"i)) ;
# I would like, that makes me happy, it is closed, very cold.
SUBSTITUTE (pis) (cni) ("querer"i pis) IF (-1 START) ;
SELECT (p1) IF (0 ("querer"i cni)) (-1 START) ;
SUBSTITUTE ("hacer" vblex) ("devolver" vblex) ("hacer") IF (-1 CLITIC) (1 ADJ) (NOT 1 ("<frío>") OR ("<calor>") OR N) ;
SUBSTITUTE ("estar" vblex) ("ser" vbser) ("estar") IF (1 ADJ OR (pp)) ;
SUBSTITUTE ("Estar" vblex) ("Ser" vbser) ("Estar") IF (1 ADJ OR (pp)) ;
SUBSTITUTE ("estar" vblex) ("ser" vbser) ("estar") IF (1 (preadv) OR (adv)) (2 ADJ OR (pp)) ;
SUBSTITUTE (".*"r adv) ("muy" preadv) ("<mucho>") IF (-1 ("hacer"i)) (1 ("<frío>") OR ("<calor>")) ;
# When you arrive.
SUBSTITUTE (prs) (fti) (prs) IF (-1 ("cuando"i cnjadv)) ;
SUBSTITUTE (prs) (fti) (prs) IF (-1 CLITIC) (-2 ("cuando"i cnjadv)) ;
SELECT (p1) IF (0 (fti p1 sg)) (0 (fti p3 sg)) (-1 ("cuando"i cnjadv)) (1 ENDS) (1* (p1 sg)) ;
# Click on the button.
SUBSTITUTE ("pulsar") ("pulsar=") ("pulsar") IF (NOT 1 ("tecla") OR (np)) (NOT 2 ("tecla")) ;
SUBSTITUTE ("Pulsar") ("Pulsar=") ("Pulsar") IF (NOT 1 ("tecla") OR (np)) (NOT 2 ("tecla")) ;
ADDCOHORT ("<+sobre>" "sobre" pr) AFTER ("pulsar="i) IF (1 DET OR N OR (inf)) ;
SUBSTITUTE ("en" pr) ("sobre" pr) ("<en>") IF (-1 ("pulsar="i)) ;
# Call an ambulance, an email address, be late, five percent, any question.
REMCOHORT ("<a>") IF (-1 ("llamar"i)) (1 DET) ;
REMCOHORT ("<de>") IF (-1 ("dirección"i)) (1 ("correo=electrónico=")) ;
SUBSTITUTE (".*"r adv) ("tarde=" cnjadv) ("<tarde>") IF (-1 ("llegar"i)) ;
SUBSTITUTE (".*"r det ind m sg) ("de" pr) ("<un>") IF (1 (num)) (2 ("<por ciento>") OR ("<por>") OR ("<%>")) (-1 V) ;
REMCOHORT ("alguno") IF (0 (det sg)) (1 ("otro")) ;
SUBSTITUTE ("alguno") ("uno") ("alguno") IF (0 (det sg)) ;
SUBSTITUTE ("Alguno") ("Uno") ("Alguno") IF (0 (det sg)) ;
SUBSTITUTE (".*"r pr) ("sobre" pr) ("<a>") IF (-1 ("<bienvenido>"i) OR ("<bienvenidos>"i) OR ("bienvenidos="i)) (2 SURFACE) ;
# No longer, not yet, nobody.
ADDCOHORT ("<+ya>" "ya=" cnjadv) AFTER V IF (-1 NO) (-2 ("<ya>"i)) ;
ADDCOHORT ("<+ya>" "ya=" cnjadv) AFTER V IF (-1 CLITIC) (-2 NO) (-3 ("<ya>"i)) ;
SUBSTITUTE ("no") ("No") NO IF (-1 ("<Ya>")) (-2 START) ;
REMCOHORT ("<ya>"i) IF (1 NO) (1* ("<+ya>")) ;
REMCOHORT ("<a>") IF (1 ("<nadie>")) ;
ADDCOHORT ("<+no>" "no" adv) AFTER ("nadie"i) IF (-1 BEGINS) (NOT 1 NO) ;
MOVE ("todavía"i) (1 NO) (2 (vbhaver)) (3 (pp)) AFTER (3 (pp)) ;
MOVE ("todavía"i) (1 NO) (2 V) AFTER (2 V) ;
# Always late.
MOVE SOON (1 V) (NOT 1 (vbhaver)) (NOT -1 NO) AFTER (1 V) ;
MOVE SOON (1 (vbhaver)) (2 (pp)) AFTER (2 (pp)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"%l$1") SOON IF (-1 V) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") SOON IF (1 ENDS) (-1 V) ;
# If I had.
SUBSTITUTE (pis) (pii) (pis) IF (-1* ("si"i cnjadv) BARRIER (sent) OR (cm)) ;
SELECT (p1) IF (0 (pii p1 sg)) (0 (pii p3 sg)) (-1 ("si"i cnjadv)) ;
SELECT (p1) IF (0 (cni p1 sg)) (0 (cni p3 sg)) (-1 (cm)) (-2* (pii p1 sg)) ;
# Some water.
ADDCOHORT ("<+de>" "de" pr) BEFORE MASS IF (-1 V) (NOT -1 ("necesitar"i)) (NOT -2 NO) (NOT -1 (pp)) (NOT 0 ADJ) (NOT 1 ADJ) ;
ADDCOHORT ("<+el>" "el" det def m sg) BEFORE MASS IF (-1 ("<+de>")) (-2 V) (0 (m)) ;
ADDCOHORT ("<+el>" "el" det def f sg) BEFORE MASS IF (-1 ("<+de>")) (-2 V) (0 (f)) ;
# Error while saving.
SUBSTITUTE (inf) (ger) (inf) IF (-1 ("<al>"i)) ;
REMCOHORT ("<al>"i) IF (1 (ger)) ;
# On this site.
SUBSTITUTE ("en" pr) ("sobre" pr) ("<en>") IF (1 DET) (2 SURFACE) ;
# You have no messages.
ADDCOHORT ("<+de>" "de" pr) AFTER ("tener"i) OR ("hay"i) IF (-1 NO) (1 (n pl) OR MASS OR ("<tiempo>")) (NOT 1 DET OR ("<razón>")) ;
# I have been working, who knows, what to say, nothing is impossible, for ten euros.
SUBSTITUTE (ger) (pp m sg) (ger) IF (-1 ("<estado>")) (-2 (vbhaver)) ;
SELECT (pp) IF (-1 ("<estado>")) ;
REMCOHORT ("<estado>") IF (-1 (vbhaver)) (1 (pp)) ;
SUBSTITUTE (".*"r prn itg mf sg sp) ("qui=" np ant) ("<quién>") IF (1 (p3) OR CLITIC OR NO) (NOT -1 (pr)) ;
SUBSTITUTE (".*"r prn itg mf sg sp) ("Qui=" np ant) ("<Quién>") IF (1 (p3) OR CLITIC OR NO) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"%l$1") V OR CLITIC OR NO IF (-1 ("qui="i)) ;
SUBSTITUTE (".*"r prn itg mf sg sp det adj) ("quoi=" cnjadv) ("<qué>") IF (1 (inf)) (NOT -1 (lquest)) ;
ADDCOHORT ("<+no>" "no" adv) AFTER ("nada"i) IF (-1 BEGINS) (1 V) ;
SUBSTITUTE ("por") ("para") ("<por>") IF (1 (num)) ;
# Under the bed, on the table, in two days.
${entriesOf('debajo: bajo, encima: sobre, dentro: dentro=')
  .map(
    ([
      place,
      preposition,
    ]) => `SUBSTITUTE ("de" pr) ("${preposition}" pr) ("de" pr) IF (-1 ("${place}"i)) ;
SUBSTITUTE SUB:-1 ("de" pr) ("${preposition}" pr) ("de" pr) IF (-1 ("${place}"i)) ;
REMCOHORT ("${place}"i) IF (1 ("<de>") OR ("<del>")) ;`,
  )
  .join('\n')}
# It takes two hours.
SUBSTITUTE (".*"r vblex pri imp p2 p3 sg) ("lleva=" cnjadv) ("<lleva>") IF (-1 BEGINS) (1 (num)) (2 TIME) ;
SUBSTITUTE (".*"r vblex pri imp p2 p3 sg) ("Lleva=" cnjadv) ("<Lleva>") IF (-1 BEGINS) (1 (num)) (2 TIME) ;
# It is my birthday.
SUBSTITUTE (".*"r vbser pri p3 sg) ("ce=" cnjadv) ("<es>") IF (-1 START OR (cm)) (1 DET OR (np)) ;
SUBSTITUTE (".*"r vbser pri p3 sg) ("Ce=" cnjadv) ("<Es>") IF (-1 START OR (cm)) (1 DET OR (np)) ;
# At eight o'clock.
ADDCOHORT ("<+hora>" "hora" n f pl) AFTER HOUR IF (-1 ("<las>")) (-2 ("<a>"i) OR ("<desde>"i) OR ("<hasta>"i)) (NOT 1 N) ;
REMCOHORT ("<las>") IF (1 HOUR) (2 ("<+hora>")) ;
# It could not be found.
ADDCOHORT ("<+ser>" "ser" vbser inf) AFTER ("poder"i) IF (-1 ("se"i)) (1 (inf)) (NOT -2 ("<que>")) (NOT -3 ("<que>")) ;
REMCOHORT ("se"i) IF (2 ("<+ser>")) ;
SUBSTITUTE (inf) (pp m sg) (inf) IF (-1 ("<+ser>")) ;
# I need.
ADDCOHORT ("<+de>" "de" pr) AFTER ("necesitar"i) IF (NOT 1 (sent) OR (cm) OR ("<que>") OR QUEUED) (NOT -1 CLITIC) ;
ADDCOHORT ("<+besoin>" "besoin=" adv) AFTER ("necesitar"i) IF (1 ("<+de>") OR ("<que>")) ;
SUBSTITUTE ("necesitar") ("tener") ("necesitar") IF (1 ("<+besoin>")) ;
SUBSTITUTE ("Necesitar") ("Tener") ("Necesitar") IF (1 ("<+besoin>")) ;
# Can you help me, it could not be found.
SUBSTITUTE ("Me") ("me") ("<Me>") IF (1 ("poder"i) OR ("querer"i vbmod) OR ("deber"i)) (2 (inf)) ;
SUBSTITUTE ("Te") ("te") ("<Te>") IF (1 ("poder"i) OR ("querer"i vbmod) OR ("deber"i)) (2 (inf)) ;
SUBSTITUTE ("Nos") ("nos") ("<Nos>") IF (1 ("poder"i) OR ("querer"i vbmod) OR ("deber"i)) (2 (inf)) ;
MOVE CLITIC (1 ("poder"i) OR ("querer"i vbmod) OR ("deber"i)) (2 (inf)) (NOT 0 ("se"i)) AFTER (1 V) ;
# Do not worry.
SUBSTITUTE (prs p2) (imp p2) (prs) IF (0 (vblex p2)) (-1 NO) (-2 BEGINS) ;
SUBSTITUTE (prs p2) (imp p2) (prs) IF (0 (vblex p2)) (-1 CLITIC) (-2 NO) (-3 BEGINS) ;
`;
