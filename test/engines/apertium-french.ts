/** Into French with the product's own grammars, from Spanish and through it: what people say, and what stands on pages. */
import { expect, test } from 'vitest';
import { apertiumOfFile, translateTexts } from './apertium-support.ts';
import { marked, written } from './marked-segments.ts';

const signal = new AbortController().signal;
const engine = await apertiumOfFile();

async function inFrench(source: string, text: string): Promise<string | undefined> {
  const [answer] = await translateTexts(engine, [text], { source, target: 'fr', signal });
  return answer?.replaceAll('\u00a0', ' ');
}

test.each([
  // Adjectives before their noun, and their gender behind a verb.
  ['Tienes tres mensajes nuevos.', 'Tu as trois nouveaux messages.'],
  ['Es una empresa pequeña.', "C'est une petite entreprise."],
  ['Veo la casa (el coche nuevo).', 'Je vois la maison (la nouvelle voiture).'],
  ['No hay medios de transporte disponibles.', "Il n'y a pas des moyens de transport disponibles."],
  ['Creo una cuenta.', 'Je crée un compte.'],
  ['Necesito una clave nueva.', "J'ai besoin d'une clef nouvelle."],
  ['Necesito dinero.', "J'ai besoin d'argent."],
  ['La persona no ha llegado.', "La personne n'est pas arrivé."],
  ['La tienda está cerrada.', 'Le magasin est fermé.'],
  ['La leche está muy fría.', 'Le lait est très froid.'],
  ['Ella está embarazada.', 'Elle est enceinte.'],
  // What is said in the present, with adverbs in their place.
  ['Los niños están jugando en el jardín.', 'Les enfants jouent dans le jardin.'],
  ['Está lloviendo.', 'Il pleut.'],
  ['Siempre llega tarde.', 'Il arrive toujours en retard.'],
  ['Ya he comido.', "J'ai déjà mangé."],
  // Who likes what.
  ['Me gusta la música.', "J'aime la musique."],
  ['No me gusta.', "Je n'aime pas ça."],
  ['¿Te gusta bailar?', 'Tu aimes danser ?'],
  ['A todo el mundo le gusta el chocolate.', 'Tout le monde aime le chocolat.'],
  ['Me gustaría una taza de café.', 'Je voudrais une tasse de café.'],
  // One negation is enough.
  ['No veo nada.', 'Je ne vois rien.'],
  ['No veo a nadie.', 'Je ne vois personne.'],
  ['Nadie lo sabe.', 'Personne ne le sait.'],
  ['No hay ninguna opción.', "Il n'y a aucune option."],
  ['No quiero ni café ni té.', 'Je ne veux ni café ni thé.'],
  ['Los usuarios ya no pueden entrar.', 'Les utilisateurs ne peuvent plus entrer.'],
  ['No tienes permisos suficientes.', "Tu n'as pas d'autorisations suffisantes."],
  // Questions.
  ['¿Dónde puedo encontrar una farmacia?', 'Où est-ce que je peux trouver une pharmacie ?'],
  ['¿Cuándo llega el tren?', 'Quand est-ce que le train arrive ?'],
  ['¿A qué hora sale el autobús?', 'À quelle heure part le bus ?'],
  ['¿Me puedes ayudar?', "Tu peux m'aider ?"],
  ['Hablas inglés?', 'Tu parles anglais ?'],
  // Requests, and what is none.
  ['Abre la puerta y cierra la ventana.', 'Ouvre la porte et ferme la fenêtre.'],
  ['No te preocupes.', "Ne t'inquiète pas."],
  ['Haz clic en el botón.', 'Clique sur le bouton.'],
  ['Depende del tiempo.', 'Il dépend du temps.'],
  ['Habla tres idiomas.', 'Il parle trois langues.'],
  // Times, needs and wishes.
  ['Nos encontraremos a las ocho mañana.', 'Nous nous trouverons à huit heures demain.'],
  ['Hace dos años que vivo en Francia.', 'Ça fait deux ans que je vis en France.'],
  ['Hace mucho frío hoy.', "Il fait très froid aujourd'hui."],
  ['Necesito un médico.', "J'ai besoin d'un médecin."],
  ['Hay que comprar leche.', 'Il faut acheter du lait.'],
  ['Espero que estés bien.', "J'espère que tu es bien."],
  ['Si tuviera dinero, compraría una casa.', "Si j'avais de l'argent, j'achèterais une maison."],
  ['Cuando llegues, llámame.', 'Quand tu arriveras, appelle-moi.'],
  ['Se ha roto la pierna.', "Il s'est cassé la jambe."],
  ['Mi hermana es más alta que yo.', 'Ma soeur est plus grande que moi.'],
  // Places.
  ['El gato está debajo del coche.', 'Le chat est sous la voiture.'],
  ['Viven cerca del río.', 'Ils vivent près de la rivière.'],
  ['Vive en Canadá.', 'Il vit au Canada.'],
  ['Las llaves están en la mesa.', 'Les clefs sont sur la table.'],
  // Who it is.
  ['¿Quién lo sabe?', 'Qui le sait ?'],
  ['Es mi hermano.', "C'est mon frère."],
  ['No sé qué decir.', 'Je ne sais pas quoi dire.'],
  ['Lleva dos horas.', 'Cela prend deux heures.'],
  // Pages and programs.
  ['El archivo no se pudo encontrar.', "Le fichier n'a pas pu être trouvé."],
  ['Error al guardar los cambios.', 'Erreur en enregistrant les changements.'],
  ['Crea un enlace nuevo.', 'Crée un nouveau lien.'],
  ['El escritorio está limpio.', 'Le bureau est net.'],
  ['Si no confías en él, pulsa Cancelar.', 'Si tu ne confies pas en lui, clique sur Annuler.'],
])('Spanish into French: %s', async (text, expected) => {
  expect(await inFrench('es', text)).toBe(expected);
});

