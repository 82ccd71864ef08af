/** Words with differing readings, and the choice between them by dictionary. */
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
  /** The reading in the pixels of the scan, and another reading. */
  original?: OcrWord | readonly OcrWord[];
  other?: OcrWord;
  /** Words in the lines before and after. */
  before?: OcrWord;
  below?: OcrWord;
}

/** Returns the final text of a line, and the number of dictionary look-ups. */
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

describe('a word with two readings', () => {
  it("is replaced by the scan's reading if only that is in the dictionary, however sure the other is", async () => {
    const read = { own: word('atirma', 91), original: word('afirma', 60) };
    expect(await textOf(read)).toBe('afirma');
  });

  it('keeps the punctuation around it', async () => {
    const read = { own: word('(atirma,', 91), original: word('afirma.', 60) };
    expect(await textOf(read)).toBe('(afirma,');
  });

  it('is kept if it is in the dictionary', async () => {
    expect(await textOf({ own: word('afirma', 60), original: word('atirma', 95) })).toBe('afirma');
  });

  it("is replaced by the scan's reading if neither is in the dictionary, unless it is much surer", async () => {
    expect(await textOf({ own: word('atirna', 88), original: word('atirma', 60) })).toBe('atirma');
    expect(await textOf({ own: word('atirna', 91), original: word('atirma', 60) })).toBe('atirna');
  });

  it("is replaced by the scan's letters for strokes, however unsure these are", async () => {
    expect(await textOf({ own: word('Petz!', 88), original: word('Petzl', 34) })).toBe('Petzl');
    expect(await textOf({ own: word('Petz!', 88), original: word('Petze', 34) })).toBe('Petz!');
  });

  it('is found in the scan even if it was placed higher, with other words below', async () => {
    const higher = (one: OcrWord, by: number) => ({
      ...one,
      box: { ...one.box, top: one.box.top - by, bottom: one.box.bottom + 4 },
    });
    const below = { ...word('torcal', 70), box: { ...word('torcal').box, top: 31, bottom: 70 } };
    const read = { own: word('atirma', 91), original: [higher(word('afirma', 60), 16), below] };
    expect(await textOf(read)).toBe('afirma');
  });

  it("is kept where the scan's reading has little confidence", async () => {
    expect(await textOf({ own: word('atirma'), original: word('afirma', 35) })).toBe('atirma');
  });

  it("is replaced by another reading in the dictionary, unless the scan's is much surer", async () => {
    const other = word('afirma', 80);
    expect(await textOf({ own: word('atirma', 90), other })).toBe('afirma');
    expect(await textOf({ own: word('atirma', 96), other })).toBe('atirma');
  });

  it('is kept if it may be a name, unless the other is as sure or differs only in accents', async () => {
    expect(await textOf({ own: word('Torcaz', 91), original: word('Torcal', 80) })).toBe('Torcaz');
    expect(await textOf({ own: word('Torcaz', 80), original: word('Torcal', 80) })).toBe('Torcal');
    expect(await textOf({ own: word('Último', 91), original: word('Ultimo', 90) })).toBe('Último');
    expect(await textOf({ own: word('Ultimo', 91), original: word('Último', 60) })).toBe('Último');
  });

  it('is replaced by the reading in the dictionary, however short, if only accents differ', async () => {
    expect(await textOf({ own: word('dıe', 91), original: word('die', 45) })).toBe('die');
    expect(await textOf({ own: word('dié', 91), original: word('die', 45) })).toBe('die');
  });

  it.each([
    ['a short one', 'tbe', 'the'],
    ['with a digit', 'pag0s', 'pagos'],
    ['an abbreviation of other length', 'págs.', 'páginas'],
    ['another word', 'fiebre', 'afirma'],
    ['a part of one at the end of a line', 'atirma-', 'afirma-'],
  ])('is kept: %s', async (_, own, original) => {
    const read = await settle({ own: word(own), original: word(original) });
    expect(read).toEqual({ text: own, asked: 0 });
  });

  it('is looked up as a whole where it is hyphenated at a line end', async () => {
    const read = { own: word('mattern,'), original: word('muttern', 60) };
    expect(await textOf({ ...read, before: word('Schrauben-') })).toBe('muttern,');
    expect(await textOf({ ...read, before: word('Perl-') })).toBe('mattern,');
    const begun = { own: word('Schranben-', 80), original: word('Schrauben-', 45) };
    expect(await textOf({ ...begun, below: word('muttern') })).toBe('Schrauben-');
    expect(await textOf({ ...begun, below: word('hut') })).toBe('Schranben-');
  });

  it('loses its capital within a word hyphenated at a line end, if it was also read in lower case', async () => {
    const read = { own: word('Muttern,'), original: word('muttern', 60) };
    expect(await textOf({ ...read, before: word('Schrauben-') })).toBe('muttern,');
    expect(await textOf({ ...read, before: word('Perl-') })).toBe('Muttern,');
    expect(await textOf({ ...read, before: word('Perl') })).toBe('Muttern,');
  });

  it('is kept where two words were read in its place', async () => {
    const parts = [word('afir'), word('ma', 95, 62)];
    expect(await settle({ own: word('atirma'), original: parts })).toEqual({
      text: 'atirma',
      asked: 0,
    });
  });
});

describe('a page whose readings agree', () => {
  it('causes no dictionary look-up', async () => {
    const own = word('atirma');
    expect(await settle({ own, original: word('atirma', 50) })).toEqual({
      text: 'atirma',
      asked: 0,
    });
  });
});

describe('the known words of a language', () => {
  it('are those of its dictionary, with affixes, compounds and elisions', async () => {
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

  it('are empty where its dictionary is unreadable', async () => {
    const dictionaryFolder = temporaryFolder();
    await writeFile(path.join(dictionaryFolder, 'es_ES.dic'), '1\nafirma\n');
    const find = createKnownWords({ dictionaryFolder, modesFolder: dictionaryFolder });
    expect(await find('es')).toBeUndefined();
  });

  it.skipIf(!existsSync('/usr/share/apertium/modes/spa-cat.mode'))(
    'include those that Apertium translates from',
    async () => {
      const dictionaryFolder = temporaryFolder();
      const spanish = await createKnownWords({ dictionaryFolder })('es');
      expect(['afirma', 'atirma'].map((one) => spanish?.(one))).toEqual([true, false]);
    },
  );

  it.skipIf(!existsSync('/usr/share/hunspell/es_ES.dic'))(
    'are those of the installed dictionary',
    async () => {
      const spanish = await knownWords('es');
      const words = ['afirma', 'atirma', 'cigüeñas', 'cigueñas'];
      expect(words.map((one) => spanish?.(one))).toEqual([true, false, true, false]);
    },
  );
});
