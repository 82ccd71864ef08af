/**
 * What Debian's mode from Spanish to English is taught: who does something where Spanish does not say it (`Tengo la
 * llave`), what asks for something, and which of several words is meant: its dictionary makes a squad of each team
 * and an archive of each file.
 */
import {
  anyOf,
  capital,
  DELIMITERS,
  entriesOf,
  type GrammarTexts,
  inBothSizes,
  indexed,
  lemmasOf,
  wordsOf,
} from '../grammars.ts';

export const spanishToEnglish = (): GrammarTexts => ({
  source: spanishGrammar(),
  target: englishGrammar(),
});

const NOUNS = `
acuerdo: agreement, almuerzo: lunch, archivo: file, asunto: matter, autorización: permission,
avión: plane, baño: bathroom, billete: ticket, bloqueo: lock, bolsa: bag, borde: edge, brillo: brightness,
búsqueda: search, cantidad: amount, característica: feature, carrera: career, carta: letter, cielo: sky, cita: appointment,
cliente: customer, cocina: kitchen, color: colour, comentario: comment, compañero: colleague, comida: food, conferencia: conference,
daño: damage, dedo: finger, destino: destination, dirección: address, dominio: domain, edificio: building,
efectivo: cash, encuesta: survey, ensayo: essay, entorno: environment, equipo: team, escenario: stage, esfuerzo: effort,
estación: station, estudio: study, factura: invoice, fallo: failure, falta: lack, final: end, firma: signature,
fondo: background, gestor: manager, golpe: blow, hoja: sheet, informe: report, investigación: research,
jornada: day, juego: game, lengua: language, listado: list, maleta: suitcase, marioneta: puppet, marca: brand, meta: goal, metro: metre, modo: mode,
montón: pile, objetivo: goal, orden: order, panel: panel, pantano: swamp, papel: paper, pantalla: screen, par: couple, párrafo: paragraph,
partido: party, pedido: order, pestaña: tab, piso: floor, plantilla: template, plazo: deadline, ponencia: talk,
política: policy, portada: cover, principio: beginning, prueba: test, puesto: position, red: network, reloj: clock,
respaldo: backup, resumen: summary, sello: stamp, sitio: site,
suelo: floor, sueño: dream, tarde: afternoon, tasa: rate, teléfono: phone, tema: topic, tienda: shop, vista: view, vistazo: look`;

const VERBS = `
activar: activate, alcanzar: reach, andar: walk, apoyar: support, arrastrar: drag, aumentar: increase, borrar: delete, cargar: load,
coincidir: match, comenzar: start, comprender: understand, contar: tell, dedicar: devote, desplazar: move,
detener: stop, echar: throw, elegir: choose, empezar: start, enfrentar: face,
entrar: enter, evitar: avoid, invertir: invest, iniciar: start, llevar: take, lograr: achieve, luchar: fight, mandar: send,
mantener: keep, mejorar: improve, navegar: browse, observar: observe, parecer: seem, partir: leave, pelear: fight,
poner: put, pretender: intend, quedar: stay, quitar: remove, realizar: perform, recoger: collect,
reproducir: play, revisar: check, rogar: beg, salir: leave, señalar: indicate,
soportar: support, superar: overcome, terminar: finish, tratar: treat, visualizar: view, volver: return`;

/** What English says with a particle, which the dictionary of its forms does not have. */
const WITH_PARTICLES = `
apagar: turn off, averiguar: find out, despertar: wake up, encender: turn on, rellenar: fill in,
sacar: take out`;

const ADJECTIVES = `
alto: high sint, antiguo: old sint, anterior: previous, débil: weak sint, personalizado: custom, superior: upper`;

const ADVERBS = `
generalmente: usually, luego: then, correctamente: correctly`;

/** Nouns that mean something else where one of some words is in the sentence. */
const NOUNS_BESIDE = `
equipo: computer; actualización apagar archivo arrancar cable carpeta conectar disco encender escritorio impresora instalar
 linux memoria pantalla puerto red software teclado usb usuario windows
entrada: post; blog comentario publicar sitio web
partido: match; equipo fútbol ganar gol jugador jugar marcar tenis ver
tema: theme; activar blog instalar plantilla web wordpress plugin
controlador: driver; dispositivo gráfico hardware impresora inalámbrico instalar tarjeta linux`;

