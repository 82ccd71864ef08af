/** Documents for tests: converts them with LibreOffice, renders, compares and unpacks them. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Zippable, strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { madeOnceLater } from '../suite/made-once.ts';
import { ofProcess } from '../suite/of-process.ts';

const run = promisify(execFile);
// LibreOffice takes 3 s on an idle machine and many times that on a busy one.
const PROGRAM_TIMEOUT_MS = 300_000;
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;
/** LibreOffice fills a gigabyte to convert a page: huge pages of memory save three quarters of its time. */
const HUGE_PAGES = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' };

/** Creates a folder that is removed when the process ends; also works outside a running test. */
export function documentFolder(): string {
  const root = ofProcess('documents', () => {
    const created = mkdtempSync(path.join(os.tmpdir(), 'dragoman-documents-'));
    process.on('exit', () => rmSync(created, { recursive: true, force: true }));
    return created;
  });
  return mkdtempSync(path.join(root, 'files-'));
}

/** A document in memory; the extension of its name tells LibreOffice the format. */
export interface NamedDocument {
  name: string;
  content: Uint8Array | string;
}

/**
 * Converts documents with LibreOffice, all in one run because starting it is the main cost. Results are
 * cached across runs of the tests, by the content of the documents.
 *
 * @param files paths, or documents in memory
 * @param to extension of the result (`pdf`, `docx`), or extension and filter (`docx:MS Word 2007 XML`)
 * @returns paths of the results in the order of `files`
 * @throws if one of them cannot be opened
 */
export async function soffice(
  files: readonly (string | NamedDocument)[],
  to: string,
): Promise<string[]> {
  const contents = files.map((file) => {
    const { name, content } = documentOf(file);
    return path.extname(name) + digestOf(content);
  });
  // Another version of LibreOffice may convert differently.
  const { mtimeMs } = statSync(LIBREOFFICE);
  const made = await madeOnceLater(['soffice', mtimeMs, to, ...contents], 'zip', async (zip) => {
    const results = await sofficeNow(files, to);
    const entries = results.map((file) => [path.basename(file), readFileSync(file)] as const);
    writeFileSync(zip, zipOf(Object.fromEntries(entries)));
  });
  const folder = documentFolder();
  const results = unzipped(readFileSync(made));
  return files.map((_, index) => {
    const output = path.join(folder, resultName(index, to));
    writeFileSync(output, results[path.basename(output)] ?? '');
    return output;
  });
}

