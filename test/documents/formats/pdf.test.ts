import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { PDFDict, PDFDocument, PDFHexString, PDFName, PDFString } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';

import { DocumentError, type OpenedDocument } from '../../../server/documents/formats/format.ts';
import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { plainText, type TextSegment } from '../../../server/text/text-segment.ts';
import {
  documentFolder,
  pageCount,
  pdfText,
  renderingDifference,
  renderPages,
} from '../../support/documents/documents.ts';
import {
  justifiedLine,
  linesContent,
  rawPdf,
  reportPdf,
  riverText,
} from '../../support/documents/pdf-files.ts';
import { once } from '../../support/suite/made-once.ts';

const open = (file: Uint8Array, target = 'de'): Promise<OpenedDocument> =>
  pdf.open(file, { source: 'en', target, output: 'pdf', maxCharacters: 1_000_000 });

/** Translates the texts that a function answers; the others stay. */
async function translate(
  file: Uint8Array,
  answer: (text: string) => string | undefined,
  target = 'de',
): Promise<Uint8Array> {
  const document = await open(file, target);
  const translated = document.blocks.map(({ segment }): TextSegment => {
    const text = answer(plainText(segment));
    return text === undefined ? segment : [text];
  });
  return document.write(translated, { source: 'en', target });
}

/** Lengthens each word, as German does. */
const longer = (text: string): string =>
  text.replaceAll(/\p{L}+/gu, (word) => (word.length > 4 ? `${word}sche` : word));

const report = once(reportPdf);
/** The report with longer words. */
const longerReport = once(async () => translate(await report(), longer));

/** Without blanks and marks of direction. */
const letters = (text: string): string =>
  text.replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\s()]/g, '').normalize('NFC');

const normal = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

