import { expect, it } from 'vitest';
import { baseLanguage, canonicalLanguage, textDirection } from '../../shared/language.ts';

it.each([
  ['EN', 'en'],
  ['pt-br', 'pt-BR'],
  ['zh-HANS', 'zh-Hans'],
  ['ZH_hant_tw', 'zh-Hant-TW'],
  ['es-419', 'es-419'],
])('%s is spelled %s', (written, canonical) => {
  expect(canonicalLanguage(written)).toBe(canonical);
});

it.each(['', 'e', 'english', 'en-', 'en-US-x', 'en US', '../en'])(
  '%j is no language',
  (written) => {
    expect(canonicalLanguage(written)).toBeUndefined();
  },
);

it('knows base language and direction', () => {
  expect(baseLanguage('pt-BR')).toBe('pt');
  expect([textDirection('ar-EG'), textDirection('es')]).toEqual(['rtl', 'ltr']);
});
