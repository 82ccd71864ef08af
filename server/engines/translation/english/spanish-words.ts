/**
 * Words and phrases for the grammars from English to Spanish (`entriesOf` documents the format of a table): Debian's
 * dictionary makes a nail file of every file and the stone of a fruit of every stone.
 */
import { anyOf, entriesOf, inBothSizes } from '../grammars.ts';

/** Nouns that have one translation regardless of context, with its gender. */
export const NOUNS = `
student: estudiante mf, ability: habilidad f, address: dirección f, aim: objetivo m, anxiety: ansiedad f, argument: argumento m, article: artículo m,
arrangement: acuerdo m, attachment: archivo adjunto m, bag: bolsa f, badge: acreditación f, balance: equilibrio m, ball: pelota f,
band: grupo m, basin: cuenca f, beginning: principio m, bell: campana f, blank: espacio m, breakfast: desayuno m, board: tablero m,
border: frontera f, breast: pecho m, breath: respiración f, bug: error m, bulb: bombilla f, bunch: puñado m, cap: gorra f, capital: capital f,
card: tarjeta f, case: caso m, chance: oportunidad f, chest: pecho m, coach: entrenador m, coat: abrigo m,
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
seal: sello m, seat: asiento m, setting: configuración f, shell: concha f, sign: señal f, size: tamaño m,
skill: habilidad f, slide: diapositiva f, speaker: ponente mf, spirit: espíritu m, spring: primavera f,
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
reverse: invertir, rise: aumentar, run: correr, save: guardar, set: poner, shift: cambiar, ship: enviar, show: mostrar,
start: empezar, stop: parar, submit: enviar, try: intentar, upload: subir, use: usar, work: trabajar`;

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
bad: mal mala malos malas, best: mejor mejor mejores mejores, better: mejor mejor mejores mejores,
good: buen buena buenos buenas, great: gran gran grandes grandes, next: próximo próxima próximos próximas,
only: único única únicos únicas, own: propio propia propios propias, worse: peor peor peores peores,
worst: peor peor peores peores`;

/** Verbs whose particle or preposition changes their meaning and has no Spanish counterpart. */
export const WITH_PARTICLES = `
agree to: aceptar, blow up: explotar, bring back: devolver, bring up: mencionar, call back: llamar, call off: cancelar, carry on: continuar, check out: mirar, clean up: limpiar, come back: volver,
cut off: cortar, end up: acabar, drop off: dejar, figure out: descubrir, fill in: rellenar, fill out: rellenar,
find out: descubrir, get off: bajar, give back: devolver, give up: abandonar, go back: volver, go down: bajar, go out: salir, go up: subir, grow up: crecer, hand in: entregar, hand out: repartir,
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
attendee: participante mf, caption: subtítulo m, deletion: eliminación f, desktop: escritorio m, feedback: opinión f, filename: nombre m,
fool: idiota mf, graph: gráfico m, headset: auricular m, inbox: bandeja f, keynote: conferencia f, livestream: transmisión f, lobby: vestíbulo m, login: acceso m,
necromancer: brujo m, newsletter: boletín m, outpost: puesto m, quote: cita f, setup: configuración f, sidebar: barra f, smartphone: teléfono m,
startup: empresa f, subtitle: subtítulo m, takeaway: conclusión f, thumbnail: miniatura f, toolbar: barra f, transcript: transcripción f, username: usuario m,
workshop: taller m, workspace: espacio m`;

/** Verbs missing from the dictionary, with their past and `-ing` forms; it knows `click` only as a noun. */
export const NEW_VERBS = `
click clicked clicking: pulsar, embed embedded embedding: insertar, log logged logging: registrar,
maximize maximized maximizing: ampliar, mute muted muting: apagar, refresh refreshed refreshing: actualizar,
reload reloaded reloading: actualizar, reorder reordered reordering: ordenar,
resize resized resizing: ajustar, ring rang ringing: sonar, rotate rotated rotating: girar, skip skipped skipping: saltar,
unmute unmuted unmuting: activar`;

/** Nouns whose meaning changes when one of the listed words is in the sentence. */
export const NOUNS_BESIDE = `
demonstration: manifestación f; government part people police protest street streets
driver: controlador m; graphics hardware install kernel printer software update
key: tecla f; control enter escape hit hold keyboard press shift type
key: llave f; car door forgot forget house leave left lock lose lost my pocket room table
letter: letra f; alphabet capital character spell spelling word
performance: actuación f; applause audience actor concert dance dancers musicians orchestra phone stage theatre theater tonight
pepper: pimienta f; salt
room: habitación f; bed book hotel night sleep
bill: cuenta f; dinner dish drink lunch meal please restaurant waiter
cup: taza f; coffee tea
fish: pescado m; chicken cook dinner dish eat food lunch meat menu restaurant
form: formulario m; complete fill online register submit
nut: nuez f; allergic allergy contain contains eat food
present: regalo m; birthday bought buy christmas gave get give given got open wrap
order: pedido m; arrived arrive cancel cancelled confirmed delivered place placed sent ship shipped track your
speaker: altavoz m; audio cable headphone loud music sound volume
spring: fuente f; water
term: término m; accept agree condition conditions define service`;

const PERIODS = `
second seconds minute minutes hour hours day days week weeks month months year years`;

/** What works without working. */
const THINGS = `
app button camera card clock code computer conditioning connection elevator fridge heating feature internet keyboard lamp lift light link machine microphone password phone
printer radio remote server shower site sound system television toilet tv website wifi`;

export const DAYS = `Monday Tuesday Wednesday Thursday Friday Saturday Sunday`;

/** Prepositions of place, before which `be` is `estar`. */
export const PLACES = `in on under behind near inside between opposite`;

/** States, for which `be` is `estar`. */
export const STATES = `
alone angry available away married missing pregnant back busy closed dead empty full here inside lost open proud ready sick sure there tire tired`;

/** Verbs that are far more often a request than a noun at the beginning of a sentence. */
export const ORDERS = `
accept add allow ask bring browse build buy call cancel change check choose clean clear click close come
compare connect contact continue convert copy create cut delete disable discover do download drag drop edit eject
empty enable enjoy ensure enter explore fill find finish follow forget get give go help hide import insert
install invite join keep kill learn leave listen load look make manage meet merge move open paste pay play
press print publish put read refresh remember remove rename repeat replace reply reset restart restore
return rotate run save select sell send set share show sign skip speak start stay stop submit switch take
tell try turn type unlock update upload use visit wait watch write`;

/** Verbs with an irregular imperative: the rules can only form the third person, so the infinitive is used. */
export const IRREGULAR = `come do go have hold keep leave make put say set tell`;

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
a=bit=: un poco de, be=so=: sé, cannot=be=: no se puede, could=not=be=: no se pudo, the=more=first=: cuanto más, the=more=: más,
the=less=first=: cuanto menos, the=less=: menos, the=better=: mejor, what=like=: cómo, what=time=: a qué hora,
harder=: más duro, faster=: más rápido, fear=that=: me temo que, since=that=: desde que, to=work=: al trabajo, to=school=: a la escuela, to=bed=: a la cama, accustomed=to=: acostumbrado a, to=home=: a casa, from=home=: de casa, to=left=: a la izquierda, to=right=: a la derecha, make=sure=: asegúrate de que, in=case=: por si, look=forward=to=doing=: tengo ganas de,
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
bore break close confuse connect convince cover disappoint dress excite fill frighten interest locate lose marry please
prepare scare seat situate surprise surround tire worry`;

