/** Words that were read in more than one way, and which of them are in a dictionary. */
import { mkdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { withKnownWords } from '../../../server/documents/formats/image/disputed-words.ts';
import type { OcrWord } from '../../../server/documents/formats/image/ocr.ts';
import { createKnownWords, knownWords } from '../../../server/text/words/dictionaries.ts';
import { temporaryFolder } from '../../support/machine/temporary-folder.ts';
import { line } from './placed-line.ts';

const HEIGHT = 20;
const LETTER = 10;

function word(text: string, confidence = 95, left = 20): OcrWord {
  const box = { left, right: left + text.length * LETTER, top: 20, bottom: 20 + HEIGHT };
  return { text, box, confidence };
}

const dictionary = new Set(
  'afirma último pagos muttern schraubenmuttern the die torcal'.split(' '),
);

interface Readings {
  own: OcrWord | readonly OcrWord[];
  /** As it was read in the pixels of the scan, and otherwise. */
  original?: OcrWord | readonly OcrWord[];
  other?: OcrWord;
  /** In the lines before and after it. */
  before?: OcrWord;
  below?: OcrWord;
}

/** What a line says in the end, and how often a dictionary was asked for. */
async function settle({ own, original = [], other, before, below }: Readings) {
  let asked = 0;
  const away = (one: OcrWord | undefined, top: number) =>
    one === undefined ? [] : [line({ ...one, box: { ...one.box, top, bottom: top + HEIGHT } })];
  const above = away(before, -10);
  const linesOf = (words: OcrWord | readonly OcrWord[]) =>
    [words].flat().length === 0 ? [] : [line(...[words].flat())];
  const lines = await withKnownWords([...above, ...linesOf(own), ...away(below, 50)], {
    original: linesOf(original),
    readings: [linesOf(own), linesOf(other ?? [])],
    findKnown: () => {
      asked += 1;
      return Promise.resolve((text) => dictionary.has(text.toLowerCase()));
    },
  });
  const words = lines[above.length]?.words ?? [];
  return { text: words.map(({ text }) => text).join(' '), asked };
}

const textOf = async (readings: Readings) => (await settle(readings)).text;

describe('a word that was read in two ways', () => {
  it('is the one of the language, as it was read in the scan, however sure the other is', async () => {
    const read = { own: word('atirma', 91), original: word('afirma', 60) };
    expect(await textOf(read)).toBe('afirma');
  });

  it('keeps the signs around it', async () => {
    const read = { own: word('(atirma,', 91), original: word('afirma.', 60) };
    expect(await textOf(read)).toBe('(afirma,');
  });

  it('stays where it is one of the language', async () => {
    expect(await textOf({ own: word('afirma', 60), original: word('atirma', 95) })).toBe('afirma');
  });

  it('is as it was read in the scan where neither is one of the language, unless it is much surer', async () => {
    expect(await textOf({ own: word('atirna', 88), original: word('atirma', 60) })).toBe('atirma');
    expect(await textOf({ own: word('atirna', 91), original: word('atirma', 60) })).toBe('atirna');
  });

  it('has letters for strokes as it was read in the scan, however unsure that is', async () => {
    expect(await textOf({ own: word('Petz!', 88), original: word('Petzl', 34) })).toBe('Petzl');
    expect(await textOf({ own: word('Petz!', 88), original: word('Petze', 34) })).toBe('Petz!');
  });

  it('is found in the scan where it was given a higher place, and others stand below', async () => {
    const higher = (one: OcrWord, by: number) => ({
      ...one,
      box: { ...one.box, top: one.box.top - by, bottom: one.box.bottom + 4 },
    });
    const below = { ...word('torcal', 70), box: { ...word('torcal').box, top: 31, bottom: 70 } };
    const read = { own: word('atirma', 91), original: [higher(word('afirma', 60), 16), below] };
    expect(await textOf(read)).toBe('afirma');
  });

  it('stays where the other was hardly read', async () => {
    expect(await textOf({ own: word('atirma'), original: word('afirma', 35) })).toBe('atirma');
  });

  it('is the one of the language in another reading, unless it is much surer in the scan', async () => {
    const other = word('afirma', 80);
    expect(await textOf({ own: word('atirma', 90), other })).toBe('afirma');
    expect(await textOf({ own: word('atirma', 96), other })).toBe('atirma');
  });

  it('stays where it may be a name, unless the other is as sure or only marks differ', async () => {
    expect(await textOf({ own: word('Torcaz', 91), original: word('Torcal', 80) })).toBe('Torcaz');
    expect(await textOf({ own: word('Torcaz', 80), original: word('Torcal', 80) })).toBe('Torcal');
    expect(await textOf({ own: word('Último', 91), original: word('Ultimo', 90) })).toBe('Último');
    expect(await textOf({ own: word('Ultimo', 91), original: word('Último', 60) })).toBe('Último');
  });

  it('is the one of the language, however short, where only marks differ', async () => {
    expect(await textOf({ own: word('dıe', 91), original: word('die', 45) })).toBe('die');
    expect(await textOf({ own: word('dié', 91), original: word('die', 45) })).toBe('die');
  });

  it.each([
    ['a short one', 'tbe', 'the'],
    ['with a digit', 'pag0s', 'pagos'],
    ['an abbreviation of other length', 'págs.', 'páginas'],
    ['another word', 'fiebre', 'afirma'],
    ['a part of one at the end of a line', 'atirma-', 'afirma-'],
  ])('stays: %s', async (_, own, original) => {
    const read = await settle({ own: word(own), original: word(original) });
    expect(read).toEqual({ text: own, asked: 0 });
  });

  it('is judged by all of it where the end of a line parts it', async () => {
    const read = { own: word('mattern,'), original: word('muttern', 60) };
    expect(await textOf({ ...read, before: word('Schrauben-') })).toBe('muttern,');
    expect(await textOf({ ...read, before: word('Perl-') })).toBe('mattern,');
    const begun = { own: word('Schranben-', 80), original: word('Schrauben-', 45) };
    expect(await textOf({ ...begun, below: word('muttern') })).toBe('Schrauben-');
    expect(await textOf({ ...begun, below: word('hut') })).toBe('Schranben-');
  });

  it('begins small where a word goes on in the next line, if it was read so as well', async () => {
    const read = { own: word('Muttern,'), original: word('muttern', 60) };
    expect(await textOf({ ...read, before: word('Schrauben-') })).toBe('muttern,');
    expect(await textOf({ ...read, before: word('Perl-') })).toBe('Muttern,');
    expect(await textOf({ ...read, before: word('Perl') })).toBe('Muttern,');
  });

  it('stays where two words were read in its place', async () => {
    const parts = [word('afir'), word('ma', 95, 62)];
    expect(await settle({ own: word('atirma'), original: parts })).toEqual({
      text: 'atirma',
      asked: 0,
    });
  });
});

describe('a page that was read in one way', () => {
  it('asks for no dictionary', async () => {
    const own = word('atirma');
    expect(await settle({ own, original: word('atirma', 50) })).toEqual({
      text: 'atirma',
      asked: 0,
    });
  });
});

describe('the words of a language', () => {
  it('are those in its dictionary, with endings, compounds and what is elided', async () => {
    const dictionaryFolder = path.join(temporaryFolder(), 'hunspell');
    await mkdir(dictionaryFolder);
    const affixes = 'SET UTF-8\nSFX S Y 1\nSFX S 0 s .\n';
    await writeFile(path.join(dictionaryFolder, 'fr.aff'), affixes);
    await writeFile(path.join(dictionaryFolder, 'fr.dic'), '2\naulne/S\némoi\n');
    await writeFile(path.join(dictionaryFolder, 'de_DE.aff'), affixes);
    await writeFile(path.join(dictionaryFolder, 'de_DE.dic'), '2\nSchraube\nMutter/S\n');
    const find = createKnownWords({ dictionaryFolder, modesFolder: dictionaryFolder });
    const french = await find('fr-CA');
    const words = ['aulnes', 'd’aulnes', 'd’aulne', 'Émoi', 'aulnez', 'd’aulnez', 'aulne’émoi'];
    expect(words.map((one) => french?.(one))).toEqual([true, true, true, true, false, false, true]);
    const german = await find('de');
    expect(['Schraubenmutter', 'Schraubenmatter'].map((one) => german?.(one))).toEqual([
      true,
      false,
    ]);
    expect(await find('es')).toBeUndefined();
  });

  it('are none where its dictionary cannot be read', async () => {
    const dictionaryFolder = temporaryFolder();
    await writeFile(path.join(dictionaryFolder, 'es_ES.dic'), '1\nafirma\n');
    const find = createKnownWords({ dictionaryFolder, modesFolder: dictionaryFolder });
    expect(await find('es')).toBeUndefined();
  });

  it.skipIf(!existsSync('/usr/share/apertium/modes/spa-cat.mode'))(
    'are those that Apertium translates from as well',
    async () => {
      const dictionaryFolder = temporaryFolder();
      const spanish = await createKnownWords({ dictionaryFolder })('es');
      expect(['afirma', 'atirma'].map((one) => spanish?.(one))).toEqual([true, false]);
    },
  );

  it.skipIf(!existsSync('/usr/share/hunspell/es_ES.dic'))(
    'are those of the dictionary that is installed',
    async () => {
      const spanish = await knownWords('es');
      const words = ['afirma', 'atirma', 'cigüeñas', 'cigueñas'];
      expect(words.map((one) => spanish?.(one))).toEqual([true, false, true, false]);
    },
  );
});
