/** The target grammar from English to Spanish, which chooses Spanish words and their forms. */
import { anyOf, DELIMITERS, entriesOf, inBothSizes, indexed, phraseRules } from '../grammars.ts';
import { phrases } from './spanish-phrases.ts';
import { ASKED_FOR, STRANDED } from './spanish-clauses.ts';
import {
  ADJECTIVES,
  ADVERBS,
  CHOICES,
  CLITICS,
  CONSTRUCTED,
  COULD,
  DAYS,
  FORBIDDEN,
  HAD,
  HOURS,
  MASS,
  MONTHS,
  NEW_NOUNS,
  NEW_VERBS,
  NOUNS,
  NOUNS_BESIDE,
  PEOPLE,
  PLACES,
  PREPOSED,
  SAID,
  STATES,
  VERBS,
  WITH_PARTICLES,
} from './spanish-words.ts';

/** Returns the grammar. */
export function spanishGrammar(): string {
  const beside = NOUNS_BESIDE.trim()
    .split('\n')
    .flatMap((line) => {
      const [entry = '', words = ''] = line.split('; ');
      return wordRules(entry, 'n', `(0* ${anyOf(words)})`);
    });
  const rules = [
    ...[...wordRules(NOUNS, 'n'), ...wordRules(NEW_NOUNS, 'n'), ...beside],
    ...[...wordRules(VERBS, 'vblex'), ...wordRules(NEW_VERBS, 'vblex')],
    ...wordRules(WITH_PARTICLES.replace(/(?<=[a-z]) (?=[a-z]+:)/g, '# '), 'vblex'),
    ...[...wordRules(ADJECTIVES, 'adj'), ...wordRules(ADVERBS, 'adv')],
    ...preposedForms(),
    ...undeclinedRules(),
    ...CHOICES.flatMap(([entry, kind, condition]) => wordRules(entry, kind, condition)),
    ...wordRules(SAID),
    ...[...askedForRules(), ...dateRules(), ...eventRules(), ...hundredRules()],
    ...wordRules(FORBIDDEN.replaceAll(/(\w+): /g, '*$1: *')),
    'SUBSTITUTE (".*"r adv) ("*ninguna pregunta") ("@any=questions=") IF (-1* NEGATION BARRIER (cm)) ;',
    // `~` before a preposition contracts it: `bienvenidos al club`.
    ...phraseRules(phrases().replaceAll(/ (a|de)(?=,|$)/g, ' ~$1')).target,
    ...[...new Set(entriesOf(CLITICS).flatMap(([, pronouns]) => pronouns.split(' ')))].map(
      (pronoun) => `SUBSTITUTE (".*"r adv) ("*no ${pronoun}") ("@no=${pronoun}=") ;`,
    ),
    'SUBSTITUTE (".*"r adv) ("*no se pueden") ("@cannot=be=") IF (-1 (n pl)) ;',
    'SUBSTITUTE (".*"r adv) ("*no se pudieron") ("@could=not=be=") IF (-1 (n pl)) ;',
    'SUBSTITUTE (".*"r adv) ("*en ninguna parte") ("@anywhere=") IF (-1* NEGATION BARRIER (cm)) ;',
    'SUBSTITUTE (".*"r vbser) ("tener" vblex) ("<be>"i) IF (1 ("<had=.*>"r)) ;',
    ...entriesOf(`${HAD}, in=a=hurry: prisa, right: razón, cold: frío`).map(
      ([state, spanish]) => `SUBSTITUTE (".*"r adv) ("*${spanish}") ("@had=${state}=") ;`,
    ),
    ...entriesOf(STRANDED).flatMap(([preposition, spanish]) =>
      entriesOf(ASKED_FOR).map(([asked, word]) =>
        inBothSizes(
          (sized) =>
            `SUBSTITUTE (".*"r adv) ("*${sized(spanish)} ${word}") ("@${sized(preposition)}=${asked}=") ;`,
        ),
      ),
    ),
    ...entriesOf(COULD).map(([, spanish]) =>
      inBothSizes(
        (sized) =>
          `SUBSTITUTE (".*"r adv) ("*${sized('no')} ${spanish}") ("@${sized('not')}=${spanish}=") ;`,
      ),
    ),
    ...entriesOf(CONSTRUCTED).map(([made, spanish]) =>
      inBothSizes((sized) => `SUBSTITUTE (".*"r adv) ("*${sized(spanish)}") ("@${sized(made)}") ;`),
    ),
    'SUBSTITUTE (".*"r vblex) ("ser" vbser) ("@be=") ;',
    // Otherwise `We are tired` has no gender to agree with.
    'SUBSTITUTE (GD) (m) (prn p1 GD) ;',
  ];
  return indexed(`${DELIMITERS}LIST DET = (det def) (det pos) (det dem) ; LIST NAME = np ; LIST VERB = vblex vbser vbmod ;
LIST GENDER = m f mf ; LIST NEGATION = "<not>" "<never>"i "<not=.*>"ri "<no=.*>"ri ; LIST PERSON = (prn p1) (prn p2) (prn p3 m) (prn p3 f) (prn p3 pl) ;
BEFORE-SECTIONS
REMCOHORT ("@ø<s>") ;
SECTION
${rules.join('\n')}
${thingRules()}
${agreementRules()}
${contextRules()}`);
}