describe('a translated PDF file', () => {
  it('has all text translated, with the same pictures, rules and page count', async () => {
    const [file, written] = [await report(), await longerReport()];
    const text = normal(await pdfText(written));
    for (const piece of ['Level of the river', 'Residents', 'Remarks', 'recycled paper']) {
      expect(text).toContain(longer(piece));
    }
    expect(text).toContain('12345');
    expect(text).not.toMatch(/\b(Residents|authority|windows|neighbours|closed)\b/);
    expect(await pageCount(written)).toBe(1);
    // The red square and the rules of the table keep their places.
    const [before, after] = [await renderPages(file), await renderPages(written)];
    const square = (page: (typeof before)[number] | undefined) =>
      page?.pixels[Math.round((842 - 160) * (50 / 72)) * page.width + Math.round(100 * (50 / 72))];
    expect(square(after[0])).toBe(square(before[0]));
    expect(square(after[0])).toBeLessThan(200);
  });

  it('embeds subset fonts with extractable letters', async () => {
    const file = path.join(documentFolder(), 'fonts.pdf');
    writeFileSync(file, await longerReport());
    const fonts = execFileSync('pdffonts', [file], { encoding: 'utf8' });
    const ours = fonts.split('\n').filter((line) => /^[A-Z]{6}\+/.test(line));
    expect(ours.length).toBeGreaterThan(1);
    for (const line of ours) expect(line).toMatch(/Identity-H\s+yes yes yes/);
    expect(fonts).toContain('LiberationSerif');
    execFileSync('qpdf', ['--check', file]);
  });

  it.each([
    ['zh-Hans', '河水自早晨以来已经上涨两米，管理局预计到周末之前会继续上涨。'],
    ['hi', 'नदी का जलस्तर सुबह से दो मीटर बढ़ गया है और वृद्धि की उम्मीद है'],
  ])('contains %s as extractable text', async (target, sentence) => {
    const file = await rawPdf([{ content: linesContent(riverLines()) }]);
    const written = await translate(file, () => sentence, target);
    expect(letters(await pdfText(written))).toContain(letters(sentence));
  });

  it('contains right-to-left text at the right edge', async () => {
    const file = await rawPdf([{ content: linesContent(riverLines()) }]);
    const sentence = 'ارتفع منسوب النهر';
    const written = await translate(file, () => sentence, 'ar');
    expect(letters(await pdfText(written))).toContain(letters(sentence));
    const [page] = await renderPages(written);
    const inked = inkedColumns(page);
    expect(Math.min(...inked)).toBeGreaterThan((page?.width ?? 0) / 3);
  });

  it('has text at the left where a justified paragraph ends with a full line', async () => {
    const lines = [
      await justifiedLine('The river has risen by two metres since the', {
        x: 90,
        y: 700,
        width: 205,
      }),
      await justifiedLine('morning, and the authority expects a further', {
        x: 75,
        y: 688,
        width: 220,
      }),
    ];
    const file = await rawPdf([{ content: lines.join('\n') }]);
    const [page] = await renderPages(await translate(file, () => 'Kurz'));
    expect(Math.min(...inkedColumns(page))).toBeLessThan(110 * (50 / 72));
  });

  it.each([
    ['Serif', ['NimbusRomNo9L-Regu', 'URWPalladioL-Roma', 'C059-Roman', 'CMR10', 'SFBX1200']],
    ['Sans', ['NimbusSanL-Regu', 'URWGothicL-Book', 'TeXGyreHeros-Regular', 'CMSS10']],
    ['Mono', ['NimbusMonL-Regu', 'CMTT10', 'Cousine']],
  ])('is written in %s letters where its font names indicate them', async (kind, names) => {
    const content = names.map((_, at) => `BT /F${at} 12 Tf 60 ${700 - at * 60} Td (Words) Tj ET`);
    const file = await rawPdf([{ content: content.join('\n') }], (document) => {
      const fonts = document.getPage(0).node.Resources()?.lookup(PDFName.of('Font'), PDFDict);
      const { context } = document;
      for (const [at, name] of names.entries()) {
        const font = { Type: 'Font', Subtype: 'Type1', BaseFont: `ABCDEF+${name}` };
        // TeX sets only this flag.
        const descriptor = { Type: 'FontDescriptor', FontName: font.BaseFont, Flags: 4 };
        const Widths = Array.from({ length: 95 }, (__, code) => 400 + code);
        const more = { FontDescriptor: context.register(context.obj(descriptor)), Widths };
        const dict = context.obj({ ...font, ...more, FirstChar: 32, LastChar: 126 });
        fonts?.set(PDFName.of(`F${at}`), context.register(dict));
      }
    });
    const written = unpacked(await translate(file, () => 'Worte'));
    const used = new Set(written.match(/\+Liberation(?:Serif|Sans|Mono)/g));
    expect([...used]).toEqual([`+Liberation${kind}`]);
  });

  it('omits characters that no font has, and combines fonts of two scripts', async () => {
    const file = await rawPdf([{ content: linesContent(['Words']) }]);
    const written = await translate(file, () => 'Worte \ue000 a\u{16f4f} \u0651\u0301 Ende');
    const text = normal(await pdfText(written));
    expect(text).toMatch(/^Worte a.* Ende$/u);
    expect(text).toContain('\u{16f4f}');
    expect(text).toContain('\u0651');
    expect(text).not.toContain('\ue000');
  });

  it('has no line end at a no-break space', async () => {
    const file = await rawPdf([{ content: linesContent(riverLines()) }]);
    const written = await translate(file, (text) => text.replaceAll(/(?<= (?:a|to)) /g, '\u00a0'));
    const [source, read] = [await pdfText(file), await pdfText(written)];
    expect(normal(read)).toBe(normal(source));
    expect(source).toMatch(/ (?:a|to)\n/);
    expect(read).not.toMatch(/ (?:a|to)\n/);
  });

  it('has oversized text shrunk, but not below three fifths', async () => {
    const content = `${linesContent(['Short'])} ${linesContent(['Neighbour'], { x: 110 })}`;
    const file = await rawPdf([{ content }]);
    const written = await translate(file, (text) => (text === 'Short' ? 'Longerword' : undefined));
    const sizes = [...unpacked(written).matchAll(/\/DgFont\d+ ([\d.]+) Tf/g)].map((match) =>
      Number(match[1]),
    );
    expect(sizes.length).toBeGreaterThan(0);
    for (const size of sizes) {
      expect(size).toBeLessThan(12);
      expect(size).toBeGreaterThanOrEqual(12 * 0.6 - 0.01);
    }
  });

  it('has a heading extended beyond its column instead of shrunk', async () => {
    const body = linesContent(['Words of a narrow', 'column below it'], { y: 700 });
    const heading = 'BT /Bold 24 Tf 60 740 Td (Short title) Tj ET';
    const file = await rawPdf([{ content: `${heading}\n${body}` }]);
    const written = await translate(file, (text) =>
      text.startsWith('Short') ? 'Verantwortungsbereich' : undefined,
    );
    expect(unpacked(written)).toMatch(/\/DgFont1 24 Tf/);
    expect(await pdfText(written)).toContain('Verantwortungsbereich');
  });

  it('has following text moved down where the page has room, and never over a drawing', async () => {
    const content = [740, 695, 650].map((y) => linesContent(riverLines(), { y })).join('\n');
    const sizes = async (drawing: string): Promise<Set<string>> => {
      const file = await rawPdf([{ content: `${drawing} ${content}` }]);
      const written = await translate(file, (text) => `${text} ${text}`);
      const read = normal(await pdfText(written)).match(/The river has risen/g);
      expect(read).toHaveLength(6);
      return new Set(
        Array.from(unpacked(written).matchAll(/DgFont1 ([\d.]+) Tf/g), ([, of]) => `${of}`),
      );
    };
    expect([...(await sizes(''))]).toEqual(['12']);
    expect([...(await sizes('60 590 300 4 re f'))]).not.toContain('12');
  });

  it('has links moved with their words, with the same destinations', async () => {
    const same = await linkOf(await report());
    const document = await open(await report());
    const translated = document.blocks.map(({ segment }) => {
      if (!plainText(segment).startsWith('Please read')) return segment;
      return segment.map((part) =>
        part === 'Please read ' ? 'Please do read very carefully ' : part,
      );
    });
    const moved = await linkOf(await document.write(translated, { source: 'en', target: 'de' }));
    expect(moved.left).toBeGreaterThan(same.left + 50);
    expect(moved.uri).toBe('https://example.org/');
  });

  it('has its outline and title translated, and its language declared', async () => {
    const written = await PDFDocument.load(await longerReport());
    expect(written.getTitle()).toBe(longer('Report of the river authority'));
    const lang = written.catalog.lookup(PDFName.of('Lang'), PDFString);
    expect(lang.decodeText()).toBe('de');
    const titles = [...written.context.enumerateIndirectObjects()]
      .map(([, object]) => object.toString())
      .filter((text) => text.includes('/Parent') && text.includes('/Title'));
    expect(titles.join()).toContain(PDFHexString.fromText(longer('First chapter')).toString());
    expect(titles.join()).toContain(PDFHexString.fromText('2024').toString());
  });

  it('loses only the translated text from its content streams', async () => {
    // The middle of three consecutive strings is removed; the third must keep its place.
    const content = [
      'BT /Times 12 Tf 60 700 Td (Before) Tj [(12) -500 (34)] TJ ET',
      'BT /Times 12 Tf 60 650 Td (Words ) Tj 1 0 0 1 300 650 Tm (99) Tj (77) Tj ET',
      'q 0.5 g 100 100 50 50 re f Q /Form Do',
    ].join('\n');
    const forms = { Form: linesContent(['Words within a form'], { y: 500 }) };
    const file = await rawPdf([
      { content, forms },
      { content: '/Form Do', forms },
    ]);
    const written = await translate(file, (text) =>
      text.includes('form') ? 'In der Form' : text.includes('Words') ? 'Worte' : undefined,
    );
    const text = await pdfText(written);
    expect(normal(text)).not.toContain('within');
    expect(text.match(/In der Form/g)).toHaveLength(2);
    const stream = unpacked(written);
    expect(stream).toContain('(Before) Tj [(12) -500 (34)] TJ');
    expect(stream).toContain('q 0.5 g 100 100 50 50 re f Q');
    expect(stream.includes('(Words')).toBe(false);
  });

  it('keeps numbers in place when preceding words of the line are removed', async () => {
    const content = 'BT /Times 12 Tf 60 700 Td (Total amount) Tj 0 0 1 rg (          4711) Tj ET';
    const file = await rawPdf([{ content }]);
    const document = await open(file);
    expect(document.blocks.map(({ segment }) => plainText(segment))).toEqual([
      expect.stringContaining('Total amount'),
    ]);
    const written = await translate(file, (text) => text.replace('Total', 'Ganz'));
    expect(normal(await pdfText(written))).toContain('4711');
  });

  it('may have rotated and cropped pages', async () => {
    const content = linesContent(['Turned words'], { x: 200, y: 400 });
    const file = await rawPdf([
      { content, rotate: 90 },
      { content, rotate: 180, crop: [100, 100, 500, 700] },
      { content, rotate: 270 },
    ]);
    const written = await translate(file, (text) => text.replace('Turned', 'Tarned'));
    const [before, after] = [await renderPages(file), await renderPages(written)];
    // The fonts differ a little, the places do not.
    expect(renderingDifference(before, after)).toBeLessThan(0.004);
    expect(await pdfText(written)).toContain('Tarned words');
  });
});

