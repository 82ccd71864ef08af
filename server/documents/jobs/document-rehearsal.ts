/**
 * Rehearsal of a waiting document process: reads and writes small built-in documents, so that the
 * formats' modules are loaded and V8 has compiled them before the first real document arrives.
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
  /** The first round compiles; further rounds show V8 what is worth optimising. */
  rounds: number;
}

/** Formats that are quick to rehearse. The text formats share most of their code. */
const QUICK: readonly Rehearsed[] = [
  { name: 'docx', make: wordDocument, rounds: 8 },
  { name: 'html', make: webPage, rounds: 3 },
];
/** A format that is slow to rehearse: a document that arrives meanwhile waits for the current step. */
const SLOW: Rehearsed = { name: 'pdf', make: printedPage, rounds: 2 };
/**
 * Pause before the slow format, in ms. A client that sends several documents has sent the next one by then.
 */
const REST_MS = 5_000;

/**
 * Rehearses all formats. Checks `signal` between steps, so that an arriving document waits for one
 * step at most.
 *
 * @returns the formats that were rehearsed
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

/** Yields to the event loop, so that a message that arrived meanwhile is processed first. */
async function nextTurn(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}

function louder(segment: TextSegment): TextSegment {
  return segment.map((part) => (typeof part === 'string' ? part.toUpperCase() : part));
}

// The built-in documents.

async function wordDocument(): Promise<Uint8Array> {
  const open = 'http://schemas.openxmlformats.org';
  const types = 'application/vnd.openxmlformats';
  // Split into runs as Word does, which records the editing session of each.
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

/** Renders all paragraphs, each of them unique. */
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
