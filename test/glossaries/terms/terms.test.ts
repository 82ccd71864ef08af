import { describe, expect, it } from 'vitest';
import {
  buildTermIndex,
  createTermIndex,
  type TermIndex,
} from '../../../server/glossaries/terms/term-index.ts';
import { buildTermTable } from '../../../server/glossaries/terms/term-table.ts';
import { turnsDuring } from '../../support/machine/event-loop-turns.ts';

/** Returns the matches in a dictionary written as `source=target; …`, as `found→target`. */
async function found(dictionary: string, text: string, language = 'en', targetLanguage = 'es') {
  const tsv = dictionary.split('; ').map((entry) => entry.replace('=', '\t'));
  const index = await buildTermIndex(tsv.join('\n'), { language, targetLanguage });
  return index.find(text).map((match) => `${text.slice(match.start, match.end)}→${match.target}`);
}

describe('a term index', () => {
  it.each([
    ['art=arte', 'party art, art-house smart ART.', ['art→arte', 'art→arte']],
    [
      'data=D; data centre=DC; centre=C',
      'data centre, the centre of data',
      ['data centre→DC', 'centre→C', 'data→D'],
    ],
    ['a b c=abc; b=B', 'a b d, a b c', ['b→B', 'a b c→abc']],
    ['data centre=DC', 'data \n  centre, data-centre', ['data \n  centre→DC']],
    ['C++=Ce; C=X', 'C++ and C', ['C++→Ce', 'C→X']],
    ['.NET=N', 'ASP.NET and .NET (.NET)', ['.NET→N', '.NET→N']],
    ['can=lata', "can't can can’t", ['can→lata']],
    ['3=tres', '3.5 and 3, then 3. And 1,3', ['3→tres', '3→tres']],
    ['user=usuario', 'user_name of {user}', ['user→usuario']],
    ['cafe\u0301=bar', 'caf\u00e9 cafe\u0301s', ['caf\u00e9→bar']],
    ["it's=X", 'it’s', ['it’s→X']],
    // Of two entries that differ only in the mark, each place has its own.
    ["it's=X; it’s=Y; it’s on=Z", "it’s it's it's on", ['it’s→Y', "it's→X", "it's on→Z"]],
    [
      'constructor=X; __proto__=Y',
      'constructor toString __proto__',
      ['constructor→X', '__proto__→Y'],
    ],
  ])('with the entries %s searches %j', async (dictionary, text, expected) => {
    expect(await found(dictionary, text)).toEqual(expected);
  });

  it.each([
    ['fr', 'ordinateur=X', "l'ordinateur, L’ordinateur", ['ordinateur→X', 'ordinateur→X']],
    [
      'ja',
      'データ=D; API=A; センター=C',
      'このAPIのデータセンター',
      ['API→A', 'データ→D', 'センター→C'],
    ],
    ['zh', '.NET=N', '用.NET开发', ['.NET→N']],
    ['zh', '机器学习=ML; 学习=L', '学习机器学习。', ['学习→L', '机器学习→ML']],
    ['th', 'ที่=T', 'อยู่ที่นี่', ['ที่→T']],
    [
      'ko',
      '데이터=D; 고양이=C; 데이터베이스=DB',
      '데이터를 고양이는 고양이 데이터베이스에',
      ['데이터→D', '고양이→C', '고양이→C', '데이터베이스→DB'],
    ],
    ['ko', '데이터=D', '데이터베이스', []],
    ['tr', 'ışık=L', 'Işık', ['Işık→L']],
    ['ru', 'дом=Haus', 'Дом и дома, дом', ['Дом→Haus', 'дом→Haus']],
  ])('in %s with the entries %s searches %j', async (language, dictionary, text, expected) => {
    expect(await found(dictionary, text, language)).toEqual(expected);
  });
});

