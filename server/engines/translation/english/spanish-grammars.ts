/**
 * What Debian's mode from English to Spanish is taught: which readings its words have in a sentence (`Open the
 * door` asks for something), which verbs go with a particle (`turn on`), and which of several words is meant:
 * its dictionary makes a nail file of each file and the bone of a fruit of each stone.
 */
import {
  anyOf,
  DELIMITERS,
  entriesOf,
  inBothSizes,
  indexed,
  lemmasOf,
  type GrammarTexts,
} from '../grammars.ts';

export const englishToSpanish = (): GrammarTexts => ({
  source: englishGrammar(),
  target: spanishGrammar(),
});

/** Nouns with one Spanish word and its gender, whatever stands around them. */
const NOUNS = `
ability: habilidad f, address: dirección f, aim: objetivo m, anxiety: ansiedad f, argument: argumento m,
arrangement: acuerdo m, attachment: archivo adjunto m, bag: bolsa f, balance: equilibrio m, ball: pelota f,
band: grupo m, basin: cuenca f, beginning: principio m, bell: campana f, blank: espacio m, board: tablero m,
border: frontera f, breast: pecho m, breath: respiración f, bulb: bombilla f, bunch: puñado m, cap: gorra f,
card: tarjeta f, case: caso m, chance: oportunidad f, chest: pecho m, coach: entrenador m, coat: abrigo m,
command: comando m, company: empresa f, competition: competencia f, computer: ordenador m,
condition: condición f, cost: coste m, course: curso m, cover: cubierta f, craft: oficio m, date: fecha f,
deal: acuerdo m, deputy: ayudante mf, detour: desvío m, device: dispositivo m, disability: discapacidad f,
display: pantalla f, domain: dominio m, drive: unidad f, driver: conductor m, email: correo m,
enquiry: consulta f, equaliser: ecualizador m, failure: fracaso m, fault: culpa f, feeling: sentimiento m,
figure: figura f, file: archivo m, fish: pez m, foundation: fundación f, gear: equipo m, goal: objetivo m,
head: cabeza f, heel: talón m, height: altura f, host: anfitrión m, inquiry: consulta f, key: clave f,
language: idioma m, launch: lanzamiento m, law: ley f, leader: líder mf, leg: pierna f, letter: carta f,
lift: ascensor m, lock: bloqueo m, look: mirada f, malfunction: fallo m, manager: director m,
mandarin: mandarina f, market: mercado m, motion: movimiento m, nature: naturaleza f, nut: tuerca f,
oil: aceite m, owner: propietario m, package: paquete m, part: parte f, partner: socio m, passage: paso m,
paste: pasta f, path: ruta f, picture: foto f, piece: pieza f, pipe: tubo m, plane: avión m, plate: plato m,
platform: plataforma f, plug: enchufe m, policy: política f, poll: encuesta f, position: posición f,
post: artículo m, property: propiedad f, pupil: alumno m, question: pregunta f, range: gama f,
record: registro m, reference: referencia f, registration: registro m, release: versión f,
research: investigación f, review: revisión f, role: papel m, room: sala f, schedule: horario m,
seal: sello m, seat: asiento m, setting: configuración f, shell: concha f, sign: señal f, size: tamaño m,
skill: habilidad f, slide: diapositiva f, speaker: ponente mf, spirit: espíritu m, spring: primavera f,
stage: etapa f, stand: puesto m, station: estación f, stone: piedra f, stop: parada f, stove: cocina f,
style: estilo m, support: apoyo m, temple: templo m, ticket: entrada f, tie: corbata f, tip: consejo m,
tract: tracto m, training: formación f, transfer: transferencia f, tube: tubo m, vessel: buque m,
view: vista f, wall: pared f, wave: ola f, web: web f, work: trabajo m`;

const VERBS = `
address: abordar, advise: aconsejar, allow: permitir, appear: aparecer, appoint: nombrar, ask: preguntar,
assume: suponer, attach: adjuntar, become: llegar# a ser, borrow: pedir# prestado, cancel: cancelar,
capture: capturar, choose: elegir, claim: afirmar, clear: despejar, confront: enfrentar,
congratulate: felicitar, delete: eliminar, dismiss: rechazar, eject: expulsar, enable: activar,
encourage: animar, enjoy: disfrutar, escape: escapar, expose: exponer, feature: presentar, fix: arreglar,
focus: centrar, gain: ganar, get: conseguir, hear: oír, hide: ocultar, hit: golpear, hold: mantener,
involve: implicar, manage: gestionar, meet: conocer, operate: operar, paste: pegar, play: jugar,
raise: levantar, reach: alcanzar, recall: recordar, remove: eliminar, request: solicitar,
reverse: invertir, rise: aumentar, run: correr, save: guardar, set: poner, shift: cambiar, show: mostrar,
start: empezar, stop: parar, submit: enviar, try: intentar, upload: subir, use: usar, work: trabajar`;

