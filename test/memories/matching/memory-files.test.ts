/** Reading TMX and CSV, both usual and hostile. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createCsvReader } from '../../../server/memories/matching/csv-reader.ts';
import {
  decodedFile,
  type GivenLanguages,
  memoryLanguage,
  type ReadUnit,
  readSegment,
  withMarksOf,
  writeSegment,
} from '../../../server/memories/matching/memory-unit.ts';
import { createTmxReader } from '../../../server/memories/matching/tmx-reader.ts';
import { languageNames } from '../../../server/translation/language-table.ts';
import type { TextSegment } from '../../../server/text/text-segment.ts';
import { baseLanguage } from '../../../shared/language.ts';
import { builtModule } from '../../support/suite/built-product.ts';

const nothingGiven: GivenLanguages = { source: undefined, target: undefined };

/** Returns the units of a file that arrives in pieces of a given size, in short notation. */
async function read(
  format: 'tmx' | 'csv',
  file: string | Buffer,
  { given = nothingGiven, pieceBytes = 7 }: { given?: GivenLanguages; pieceBytes?: number } = {},
) {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  const reader = format === 'tmx' ? createTmxReader(given) : createCsvReader(given);
  const units: ReadUnit[] = [];
  for await (const text of decodedFile(pieces())) units.push(...reader.write(text));
  units.push(...reader.end());
  return {
    source: reader.sourceLanguage(),
    units: units.map((unit) => (unit === 'skipped' ? unit : inShort(unit))),
  };
}

function inShort({ source, targets }: Exclude<ReadUnit, 'skipped'>) {
  const entries = [...targets].map(([language, target]) => [language, shown(target, source)]);
  return [shown(source), Object.fromEntries(entries) as Record<string, string>] as const;
}

const shown = (segment: TextSegment, numbering = segment) =>
  writeSegment(segment, numbering).replaceAll('\u0001', '|');

const tmx = (units: string, { header = 'srclang="en-US"', before = '' } = {}) =>
  `<?xml version="1.0" encoding="UTF-8"?>${before}
<tmx version="1.4"><header ${header} datatype="xml"/><body>${units}</body></tmx>`;
const tu = (texts: Record<string, string>) =>
  `<tu tuid="1"><prop type="x">no text</prop><note>nor this</note>${Object.entries(texts)
    .map(([language, text]) => `<tuv xml:lang="${language}"><seg>${text}</seg></tuv>`)
    .join('')}</tu>`;

const MANY_CODES = Array.from('abcdefghijkl')
  .map((each) => `<ph x="#${each}"/>`)
  .join('');

/**
 * Reads 4 MB of each of some repeated texts in a process of its own; `#` is a different number each time.
 *
 * @returns the targets of the units of each text, and the peak memory, in MB
 */
function imported(pieces: readonly string[]): { units: string[][]; peak: number } {
  const reader = builtModule('server/memories/matching/tmx-reader.ts');
  const program = `
    import { createTmxReader } from ${JSON.stringify(reader)};
    function unitsOf(piece) {
      const reader = createTmxReader({ source: 'en', target: undefined });
      const units = [];
      const write = (text) => units.push(...reader.write(text));
      write('<tmx><body><tu><tuv xml:lang="en"><seg>House');
      let number = 0;
      for (let length = 0; length < 4e6;) {
        let text = '';
        while (text.length < 16_384) text += piece.replaceAll('#', number++);
        write(text);
        length += text.length;
      }
      write('</seg></tuv><tuv xml:lang="de"><seg>Haus</seg></tuv></tu>');
      write('<tu><tuv xml:lang="en"><seg>House</seg></tuv><tuv xml:lang="de"><seg>Haus</seg></tuv></tu></body></tmx>');
      units.push(...reader.end());
      return units.map((unit) => unit === 'skipped' ? unit : unit.targets.get('de').join(''));
    }
    console.log(JSON.stringify({
      units: ${JSON.stringify(pieces)}.map(unitsOf),
      peak: process.resourceUsage().maxRSS / 1024,
    }));`;
  const output = execFileSync(
    process.execPath,
    ['--max-semi-space-size=8', '--input-type=module', '-e', program],
    { encoding: 'utf8', timeout: 240_000 },
  );
  return JSON.parse(output) as { units: string[][]; peak: number };
}

