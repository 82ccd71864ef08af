import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { PDFDocument, PDFName, PDFString } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';

import { DocumentError, type OpenedDocument } from '../../../server/documents/formats/format.ts';
import { pdf } from '../../../server/documents/formats/pdf/pdf.ts';
import { plainText, type TextSegment } from '../../../server/text/text-segment.ts';
import { documentFolder, pageCount, pdfText } from '../../support/documents/documents.ts';
import { linesContent, rawPdf, reportPdf } from '../../support/documents/pdf-files.ts';

const open = (file: Uint8Array): Promise<OpenedDocument> =>
  pdf.open(file, { source: 'en', target: 'es', output: 'pdf', maxCharacters: 1_000_000 });

const shouted = (segment: TextSegment): TextSegment =>
  segment.map((part) => (typeof part === 'string' ? part.toUpperCase() : part));

async function translate(file: Uint8Array): Promise<Uint8Array> {
  const document = await open(file);
  const translated = document.blocks.map(({ segment }) => shouted(segment));
  return document.write(translated, { source: 'en', target: 'es' });
}

function encrypted(file: Uint8Array, userPassword: string): Uint8Array {
  const folder = documentFolder();
  const [from, to] = [path.join(folder, 'open.pdf'), path.join(folder, 'locked.pdf')];
  writeFileSync(from, file);
  const restrictions = ['--print=none', '--modify=none'];
  execFileSync('qpdf', [
    '--encrypt',
    userPassword,
    'owner',
    '256',
    ...restrictions,
    '--',
    from,
    to,
  ]);
  return readFileSync(to);
}

/** Writes a file line by line, without a cross-reference table. */
function bareFile(objects: readonly string[]): Uint8Array {
  const bodies = objects.map((body, at) => `${at + 1} 0 obj\n${body}\nendobj\n`);
  const trailer = 'trailer << /Root 1 0 R >>\nstartxref\n0\n%%EOF\n';
  return Buffer.from(`%PDF-1.7\n${bodies.join('')}${trailer}`);
}

describe('a protected PDF file', () => {
  it('is refused if opening it requires a password', async () => {
    const failure = await open(encrypted(await reportPdf(), 'secret')).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(DocumentError);
    expect(String(failure)).toMatch(/password/);
  });

  it('is translated if only changing it requires a password', async () => {
    const written = await translate(encrypted(await reportPdf(), ''));
    expect(await pdfText(written)).toContain('LEVEL OF THE RIVER');
    expect(Buffer.from(written).includes('/Encrypt')).toBe(false);
  });
});

