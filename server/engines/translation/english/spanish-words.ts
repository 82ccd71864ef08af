/**
 * Words and phrases for the grammars from English to Spanish (`entriesOf` documents the format of a table): Debian's
 * dictionary makes a nail file of every file and the stone of a fruit of every stone.
 */
import { anyOf, entriesOf, inBothSizes } from '../grammars.ts';

/** Nouns that have one translation regardless of context, with its gender. */
export const NOUNS = `
recording: grabación f, student: estudiante mf, ability: habilidad f, address: dirección f, admission: entrada f, aim: objetivo m, anxiety: ansiedad f, argument: argumento m, article: artículo m,
arrangement: acuerdo m, attachment: archivo adjunto m, baby: bebé m, bag: bolsa f, badge: acreditación f, balance: equilibrio m, ball: pelota f,
band: grupo m, basin: cuenca f, beginning: principio m, bell: campana f, blank: espacio m, breakfast: desayuno m, board: tablero m,
border: frontera f, breast: pecho m, breath: respiración f, bug: error m, bulb: bombilla f, bunch: puñado m, cap: gorra f, capital: capital f,
card: tarjeta f, case: caso m, chance: oportunidad f, chart: gráfico m, chest: pecho m, coach: entrenador m, coat: abrigo m,
command: comando m, company: empresa f, competition: competencia f, computer: ordenador m,
condition: condición f, cookie: cookie f, cost: coste m, course: curso m, cover: cubierta f, craft: oficio m,
date: fecha f,
deal: acuerdo m, deputy: ayudante mf, detour: desvío m, device: dispositivo m, disability: discapacidad f,
display: pantalla f, domain: dominio m, drive: unidad f, driver: conductor m, email: correo m,
enquiry: consulta f, equaliser: ecualizador m, event: evento m, failure: fracaso m, fault: culpa f, feeling: sentimiento m,
figure: figura f, file: archivo m, fish: pez m, foundation: fundación f, gear: equipo m, goal: objetivo m,
head: cabeza f, heel: talón m, height: altura f, host: anfitrión m, inquiry: consulta f, key: clave f,
language: idioma m, launch: lanzamiento m, law: ley f, leader: líder mf, leg: pierna f, letter: carta f,
lift: ascensor m, lock: bloqueo m, look: mirada f, lunch: almuerzo m, malfunction: fallo m, manager: director m,
mandarin: mandarina f, market: mercado m, motion: movimiento m, nature: naturaleza f, news: noticia f, nut: tuerca f,
oil: aceite m, owner: propietario m, package: paquete m, part: parte f, partner: socio m, passage: paso m,
paste: pasta f, path: ruta f, performance: rendimiento m, picture: foto f, piece: pieza f, pipe: tubo m, plane: avión m, plate: plato m,
platform: plataforma f, plug: enchufe m, policy: política f, poll: encuesta f, position: posición f,
post: artículo m, property: propiedad f, pupil: alumno m, question: pregunta f, range: gama f,
record: registro m, reference: referencia f, registration: registro m, release: versión f,
research: investigación f, review: revisión f, ring: anillo m, role: papel m, room: sala f, schedule: horario m,
seal: sello m, seat: asiento m, setting: configuración f, shell: concha f, shipping: envío m, sign: señal f, size: tamaño m,
skill: habilidad f, slide: diapositiva f, speaker: ponente mf, speech: discurso m, spirit: espíritu m, spring: primavera f,
stage: etapa f, stand: puesto m, station: estación f, stone: piedra f, stop: parada f, stove: cocina f,
style: estilo m, support: apoyo m, temple: templo m, ticket: entrada f, tie: corbata f, tip: consejo m,
tract: tracto m, training: formación f, transfer: transferencia f, tube: tubo m, vessel: buque m,
view: vista f, wall: pared f, wave: ola f, web: web f, work: trabajo m`;

