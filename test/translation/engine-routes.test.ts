import { describe, expect, it } from 'vitest';
import { preferredEngines, readEnginePreference } from '../../server/translation/engine-routes.ts';

const known = ['apertium', 'chat', 'libretranslate'];

function order(setting: string, source: string, target: string): string | undefined {
  const { rules, problems } = readEnginePreference(setting, known);
  expect(problems).toEqual([]);
  return preferredEngines(rules, { source, target })?.join(' ');
}

describe('the engine order', () => {
  const setting =
    ' */pt-BR: libretranslate; EN/de : chat ; en/*: apertium,chat; */ja:libretranslate; *: chat, apertium;';

  it.each([
    ['en', 'de', 'chat'],
    ['en-GB', 'de-AT', 'chat'],
    ['en', 'fr', 'apertium chat'],
    ['fr', 'ja', 'libretranslate'],
    ['fr', 'pt-BR', 'libretranslate'],
    ['fr', 'pt', 'chat apertium'],
    ['fr', 'de', 'chat apertium'],
  ])('from %s to %s follows the most specific rule: %s', (source, target, expected) => {
    expect(order(setting, source, target)).toBe(expected);
  });

  it('follows the first of two equally specific rules', () => {
    expect(order('en/*: chat; */de: apertium', 'en', 'de')).toBe('chat');
    expect(order('*: chat; *: apertium', 'en', 'de')).toBe('chat');
  });

  it('is undefined where no rule applies', () => {
    expect(order('en/de: chat', 'de', 'en')).toBeUndefined();
    expect(order('', 'de', 'en')).toBeUndefined();
  });
});

describe('an invalid setting', () => {
  it.each([
    [
      'en/de: chat; *: chatt, apertium',
      '"*: chatt, apertium" chatt is no engine. Possible: apertium',
    ],
    ['en/de', 'one colon is expected'],
    ['en/de: chat: apertium', 'one colon is expected'],
    ['en/de:', 'no engine is named'],
    ['en-de: chat', '"en-de" is no direction'],
    ['en/de/fr: chat', '"en/de/fr" is no direction'],
    ['en/german: chat', '"en/german" is no direction'],
    ['en/en: chat', '"en/en" has one language twice'],
  ])('is reported: %s', (setting, problem) => {
    const { problems } = readEnginePreference(setting, known);
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(problems[0]).toMatch(/^TRANSLATION_ENGINES: /);
  });

  it('is reported with all its problems at once', () => {
    expect(readEnginePreference('a; b; en/de: chat', known)).toMatchObject({
      rules: [{ source: 'en', target: 'de', engines: ['chat'] }],
      problems: [expect.anything(), expect.anything()],
    });
  });
});