/** Rules for words whose translation depends on the words around them. */
function contextRules(): string {
  const states = anyOf(STATES);
  // The dictionary has one word for him and her.
  return `SUBSTITUTE (pro p3 mf) (pro p3 f) (pro p3 mf sg) IF (0 (obj f)) (NOT 1 (det)) (NOT -1 ${anyOf('ask bring give offer say send show speak talk teach tell thank write')}) ;
SUBSTITUTE ("pensar") ("creer") ("<think>") IF (1 (cnjsub)) ;
SUBSTITUTE ("saber") ("conocer") ("<know>") IF (1 (det)) (2 ${anyOf(PEOPLE)}) ;
SUBSTITUTE ("saber") ("conocer") ("<know>") IF (1 ("<to>" pr)) (2 (det)) (3 ${anyOf(PEOPLE)}) ;
SUBSTITUTE (".*"r adv) ("*verdad") ("@tag=question=") ;
SUBSTITUTE ("adivinar") ("suponer") ("<guess>") IF (1 (cnjsub)) ;
SUBSTITUTE (".*"r cnjsub) ("*de que") ("<that>") IF (-1 ("<sure>") OR ("<certain>") OR ("<convinced>") OR ("<aware>")) ;
SUBSTITUTE (".*"r vbser) ("seguir" vblex) ("@keep=") ;
SUBSTITUTE (".*"r GD) ("tuyo" mf) ("<your>"i det) ;
SUBSTITUTE (".*"r pr) ("*cerca ~de") ("<near>") IF (0 (pr)) ;
SUBSTITUTE (".*"r pr) ("*Cerca ~de") ("<Near>") IF (0 (pr)) ;
SUBSTITUTE (".*"r cnjadv) ("*al") ("<while>") IF (1 (inf)) ;
SUBSTITUTE (".*"r adv itg) ("*por la que") ("<why>") IF (-1 ("<reason>" sg)) ;
SUBSTITUTE (".*"r adv itg) ("*por las que") ("<why>") IF (-1 ("<reason>" pl)) ;
SUBSTITUTE (".*"r pr) ("*a") ("<to>") IF (-1 ${anyOf(DAYS)}) (1 ${anyOf(DAYS)}) ;
SUBSTITUTE (".*"r pr) ("*al") ("<to>") IF (NOT -1 ${anyOf(DAYS)}) (1 ${anyOf(DAYS)}) ;
SUBSTITUTE (".*"r rel an mf sp) ("*en que") ("<that>") IF (0C (rel)) (-1 ("<way>")) ;
SUBSTITUTE (".*"r pr) ("*para el") ("<by>") IF (1 ${anyOf(DAYS)}) ;
SUBSTITUTE (".*"r pr) ("*el") ("<on>") IF (1 ${anyOf(DAYS)}) (NOT 2 (n)) ;
SUBSTITUTE (".*"r) ("*desde el") ("<since>") IF (1 ${anyOf(DAYS)}) (NOT 2 (n)) ;
SUBSTITUTE (".*"r) ("*hasta el") ("<until>") IF (1 ${anyOf(DAYS)}) (NOT 2 (n)) ;
SUBSTITUTE (".*"r) ("*eso") ("<that>") IF (-1 ("<on>")) (1 (sent) OR (cm)) ;
SUBSTITUTE (".*"r prn tn m f mf sg GD) ("*a nadie") ("<anyone>") OR ("<anybody>") IF (-1 VERB) (NOT -1 (vbser)) (-1* NEGATION BARRIER (cm)) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (1* ("<cold>") OR ("<hot>") BARRIER (*) - (preadv)) (-1 ${anyOf(MASS)} OR ("<soup>") OR ("<tea>")) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (1 ("<in front of>") OR ("<next to>") OR ("<next=to=>") OR ("<close to>")) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (1* ("<at=(home|school|work)=>"r) BARRIER (*) - ("<not>")) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (1 ("<out>") OR ("<far>") OR ("<accustomed=to=>")) (2 (sent) OR (cm) OR (pr) OR (adv) OR (inf)) (NOT 2 ("<of>")) ;
SUBSTITUTE (".*"r pr) ("*un") ("<by>") IF (1 (num)) (2 ("<percent>") OR ("<%>")) ;
SUBSTITUTE (".*"r ind mf) ("alguno" qnt GD) ("<any>"i) IF (0 (det)) (0* ("<?>") OR ("<if>"i)) (NEGATE -1* ("<not>") BARRIER (cm)) ;
SUBSTITUTE (".*"r mf) ("ninguno" GD) ("<any>"i) IF (0 (det)) (-1* NEGATION BARRIER (cm)) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (pp)) (1 ("<to>" pr)) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (1* ("<allow>" pp) BARRIER (*) - ("<not>")) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (-1 ("<battery>")) (1 ("<low>")) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (1* ("<happy>") BARRIER (*) - (preadv) LINK 1 ("<with>")) ;
SUBSTITUTE (".*"r adv) ("*alguna vez") ("<ever>") IF (-1 (pp)) (1* ("<?>")) ;
SUBSTITUTE (".*"r pr) ("*menores de") ("<under>") IF (-1 ("<child>")) (1 (num)) ;
SUBSTITUTE (".*"r pr) ("*por debajo de") ("<under>") OR ("<below>") IF (1 (num)) (NOT -1 ("<child>")) ;
SUBSTITUTE (".*"r det ind GD sg) ("*al") ("<a>") IF (1 ("<day>") OR ("<month>") OR ("<year>")) (-1 (n) LINK -1 (num)) ;
SUBSTITUTE (".*"r det ind GD sg) ("*a la") ("<a>") IF (1 ("<week>")) (-1 (n) LINK -1 (num)) ;
SUBSTITUTE (".*"r det ind GD sg) ("*por") ("<a>") OR ("<an>") IF (1 ("<hour>") OR ("<person>")) (-1 (n) LINK -1 (num)) ;
SUBSTITUTE (".*"r pr) ("*a las") ("<at>"i pr) IF (1 ${anyOf(HOURS)}) (2 (sent) OR (cm) OR (pr) OR (cnjcoo) OR ("<o'clock>") OR ("<a.m.>"i) OR ("<p.m.>"i) OR ("<am>") OR ("<pm>")) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (-1 ("<where>"i) OR ("<how>"i)) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (1 (vblex ger)) (NOT 1 ("<go>"i)) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (1 ${states} OR ("<out=of=.*>"r) OR ("<on=.*=way=>"r) OR ("<on=the=left=>") OR ("<on=the=right=>") OR ("<looking=forward=to=>")) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (1 (prn) OR ("<not>")) (2 ${states} OR (ger)) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (1 (preadv) OR (adv)) (2 ${states}) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (1 ${anyOf(PLACES)}) (2 DET OR NAME) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (-1* ("<where>"i) BARRIER VERB) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (-1 PERSON) (1 ("<at>")) (2 DET OR ("<home>") OR ("<work>") OR ("<school>")) ;
SUBSTITUTE (".*"r vbser) ("llegar" vblex) ("<be>"i) IF (0 (vbser)) (1 ("<late>")) (-1 PERSON OR (n) OR (vbmod)) ;
SUBSTITUTE (".*"r vbser) ("llegar" vblex) ("<be>"i) IF (0 (vbser)) (1 ("<always>") OR ("<never>") OR ("<often>")) (2 ("<late>")) ;
SUBSTITUTE (".*"r m) ("gafas" f) ("<glass>") IF (0 (n pl)) (-1 (det pos)) ;
SUBSTITUTE (".*"r prn tn m f mf sg GD) ("*nada") ("<anything>") IF (-1* NEGATION BARRIER (cm)) ;
SUBSTITUTE (".*"r prn tn m f mf sg GD) ("*algo") ("<anything>") IF (1* ("<?>")) ;
SUBSTITUTE (".*"r prn tn m f mf sg GD) ("*nadie") ("<anyone>") OR ("<anybody>") IF (-1* NEGATION BARRIER (cm)) ;
SUBSTITUTE (".*"r tn m f mf sg GD) ("alguien" tn m sg) ("<anyone>"i) OR ("<anybody>"i) IF (1* ("<?>")) ;
`;
}