export const VERBS = `
address: abordar, advise: aconsejar, agree: estar# de acuerdo, allow: permitir, appear: aparecer, appoint: nombrar, ask: preguntar,
assume: suponer, attach: adjuntar, attend: asistir, become: llegar# a ser, borrow: pedir# prestado, cancel: cancelar,
capture: capturar, choose: elegir, claim: afirmar, clear: despejar, confront: enfrentar, double: duplicar,
congratulate: felicitar, delete: eliminar, dismiss: rechazar, eject: expulsar, enable: activar,
encourage: animar, enjoy: disfrutar, escape: escapar, expose: exponer, feature: presentar, fix: arreglar,
focus: centrar, gain: ganar, get: conseguir, hear: oír, hide: ocultar, hit: golpear, hold: mantener,
involve: implicar, manage: gestionar, meet: conocer, operate: operar, paste: pegar, play: jugar,
raise: levantar, reach: alcanzar, receive: recibir, obtain: obtener, recall: recordar, remove: eliminar, request: solicitar,
restart: arrancar, reverse: invertir, revolve: girar, rise: aumentar, run: correr, save: guardar, set: poner, shift: cambiar, ship: enviar, show: mostrar,
start: empezar, stir: remover, stop: parar, submit: enviar, try: intentar, upload: subir, use: usar, work: trabajar`;

export const ADJECTIVES = `
beautiful: hermoso, certain: cierto, custom: personalizado, full: completo, great: estupendo, invalid: incorrecto,
harmful: dañino, next: siguiente mf, ready: listo, remarkable: notable mf,
specific: específico, temporary: temporal mf`;

export const ADVERBS = `again: de nuevo, properly: correctamente`;

/**
 * Adjectives that stand before their noun, in the form of a masculine, feminine, masculine plural and feminine plural
 * noun. The transfer rules put every adjective behind it, so an ordinal number (`the last house`) takes their place.
 */
export const PREPOSED = `
bad: mal mala malos malas, best: mejor mejor mejores mejores, better: mejor mejor mejores mejores, latest: último última últimos últimas,
good: buen buena buenos buenas, great: gran gran grandes grandes, next: próximo próxima próximos próximas,
only: único única únicos únicas, own: propio propia propios propias, worse: peor peor peores peores,
worst: peor peor peores peores`;

/** Verbs whose particle or preposition changes their meaning and has no Spanish counterpart. */
export const WITH_PARTICLES = `
agree to: aceptar, blow up: explotar, bring back: devolver, bring up: mencionar, call back: llamar, call off: cancelar, carry on: continuar, check out: mirar, clean up: limpiar, come back: volver,
cut off: cortar, end up: acabar, drop off: dejar, figure out: descubrir, fill in: rellenar, fill out: rellenar,
find out: descubrir, get in: entrar, get off: bajar, give back: devolver, give up: abandonar, go back: volver, go down: bajar, go out: salir, go up: subir, grow up: crecer, hand in: entregar, hand out: repartir,
hang up: colgar, have dinner: cenar, have lunch: comer, hold on: esperar,
kick off: empezar, leave out: omitir, listen to: escuchar, log in: entrar, log off: salir, log on: entrar,
log out: salir, look after: cuidar, look at: mirar, look for: buscar, look up: buscar, make sure: asegurar,
move on: avanzar, open up: abrir, pay back: devolver, pick up: recoger, plug in: conectar, point out: señalar,
print out: imprimir, put on: poner, send back: devolver, take back: devolver, set up: configurar, show up: aparecer, shut down: cerrar,
sign in: entrar, sign out: salir, slow down: reducir, speed up: acelerar, switch off: apagar,
switch on: encender, take off: quitar, take part: participar, take out: sacar, throw away: tirar, turn around: girar,
turn down: bajar, turn off: apagar, turn on: encender, turn up: subir, use up: gastar,
wait for: esperar, wake up: despertar, work out: resolver, wrap up: concluir, write down: anotar`;