const ADJECTIVES = `
beautiful: hermoso, certain: cierto, custom: personalizado, full: completo, great: estupendo,
harmful: dañino, next: siguiente mf, ready: listo, remarkable: notable mf,
specific: específico, temporary: temporal mf`;

const ADVERBS = `again: de nuevo, properly: correctamente`;

/** Verbs that mean something else with a particle or a preposition, which Spanish has no word for. */
const WITH_PARTICLES = `
blow up: explotar, bring up: mencionar, carry on: continuar, check out: mirar, clean up: limpiar,
cut off: cortar, end up: acabar, figure out: descubrir, fill in: rellenar, fill out: rellenar,
find out: descubrir, grow up: crecer, hand out: repartir, hang up: colgar, hold on: esperar,
kick off: empezar, leave out: omitir, listen to: escuchar, log in: entrar, log off: salir, log on: entrar,
log out: salir, look after: cuidar, look at: mirar, look for: buscar, look up: buscar, make sure: asegurar,
move on: avanzar, open up: abrir, pick up: recoger, plug in: conectar, point out: señalar,
print out: imprimir, put on: poner, set up: configurar, show up: aparecer, shut down: cerrar,
sign in: entrar, sign out: salir, slow down: reducir, speed up: acelerar, switch off: apagar,
switch on: encender, take off: quitar, take out: sacar, throw away: tirar, turn around: girar,
turn down: bajar, turn off: apagar, turn on: encender, use up: gastar,
wait for: esperar, wake up: despertar, work out: resolver, wrap up: concluir, write down: anotar`;

/** Words that the dictionary does not have at all. */
const NEW_NOUNS = `
deletion: eliminación f, desktop: escritorio m, feedback: opinión f, filename: nombre m,
fool: idiota mf, headset: auricular m, inbox: bandeja f, keynote: conferencia f, login: acceso m,
necromancer: brujo m, outpost: puesto m, setup: configuración f, sidebar: barra f, smartphone: teléfono m,
startup: empresa f, takeaway: conclusión f, thumbnail: miniatura f, toolbar: barra f, username: usuario m,
workshop: taller m, workspace: espacio m`;

/** With their past and the form in `-ing`; `click` is a noun alone there. */
const NEW_VERBS = `
click clicked clicking: pulsar, embed embedded embedding: insertar, log logged logging: registrar,
maximize maximized maximizing: ampliar, refresh refreshed refreshing: actualizar,
reload reloaded reloading: actualizar, reorder reordered reordering: ordenar,
resize resized resizing: ajustar, rotate rotated rotating: girar, skip skipped skipping: saltar, unmute unmuted unmuting: activar`;

/** Nouns that mean something else where one of some words is in the sentence. */
const NOUNS_BESIDE = `
driver: controlador m; graphics hardware install kernel printer software update
key: tecla f; control enter escape hit hold keyboard press shift type
key: llave f; car door house lock room
letter: letra f; alphabet capital character spell spelling word
room: habitación f; bed book hotel night sleep
speaker: altavoz m; audio cable headphone loud music sound volume
spring: fuente f; water`;

/** What is said of these is said with another verb. */
const STATES = `
alone angry available back busy closed dead empty full here inside lost open ready sick sure there tired`;

/** What asks for something far more often than it names a thing, at the beginning of a sentence. */
const ORDERS = `
accept add allow ask bring browse build buy call cancel change check choose clean clear click close come
compare connect contact continue convert copy create cut delete disable discover do download drag drop edit eject
empty enable enjoy ensure enter explore fill find finish follow forget get give go help hide import insert
install invite join keep kill learn leave listen load look make manage meet merge move open paste pay play
press print publish put read refresh remember remove rename repeat replace reply reset restart restore
return rotate run save select sell send set share show sign skip speak start stay stop submit switch take
tell try turn type unlock update upload use visit wait watch write`;

/** Their imperative is not the present of the third person, which the rules can make: the infinitive is said. */
const IRREGULAR = `come do go have hold keep leave make put say set tell`;

/** Behind these `to` stands before a verb. */
const BEFORE_TO = `
able allow begin continue decide easy free glad go good happy hard have help hope how important like love
necessary need nice order plan possible ready start time try use want way wish`;