/** `The people who live here are friendly`: transfer lets such an adjective agree with nothing. */
function agreementRules(): string {
  return ['m sg', 'f sg', 'm pl', 'f pl']
    .flatMap((tags) =>
      ['(-1 ("<be>"))', '(-1 (preadv)) (-2 ("<be>"))'].map(
        (place) =>
          `SUBSTITUTE (adj) (adj ${tags}) (adj) - GENDER IF ${place} (-1** (rel) OR ("<that>" cnjsub) BARRIER (cm) OR (sent) LINK -1 (n ${tags})) ;`,
      ),
    )
    .join('\n');
}

/** `This is the house`: the pronoun has the gender of the noun that follows. */
function thingRules(): string {
  return [
    ['this', 'este', 'm'],
    ['this', 'este', 'f'],
    ['that', 'ese', 'm'],
    ['that', 'ese', 'f'],
  ]
    .map(([english = '', spanish = '', gender = '']) =>
      inBothSizes(
        (sized) =>
          `SUBSTITUTE (".*"r m sp) ("${sized(spanish)}" ${gender} sg) ("<${sized(english)}>" prn) IF (1 ("<be>")) (2 DET LINK 1** (n ${gender} sg) BARRIER (pr) OR (cm) OR (rel) LINK NOT 1 (n)) ;`,
      ),
    )
    .join('\n');
}

