/** The contract of document formats. To add a format, add its sample to `samples`. */
import fc from '../../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import {
  DocumentError,
  type DocumentFormat,
  type OpenedDocument,
  type OpenOptions,
} from '../../../server/documents/formats/format.ts';
import { loadFormat } from '../../../server/documents/formats/index.ts';
import { repairMarks } from '../../../server/text/repair.ts';
import { plainText, type TextSegment } from '../../../server/text/text-segment.ts';
import { mangled, parentsOf } from '../../text/segments.ts';
import { docx } from './samples/docx.ts';
import { pptx, xlsx } from './samples/office.ts';
import { pdf } from './samples/pdf.ts';
import { png } from './samples/pictures.ts';
import type { DocumentSample } from './samples/sample.ts';
import { html, srt, txt, vtt } from './samples/text.ts';
import { xliff } from './samples/xliff.ts';

const samples: readonly DocumentSample[] = [
  ...[txt, html, xliff, srt, vtt],
  ...[docx, pptx, xlsx, pdf, png],
];

const languages = { source: 'en', target: 'es' };
const LETTERS = /\p{L}[\p{L}\p{M}]*/gu;

/** Marks translated words. */
const MARK = 'ø';
const pseudo = (segment: TextSegment): TextSegment =>
  segment.map((part) =>
    typeof part === 'string' ? part.replace(LETTERS, (word) => MARK + word) : part,
  );

const wordsOf = ({ blocks }: Pick<OpenedDocument, 'blocks'>): string[] =>
  blocks.flatMap(({ segment }) => plainText(segment).match(LETTERS) ?? []);

describe.each(samples)('a document of the format $format', (sample) => {
  const { format: name, isSlow = false, asSource } = sample;
  const { content = async (file: Uint8Array) => Buffer.from(file).toString('latin1') } = sample;
  const options: OpenOptions = { ...languages, output: name, maxCharacters: 1_000_000 };
  const open = async (file: Uint8Array, format?: DocumentFormat) =>
    (format ?? (await loadFormat(name))).open(file, options);

  const openSample = async () => open(await sample.build());
  // Reading takes long, most of all with Tesseract: opened once for all tests that do not concern opening.
  let opened: Promise<OpenedDocument> | undefined;
  const openOnce = () => (opened ??= openSample());

  it('is written unchanged when nothing is translated', async () => {
    const file = await sample.build();
    const document = isSlow ? await openOnce() : await open(file);
    // Cloned, because segments from another process are equal but not identical.
    const segments = document.blocks.map(({ segment }) => structuredClone(segment));
    const written = await document.write(segments, languages);
    expect(await content(written)).toEqual(await content(file, document));
  });

  it('yields all translatable text, and nothing else', async () => {
    const document = await openOnce();
    const texts = document.blocks.map(({ segment }) => plainText(segment));
    for (const piece of sample.translatable) {
      expect(texts).toContainEqual(expect.stringContaining(piece));
    }
    for (const piece of sample.untouched) {
      expect(texts).not.toContainEqual(expect.stringContaining(piece));
    }
    for (const { segment } of document.blocks) {
      expect(plainText(segment)).toMatch(/\p{L}/u);
      expect(parentsOf(segment)).toBeDefined();
    }
    const characters = texts.reduce((sum, text) => sum + Array.from(text).length, 0);
    expect(document.characters).toBeGreaterThanOrEqual(characters * 0.9);
  });

  const whereRead = sample.isRecognised === true ? undefined : it;
  whereRead?.('has all of its text translated, in order', async () => {
    // A document is written once.
    const document = await (isSlow ? openSample() : openOnce());
    const translated = document.blocks.map(({ segment }) => pseudo(segment));
    const written = await document.write(translated, languages);
    const again = await open(asSource?.(written) ?? written);
    const words = wordsOf(again);
    expect(words.length).toBeGreaterThan(0);
    expect(words.filter((word) => !word.startsWith(MARK))).toEqual([]);
    if (sample.readsBack !== false) {
      expect(words).toEqual(translated.flatMap((part) => plainText(part).match(LETTERS) ?? []));
    }
  });

  // A format without marks has nothing to repair.
  const whereMarked = sample.hasMarks === false ? undefined : it;
  whereMarked?.(
    'is well-formed whatever an engine does to its marks, once these are repaired',
    async () => {
      const format = await loadFormat(name);
      const { blocks } = await openOnce();
      const answers = fc.tuple(...blocks.map(({ segment }) => mangled(segment)));
      await fc.assert(
        fc.asyncProperty(answers, async (segments) => {
          const document = await openSample();
          const mended = segments.map((segment, index) =>
            repairMarks(document.blocks[index]?.segment ?? [], segment),
          );
          await open(await document.write(mended, languages), format);
        }),
        { numRuns: isSlow ? 1 : 2 },
      );
    },
  );

  it('is refused with a DocumentError if it is damaged, or opened', async () => {
    const file = await sample.build();
    const format = await loadFormat(name);
    const damaged = [
      ...(isSlow ? [0, 0.5] : [0, 1, 0.1, 0.5, 0.9, 0.99]).map((share) =>
        file.subarray(0, Math.floor(share * file.length)),
      ),
      ...(isSlow ? [0.35] : [0.05, 0.35, 0.65, 0.95]).map((share) => {
        const copy = Uint8Array.from(file);
        copy.fill(0xff, Math.floor(share * copy.length), Math.floor(share * copy.length) + 8);
        return copy;
      }),
      Buffer.from('This is something else.'),
      Uint8Array.from({ length: 5000 }, (_, index) => (index * 2_654_435_761) >>> 24),
    ];
    for (const bytes of damaged) {
      const failure = await open(bytes, format).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure !== undefined) expect(failure).toBeInstanceOf(DocumentError);
    }
    const garbage = damaged.at(-1) ?? new Uint8Array();
    if (sample.takesAnything !== true) {
      await expect(open(garbage, format)).rejects.toBeInstanceOf(DocumentError);
    }
  });

  it('is refused when it exceeds its character limit', async () => {
    const format = await loadFormat(name);
    const opened = await openOnce();
    const file = await sample.build();
    const few = { ...options, maxCharacters: opened.characters - 1 };
    const refused = expect(format.open(file, few)).rejects;
    await refused.toSatisfy(
      (error) => error instanceof DocumentError && /characters/.test(error.message),
    );
  });
});