describe('a damaged PDF file', () => {
  it.each([
    ['', /is empty/],
    ['\u0089PNG\r\n and so on', /not a PDF/],
  ])('is told from a file of another kind', async (content, message) => {
    const failure = await open(Buffer.from(content)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DocumentError);
    expect(String(failure)).toMatch(message);
  });

  it('is refused when its end is missing', async () => {
    const file = await reportPdf();
    const cut = file.subarray(0, Math.floor(file.length * 0.6));
    await expect(open(cut)).rejects.toBeInstanceOf(DocumentError);
  });

  it('is repaired if only its cross-reference table is wrong', async () => {
    const content = linesContent(['Words without a table of objects']);
    const file = bareFile([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /Times 5 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>',
    ]);
    expect(await pdfText(await translate(file))).toContain('WORDS WITHOUT');
  });

  it('is repaired if its metadata swallow what follows', async () => {
    const content = linesContent(['Words after damaged metadata']);
    const file = bareFile([
      '<< /Creator (A program whose name does not end /Title <0041> >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /Times 5 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>',
      '<< /Type /Catalog /Pages 2 0 R >>',
    ]);
    const own = Buffer.from(file)
      .toString('latin1')
      .replace('/Root 1 0 R', '/Root 6 0 R /Info 1 0 R');
    expect(await pdfText(await translate(Buffer.from(own, 'latin1')))).toContain('WORDS AFTER');
  });

  it('does not loop when its pages contain each other', async () => {
    const file = bareFile([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 4 /Parent 3 0 R >>',
      '<< /Type /Pages /Kids [2 0 R] /Count 2 /Parent 2 0 R >>',
    ]);
    const result = await translate(file).catch((error: unknown) => error);
    expect(result instanceof DocumentError || result instanceof Uint8Array).toBe(true);
  });

  it('does not loop when forms draw each other', async () => {
    const file = await rawPdf(
      [
        {
          content: `${linesContent(['Words on the page itself'])} /One Do`,
          forms: { One: linesContent(['Words in a form'], { y: 500 }) },
        },
      ],
      (document) => {
        // The form is among its own resources, and draws itself.
        const resources = document.getPage(0).node.Resources();
        const forms = resources?.lookup(PDFName.of('XObject'));
        const ref = /One (\d+ \d+ R)/.exec(String(forms))?.[1];
        const { context } = document;
        for (const [own, object] of context.enumerateIndirectObjects()) {
          if (`${own.objectNumber} ${own.generationNumber} R` !== ref) continue;
          const content = `${linesContent(['Words in a form'], { y: 500 })} /One Do`;
          const dict = { Type: 'XObject', Subtype: 'Form', BBox: [0, 0, 595, 842] };
          const fonts = resources?.lookup(PDFName.of('Font'));
          const formResources = context.obj({ XObject: { One: own } });
          if (fonts !== undefined) formResources.set(PDFName.of('Font'), fonts);
          expect(object).toBeDefined();
          context.assign(own, context.stream(content, { ...dict, Resources: formResources }));
        }
      },
    );
    const text = await pdfText(await translate(file));
    expect(text).toContain('WORDS ON THE PAGE ITSELF');
  });
});

describe('a PDF file with scripts', () => {
  it('loses its scripts in translation', async () => {
    const file = await rawPdf(
      [{ content: linesContent(['Words beside a script']) }],
      (document) => {
        document.addJavaScript('start', 'app.alert("begin")');
        const { context, catalog } = document;
        const action = context.obj({ S: 'JavaScript' });
        action.set(PDFName.of('JS'), PDFString.of('app.alert("open")'));
        catalog.set(PDFName.of('OpenAction'), action);
        const page = document.getPage(0).node;
        page.set(PDFName.of('AA'), context.obj({ O: action }));
        const annotation = context.obj({ Type: 'Annot', Subtype: 'Link', Rect: [0, 0, 9, 9] });
        annotation.set(PDFName.of('A'), context.register(action.clone(context)));
        page.addAnnot(context.register(annotation));
      },
    );
    const written = await PDFDocument.load(await translate(file));
    const objects = written.context.enumerateIndirectObjects().map(([, object]) => String(object));
    expect(objects.join('\n')).not.toMatch(/JavaScript|app\.alert/);
    expect(written.catalog.has(PDFName.of('OpenAction'))).toBe(false);
  });
});

it('a PDF file may contain a list of any length', async () => {
  const file = await rawPdf(
    [{ content: linesContent(['Words beside a long list']) }],
    ({ context, catalog }) => {
      catalog.set(PDFName.of('Numbers'), context.obj(Array.from({ length: 200_000 }, () => 1)));
    },
  );
  expect(await pageCount(await translate(file))).toBe(1);
});

describe('the source text of a translated PDF file', () => {
  it('is removed from the whole file', async () => {
    const secret = 'Unmistakable words of the original';
    const file = await rawPdf([
      {
        content: `/Form Do ${linesContent([secret])}`,
        forms: { Form: linesContent([secret], { y: 300 }) },
      },
    ]);
    const document = await open(file);
    const translated = document.blocks.map(() => ['Nada queda']);
    const folder = documentFolder();
    const [from, to] = [path.join(folder, 'packed.pdf'), path.join(folder, 'plain.pdf')];
    writeFileSync(from, await document.write(translated, { source: 'en', target: 'es' }));
    execFileSync('qpdf', ['--qdf', '--object-streams=disable', from, to]);
    expect(document.blocks.map(({ segment }) => plainText(segment))).toEqual([secret, secret]);
    expect(readFileSync(to).includes('Unmistakable')).toBe(false);
    expect(await pageCount(to)).toBe(1);
  });
});