/** `Can I have two accounts?` asks whether it is possible, `Can I have a coffee?` for one. */
const askedForRules = (): string[] => [
  inBothSizes(
    (sized) =>
      `SUBSTITUTE (".*"r adv) ("*${sized('puedo')} tener") ("@${sized('can')}=I=have=") IF (NOT 1 (det)) ;`,
  ),
];

/** `March 3, 2026` (transfer has a rule for `on 3 March 2026`), whose day the source grammar has put first. */
function dateRules(): string[] {
  const month = anyOf(
    entriesOf(MONTHS)
      .map(([name]) => name)
      .join(' '),
  );
  const day = '("<[0-3]?[0-9]>"r)';
  return [
    'SUBSTITUTE (".*"r n m f) ("marzo" n m) ("<March>") ;',
    // Otherwise transfer makes a singular of it.
    'SUBSTITUTE ("vez" n f ND) ("vez" n f) ("<time>") ;',
    `SUBSTITUTE ("([0-9]+)"r num ord GD sg) (VSTR:"*el\\ $1") ${day} IF (1 ${month}) (-1 (vbser) OR (pr) OR (cnjcoo) OR (cnjadv)) (NOT -1 ("<on>"i)) ;`,
    `SUBSTITUTE ("([0-9]+)"r num) (VSTR:"*de\\ $1") ("<[12][0-9][0-9][0-9]>"r) IF (-1 ${month}) (NOT -3 ("<on>"i)) ;`,
    `SUBSTITUTE ("([0-9]+)"r num ord GD sg) (VSTR:"*$1") (ord) IF (1 ${month}) ;`,
    `SUBSTITUTE ("([0-9]+)"r num ord GD sg) (VSTR:"*$1") (ord) IF (1 ("<of>")) (2 ${month}) ;`,
    ...['on', 'On'].map(
      (on) =>
        `SUBSTITUTE (".*"r pr) ("*${on === 'on' ? 'el' : 'El'}") ("<${on}>" pr) IF (1 ("<the>")) (2 ${day}) (3 ("<of>")) (4 ${month}) ;`,
    ),
    `REMCOHORT ("<the>") IF (-1 ("<on>"i)) (1 ${day}) (2 ("<of>")) (3 ${month}) ;`,
    ...entriesOf(MONTHS).map(
      ([english, spanish]) =>
        `SUBSTITUTE (".*"r n m sg) ("*de ${spanish}") ("<${english}>") IF (-1 ${day}) (NOT -2 ("<on>"i)) ;`,
    ),
  ];
}

