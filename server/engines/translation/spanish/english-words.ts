/**
 * Words and phrases for the grammars from Spanish to English (`entriesOf` documents the format of a table), and the
 * target grammar, which chooses English words: Debian's dictionary makes a squad of every team and an archive of
 * every file.
 */
import { anyOf, DELIMITERS, entriesOf, inBothSizes, indexed, phraseRules } from '../grammars.ts';

const NOUNS = `
acuerdo: agreement, almuerzo: lunch, amigo: friend, archivo: file, asunto: matter, autorización: permission,
avión: plane, baño: bathroom, billete: ticket, bloqueo: lock, bolsa: bag, borde: edge, brillo: brightness,
búsqueda: search, cantidad: amount, característica: feature, carrera: career, carta: letter, cielo: sky,
cita: appointment, correo: email,
cliente: customer, cocina: kitchen, color: colour, comentario: comment, compañero: colleague, comida: food,
conferencia: conference,
daño: damage, dedo: finger, destino: destination, dirección: address, dominio: domain, edificio: building,
efectivo: cash, encuesta: survey, ensayo: essay, entorno: environment, equipo: team, escenario: stage, esfuerzo: effort,
estación: station, estudio: study, factura: invoice, fallo: failure, falta: lack, final: end, firma: signature,
fondo: background, gafa: glass, gestor: manager, golpe: blow, hoja: sheet, informe: report, investigación: research,
jornada: day, juego: game, lengua: language, libertad: freedom, listado: list, maleta: suitcase, marioneta: puppet, marca: brand,
meta: goal, metro: metre, modo: mode,
montón: pile, objetivo: goal, orden: order, panel: panel, pantano: swamp, papel: paper, pantalla: screen,
par: couple, párrafo: paragraph,
partido: party, pedido: order, pestaña: tab, piso: floor, plantilla: template, plazo: deadline, ponencia: talk, ponente: speaker, presentador: presenter, profesor: teacher,
política: policy, portada: cover, principio: beginning, prueba: test, puesto: position, red: network, reloj: clock,
respaldo: backup, resumen: summary, salida: exit, sello: stamp, sitio: site,
suelo: floor, sueño: dream, tarde: afternoon, tasa: rate, teléfono: phone, tema: topic, tienda: shop,
vista: view, vistazo: look`;

const VERBS = `
activar: activate, alcanzar: reach, andar: walk, apoyar: support, arrastrar: drag, aumentar: increase,
borrar: delete, cargar: load,
coincidir: match, comenzar: start, comprender: understand, contar: tell, dedicar: devote, desplazar: move,
detener: stop, echar: throw, elegir: choose, empezar: start, enfrentar: face,
entrar: enter, evitar: avoid, invertir: invest, iniciar: start, llevar: take, lograr: achieve, luchar: fight,
mandar: send,
mantener: keep, mejorar: improve, navegar: browse, observar: observe, parecer: seem, partir: leave, pelear: fight,
poner: put, preocupar: worry, pretender: intend, quedar: stay, quitar: remove, realizar: perform, recoger: collect,
reproducir: play, revisar: check, rogar: beg, salir: leave, señalar: indicate,
soportar: support, superar: overcome, terminar: finish, tratar: treat, visualizar: view, volver: return`;

/** Verbs whose translation has a particle, which the generator does not know. */
export const WITH_PARTICLES = `
apagar: turn off, averiguar: find out, despertar: wake up, encender: turn on, rellenar: fill in,
sacar: take out, levantarse=: get up, despertarse=: wake up, sentarse=: sit down`;

const ADJECTIVES = `
aburrido: boring, alto: high sint, amable: kind sint, antiguo: old sint, anterior: previous, débil: weak sint, enfermo: sick sint, grave: serious, personalizado: custom, superior: upper`;

const ADVERBS = `
generalmente: usually, luego: then, correctamente: correctly`;

/** Nouns whose meaning changes when one of the listed words is in the sentence. */
const NOUNS_BESIDE = `
equipo: computer; actualización apagar archivo arrancar cable carpeta conectar disco encender escritorio impresora instalar
 linux memoria pantalla puerto red software teclado usb usuario windows
entrada: post; blog comentario publicar sitio web
partido: match; equipo fútbol ganar gol jugador jugar marcar tenis ver
tema: theme; activar blog instalar plantilla web wordpress plugin
controlador: driver; dispositivo gráfico hardware impresora inalámbrico instalar tarjeta linux`;

