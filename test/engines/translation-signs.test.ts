/** Capitals and punctuation of sentences, as Apertium's rules leave them and as they are corrected. */
import { describe, expect, test } from 'vitest';
import {
  frenchBlanks,
  wrongCapitals,
  spanishOpenings,
} from '../../server/engines/translation/sentence-signs.ts';
import { replaced } from '../../server/engines/translation/stand-ins.ts';

function lowered(translated: string, source: string, target = 'es'): string {
  return replaced(translated, wrongCapitals(translated, source, { source: 'en', target }));
}

function opened(translated: string, { source = 'en', target = 'es' } = {}): string {
  return replaced(translated, spanishOpenings(translated, { source, target }));
}

describe("a capital due only to a word's position", () => {
  test.each([
    [
      'Hello everyone, welcome.',
      'Hola Todo el mundo, bienvenido.',
      'Hola todo el mundo, bienvenido.',
    ],
    ['Hello, I am here.', 'Hola, Soy aquí.', 'Hola, soy aquí.'],
    [
      'Hello all, on Monday we speak.',
      'Hola Todo, el lunes hablamos.',
      'Hola todo, el lunes hablamos.',
    ],
    ['iPhone users like it.', 'A Usuarios de iPhone les gusta.', 'A usuarios de iPhone les gusta.'],
    [
      'Yes! Hello friends.\nHello all.',
      '¡Sí! Hola Amigos.\nHola Todo.',
      '¡Sí! Hola amigos.\nHola todo.',
    ],
    ['“Is it?” he asked.', '“¿Es?” Pidió.', '“¿Es?” pidió.'],
    ['It (is it new?) is red.', 'Lo (¿es nuevo?) Es rojo.', 'Lo (¿es nuevo?) es rojo.'],
    ['eBay and PayPal', 'eBay Y PayPal', 'eBay y PayPal'],
    ['"Bonnie Li" is a film.', '"Bonnie Li" Es una película.', '"Bonnie Li" es una película.'],
    ['iPhone or JavaScript', 'IPHONE o Javascript', 'iPhone o JavaScript'],
    ['new isOld() isold', 'nuevo isOld() isold', 'nuevo isOld() isold'],
  ])('is lowered: %s', (source, translated, expected) => {
    expect(lowered(translated, source)).toBe(expected);
  });

  test.each([
    ['a name', 'Hello John, welcome.', 'Hola John, bienvenido.'],
    ['a name that is translated', 'Hello Peter and Mary.', 'Hola Pedro y María.'],
    ['behind an abbreviation', 'Mr. Smith is here.', 'Señor Herrero es aquí.'],
    ['a letter', 'The letter A is first.', 'La letra A es primera.'],
    ['behind the number of an item', '1. the first', '1. El primer'],
    ['behind a colon', 'note: the house', 'nota: La casa'],
    ['where the source has one', 'Hello Everyone', 'Hola Todo el mundo'],
    ['letters of a whole word', 'Hello usa', 'Hola EE UU'],
    ['behind a quotation that a sentence follows', '“Is it?” Here he comes.', '“¿Es?” Aquí viene.'],
  ])('is kept: %s', (_what, source, translated) => {
    expect(lowered(translated, source)).toBe(translated);
  });

  test.each([
    ['red car', 'Coche rojo', 'coche rojo'],
    ['Do not say it.', 'il ne le dit pas.', 'Il ne le dit pas.'],
    ['Stop! Do not go.', 'Arrête ! il ne va pas.', 'Arrête ! Il ne va pas.'],
    ['“do you?”', '“¿Lo haces?”', '“¿lo haces?”'],
  ])('appears first only where the source has one: %s', (source, translated, expected) => {
    expect(lowered(translated, source)).toBe(expected);
  });

  test.each([
    ['STOP', 'Parón', 'PARÓN'],
    ['WARNING! Do not go. DO NOT GO!', 'Aviso! No va. No VA!', 'AVISO! No va. NO VA!'],
    ['TV', 'Televisión', 'Televisión'],
  ])('is kept in all-capital sentences: %s', (source, translated, expected) => {
    expect(lowered(translated, source)).toBe(expected);
    expect(lowered(translated, source, 'en')).toBe(expected);
  });

  test.each([
    ['old London', 'Londres viejo'],
    ['I used to live in Paris.', 'Yo vivía en París.'],
    ['iPhone users', 'Usuarios de iPhone'],
    ['New iPhone', 'iPhone nuevo'],
    ['5 red cars', '5 coches rojos'],
    ['my car, John', 'John, mi coche'],
  ])('stays first where the word may be a name: %s', (source, translated) => {
    expect(lowered(translated, source)).toBe(translated);
  });

  test.each(['. ', '.\n', 'a. b ', 'A. ', '" '])(
    'is searched for once in a long text of %j',
    (unit) => {
      expect(lowered(unit.repeat(25_000), 'A')).toHaveLength(25_000 * unit.length);
    },
  );

  test('is lowered where only another word shares its letter', () => {
    const source = 'The watch, but new YMCA';
    expect(lowered('El reloj Y la YMCA', source)).toBe('El reloj y la YMCA');
  });

  test.each([
    ['\ufffc archivos', '\ufffc Files', '\ufffc files'],
    ['el lunes salimos', 'On Monday we leave', 'on Monday we leave'],
    ['lunes', 'Monday', 'Monday'],
    ['ingleses', 'Englishmen', 'Englishmen'],
    ['afgano', 'Afghan', 'Afghan'],
    ['esclavo', 'Slave', 'slave'],
    ['catálogo', 'Catalogue', 'catalogue'],
    ['jajaja vino', 'jajaja Came', 'jajaja came'],
    ['jajaja sirio', 'jajaja Syrian', 'jajaja Syrian'],
    ['yo soy', 'I am', 'I am'],
    ['Casa', 'House', 'House'],
  ])('is lowered from Spanish to English but for names: %s', (source, translated, expected) => {
    const capitals = wrongCapitals(translated, source, { source: 'es', target: 'en' });
    expect(replaced(translated, capitals)).toBe(expected);
  });

  test('stays in languages with other rules', () => {
    expect(lowered('Hello, Monday is good.', 'Hola, el lunes es bueno.', 'en')).toContain('Monday');
  });
});