/** What takes place, of which `there was` is a preterite. */
const EVENTS = `
accident accidents attack change changes crash debate delay delays discussion earthquake error errors explosion failure fight fire flood meeting mistake
party problem problems protest protests storm strike war`;

/** `There was an accident`: a preterite. */
const eventRules = (): string[] => [
  ...['(1 (det)) (2 ', '(1 (det)) (2 (adj)) (3 ', '(1 '].map((place) =>
    inBothSizes(
      (sized) =>
        `SUBSTITUTE (".*"r vbser past p3 sg) ("*${sized('hubo')}") ("<be>" past) IF (-1 ("<${sized('there')}>")) ${place}${anyOf(EVENTS)}) ;`,
    ),
  ),
  'REMCOHORT ("<there>"i) IF (1 ("[*][hH]ubo"r)) ;',
];

/** Hundreds that the mode's dictionary has wrong. */
const HUNDREDS = `five: quinient, seven: setecient, nine: novecient`;

/** `five hundred people`. */
const hundredRules = (): string[] =>
  entriesOf(HUNDREDS).flatMap(([english, spanish]) =>
    [
      ['(1 (n f))', 'as'],
      ['', 'os'],
    ].map(([noun = '', ending = '']) =>
      inBothSizes(
        (sized) =>
          `SUBSTITUTE (".*"r num GD sp) ("*${sized(spanish)}${ending}") ("<${sized(english)} hundred>" num) IF (0 (num)) ${noun} ;`,
      ),
    ),
  );

/** `the best idea`: the form depends on the noun, which an adjective or another noun may precede. */
function preposedForms(): string[] {
  return entriesOf(PREPOSED).flatMap(([english, forms]) => {
    const [masculine = '', feminine = '', masculines = '', feminines = ''] = forms.split(' ');
    return [
      ['(n f pl)', feminines],
      ['(n f sg)', feminine],
      ['(n pl)', masculines],
      ['(n)', masculine],
      ['', masculine],
    ].flatMap(([noun = '', form = '']) =>
      (noun === ''
        ? ['(0 (ord))']
        : [`(1 ${noun}) (NOT 2 (n))`, `(1 (n) OR (adj) OR (pp) OR (num)) (2 ${noun})`]
      ).map((place) =>
        inBothSizes(
          (sized) =>
            `SUBSTITUTE (".*"r sp) ("${sized(form)}" GD ND) ("@${sized(english)}=") IF ${place} ;`,
        ),
      ),
    );
  });
}

/** Returns a rule for each entry, which replaces the translation of words of that part of speech. */
function wordRules(table: string, tag = '', condition = ''): string[] {
  return entriesOf(table).map(([words, spanish]) => {
    // The first form of a new verb is its lemma.
    const english = table === NEW_VERBS ? words.replace(/ .*/, '') : words;
    const [, lemma = '', gender = ''] = /^(.*?)((?: (?:m|f|mf))?)$/.exec(spanish) ?? [];
    // Rules are indexed by every tag of their target, so the part of speech is a condition instead.
    const conditions = tag === '' ? '' : ` IF (0 (${tag})) ${condition}`;
    const [from, to] = tag === 'n' ? ['n m f mf GD', ` n${gender}`] : ['mf', gender];
    return inBothSizes(
      (sized) =>
        `SUBSTITUTE (".*"r ${from}) ("${sized(lemma)}"${to}) ("<${sized(english)}>")${conditions} ;`,
    );
  });
}

/** Nouns that the mode cannot decline: gender, singular and plural. */
const UNDECLINED = 'menu: m menú menús, trash: f papelera papeleras';

function undeclinedRules(): string[] {
  return entriesOf(UNDECLINED).flatMap(([noun, spanish]) => {
    const [gender, ...forms] = spanish.split(' ');
    return forms.map((form, i) =>
      inBothSizes(
        (sized) =>
          `SUBSTITUTE (".*"r n m f mf GD) ("${sized(form)}" n ${gender}) ("<${sized(noun)}>") IF (0 (n ${i === 0 ? 'sg' : 'pl'})) ;`,
      ),
    );
  });
}