test.each([
  // Subjects that Spanish leaves out.
  ['She is going to the market.', 'Elle va au marché.'],
  ['He said that she was tired.', "Il a dit qu'elle était fatiguée."],
  ['Where does she live?', "Où est-ce qu'elle vit ?"],
  ['She likes music.', 'Elle aime la musique.'],
  ['Is he ill?', 'Il est malade ?'],
  ['She was born in 1990.', 'Elle est née en 1990.'],
  ['They have a house and they are happy.', 'Ils ont une maison et ils sont heureux.'],
  ['If he comes, we will eat.', "S'il vient, nous mangerons."],
  ['She and I spoke.', 'Elle et moi nous parlons.'],
  ['It works.', 'Il fonctionne.'],
  ['I was watching television when he arrived.', 'Je regardais télévision quand il est arrivé.'],
  // What strangers try.
  ['Who wants coffee?', 'Qui veut du café ?'],
  ["He doesn't like fish.", "Il n'aime pas le poisson."],
  ['Is this seat free?', 'Ce siège est libre ?'],
  ['The train leaves at half past eight.', 'Le train part à huit heures et demie.'],
  ['I need a doctor.', "J'ai besoin d'un médecin."],
  ['See you tomorrow.', 'À demain.'],
  ['Account created successfully!', 'Compte créé avec succès !'],
  ["I'm sorry, I'm late.", "Je suis désolé, j'arrive en retard."],
  ['Last year we bought a new car.', "L'année dernière nous avons acheté une nouvelle voiture."],
  [
    'Click on the button to save your changes.',
    'Clique sur le bouton pour enregistrer tes changements.',
  ],
  ['Thank you very much for your help.', 'Merci beaucoup pour ton aide.'],
  ['I hope it rains.', "J'espère qu'il pleut."],
  ['Do you think we can go?', 'Tu crois que nous pouvons aller ?'],
  ["I'm sure you will win.", 'Je suis sûr que tu gagneras.'],
  ['I hope you like it.', "J'espère que tu aimes ça."],
])('English into French: %s', async (text, expected) => {
  expect(await inFrench('en', text)).toBe(expected);
});

test('pronouns that are kept for French leave marks where they are', async () => {
  const segment = marked('She is <1>very tired</1> today.');
  const [answer] = await engine.translate([segment], { source: 'en', target: 'fr', signal });
  expect(written(answer!)).toBe("Elle est <1>très fatiguée</1> aujourd'hui.");
});

test.each([
  ['en', 'You have <1/> new messages.', 'Tu as <1/> nouveaux messages.'],
  // A figure of the text is no mark.
  ['en', 'I have <1/> dogs and 90700 cats.', "J'ai <1/> des chiens et 90700 chats."],
  ['es', 'La página <1/> tiene <2/> líneas.', 'La page <1/> a <2/> lignes.'],
])('from %s, marks that count stay before what they count: %s', async (source, text, expected) => {
  const [answer] = await engine.translate([marked(text)], { source, target: 'fr', signal });
  expect(written(answer!)).toBe(expected);
});
