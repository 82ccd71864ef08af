/** Reading the text of a PDF file: words, lines, columns and paragraphs, each once. */
import { describe, expect, it } from 'vitest';
import { type PDFContext, PDFDict, PDFDocument, PDFName, StandardFonts } from '@cantoo/pdf-lib';

import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { openPdfFile } from '../../../server/documents/formats/pdf/pdfium.ts';
import { readPages } from '../../../server/documents/formats/pdf/read-pages.ts';
import { plainText } from '../../../server/text/text-segment.ts';
import { pdfText } from '../../support/documents/documents.ts';
import {
  justifiedLine,
  mixedDirectionPdf,
  newspaperPdf,
  rawPdf,
} from '../../support/documents/pdf-files.ts';

const open = (file: Uint8Array) =>
  pdf.open(file, { source: 'en', target: 'de', output: 'pdf', maxCharacters: 1_000_000 });

const textsOf = async (content: string, crop?: [number, number, number, number]) => {
  const page = crop === undefined ? { content } : { content, crop };
  const document = await open(await rawPdf([page]));
  return document.blocks.map(({ segment }) => plainText(segment));
};

const alignmentsOf = async (content: string) => {
  const file = await openPdfFile(await rawPdf([{ content }]));
  try {
    return [...readPages(file)].flatMap(({ paragraphs }) => paragraphs.map(({ align }) => align));
  } finally {
    file.close();
  }
};

/** Returns the texts of a content with a font `F`. @param letters what its codes from 1 on stand for */
const textsWith = async (
  content: string,
  fontIn: (context: PDFContext) => PDFDict,
  letters: readonly string[] = [],
) => {
  const file = await rawPdf([{ content }], (document) => {
    const { context } = document;
    const hex = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');
    const entries = letters.map((text, at) => `<000${at + 1}> <${hex(text)}>`).join('\n');
    const toUnicode = `1 begincodespacerange <0000> <ffff> endcodespacerange ${letters.length} beginbfchar ${entries} endbfchar`;
    const dict = fontIn(context);
    if (entries !== '') {
      dict.set(PDFName.of('ToUnicode'), context.register(context.stream(toUnicode)));
    }
    const fonts = document.getPage(0).node.Resources()?.lookup(PDFName.of('Font'), PDFDict);
    fonts?.set(PDFName.of('F'), dict);
  });
  return (await open(file)).blocks.map(({ segment }) => plainText(segment));
};

/** A font without glyphs, of codes of two bytes. */
const otherFont = (context: PDFContext): PDFDict => {
  // The first code is a blank. Codes without a width of their own are narrower than the letters.
  const W = [1, [500, 900, 900, 900, 900]];
  const descendant = {
    ...{ Type: 'Font', Subtype: 'CIDFontType2', BaseFont: 'Other', DW: 600, W },
    CIDSystemInfo: { Registry: 'Adobe', Ordering: 'Identity', Supplement: 0 },
    FontDescriptor: { Type: 'FontDescriptor', FontName: 'Other', Flags: 4 },
  };
  const font = { Type: 'Font', Subtype: 'Type0', BaseFont: 'Other', Encoding: 'Identity-H' };
  return context.obj({ ...font, DescendantFonts: [descendant] });
};

/** Returns the width of letters of Times at 10 points. */
const widthOf = async (text: string): Promise<number> => {
  const times = await (await PDFDocument.create()).embedFont(StandardFonts.TimesRoman);
  return Array.from(text).reduce((sum, letter) => sum + times.widthOfTextAtSize(letter, 10), 0);
};

/** Returns text at places. */
const placed = (items: readonly (readonly [string, number, number])[], size = 10): string =>
  items.map(([text, x, y]) => `BT /Times ${size} Tf ${x} ${y} Td (${text}) Tj ET`).join('\n');