/** Phrases that the target says in another way; {@link phraseRules} describes how they are written. */
export const SAID_OTHERWISE = `
all along $: desde el principio, when you are_ready: cuando estés listo, they love each other: se quieren, we love each other: nos queremos,
they know each other: se conocen, do they know each other: se conocen, we know each other: nos conocemos, they help each other: se ayudan, each other: el uno al otro,
more_and_more: cada vez más, from home: desde casa, away from home: lejos de casa, far from home: lejos de casa,
^ keep going_straight_ahead: sigue recto, on one hand: por un lado, she broke her leg: se rompió la pierna, he broke his leg: se rompió la pierna, I broke my leg: me rompí la pierna, she broke her arm: se rompió el brazo, he broke his arm: se rompió el brazo, I broke my arm: me rompí el brazo, ^ be patient: ten paciencia, ^ get up: levántate, ^ call an ambulance: llama a una ambulancia, ^ call the police: llama a la policía,
^ call a taxi: llama a un taxi, ^ call a doctor: llama a un médico, where does it hurt: dónde te duele,
a happy new year: un feliz año nuevo, 's raining cats and dogs: llueve a cántaros, sales have doubled: las ventas se han duplicado,
I would like to: me gustaría, we would like to: nos gustaría, I 'd like to: me gustaría,
we 'd like to: nos gustaría, ^ tell him to: dile que, ^ tell her to: dile que, ^ tell them to: diles que, ^ ask him to: pídele que,
^ ask her to: pídele que, ^ ask them to: pídeles que, ^ tell me: dime, ^ tell us: dinos, ^ tell him: dile, ^ tell her: dile, ^ tell them: diles, ^ send me: envíame,
^ send us: envíanos, ^ give me: dame, ^ give us: danos, ^ give him: dale, ^ give her: dale, ^ give them: dales,
^ give it to me: dámelo, ^ show me: muéstrame, ^ show us: muéstranos, ^ help me: ayúdame, ^ help us: ayúdanos,
^ help him: ayúdale, ^ help her: ayúdala, ^ help them: ayúdales, ^ call me: llámame, ^ call us: llámanos,
^ follow me: sígueme, ^ follow us: síguenos, ^ forgive me: perdóname, ^ trust me: créeme, ^ believe me: créeme,
^ wait for me: espérame, ^ bring me: tráeme, ^ ask me: pregúntame, ^ ask him: pregúntale, ^ ask her: pregúntale,
^ write to me: escríbeme, ^ let me know: avísame, ^ join us: únete a nosotros, ^ visit us: visítanos,
^ look at me: mírame, ^ listen to me: escúchame, ^ do it: hazlo, ^ try it: pruébalo, ^ take it: tómalo,
^ leave it: déjalo, ^ open it: ábrelo, ^ use it: úsalo, ^ forget it: olvídalo,
^ leave me alone: déjame en paz, ^ try again: inténtalo de nuevo, ^ keep going: sigue adelante,
I don't think_so: creo que no, I think_so: creo que sí, I hope so: eso espero, I hope not: espero que no,
what to do: qué hacer,
^ thank_you for joining us: gracias por acompañarnos, and thank_you for joining us: y gracias por acompañarnos,
^ take your seats: tomen asiento, in the back $: al fondo, at the back $: al fondo, any questions: alguna pregunta,
could you please: podrías por favor, can you please: puedes por favor, would you please: podrías por favor,
what is the weather like: qué tiempo hace, what 's the weather like: qué tiempo hace, I am thirsty: tengo sed, I 'm thirsty: tengo sed,
than that one: que ese, than this one: que este, what are you talking about: de qué estás hablando,
^ an error occurred: se ha producido un error,
^ an error has occurred: se ha producido un error, ^ by using: al usar, ^ all rights reserved: todos los derechos reservados, free shipping: envío gratuito, on orders over: en pedidos superiores a,
^ stay here: quédate aquí, ^ stay at home: quédate en casa, ^ stay with: quédate con, I would rather stay: preferiría quedarme,
what is the matter: qué pasa, what 's the matter: qué pasa,
for being here: por estar aquí, for being with us: por estar con nosotros, it is a great pleasure to: es un gran placer,
it 's a great pleasure to: es un gran placer, it is a pleasure to: es un placer, it 's a pleasure to: es un placer,
the_most important thing: lo más importante, the best thing: lo mejor, the worst thing: lo peor, the only thing: lo único, the first thing: lo primero,
I hope you enjoyed: espero que hayáis disfrutado de, a_short break: una breve pausa, ^ have you ever been to: has estado alguna vez en,
^ how was your: qué tal tu, ^ how were your: qué tal tus, ^ shall we go $: nos vamos, ^ shall we start $: empezamos, ^ shall we begin $: empezamos,
^ reset your password: restablece tu contraseña, ^ save changes $: guardar cambios, ^ settings $: configuración, page not found $: página no encontrada,
^ proceed to checkout: finalizar compra, your cart: tu carrito, drag and drop files: arrastra y suelta archivos, is required $: es obligatorio, drag and drop: arrastra y suelta, on social media: en las redes sociales,
social media: redes sociales, don't be late: no llegues tarde, don't be afraid: no tengas miedo, don't worry about: no te preocupes por, don't worry about it: no te preocupes por eso,
don't tell anyone: no se lo digas a nadie, don't tell anybody: no se lo digas a nadie, wash your hands: lávate las manos, brush your teeth: cepíllate los dientes, mind the gap: cuidado con el hueco,
mind the step: cuidado con el escalón, mind your head: cuidado con la cabeza, ^ keep out_of reach of children: mantener fuera del alcance de los niños, luggage unattended: equipaje desatendido, to sign up: registrarte, out_of reach of children: fuera del alcance de los niños, returns and refunds: devoluciones y reembolsos,
returns and exchanges: devoluciones y cambios, let me walk you through: permitidme explicaros, ^ push $: empujar, ^ pull $: tirar,
dear mr.: estimado señor, dear mr: estimado señor, dear mrs.: estimada señora, dear mrs: estimada señora, dear ms.: estimada señora, dear ms: estimada señora, dear dr.: estimado doctor, dear dr: estimado doctor, dear customer: estimado cliente,
what do you think about this $: qué piensas de esto, it 's cold outside: hace frío fuera, it is cold outside: hace frío fuera, it 's cold in here: aquí hace frío, it 's hot in here: aquí hace calor,
how are things: qué tal, last spring: la primavera pasada, last summer: el verano pasado, last autumn: el otoño pasado, last winter: el invierno pasado, next spring: la próxima primavera, next summer: el próximo verano, next autumn: el próximo otoño, next winter: el próximo invierno,
we meet on: nos reunimos los, ^ subscribe to our newsletter: suscríbete a nuestro boletín, ^ frequently asked questions: preguntas frecuentes,
^ log in $: iniciar sesión, ^ log out $: cerrar sesión, ^ sign in $: iniciar sesión, ^ sign out $: cerrar sesión, ^ log in to: inicia sesión en,
^ sign in to: inicia sesión en, ^ sort by: ordenar por, ^ show all $: mostrar todo, ^ show more $: mostrar más, ^ view all $: ver todo,
^ copy link $: copiar enlace, ^ turn on notifications: activa las notificaciones, ^ next $: siguiente, ^ previous $: anterior, ^ search $: buscar,
^ read more $: leer más, ^ open in a new window $: abrir en una ventana nueva, ^ open in a new tab $: abrir en una pestaña nueva,
^ terms and conditions $: términos y condiciones, ^ sign up for free: regístrate gratis,
^ best regards: saludos cordiales, ^ kind regards: un cordial saludo, ^ best wishes: mis mejores deseos, the best I can: lo mejor que puedo,
^ raise your hand: levanta la mano, ^ raise your hands: levantad la mano, for the inconvenience: por las molestias,
for any inconvenience: por las molestias, than me: que yo, than you $: que tú, than him: que él, than us: que nosotros, than them: que ellos,
I would rather: preferiría, we would rather: preferiríamos, I 'd rather: preferiría, we 'd rather: preferiríamos,
I wish I had: ojalá tuviera, I wish we had: ojalá tuviéramos, I wish I were: ojalá fuera, I wish you were: ojalá estuvieras,
^ do you mind if: te importa si, would you mind if: te importaría si, ^ let 's go to: vamos a,
neither of: ninguno de, how far is: a qué distancia está, how far are: a qué distancia están,
I have nothing to: no tengo nada que, there is nothing to: no hay nada que,
let 's take a look at: echemos un vistazo a, ^ take a look at: echa un vistazo a,
let me introduce myself: permitidme que me presente, on the left $: a la izquierda, on the right $: a la derecha,
a warm welcome to: una calurosa bienvenida a, I wish I could: ojalá pudiera, next door: al lado,
it 's getting late: se hace tarde, it is getting late: se hace tarde, I was born: nací, was born: nació,
were born: nacieron, they were born: nacieron, we were born: nacimos, you were born: naciste, were you born: naciste, god loves you: Dios te ama, let us pray: oremos, peace be with you: la paz sea contigo,
you are not allowed to: no tienes permiso para, looking_forward_to: deseando, most people: la mayoría de la gente, climate change: el cambio climático,
a round of applause: un aplauso, ^ add to cart: añadir al carrito,
are you sure you want_to: estás seguro de que quieres, at the moment: en este momento,
^ be careful: ten cuidado, by the way: por cierto, ^ contact us $: contacta con nosotros,
^ excuse me: perdona, feel free to: no dudes en, ^ good luck: buena suerte, ^ good night: buenas noches,
^ goodbye: adiós, ^ forgot your password: has olvidado tu contraseña,
^ I agree_with you: estoy de acuerdo contigo, ^ I like_this $: me gusta esto,
^ learn more $: más información, ^ let us know $: avísanos, ^ let us know what: dinos qué,
^ no results found: no se han encontrado resultados, ^ sign up $: regístrate, ^ sign up now: regístrate ahora, ^ sign up here: regístrate aquí, ^ sign up today: regístrate hoy, ^ sign up for: apúntate a,
^ happy birthday: feliz cumpleaños, ^ happy new year: feliz año nuevo, ^ have a nice day: que tengas un buen día,
^ how old are you: cuántos años tienes, it 's cold: hace frío, it is cold: hace frío, it 's hot: hace calor,
it is hot: hace calor,
it 's very cold: hace mucho frío, it is very cold: hace mucho frío, it 's very hot: hace mucho calor,
it is very hot: hace mucho calor,
last month: el mes pasado, last night: anoche, last week: la semana pasada, last year: el año pasado,
next month: el mes que viene, next week: la semana que viene, next year: el año que viene,
^ never mind: no importa, ^ nice to meet you: encantado de conocerte, ^ no problem: no hay problema,
^ sorry $: lo siento, I 'm_sorry: lo siento, I am_sorry: lo siento, I 'm_very_sorry: lo siento mucho, I am_very_sorry: lo siento mucho,
I 'm so sorry: lo siento mucho, I am so sorry: lo siento mucho, I 'm really sorry: lo siento mucho, I am really sorry: lo siento mucho,
we 're_sorry: lo sentimos, we are_sorry: lo sentimos, I 'm_sorry to: siento, I am_sorry to: siento, I 'm_sorry that: siento que,
I am_sorry that: siento que,
thank_you all: gracias a todos, thank_you everyone: gracias a todos, thanks everyone: gracias a todos,
there is nobody: no hay nadie, there is nothing: no hay nada,
there 's nobody: no hay nadie, there 's nothing: no hay nada,
good_morning everyone: buenos días a todos, good afternoon everyone: buenas tardes a todos,
good evening everyone: buenas noches a todos,
hello everyone: hola a todos, hi everyone: hola a todos, welcome everyone: bienvenidos todos,
and welcome $: y bienvenidos,
^ welcome $: bienvenidos, ^ welcome to: bienvenidos a, ^ welcome back: bienvenidos de nuevo, ^ well done: bien hecho,
what time is it: qué hora es, a friend of mine: un amigo mío, friends of mine: amigos míos, a friend of yours: un amigo tuyo,
a friend of ours: un amigo nuestro, a colleague of mine: un colega mío, out_of battery: sin batería, out_of stock: agotado,
we are running out_of: nos estamos quedando sin, we 're running out_of: nos estamos quedando sin, I am running out_of: me estoy quedando sin,
I 'm running out_of: me estoy quedando sin, you are running out_of: te estás quedando sin, you 're running out_of: te estás quedando sin, we ran out_of: nos quedamos sin,
I ran out_of: me quedé sin, what you mean: lo que quieres decir, what do you mean: qué quieres decir, what I mean: lo que quiero decir,
what does this mean: qué significa esto, what does that mean: qué significa eso,
I 'm not sure what: no estoy seguro de lo que, I am not sure what: no estoy seguro de lo que, I 'm not sure what you mean: no estoy seguro de lo que quieres decir, I 'm not sure if: no estoy seguro de si,
thanks_for: gracias por, I'd rather stay: preferiría quedarme, I'd rather: preferiría, we'd rather: preferiríamos, there's nothing: no hay nada, there's nobody: no hay nadie,
there's nothing to: no hay nada que, in my place: en mi lugar, in your place: en tu lugar, if I were you: yo en tu lugar,
it 's too hot: hace demasiado calor, it is too hot: hace demasiado calor, it 's too cold: hace demasiado frío, it is too cold: hace demasiado frío,
it 's so hot: hace tanto calor, it 's so cold: hace tanto frío, had a great time: lo pasó muy bien, we had a great time: lo pasamos muy bien, I had a great time: lo pasé muy bien,
they had a great time: lo pasaron muy bien, we had a good time: lo pasamos bien, I had a good time: lo pasé bien, ^ have a good time: pásalo bien, ^ have a great time: pásalo muy bien,
^ have fun: diviértete, we had fun: nos divertimos, it took me: tardé, it took us: tardamos, it took him: tardó, it took her: tardó, it took them: tardaron,
for ages $: desde hace siglos, that sounds good: eso suena bien, that looks good: eso tiene buen aspecto, that sounds great: eso suena genial, tastes good: sabe bien, smells good: huele bien, sounds good: suena bien, looks good: tiene buen aspecto,
tastes great: sabe genial, sounds great: suena genial, looks great: tiene muy buen aspecto, tastes like: sabe a, smells like: huele a,
would you mind: te importaría, do you mind: te importa, none of your business: asunto tuyo, everything will be fine: todo irá bien, it will be fine: irá bien, I will be fine: estaré bien, I'll be fine: estaré bien, you will be fine: estarás bien, you'll be fine: estarás bien,
he will be fine: estará bien, she will be fine: estará bien, we will be fine: estaremos bien, we'll be fine: estaremos bien, you had a great time: lo pasaste muy bien, you got_married: te casaste,
I don't get_along $: no me llevo bien, he doesn't get_along $: no se lleva bien, she doesn't get_along $: no se lleva bien, they can't afford: no se pueden permitir, you can't afford: no te puedes permitir, everything is fine: todo está bien,
I 'm fine: estoy bien, I am fine: estoy bien,  at the traffic lights: en el semáforo, traffic lights: semáforo, traffic light: semáforo,
^ make sure to: asegúrate de,
how_much does it cost to: cuánto cuesta, am getting_married: me caso, 'm getting_married: me caso, is getting_married: se casa, are getting_married: se casan,
we are getting_married: nos casamos, got_married: se casó, I got_married: me casé, we got_married: nos casamos, they got_married: se casaron,
^ please sit_down: siéntate por favor, ^ sit_down: siéntate, ^ please have a seat: toma asiento por favor, ^ get up: levántate, ^ go_on: continúa, ^ calm_down: cálmate,
^ hurry up: date prisa, ^ go away: vete, ^ stand_up: ponte de pie, ^ shut up: cállate, can't afford: no se puede permitir, I can't afford: no me puedo permitir, we can't afford: no nos podemos permitir,
on my way: de camino, on our way: de camino, on his way: de camino, on her way: de camino, my name is: me llamo, changed my mind: cambiado de opinión, I changed my mind: cambié de opinión,
I have a sore throat: me duele la garganta, I have a headache: me duele la cabeza, I have a stomachache: me duele el estómago, my head hurts: me duele la cabeza, my back hurts: me duele la espalda,
my leg hurts: me duele la pierna, my stomach hurts: me duele el estómago, my throat hurts: me duele la garganta, my foot hurts: me duele el pie, my feet hurt: me duelen los pies,
for a living: para ganarte la vida, twice a day: dos veces al día, I feel sick: me encuentro mal, I 'm not feeling well: no me encuentro bien, I don't feel well: no me encuentro bien, you don't look well: no tienes buen aspecto, ^ have a good trip: buen viaje, ^ have a safe trip: buen viaje, ^ enjoy your meal: buen provecho, ^ cheers $: salud, ^ congratulations on: felicidades por, ^ happy anniversary: feliz aniversario,
^ merry christmas: feliz Navidad, I 'm only joking: es broma, I 'm joking: es broma, I 'm just kidding: es broma,  fell asleep: se quedó dormido, they fell asleep: se quedaron dormidos,
how often: con qué frecuencia, don't get_along $: no se llevan bien, we don't get_along $: no nos llevamos bien, what to say: qué decir, what to think: qué pensar, whenever you like: cuando quieras, if you like $: si quieres, as you like: como quieras, on the other hand: por otro lado,
I look_forward_to hearing from you: espero tu respuesta, we look_forward_to hearing from you: esperamos tu respuesta, hand over to: ceder la palabra a, it is an honour to: es un honor, it 's an honour to: es un honor,
it is an honor to: es un honor, it 's an honor to: es un honor, after a_short break: después de una breve pausa, we are facing: nos enfrentamos a, we 're facing: nos enfrentamos a, I am facing: me enfrento a,
they are facing: se enfrentan a, all of us $: a todos nosotros, for the first time: por primera vez, for the second time: por segunda vez, for the third time: por tercera vez, for the last time: por última vez,
will come into force: entrará en vigor, comes into force: entra en vigor, came into force: entró en vigor, a little girl: una niña, a little boy: un niño,
to taste $: al gusto, free delivery: envío gratuito, on all orders over: en todos los pedidos superiores a, ^ sold out $: agotado, ^ buy now $: comprar ahora, ^ subscribe to: suscríbete a,
^ please find attached: adjunto, ^ dear sir or madam $: estimado señor o señora, ^ dear sir $: estimado señor, ^ dear madam $: estimada señora, ^ dear friends $: queridos amigos, ^ dear colleagues $: estimados colegas,
what time suits you: a qué hora te viene bien, once upon a time there was: érase una vez, once upon a time: érase una vez, happily ever after: felices para siempre, ^ what 's wrong $: qué pasa,
what 's wrong with you: qué te pasa, everything is going to be alright: todo va a ir bien, everything is going to be fine: todo va a ir bien, everything will be alright: todo irá bien,
you are on mute: tienes el micrófono apagado, you 're on mute: tienes el micrófono apagado, ^ is this working $: funciona esto, any other questions: alguna otra pregunta, at noon: al mediodía,
at midnight: a medianoche, ^ join the meeting: únete a la reunión, ^ join the event: únete al evento, ^ join the room: entra en la sala, in the event of: en caso de, ^ is this seat taken: está ocupado este asiento, what happened to: qué le pasó a, ^ let 's meet: quedemos, ^ let 's have lunch: comamos, ^ let 's have dinner: cenemos,
to get some sleep: dormir un poco, I 'm sorry to: siento, I am sorry to: siento, how_long does it take to: cuánto se tarda en,
it was nice talking to you: ha sido un placer hablar contigo, it was nice meeting you: ha sido un placer conocerte, it was nice to meet you: ha sido un placer conocerte,
I miss you: te echo de menos, we miss you: te echamos de menos, I missed you: te eché de menos, I'll miss you: te echaré de menos, I will miss you: te echaré de menos,
^ keep_in_touch: seguimos en contacto, it 's up_to you: depende de ti, it is up_to you: depende de ti, you'd better: deberías, we'd better: deberíamos, I'd better: debería,
by bike: en bici, by bicycle: en bicicleta, by bus: en autobús, by car: en coche, by train: en tren, by plane: en avión, by taxi: en taxi, by boat: en barco, on foot: a pie,
can I try this on: puedo probarme esto, can I try it on: puedo probármelo, can I try them on: puedo probármelos,
it 's sunny: hace sol, it is sunny: hace sol, it was sunny: hacía sol, it 's windy: hace viento, it is windy: hace viento,
it was windy: hacía viento, it was hot: hacía calor, it was very hot: hacía mucho calor, it was cold $: hacía frío, it was very cold: hacía mucho frío,
 ^ look out: cuidado, ^ watch out: cuidado, ^ let 's go out: salgamos,
went wrong: salió mal, you are welcome: de nada, you 're welcome: de nada, what 's your name: cómo te llamas,
what is your name: cómo te llamas`;