/** Words that the dictionary does not have, with their gender. */
const NEW_NOUNS = `
aldea f: village, batería f: battery, cabecera f: header,
papelera f: bin, pulsación f: press, señor m: sir`;

/** Regular verbs on `-ar` that it does not have. */
const NEW_VERBS = `
desactivar: disable, minimizar: minimise, renombrar: rename,
reiniciar: restart, teclear: type`;

/** Of their forms, one is also the present; at the beginning they ask for something. */
const ORDERS = `
abrir activar actualizar añadir arrastrar asegurar buscar cambiar cerrar comprobar conectar configurar consultar copiar
crear decir dejar elegir eliminar empezar enviar escribir esperar guardar hacer imprimir iniciar instalar introducir leer
mirar mostrar mover pegar pensar poner presionar probar pulsar revisar seguir seleccionar usar utilizar ver visitar`;

/** What only persons do. */
const PERSONAL = `
aprender andar ayudar bailar beber besar caminar cantar cocinar comer comprar conocer creer decidir decir dormir elegir
escribir escuchar estudiar explicar hablar intentar jugar leer llamar mirar morir nacer odiar olvidar pagar pedir
pensar preguntar prometer querer recordar reír responder saber sentir trabajar vender ver viajar vivir`;

/** What things have done to them, rather than do to themselves, behind `se`. */
const PASSIVE = `
abrir actualizar añadir aplicar aprobar borrar buscar cargar cerrar comprobar comprar conocer considerar construir copiar crear
decir definir descargar ejecutar eliminar encontrar enviar escribir establecer guardar hablar iniciar instalar mantener modificar
mostrar mover necesitar obtener ocultar ofrecer permitir presentar producir publicar realizar recomendar recuperar registrar reproducir
requerir restaurar seleccionar tratar usar utilizar vender ver`;

/** How a sentence is read. */
const READING = String.raw`
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
# Open the door: what asks for something.
SELECT (imp p3) IF (-1 BEGINS) (0 (imp p3)) (1 DET) (NOT 0 ("querer"i) OR ("ser"i) OR ("haber"i)) ;
SELECT (imp p3) IF (-1 BEGINS) (0 (imp p3)) (1 NEXT) (NOT 0 ("querer"i) OR ("ser"i) OR ("haber"i) OR N) ;
SELECT (imp p2) IF (-1 PLEASE OR (cm)) (-2 PLEASE OR START) (0 (imp p2)) ;
SELECT (imp p2) IF (-1 BEGINS) (0 ORDER) (1 NEXT) (NOT 0 (prs) OR N) ;
SELECT (vblex) IF (0 ("querer"i vbmod)) (NOT 1 (inf)) ;
# He asks the man: no preposition.
REMCOHORT ("<a>") IF (-1 TRANSITIVE) (1 DET OR (np) OR (prn tn)) ;
# To go away is to go.
REMCOHORT ("<me>"i) IF (1 REFLEXIVE) (1 (p1 sg)) ;
REMCOHORT ("<te>"i) IF (1 REFLEXIVE) (1 (p2 sg)) ;
REMCOHORT ("<nos>"i) IF (1 REFLEXIVE) (1 (p1 pl)) ;
REMCOHORT ("<se>"i) IF (1 REFLEXIVE) (1 (p3)) ;
`;