describe('capitals of terms', () => {
  it.each([
    [
      'begin a sentence, and the target with it',
      'house=casa',
      'House. House! "House" a House',
      ['House→Casa', 'House→Casa', 'House→Casa'],
    ],
    ['of a name do not match a common word', 'apple=manzana; it=ello', 'an Apple, my IT', []],
    ['in a word too long for initials', 'apple=manzana', 'an APPLE', ['APPLE→MANZANA']],
    ['in all of a text', 'house=casa', 'THE HOUSE', ['HOUSE→CASA']],
    [
      'in phrases of several words match anywhere',
      'data centre=centro',
      'the Data Centre, a DATA CENTRE, a Data centre',
      ['Data Centre→Centro', 'DATA CENTRE→CENTRO', 'Data centre→Centro'],
    ],
    [
      'must be as written where an entry has them',
      'US=EE. UU.; iPhone=X',
      'US us Us IPHONE iPhone',
      ['US→EE. UU.', 'iPhone→X'],
    ],
    [
      'of an entry are hidden where all of a text has them',
      'iPhone=telefono; Data Centre=Centro; Polish=Polaco; polish=pulir; It=Eso',
      'IPHONE 4: POLISH (DATA CENTRE) DATA',
      ['IPHONE→TELEFONO', 'POLISH→PULIR', 'DATA CENTRE→CENTRO'],
    ],
    [
      'decide between two entries',
      'may=puede; May=mayo',
      'May may. May',
      ['May→mayo', 'may→puede', 'May→mayo'],
    ],
    ['stay as they are in a target that has some', 'phone=iPhone', 'Phone', ['Phone→iPhone']],
    ['in no order are another word', 'house=casa', 'hOUSE', []],
  ])('%s', async (_, dictionary, text, expected) => {
    expect(await found(dictionary, text)).toEqual(expected);
  });
});

describe('several dictionaries in a term index', () => {
  const pair = { sourceLang: 'en', targetLang: 'es' };
  const search = async (...dictionaries: string[]) =>
    createTermIndex(await Promise.all(dictionaries.map((each) => buildTermTable(each, pair))));

  it('are searched together: the longest phrase wins, then the first dictionary', async () => {
    const index = await search('house\tcasa\ncar\tcoche', 'house\thogar\nred car\tbólido');
    expect(index.find('a house, a red car, a car').map(({ target }) => target)).toEqual([
      'casa',
      'bólido',
      'coche',
    ]);
  });

  it('find nothing if they are empty', async () => {
    expect((await search('', 'a\tb')).find('a').map(({ target }) => target)).toEqual(['b']);
    expect((await search('')).find('a')).toEqual([]);
  });
});

describe('a term index of 100,000 entries', () => {
  const words = (count: number) =>
    Array.from({ length: count }, (_, index) => `term${index} of trade\tZiel ${index}`).join('\n');
  const text = `${'This sentence mentions term7 of trade and nothing else. '.repeat(20)}End.`;

  const searchMs = (index: TermIndex) => {
    const startedAt = performance.now();
    index.find(text);
    return performance.now() - startedAt;
  };

  it('is built in short steps, and searched as fast as one of 100', async () => {
    const entries = words(100_000);
    let large: TermIndex = { find: () => [] };
    const turns = await turnsDuring(async () => {
      large = await buildTermIndex(entries, { language: 'en' });
    });
    // A slower machine takes more turns, not fewer.
    expect(turns.count).toBeGreaterThan(10);
    expect(turns.longestShare).toBeLessThan(0.5);

    const small = await buildTermIndex(words(100), { language: 'en' });
    expect(large.find(text)).toEqual(small.find(text));
    expect(large.find(text)).toHaveLength(20);
    // Takes the shortest of many alternating searches: a busy machine slows some, but not all.
    let [largeMs, smallMs] = [Infinity, Infinity];
    for (let search = 0; search < 100; search += 1) {
      largeMs = Math.min(largeMs, searchMs(large));
      smallMs = Math.min(smallMs, searchMs(small));
    }
    expect(largeMs / smallMs).toBeLessThan(3);
  });
});