/** All tags of a pronoun, to be taken from it. */
const ANY_PRONOUN = '".*"r prn subj p1 p2 p3 m f nt mf sg pl sp';

/** What is said in another way altogether, word for word; `*` makes a word unknown, which stays as it is. */
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
# He saw me, I told you: the rules give the verb the person of such an object, but not behind an auxiliary. The
# pronoun becomes one, for it has a blank behind it, and another pronoun stands before it.
REMOVE ("saw" vblex) ;
SUBSTITUTE (${ANY_PRONOUN}) ("do" vbdo past) (prn subj) IF (-1 (prn subj)) (1 (vblex past)) (2 SPOKEN_TO) ;
SUBSTITUTE (${ANY_PRONOUN}) ("do" vbdo pri p3 sg) (prn subj) IF (-1 (prn subj)) (1 (vblex pri)) (2 SPOKEN_TO) ;
SUBSTITUTE (${ANY_PRONOUN}) ("do" vbdo pres) (prn subj) IF (-1 (prn subj)) (1 (vblex pres)) (2 SPOKEN_TO) ;
SELECT (vbdo) IF (0 (vbdo)) (-1 (prn subj)) (2 SPOKEN_TO) ;
SUBSTITUTE (past) (inf) (vblex past) IF (-1C (vbdo)) (1 SPOKEN_TO) ;
SUBSTITUTE (pri p3 sg) (inf) (vblex pri) IF (-1C (vbdo)) (1 SPOKEN_TO) ;
SELECT INF IF (-1C (vbdo)) (1 SPOKEN_TO) ;
`;

/** What is said instead of those. */
const SAID = `
*afternoon: *buenas tardes, *evening: *buenas noches, *let: *vamos a, *me: *déjame, *see: *hasta`;

/** Behind `at` where no noun follows. */
const HOURS = `
two three four five six seven eight nine ten eleven twelve 2 3 4 5 6 7 8 9 10 11 12`;

/** How a sentence is read, once words and particles are there. */
const READING = String.raw`
# Do you have, can you hear: questions. Spanish says them in the order of statements, whose rules are better.
SELECT INF IF (-1C (vbdo)) ;
SELECT (vbdo) IF (0 ("do"i)) (1 (prn subj)) (2 V OR AUXILIARY OR (adv)) ;
REMOVE N IF (0 (vaux)) (1 (prn subj)) ;
SELECT (prn subj) IF (-1 (vaux) OR (vbdo)) (1 V OR AUXILIARY OR (adv)) ;
SELECT PRES IF (-1 (prn subj)) (-2 (vbdo)) ;
REMOVE (vblex past) IF (-1 (prn subj)) (-2 (vbdo)) ;
SELECT INF IF (-1 ("*let's") OR ("*let me")) ;
# The train leaves at nine.
SELECT (vblex pri) IF (-1 (n sg)) (-2 DET) (1 (pr) OR DET) (NEGATE 1* FINITE) (NEGATE -1* FINITE) ;
SELECT (pr) IF (0 ("about"i)) (1 OBJECT OR DET OR (prn)) ;
SELECT (pr) IF (0 ("about")) (-1 ("talk") OR ("think") OR ("learn") OR ("hear") OR ("know") OR ("worry")) ;
# I do it: no question, and no other verb behind it.
REMOVE (vbdo) IF (1 OBJECT OR (prn tn) OR DET) (NOT 2 V OR AUXILIARY) (NEGATE 1* ("<?>")) ;
SELECT PRES IF (0 ("do")) (-1 (prn subj)) ;
REMOVE ("coming"i adj) ;
# The man who came, when I came.
SELECT (rel) IF (0 ("who"i)) (-1 N) ;
SELECT (rel) IF (0 ("which"i)) (-1 N OR (cm)) ;
SELECT (rel) IF (0 ("where"i)) (NEGATE 1* ("<?>")) ;
SELECT (cnjadv) IF (0 ("when"i)) (1 (prn) OR DET OR N) (NEGATE 1* ("<?>")) ;
SELECT (det qnt) IF (0 ("more"i)) (1 N) ;
REMOVE V IF (-1C DET) (0 N OR ADJ) ;
SELECT INF IF (-1 ("to"i pr)) (-2 BEFORE_TO) ;
REMOVE N OR ADJ IF (-1 (vbmod) OR (vaux)) (0 V) ;
REMOVE N OR ADJ IF (-1C (prn subj)) (0 V) ;
REMOVE N OR ADJ IF (-1 ("<you>"i) OR ("<I>")) (0 V) ;
SELECT (adv) IF (0 PLEASE) (-1 START OR (cm)) ;
SELECT (adv) IF (0 PLEASE) (1 (sent)) ;
# Save: one word is written on a button. More of them ask for something.
SELECT INF IF (-1 START) (0 ORDER) (1 ("<.>")) ;
SELECT INF IF (-1 BEGINS) (0 ORDER) (1 OBJECT) ;
SELECT INF IF (-1 BEGINS) (0 IRREGULAR) (1 DET OR OBJECT OR NEXT) ;
SELECT PRES IF (-1 BEGINS) (0 INF) (1 DET OR PARTICLE) ;
SELECT PRES IF (-1 BEGINS) (0 ORDER) (0 INF) (1 NEXT) ;
`;

/** The grammar that stands before the tagger. */
function englishGrammar(): string {
  return indexed(`${DELIMITERS}
