/** A folder of translation models made for a test: German, English and Spanish. */
import path from 'node:path';
import { writeWordTranslator } from './word-translator.ts';

const spanish = {
  ...{ The: 'La', the: 'la', A: 'Una', a: 'una', One: 'Una', Two: 'Dos', house: 'casa' },
  ...{ houses: 'casas', is: 'es', are: 'son', red: 'roja', new: 'nueva', old: 'vieja', and: 'y' },
  ...{ river: 'ría', number: 'número', book: 'libro', city: 'ciudad', table: 'mesa', key: 'llave' },
  ...{ friend: 'amigo', door: 'puerta', window: 'ventana', It: 'Eso', was: 'era', very: 'muy' },
};
const english = {
  ...{ Das: 'The', das: 'the', Haus: 'house', ist: 'is', rote: 'red', neu: 'new', alt: 'old' },
};

/** Adjectives that follow the noun in Spanish, and nouns they follow. */
const movers = ['red', 'new', 'old'];
const movables = ['house', 'river', 'city', 'table', 'key', 'door', 'window'];

/** Node flags for the quick WebAssembly compiler: the optimising one takes seconds per process. */
export const quickCompiler = ['--liftoff-only', '--wasm-lazy-compilation'] as const;

/** The same without the move to a smaller memory, which reads half a gigabyte each time a model is loaded. */
export const quickStart = [
  ...quickCompiler,
  ...['--import', 'data:text/javascript,globalThis.gc=undefined'],
] as const;

/** Writes `translation-en-es`, and `translation-de-en`, which has a vocabulary per language. */
export function writeTranslationModels(folder: string): void {
  writeWordTranslator(path.join(folder, 'translation-en-es'), {
    ...{ source: 'en', target: 'es', words: spanish, movers, movables },
  });
  writeWordTranslator(path.join(folder, 'translation-de-en'), {
    ...{ source: 'de', target: 'en', words: english, isSplit: true },
  });
}
