import { expect, it } from 'vitest';
import { preserveFormatting } from '../../server/text/formatting.ts';
import { segmentOf, written } from './layouts.ts';

it.each([
  ['hello', 'Hallo.', 'de', 'hallo'],
  ['Hello', 'hallo', 'de', 'Hallo'],
  ['Hello!', 'Hallo.', 'de', 'Hallo!'],
  ['hello world', 'Hallo Welt', 'de', 'hallo Welt'],
  ['hello?', 'Bonjour ?', 'fr', 'bonjour ?'],
  ['Hello?', '¿Hola?', 'es', '¿Hola?'],
  ['Hello.', '你好。', 'zh', '你好。'],
  ['Hello', '你好。', 'zh', '你好'],
  ['Hello!', '你好', 'zh', '你好！'],
  ['你好！', 'Hello.', 'en', 'Hello!'],
  ['- item', 'Artikel', 'de', '- artikel'],
  ['item', '- artikel', 'de', 'artikel'],
  ['izmir', 'istanbul', 'tr', 'istanbul'],
  ['Izmir', 'istanbul', 'tr', 'İstanbul'],
  ['api', 'API', 'de', 'API'],
  ['Wait...', 'Attends…', 'fr', 'Attends…'],
  ['Wait', 'Attends…  ', 'fr', 'Attends  '],
  ['...the house!', '¡...La casa!', 'es', '...¡la casa!'],
  ['the house!', '¡…La casa!', 'es', '¡la casa!'],
  ['3.5', 'x.', 'en', 'x.'],
])('%j → %j in %s becomes %j', (source, translated, language, expected) => {
  expect(preserveFormatting(source, translated, language)).toBe(expected);
});

it('leaves marks in place', () => {
  const format = (source: string, translated: string): string =>
    written(preserveFormatting(segmentOf(source), segmentOf(translated), 'de'));
  expect(format('<1>hello</1> world', '<1>Hallo</1> Welt.')).toBe('<1>hallo</1> Welt');
  expect(format('a <1>b</1>!', 'A <1>b.</1>')).toBe('a <1>b!</1>');
  expect(format('hello', '<1/> Hallo <2/>')).toBe('<1/> Hallo <2/>');
});