describe('a TMX file', () => {
  it('is read with all its languages, in any order', async () => {
    const file = tmx(
      tu({
        'de-DE': 'T&#252;r &amp; Tor',
        'en-US': 'Door &lt; gate',
        'fr-CA': 'Porte',
        'zh-TW': '門',
        'no-NO': 'Dør',
        iw_IL: 'דלת',
        'por-BR': 'Porta',
      }) + tu({ ENG: 'House', de: '<![CDATA[<Haus>]]>' }),
      { before: '<!DOCTYPE tmx SYSTEM "tmx14.dtd">' },
    );
    expect(await read('tmx', file)).toEqual({
      source: 'en',
      units: [
        [
          'Door < gate',
          {
            ...{ de: 'Tür & Tor', 'fr-CA': 'Porte', 'zh-Hant': '門' },
            ...{ nb: 'Dør', he: 'דלת', 'pt-BR': 'Porta' },
          },
        ],
        ['House', { de: '<Haus>' }],
      ],
    });
  });

  it('may have variants that nobody has translated', async () => {
    const file = tmx(
      tu({ 'en-GB': '', 'en-US': 'Color', de: 'Farbe', 'de-DE': ' ', 'de-AT': '<ph/>' }) +
        tu({ en: 'House', 'de-AT': '', de: 'Haus' }) +
        tu({ en: 'Door', de: '', 'de-AT': '' }),
    );
    expect((await read('tmx', file)).units).toEqual([
      ['Color', { de: 'Farbe' }],
      ['House', { de: 'Haus' }],
      'skipped',
    ]);
  });

  it('has its codes converted to marks, which follow the source in the targets', async () => {
    const file = tmx(
      tu({
        de: 'Ein <bpt i="1">{\\b </bpt>rotes<ept i="1">}</ept> <ph x="2">[img<sub>alt</sub>]</ph>Haus, <hi>neu</hi>',
        en: 'A <ph x="2">[img]</ph>house, <bpt i="1">{\\b </bpt>red<ept i="1">}</ept><it pos="begin">x</it>',
      }),
    );
    const { units } = await read('tmx', file);
    expect(units).toEqual([
      ['A |l1|house, |o2|red|c2||l3|', { de: 'Ein |o2|rotes|c2| |l1|Haus, neu' }],
    ]);
  });

  it('loses overlapping codes, and keeps the text', async () => {
    const file = tmx(
      tu({
        en: 'a <bpt i="1"/>b <bpt i="2"/>c<ept i="1"/> d<ept i="2"/>',
        de: 'x <bpt i="1"/>y<ept i="1"/>',
      }),
    );
    expect((await read('tmx', file)).units).toEqual([['a b c d', { de: 'x y' }]]);
  });

  it('skips units without a source or target, and empty or excessively long ones', async () => {
    const file = tmx(
      tu({ de: 'Haus' }) +
        tu({ en: 'House' }) +
        tu({ en: 'House', 'en-GB': 'House' }) +
        tu({ en: ' ', de: 'Haus' }) +
        tu({ en: 'House', de: '' }) +
        tu({ en: 'x'.repeat(10_001), de: 'Haus' }) +
        tu({ en: 'House', 'x-private': 'Haus' }),
    );
    expect((await read('tmx', file, { pieceBytes: 1_000 })).units).toEqual(
      Array(7).fill('skipped'),
    );
  });

  it('requires a source language if it does not declare one', async () => {
    const file = tmx(tu({ en: 'House', de: 'Haus' }), { header: 'srclang="*all*"' });
    await expect(read('tmx', file)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('srclang') as string,
    });
    const given = { source: 'de', target: undefined };
    expect((await read('tmx', file, { given })).units).toEqual([['Haus', { en: 'House' }]]);
  });

  it('is read for a single target on request', async () => {
    const given = { source: undefined, target: 'fr' };
    const file = tmx(tu({ en: 'House', de: 'Haus', fr: 'Maison' }));
    expect((await read('tmx', file, { given })).units).toEqual([['House', { fr: 'Maison' }]]);
  });

  it('is read for the variants of a target, unless the target is one itself', async () => {
    const file = tmx(tu({ de: 'Haus', 'en-US': 'House' }), { header: 'srclang="de"' });
    const unitsFor = async (target: string) =>
      (await read('tmx', file, { given: { source: undefined, target } })).units;
    expect(await unitsFor('en')).toEqual([['Haus', { 'en-US': 'House' }]]);
    expect(await unitsFor('en-GB')).toEqual(['skipped']);
  });

  it.each<[string, (text: string) => Buffer]>([
    ['UTF-8 with its mark', (text) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16 with its mark', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 without it', (text) => Buffer.from(text, 'utf16le')],
    ['UTF-16, most significant byte first', (text) => Buffer.from(text, 'utf16le').swap16()],
    ['Latin-1', (text) => Buffer.from(text.replace('UTF-8', 'ISO-8859-1'), 'latin1')],
  ])('is read in %s, in pieces of any size', async (_name, encode) => {
    const file = encode(tmx(tu({ en: 'Door', de: 'Tür' })));
    for (const pieceBytes of [1, 3, 1_000]) {
      expect((await read('tmx', file, { pieceBytes })).units).toEqual([['Door', { de: 'Tür' }]]);
    }
  });

  const bomb = `<!DOCTYPE tmx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>`;
  it.each<[string, string | Buffer, RegExp]>([
    ['entities of its own', tmx(tu({ en: '&b;', de: 'x' }), { before: bomb }), /document type/],
    [
      'files of others',
      tmx(tu({ en: '&b;', de: 'x' }), {
        before: '<!DOCTYPE tmx [<!ENTITY b SYSTEM "file:///etc/passwd">]>',
      }),
      /document type/,
    ],
    ['unknown entities', tmx(tu({ en: '&nbsp;', de: 'x' })), /not well-formed/],
    ['a broken end', tmx(tu({ en: 'a', de: 'b' })).slice(0, -10), /not well-formed/],
    ['nothing', '', /not TMX|not well-formed/],
    ['another kind of XML', '<html><body/></html>', /not TMX/],
    ['no XML at all', 'en,de\nHouse,Haus', /not well-formed|not TMX/],
    ['endless depth', '<tmx>' + '<a>'.repeat(100), /nested too deeply/],
    ['an endless text', tmx(tu({ en: 'x'.repeat(1_100_000), de: 'b' })), /too long/],
    ['an endless attribute', `<tmx a="${'x'.repeat(1_100_000)}"/>`, /too long/],
    ['an endless comment', `<tmx><!--${'x'.repeat(1_100_000)}--></tmx>`, /too long/],
    ['bytes of another encoding', Buffer.from(tmx(tu({ en: 'é', de: 'b' })), 'latin1'), /bytes/],
    ['an unknown encoding', tmx('').replace('UTF-8', 'klingon'), /encoding/],
  ])('is refused with %s', async (_name, file, message) => {
    await expect(read('tmx', file, { pieceBytes: 16_384 })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(message) as string,
    });
  });

  it('is read without buffering codes, codes told apart, text or texts without end', () => {
    const { units, peak } = imported([
      '<ph/>',
      '<ph x="#"/>',
      '<![CDATA[0123456789]]><hi>0123456789</hi>',
      `</seg></tuv><tuv xml:lang="de"><seg>${MANY_CODES}`,
    ]);
    expect(units).toEqual(['skipped', 'skipped', 'skipped', 'Haus'].map((unit) => [unit, 'Haus']));
    expect(peak).toBeLessThan(110);
  });

  it('is refused when a unit has too many languages', async () => {
    const letters = Array.from('abcdefghijklmnopqrst');
    const languages = letters.flatMap((one) => letters.map((two) => `${one}${two}`));
    const file = tmx(tu(Object.fromEntries(languages.map((each) => [each, 'x']))));
    await expect(read('tmx', file, { pieceBytes: 16_384 })).rejects.toMatchObject({
      message: expect.stringContaining('too many languages') as string,
    });
  });

  it('is refused with the line of its error', async () => {
    await expect(read('tmx', '<tmx>\n\n<a></b></tmx>')).rejects.toMatchObject({
      detail: 'Line 3.',
    });
  });
});

