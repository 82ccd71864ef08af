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
 * @param isOver ends it between the steps, so that nobody waits for the rest
 * @throws the signal's reason
 */
export async function rehearse(isOver: AbortSignal, restMs = REST_MS): Promise<void> {
  for (const quick of QUICK) await rehearseFormat(quick, isOver);
  await delay(restMs, undefined, { signal: isOver });
  await rehearseFormat(SLOW, isOver);
}

async function rehearseFormat(
  { name, make, rounds }: Rehearsed,
  isOver: AbortSignal,
): Promise<void> {
  await nextTurn(isOver);
  const format = await loadFormat(name);
  const file = await make();
  const source: LanguageTag = 'en';
  const target: LanguageTag = 'es';
  for (let round = 0; round < rounds; round += 1) {
    await nextTurn(isOver);
    const options = { source, target, output: name, maxCharacters: 1_000_000 };
    const opened = await format.open(file, options);
    await nextTurn(isOver);
    const translations = new Map(
      differentSentences(opened.blocks, source).map(({ key, segment }) => [key, louder(segment)]),
    );
    const translated = translatedBlocks(opened.blocks, { language: source, translations });
    await opened.write(translated, { source, target });
  }
}

/** What was sent meanwhile is read first. */
async function nextTurn(isOver: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  isOver.throwIfAborted();
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

/** Points of a page of A4, and where its lines are. */
const [WIDTH, HEIGHT, MARGIN, LEADING] = [595, 842, 72, 14];

async function printedPage(): Promise<Uint8Array> {
  const lines = SENTENCES.map((sentence) => `(${sentence}) Tj 0 -${LEADING} Td`);
  const text = `BT /F 11 Tf 1 0 0 1 ${MARGIN} ${HEIGHT - MARGIN} Tm ${lines.join(' ')} ET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${WIDTH} ${HEIGHT}]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>`,
    `<</Length ${text.length}>>\nstream\n${text}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let file = '%PDF-1.4\n';
  let places = '0000000000 65535 f \n';
  for (const [at, object] of objects.entries()) {
    places += `${String(file.length).padStart(10, '0')} 00000 n \n`;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
  }
  const count = objects.length + 1;
  const trailer = `trailer\n<</Size ${count}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(`${file}xref\n0 ${count}\n${places}${trailer}`, 'latin1');
}
