/** Into Italian with the product's own grammars, from Spanish and through it: what people say, and what stands on pages. */
import { expect, test } from 'vitest';
import { apertiumOfFile, translateTexts } from './apertium-support.ts';
import { marked, written } from './marked-segments.ts';

const signal = new AbortController().signal;
const engine = await apertiumOfFile();

async function inItalian(source: string, text: string): Promise<string | undefined> {
  const [answer] = await translateTexts(engine, [text], { source, target: 'it', signal });
  return answer;
}

test.each([
  // Pronouns that agree with their verb.
  ['Me llamo Ana.', 'Mi chiamo Ana.'],
  ['Nos hemos levantado temprano.', 'Ci siamo alzati presto.'],
  ['No te preocupes.', 'Non preoccuparti.'],
  ['Le gusta la pizza.', 'Gli piace la pizza.'],
  ['A ella le gustan los perros.', 'A lei piacciono i cani.'],
  ['Se habla español.', 'Si parla spagnolo.'],
  ['Se ha roto la pierna.', 'Si è rotto la gamba.'],
  // Requests.
  ['Abre la puerta y cierra la ventana.', 'Apri la porta e chiudi la finestra.'],
  ['Dame las llaves.', 'Dammi le chiavi.'],
  ['Dígame la verdad.', 'Mi dica la verità.'],
  ['Cuando llegues, llámame.', 'Quando arrivi, chiamami.'],
  ['Nadie lo sabe.', 'Nessuno lo sa.'],
  ['Déjame ayudarte.', 'Lasciami aiutarti.'],
  ['Di la verdad.', 'Di la verità.'],
  // Where, when, and what one needs.
  ['¿Dónde está la estación?', "Dov'è la stazione?"],
  ['Mi libro está en la mesa.', 'Il mio libro è sul tavolo.'],
  ['Mi hermana vive en Roma.', 'Mia sorella vive a Roma.'],
  ['Hace dos años que vivo en Italia.', 'Da due anni vivo in Italia.'],
  ['Vivo aquí desde hace dos años.', 'Vivo qui da due anni.'],
  ['El tren sale a las ocho y media.', 'Il treno parte alle otto e mezza.'],
  ['La tienda está abierta de lunes a viernes.', 'Il negozio è aperto dal lunedì al venerdì.'],
  ['El 5 de mayo de 2020.', 'Il 5 maggio 2020.'],
  ['Ayer fuimos al cine.', 'Ieri siamo andati al cinema.'],
  ['Ha ido a casa.', 'È andato a casa.'],
  ['Acabo de llegar.', 'Sono appena arrivato.'],
  ['Tengo que trabajar mañana.', 'Devo lavorare domani.'],
  ['Necesito un médico.', 'Ho bisogno di un medico.'],
  ['Quisiera un café, por favor.', 'Vorrei un caffè, per favore.'],
  ['Ya no trabaja aquí.', 'Non lavora più qui.'],
  ['Mi hermana es más alta que yo.', 'Mia sorella è più alta di me.'],
  ['Te echo de menos.', 'Mi manchi.'],
  // What was.
  ['Me dijeron la verdad.', 'Mi hanno detto la verità.'],
  ['Nunca he estado en Roma.', 'Non sono mai stato a Roma.'],
  ['Di el libro a mi hermano.', 'Ho dato il libro a mio fratello.'],
  ['Ellos llegaron ayer.', 'Loro sono arrivati ieri.'],
  // Which one, and none.
  ['Ese estudiante lee ese libro.', 'Quello studente legge quel libro.'],
  ['No hay ninguna manera.', "Non c'è nessun modo."],
  ['Muchas personas viajan a Italia.', 'Molte persone viaggiano in Italia.'],
  ['Hace calor.', 'Fa caldo.'],
  // Pages and programs.
  ['Guardar cambios', 'Salva modifiche'],
  ['Iniciar sesión', 'Accedi'],
  ['Haga clic en el botón.', 'Faccia clic sul pulsante.'],
  ['Los instaladores están aquí.', 'I programmi di installazione sono qui.'],
  ['El archivo no se pudo encontrar.', 'Il file non si è potuto trovare.'],
  // Words that are another one elsewhere, and phrases that begin within others.
  ['La reunión fue larga.', 'La riunione è stata lunga.'],
  ['Fue a casa.', 'È andato a casa.'],
  ['La mañana es fría.', 'La mattina è fredda.'],
  ['Ven la televisión.', 'Vedono la televisione.'],
  ['Un viejo amigo vino a verme.', 'Un vecchio amico è venuto a vedermi.'],
  ['Bebo vino tinto.', 'Bevo vino tinto.'],
  ['Eso no es verdad.', 'Questo non è vero.'],
  ['Creo que no lo sé.', 'Credo che non lo so.'],
  ['Muchas gracias a todos.', 'Grazie mille a tutti.'],
  ['Leer más libros', 'Leggere più libri'],
  ['Mis hermanas han llegado.', 'Le mie sorelle sono arrivate.'],
  ['Busco a mi perro.', 'Cerco il mio cane.'],
  ['Le vi ayer.', "L'ho visto ieri."],
  ['Configuración de la cuenta', 'Configurazione del conto'],
  ['Mis padres y el señor García.', 'I miei genitori e il signor García.'],
])('Spanish into Italian: %s', async (text, expected) => {
  expect(await inItalian('es', text)).toBe(expected);
});

test.each([
  ['Do you speak English?', 'Parli inglese?'],
  ["I'm sorry, I'm late.", 'Mi dispiace, sono in ritardo.'],
  ['Thank you very much for your help.', 'Grazie mille per il tuo aiuto.'],
  ['See you tomorrow.', 'A domani.'],
  ['We went to the cinema yesterday.', 'Siamo andati al cinema ieri.'],
  ['I need to go to the bank.', 'Devo passare in banca.'],
  ['I have just arrived.', 'Sono appena arrivato.'],
  ["Don't worry.", 'Non preoccuparti.'],
  ['The bill, please.', 'Il conto, per favore.'],
  ['Would you like something to drink?', 'Vorresti qualcosa da bere?'],
  ['He was born on the 5th of May.', 'È nato il 5 maggio.'],
  ['Who wants coffee?', 'Chi vuole caffè?'],
  [
    'Click on the button to save your changes.',
    'Clicca sul pulsante per salvare le tue modifiche.',
  ],
  ['Enter your email address.', 'Inserisci il tuo indirizzo e-mail.'],
  ['Sign in to your account.', 'Accedi al tuo account.'],
  ['Are you sure you want to delete this file?', 'Sei sicuro di voler eliminare questo file?'],
  ['Call the police.', 'Chiama la polizia.'],
  ['Give it to me.', 'Dammelo.'],
  ['They have arrived.', 'Sono arrivati.'],
  ['My sister thinks it is expensive.', 'Mia sorella crede che è caro.'],
  ['Please try again later.', 'Per favore riprova più tardi.'],
])('English into Italian: %s', async (text, expected) => {
  expect(await inItalian('en', text)).toBe(expected);
});

test('marks stay at words that are put in, moved or joined', async () => {
  const segment = marked('Haga <1>clic</1> en el <2>botón</2>, me llamo <3>Ana</3>.');
  const [answer] = await engine.translate([segment], { source: 'es', target: 'it', signal });
  expect(written(answer!)).toBe('Faccia <1>clic</1> <2>sul pulsante</2>, mi chiamo <3>Ana</3>.');
});