/** Negative imperatives, used where no object pronoun follows. */
export const FORBIDDEN = `
add: añadas, ask: preguntes, be: seas, believe: creas, buy: compres, call: llames, change: cambies, click: pulses,
close: cierres, come: vengas,
cry: llores, delete: elimines, do: hagas, drink: bebas, eat: comas, enter: entres, fight: luches,
forget: olvides, get: consigas, give: des,
disturb: molestes, exceed: superes, feed: des de comer, go: vayas, hesitate: dudes, ignore: ignores, install: instales, interrupt: interrumpas, keep: guardes, laugh: te rías, leave: dejes, lie: mientas, listen: escuches, look: mires, lose: pierdas,
make: hagas, miss: te pierdas, move: te muevas, open: abras, panic: te asustes, pay: pagues, play: juegues,
press: pulses,
put: pongas, read: leas, remove: quites, run: corras, say: digas, send: envíes, share: compartas,
save: guardes, shoot: dispares, show: muestres, skip: te saltes, smoke: fumes,
speak: hables, start: empieces, stay: te quedes, stop: pares, take: tomes, tell: digas, talk: hables, think: pienses,
throw: tires, touch: toques, trust: confíes,
try: intentes, unplug: desenchufes, use: uses, wait: esperes, walk: camines, worry: te preocupes, write: escribas`;