/** Nouns missing from the dictionary. */
export const NEW_NOUNS = `
attendee: participante mf, caption: subtítulo m, deletion: eliminación f, demo: demostración f, desktop: escritorio m, feedback: opinión f, filename: nombre m,
fool: idiota mf, graph: gráfico m, headset: auricular m, inbox: bandeja f, keynote: conferencia f, livestream: transmisión f, lobby: vestíbulo m, login: acceso m,
necromancer: brujo m, newsletter: boletín m, outpost: puesto m, quote: cita f, setup: configuración f, sidebar: barra f, smartphone: teléfono m,
startup: empresa f, subtitle: subtítulo m, takeaway: conclusión f, thumbnail: miniatura f, toolbar: barra f, transcript: transcripción f, username: usuario m,
workshop: taller m, workspace: espacio m`;

/** Verbs missing from the dictionary, with their past and `-ing` forms; it knows `click` only as a noun. */
export const NEW_VERBS = `
click clicked clicking: pulsar, depart departed departing: salir, embed embedded embedding: insertar, log logged logging: registrar,
maximize maximized maximizing: ampliar, mute muted muting: apagar, plug plugged plugging: conectar, preheat preheated preheating: calentar, refresh refreshed refreshing: actualizar,
reload reloaded reloading: actualizar, reorder reordered reordering: ordenar, reset reset resetting: restablecer,
resize resized resizing: ajustar, ring rang ringing: sonar, rotate rotated rotating: girar, skip skipped skipping: saltar,
unmute unmuted unmuting: activar`;

/** Nouns whose meaning changes when one of the listed words is in the sentence. */
export const NOUNS_BESIDE = `
demonstration: manifestación f; government part people police protest street streets
driver: controlador m; graphics hardware install kernel printer software update
goal: gol m; football goalkeeper soccer
party: parte f; agreement both contract contracting contracts third
key: tecla f; control enter escape hit hold keyboard press shift type
key: llave f; car door find forgot forget house leave left lock lose lost my pocket put room table
letter: letra f; alphabet capital character spell spelling word
performance: actuación f; applause audience actor concert dance dancers musicians orchestra phone stage theatre theater tonight
pepper: pimienta f; salt
room: habitación f; bed book hotel night sleep
bill: cuenta f; dinner dish drink lunch meal please restaurant waiter
cup: taza f; coffee tea
fish: pescado m; chicken cook dinner dish eat food lunch meat menu restaurant
form: formulario m; complete fill online register submit
nut: nuez f; allergic allergy contain contains eat food
present: regalo m; birthday bring brought bought buy christmas gave get give given got open wrap
order: pedido m; arrived arrive cancel cancelled confirmed delivered place placed sent ship shipped track your
speaker: altavoz m; audio cable headphone loud music sound volume
spring: fuente f; water
term: término m; accept agree condition conditions define service`;

const PERIODS = `
second seconds minute minutes hour hours day days week weeks month months year years`;

/** Nouns in `-ing`, which are not what one does. */
export const OFFERED = `
advertising boarding building clothing funding heating housing lighting marketing meeting packaging parking shipping training`;

/** What is free when it costs nothing. */
const FREE = `
access admission app breakfast delivery demo download entry parking registration sample shipping ticket transport trial version wifi`;

/** What works without working. */
const THINGS = `
app button camera card clock code computer conditioning connection elevator fridge heating feature internet keyboard lamp lift light link machine microphone password phone
printer radio remote server shower site sound system television toilet tv website wifi`;

export const DAYS = `Monday Tuesday Wednesday Thursday Friday Saturday Sunday`;

/** Prepositions of place, before which `be` is `estar`. */
export const PLACES = `in on under behind near inside between opposite`;

/** States, for which `be` is `estar`. */
export const STATES = `
alone angry available away married missing pregnant back busy closed dead empty excite full here include included inside lost open proud ready sick sure there tire tired`;