/** Nouns missing from the dictionary, with their gender. */
const NEW_NOUNS = `
aldea f: village, batería f: battery, cabecera f: header,
papelera f: bin, pulsación f: press, señor m: sir`;

/** Regular `-ar` verbs missing from the dictionary. */
const NEW_VERBS = `
caducar: expire, desactivar: disable, minimizar: minimise, renombrar: rename,
reiniciar: restart, teclear: type`;

/** Verbs with an imperative that is also a present form: a request at the beginning of a sentence. */
export const ORDERS = `
abrir activar actualizar añadir apagar arrastrar bajar asegurar buscar cambiar cerrar comprobar conectar configurar consultar copiar
crear decir dejar elegir eliminar empezar encender enviar escribir esperar guardar hacer imprimir iniciar instalar introducir leer
mirar mostrar mover pegar pensar poner presionar probar pulsar revisar seguir seleccionar subir usar utilizar ver visitar`;

/** Verbs that only persons are the subject of. */
export const PERSONAL = `
aprender andar ayudar bailar beber besar caminar cantar cocinar comer comprar conocer creer decidir decir dormir elegir
escribir escuchar estudiar explicar hablar intentar jugar leer llamar mirar morir nacer odiar olvidar pagar pedir
pensar preguntar prometer querer recordar reír responder saber sentir trabajar vender ver viajar vivir volver`;

/** Verbs whose reflexive form is a passive. */
export const PASSIVE = `
abrir actualizar añadir aplicar aprobar borrar buscar cargar cerrar comprobar comprar conocer considerar construir copiar crear
decir definir descargar ejecutar eliminar encontrar enviar escribir establecer guardar hablar iniciar instalar mantener modificar
mostrar mover necesitar obtener ocultar ofrecer permitir presentar producir publicar realizar recomendar recuperar registrar reproducir
requerir restaurar seleccionar servir tratar usar utilizar vender ver`;

/** States that Spanish expresses with `tener`, English with `be`. */
export const STATES = `
calor: hot, miedo: afraid, prisa: in a hurry, razón: right, sed: thirsty, sueño: sleepy, suerte: lucky`;

/** Translations of the unknown words that the source grammar makes. */
const SAID = `
*de: *all right, *buenas: *good, *tardes: *afternoon, *noches: *evening, *llamo: *is, *me: *my name, *llamas: *name,
*te: *your, *cómo: *what is, *media: *thirty`;

/** English words that the source grammar adds. They travel as question adverbs, which transfer keeps in place. */
const INSERTED = `
ago: ago adv, are: be vbser pres, at: at pr, can: can vaux pres, could: can vaux past, did: do vbdo past, how: how adv itg, just: just adv, us: prpers prn obj p1 mf pl, yet: yet adv, anymore: anymore adv, both: both adv, be: be vbser inf, and: and cnjcoo, down: down adv,
you: prpers prn obj p2 mf sp,
do: do vbdo pres, does: do vbdo pri p3 sg,
have: have vbhaver pres, in: in pr, is: be vbser pri p3 sg, it: prpers prn obj p3 nt sg, never: never adv,
not: not adv, off: off adv, on: on adv, out: out adv, really: really adv, than: than cnjcoo, to: to pr,
up: up adv, was: be vbser past p3 sg, were: be vbser past`;

/** Subject pronouns by the person of the verb. */
export const SUBJECTS = `
yo: p1 mf sg, tú: p2 mf sg, nosotros: p1 m pl, vosotros: p2 m pl`;

const ENDINGS = `
ar: inf, ando: ger, ado: pp m sg, ada: pp f sg, ados: pp m pl, adas: pp f pl, o: pri p1 sg, as: pri p2 sg, a: pri p3 sg,
a: imp p2 sg, amos: pri p1 pl, an: pri p3 pl, é: ifi p1 sg, aste: ifi p2 sg, ó: ifi p3 sg, amos: ifi p1 pl,
aron: ifi p3 pl,
e: prs p3 sg, e: imp p3 sg, en: prs p3 pl, es: prs p2 sg, en: imp p3 pl, emos: prs p1 pl, ará: fti p3 sg,
aré: fti p1 sg, aba: pii p3 sg,
arás: fti p2 sg, arán: fti p3 pl`;

