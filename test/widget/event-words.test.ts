/** Texts of the event pages, in all their languages. */
import { describe, expect, it } from 'vitest';
import { deskLanguage, deskLanguages, deskWords } from '../../widget/events/desk-words.ts';
import { viewerLanguages, viewerWords } from '../../widget/events/viewer-words.ts';
import { roomWords } from '../../widget/room-words.ts';

/** Texts that are the same in another language. */
const SHARED = /^(Live|Pause|Code|Ponente|Orador|Sala:|Settings|Original)$/;

const pages: Record<string, (language: string) => object> = {
  reader: viewerWords,
  captions: roomWords,
  'speaker and captioner': deskWords,
};

/** Returns every text by its path. */
function textsOf(words: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(words).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string'
        ? [[`${path}${name}`, value]]
        : [...textsOf(value as object, `${path}${name}.`)],
    ),
  );
}

const placeholders = (text: string) => text.match(/\{\w+\}/g) ?? [];
/** Each language has its own plural forms. */
const isPlural = (path: string) => /\.readers\./.test(path);

it('every event page has the same languages', () => {
  expect(deskLanguages).toEqual(viewerLanguages);
});

describe.each(Object.entries(pages))('the texts of %s', (_page, wordsIn) => {
  const english = textsOf(wordsIn('en'));

  it.each(viewerLanguages.filter((each) => each !== 'en'))('are complete in %s', (language) => {
    const texts = textsOf(wordsIn(language));
    for (const [path, text] of english) {
      if (isPlural(path)) continue;
      const translated = texts.get(path);
      expect({ path, isEmpty: translated === '' }).toEqual({ path, isEmpty: text === '' });
      expect({ path, holds: placeholders(translated ?? '') }).toEqual({
        path,
        holds: placeholders(text),
      });
      if (!SHARED.test(text) && text !== '') expect(translated).not.toBe(text);
    }
    expect([...texts.keys()].filter((path) => !english.has(path) && !isPlural(path))).toEqual([]);
  });

  it('are typeset: no straight quotes, no three dots', () => {
    const all = viewerLanguages.flatMap((language) => [...textsOf(wordsIn(language)).values()]);
    expect(all.filter((text) => /["']|\.\.\./.test(text))).toEqual([]);
  });
});

it('readers are counted with all plural forms that a language has for integers', () => {
  for (const language of deskLanguages) {
    const rules = new Intl.PluralRules(language);
    const used = new Set(Array.from({ length: 2_000 }, (_, count) => rules.select(count)));
    expect(Object.keys(deskWords(language).speaker.readers)).toEqual(
      expect.arrayContaining([...used]),
    );
  }
});

it("an event page uses the browser's first supported language, and English otherwise", () => {
  expect(deskLanguage(['ca', 'es-ES', 'en'])).toBe('es');
  expect(deskLanguage(['pt-BR'])).toBe('pt');
  expect(deskLanguage(['ja'])).toBe('en');
});
