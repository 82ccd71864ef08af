/** Between English and Spanish with the product's own grammars: what people say, and what stands on pages. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { englishToSpanish } from '../../server/engines/translation/english/spanish-grammars.ts';
import { spanishToEnglish } from '../../server/engines/translation/spanish/english-grammars.ts';
import { apertiumOfFile, temporaryFolder, translateTexts } from './apertium-support.ts';
import { marked, written } from './marked-segments.ts';

const signal = new AbortController().signal;
const options = { source: 'en', target: 'es', signal };
const engine = await apertiumOfFile();

test.each([
  // What is meant among several words.
  ['The file is too large.', 'El archivo es demasiado grande.'],
  ['Your address is new.', 'Tu dirección es nueva.'],
  ['The letter has two pages.', 'La carta tiene dos páginas.'],
  ['Write the first letter of the word.', 'Escribe la primera letra de la palabra.'],
  ['A stone fell on that temple.', 'Una piedra cayó en ese templo.'],
  ['Two usernames and a thumbnail', 'Dos usuarios y una miniatura'],
  ['What time is it?', '¿Qué hora es?'],
  // Phrases keep the signs behind them, and words stay on their side of a bar.
  ['He said: "I am fine".', 'Dijo: "estoy bien".'],
  ['“Nice to meet you”, he said.', '“Encantado de conocerte”, dijo.'],
  ['"Last week"', '"La semana pasada"'],
  ['**last week**|big|house', '**la semana pasada**|grande|casa'],
  ["It`s a good day. Don´t go. It''s red.", 'Es un buen día. No vayas. Es rojo.'],
  ['Car', 'Coche'],
  ['Sign up for the newsletter', 'Apúntate al boletín'],
  // What asks for something.
  ['Open the door.', 'Abre la puerta.'],
  ['Click the button to save your changes.', 'Pulsa el botón para guardar tus cambios.'],
  ['Send me the invoice.', 'Envíame la factura.'],
  ['Cancel', 'Cancelar'],
  // Places and times.
  ['They live near the river.', 'Viven cerca del río.'],
  ['The hotel is next to the station.', 'El hotel está junto a la estación.'],
  ['It takes two hours.', 'Lleva dos horas.'],
  ['Call me before noon.', 'Llámame antes de mediodía.'],
  // What programs have done.
  ['Changes saved.', 'Cambios guardados.'],
  ['New user created.', 'Usuario nuevo creado.'],
  ['Your comment is currently approved.', 'Tu comentario es actualmente aprobado.'],
  ['The user created two menus.', 'El usuario creó dos menús.'],
  ['The open door is red.', 'La puerta abierta es roja.'],
  // Verbs with particles, and words that are none.
  ['Turn on the light.', 'Enciende la luz.'],
  ['He turned it off.', 'Lo apagó.'],
  ['Look at this.', 'Mira esto.'],
  ['There is a sign in the window.', 'Hay una señal en la ventana.'],
  // Adjectives before their noun.
  ['This is the best restaurant in the city.', 'Este es el mejor restaurante de la ciudad.'],
  ['We had a bad experience.', 'Tuvimos una mala experiencia.'],
  ['The next train leaves in ten minutes.', 'El próximo tren sale en diez minutos.'],
  ['Good news and a great idea', 'Buenas noticias y una gran idea'],
  // Verbs and adjectives behind a clause, and what the clause begins with.
  ['The people who live here are very friendly.', 'Las personas que viven aquí son muy amistosas.'],
  ['That was the worst movie I have ever seen.', 'Esa era la peor película que he visto.'],
  ['Select the files you want to upload.', 'Selecciona los archivos que quieres subir.'],
  ['Nobody told me the store was closed.', 'Nadie me dijo que la tienda estuvo cerrada.'],
  ['The more you read, the more you learn.', 'Cuanto más lees, más aprendes.'],
  ['Close the door before the movie starts.', 'Cierra la puerta antes de que la película empiece.'],
  ['The reasons why I came', 'Las razones por las que vine'],
  ['What is the capital of France?', '¿Cuál es la capital de Francia?'],
  ['(1) I do not know.', '(1) No sé.'],
  ['[12] He is tall.', '[12] Es alto.'],
  ['I know what the problem is.', 'Sé cuál es el problema.'],
  ['Do you want to come with us?', '¿Quieres venir con nosotros?'],
  ['The file could not be found.', 'El archivo no se pudo encontrar.'],
  ['These photos cannot be deleted.', 'Estas fotos no se pueden eliminar.'],
  ['This cannot be true.', 'Esto no puede ser cierto.'],
  ["I don't have any questions.", 'No tengo ninguna pregunta.'],
  ['An error occurred while saving the file.', 'Se ha producido un error al guardar el archivo.'],
  ['Welcome to the club.', 'Bienvenidos al club.'],
  // Who does it to whom.
  ['He told me the truth.', 'Me dijo la verdad.'],
  ['I see you.', 'Te veo.'],
  ['They love us.', 'Nos quieren.'],
  ['They asked us to leave.', 'Nos pidieron que saliéramos.'],
  ['I think you are here.', 'Creo que estás aquí.'],
  // Questions.
  ['Can you hear me?', '¿Me puedes oír?'],
  ['What can you do?', '¿Qué puedes hacer?'],
  ['Do you have a car?', '¿Tienes un coche?'],
  ['Where are you?', '¿Dónde estás?'],
  ['Did you see the game last night?', '¿Viste el juego anoche?'],
  ['Why do I do this?', '¿Por qué hago esto?'],
  ['I do it because I love it.', 'Lo hago porque lo quiero.'],
  // Sentences and their parts.
  ['The train leaves at nine.', 'El tren sale a las nueve.'],
  ['The man who came is here.', 'El hombre que vino está aquí.'],
  ['I know when he comes.', 'Sé cuando viene.'],
  // What is said in another way altogether.
  ["Let's start.", 'Vamos a empezar.'],
  ['Let me explain.', 'Déjame explicar.'],
  ['See you tomorrow.', 'Hasta mañana.'],
  ['Good evening, everyone.', 'Buenas noches, todo el mundo.'],
  // Questions of things, and whether there is something.
  ['When does the store open?', '¿Cuándo abre la tienda?'],
  ['How much does this cost?', '¿Cuánto cuesta esto?'],
  ['Are there any questions?', '¿Hay alguna pregunta?'],
  ['Can everybody hear me?', '¿Todo el mundo me puede oír?'],
  ['Has anyone seen my keys?', '¿Alguien ha visto mis llaves?'],
  ['Why are you crying?', '¿Por qué estás llorando?'],
  // Whom nouns do it to.
  ['My father gave me a watch.', 'Mi padre me dio un reloj.'],
  ['Some people ask me why.', 'Algunas personas me preguntan por qué.'],
  ['The doctors told us to wait.', 'Los médicos nos dijeron que esperáramos.'],
  // What is not to be done.
  ["Don't worry.", 'No te preocupes.'],
  ["Don't forget to vote.", 'No olvides votar.'],
  ['Please do not touch the screen.', 'Por favor no toques la pantalla.'],
  // Nouns, and no verbs.
  ['I like this book very much.', 'Me gusta este libro mucho.'],
  ['This website uses cookies.', 'Este sitio web usa cookies.'],
  ['Is this seat free?', '¿Este asiento está libre?'],
  ['Can you repeat that, please?', '¿Puedes repetir eso, por favor?'],
  // To be, to have, to be somewhere.
  ['The book is on the table.', 'El libro está en la mesa.'],
  ['You are right.', 'Tienes razón.'],
  ['Sorry, I am late.', 'Lo siento, llego tarde.'],
  ["I'm sorry. I am so sorry.", 'Lo siento. Lo siento mucho.'],
  ['We are sorry, we are closed.', 'Lo sentimos, estamos cerrados.'],
  ["I'm sorry to disturb you.", 'Siento perturbarte.'],
  ['I have never been to Paris.', 'Nunca he estado en París.'],
  ["I don't have any money.", 'No tengo ningún dinero.'],
  // Phrases.
  ['Excuse me, where is the exit?', 'Perdona, ¿dónde está la salida?'],
  ['There is nobody at home.', 'No hay nadie en casa.'],
  ['It is very cold today.', 'Hace mucho frío hoy.'],
  ['They met last year.', 'Conocieron el año pasado.'],
  ['It was the last year of his life.', 'Era el último año de su vida.'],
  ['How old are you?', '¿Cuántos años tienes?'],
  // What one wants, asks and forbids others to do.
  ['I want you to come to Paris.', 'Yo quiero que tú vengas a París.'],
  ['He asked me to help him.', 'Me pidió que le ayudara.'],
  ['They asked the man to leave.', 'Pidieron al hombre que saliera.'],
  ['Ask her to wait.', 'Pídele que espere.'],
  ["Don't tell us the end.", 'No nos digas el fin.'],
  // What would be, used to be and was done.
  ['If I had more time, I would tell you.', 'Si yo tuviera más tiempo, te diría.'],
  ['I used to live in Paris.', 'Yo vivía en París.'],
  ['The book was written by a famous author.', 'El libro fue escrito por un autor famoso.'],
  ['The shops were closed.', 'Las tiendas estuvieron cerradas.'],
  ['We are tired.', 'Estamos cansados.'],
  // Clauses without a pronoun, and questions within them.
  ['Yesterday I saw the dog they bought.', 'Ayer vi el perro que compraron.'],
  ['I agree with what she said.', 'Estoy de acuerdo con lo que dijo.'],
  ['Do you know where the bathroom is?', '¿Sabes dónde está el baño?'],
  ['The dog that bit me was black.', 'El perro que me mordió era negro.'],
  ['Both of them are right.', 'Ambos tienen razón.'],
  ['The water is cold.', 'El agua está fría.'],
  ['My brother and I went fishing.', 'Mi hermano y yo fuimos a pescar.'],
  ['My name is Anna and I come from Sweden.', 'Me llamo Anna y yo vengo de Suecia.'],
  ['The meeting lasted for three hours.', 'La reunión duró durante tres horas.'],
  ['The water is too cold to swim.', 'El agua está demasiado fría para nadar.'],
  ["It's important to drink enough water.", 'Es importante beber bastante agua.'],
  ['Where are my shoes?', '¿Dónde están mis zapatos?'],
  ["She's the most intelligent person I know.", 'Es la persona más inteligente que conozco.'],
  ['I know that song.', 'Sé esa canción.'],
  ['What are the rules for?', '¿Para qué son las reglas?'],
  ['We tried and failed.', 'Intentamos y fallamos.'],
  ['You cannot copy or move a file.', 'No puedes copiar o mover un archivo.'],
  ['This can be fixed.', 'Esto puede ser arreglado.'],
  ['Thank you all for coming today.', 'Gracias a todos por venir hoy.'],
  ['We need to change the way we work.', 'Necesitamos cambiar la manera en que trabajamos.'],
  ['Lunch will be served in the main hall.', 'El almuerzo será servido en la sala principal.'],
  ['Second, we have to move faster.', 'Segundo, tenemos que mover más rápido.'],
  ['The old man smiled and shook his head.', 'El hombre viejo sonrió y sacudió su cabeza.'],
  ['We need to listen to our users.', 'Necesitamos escuchar a nuestros usuarios.'],
  ['I look forward to hearing from you.', 'Espero tu respuesta.'],
  ['The team won for the third time.', 'El equipo ganó por tercera vez.'],
  ['Add salt and pepper to taste.', 'Añade sal y pimienta al gusto.'],
  ['The event starts at nine.', 'El evento empieza a las nueve.'],
  ['Turn on the subtitles.', 'Enciende los subtítulos.'],
  ['I have just one question.', 'Tengo sólo una pregunta.'],
  ['What was the film like?', '¿Cómo era la película?'],
  ['Whose jacket is this?', '¿De quién es esta chaqueta?'],
  ['What time does the train leave?', '¿A qué hora sale el tren?'],
  ['A friend of mine lives in Madrid.', 'Un amigo mío vive en Madrid.'],
  ['I look forward to meeting him.', 'Tengo ganas de conocerle.'],
  ['I will be away for the next three years.', 'Estaré fuera durante los próximos tres años.'],
  ['If I were you, I would call the police.', 'Yo en tu lugar, llamaría a la policía.'],
  ['It took us three hours to get there.', 'Tardamos tres horas en llegar allí.'],
  ['We should leave before it gets dark.', 'Tendríamos que salir antes de que oscurezca.'],
  ["I can't find my keys anywhere.", 'No puedo encontrar mis llaves en ninguna parte.'],
  ['They live on the second floor.', 'Viven en el segundo piso.'],
  ['You look tired today.', 'Pareces cansado hoy.'],
  ["I don't feel like going out tonight.", 'No me apetece salir esta noche.'],
  ['Make sure the door is locked.', 'Asegúrate de que la puerta está cerrada.'],
  ["That doesn't make any sense.", 'Eso no tiene ningún sentido.'],
  ['He is afraid of dogs.', 'Tiene miedo de perros.'],
  ["You're right, I was wrong.", 'Tienes razón, estaba equivocado.'],
  ["I'm afraid I can't help you.", 'Me temo que no te puedo ayudar.'],
  ['I opened the door and saw my brother.', 'Abrí la puerta y vi a mi hermano.'],
  ['We went shopping and then had lunch together.', 'Fuimos de compras y entonces comimos juntos.'],
  [
    'I usually get up at seven and go to work by bike.',
    'Normalmente me levanto a las siete y voy al trabajo en bici.',
  ],
  ['I can sing and dance.', 'Puedo cantar y bailar.'],
  ['He told me that he was tired.', 'Me dijo que estaba cansado.'],
  ['Who did you go with?', '¿Con quién fuiste?'],
  ['What does this word mean?', '¿Qué significa esta palabra?'],
  // What is to come, and what somebody makes of somebody.
  ['Call me when you get home.', 'Llámame cuando llegues a casa.'],
  ["I'll call you when I arrive.", 'Te llamaré cuando llegue.'],
  ['When I arrive, I eat.', 'Cuando llego, como.'],
  ['Before I go, call me.', 'Antes de que vaya, llámame.'],
  ['That makes me happy.', 'Eso me hace feliz.'],
  ['This lets you save money.', 'Esto te deja guardar dinero.'],
  // On days, and on something.
  ['Click on Network.', 'Pulsa en Red.'],
  ['He said on Tuesday that he was tired.', 'Dijo el martes que estaba cansado.'],
  ['The meeting has been postponed until Monday.', 'La reunión ha sido aplazada hasta el lunes.'],
  ['On Friday night we went out.', 'El viernes por la noche salimos.'],
  ["Don't worry, be happy.", 'No te preocupes, sé feliz.'],
  ['You were right all along.', 'Tenías razón desde el principio.'],
  ['They love each other.', 'Se quieren.'],
  ['Where are you from?', '¿De dónde eres?'],
  ['What would you do in my place?', '¿Qué harías en mi lugar?'],
  ["I'll do it tomorrow.", 'Lo haré mañana.'],
  ["It's been a long day.", 'Ha sido un día largo.'],
  ['My car needs to be repaired.', 'Mi coche necesita ser reparado.'],
  ["They don't speak Spanish.", 'No hablan español.'],
  ["We couldn't see anything.", 'No pudimos ver nada.'],
  ['Stop talking.', 'Deja de hablar.'],
  ['When were you born?', '¿Cuándo naciste?'],
  ['It is on the right side.', 'Está en el lado derecho.'],
  ['It is half past three.', 'Son las tres y media.'],
  ['Sales went up by twenty percent.', 'Las ventas subieron un veinte por ciento.'],
])('%s', async (text, expected) => {
  expect(await translateTexts(engine, [text], options)).toEqual([expected]);
});

test.each([
  ['He <1>told</1> me.', 'Me <1>dijo</1>.'],
  ['<1>Turn on</1> the light.', '<1>Enciende</1> la luz.'],
  ['He turned <1>it</1> <2>off</2>.', '<1>Lo</1> <2>apagó</2>.'],
  ['<1>Can</1> <2>you</2> help me?', '<1>¿Me</1> <2>puedes</2> ayudar?'],
  ["Let's <1>go</1>.", 'Vamos a <1>ir</1>.'],
  ["<1>Didn't</1> <2>you</2> call?", '<1>¿No</1> <2>llamaste</2>?'],
  ['<1>March</1> <2>3</2>, <3>2026</3>', '<2>3</2> <1>de marzo</1> <3>de 2026</3>'],
])('%s with marks', async (text, expected) => {
  const [answer = []] = await engine.translate([marked(text)], options);
  expect(written(answer)).toBe(expected);
});

const toEnglish = { source: 'es', target: 'en', signal };

test.each([
  // Who does something, where Spanish does not say it.
  ['Tengo las órdenes.', 'I have the orders.'],
  ['La casa que compré es grande.', 'The house that I bought is big.'],
  ['No quiero ir.', 'I do not want to go.'],
  ['Ayer compramos pan.', 'Yesterday we bought bread.'],
  ['Voy a hablar de tres cosas.', 'I am going to speak of three things.'],
  ['Me gusta mucho la música.', 'I really like the music.'],
  ['No me gusta.', 'I do not like it.'],
  ['Me siento bien.', 'I feel well.'],
  // Questions.
  ['¿Qué quieres?', 'What do you want?'],
  ['¿Viste la casa?', 'Did you see the house?'],
  ['¿Dónde estás?', 'Where are you?'],
  ['¿Puedes oírme?', 'Can you hear me?'],
  ['¿Has visto mi coche?', 'Have you seen my car?'],
  ['¿Tiene alguna pregunta?', 'Do you have any question?'],
  ['¿Cómo te llamas?', 'What is your name?'],
  // What asks for something, and what names it.
  ['Abra su archivo.', 'Open your file.'],
  ['Por favor, elige una opción.', 'Please, choose an option.'],
  ['Nombre de archivo', 'Name of file'],
  ['Quiero apagar.', 'I want to turn off.'],
  // What is meant among several words.
  ['El equipo ganó el partido.', 'The team won the match.'],
  ['Conecta el teclado a tu equipo.', 'Connect the keyboard to your computer.'],
  ['Dime la verdad.', 'Tell me the truth.'],
  // Sentences and their parts.
  ['La lista se mostrará.', 'The list will be displayed.'],
  ['El tren sale a las nueve.', 'The train leaves at nine.'],
  ['Hace dos años vine.', 'Two years ago I came.'],
  ['Es más grande que tú.', 'It is bigger than you.'],
  ['Buenas tardes.', 'Good afternoon.'],
  ['La reunión se ha cancelado.', 'The meeting has been cancelled.'],
  ['Deberíamos haber salido antes.', 'We should have left before.'],
  // Where things are, what they cost, whether there are any.
  ['¿Dónde está la estación?', 'Where is the station?'],
  ['¿Cuándo abre la tienda?', 'When does the shop open?'],
  ['¿Hay algunos problemas?', 'Are there any problems?'],
  ['¿Dónde puedo comprar entradas?', 'Where can I buy tickets?'],
  ['¿Cómo se dice esto?', 'How do you say this?'],
  // Nothing is lost of a negation, and nobody is asked who is called.
  ['Dijo que no habrá elecciones.', 'He said that there will be no elections.'],
  ['Nunca he estado en París.', 'I have never been in Paris.'],
  ['No olvides votar.', 'Do not forget to vote.'],
  ['No te preocupes.', 'Do not worry.'],
  ['¡Espera, humano!', 'Wait, human!'],
  // What Spanish has, makes, carries and says of itself.
  ['Tengo sed.', 'I am thirsty.'],
  ['¿Tienes miedo?', 'Are you afraid?'],
  ['Hace mucho frío hoy.', 'It is very cold today.'],
  ['Llevo diez años trabajando aquí.', 'I have spent ten years working here.'],
  ['Tenemos que irnos.', 'We have to go.'],
  ['Se puede pagar con tarjeta.', 'You can pay with card.'],
  ['No se pudo encontrar el archivo.', 'Could not find the file.'],
  ['Inicie sesión para continuar.', 'Sign in to continue.'],
  // Who does it, behind the verb and before it.
  ['Llegó el tren con retraso.', 'The train arrived with delay.'],
  ['A María le gusta bailar.', 'María likes to dance.'],
  ['Si tuviera dinero, compraría una casa.', 'If I had money, I would buy a house.'],
  ['Se lo dije ayer.', 'I told it to him yesterday.'],
  ['Mi hermana es médica.', 'My sister is a doctor.'],
  ['Si tuviera tiempo, os contaría la historia.', 'If I had time, I would tell you the story.'],
  // What one wants of others, and what has just happened.
  ['Quiero que vengas a la reunión.', 'I want you to come to the meeting.'],
  ['Necesito que me ayudes.', 'I need you to help me.'],
  ['Acaba de llegar de Londres.', 'It has just arrived from London.'],
  ['Deja de hablar.', 'Stop speaking.'],
  ['¿Por qué no viniste?', 'Why did you not come?'],
  ['¿Alguien sabe la respuesta?', 'Does anyone know the response?'],
  ['¿Puedo ayudarle?', 'Can I help you?'],
  ['¿Dónde has estado?', 'Where have you been?'],
  ['¿Dónde están los niños?', 'Where are the children?'],
  ['Puede pagar en efectivo.', 'You can pay in cash.'],
  ['Fuimos al cine.', 'We went to the cinema.'],
  ['¿A qué hora cierran?', 'At what time do you close?'],
  ['El problema es que nadie escucha.', 'The problem is that nobody listens.'],
  ['Síguenos en las redes sociales.', 'Follow us on social media.'],
  ['¿Está seguro de que quiere salir?', 'Are you sure you want to leave?'],
  ['Pueden descargar las diapositivas.', 'You can download the slides.'],
  ['¿A qué hora sale el tren?', 'At what time does the train leave?'],
  ['Ya no vivo aquí.', 'I do not live here anymore.'],
  ['Eso me hace feliz.', 'That makes me happy.'],
  ['Vino el lunes.', 'It came on Monday.'],
  ['Cada vez más gente trabaja desde casa.', 'More and more people work from home.'],
  ['A todo el mundo le gusta el chocolate.', 'Everybody likes chocolate.'],
  ['Es una muy buena pregunta.', 'It is a very good question.'],
  ['Me levanto a las siete.', 'I get up at seven.'],
  ['Me desperté tarde.', 'I woke up late.'],
  ['Se llama María.', 'Her name is María.'],
  ['Mi hijo se llama Pedro.', 'My son is called Pedro.'],
  ['Trabajo en un hospital.', 'I work in a hospital.'],
  ['Todavía no he terminado.', 'I have not finished yet.'],
  ['¿Te gusta el café?', 'Do you like coffee?'],
  ['Me gusta la casa.', 'I like the house.'],
  ['Estoy cansado de esperar.', 'I am tired of waiting.'],
  ['Deberías descansar.', 'You should rest.'],
  ['La puerta debería estar abierta.', 'The door should be open.'],
  ['El médico le dijo que descansara.', 'The doctor told him to rest.'],
  ['Le dije que viniera.', 'I told him to come.'],
  ['¿Lo entiendes?', 'Do you understand it?'],
  ['¿Me puedes prestar dinero?', 'Can you loan me money?'],
  ['El invierno pasado fuimos a esquiar.', 'Last winter we went skiing.'],
  ['Está a diez minutos a pie.', 'It is ten minutes on foot.'],
  ['No es tan fácil como parece.', 'It is not as easy as it seems.'],
  ['Eso no tiene sentido.', 'That does not make sense.'],
  ['El museo está abierto de nueve a cinco.', 'The museum is open from nine to five.'],
  ['Perdimos el tren.', 'We missed the train.'],
  ['¿Aceptan tarjetas?', 'Do you accept cards?'],
  ['Tanto mi padre como mi madre trabajan.', 'Both my father and my mother work.'],
  ['¿Sabes dónde está el baño?', 'Do you know where the bathroom is?'],
  ['No podíamos ver nada.', 'We could not see anything.'],
  ['¡Qué día tan bonito!', 'What a beautiful day!'],
  ['Ella es más alta que su hermano.', 'She is taller than her brother.'],
  ['¿Cómo funciona?', 'How does it work?'],
  ['No tengo muchas ganas de salir.', "I don't really want to leave."],
  ['Trabaja aquí desde hace dos años.', 'It works here for two years.'],
  // Phrases.
  ['Perdone, ¿qué hora es?', 'Excuse me, what time is it?'],
  ['Son las tres y media.', 'It is three thirty.'],
  ['¿Me oyen todos?', 'Can everyone hear me?'],
  ['Nos vemos mañana.', 'See you tomorrow.'],
  ['Muchas gracias por su atención.', 'Thank you very much for your attention.'],
])('%s', async (text, expected) => {
  expect(await translateTexts(engine, [text], toEnglish)).toEqual([expected]);
});

test.each([
  ['Creo que <1>tengo</1> la llave.', 'I think that I <1>have</1> the key.'],
  ['¿<1>Puedes</1> oírme?', '<1>Can</1> you hear me?'],
  ['<1>Apaga</1> la <2>luz</2>.', '<1>Turn</1> off the <2>light</2>.'],
  ['Hace <1>dos años</1> vine.', '<1>Two years</1> ago I came.'],
])('%s with marks', async (text, expected) => {
  const [answer = []] = await engine.translate([marked(text)], toEnglish);
  expect(written(answer)).toBe(expected);
});

const CHOICE =
  /^SUBSTITUTE \([^)]*\) \("([^"*@=]+)"( (?:n )?(?:mf?|f)| adj(?: sint)?)?\) \("<[^>]+>"\) IF \(0 \((n|vblex|adj|adv)\)\)/gm;

test.each([
  ['eng-spa', englishToSpanish, 500, (kind: string) => (kind === '' ? 'm' : kind)],
  ['spa-eng', spanishToEnglish, 250, () => ''],
])('every word that %s chooses is one that it can write', async (mode, texts, least, genderOf) => {
  const units = [...texts().target.matchAll(CHOICE)].map(([, lemma = '', kind = '', tag = '']) => {
    const [head = '', queue] = lemma.split(/(?=# )/);
    const gender = genderOf(kind.replace(/^ (?:n )?|adj.*$/g, '').trim());
    const ofGender = gender === '' ? '' : `<${gender}>`;
    const forms: Record<string, string> = {
      n: `<n>${ofGender}<sg>`,
      vblex: '<vblex><inf>',
      adj:
        ofGender === '' ? `<adj>${kind.includes('sint') ? '<sint>' : ''}` : `<adj>${ofGender}<sg>`,
      adv: '<adv>',
    };
    return `^${head}${forms[tag]}${queue ?? ''}$`;
  });
  expect(units.length).toBeGreaterThan(least);
  const file = path.join(await temporaryFolder(), 'units');
  await writeFile(file, units.join('\n'));
  const generator = `/usr/share/apertium/apertium-eng-spa/${mode}.autogen.bin`;
  const { stdout } = await promisify(execFile)('lt-proc', ['-g', generator, file]);
  const unknown = units.filter((_, i) => stdout.split('\n')[i]?.includes('#') !== false);
  expect(unknown).toEqual([]);
});