describe('a Spanish question or exclamation', () => {
  test.each([
    ['Es cierto?', '¿Es cierto?'],
    ['Buenos días, cómo estás?', 'Buenos días, ¿cómo estás?'],
    ['Vienes, y por qué?', 'Vienes, ¿y por qué?'],
    ['Pregunta: dónde es?', 'Pregunta: ¿dónde es?'],
    ['Hola! La casa es roja. Es nueva?', '¡Hola! La casa es roja. ¿Es nueva?'],
    ['Es cierto?! Sí!!!', '¡¿Es cierto?! ¡Sí!!!'],
    ['Dijo: "Es cierto?" y fue.', 'Dijo: "¿Es cierto?" y fue.'],
    ['Es (de verdad?) rojo.', 'Es (¿de verdad?) rojo.'],
    ['«Qué?» preguntó.', '«¿Qué?» preguntó.'],
    ['1. Lo conoces?', '1. ¿Lo conoces?'],
    ['• Lo conoces?', '• ¿Lo conoces?'],
    ['\ufffc Lo conoces?', '\ufffc ¿Lo conoces?'],
    ['🎉 Lo conoces?', '🎉 ¿Lo conoces?'],
    ['> # Lo conoces?', '> # ¿Lo conoces?'],
    ['<@U12> <jo> Lo conoces?', '<@U12> <jo> ¿Lo conoces?'],
    ['Una línea\nes otra?', 'Una línea\n¿es otra?'],
    ['5?', '¿5?'],
    ['Sí?, de verdad!', '¿Sí?, ¡de verdad!'],
  ])('gets its opening sign: %s', (translated, expected) => {
    expect(opened(translated)).toBe(expected);
  });

  test.each([
    '¿Es cierto?',
    'Ve http://a.b/c?d=e y a?b.',
    '?',
    'Es (?) rojo.',
    'a ? b : c',
    'Hola.',
  ])('gets no opening sign: %s', (translated) => {
    expect(opened(translated)).toBe(translated);
  });

  test('gets its opening sign despite the blank that French leaves', () => {
    expect(opened('Es cierto ? Sí !', { source: 'fr' })).toBe('¿Es cierto ? ¡Sí !');
  });

  test('gets no opening sign in other languages', () => {
    expect(opened('C’est vrai ?', { target: 'fr' })).toBe('C’est vrai ?');
  });
});

describe('French blanks before punctuation', () => {
  const spaced = (text: string, source: string, target: string) =>
    replaced(text, frenchBlanks(text, { source, target }));

  test.each([
    ['Dice : « hola »\u00a0; y va\u202f!', 'Dice: «hola»; y va!'],
    ['¿Qué ?! “Sí !” (no !)\nBien ;', '¿Qué?! “Sí!” (no!)\nBien;'],
    ['A las 12 :30, :) y /x ?a=1', 'A las 12 :30, :) y /x ?a=1'],
  ])('are removed in translations from French: %s', (text, expected) => {
    expect(spaced(text, 'fr', 'es')).toBe(expected);
  });

  test.each([
    ['Il dit: «oui»; puis il va!', 'Il dit\u00a0: «\u00a0oui\u00a0»\u00a0; puis il va\u00a0!'],
    ['Quoi?! «Non!» (non?)', 'Quoi\u00a0?! «\u00a0Non\u00a0!\u00a0» (non\u00a0?)'],
    [
      "À 12:30, :) :'( &amp; &#39; &nbsp; https://a.org/?b=1 ?",
      "À 12:30, :) :'( &amp; &#39; &nbsp; https://a.org/?b=1 ?",
    ],
    ['Salut \ufffc!', 'Salut \ufffc\u00a0!'],
    ['C’est vrai ? « oui »', 'C’est vrai ? « oui »'],
  ])('are added in translations into French: %s', (text, expected) => {
    expect(spaced(text, 'es', 'fr')).toBe(expected);
  });

  test('stay between languages with the same rules, and long texts are scanned once', () => {
    expect(spaced('Sí !', 'en', 'es')).toBe('Sí !');
    expect(spaced('Oui! Non !', 'fr', 'fr-CA')).toBe('Oui! Non !');
    for (const unit of [' ', '?', '« ', 'a ?', ': ']) {
      const text = `a${unit.repeat(100_000)}b`;
      expect(spaced(text, 'fr', 'es').length).toBeLessThanOrEqual(text.length);
      expect(spaced(text, 'es', 'fr').length).toBeGreaterThanOrEqual(text.length);
    }
  });
});