/** Verbs that are far more often a request than a noun at the beginning of a sentence. */
export const ORDERS = `
accept add allow ask bake boil bring browse build buy call cancel change check choose clean clear click close come
compare connect contact continue convert cook copy create cut delete disable discover do download drag drop edit eject
empty enable enjoy ensure enter explore fill find finish follow forget get give go help hide import insert
install invite join keep kill learn leave listen load look make manage meet merge mix move open paste pay peel play pour
press print publish put read refresh remember remove rename repeat replace reply reset restart restore
return rotate run save select sell send serve set shake share show sign skip speak start stay stir stop store submit switch take
tell try turn type unlock update upload use visit wait watch write`;

/** What programs have done when they say `Changes saved.` */
export const DONE = `
accept activate add approve block book cancel change clear close confirm connect copy create deactivate delete deliver deny
disable disconnect download edit enable export find import install invite lock lose move open pay post print publish receive
refund register reject remove rename reset restore save schedule select send share ship sign submit unlock update upload verify`;

/** Verbs with an irregular imperative: the rules can only form the third person, so the infinitive is used. */
export const IRREGULAR = `come do go have hold keep leave make put say set tell`;

/** Those whose imperative before a noun is in {@link CONSTRUCTED}. */
export const REQUESTED = `do hold keep leave make put set say`;

/** Words after which `to` precedes a verb. */
export const BEFORE_TO = `
able allow begin continue decide easy free glad go good happy hard have help hope how important like love
necessary need nice order plan possible ready start time try use want way wish`;

/** Translations of the unknown words that the source grammar makes. */
export const SAID = `
*afternoon: *buenas tardes, *evening: *buenas noches, *let: *vamos a, *me: *déjame, *see: *hasta,
*what: *lo que, *there: *allí, *all: *todos, *both: *ambos, *some: *algunos, *many: *muchos,
*neither: *ninguno, *or: *ni`;

/** Translations of the adverbs that the source grammar makes of constructions. */
export const CONSTRUCTED = `
a=bit=: un poco de, be=so=: sé, do=so=: haz, hold=so=: sujeta, keep=so=: guarda, keep=on=: mantén, leave=so=: deja, make=so=: haz,
put=so=: pon, set=so=: pon, say=so=: di, cannot=be=: no se puede, could=not=be=: no se pudo, the=more=first=: cuanto más, the=more=: más,
the=less=first=: cuanto menos, the=less=: menos, the=better=: mejor, what=like=: cómo, what=time=: a qué hora,
harder=: más duro, faster=: más rápido, fear=that=: me temo que, since=that=: desde que, to=work=: al trabajo, to=school=: a la escuela, to=bed=: a la cama, accustomed=to=: acostumbrado a, there=are=left=: quedan, there=is=left=: queda, there=were=left=: quedaban, there=was=left=: quedaba,
from=Monday=to=: de lunes a, from=Tuesday=to=: de martes a, from=Wednesday=to=: de miércoles a, from=Thursday=to=: de jueves a, from=Friday=to=: de viernes a, from=Saturday=to=: de sábado a, from=Sunday=to=: de domingo a,
 to=home=: a casa, from=home=: de casa, to=left=: a la izquierda, to=right=: a la derecha, make=sure=: asegúrate de que, in=case=: por si, look=forward=to=doing=: tengo ganas de,
whose=is=: de quién es, whose=are=: de quién son, anywhere=: en cualquier parte, feel=like=: me apetece, don't=feel=like=: no me apetece`;

/** What Spanish has where English is: `I am afraid`. */
export const HAD = `afraid: miedo, sleepy: sueño, thirsty: sed, lucky: suerte`;

/** The preterite of `can`. */
export const COULD = `I: pude, you: pudiste, he: pudo, she: pudo, it: pudo, we: pudimos, they: pudieron`;

