import { expect, it } from 'vitest';
import { baseLanguage, canonicalLanguage, textDirection } from '../../shared/language.ts';

it.each([
  ['EN', 'en'],
  ['pt-br', 'pt-BR'],
  ['zh-HANS', 'zh-Hans'],
  ['ZH_hant_tw', 'zh-Hant-TW'],
  ['es-419', 'es-419'],
])('spells %s canonically as %s', (written, canonical) => {
  expect(canonicalLanguage(written)).toBe(canonical);
});

it.each(['', 'e', 'english', 'en-', 'en-US-x', 'en US', '../en'])(
  'rejects %j as a language',
  (written) => {
    expect(canonicalLanguage(written)).toBeUndefined();
  },
);

it('derives base language and text direction', () => {
  expect(baseLanguage('pt-BR')).toBe('pt');
  expect([textDirection('ar-EG'), textDirection('es')]).toEqual(['rtl', 'ltr']);
});