/** What is said in another way altogether, word for word; `*` makes a word unknown, which stays as it is. */
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
ADDCOHORT ("<+ago>" "ago=" adv itg) AFTER TIME IF (-1 (num) OR DET OR ADJ) (-2 ("<hace>"i)) ;
REMCOHORT ("<hace>"i) IF (3 ("ago=")) ;
# Better than, bigger than; not all.
SUBSTITUTE (".*"r cnjsub cnjcoo cnjadv rel an mf sp) ("than=" adv itg) ("<que>") IF (-1 ADJ OR (adv)) (-2 ("<más>"i) OR ("<menos>"i)) (NOT 1 V) ;
SUBSTITUTE (".*"r cnjsub cnjcoo cnjadv rel an mf sp) ("than=" adv itg) ("<que>") IF (-1 ("<mejor>"i) OR ("<peor>"i) OR ("<mayor>"i) OR ("<menor>"i)) (NOT 1 V) ;
SUBSTITUTE (".*"r adv) ("not=" adv itg) ("<no>"i) IF (1 ("<todos>") OR ("<todas>") OR ("<solo>") OR ("<sólo>") OR ("<mucho>") OR ("<muy>")) ;
# My name is.
SUBSTITUTE (".*"r vblex pri p1 sg) ("*llamo") ("<llamo>") IF (-1 ("<me>"i)) ;
SUBSTITUTE (".*"r prn pro ref p1 mf sg) ("*me") ("<me>"i) IF (1 ("*llamo")) ;
SUBSTITUTE (".*"r vblex pri p2 sg) ("*llamas") ("<llamas>") IF (-1 ("<te>")) (-2 ("<cómo>"i)) ;
SUBSTITUTE (".*"r prn pro ref p2 mf sg) ("*te") ("<te>") IF (1 ("*llamas")) ;
SUBSTITUTE (".*"r adv itg) ("*cómo") ("<cómo>"i) IF (1 ("*te")) ;
`;

/** What is said instead of those. */
const SAID = `
*de: *all right, *buenas: *good, *tardes: *afternoon, *noches: *evening, *llamo: *is, *me: *my name, *llamas: *name,
*te: *your, *cómo: *what is`;

/** English words that Spanish has no word for, or another: question words on the way, for those stay where they are. */
const INSERTED = `
ago: ago adv, are: be vbser pres, at: at pr, can: can vaux pres, could: can vaux past, did: do vbdo past, do: do vbdo pres,
have: have vbhaver pres, in: in pr, not: not adv, off: off adv, on: on adv, out: out adv, than: than cnjcoo, up: up adv,
were: be vbser past`;

/** Who does something, where the verb alone says it. */
const SUBJECTS = `
yo: p1 mf sg, tú: p2 mf sg, nosotros: p1 m pl, vosotros: p2 m pl`;

const TENSES = 'pri ifi pii fti cni prs';

/** The grammar that stands before the tagger. */
function spanishGrammar(): string {
  return indexed(`${DELIMITERS}
LIST START = (>>>) ;
LIST V = vblex vbmod vbser vbhaver ; LIST N = n ; LIST ADJ = adj ; LIST DET = det ;
LIST CLITIC = (prn pro) ; LIST NO = "no"i ; LIST CAPITAL = "[A-ZÁÉÍÓÚÑ].*"r ;
LIST ADDED = "<+yo>" "<+tú>" "<+nosotros>" "<+vosotros>" "<+estar>" "<+do>" "<+did>" "<+ago>" "<+off>" "<+on>" "<+out>" "<+up>" "<+in>" ;
LIST PARTICLE = "off=" "on=" "out=" "up=" "in=" "ago=" ;
LIST ASKS = "are=" "Are=" "were=" "Were=" "can=" "Can=" "could=" "Could=" "have=" "Have=" ;
LIST SUBJECT = (prn tn p1) (prn tn p2) (prn tn p3) ;
LIST ORDER = ${lemmasOf(ORDERS)} ;
LIST PASSIVE = ${lemmasOf(PASSIVE)} ;
LIST TRANSITIVE = ${lemmasOf(TRANSITIVE)} ; LIST FORMAL = ${lemmasOf(`${PERSONAL} ${ORDERS} desear necesitar poder deber tener`)} ;
LIST QUEUE = ".*#.*"r ;
LIST REFLEXIVE = ${lemmasOf(REFLEXIVE)} ;
LIST THANKS = "<gracias>"i "<muchas gracias>"i ;
LIST LIKES = ("gustar" p3) ("encantar" p3) ;
LIST PLEASE = "<por favor>"i ;
SET BEGINS = START OR (cm) OR PLEASE OR ("<y>") OR (lquest) OR ("<¡>") OR ("<luego>"i) OR ("<después>"i) ;
SET ASKED = START OR (cm) OR ("<si>"i) OR ("<cuando>"i) OR ("<que>") OR ("<donde>") OR ("<y>") OR ("<o>") OR ("<para que>") OR ("<usted>"i) OR ("<ustedes>"i) OR (adv) ;
LIST NEXT = det n adj np pr num adv cnjsub prn ;
LIST HOUR = ${wordsOf('una dos tres cuatro cinco seis siete ocho nueve diez once doce')
    .map((word) => `"<${word}>"`)
    .join(' ')} ;