/** Digests a document; of an archive its entries, because their times do not matter. */
function digestOf(content: Uint8Array | string): string {
  const hash = createHash('sha256');
  const isArchive = typeof content !== 'string' && Buffer.from(content).indexOf('PK\x03\x04') === 0;
  if (!isArchive) return hash.update(content).digest('hex');
  for (const [name, bytes] of Object.entries(unzipped(content))) {
    hash.update(`${name} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

const LIBREOFFICE = '/usr/lib/libreoffice/program/soffice';

/** Like {@link soffice}, without the cache: for tests that observe LibreOffice, or whose documents vary. */
export async function sofficeNow(
  files: readonly (string | NamedDocument)[],
  to: string,
): Promise<string[]> {
  const folder = documentFolder();
  const profile = path.join(folder, 'profile');
  const outputs = path.join(folder, 'out');
  // Numbered names, because two documents of the same name would overwrite each other.
  const inputs = files.map((file, index) => {
    const { name, content } = documentOf(file);
    const input = path.join(folder, `${index}${path.extname(name)}`);
    writeFileSync(input, content);
    return input;
  });
  const options = ['--headless', '--norestore', `-env:UserInstallation=file://${profile}`];
  const wish = ['--convert-to', to, '--outdir', outputs];
  await run('soffice', [...options, ...wish, ...inputs], {
    timeout: PROGRAM_TIMEOUT_MS,
    env: { ...process.env, ...HUGE_PAGES },
  });
  rmSync(profile, { recursive: true, force: true });
  return files.map((_, index) => {
    const output = path.join(outputs, resultName(index, to));
    try {
      readFileSync(output);
    } catch (error) {
      throw new Error(`LibreOffice did not open document ${index}.`, { cause: error });
    }
    return output;
  });
}

function documentOf(file: string | NamedDocument): NamedDocument {
  return typeof file === 'string' ? { name: file, content: readFileSync(file) } : file;
}

const resultName = (index: number, to: string): string => `${index}.${to.split(':', 1)[0] ?? to}`;

/** A page as rows of grey levels; 0 is black. */
export interface RenderedPage {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** Renders the pages of a PDF. */
export async function renderPages(
  pdf: string | Uint8Array,
  { dpi = 50 }: { dpi?: number } = {},
): Promise<RenderedPage[]> {
  const { stdout } = await run('pdftoppm', ['-gray', '-r', `${dpi}`, pdfFile(pdf)], {
    encoding: 'buffer',
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: PROGRAM_TIMEOUT_MS,
  });
  const pages: RenderedPage[] = [];
  for (let at = 0; at < stdout.length;) {
    // PGM: "P5", width and height, largest value, one white space, then the pixels.
    const header = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(stdout.toString('latin1', at, at + 64));
    if (header === null) throw new Error('pdftoppm wrote something else than PGM.');
    const [width, height] = [Number(header[1]), Number(header[2])];
    const start = at + header[0].length;
    at = start + width * height;
    pages.push({ width, height, pixels: stdout.subarray(start, at) });
  }
  return pages;
}

/**
 * Returns how much two renderings differ: the share of pixels of the worst page that differ by more than
 * anti-aliasing, 0 to 1; 1 if the number or the size of pages differs.
 */
export function renderingDifference(
  left: readonly RenderedPage[],
  right: readonly RenderedPage[],
): number {
  if (left.length !== right.length) return 1;
  return left.reduce((worst, page, index) => {
    const other = right[index];
    return Math.max(worst, other === undefined ? 1 : pageDifference(page, other));
  }, 0);
}

function pageDifference(left: RenderedPage, right: RenderedPage): number {
  if (left.width !== right.width || left.height !== right.height) return 1;
  let differing = 0;
  for (const [index, level] of left.pixels.entries()) {
    if (Math.abs(level - (right.pixels[index] ?? 0)) > 48) differing += 1;
  }
  return differing / left.pixels.length;
}

/** Returns the number of pages of a PDF. */
export async function pageCount(pdf: string | Uint8Array): Promise<number> {
  const { stdout } = await run('pdfinfo', [pdfFile(pdf)], { timeout: PROGRAM_TIMEOUT_MS });
  return Number(/^Pages:\s+(\d+)/m.exec(stdout)?.[1]);
}

/** Returns the text of a PDF in reading order; pages end with a form feed. */
export async function pdfText(pdf: string | Uint8Array): Promise<string> {
  const { stdout } = await run('pdftotext', [pdfFile(pdf), '-'], { timeout: PROGRAM_TIMEOUT_MS });
  return stdout;
}

function pdfFile(pdf: string | Uint8Array): string {
  if (typeof pdf === 'string') return pdf;
  const file = path.join(documentFolder(), 'document.pdf');
  writeFileSync(file, pdf);
  return file;
}

/** Makes a zip file of texts and bytes, in the order of the entries; level 0 does not compress. */
export function zipOf(
  entries: Readonly<Record<string, string | Uint8Array>>,
  level: 0 | 6 = 6,
): Uint8Array {
  const files: Zippable = {};
  for (const [name, content] of Object.entries(entries)) {
    files[name] = typeof content === 'string' ? strToU8(content) : content;
  }
  // A fixed time (1980, the earliest in zip), so that the same entries give the same bytes.
  return zipSync(files, { level, mtime: new Date(1980, 0, 1) });
}

/** Returns the entries of a zip file, in order. */
export function unzipped(zip: Uint8Array): Record<string, Uint8Array> {
  return unzipSync(zip);
}

/** Returns the entries of a zip file as strings, which compare faster than byte arrays. */
export function entriesOf(zip: Uint8Array): Record<string, string> {
  const entries = Object.entries(unzipSync(zip));
  return Object.fromEntries(
    entries.map(([name, bytes]) => [name, Buffer.from(bytes).toString('latin1')]),
  );
}

/** Returns one entry of a zip file as text; throws if it does not exist. */
export function zipText(zip: Uint8Array, name: string): string {
  const entry = unzipSync(zip, { filter: (file) => file.name === name })[name];
  if (entry === undefined) throw new Error(`There is no entry ${name}.`);
  return strFromU8(entry);
}

/** A word of a PDF file; its box is in points from the top left of the page. */
export interface PdfWord {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Returns the words of a PDF file. */
export function wordsOf(file: Uint8Array): PdfWord[] {
  const read = execFileSync('pdftotext', ['-bbox', '-', '-'], { input: file, encoding: 'utf8' });
  const word = /<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">([^<]*)</g;
  return Array.from(read.matchAll(word), ([, left, top, right, bottom, text]) => ({
    text: String(text),
    left: Number(left),
    right: Number(right),
    top: Number(top),
    bottom: Number(bottom),
  }));
}
