/**
 * What a process does while it waits for its document: it reads and writes small ones of our own, so that
 * what the formats need is loaded and V8 has compiled it by the time the document comes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { LanguageTag } from '../../../shared/language.ts';
import type { TextSegment } from '../../text/text-segment.ts';
import { type DocumentFormatName, loadFormat } from '../formats/index.ts';
import type { EntryDirectory } from '../formats/office/archive.ts';
import { writeArchive } from '../formats/office/archive-writing.ts';
import { differentSentences, translatedBlocks } from './document-sentences.ts';

const SENTENCES = [
  'The ferry leaves the island at eight, and returns before it is dark.',
  'Please wear something warm: there is no roof on deck.',
  'How much luggage may each of us bring? Two bags of 20 kg!',
];
const PARAGRAPHS = 12;

interface Rehearsed {
  name: DocumentFormatName;
  make: () => Promise<Uint8Array>;
  /** The first compiles, the next ones show V8 what is worth optimising. */
  rounds: number;
}

/** What is quick to rehearse; text formats have most of what they need in common. */
const QUICK: readonly Rehearsed[] = [
  { name: 'docx', make: wordDocument, rounds: 8 },
  { name: 'html', make: webPage, rounds: 3 },
];
/** What takes long: a document that comes meanwhile is held up by the step that it finds begun. */
const SLOW: Rehearsed = { name: 'pdf', make: printedPage, rounds: 2 };
/** Who sends one document after the other has sent the next by then, in ms. */
const REST_MS = 5_000;

/**
 * Ends between two steps when `signal` says so, so that nobody waits for the rest.
 *
 * @returns what it has rehearsed
 * @throws AbortError or the signal's reason
 */
export async function rehearse(
  signal: AbortSignal,
  restMs = REST_MS,
): Promise<DocumentFormatName[]> {
  for (const quick of QUICK) await rehearseFormat(quick, signal);
  await delay(restMs, undefined, { signal });
  await rehearseFormat(SLOW, signal);
  return [...QUICK, SLOW].map(({ name }) => name);
}

async function rehearseFormat(
  { name, make, rounds }: Rehearsed,
  signal: AbortSignal,
): Promise<void> {
  await nextTurn(signal);
  const format = await loadFormat(name);
  const file = await make();
  const source: LanguageTag = 'en';
  const target: LanguageTag = 'es';
  for (let round = 0; round < rounds; round += 1) {
    await nextTurn(signal);
    const options = { source, target, output: name, maxCharacters: 1_000_000 };
    const opened = await format.open(file, options);
    await nextTurn(signal);
    const translations = new Map(
      differentSentences(opened.blocks, source).map(({ key, segment }) => [key, louder(segment)]),
    );
    const translated = translatedBlocks(opened.blocks, { language: source, translations });
    await opened.write(translated, { source, target });
  }
}

/** What was sent meanwhile is read first. */
async function nextTurn(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}

function louder(segment: TextSegment): TextSegment {
  return segment.map((part) => (typeof part === 'string' ? part.toUpperCase() : part));
}

// The documents.

async function wordDocument(): Promise<Uint8Array> {
  const open = 'http://schemas.openxmlformats.org';
  const types = 'application/vnd.openxmlformats';
  // In pieces as Word leaves them, which remembers when each was written.
  const paragraphs = paragraphsOf((text) => {
    const runs = text.split(/(?<= )/).map((words, at) => {
      const look = at % 7 === 3 ? '<w:b/>' : '<w:lang w:val="en-GB"/>';
      const revision = (0x9e3779b1 * (at + 1)).toString(16).slice(0, 8);
      return `<w:r w:rsidR="${revision}"><w:rPr>${look}</w:rPr><w:t xml:space="preserve">${words}</w:t></w:r>`;
    });
    return `<w:p><w:pPr><w:spacing w:after="120"/></w:pPr>${runs.join('')}</w:p>`;
  });
  const parts = {
    '[Content_Types].xml':
      `<Types xmlns="${open}/package/2006/content-types">` +
      `<Default Extension="rels" ContentType="${types}-package.relationships+xml"/>` +
      `<Override PartName="/word/document.xml" ContentType="${types}-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels':
      `<Relationships xmlns="${open}/package/2006/relationships">` +
      `<Relationship Id="a" Type="${open}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `<w:document xmlns:w="${open}/wordprocessingml/2006/main"><w:body>${paragraphs}</w:body></w:document>`,
  };
  const contents = Object.entries(parts).map(([name, xml]) => [name, Buffer.from(xml)] as const);
  const entries = contents.map(([name]) => ({
    name,
    sizeBytes: 0,
    packed: new Uint8Array(),
    directory: { ...NEW_ENTRY, nameRaw: Buffer.from(name) },
  }));
  return writeArchive({ entries }, { replace: new Map(contents) });
}

const NEW_ENTRY: Omit<EntryDirectory, 'nameRaw'> = {
  flags: 0,
  method: 0,
  time: 0,
  date: 0,
  crc: 0,
  versionMadeBy: 20,
  internalAttributes: 0,
  externalAttributes: 0,
};

async function webPage(): Promise<Uint8Array> {
  const paragraphs = paragraphsOf((text) => `<p>${text.replace(/,.*/, '<b>$&</b>')}</p>`);
  return Buffer.from(`<!doctype html><html lang="en"><body>${paragraphs}</body></html>`);
}

/** All paragraphs, each different from the others, as they are written. */
function paragraphsOf(write: (text: string) => string): string {
  return Array.from({ length: PARAGRAPHS }, (_, number) => {
    const sentences = SENTENCES.map((sentence) => `${sentence} (${number + 1})`);
    return write(sentences.join(' '));
  }).join('');
}

async function printedPage(): Promise<Uint8Array> {
  const { PDFDocument } = await import('@cantoo/pdf-lib');
  const document = await PDFDocument.create();
  document.addPage().drawText(SENTENCES.join('\n'), { x: 72, y: 720, size: 11 });
  return document.save();
}
