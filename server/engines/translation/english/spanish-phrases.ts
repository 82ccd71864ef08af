/** Phrases that Spanish says in another way than English. */
import { entriesOf, inBothSizes, wordsOf } from '../grammars.ts';
import { DAYS, MONTHS, REQUESTED } from './spanish-words.ts';

/** All of them, as a table for `phraseRules`. */
export const phrases = (): string =>
  [timesOfDay(), dayTimes(), lastMonths(), forbidden(), keptUp(), ON_PAGES, SAID_OTHERWISE].join(
    ', ',
  );

/** Returns phrases for requests to go on: `Keep moving`. */
const keptUp = (): string =>
  entriesOf(KEPT_UP)
    .map(([doing, spanish]) => `^ keep ${doing}: sigue ${spanish}`)
    .join(', ');

/** What one is asked to keep doing. */
const KEPT_UP = `
dancing: bailando, dreaming: soñando, fighting: luchando, learning: aprendiendo, listening: escuchando, looking: buscando,
moving: moviéndote, playing: jugando, reading: leyendo, running: corriendo, singing: cantando, smiling: sonriendo,
talking: hablando, trying: intentándolo, waiting: esperando, walking: caminando, working: trabajando, writing: escribiendo`;

/** Returns phrases for negative requests with a particle: `Don't turn it off`. */
function forbidden(): string {
  const objects = entriesOf('it: lo, them: los');
  return entriesOf(FORBIDDEN_WITH_PARTICLES)
    .flatMap(([english, spanish]) =>
      ["don't", 'do not', 'never'].flatMap((not) => {
        const no = not === 'never' ? 'nunca' : 'no';
        const [verb = '', particle = ''] = english.split(' ');
        const isDivided = !spanish.startsWith('te ') && particle !== '' && !spanish.includes(' ');
        return [
          `^ ${not} ${english}: ${no} ${spanish}`,
          ...(isDivided
            ? objects.map(
                ([it, lo]) => `^ ${not} ${verb} ${it} ${particle}: ${no} ${lo} ${spanish}`,
              )
            : []),
        ];
      }),
    )
    .join(', ');
}

/** Negative imperatives of verbs with a particle. */
const FORBIDDEN_WITH_PARTICLES = `
come back: vuelvas, fall asleep: te duermas, get up: te levantes, give up: te rindas, go away: te vayas, go back: vuelvas, go out: salgas, hang up: cuelgues,
hold on: esperes, log in: inicies sesión, log out: cierres sesión, look at: mires, pick up: recojas, put on: te pongas, run away: huyas, shut down: apagues,
sign in: inicies sesión, sign out: cierres sesión, sit_down: te sientes, slow down: vayas más despacio, stand_up: te levantes, switch off: apagues, switch on: enciendas,
take off: te quites, throw away: tires, turn off: apagues, turn on: enciendas, wake up: despiertes`;

/** `last March`. */
const lastMonths = (): string =>
  entriesOf(MONTHS)
    .map(([english, spanish]) => `last ${english}: ${spanish} pasado`)
    .join(', ');

/** Spanish hours. */
const CLOCK = `
one: la una, two: las dos, three: las tres, four: las cuatro, five: las cinco, six: las seis, seven: las siete,
eight: las ocho, nine: las nueve, ten: las diez, eleven: las once, twelve: las doce`;

/** Returns phrases for full and half hours: `at half past three`. */
function timesOfDay(): string {
  return entriesOf(CLOCK)
    .flatMap(([hour, spanish]) => {
      const verb = hour === 'one' ? 'es' : 'son';
      return [
        `at half past ${hour}: a ${spanish} y media`,
        `it is half past ${hour}: ${verb} ${spanish} y media`,
        `it 's half past ${hour}: ${verb} ${spanish} y media`,
        `half past ${hour}: ${spanish} y media`,
        `at ${hour} o'clock: a ${spanish}`,
        `at ${hour} thirty: a ${spanish} y media`,
        `at ${hour} fifteen: a ${spanish} y cuarto`,
        `until ${hour} $: hasta ${spanish}`,
        `it is ${hour} o'clock: ${verb} ${spanish}`,
        `it 's ${hour} o'clock: ${verb} ${spanish}`,
      ];
    })
    .join(', ');
}

