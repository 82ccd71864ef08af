/**
 * Processing time of hostile text files, including cutting and joining sentences: it must stay proportional
 * to their length.
 */
import { it } from 'vitest';
import {
  differentSentences,
  translatedBlocks,
} from '../../../server/documents/jobs/document-sentences.ts';
import { type DocumentFormatName, loadFormat } from '../../../server/documents/formats/index.ts';
import type { TextSegment } from '../../../server/text/text-segment.ts';
import { expectSteadyTime } from '../../support/machine/processor-time.ts';

const SIZE = 32 * 1024;
const repeated = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length));
const cue = '1\n00:00:01,000 --> 00:00:02,000\n';
const END_OF_UNIT = '</source></segment></unit>';
const xliff = (size: number, unit: string, before: string, after: string): string =>
  `<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="es"><file id="f">${before}${repeated(unit, size)}${after}</file></xliff>`;

const files: [name: string, format: DocumentFormatName, make: (size: number) => string][] = [
  ['codes before a word', 'txt', (size) => `${repeated('A1', size)} house`],
  ['cells', 'txt', (size) => repeated('a \t', size)],
  ['lines', 'txt', (size) => repeated('ab\n', size)],
  ['blanks', 'txt', (size) => `ab${repeated('  ', size)}cd.`],
  ['signs', 'txt', (size) => `${repeated('.\'".', size)}a`],
  ['branches', 'txt', (size) => `{n, select, ${repeated('a {b} ', size)}}`],
  ['quotations', 'txt', (size) => `${repeated('> ', size)}a`],
  ['quoted dashes', 'txt', (size) => repeated('>-', size)],
  ['words of verses', 'txt', (size) => repeated(`${'word '.repeat(12)}\n`, size)],
  ['paragraphs', 'html', (size) => repeated('<p>a. b', size)],
  ['blanks of a page', 'html', (size) => `<p>a${repeated(' ', size)}b`],
  ['attributes', 'html', (size) => `<p ${repeated('title=ab ', size)}>a`],
  ['angles', 'html', (size) => repeated('<', size)],
  ['tags without end', 'html', (size) => repeated('<a title=', size)],
  ['open elements', 'html', (size) => `${repeated('<b>', size)}deep`],
  ['references', 'html', (size) => `<p title="${repeated('&amp;', size)}x">y</p>`],
  ['excluded elements', 'html', (size) => repeated('<p translate=no>', size)],
  ['cues', 'srt', (size) => repeated(`${cue}Ab cd\n\n`, size)],
  ['blanks of a cue', 'srt', (size) => `${cue}a${repeated(' ', size)}b.`],
  ['open elements of a cue', 'srt', (size) => `${cue}${repeated('<i>', size)}Ab.`],
  ['ends of a cue', 'srt', (size) => `${cue}${repeated('<i>', size)}${repeated('</b>', size)}Ab.`],
  [
    'signs of a cue',
    'srt',
    (size) =>
      `${cue}${['<', '{\\', '-', 'a\n'].map((unit) => repeated(unit, size / 4)).join('\n')}`,
  ],
  ['arrows', 'srt', (size) => `1\n${repeated('00:00:01,000 -->', size)}\n${cue}x`],
  [
    'units',
    'xliff',
    (size) => xliff(size, '<unit id="a"><segment><source>a b</source></segment></unit>', '', ''),
  ],
  [
    'blanks of a text',
    'xliff',
    (size) => xliff(size, ' ', '<unit id="a"><segment><source>a', END_OF_UNIT),
  ],
  [
    'tags without end in a text',
    'xliff',
    (size) => xliff(size, '&lt;a b=&quot;', '<unit id="a"><segment><source>', END_OF_UNIT),
  ],
  [
    'blanks of a tag',
    'xliff',
    (size) => xliff(size, ' ', '<unit', 'id="a"><segment><source>a b</source></segment></unit>'),
  ],
];

/** Translates as an engine that changes every word. */
const translate = (segment: TextSegment): TextSegment =>
  segment.map((part) => (typeof part === 'string' ? part.replaceAll('a', 'e') : part));

async function run(name: DocumentFormatName, file: string): Promise<void> {
  const languages = { source: 'en', target: 'es' };
  const options = { ...languages, output: name, maxCharacters: 1_000_000 };
  const document = await (await loadFormat(name)).open(Buffer.from(file), options);
  const { blocks } = document;
  const sentences = differentSentences(blocks, 'en');
  const translations = new Map(sentences.map(({ key, segment }) => [key, translate(segment)]));
  await document.write(translatedBlocks(blocks, { language: 'en', translations }), languages);
}

it.each(files)('%s of %s', (_, format, make) =>
  expectSteadyTime((size) => run(format, make(size)), { size: SIZE, littleMs: 150 }),
);