describe('a CSV file', () => {
  it('has its placeholders converted to marks where the translation has the same', async () => {
    const file = 'en,de\n%s of {n} or %s,{n}: %s %s\nCall {a},Ruf {b}\n{x} {x},{x}\n{y},{y}';
    expect((await read('csv', file)).units).toEqual([
      ['|l1| of |l2| or |l3|', { de: '|l2|: |l1| |l3|' }],
      ['Call {a}', { de: 'Ruf {b}' }],
      ['{x} {x}', { de: '{x}' }],
      ['{y}', { de: '{y}' }],
    ]);
  });

  it('is read with quotes, line breaks and several targets', async () => {
    const file =
      'EN,de,fr\r\n"Say ""yes"", please","Sag ""ja""","Dis\noui"\r\nHouse,Haus,\r\n\r\n" ",x,y\r\na,b\r\nlast,zuletzt,dernier';
    for (const pieceBytes of [1, 5, 10_000]) {
      expect(await read('csv', file, { pieceBytes })).toEqual({
        source: 'en',
        units: [
          ['Say "yes", please', { de: 'Sag "ja"', fr: 'Dis\noui' }],
          ['House', { de: 'Haus' }],
          'skipped',
          'skipped',
          ['last', { de: 'zuletzt', fr: 'dernier' }],
        ],
      });
    }
  });

  it.each([
    ['semicolons', 'en;de\nRed, blue;Rot, blau'],
    ['tabs', 'en\tde\nRed, blue\tRot, blau'],
    ['semicolons, with empty ones at the end,', 'en;de;;\nRed, blue;Rot, blau; ;\n;;;'],
  ])('may have %s between its cells', async (_name, file) => {
    const { units } = await read('csv', file);
    expect(units.filter((unit) => unit !== 'skipped')).toEqual([
      ['Red, blue', { de: 'Rot, blau' }],
    ]);
  });

  it.each([
    ['source and target', 'source,target\nHouse,Haus'],
    ['its languages', 'en,de\nHouse,Haus'],
    ['variants of them', 'en-US,de-DE\nHouse,Haus'],
    ['them in another order', 'de,en\nHaus,House'],
    ['them and others', 'fr,en,es,de-AT\nMaison,House,Casa,Haus'],
    ['its first unit', 'House,Haus'],
  ])('may begin with %s where the languages are given', async (_name, file) => {
    const given = { source: 'en', target: 'de' };
    expect(await read('csv', file, { given })).toEqual({
      source: 'en',
      units: [['House', { de: 'Haus' }]],
    });
  });

  it.each<[string, string, RegExp, Partial<GivenLanguages>?]>([
    ['without languages', 'source,target\nHouse,Haus', /first line must name/],
    ['without a language that is given', 'en,de\nHouse,Haus', /does not name/, { target: 'fr' }],
    ['with a language twice', 'en,de,de\na,b,c', /twice/],
    ['that is empty', '', /empty|first line/],
    ['with a quote that stays open', 'en,de\n"a,b', /not closed/],
    ['with an endless cell', `en,de\n${'x'.repeat(1_100_000)}`, /too long/],
    ['with endless cells', `en,de\n${','.repeat(10_000)}`, /too many cells/],
  ])('is refused %s', async (_name, file, message, named = {}) => {
    const given = { ...nothingGiven, ...named };
    await expect(read('csv', file, { pieceBytes: 16_384, given })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(message) as string,
    });
  });
});

describe('a segment stored as text', () => {
  const segment: TextSegment = [
    'A ',
    { mark: 'open', id: 12 },
    'red\u0000\u0001 ',
    { mark: 'lone', id: 5 },
    { mark: 'close', id: 12 },
    'car\ud800',
  ];

  it('is restored with its marks numbered in order, without what cannot be stored', () => {
    const kept = readSegment(writeSegment(segment));
    expect(kept).toEqual([
      'A ',
      { mark: 'open', id: 1 },
      'red ',
      { mark: 'lone', id: 2 },
      { mark: 'close', id: 1 },
      'car',
    ]);
    expect(withMarksOf(kept, segment)).toEqual([
      'A ',
      { mark: 'open', id: 12 },
      'red ',
      { mark: 'lone', id: 5 },
      { mark: 'close', id: 12 },
      'car',
    ]);
  });
});

it('texts in any language of the interface are kept under its code', () => {
  const languages = [...languageNames.keys()].map((code) => baseLanguage(code));
  expect(languages.map((code) => memoryLanguage(code))).toEqual(languages);
});