/** Returns phrases for the parts of days: `on Tuesday morning`. */
function dayTimes(): string {
  const days = ['lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado', 'domingo'];
  const times = entriesOf(
    'morning: por la mañana, afternoon: por la tarde, evening: por la tarde, night: por la noche',
  );
  return wordsOf(DAYS)
    .flatMap((day, index) => [
      ...times.map(([time, spanish]) => `on ${day} ${time}: el ${days[index] ?? ''} ${spanish}`),
      `we meet on ${day}: nos reunimos el ${days[index] ?? ''}`,
      `we meet on ${day}s: nos reunimos los ${(days[index] ?? '').replace(/o$/, 'os')}`,
    ])
    .join(', ');
}

/** What stands on pages of shops, forums and accounts. */
const ON_PAGES = `
  at any time: en cualquier momento, ^ take_care $: cuídate, ^ it takes: lleva, keep the change: quédese con el cambio, next to: junto a,  back to top: volver arriba, ^ already have an account: ¿ya tienes una cuenta, don't have an account: ¿no tienes una cuenta,
  posted by: publicado por, last updated: última actualización, last updated on: última actualización el,
  upload complete: subida completada, download complete: descarga completada, show more $: mostrar más, show less $: mostrar menos,
  load more $: cargar más, skip to content: saltar al contenido, sold out: agotado, coming soon: próximamente,
  best sellers: más vendidos, you may also like: también te puede gustar, ^ leave a comment: deja un comentario,
  ^ reply to: responder a, ^ sort by: ordenar por, ^ filter by: filtrar por, page not found: página no encontrada,
  terms of use: condiciones de uso, terms of service: condiciones del servicio, all rights reserved: todos los derechos reservados,
  powered by: con la tecnología de, opening hours: horario de apertura, gift card: tarjeta regalo, gift cards: tarjetas regalo, add to cart: añadir al carrito, added to cart: añadido al carrito,
  store hours: horario de la tienda, shop hours: horario de la tienda, office hours: horario de oficina, store locator: buscador de tiendas,
  wifi password: contraseña de la wifi, the wifi password: la contraseña de la wifi, ^ restart the app: reinicia la aplicación, ^ restart the computer: reinicia el ordenador,
  ^ restart your computer: reinicia el ordenador, ^ restart the server: reinicia el servidor, ^ restart the router: reinicia el router,
  ^ restart the device: reinicia el dispositivo, ^ restart your device: reinicia el dispositivo, ^ restart your phone: reinicia el teléfono`;

