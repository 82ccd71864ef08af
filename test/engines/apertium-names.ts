/** Surnames and polite words through Apertium, whose dictionaries take them for other words. */
import { expect, test } from 'vitest';
import { apertiumOfFile, translateTexts } from './apertium-support.ts';
import { marked, written } from './marked-segments.ts';

const signal = new AbortController().signal;
const engine = await apertiumOfFile();

const surnames: [string, string, string, string][] = [
  ['en', 'es', 'My name is Anna Baker.', 'Me llamo Anna Baker.'],
  ['en', 'ca', "Peter Cook's car is red.", 'El carro de Peter Cook és vermell.'],
  ['en', 'es', "Mr. Smith's house is big.", 'La casa de señor Smith es grande.'],
  ['en', 'fr', 'Julia J. Child is a cook.', 'Julia J. Child est cuisinière.'],
  [
    'en',
    'es',
    'Mrs. White, Dr. Stone and Harry Potter came.',
    'Señora White, Dr. Stone y Harry Potter vinieron.',
  ],
  ['en', 'es', 'Thank you, Mr. Speaker.', 'Gracias, Señor Ponente.'],
  ['en', 'es', 'Ask Anna Monday.', 'Pregunta Anna lunes.'],
  ['es', 'en', 'Ana Torres Blanco vive aquí.', 'Ana Torres Blanco lives here.'],
  ['es', 'fr', 'Isabel la Católica', 'Isabel la Catholique'],
  ['fr', 'es', 'La voiture de Pierre Boulanger', 'El coche de Pierre Boulanger'],
  ['fr', 'ca', 'Louise Le Blanc et Jean Moulin', 'Louise Le Blanc i Jean Moulin'],
];
test.each(surnames)(
  'translates surnames from %s to %s: %s',
  async (source, target, text, expected) => {
    expect(await translateTexts(engine, [text], { source, target, signal })).toEqual([expected]);
  },
);

test('keeps surnames in texts with marks', async () => {
  const segment = marked('<1>Anna</1> <2>Baker</2> reads Peter <3>Cook</3>’s book.');
  const [answer = []] = await engine.translate([segment], { source: 'en', target: 'es', signal });
  expect(written(answer)).toBe('<1>Anna</1> <2>Baker</2> lee el libro de Peter <3>Cook</3>.');
});

test.each([
  ['es', 'Please wait here.', 'Por favor espera aquí.'],
  ['es', 'Yes, please.', 'Sí, por favor.'],
  ['fr', 'please close the door', "s'il vous plaît ferme la porte"],
  ['pt', 'Please, wait here.', 'Por favor, espera aqui.'],
  ['es', 'This is a house.\nplease wait here', 'Esto es una casa.\npor favor espera aquí'],
  ['es', 'We want to please you.', 'Te queremos complacer.'],
])('translates polite requests into %s: %s', async (target, text, expected) => {
  expect(await translateTexts(engine, [text], { source: 'en', target, signal })).toEqual([
    expected,
  ]);
});

test.each([
  ['en', 'fr', 'Excuse me, where is it?', 'Excuse-moi, où est-ce ?'],
  [
    'en',
    'fr',
    "Yes. No! I'm so sorry. Ok, thank you.",
    'Oui. Non ! Je suis vraiment désolé. Bon, merci.',
  ],
  ['es', 'fr', 'Él piensa solo en sí. Gracias a ti.', 'Il pense seulement en soi. Grâce à toi.'],
  ['en', 'it', 'No, thanks. See you later.', 'No, grazie. A dopo.'],
  ['en', 'fr', 'Click here. Click the button.', 'Clique ici. Clique sur le bouton.'],
  ['en', 'it', 'Click here. Cancel', 'Clicca qui. Annulla'],
  ['es', 'pt', 'Gracias. Buenos días.', 'Obrigado. Bom dia.'],
  ['es', 'pt', 'Gracias a ti, lo siento mucho.', 'Graças a ti, sinto muito.'],
])('translates answers and thanks from %s to %s: %s', async (source, target, text, expected) => {
  const [answer] = await translateTexts(engine, [text], { source, target, signal });
  expect(answer?.replaceAll('\u00a0', ' ')).toBe(expected);
});

test('translates polite requests in texts with marks', async () => {
  const segment = marked('<1>Please</1> wait <2>here</2>.');
  const [answer = []] = await engine.translate([segment], { source: 'en', target: 'es', signal });
  expect(written(answer)).toBe('<1>Por favor</1> espera <2>aquí</2>.');
});