LIST N = n ; LIST ADJ = adj ; LIST V = vblex ; LIST INF = (vblex inf) ; LIST PRES = (vblex pres) ;
LIST AUXILIARY = vbhaver vbser ; LIST FINITE = vbser vaux vbhaver vbdo vbmod (vblex past) ;
LIST DET = (det def) (det ind) (det pos) ; LIST OBJECT = (prn obj) ;
LIST MODAL = ${entriesOf(MODALS)
    .map(([modal]) => `"<${modal}>"i`)
    .join(' ')} ;
LIST FINITE_VERB = (vblex past) (vblex pri) (vblex pres) ; LIST SPOKEN_TO = (prn obj p1) (prn obj p2) ;
LIST PARTICLE = "<on>"i "<off>"i "<in>"i "<out>"i "<up>"i "<down>"i "<back>"i "<away>"i ;
LIST NEXT = n adj adv num np pr cnjsub rel prn det "[*].*"r ;
LIST PLEASE = "please"i ; LIST START = (>>>) ;
SET BEGINS = START OR PLEASE OR (cm) OR ("then"i adv) OR ("and"i cnjcoo) ;
LIST ORDER = ${lemmasOf(ORDERS)} ;
LIST IRREGULAR = ${lemmasOf(IRREGULAR)} ;
LIST BEFORE_TO = ${lemmasOf(BEFORE_TO)} ;
BEFORE-SECTIONS
${[...newWordReadings(), ...particleRules(), ...pronounRules(), ...questionRules()].join('\n')}${PHRASES}SECTION
${READING}`);
}

function newWordReadings(): string[] {
  const reading = (form: string, lemma: string, tags: string) =>
    inBothSizes((sized) => `APPEND ("${sized(lemma)}" ${tags}) ("<${sized(form)}>") ;`);
  const nouns = entriesOf(NEW_NOUNS).flatMap(([noun]) => [
    reading(noun, noun, 'n sg'),
    reading(`${noun}s`, noun, 'n pl'),
  ]);
  const verbs = entriesOf(NEW_VERBS).flatMap(([forms]) => {
    const [verb = '', past = '', ing = ''] = forms.split(' ');
    return [
      ...['inf', 'pres'].map((tags) => reading(verb, verb, `vblex ${tags}`)),
      reading(`${verb}s`, verb, 'vblex pri p3 sg'),
      ...['past', 'pp'].map((tags) => reading(past, verb, `vblex ${tags}`)),
      ...['ger', 'subs'].map((tags) => reading(ing, verb, `vblex ${tags}`)),
    ];
  });
  return [...nouns, ...verbs, 'REMOVE ("[*].*"r) IF (0 N OR V) ;'];
}

const PRONOUNS = `
I: p1 mf sg, you: p2 mf sp, he: p3 m sg, she: p3 f sg, it: p3 nt sg, we: p1 mf pl, they: p3 mf pl`;

/** A second pronoun before one whose verb has an object that is spoken to, or speaks: see {@link PHRASES}. */
function pronounRules(): string[] {
  return entriesOf(PRONOUNS).map(([pronoun, tags]) =>
    inBothSizes(
      (sized) =>
        `ADDCOHORT ("<${sized(pronoun)}>" "${sized('prpers')}" prn subj ${tags}) BEFORE ("<${sized(pronoun)}>") IF (0 (subj)) (1 FINITE_VERB) (NOT 1 ("like"i)) (2 SPOKEN_TO) (NOT -1 (vaux) OR (vbdo) OR (prn subj)) ;`,
    ),
  );
}

const MODALS = `
can: can vaux pres, could: can vaux past, may: may vaux inf, might: might vaux inf, must: must vaux inf,
shall: shall vaux inf, should: should vaux inf, will: will vaux inf, would: would vaux inf,
do: do vbdo pres, does: do vbdo pri p3 sg, did: do vbdo past`;

/**
 * `Can you hear me?`: Spanish asks in the order of statements, whose rules are better. The two words exchange what
 * they are, and stay in their places, where elements may begin and end.
 */
function questionRules(): string[] {
  return [
    ...entriesOf(PRONOUNS).map(
      ([pronoun, tags]) =>
        `APPEND ("prpers" prn subj ${tags}) MODAL IF (0 (vaux) OR (vbdo)) (1 ("<${pronoun}>" subj)) (2 V OR AUXILIARY OR (adv)) (1* ("<?>")) ;`,
    ),
    'SELECT (prn subj) IF (0 MODAL) (1 (prn subj)) ;',
    ...entriesOf(MODALS).map(([modal, reading]) => {
      const [lemma = '', ...tags] = reading.split(' ');
      return `SUBSTITUTE (${ANY_PRONOUN}) ("${lemma}" ${tags.join(' ')}) (prn subj) IF (-1 ("<${modal}>"i prn)) ;`;
    }),
    'SELECT (vaux) OR (vbdo) IF (-1 MODAL) (-1 (prn subj)) ;',
  ];
}

/** Prepositions, and what is none, stay behind the verb: not `look it at`. */
const CLOSE = new Set(['after', 'at', 'for', 'sure', 'to']);

/** The verb takes its particle, which goes where the verb is no noun. */
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

/** The grammar that chooses Spanish words. */
function spanishGrammar(): string {
  const beside = NOUNS_BESIDE.trim()
    .split('\n')
    .flatMap((line) => {
      const [entry = '', words = ''] = line.split('; ');
      return wordRules(entry, 'n', `(0* ${anyOf(words)})`);
    });
  const rules = [
    ...[...wordRules(NOUNS, 'n'), ...wordRules(NEW_NOUNS, 'n'), ...beside],
    ...wordRules('time: hora f', 'n', '(-1 ("<what>"i))'),
    ...[...wordRules(VERBS, 'vblex'), ...wordRules(NEW_VERBS, 'vblex')],
    ...wordRules(WITH_PARTICLES.replace(/(?<=[a-z]) (?=[a-z]+:)/g, '# '), 'vblex'),
    ...wordRules('ask: hacer', 'vblex', '(2 ("<question>"))'),
    ...wordRules('ask: pedir', 'vblex', '(2 ("<to>"))'),
    ...wordRules('know: conocer', 'vblex', '(1 (prn p1) OR (prn p2))'),
    ...wordRules('leave: salir', 'vblex', '(1 (pr) OR (sent) OR (cm))'),
    ...[...wordRules(ADJECTIVES, 'adj'), ...wordRules(ADVERBS, 'adv')],
    ...[...wordRules('that: ese', 'det'), ...wordRules('that: eso', 'prn sg')],
    ...wordRules(SAID),
  ];
  const states = anyOf(STATES);
  return indexed(`${DELIMITERS}SECTION