/** What is liked in general: English has no article. */
export const GENERAL = `
arte café carne cerveza chocolate cine deporte fruta fútbol leche música naturaleza pan pescado playa poesía queso teatro té vino`;

/** Verbs that questions ask of things: `¿Cuándo abre la tienda?` */
export const ASKED_OF_THINGS = 'abrir cerrar comenzar empezar llegar salir terminar';

/** Verbs of appearing, which stand before their subject. */
export const COMING = 'aparecer empezar llegar ocurrir terminar';

/** English verb forms that precede `you` in questions. */
export const INVERTED = `
ser pri: are, estar pri: are, ser ifi: were, estar pii: were, ser pii: were, poder pri: can, poder cni: could,
haber pri: have`;

/** Verbs after which Spanish has `a` before persons. */
export const TRANSITIVE = `
abandonar ayudar buscar conocer defender derrotar encontrar escuchar invitar llamar llevar matar mirar obedecer oír preguntar proteger
recordar salvar seguir servir temer traer vencer ver visitar`;

/** Reflexive verbs that are not reflexive in English. */
export const REFLEXIVE = `
acordar acostar casar caer despertar dormir enamorar enfadar ir levantar marchar morir mover olvidar parecer preocupar
quedar quejar reír reunir sentar sentir`;

/** Phrases that the target says in another way; {@link phraseRules} describes how they are written. */
export const SAID_OTHERWISE = `
a todo el mundo le gusta: everybody likes, a todo el mundo le gustan: everybody likes, ^ se quieren: they love each other,
cuando sea mayor: when I grow up, de mayor quiero ser: when I grow up I want to be, cada_vez_más: more and more,
está lloviendo a cántaros: it is pouring, ya no lo sé: I do not know any more, haremos una breve pausa: we will take a short break, hacemos una breve pausa: we take a short break,
^ se rompió la pierna: he broke his leg, ^ se rompió el brazo: he broke his arm, me rompí la pierna: I broke my leg, me rompí el brazo: I broke my arm,
en el primer piso: on the first floor, en el segundo piso: on the second floor, en el tercer piso: on the third floor, en el cuarto piso: on the fourth floor, en el quinto piso: on the fifth floor,
en la próxima esquina: at the next corner, ^ póngase en contacto con nosotros: please contact us, regístrate: sign up, regístrese: sign up,
^ adelante $: come in, añadir al carrito: add to cart, como pueden ver: as you can see, como puedes ver: as you can see,
señoras y señores: ladies and gentlemen, damas y caballeros: ladies and gentlemen,
cambio climático: climate change, ^ cómo funciona $: how does it work, no sé cómo funciona: I do not know how it works,
déjame enseñarte cómo funciona: let me show you how it works, a la una: at one, a la una y media: at one thirty, desde hace: for, la_mayoría_de los: most of the,
la_mayoría_de las: most of the, todos nosotros: all of us, cerca de aquí: near here,
razones por las_que: reasons why, razón por la_que: reason why, ^ no lo creo: I don't think so,
creo que sí: I think so, creo que no $: I don't think so, ^ no tengo muchas ganas de: I don't really want to, ^ no tengo ganas de: I don't want to, ^ tengo ganas de: I want to,
^ tengo muchas ganas de: I can't wait to, ^ tenemos muchas ganas de: we can't wait to,
a qué distancia está: how far is, a qué distancia están: how far are, cuánto_tiempo llevas: how long have you been,
desde cuándo: since when, ^ se me olvidó: I forgot, ^ se me ha olvidado: I have forgotten,
permítanme presentarme: let me introduce myself, permitidme presentarme: let me introduce myself,
déjame enseñarte: let me show you, déjenme enseñarles: let me show you, déjame explicarte: let me explain to you,
echemos un vistazo a: let's take a look at, a_la_izquierda: on the left, a_la_derecha: on the right,
demos una calurosa bienvenida a: let's give a warm welcome to, una calurosa bienvenida: a warm welcome,
en_primer_lugar: first of all, por otro $: on the other, ^ alguna pregunta: any questions,
si tienes alguna pregunta: if you have any questions, si tienen alguna pregunta: if you have any questions,
si tiene alguna pregunta: if you have any questions, haz clic aquí: click here, haga clic aquí: click here,
al_lado de: next to, vive al_lado: lives next door, ^ sigue así: keep it up, ^ se enfadó: he got angry, se enfadó: got angry, ^ se está haciendo tarde: it is getting late,
^ se hace tarde: it is getting late, de noche $: at night, ^ oremos: let us pray, la paz sea con vosotros: peace be with you,
la paz sea contigo: peace be with you, cientos de: hundreds of, miles de: thousands of, decenas de: dozens of,
^ me duele la cabeza: my head hurts, ^ me duele la espalda: my back hurts, ^ me duele el estómago: my stomach hurts,
^ me duele la garganta: my throat hurts, aquí se habla: here we speak, qué le pasó a: what happened to,
qué le pasó al: what happened to the, qué pasó: what happened,
por favor apaguen: please turn off, ^ es un placer: it is a pleasure, en mi opinión: in my opinion, de dónde eres: where are you from, de dónde es usted: where are you from, ^ empecemos: let's start,
encantada de conocerte: nice to meet you, encantado de conocerte: nice to meet you,
ha olvidado su contraseña: forgot your password,
hagamos una pausa: let's take a break, ^ la cuenta $: the bill, me puede ayudar: can you help me,
me puedes ayudar: can you help me,
^ mucho gusto $: nice to meet you, ^ pasa $: come in, ^ pase $: come in, ^ próximamente $: coming soon,
qué significa: what is the meaning of,
qué significa esto: what does this mean, se me oye: can you hear me, ^ siéntate: sit down, ^ siéntese: sit down,
^ sigamos: let's go on,
todos los derechos reservados: all rights reserved, ^ veamos: let's see,
a qué hora: at what time, algo de beber: something to drink, algo de comer: something to eat,
^ bienvenido a: welcome to, ^ bienvenidos a: welcome to, ^ bienvenida a: welcome to, ^ bienvenido $: welcome,
^ bienvenidos $: welcome,
buenos_días a todos: good morning everyone, hola a todos: hello everyone, gracias_a todos: thank you all,
cuánto cuesta: how much is, cuánto cuestan: how much are, cuánto vale: how much is,
cuántos años tienes: how old are you, cuántos años tiene: how old is he, de quién es: whose is,
de quién son: whose are,
^ disculpa $: sorry, ^ disculpe $: excuse me, ^ perdona $: excuse me, ^ perdone $: excuse me,
el año pasado: last year, el mes pasado: last month, la semana pasada: last week,
el año que viene: next year, el mes que viene: next month, la semana que viene: next week, en_casa: at home,
estación de tren: train station, estación de autobuses: bus station, ^ hace buen tiempo: the weather is nice,
^ hace mal tiempo: the weather is bad,
haga clic en: click on, haz clic en: click on, lo antes posible: as soon as possible,
me oyen todos: can everyone hear me, me oyen: can you hear me, ^ no importa $: it does not matter,
^ nos vemos $: see you, ^ nos vemos luego: see you later, ^ nos vemos mañana: see you tomorrow,
^ nos vemos pronto: see you soon,
qué hora es: what time is it, qué le parece $: what do you think, qué os parece $: what do you think,
qué te parece $: what do you think,
^ quisiera: I would like, salió mal: went wrong, ^ te amo $: I love you,
^ te quiero $: I love you,
ojalá pudiera: I wish I could, ojalá tuviera: I wish I had, se habla español: Spanish is spoken, se habla inglés: English is spoken,
^ no me lo digas: don't tell me, ^ dáselo a: give it to, cuando era niño: as a child, cuando era niña: as a child,
^ cuanto más: the more,
^ depende del tiempo: it depends on the weather, ^ depende del: it depends on the,
ninguno de ellos: none of them, ninguna de ellas: none of them, ninguno de nosotros: none of us,
deberíamos haber: we should have, deberías haber: you should have, deberían haber: they should have,
estoy aburrido: I am bored, estoy aburrida: I am bored, más alto que yo: taller than me, más alta que yo: taller than me,
mayor que yo: older than me, menor que yo: younger than me, mejor que yo: better than me,
se ha cancelado: has been cancelled, se ha actualizado: has been updated, se ha guardado: has been saved,
se ha enviado: has been sent, se ha eliminado: has been deleted, se ha producido un error: an error has occurred,
no me encuentro bien: I do not feel well, me encuentro mal: I feel ill, ^ nos vemos el: see you on, qué tiempo hace: what is the weather like, lo_siento mucho: I am very sorry,
a qué te dedicas: what do you do, a qué se dedica: what do you do, que tengas un buen viaje: have a good trip, que tengas un buen día: have a nice day, que tenga un buen día: have a nice day,
que te mejores: get well soon, ^ perdón $: sorry, me puede repetir: can you repeat, me puedes repetir: can you repeat, me puede decir: can you tell me, me puedes decir: can you tell me,
me podría decir: could you tell me, me puede traer: can you bring me, ^ me trae: can you bring me, ^ me pone: can I have, gire a_la_derecha: turn right, gira a_la_derecha: turn right,
gire a_la_izquierda: turn left, gira a_la_izquierda: turn left, en la esquina $: at the corner, se ha retrasado: has been delayed, a los frutos secos: to nuts, frutos secos: nuts,
^ hoy es: today is, ^ mañana es: tomorrow is, ^ es la una $: it is one o'clock, ^ deberías: you should, ^ deberíamos: we should, ^ deberían: they should,
^ puede que llueva: it may rain, ^ puede que: maybe, me da igual: I don't mind, ^ vale $: okay, qué calor hace: how hot it is, qué frío hace: how cold it is,
^ se prohíbe fumar: no smoking, ^ prohibido fumar: no smoking, ^ se vende $: for sale, ^ se alquila $: to let, me acosté: I went to bed, me acuesto: I go to bed, se acostó: went to bed, nos acostamos: we went to bed,
qué te pasa: what is wrong with you, qué le pasa: what is wrong with him, ^ qué pasa $: what's up, me he roto la: I have broken my, me he roto el: I have broken my,
me rompí la: I broke my, me rompí el: I broke my, el invierno pasado: last winter, el verano pasado: last summer, el otoño pasado: last autumn, la primavera pasada: last spring,
el fin_de_semana pasado: last weekend, el lunes pasado: last Monday, el martes pasado: last Tuesday, el miércoles pasado: last Wednesday, el jueves pasado: last Thursday,
el viernes pasado: last Friday, el sábado pasado: last Saturday, el domingo pasado: last Sunday, encima de: on top of, al_lado del: next to the, está libre este asiento: is this seat free,
está ocupado este asiento: is this seat taken, me lo llevo: I'll take it, me la llevo: I'll take it, cuánto_tiempo se tarda en: how long does it take to, cuánto se tarda en: how long does it take to,
me alegro de verte: I am glad to see you, me alegro de verle: I am glad to see you, me alegro de: I am glad to, cuánto_tiempo sin verte: long time no see, cómo va todo: how is everything,
^ todo bien: all is well, ^ saludos a: regards to, ^ que descanses: sleep well, ^ que te vaya bien: all the best, espero tu respuesta: I look forward to your reply, espero su respuesta: I look forward to your reply,
^ no hay problema: no problem, ^ ya lo sé $: I know, no lo sé $: I don't know, lo sé $: I know, quién te lo ha dicho: who told you, quién te lo dijo: who told you,
^ se fue $: he left, ^ se fue sin decir nada: he left without saying anything, ^ se fueron $: they left, me fui: I left, nos fuimos: we left, se ha ido: has left, ya se habían ido: they had already left, ya se había ido: he had already left,
sin decir nada: without saying anything, si lo hubiera sabido: had I known, te lo habría dicho: I would have told you, aunque llueva: even if it rains, ^ ojalá: I hope,
ojalá haga buen tiempo: I hope the weather is good, ^ cuanto antes mejor: the sooner the better, ^ siga todo recto: go straight on, ^ sigue todo recto: go straight on,
^ seguro que: are you sure, ^ todavía no $: not yet, ^ aún no $: not yet, todavía no lo sé: I don't know yet, aún no lo sé: I don't know yet,
los lunes $: on Mondays, los martes $: on Tuesdays, los miércoles $: on Wednesdays, los jueves $: on Thursdays, los viernes $: on Fridays, los sábados $: on Saturdays, los domingos $: on Sundays,
en qué puedo ayudarle: how can I help you, en qué puedo ayudarte: how can I help you, puedo ayudarle: can I help you, a la cama $: to bed, ^ avísame: let me know, ^ avísanos: let us know,
he cambiado de opinión: I have changed my mind, cambié de opinión: I changed my mind, en el trabajo $: at work, en el trabajo cuando: at work when, cuando quieras $: whenever you like, en este momento: at the moment,
estoy de camino: I am on my way, madrugar: get up early, voy a ducharme: I am going to take a shower, ducharme: take a shower, no se lo digas a nadie: don't tell anyone,
es culpa mía: it is my fault, sin despedirse: without saying goodbye, no me lo puedo creer: I can't believe it, no puedo creerlo: I can't believe it, ^ de joven: when I was young, ^ de niño: as a child,
se quedó dormido: fell asleep, se quedó dormida: fell asleep, me han robado: I have been robbed, ^ es broma: I'm joking, buen provecho: enjoy your meal, ^ salud $: cheers, enhorabuena por: congratulations on,
va con retraso: is late, ^ déjame en paz: leave me alone, descansemos un poco: let's have a rest,
a esquiar: skiing,
^ síguenos: follow us, quedo_a_la_espera_de_su_respuesta $: I look forward to your reply, ^ síguenos_en: follow us on, ^ síguenos_en las redes sociales: follow us on social media, en las redes sociales: on social media, ^ suscríbete a: subscribe to, ^ está seguro de_que quiere: are you sure you want to,
^ estás seguro de_que quieres: are you sure you want to, ^ está seguro de_que desea: are you sure you want to, ^ estás seguro de_que deseas: are you sure you want to,
^ un saludo $: best regards, ^ saludos $: regards, ^ un cordial saludo $: kind regards, ^ estimado señor $: dear sir, ^ estimada señora $: dear madam, lamento informarle de_que: I regret to inform you that,
^ levanten la mano: raise your hands, ^ levanta la mano: raise your hand, forma de trabajar: way of working, ha vuelto a subir: has risen again, resultaron heridas: were injured, resultaron heridos: were injured,
por primera vez: for the first time, por segunda vez: for the second time, por tercera vez: for the third time, por última vez: for the last time, entrará en_vigor: will come into force,
entra en_vigor: comes into force, entró en_vigor: came into force, el próximo año: next year, el próximo mes: next month, la próxima semana: next week, más rápido que nunca: faster than ever, ^ agotado $: sold out,
envío gratuito: free delivery, ^ comparte: share, en nuestra página_web: on our website, desde casa $: from home, un fuerte aplauso: a round of applause, érase una_vez: once upon a time there was,
felices para_siempre: happily ever after, más_que a nada en el mundo: more than anything in the world, va a salir bien: is going to be fine, ^ permítanme: let me, ^ permítame: let me,
espero que hayan disfrutado de: I hope you have enjoyed, espero que hayáis disfrutado de: I hope you have enjoyed, no se pudo subir el archivo: the file could not be uploaded,
menos me gusta $: the less I like it, ^ ten cuidado: be careful, ^ tenga cuidado: be careful, todo el mundo: everybody`;