/** Everything else; `phraseRules` describes how it is written. */
const SAID_OTHERWISE = `
next time: la próxima vez, the next time: la próxima vez, the last time: la última vez, the first time: la primera vez,
I 'm glad: me alegro de, I 'm glad to: me alegro de, I am glad to: me alegro de, we 're glad to: nos alegramos de, we are glad to: nos alegramos de, I am glad: me alegro de, we 're glad: nos alegramos de, we are glad: nos alegramos de, I mean: quiero decir, I didn't know: no sabía, I did not know: no sabía,
we didn't know: no sabíamos, we did not know: no sabíamos, I hope you like it: espero que te guste, I hope they like it: espero que les guste, I hope that you like it: espero que te guste, we hope that you like it: esperamos que te guste, I hope that you liked it: espero que te haya gustado, I hope you liked it: espero que te haya gustado, we hope you like it: esperamos que te guste,
we hope you liked it: esperamos que te haya gustado, I hope you like: espero que te guste, we hope you like: esperamos que te guste, I hope you are well: espero que estés bien, I hope you 're well: espero que estés bien,
we hope you are well: esperamos que estés bien, we hope you 're well: esperamos que estés bien, I hope I can: espero poder, we hope we can: esperamos poder, I hope we can: espero que podamos, I hope you can: espero que puedas,
we hope you can: esperamos que puedas, is down $: no funciona, are down $: no funcionan, was down $: no funcionaba,
I mean it $: lo digo en serio, it is over $: se acabó, it 's over $: se acabó,
all along $: desde el principio, when you are_ready: cuando estés listo, they love each other: se quieren, we love each other: nos queremos,
they know each other: se conocen, do they know each other: se conocen, we know each other: nos conocemos, they help each other: se ayudan, each other: el uno al otro,
more_and_more: cada vez más, from home: desde casa, away from home: lejos de casa, far from home: lejos de casa,
^ keep going_straight_ahead: sigue recto, on one hand: por un lado, she broke her leg: se rompió la pierna, he broke his leg: se rompió la pierna, I broke my leg: me rompí la pierna, she broke her arm: se rompió el brazo, he broke his arm: se rompió el brazo, I broke my arm: me rompí el brazo, ^ be patient: ten paciencia, ^ get up: levántate, ^ call an ambulance: llama a una ambulancia, ^ call the police: llama a la policía,
^ call a taxi: llama a un taxi, ^ call a doctor: llama a un médico, where does it hurt: dónde te duele,
a happy new year: un feliz año nuevo, 's raining cats and dogs: llueve a cántaros, sales have doubled: las ventas se han duplicado,
I would like to: me gustaría, I'd like to: me gustaría, we'd like to: nos gustaría, we would like to: nos gustaría, I 'd like to: me gustaría,
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
social media: redes sociales, don't keep me waiting: no me hagas esperar, don't be late: no llegues tarde, don't be afraid: no tengas miedo, don't worry about: no te preocupes por, don't worry about it: no te preocupes por eso,
don't tell anyone: no se lo digas a nadie, don't tell anybody: no se lo digas a nadie, wash your hands: lávate las manos, brush your teeth: cepíllate los dientes, mind the gap: cuidado con el hueco,
mind the step: cuidado con el escalón, mind your head: cuidado con la cabeza, ^ keep out_of reach of children: mantener fuera del alcance de los niños, luggage unattended: equipaje desatendido, to sign up: registrarte, out_of reach of children: fuera del alcance de los niños, returns and refunds: devoluciones y reembolsos,
returns and exchanges: devoluciones y cambios, let me walk you through: permitidme explicaros, ^ push $: empujar, ^ pull $: tirar,
dear mr.: estimado señor, dear mr: estimado señor, dear mrs.: estimada señora, dear mrs: estimada señora, dear ms.: estimada señora, dear ms: estimada señora, dear dr.: estimado doctor, dear dr: estimado doctor, dear customer: estimado cliente,
what do you think about this $: qué piensas de esto, it 's cold outside: hace frío fuera, it is cold outside: hace frío fuera, it 's cold in here: aquí hace frío, it 's hot in here: aquí hace calor,
how are things: qué tal, last spring: la primavera pasada, last summer: el verano pasado, last autumn: el otoño pasado, last winter: el invierno pasado, next spring: la próxima primavera, next summer: el próximo verano, next autumn: el próximo otoño, next winter: el próximo invierno,
I was on mute: tenía el micrófono apagado, I will get_back to you: te responderé, I'll get_back to you: te responderé, we will get_back to you: te responderemos,
by the end of: antes del final de, for free $: gratis, out_of order: fuera de servicio, what time is breakfast: a qué hora es el desayuno, what time is breakfast served: a qué hora se sirve el desayuno,
broke her arm: se rompió el brazo, broke his arm: se rompió el brazo, broke her leg: se rompió la pierna, broke his leg: se rompió la pierna, god is love: Dios es amor, it will be sunny: hará sol, it will be hot: hará calor, it will be cold: hará frío,
it will be windy: hará viento, you have been logged out: se ha cerrado tu sesión, ^ update available $: actualización disponible, ^ restart now $: reiniciar ahora, ^ remind me later $: recordármelo más tarde, ^ not now $: ahora no,
^ start free trial $: empezar prueba gratuita, free trial: prueba gratuita, ^ best seller $: superventas, ^ on_sale $: en oferta, how does it work: cómo funciona, how does this work: cómo funciona esto, ^ get_started $: empezar, ^ pricing $: precios,
^ careers $: empleo, ^ home $: inicio, ^ help center $: centro de ayuda, ^ help centre $: centro de ayuda, ^ customer reviews $: opiniones de clientes, ^ call this number: llama a este número, in an emergency: en caso de emergencia, by card: con tarjeta,
by credit card: con tarjeta de crédito, we met at: nos encontramos en, we met in: nos conocimos en, getting ready: preparándose, I am getting old: estoy envejeciendo, I 'm getting old: estoy envejeciendo, is getting old: está envejeciendo, are getting old: están envejeciendo, getting old: envejeciendo, getting better: mejorando, getting worse: empeorando,
you don't need to worry: no tienes que preocuparte, upstairs: arriba, downstairs: abajo, I hope you feel better: espero que te mejores, it was late: era tarde, it is late: es tarde, it 's late: es tarde,
neither of them: ninguno de ellos, neither of us: ninguno de nosotros, none of this: nada de esto, none of that: nada de eso, none of them: ninguno de ellos, none of us: ninguno de nosotros, ^ can I have: me puedes dar,
^ pick it up: recógelo, ^ pick them up: recógelos, ^ throw it away: tíralo, ^ turn it on: enciéndelo, ^ turn it off: apágalo, ^ turn it up: súbelo, ^ turn it down: bájalo, ^ switch it on: enciéndelo, ^ switch it off: apágalo,
^ put it on: póntelo, ^ take it off: quítatelo, ^ give it back: devuélvelo, ^ write it down: anótalo, ^ look it up: búscalo, ^ fill it in: rellénalo, ^ fill it out: rellénalo, ^ plug it in: enchúfalo, ^ put your coat on: ponte el abrigo,
^ take your shoes off: quítate los zapatos, ^ let him in: déjale entrar, ^ let her in: déjala entrar, ^ let them in: déjalos entrar, ^ let him know: avísale, ^ let her know: avísale, ^ let them know: avísales, ^ let it go: déjalo estar, ^ make her laugh: hazla reír, ^ make him laugh: hazle reír, ^ have a seat: toma asiento,
^ keep quiet: guarda silencio, ^ be quiet: cállate, ^ come in $: adelante, ^ come_in $: adelante, ^ come here: ven aquí, ^ stop it $: basta, ^ no way $: ni hablar, you are wrong: te equivocas, you 're wrong: te equivocas, it 's my fault: es culpa mía, it is my fault: es culpa mía,
what 's going_on: qué está pasando, what is going_on: qué está pasando, how old is: cuántos años tiene, how old are: cuántos años tienen, how tall is: cuánto mide, how tall are: cuánto miden, how far is it: a qué distancia está,
how big is: cómo es de grande, how big are: cómo son de grandes, ^ of_course: por supuesto, there is no: no hay, there 's no: no hay, there are no: no hay, there was no: no había, there were no: no había, ^ let it: déjalo, ^ let him: déjale, ^ let her: déjala, ^ let them: déjalos, is due in: vence en, are due in: vencen en, we are_sorry to hear that: lamentamos oír eso, I am_sorry to hear that: lamento oír eso,
I 'm_sorry to hear that: lamento oír eso, we 're_sorry to hear that: lamentamos oír eso, I am_sorry for: siento, I 'm_sorry for: siento, we are_sorry for: sentimos, we 're_sorry for: sentimos, I would love to: me encantaría, we would love to: nos encantaría,
I'd love to: me encantaría, we'd love to: nos encantaría, ^ contact support: contacta con el soporte, by_default: de forma predeterminada, by default: de forma predeterminada,
anything else: algo más, ^ not suitable for: no apto para, over medium heat: a fuego medio, over low heat: a fuego lento, over high heat: a fuego fuerte, air conditioning: aire acondicionado, wheelchair access: acceso para sillas de ruedas,
^ lost and found $: objetos perdidos, ^ information desk $: mostrador de información, ^ baggage claim $: recogida de equipajes, ^ boarding now $: embarcando, ^ final call $: última llamada, ^ on_time $: a tiempo, ^ on time $: a tiempo,
it was great to meet you: ha sido un placer conocerte, I hope this email finds you well: espero que estés bien, I am writing to inform you that: te escribo para informarte de que, below zero: bajo cero, ^ subscribe to our newsletter: suscríbete a nuestro boletín, ^ frequently asked questions: preguntas frecuentes,
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
we 're_sorry: lo sentimos, we are_sorry: lo sentimos, they are_sorry: lo sienten, she is_sorry: lo siente, he is_sorry: lo siente, is_sorry: lo siente, are_sorry: lo sienten, I 'm_sorry to: siento, I am_sorry to: siento, I 'm_sorry that: siento que,
I am_sorry that: siento que,
thank_you all: gracias a todos, thank_you everyone: gracias a todos, thanks everyone: gracias a todos,
there is nobody: no hay nadie, there is nothing: no hay nada,
there is nothing left: no queda nada, there 's nothing left: no queda nada, there was nothing left: no quedaba nada,
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
at midnight: a medianoche, ^ join the meeting: únete a la reunión, ^ join the event: únete al evento, ^ join the room: entra en la sala, in the event of: en caso de, ^ is this seat taken: está ocupado este asiento, ^ is this seat free: este asiento está libre, what happened to: qué le pasó a, ^ let 's meet: quedemos, ^ let 's have lunch: comamos, ^ let 's have dinner: cenemos,
to get some sleep: dormir un poco, I 'm sorry to: siento, I am sorry to: siento, how_long does it take to: cuánto se tarda en,
it was nice talking to you: ha sido un placer hablar contigo, it was nice meeting you: ha sido un placer conocerte, it was nice to meet you: ha sido un placer conocerte,
I miss you: te echo de menos, we miss you: te echamos de menos, I missed you: te eché de menos, I'll miss you: te echaré de menos, I will miss you: te echaré de menos,
^ keep_in_touch: seguimos en contacto, ^ keep calm: mantén la calma, ^ keep quiet: guarda silencio, ^ keep silent: guarda silencio, it 's up_to you: depende de ti, it is up_to you: depende de ti, you'd better: deberías, we'd better: deberíamos, I'd better: debería,
by bike: en bici, by bicycle: en bicicleta, by bus: en autobús, by car: en coche, by train: en tren, by plane: en avión, by taxi: en taxi, by boat: en barco, on foot: a pie,
can I try this on: puedo probarme esto, can I try it on: puedo probármelo, can I try them on: puedo probármelos,
it 's sunny: hace sol, it is sunny: hace sol, it was sunny: hacía sol, it 's windy: hace viento, it is windy: hace viento,
it was windy: hacía viento, it was hot: hacía calor, it was very hot: hacía mucho calor, it was cold $: hacía frío, it was very cold: hacía mucho frío,
 ^ look out: cuidado, ^ watch out: cuidado, ^ let 's go out: salgamos,
went wrong: salió mal, you are welcome: de nada, you 're welcome: de nada, what 's your name: cómo te llamas,
what is your name: cómo te llamas, ^ say it: dilo, ^ say that $: di eso, ^ say that again: repítelo,
^ keep the receipt: guarda el recibo, ^ keep the change: quédate con el cambio,
I 'm sorry I 'm late: siento llegar tarde, I am sorry I am late: siento llegar tarde, sorry I 'm late: siento llegar tarde,
shall we $: vale, ^ guess who: adivina quién, ^ guess what: adivina qué, this is why: por eso,
that is why: por eso, that 's why: por eso, at one $: a la una, speak up $: hablar más alto, ^ speak up: habla más alto,
you are breaking up: se te oye entrecortado, you 're breaking up: se te oye entrecortado,
^ mute yourself: silencia tu micrófono, ^ please mute yourself: por favor silencia tu micrófono,
so far $: hasta ahora, we are running late: vamos con retraso, we 're running late: vamos con retraso,
I am running late: voy con retraso, I 'm running late: voy con retraso, ^ let 's move on $: sigamos, to sum up: en resumen,
twice as many: el doble de, twice as many as: el doble que, twice as much as: el doble que, twice as much: el doble de, three times as many: el triple de, three times as much: el triple de,
am older than: soy mayor que, is older than: es mayor que, are older than: son mayores que, was older than: era mayor que,
^ come closer: acércate, ^ please come closer: por favor acércate, ^ give her a big hand: dale un fuerte aplauso,
^ give him a big hand: dale un fuerte aplauso, it is great to: es estupendo, it 's great to: es estupendo,
I am very happy to: me alegra mucho, I 'm very happy to: me alegra mucho, we are very happy to: nos alegra mucho,
we 're very happy to: nos alegra mucho, ^ ask your questions: haz tus preguntas, ^ please ask your questions: por favor haz tus preguntas,
^ take your time: tómate tu tiempo, ^ don't be afraid to ask: no tengas miedo de preguntar,
we don't have much time left: no nos queda mucho tiempo, I don't have much time left: no me queda mucho tiempo,
we have no time left: no nos queda tiempo, one last question: una última pregunta, one last thing: una última cosa,
^ have a safe trip home: buen viaje a casa, I got lost: me perdí, we got lost: nos perdimos, he got lost: se perdió,
she got lost: se perdió, they got lost: se perdieron, ^ keep left: mantente a la izquierda, ^ keep right: mantente a la derecha,
do you take cards: aceptan tarjetas, do you accept cards: aceptan tarjetas, a booking: una reserva, the booking: la reserva,
my booking: mi reserva, your booking: tu reserva, our booking: nuestra reserva, when is breakfast: a qué hora es el desayuno,
when is lunch: a qué hora es la comida, when is dinner: a qué hora es la cena, is online: está en línea, are online: están en línea,
I left them: los dejé, it hurts here: me duele aquí, allergic to nuts: alérgico a los frutos secos,
^ please stand: por favor ponte de pie, you may sit_down: te puedes sentar, you can sit_down: te puedes sentar,
on your right: a tu derecha, on your left: a tu izquierda, on your right side: a tu derecha, on your left side: a tu izquierda,
on your right hand: en tu mano derecha, on your left hand: en tu mano izquierda, the booking system: el sistema de reservas,
my booking number: mi número de reserva, your booking number: tu número de reserva, the booking number: el número de reserva, ^ watch your step: cuidado al caminar, ^ listen and repeat: escucha y repite,
we meet here: nos reunimos aquí, let me check that $: déjame comprobarlo, let me check that for you: déjame comprobarlo,
can you hold for a moment: puedes esperar un momento, turn it off and on again: apagarlo y encenderlo de nuevo,
turning it off and on again: apagarlo y encenderlo de nuevo, at the top of: en la parte superior de, at the bottom of: en la parte inferior de,
^ press enter: pulsa intro, and press enter: y pulsa intro, keeps crashing: se cierra continuamente, ^ sorry for: perdón por, ^ sorry for your loss: mi más sentido pésame, are you free: estás libre,
I am free $: estoy libre, I 'm free $: estoy libre, that works for me: me va bien, responsible for this $: responsable de esto,
we are almost done: casi hemos terminado, we 're almost done: casi hemos terminado, we are done: hemos terminado,
we 're done: hemos terminado, I'll take_care of it: yo me encargo, I will take_care of it: yo me encargo,
^ get well soon: que te mejores pronto, in pairs: en parejas, at home: en casa, at school: en la escuela, at work: en el trabajo,
a_short story: una historia corta, for having me: por invitarme, for having us: por invitarnos,
been working on this: estado trabajando en esto, ^ this is where it gets interesting: aquí es donde se pone interesante, ^ this is where: aquí es donde,
you might be wondering why: quizá te preguntes por qué, that we were wrong: que estábamos equivocados, that I was wrong: que estaba equivocado, that you are wrong: que te equivocas, that you 're wrong: que te equivocas,
we were wrong: estábamos equivocados, I was wrong: estaba equivocado,
you 're wrong: te equivocas, you are wrong: te equivocas, I 'm wrong: me equivoco, I am wrong: me equivoco,
put them on silent: ponlos en silencio, please ask $: pregunta por favor, let me rephrase that: permitidme decirlo de otra manera,
two things you should: dos cosas que deberías, three things you should: tres cosas que deberías, some things you should: algunas cosas que deberías, many things you should: muchas cosas que deberías, don't be afraid to: no tengas miedo de,
don't be afraid to make mistakes: no tengas miedo de cometer errores,
the worse it got $: peor se ponía, but it wasn't $: pero no lo era, what we learned is that: lo que aprendimos es que,
is exactly what happened to us: es exactamente lo que nos pasó, is exactly what happened to me: es exactamente lo que me pasó,
it breaks easily: se rompe con facilidad, breaks easily: se rompe con facilidad,
^ so what $: y qué, than I do: que yo, more_than I do: más que yo, than you do: que tú, more_than you do: más que tú, than he does: que él, more_than he does: más que él, than she does: que ella, more_than she does: más que ella, than we do: que nosotros, more_than we do: más que nosotros, than they do: que ellos, more_than they do: más que ellos, is it worth it: vale la pena, it is not worth it: no vale la pena, it isn't worth it: no vale la pena, it 's not worth it: no vale la pena, it is worth it: vale la pena, it 's worth it: vale la pena, it was not worth it: no valió la pena, it wasn't worth it: no valió la pena, is not worth it: no vale la pena, isn't worth it: no vale la pena, is worth it: vale la pena, was worth it: valió la pena, was not worth it: no valió la pena, wasn't worth it: no valió la pena, do not be afraid to make mistakes: no tengas miedo de cometer errores, do not be afraid: no tengas miedo, is not feeling well: no se encuentra bien, isn't feeling well: no se encuentra bien, I 'm not feeling well: no me encuentro bien, I am not feeling well: no me encuentro bien, how_many of you: cuántos de ustedes, how_many of you speak: cuántos de ustedes hablan, how_many of you know: cuántos de ustedes saben, how_many of you use: cuántos de ustedes usan, how_many of you work: cuántos de ustedes trabajan, how_many of you think: cuántos de ustedes piensan, how_many of you want: cuántos de ustedes quieren, is restarting: se está reiniciando, are restarting: se están reiniciando, days looking_for: días buscando, weeks looking_for: semanas buscando, months looking_for: meses buscando, years looking_for: años buscando, hours looking_for: horas buscando, here and keep a copy: aquí y guarda una copia,
in_other_words: en otras palabras, ^ put it on the table: ponlo en la mesa, ^ put them on the table: ponlos en la mesa, ^ put it on the floor: ponlo en el suelo,
^ put them on the floor: ponlos en el suelo, ^ put it on the desk: ponlo en el escritorio, ^ put them on the desk: ponlos en el escritorio, ^ put it here: ponlo aquí, ^ put it there: ponlo allí, ^ put it in: ponlo en, ^ put it back: vuelve a ponerlo en su sitio,
^ put them here: ponlos aquí, ^ put them in: ponlos en, is anybody at home: hay alguien en casa, is anyone at home: hay alguien en casa,
is anybody home: hay alguien en casa, is anyone home: hay alguien en casa, is anybody here $: hay alguien aquí, is anyone here $: hay alguien aquí,
can this work $: puede funcionar esto, looks_after me: me cuida, looks_after you: te cuida, looks_after us: nos cuida, looks_after him: lo cuida,
looks_after them: los cuida, here 's how it works: así funciona, here is how it works: así funciona, you can read along: puedes seguir el texto,
are on both sides of: están a ambos lados de, is down the hall: está al final del pasillo, are down the hall: están al final del pasillo,
down the hall: al final del pasillo, ^ please be_back: por favor vuelve, does that answer your question: responde eso a tu pregunta,
does this answer your question: responde esto a tu pregunta, ^ let 's move on to: pasemos a, I couldn't agree more: estoy totalmente de acuerdo,
I'll be around: estaré por aquí, I will be around: estaré por aquí,
^ feel free to come and talk to me: no dudes en venir a hablar conmigo, you can reach me by: puedes contactar conmigo por,
you can reach us by: puedes contactar con nosotros por, you can reach me at: puedes contactar conmigo en, you can reach us at: puedes contactar con nosotros en,
that's a great question: es una gran pregunta, that is a great question: es una gran pregunta, that's a good question: es una buena pregunta,
that is a good question: es una buena pregunta, that brings me to: eso me lleva a,
hello everyone: hola a todos,
good morning everyone: buenos días a todos, good afternoon everyone: buenas tardes a todos, good evening everyone: buenas tardes a todos, welcome everyone: bienvenidos a todos`;

/** Returns rules for requests whose verb transfer cannot put into the imperative: `Put the book here.` */
export const requestRules = (): string[] => [
  ...wordsOf(REQUESTED).map((verb) =>
    inBothSizes(
      (sized) =>
        `APPEND ("${sized(`${verb}=so`)}=" adv) ("<${sized(verb)}>") IF (-1 BEGINS) (NOT -1 ("<and>")) (1 NEAR) (NOT 2 (prn)) (1* ("<.>") OR ("<!>") OR PLEASE BARRIER ("<?>")) ;`,
    ),
  ),
  // Keep your ticket, keep the door closed.
  ...['keep', 'Keep'].map(
    (verb) =>
      `SUBSTITUTE (".*"r adv) ("${verb}=on=" adv) ("${verb}=so=") IF (2 N) (3 ADJ OR (pp) OR ("<away>") OR ("<out>")) ;`,
  ),
  'SELECT ADJ OR (pp) IF (-3 ("keep=on="i)) ;',
  'SELECT ("keep=on="i) ;',
  `SELECT ${wordsOf(REQUESTED)
    .map((verb) => `("${verb}=so="i)`)
    .join(' OR ')} ;`,
];