export const MONTHS = `
January: enero, February: febrero, March: marzo, April: abril, May: mayo, June: junio, July: julio, August: agosto, September: septiembre,
October: octubre, November: noviembre, December: diciembre`;
export const SEASONS = `spring summer autumn winter`;

/** Hours, after `at` and without a noun. */
export const HOURS = `
two three four five six seven eight nine ten eleven twelve 2 3 4 5 6 7 8 9 10 11 12`;

export const PRONOUNS = `
I: p1 mf sg, you: p2 mf sp, he: p3 m sg, she: p3 f sg, it: p3 nt sg, we: p1 mf pl, they: p3 mf pl`;

/** Object pronouns and the subject pronouns of the same person. */
export const OBJECTS = `me: I, you: you, him: he, her: she, it: it, us: we, them: they`;

/** Spanish object pronouns; the second is an indirect object. */
export const CLITICS = `me: me, you: te, him: lo le, her: la le, it: lo, us: nos, them: los les`;

/** Verbs of wishing and of asking, whose object is the subject of an infinitive. */
export const WISHES = `want need expect prefer like`;
export const REQUESTS = `ask tell order beg advise encourage remind warn`;

/** Nouns of what is not counted, before which `some` is `un poco de`. */
export const MASS = `
advice air beer bread coffee food fruit help information meat milk money music news rice salt sugar tea water wine`;

/** Of whom or what somebody is the best: `the tallest boy in the class`. */
export const GROUPS = `
band building city class company country family group house league museum neighbourhood office room school shop team town village world`;

/** Verbs that end a sentence. */
export const INTRANSITIVE = `
agree appear arrive bark change crash cry die disappear exist fail fall fly happen help last laugh live matter occur ring rise sing sleep
smell stay stop swim talk wait walk win work`;

/** Persons, before whom an object has the preposition `a`. */
export const PEOPLE = `
aunt baby boss boy brother child colleague cousin customer dad daughter doctor employee enemy father friend girl girlfriend grandfather
grandmother grandparent guest guy husband king kid lawyer man manager mother mum neighbour neighbor nurse parent patient people person police policeman
president prisoner professor queen sister soldier son student teacher thief uncle user victim visitor voter waiter wife woman worker`;

/** Professions, which have no article after `be`. */
export const PROFESSIONS = `
actor architect artist baker carpenter chef cook dentist doctor driver engineer farmer journalist judge lawyer mechanic
musician nurse painter photographer pilot poet programmer scientist secretary singer soldier student teacher waiter writer`;

/** Participles of states that last, of which `be` makes no passive. */
export const LASTING = `
bore break close confuse connect convince cover disappoint dress excite fill frighten include interest locate lose marry please
prepare scare seat situate surprise surround tire worry`;

/** Negative imperatives, used where no object pronoun follows. */
export const FORBIDDEN = `
add: añadas, ask: preguntes, be: seas, believe: creas, buy: compres, call: llames, change: cambies, click: pulses,
close: cierres, come: vengas,
cry: llores, delete: elimines, do: hagas, drink: bebas, eat: comas, enter: entres, fight: luches,
forget: olvides, get: consigas, give: des,
disturb: molestes, exceed: superes, feed: alimentes, go: vayas, hesitate: dudes, ignore: ignores, install: instales, interrupt: interrumpas, keep: guardes, laugh: te rías, leave: dejes, lie: mientas, listen: escuches, look: mires, lose: pierdas,
make: hagas, miss: te pierdas, move: te muevas, open: abras, panic: te asustes, pay: pagues, play: juegues,
press: pulses,
put: pongas, read: leas, remove: quites, run: corras, say: digas, send: envíes, share: compartas,
save: guardes, shoot: dispares, show: muestres, skip: te saltes, smoke: fumes,
speak: hables, start: empieces, stay: te quedes, stop: pares, take: tomes, tell: digas, talk: hables, think: pienses,
throw: tires, touch: toques, trust: confíes,
try: intentes, unplug: desenchufes, use: uses, wait: esperes, wake: despiertes, walk: camines, worry: te preocupes, write: escribas`;