/** Professions, which have no article in Spanish. */
export const PROFESSIONS = `
médico médica profesor profesora abogado abogada ingeniero ingeniera estudiante enfermera enfermero arquitecto arquitecta traductor traductora periodista cocinero`;

/** Things that belong to the person addressed when `Su` begins a sentence. */
export const YOURS = `
pedido contraseña cuenta correo solicitud mensaje reserva pago sesión navegador dispositivo archivo ordenador teléfono suscripción perfil conexión micrófono pantalla`;

/** Words whose translation depends on their context: the entry, its part of speech, and the condition. */
const CHOICES: readonly [entry: string, kind: string, condition?: string][] = [
  [
    'siguiente: next',
    'adj',
    '(1 ("<diapositiva>") OR ("<ponente>") OR ("<parada>") OR ("<paso>") OR ("<pregunta>"))',
  ],
  ['dejar: stop', 'vblex', '(1 (ger))'],
  ['hacer: make', 'vblex', '(1 (inf))'],
  ['conocer: meet', 'vblex', '(0 (ifi))'],
  ['nada: anything', 'prn', '(-1* ("<no>"i) BARRIER (cm))'],
  ['suyo: her', 'det', '(-1* (subj p3 f) BARRIER (sent))'],
  ['historia: story', 'n', '(0* ("<contar>"))'],
  ['tiempo: weather', 'n', '(-2 ("<depender>"))'],
  ['esperar: wait', 'vblex', '(0 (ger))'],
  ['de: from', 'pr', '(-1 ("<llegar>") OR ("<venir>")) (NOT 1 (inf))'],
  ['de: on', 'pr', '(-1 ("<depender>"))'],
  ['conseguir: get', 'vblex', '(NOT 1 (inf))'],
  ['conseguir: manage', 'vblex', '(1 (inf))'],
  ['por: for', 'pr', '(-1 ("<gracias>"i) OR ("<muchas gracias>"i))'],
  ['mostrar: display', 'vblex', '(0 (pp))'],
  ['ese: that', 'det'],
  ['eso: that', 'prn'],
  ['pronto: soon', 'adv'],
  ['luego: later', 'adv', '(1 (sent))'],
  ['de: from', 'pr', '(-1 (p1) OR (p2)) (-1 (vbser)) (1 (np))'],
  ['desde: since', 'pr', '(1 (num)) (NOT 2 ("<a>"))'],
  ['desde: from', 'pr', '(1 (num)) (2 ("<a>"))'],
  ['esperar: wait', 'vblex', '(0 (imp))'],
  ['esperar: hope', 'vblex', '(1 (inf) OR ("<que>"))'],
  ['pasar: happen', 'vblex', '(-1 ("<qué>"i) OR ("<algo>"i) OR ("<nada>"i))'],
  ['pasar: spend', 'vblex', '(0 (pp)) (1 (num)) (3 (ger))'],
  ['conocer: meet', 'vblex', '(0 (ifi p1 pl))'],
  [
    'alto: tall sint',
    'adj',
    `(0* ${anyOf('él ella hermano hermana padre madre hijo hija hombre mujer niño niña chico chica')})`,
  ],
  ['trabajo: job', 'n', '(-1 ("<uno>"i))'],
  ['tan: as', 'preadv', '(2 ("<como>"))'],
  ['tener: make', 'vblex', '(1 ("<sentido>"))'],
  ['sentido: sense', 'n'],
  ['de: of', 'pr', '(-1 ("<cansado>") OR ("<harto>"))'],
  ['de: off', 'pr', '(-1 ("<caer>"i))'],
  ['de: from', 'pr', '(-1 ("<lejos>"i))'],
  ['perder: miss', 'vblex', '(2 ("<tren>") OR ("<autobús>") OR ("<avión>") OR ("<vuelo>"))'],
  [
    'rico: delicious',
    'adj',
    '(0* ("<comida>") OR ("<cena>") OR ("<plato>") OR ("<sopa>") OR ("<tarta>") OR ("<paella>")) (NOT 1 ("<en>"))',
  ],
  ['llegar: get', 'vblex', '(1 ("<a>")) (NOT 0 (pp)) (NOT 2 (inf) OR (num))'],
  ['quedar: meet', 'vblex', '(-1 ("<poder>")) (1 (cnjadv) OR ("<a>") OR ("<mañana>") OR (sent))'],
  [
    'tocar: play',
    'vblex',
    '(2 ("<guitarra>") OR ("<piano>") OR ("<violín>") OR ("<flauta>") OR ("<batería>"))',
  ],
  ['consejo: advice', 'n', '(0 (sg)) (-1 (det pos))'],
  [
    'partido: match',
    'n',
    '(0* ("<fútbol>") OR ("<entrada>") OR ("<jugar>") OR ("<ganar>") OR ("<equipo>"))',
  ],
  ['historia: story', 'n', '(-1 ("<largo>"))'],
  ['historia: story', 'n', '(1 ("<largo>"))'],
  ['nadie: nobody', 'prn', '(NEGATE 0* ("<no>"i))'],
  [
    'canal: channel',
    'n',
    '(0* ("<suscribir>") OR ("<vídeo>") OR ("<televisión>") OR ("<suscríbete=a=>"i))',
  ],
  ['cuenta: account', 'n'],
  [
    'cuenta: bill',
    'n',
    '(0* ("<traer>") OR ("<pagar>") OR ("<me=trae=>"i) OR ("<me=puede=traer=>"i))',
  ],
  ['entrada: ticket', 'n', `(0* ${anyOf('comprar vender concierto museo cine partido')})`],
  ['nadie: nobody', 'prn', '(-1 (>>>))'],
  ['niño: child', 'n', '(0 (pl))'],
  ['iniciar: sign', 'vblex', '(1 ("<in=>"))'],
  ['cerrar: sign', 'vblex', '(1 ("<out=>"))'],
  ['decir: tell', 'vblex', '(-1 (pro p3))'],
  ['qué: what', 'det'],
  ['alguien: someone', 'prn', '(NEGATE 1* ("<?>"))'],
  ['alguien: anyone', 'prn', '(1* ("<?>"))'],
  ['ninguno: no', 'det', '(NOT -1* ("<no>"i))'],
  ['decir: tell', 'vblex', '(1 (enc))'],
  ['decir: tell', 'vblex', '(-1 (pro p1) OR (pro p2))'],
  ['dirección: direction', 'n', '(-2 ("<en>"i))'],
  ['entre: between', 'pr'],
  ['después: then', 'adv', '(-1 (cnjcoo) OR (cm) OR (>>>))'],
  ['como: as', 'pr', '(NOT 1 (det) OR (prn))'],
  ['como: as', 'pr', '(-2 ("<tan>"i))'],
];