LIST TIME = "año" "mes" "día" "semana" "hora" "minuto" "segundo" "siglo" "rato" "tiempo" "década" ;
BEFORE-SECTIONS
${newWordReadings().join('\n')}
${READING}${PHRASES}
${[...likingRules(), ...passiveRules(), ...futureRules(), ...formalRules(), ...inversionRules(), ...subjectRules(), ...questionRules(), ...particleRules()].join('\n')}
${BLANKS}SECTION
${READING}`);
}

function newWordReadings(): string[] {
  const reading = (form: string, lemma: string, tags: string) =>
    inBothSizes((sized) => `APPEND ("${sized(lemma)}" ${tags}) ("<${sized(form)}>") ;`);
  const nouns = entriesOf(NEW_NOUNS).flatMap(([entry]) => {
    const [noun = '', gender = ''] = entry.split(' ');
    const plural = /[aeiou]$/.test(noun) ? `${noun}s` : `${noun.replace(/ón$/, 'on')}es`;
    return [reading(noun, noun, `n ${gender} sg`), reading(plural, noun, `n ${gender} pl`)];
  });
  const verbs = entriesOf(NEW_VERBS).flatMap(([verb]) =>
    regularForms(verb).map(([form, tags]) => reading(form, verb, `vblex ${tags}`)),
  );
  return [...nouns, ...verbs, 'REMOVE ("[*].*"r) IF (0 N OR V) ;'];
}

const ENDINGS = `
ar: inf, ando: ger, ado: pp m sg, ada: pp f sg, ados: pp m pl, adas: pp f pl, o: pri p1 sg, as: pri p2 sg, a: pri p3 sg,
a: imp p2 sg, amos: pri p1 pl, an: pri p3 pl, é: ifi p1 sg, aste: ifi p2 sg, ó: ifi p3 sg, amos: ifi p1 pl, aron: ifi p3 pl,
e: prs p3 sg, e: imp p3 sg, en: prs p3 pl, es: prs p2 sg, en: imp p3 pl, emos: prs p1 pl, ará: fti p3 sg, aré: fti p1 sg, aba: pii p3 sg,
arás: fti p2 sg, arán: fti p3 pl`;

/** The forms of a verb on `-ar`, each with its tags. */
function regularForms(verb: string): [form: string, tags: string][] {
  const stem = verb.slice(0, -2);
  return entriesOf(ENDINGS).map(([ending, tags]) => {
    const written = /^[eé]/.test(ending) ? stem.replace(/z$/, 'c') : stem;
    return [written + ending, tags];
  });
}

/** `Veo la casa`: the verb's person becomes a pronoun before it, and before what clings to it. */
function subjectRules(): string[] {
  const kinds = ['vblex', 'vbmod', 'vbser', 'vbhaver'];
  return entriesOf(SUBJECTS).flatMap(([pronoun, tags]) => {
    const person = tags.replace(/ mf? /, ' ');
    const verb = `(0C ${kinds.map((kind) => `(${kind} ${person})`).join(' OR ')})`;
    const isFirst = `(NOT -1 CLITIC OR NO OR SUBJECT${pronoun.startsWith('n') ? ' OR N' : ''})`;
    const added = (lemma: string, place: string) =>
      `ADDCOHORT ("<+${pronoun}>" "${lemma}" prn tn ${tags}) BEFORE ${place} ${isFirst} ;`;
    const leads = `IF (1* V BARRIER (*) - CLITIC LINK ${verb}${person.startsWith('p2') ? ' LINK NOT 0 (prs)' : ''})`;
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

/** What a verb that changes its place with `you` is in English. */
const INVERTED = `
ser pri: are, estar pri: are, ser ifi: were, estar pii: were, ser pii: were, poder pri: can, poder cni: could, haber pri: have`;

/** The particle follows the verb. */
function particleRules(): string[] {
  return entriesOf(WITH_PARTICLES).map(([spanish, english]) => {
    const particle = english.replace(/.* /, '');
    return `ADDCOHORT ("<+${particle}>" "${particle}=" adv itg) AFTER ("${spanish}"i vblex) IF (NOT 1 ("${particle}=")) ;`;
  });
}

/** `¿Dónde estás?`: are you. */
function inversionRules(): string[] {
  const added = new Set(entriesOf(INVERTED).map(([, english]) => english));
  return [
    ...entriesOf(INVERTED).map(([verb, english]) => {
      const [lemma = '', tense = ''] = verb.split(' ');
      return inBothSizes(
        (sized) =>
          `SUBSTITUTE (".*"r vblex vbser vbmod vbhaver p2 sg pl ${tense}) ("${sized(english)}=" adv itg) ("${sized(lemma)}" ${tense} p2) IF (0C (p2)) (-1* (lquest) BARRIER V) (NOT -1 CLITIC OR NO OR SUBJECT) ;`,
      );
    }),
    ...[...added].flatMap((english) => [
      `ADDCOHORT ("<+tú>" "prpers" prn tn p2 mf sg) AFTER ("${english}="i) IF (NOT 1 SUBJECT) ;`,
    ]),
    'SUBSTITUTE (inf) (pri p2 sg) (vblex inf) IF (-1 ("<+tú>")) ;',
  ];
}

/** `¿Qué quieres?`: what do you want. */
function questionRules(): string[] {
  const ofMain = (tense: string) =>
    `(1* (${tense} p2) BARRIER (*) - CLITIC LINK 0 (vblex) OR ("querer"i) LINK NOT 0 ("ser"i) OR ("estar"i)) (-1* (lquest) BARRIER V) (NOT -1 ASKS)`;
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

/** `Si quiere salir, pulse aquí`: where it is asked for politely, who is spoken to is meant. */
function formalRules(): string[] {
  const formal = '(0*C (imp p3) OR ("<usted>"i) OR ("<ustedes>"i))';
  return [
    `SUBSTITUTE (p3) (p2) FORMAL - (imp) IF (0C (p3)) (-1 ASKED) ${formal} ;`,
    `SUBSTITUTE (p3) (p2) FORMAL - (imp) IF (0C (p3)) (-1 NO) (-2 ASKED) ${formal} ;`,
    `SUBSTITUTE (p3) (p2) (vblex pri p3) IF (0C ("estar"i)) (1 (ger) OR ("<seguro>")) ${formal} ;`,
    'SUBSTITUTE (p3) (p2) FORMAL IF (0C (p3)) (-1 (lquest)) (NOT 1 (np) OR (prn tn)) ;',
    `SUBSTITUTE (".*"r) ("tuyo") ("suyo" det) IF ${formal} ;`,
    'SUBSTITUTE (".*"r) ("tuyo") ("suyo" det) IF (-1 ("<por>")) (-2 THANKS) ;',
  ];
}

/** Behind these, Spanish says `a` before persons. */
const TRANSITIVE = `
abandonar ayudar buscar conocer defender derrotar encontrar escuchar invitar llamar llevar matar mirar obedecer oír preguntar proteger
recordar salvar seguir servir temer traer vencer ver visitar`;

/** With these the verb alone is said. */
const REFLEXIVE = `
acordar acostar casar caer despertar dormir enamorar enfadar ir levantar marchar morir mover olvidar parecer preocupar
quedar quejar reír reunir sentar sentir`;

/** What was added has no blank behind it: the next word begins with a part that later goes, and leaves one. */
const BLANKS = String.raw`
SUBSTITUTE SUB:-1 ("([^>]*)"r) (VSTR:"ø<s>+%l$1") V IF (-1 ADDED) (0 (enc)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") ("<+tú>") IF (-1 ASKS) (1 (sent) OR (cm)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") PARTICLE IF (1 (sent) OR (cm)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") PARTICLE IF (0 (<<<)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") V OR NO OR CLITIC OR SUBJECT OR NEXT IF (-1 ADDED) (NOT 0 (enc)) ;
`;

/** `Me gusta el café`: who likes it is the object in Spanish. */
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

/** `La lista se muestra`: the list is shown. */
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

/** The grammar that chooses English words. */
function englishGrammar(): string {
  const beside = NOUNS_BESIDE.trim()
    .split(/\n(?! )/)
    .flatMap((line) => {
      const [entry = '', words = ''] = line.split('; ');
      return wordRules(entry, 'n', `(0* ${anyOf(words)})`);
    });
  const rules = [
    ...[
      ...wordRules(NOUNS, 'n'),
      ...wordRules(NEW_NOUNS.replaceAll(/ [mf](?=:)/g, ''), 'n'),
      ...beside,
    ],
    ...[...wordRules(VERBS, 'vblex'), ...wordRules(NEW_VERBS, 'vblex')],
    ...[...wordRules(ADJECTIVES, 'adj'), ...wordRules(ADVERBS, 'adv')],
    ...wordRules(WITH_PARTICLES.replaceAll(/ \w+(?=[,\s]*(?:$|,))/g, ''), 'vblex'),
    ...wordRules('conseguir: get', 'vblex', '(NOT 1 (inf))'),
    ...wordRules('conseguir: manage', 'vblex', '(1 (inf))'),
    ...wordRules('por: for', 'pr', '(-1 ("<gracias>"i) OR ("<muchas gracias>"i))'),
    ...wordRules('mostrar: display', 'vblex', '(0 (pp))'),
    ...wordRules('ese: that', 'det'),
    ...wordRules('qué: what', 'det'),
    ...wordRules('alguien: someone', 'prn'),
    ...wordRules('ninguno: no', 'det', '(NOT -1* ("<no>"i))'),
    ...wordRules('decir: tell', 'vblex', '(1 (enc))'),
    ...wordRules('decir: tell', 'vblex', '(-1 (pro p1) OR (pro p2))'),
    ...wordRules('dirección: direction', 'n', '(-2 ("<en>"i))'),
    ...wordRules('entre: between', 'pr'),
    ...wordRules('después: then', 'adv', '(-1 (cnjcoo) OR (cm) OR (>>>))'),
    ...wordRules('como: as', 'pr', '(NOT 1 (det) OR (prn))'),
    ...wordRules('como: as', 'pr', '(-2 ("<tan>"i))'),
    ...wordRules(SAID),
    ...insertedRules(),
  ];
  return indexed(`${DELIMITERS}BEFORE-SECTIONS
REMCOHORT ("@ø<s>") ;
SECTION
${rules.join('\n')}
`);
}

function insertedRules(): string[] {
  return entriesOf(INSERTED).map(([word, english]) => {
    const [, lemma = '', tags = ''] = /^(\w+) (.*)$/.exec(english) ?? [];
    return inBothSizes(
      (sized) => `SUBSTITUTE (".*"r adv itg) ("${sized(lemma)}" ${tags}) ("@${sized(word)}=") ;`,
    );
  });
}

/** Each entry's rule: the English word of that kind; comparable adjectives have `sint` behind them. */
function wordRules(table: string, tag = '', condition = ''): string[] {
  return entriesOf(table).map(([spanish, english]) => {
    const [, lemma = '', kind = ''] = /^(.*?)((?: sint)?)$/.exec(english) ?? [];
    const conditions = tag === '' ? '' : ` IF (0 (${tag})) ${condition}`;
    const [from, to] = tag === 'adj' ? ['adj sint', ` adj${kind}`] : ['sep', ''];
    return inBothSizes(
      (sized) =>
        `SUBSTITUTE (".*"r ${from}) ("${sized(lemma)}"${to}) ("<${sized(spanish)}>")${conditions} ;`,
    );
  });
}