function riverLines(): string[] {
  return riverText.match(/.{1,80}(?: |$)/g)?.map((line) => line.trim()) ?? [];
}

function inkedColumns(page: Awaited<ReturnType<typeof renderPages>>[number] | undefined): number[] {
  const columns: number[] = [];
  for (const [at, level] of (page?.pixels ?? []).entries()) {
    if (level < 128) columns.push(at % (page?.width ?? 1));
  }
  return columns;
}

/** Returns a file with all of its streams unpacked. */
function unpacked(file: Uint8Array): string {
  const folder = documentFolder();
  const [from, to] = [path.join(folder, 'packed.pdf'), path.join(folder, 'plain.pdf')];
  writeFileSync(from, file);
  execFileSync('qpdf', ['--qdf', '--object-streams=disable', from, to]);
  return readFileSync(to, 'latin1');
}

async function linkOf(file: Uint8Array): Promise<{ left: number; uri: string }> {
  const document = await PDFDocument.load(file);
  const annotations = document.getPage(0).node.Annots();
  const link = annotations?.lookup(0);
  const text = String(link);
  const left = Number(/\/Rect \[ ([\d.]+)/.exec(text)?.[1]);
  const uri = /\/URI \(([^)]*)\)/.exec(text)?.[1] ?? '';
  return { left, uri };
}

describe('an untranslatable PDF file', () => {
  it.each([
    ['nothing', new Uint8Array()],
    ['something else', Buffer.from('This is not a PDF file.')],
    ['a beginning', Buffer.from('%PDF-1.7\n1 0 obj\n<<')],
  ])('is refused when it is %s', async (_, file) => {
    await expect(open(file)).rejects.toBeInstanceOf(DocumentError);
  });
});