/** Returns the grammar that chooses English words. */
export function englishGrammar(): string {
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
    ...CHOICES.flatMap(([entry, kind, condition]) => wordRules(entry, kind, condition)),
    ...wordRules(SAID),
    ...insertedRules(),
    ...phraseRules(SAID_OTHERWISE).target,
    ...entriesOf(STATES).map(
      ([noun, state]) => `SUBSTITUTE (".*"r adv) ("*${state}") ("@${noun}=") ;`,
    ),
    'SUBSTITUTE (".*"r) ("make") ("@make=") ;',
    'SUBSTITUTE (".*"r adv) ("*Is there") ("@is=there=") ;',
    'SUBSTITUTE (".*"r adv) ("*Surely") ("@surely=") ;',
    'SUBSTITUTE (".*"r adv) ("*should") ("@should=") ;',
    'SUBSTITUTE (".*"r adv) ("*is called") ("@is=called=") ;',
    'SUBSTITUTE (".*"r adv) ("*Her name is") ("@her=name=") ;',
    'SUBSTITUTE (".*"r adv) ("*His name is") ("@his=name=") ;',
    'SUBSTITUTE (".*"r adv) ("*Are there") ("@are=there=") ;',
  ];
  return indexed(`${DELIMITERS}BEFORE-SECTIONS
REMCOHORT ("@ø<s>") ;
SECTION
SUBSTITUTE (".*"r qnt) ("any" ind) ("<alguno>" det) IF (1* ("<?>") BARRIER (sent)) ;
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

/** Returns a rule for each entry; comparable adjectives are marked with `sint`. */
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

/** Returns the readings of words missing from the dictionary. */
export function newWordReadings(): string[] {
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

/** Returns the forms of an `-ar` verb, each with its tags. */
function regularForms(verb: string): [form: string, tags: string][] {
  const stem = verb.slice(0, -2);
  return entriesOf(ENDINGS).map(([ending, tags]) => {
    const written = /^[eé]/.test(ending) ? stem.replace(/z$/, 'c') : stem;
    return [written + ending, tags];
  });
}
