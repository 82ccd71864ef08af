import { expect, it } from 'vitest';
import { betterModels } from '../../server/models/translation-models.ts';

const pair = (source: string, target: string) => ({ source, target });

/** Returns the names of the models by pair. */
function named(translators: Parameters<typeof betterModels>[0]) {
  const found = [...betterModels(translators)];
  return Object.fromEntries(found.map(([key, models]) => [key, models.map(({ name }) => name)]));
}

it('a pair that only rules translate is better served by a model, or by two through English', () => {
  const apertium = {
    name: 'apertium',
    pairs: [pair('en', 'es'), pair('es', 'pt-BR'), pair('es', 'en-US'), pair('oc', 'fr')],
  };
  expect(named([apertium])).toEqual({
    'en es': ['translation-en-es'],
    'es pt': ['translation-es-en', 'translation-en-pt'],
    'es en': ['translation-es-en'],
  });
  // A pair of another engine is not offered.
  const neural = { name: 'marian', pairs: [pair('en', 'es'), pair('es', 'en')] };
  expect(named([apertium, neural])).toEqual({ 'es pt': ['translation-en-pt'] });
  const all = { name: 'chat', pairs: [...apertium.pairs] };
  expect(named([apertium, all])).toEqual({});
});