describe('the text of a PDF file', () => {
  it('has each row, entry and item separate', async () => {
    const rows = ['Consulting services', 'Travel expenses', 'Total amount due'];
    const entries = ['Introduction', 'Materials and methods'];
    const items = ['An inner point', 'Another inner point'];
    const content = [
      placed(
        rows.flatMap((row, at) => [
          [row, 60, 700 - at * 14] as const,
          [`${at}.50`, 300, 700 - at * 14] as const,
        ]),
      ),
      placed(
        entries.map((entry, at) => [
          `${entry} ${'.'.repeat(60 - entry.length)} ${at + 1}`,
          60,
          500 - at * 14,
        ]),
      ),
      placed(items.map((item, at) => [item, 80, 300 - at * 14])),
      ...items.map((_, at) => `68 ${302 - at * 14} 4 4 re f`),
    ].join('\n');
    const texts = await textsOf(content);
    expect(texts).toHaveLength(7);
    expect(texts).toEqual(expect.arrayContaining([...rows, ...items]));
  });

  it('has spaced and slanted letters, initials and lines with superscripts joined', async () => {
    const slant = Math.SQRT1_2.toFixed(4);
    const content = [
      'BT /Times 12 Tf 4 Tc 60 780 Td (WIDE LETTERS) Tj 0 Tc ET',
      `BT /Bold 40 Tf ${slant} ${slant} -${slant} ${slant} 300 100 Tm (WATERMARK) Tj ET`,
      'BT /Times 40 Tf 60 676 Td (O) Tj ET',
      placed([
        ['nce upon a time there was a', 92, 700],
        ['story that had an initial of', 92, 688],
        ['three lines, which goes on here.', 60, 664],
      ]),
      placed([
        ['Lines of text that have signs', 60, 500],
        ['that are raised above others', 60, 488],
        ['away, are one paragraph.', 60, 459],
      ]),
      'BT /Times 10 Tf 60 471 Td (which push lines further) Tj /Times 6 Tf 4 Ts (2) Tj 0 Ts ET',
    ].join('\n');
    const texts = await textsOf(content);
    expect(texts).toContain('WIDE LETTERS');
    expect(texts).toContain('WATERMARK');
    expect(texts.join('|')).toContain('Once upon a time there was a story that had an initial of');
    expect(texts.join('|')).toMatch(/above others which push lines further ?2 away/);
  });

  it('has its words separate where letters reach into narrow blanks or are condensed', async () => {
    const words = 'Half of chief staff could walk off if it were';
    const shown = `[(${words.split(' ').join(') -210 (')})] TJ`;
    const content = [100, 85, 70].map(
      (narrowed, at) => `BT /Times 10 Tf ${narrowed} Tz 60 ${700 - at * 40} Td ${shown} ET`,
    );
    expect(await textsOf(content.join('\n'))).toEqual([words, words, words]);
  });

  it('has all letters of its ligatures', async () => {
    const content =
      'BT /F 12 Tf 60 700 Td (The o\\200ce is e\\200cient: \\201nal, \\202at, o\\203 hours) Tj ET';
    const Differences = [128, 'ffi', 'fi', 'fl', 'ff'];
    const font = { Type: 'Font', Subtype: 'Type1', BaseFont: 'Times-Roman' };
    const texts = await textsWith(content, (context) =>
      context.obj({ ...font, Encoding: { Differences } }),
    );
    expect(texts).toEqual(['The office is efficient: final, flat, off hours']);
  });

  it('has Arabic words whole, and the letters of lam-alef in order', async () => {
    const content = 'BT /F 12 Tf 60 700 Td <00020003000100050004000100040005> Tj ET';
    const letters = [' ', '\ufef2', '\ufed3', '\u0644\u0627', '\ufe91'];
    const texts = await textsWith(content, otherFont, letters);
    expect(texts).toEqual(['بلا لاب في']);
  });

  it('occurs once where it is printed twice for boldness', async () => {
    const lines = Array.from({ length: 12 }, (_, at) => `Warning ${at} of the river`);
    const print = (x: number): string =>
      lines.map((line, at) => `1 0 0 1 ${x} ${700 - at * 14} Tm (${line}) Tj`).join('\n');
    const content = `BT /Times 12 Tf ${print(60)} ${print(60.4)} ET`;
    expect(await textsOf(content)).toEqual([lines.join(' ')]);
    const file = await rawPdf([
      { content: '/Form Do 1 0 0 1 0.4 0 cm /Form Do', forms: { Form: content } },
    ]);
    const document = await open(file);
    const translated = document.blocks.map(({ segment }) => [
      plainText(segment).replaceAll('Warning', 'Warnung'),
    ]);
    const read = await pdfText(await document.write(translated, { source: 'en', target: 'de' }));
    expect(read.match(/Warnung\s\d+\sof/g)).toHaveLength(12);
    expect(read).not.toContain('Warning');
  });

  it('is read column by column even if the gutter is narrower than some blanks', async () => {
    const left = [
      'The river has risen by two',
      'metres since the morning',
      'and the authority expects',
    ];
    const right = [
      'Residents of the town are',
      'asked to move their cars',
      'and to keep paths free',
    ];
    const last = ['a further increase till then', 'along the embankment.'] as const;
    const rows: string[] = [];
    for (const [at, line] of [...left, last[0]].entries()) {
      const y = 700 - at * 12;
      rows.push(await justifiedLine(line, { x: 60, y, width: 130 }));
      // The second column begins 6 points after the first.
      rows.push(placed([[[...right, last[1]][at] ?? '', 196, y]]).replace('Tf', 'Tf 0 Tw'));
    }
    const texts = await textsOf(rows.join('\n'));
    expect(texts).toEqual([[...left, last[0]].join(' '), [...right, last[1]].join(' ')]);
  });

  it('is read column by column where few lines of a column are beside others', async () => {
    const { file, texts } = await newspaperPdf();
    const { blocks } = await open(file);
    const told = blocks.map(({ segment }) => plainText(segment)).join(' ');
    // Pages of a browser have their address as title.
    expect(told.replace(/ about:blank$/, '')).toBe(texts.join(' '));
  });

  it('has stretched lines whole even if the lines of adjacent columns are at other heights', async () => {
    const lines = [
      'The authority of the river expects',
      'the previous decade again',
      'and nobody who lives there sleeps',
    ];
    const beside = ['Residents of the town are asked', 'to move their cars at once'];
    const rows = await Promise.all([
      ...lines.map((line, at) => justifiedLine(line, { x: 60, y: 700 - at * 12, width: 150 })),
      ...beside.map((line, at) => justifiedLine(line, { x: 230, y: 695 - at * 12, width: 150 })),
    ]);
    expect(await textsOf(rows.join('\n'))).toEqual([lines.join(' '), beside.join(' ')]);
  });

  it.each([
    [
      'stand below each other',
      [
        'The river rose at the embankment',
        'Boats were tied to the embankment',
        'Nobody walks along the embankment',
        'and the lamps light the embankment',
      ],
    ],
    [
      'are wider than gutters',
      [
        'The towns near the river expect',
        'floods until the weekend.',
        'Nobody knows how long it lasts',
      ],
    ],
    [
      'are wider than gutters in a line of two words',
      [
        'The towns near the river expect',
        'straightforward recommendations',
        'Nobody knows how it all ends',
      ],
    ],
  ])('keeps the blanks of a justified line that %s', async (_, lines) => {
    const rows: string[] = [];
    for (const [at, line] of lines.entries()) {
      rows.push(await justifiedLine(line, { x: 60, y: 700 - at * 12, width: 165 }));
    }
    expect(await textsOf(rows.join('\n'))).toEqual([lines.join(' ')]);
  });

  it('has cells separate that are as far apart as words of a stretched line', async () => {
    const row = ['Apples', 'Cherries', 'Plums'];
    const lines = [
      await justifiedLine('The fruit that came with the boat', { x: 60, y: 700, width: 165 }),
      placed(row.map((cell, at) => [cell, [60, 110, 170][at] ?? 0, 688])).replaceAll(
        'Tf',
        'Tf 0 Tw',
      ),
    ];
    const texts = await textsOf(lines.join('\n'));
    expect(texts.slice(-2)).toEqual(row.slice(1));
  });

  it('is justified like its column, even if the blanks of a paragraph are alike', async () => {
    const above = [
      'The towns near the river expect',
      'floods until the weekend now',
      'and nobody sleeps.',
    ];
    const full = 'Many of the boats lie at the pier';
    const width = 165;
    const blank = (width - (await widthOf(full.replaceAll(' ', '')))) / 7;
    const indent = (await widthOf('Many')) + blank;
    const rows = [
      await justifiedLine(above[0] ?? '', { x: 60, y: 700, width }),
      await justifiedLine(above[1] ?? '', { x: 60, y: 688, width }),
      placed([[above[2] ?? '', 60, 676]]).replace('Tf', 'Tf 0 Tw'),
      // The same words without the first, so that the blanks are as wide.
      await justifiedLine(full.slice(5), { x: 60 + indent, y: 664, width: width - indent }),
      await justifiedLine(full, { x: 60, y: 652, width }),
    ];
    expect(await alignmentsOf(rows.join('\n'))).toEqual(['justify', 'justify']);
  });

  it('is right-aligned where its lines only end together, beside unjustified text', async () => {
    const lines = ['The harbour office', 'Fourteen Long Street of the Town'];
    const rights = await Promise.all(
      lines.map(async (line, at) => [line, 400 - (await widthOf(line)), 700 - at * 12] as const),
    );
    const others = ['Ragged lines of the', 'letter go on below it', 'for a while.'];
    const content = placed([
      ...rights,
      ...rights.map(([line, x, y]) => [line, x, y - 100] as const),
      ...others.map((line, at) => [line, 60, 500 - at * 12] as const),
    ]);
    expect(await alignmentsOf(content)).toEqual(['right', 'right', 'left']);
  });

  it('is right-aligned where single lines end together', async () => {
    const lines = [
      'Number of the letter: 204',
      'Date: 3 March',
      'To be paid until the second of April',
    ];
    const items = lines.map(async (line, at) => {
      return [line, 520 - (await widthOf(line)), 700 - at * 30] as const;
    });
    expect(await alignmentsOf(placed(await Promise.all(items)))).toEqual([
      'right',
      'right',
      'right',
    ]);
  });

  it('is not centred where its left edge is aligned and its centre is a coincidence', async () => {
    const lines = ['Harbour authority', 'Master of science in the building of ships', 'Engineer'];
    const left = 595 / 2 - (await widthOf(lines[1] ?? '')) / 2;
    const content = placed(lines.map((line, at) => [line, left, 700 - at * 30]));
    expect(await alignmentsOf(content)).toEqual(['left', 'left', 'left']);
  });

  it('has a column whole above wider text', async () => {
    const left = [
      'The river has risen by some two',
      'metres since the morning, just as',
      'the authority said.',
    ];
    const right = ['Residents of the town are asked', 'to move their cars.'];
    const below = 'Below them the text goes on as wide as both of the columns are together.';
    const at = (lines: readonly string[], x: number) =>
      lines.map((line, row) => [line, x, 700 - row * 12] as const);
    const texts = await textsOf(placed([...at(left, 60), ...at(right, 208), [below, 60, 655]]));
    expect(texts).toEqual([left.join(' '), right.join(' '), below]);
  });

  it('has each footnote separate, however full its lines', async () => {
    const notes = ['Measured at the old bridge of the town', 'Told by the authority of the river'];
    const content = notes.map(
      (note, at) =>
        `BT /Times 5 Tf 3 Ts 1 0 0 1 60 ${100 - at * 10} Tm (${at + 1}) Tj /Times 8 Tf 0 Ts ( ${note}) Tj ET`,
    );
    const [first, second] = await textsOf(content.join('\n'));
    expect([first, second]).toEqual(notes.map((note, at) => `${at + 1} ${note}`));
  });

  it('is read in logical order where directions are mixed', async () => {
    const document = await open(await mixedDirectionPdf());
    expect(document.blocks.map(({ segment }) => plainText(segment))).toEqual([
      'הנהר עלה (לפי River Report 2026) מאז הבוקר 123.',
      'The greeting שלום עולם is used on 3 signs.',
    ]);
  });

  it('is in order where its digits and signs were written before its letters', async () => {
    const content = `BT /Times 10 Tf 60 700 Td [(5) -1400 (3) -1134 (.)] TJ ET
BT /Times 10 Tf 68 700 Td [(ill) -1066 (lil)] TJ ET`;
    expect(await textsOf(content)).toEqual(['5 ill 3 lil.']);
  });

  it('has lines of figures alone in their right-to-left paragraphs', async () => {
    const letters = ['א', 'ב', 'ג', '1', '2', '.'];
    const content = `BT /F 10 Tf 60 700 Td <000300020001000300020001> Tj ET
BT /F 10 Tf 82 688 Td <000600040005> Tj ET`;
    expect(await textsWith(content, otherFont, letters)).toEqual(['אבגאבג 12.']);
    // A telephone number between the lines of an address.
    const address = content.replace('82 688 Td <0006', '70 688 Td <00040005');
    const below = 'BT /F 10 Tf 60 676 Td <000300020001000300020001> Tj ET';
    expect(await textsWith(`${address} ${below}`, otherFont, letters)).toEqual([
      ...['אבגאבג', 'אבגאבג'],
    ]);
  });

  it('is limited to the visible page', async () => {
    const content = placed([
      ['Within', 200, 400],
      ['Beyond', 20, 780],
    ]);
    expect(await textsOf(content, [100, 100, 500, 700])).toEqual(['Within']);
  });
});