${rules.join('\n')}
SUBSTITUTE (".*"r GD) ("tuyo" mf) ("<your>"i det) ;
SUBSTITUTE (".*"r pr) ("*a las") ("<at>"i pr) IF (1 ${anyOf(HOURS)}) (2 (sent) OR (cm) OR (pr) OR ("<o'clock>")) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (-1 ("<where>"i) OR ("<how>"i)) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (1 (vblex ger)) (NOT 1 ("<go>"i)) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (1 ${states}) ;
SUBSTITUTE (".*"r vbser) ("estar" vblex) ("<be>"i) IF (0 (vbser)) (1 (prn)) (2 ${states}) ;
`);
}

/** Each entry's rule: Spanish words of that kind, with their gender where they have one, for the English one. */
function wordRules(table: string, tag = '', condition = ''): string[] {
  return entriesOf(table).map(([words, spanish]) => {
    // Of the forms of a new verb the first is its name.
    const english = table === NEW_VERBS ? words.replace(/ .*/, '') : words;
    const [, lemma = '', gender = ''] = /^(.*?)((?: (?:m|f|mf))?)$/.exec(spanish) ?? [];
    // A rule is found by every tag of its target: the kind of word is asked for later.
    const conditions = tag === '' ? '' : ` IF (0 (${tag})) ${condition}`;
    const [from, to] = tag === 'n' ? ['n m f mf GD', ` n${gender}`] : ['mf', gender];
    return inBothSizes(
      (sized) =>
        `SUBSTITUTE (".*"r ${from}) ("${sized(lemma)}"${to}) ("<${sized(english)}>")${conditions} ;`,
    );
  });
}