/** Words whose translation depends on their context: the entry, its part of speech, and the condition. */
export const CHOICES: readonly [entry: string, kind: string, condition?: string][] = [
  ['for: por', 'pr', '(-1 (ij))'],
  ['so: bueno', 'preadv', '(-1 (>>>)) (1 (cm))'],
  ['for: por', 'pr', '(-1 ("<thank=you=.*>"ri))'],
  ['at: a', 'pr', '(1 (num)) (2 ("<degree>"))'],
  ['time: hora f', 'n', '(-1 ("<what>"i))'],
  ['play: sonar', 'vblex', '(-1 ("<music>"))'],
  ['play: sonar', 'vblex', '(-1 ("<song>"))'],
  ['play: tocar', 'vblex', '(-1 ("<band>"))'],
  ['play: tocar', 'vblex', '(-1 ("<orchestra>"))'],
  ['ask: hacer', 'vblex', '(1 ("<question>"))'],
  ['ask: hacer', 'vblex', '(2 ("<question>"))'],
  ['to: para', 'pr', '(-1 ("<important>"))'],
  ['to: para', 'pr', '(1 (inf)) (-2 ("<too>"))'],
  ['to: para', 'pr', '(1 (inf)) (-1 ("<it=.*=too=hot=>"ri) OR ("<it=.*=too=cold=>"ri))'],
  ['ask: pedir', 'vblex', '(2 ("<to>") OR ("<that>"))'],
  ['ask: pedir', 'vblex', '(4 ("<that>"))'],
  [
    'play: tocar',
    'vblex',
    '(1* ("<guitar>") OR ("<piano>") OR ("<violin>") OR ("<instrument>") OR ("<drum>") OR ("<flute>") BARRIER VERB)',
  ],
  [
    'know: conocer',
    'vblex',
    '(-2 (rel)) (-3 ("<person>") OR ("<man>") OR ("<woman>") OR ("<place>"))',
  ],
  ['know: conocer', 'vblex', '(1 (prn p1) OR (prn p2) OR (obj f) OR (obj m))'],
  [
    'leave: salir',
    'vblex',
    '(1 (pr) OR (sent) OR (cm) OR (adv) OR (preadv) OR (cnjadv)) (NOT 1 ("<to>"))',
  ],
  ['leave: salir', 'vblex', '(-1 (vbhaver)) (-2 ("<n\'t>"))'],
  ['leave: salir', 'vblex', '(-1 ("<what=time=>"i) OR ("<when>"i) OR ("<where>"i))'],
  [
    'time: vez f',
    'n',
    '(-1 ("<first>"i) OR ("<second>"i) OR ("<last>"i) OR ("<next>"i) OR ("<every>"i) OR ("<each>"i) OR ("<this>"i) OR ("<many>"i) OR (num))',
  ],
  ['for: durante', 'pr', `(1 (num)) (2 ${anyOf(PERIODS)})`],
  ['for: por', 'pr', '(1 (num)) (2 ("<euro>") OR ("<dollar>") OR ("<pound>") OR ("<cent>"))'],
  ['for: durante', 'pr', `(1 (det ind)) (2 ${anyOf(PERIODS)})`],
  ['to: en', 'pr', '(-1 ("<be>"))'],
  ['at: a', 'pr', '(1 (inf))'],
  ['right: correcto', 'adj', '(-1 ("<be>"i))'],
  ['for: de', 'pr', '(-1 ("<responsible>"))'],
  ['form: formulario m', 'n', '(-1* ("<fill# out>"i) OR ("<fill# in>"i))'],
  ['for: por', 'pr', '(-1 ("<famous>") OR ("<known>"))'],
  ['term: término m', 'n', '(-1* ("<agree# to>"i) OR ("<agreement>"))'],
  ['free: gratuito', 'adj', `(0* ${anyOf(FREE)} BARRIER VERB)`],
  ['free: gratuito', 'adj', `(-1 (vbser)) (-2 ${anyOf(FREE)})`],
  ['happy: contento', 'adj', '(1 ("<with>"))'],
  [
    'take: llevar',
    'vblex',
    `(0* ("<hospital>") OR ("<airport>") OR ("<station>") OR ("<school>") BARRIER (cm) LINK -1* ("<to>") BARRIER VERB) (1* (prn obj) OR ${anyOf(PEOPLE)} OR NAME BARRIER (pr))`,
  ],
  [
    'take: llevar',
    'vblex',
    '(0* ("<hospital>") OR ("<airport>") OR ("<station>") OR ("<school>") BARRIER (cm) LINK -1* ("<to>") BARRIER VERB) (NOT 1 (det) OR (n) OR (num) OR (adj))',
  ],
  ['work: funcionar', 'vblex', '(1 ("<this>"i) OR ("<that>"i)) (2 (sent))'],
  [
    'work: funcionar',
    'vblex',
    '(-1* (prn nt) OR ("<this>"i) OR ("<that>"i prn tn) OR ("<that>"i cnjsub) OR ("<nothing>"i) OR ("<everything>"i) BARRIER (vblex) OR (n) OR (np) OR (adj) OR (prn) OR (rel) OR ("<to>") OR (cm) OR (sent))',
  ],
  ['work: funcionar', 'vblex', `(-1* ${anyOf(THINGS)} BARRIER PERSON OR (cm))`],
  ['work: funcionar', 'vblex', '(0 (ger)) (-1 ("<not>")) (NEGATE -1* PERSON)'],
  [
    'charge: cargar',
    'vblex',
    '(1* (prn obj nt) OR ("<battery>") OR ("<phone>") OR ("<laptop>") OR ("<car>") BARRIER VERB)',
  ],
  ['within: en', 'pr', '(1 (num))'],
  ['to: con', 'pr', '(-1 ("<speak>") OR ("<talk>") OR ("<speaking>") OR ("<talking>"))'],
  ['on: de', 'pr', '(-1 ("<depend>"))'],
  ['on: en', 'pr', '(-1 ("<agree>"))'],
  ['stop: dejar', 'vblex', '(1 (pr)) (2 (inf))'],
  ['keep: seguir', 'vblex', '(1 (ger))'],
  ['goal: gol m', 'n', '(-1* ("<score>") BARRIER (sent))'],
  ['at: a', 'pr', '(-1 ("<arrive>"))'],
  ['in: de', 'pr', `(-1 (n)) (-2 (adj)) (-3 ("<the>")) (2 ${anyOf(GROUPS)})`],
  ['in: a', 'pr', '(-1 ("<arrive>"))'],
  ['in: de', 'pr', '(-1 (n)) (-2 ("<best=>"i) OR ("<worst=>"i))'],
  ['for: durante', 'pr', `(1 ("<a few>")) (2 ${anyOf(PERIODS)})`],
  [
    'for: durante',
    'pr',
    `(1 (det)) (2 (num) OR ("<next=>") OR ("<last>")) (3* ${anyOf(PERIODS)} BARRIER VERB)`,
  ],
  ['doctor: médico m', 'n', '(NOT 1 (np)) (NOT -1 ("<dear>"i))'],
  ['order: pedir', 'vblex', '(NOT 1 (prn)) (NOT 3 ("<to>")) (NOT 0 (pp))'],
  ['enter: entrar', 'vblex', '(1 (sent) OR (pr) OR (cm))'],
  ['that: ese', 'det'],
  ['that: eso', 'prn sg'],
];

/** Returns the readings of words missing from the dictionary. */
export function newWordReadings(): string[] {
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