/** The same of verbs with a particle. */
export const FORBIDDEN_WITH_PARTICLES = `
come back: vuelvas, fall asleep: te duermas, get up: te levantes, give up: te rindas, go away: te vayas, go back: vuelvas, go out: salgas, hang up: cuelgues,
hold on: esperes, log in: inicies sesión, log out: cierres sesión, look at: mires, pick up: recojas, put on: te pongas, run away: huyas, shut down: apagues,
sign in: inicies sesión, sign out: cierres sesión, sit_down: te sientes, slow down: vayas más despacio, stand_up: te levantes, switch off: apagues, switch on: enciendas,
take off: te quites, throw away: tires, turn off: apagues, turn on: enciendas, wake up: despiertes`;

/** Words whose translation depends on their context: the entry, its part of speech, and the condition. */
export const CHOICES: readonly [entry: string, kind: string, condition?: string][] = [
  ['for: por', 'pr', '(-1 (ij))'],
  ['for: por', 'pr', '(-1 ("<thank=you=.*>"ri))'],
  ['at: a', 'pr', '(1 (num)) (2 ("<degree>"))'],
  ['time: hora f', 'n', '(-1 ("<what>"i))'],
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
  ['know: conocer', 'vblex', '(1 (prn p1) OR (prn p2))'],
  [
    'leave: salir',
    'vblex',
    '(1 (pr) OR (sent) OR (cm) OR (adv) OR (preadv) OR (cnjadv)) (NOT 1 ("<to>"))',
  ],
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
  ['work: funcionar', 'vblex', '(1 ("<this>"i) OR ("<that>"i)) (2 (sent))'],
  ['work: funcionar', 'vblex', '(-1 (prn nt) OR ("<this>"i) OR ("<that>"i))'],
  ['work: funcionar', 'vblex', `(-1* ${anyOf(THINGS)} BARRIER PERSON OR (cm))`],
  ['work: funcionar', 'vblex', '(0 (ger)) (-1 ("<not>")) (NEGATE -1* PERSON)'],
  ['to: con', 'pr', '(-1 ("<speak>") OR ("<talk>") OR ("<speaking>") OR ("<talking>"))'],
  ['on: de', 'pr', '(-1 ("<depend>"))'],
  ['on: en', 'pr', '(-1 ("<agree>"))'],
  ['stop: dejar', 'vblex', '(1 (pr)) (2 (inf))'],
  ['keep: seguir', 'vblex', '(1 (ger))'],
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
