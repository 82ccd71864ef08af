/** English to Spanish: sentences that its grammars read as a person would, some at a time. */
import { expect, test } from 'vitest';
import { apertiumOfFile, translateTexts } from './apertium-support.ts';

const signal = new AbortController().signal;
const engine = await apertiumOfFile();

const SENTENCES: Record<string, [english: string, spanish: string][]> = {
  'what somebody does, not several of something': [
    ['The cat drinks milk.', 'El gato bebe leche.'],
    ['The bus stops here.', 'El autobús para aquí.'],
    ['I think that the company needs help.', 'Creo que la empresa necesita ayuda.'],
    ['The bus stops are closed.', 'Las paradas de autobús están cerradas.'],
    ['The product features', 'Las características de producto'],
    [
      'The bus stops near the station are closed.',
      'Las paradas de autobús cerca de la estación están cerradas.',
    ],
    ['The city parks close at ten.', 'Los parques de ciudad cierran a las diez.'],
    ['Prices fall in May.', 'Los precios caen en mayo.'],
    ['The music plays.', 'La música suena.'],
    ['The band plays tonight.', 'El grupo toca esta noche.'],
  ],
  'questions with a contracted `not`': [
    ["Why didn't you call me?", '¿Por qué no me llamaste?'],
    ["Haven't your parents called?", '¿No han llamado tus padres?'],
    ["Can't this wait?", '¿No puede esperar esto?'],
    ["Haven't you finished yet?", '¿No has acabado todavía?'],
    ["Isn't it beautiful?", '¿No es hermoso?'],
    ["Don't you like it?", '¿No te gusta?'],
    ["Why didn't the train stop?", '¿Por qué no paró el tren?'],
    ["Didn't the doctor call?", '¿No llamó el médico?'],
    ["Hasn't the parcel arrived?", '¿No ha llegado el paquete?'],
    ["Why can't the customer pay?", '¿Por qué no puede pagar el cliente?'],
  ],
  'dates, seasons and how often': [
    ['March 3, 2026', '3 de marzo de 2026'],
    ['The meeting is on 4 March 2026.', 'La reunión es el 4 de marzo de 2026.'],
    ['Summer', 'Verano'],
    ['Open Monday to Friday', 'Abre de lunes a viernes'],
    ['We are open Monday to Friday.', 'Estamos abiertos de lunes a viernes.'],
    ['He works eight hours a day.', 'Trabaja ocho horas al día.'],
    ['Three times a week', 'Tres veces a la semana'],
  ],
  'what is not to be done': [
    ['Do not turn off your computer.', 'No apagues tu ordenador.'],
    ["Don't give up!", '¡No te rindas!'],
    ["Don't wake the children.", 'No despiertes a los niños.'],
    ['Do not eat or drink here.', 'No comas ni bebas aquí.'],
    [
      'The project started in 2019 and ended in 2021.',
      'El proyecto empezó en 2019 y acabó en 2021.',
    ],
  ],
  'states, events, hundreds, and verbs as nouns': [
    ['She is pregnant.', 'Está embarazada.'],
    ['There was an accident yesterday.', 'Hubo un accidente ayer.'],
    ['Five hundred people came.', 'Quinientas personas vinieron.'],
    ['These books are mine.', 'Estos libros son míos.'],
    ['Learning a language takes time.', 'Aprender un idioma toma tiempo.'],
    ['There was an error opening the file.', 'Hubo un error al abrir el archivo.'],
  ],
  'pronouns and what goes on': [
    ['I love her.', 'La quiero.'],
    ['I told her.', 'Le dije.'],
    ['Do you know her?', '¿La conoces?'],
    ['They keep talking.', 'Siguen hablando.'],
    ['My brother is sorry.', 'Mi hermano lo siente.'],
    ['She has already left.', 'Ya ha salido.'],
    ['Have you ever seen this film?', '¿Has visto alguna vez esta película?'],
    ['There is no milk left.', 'No hay leche.'],
    ['There are only two days left to register.', 'Quedan sólo dos días para registrar.'],
    ['There is a key left on the table.', 'Queda una llave en la mesa.'],
    ['Keep moving.', 'Sigue moviéndote.'],
    ['This book is much more interesting.', 'Este libro es mucho más interesante.'],
    ['The parcel was packed and shipped yesterday.', 'El paquete fue empaquetado y enviado ayer.'],
  ],
  'clauses that do not begin with that': [
    ['I know he is here.', 'Sé que está aquí.'],
    ["I think it's late.", 'Creo que es tarde.'],
    ['I hope it rains.', 'Espero que llueva.'],
    ['I hope the weather is good.', 'Espero que el tiempo sea bueno.'],
    ["I don't think he knows.", 'No creo que sepa.'],
    ['I see you have a dog.', 'Veo que tienes un perro.'],
    ['I saw you dance.', 'Te vi bailar.'],
    ['Tell him I am busy.', 'Dile que estoy ocupado.'],
    ['Are you sure you locked the door?', '¿Estás seguro de que cerraste la puerta?'],
    ['He said these mines were old.', 'Dijo que estas minas eran viejas.'],
    ['I think I know him.', 'Creo que le conozco.'],
    ['I know some people who live here.', 'Conozco algunas personas que viven aquí.'],
    ['i think so, but i have to ask', 'Creo que sí, pero tengo que preguntar'],
    ['The value of i is one.', 'El valor de i es uno.'],
    ['I know her parents are rich.', 'Sé que sus padres son ricos.'],
    ["I hope you're hungry.", 'Espero que tienes hambre.'],
    ["I hope it's not too late.", 'Espero que no es demasiado tarde.'],
    ['I hope you have a nice day.', 'Espero que tengas un día bueno.'],
    ["I'm not sure I can.", 'No estoy seguro de que puedo.'],
    ['I wanted to say I am sorry.', 'Quise decir que lo siento.'],
  ],
  'what else is said, and stands on pages': [
    ["I'd like to share a few announcements.", 'Me gustaría compartir unos cuantos anuncios.'],
    ['He was taken to the hospital.', 'Fue llevado al hospital.'],
    ['Who is responsible for this project?', '¿Quién es responsable de este proyecto?'],
    ['Please fill out this form.', 'Por favor rellena este formulario.'],
    ['The elevator is out of order.', 'El ascensor está fuera de servicio.'],
    ['Admission is free on Sundays.', 'La entrada es gratuita los domingos.'],
    ['Water freezes at zero degrees.', 'El agua congela a cero grados.'],
    ['Only administrators can delete files.', 'Sólo los administradores pueden eliminar archivos.'],
    ['Shake well before use.', 'Sacude bien antes de uso.'],
    ['Help center', 'Centro de ayuda'],
  ],
  'what a word near by does not change': [
    ['She took the bus to the airport.', 'Tomó el autobús al aeropuerto.'],
    ['I took Anna to the station.', 'Llevé Anna a la estación.'],
    ['Our goal is to win the match.', 'Nuestro objetivo es ganar el partido.'],
    ['He scored a goal.', 'Puntuó un gol.'],
    ['I bought her a ring.', 'Le compré un anillo.'],
    ['I met her last week.', 'La conocí la semana pasada.'],
    ["He can't keep waiting.", 'No puede seguir esperando.'],
    ['Bring a present to the party.', 'Trae un presente a la fiesta.'],
    ['Parking is free.', 'El aparcamiento es gratuito.'],
    ['Recommended products', 'Productos recomendados'],
    ['May 5-7', 'Mayo 5-7'],
    ['I hope they like it.', 'Espero que les guste.'],
    ['There was no need to call.', 'No había necesidad de llamar.'],
  ],
};

test.each(Object.entries(SENTENCES))('English to Spanish: %s', async (_what, sentences) => {
  const texts = sentences.map(([english]) => english);
  const translations = await translateTexts(engine, texts, { source: 'en', target: 'es', signal });
  expect(translations).toEqual(sentences.map(([, spanish]) => spanish));
});
