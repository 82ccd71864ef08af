import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DocumentError, type OpenOptions } from '../../../server/documents/formats/format.ts';
import { doc, convertToDocx, runSandboxed } from '../../../server/documents/formats/office/doc.ts';
import { plainText } from '../../../server/text/text-segment.ts';
import { builtModule } from '../../support/suite/built-product.ts';
import { soffice, zipText } from '../../support/documents/documents.ts';
import { paragraph, wordDocument } from '../../support/documents/word-document.ts';
import { descendantsOf, isAlive } from '../../support/machine/processes.ts';

const options: OpenOptions = {
  source: 'en',
  target: 'es',
  output: 'docx',
  maxCharacters: 1_000_000,
};
const languages = { source: 'en', target: 'es' };
const RTF = Buffer.from('{\\rtf1\\ansi The library is \\b open\\b0  today.\\par}');
const SECRET = 'SECRETOFTHEMACHINE';

/** Requests caused by a document. */
const requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(request.url ?? '');
  response.writeHead(200, { 'content-type': 'image/png' }).end();
});
/** Ends in six random characters, like the placeholder. */
const folder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-secret-'));
const secretFile = path.join(folder, 'secret.txt');
/** What stands in the file as it is made, which is kept across runs, for the port and the folder of this run. */
const PLACEHOLDERS = { port: '10000', folder: path.join(os.tmpdir(), 'dragoman-secret-XXXXXX') };
/** Contains links to everything that must not be fetched. */
let file: Buffer;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  writeFileSync(secretFile, SECRET);
  const content = flatText(links());
  const [made = ''] = await soffice([{ name: 'linking.fodt', content }], 'doc:MS Word 97');
  const { port } = server.address() as AddressInfo;
  file = readFileSync(made);
  replace(`:${PLACEHOLDERS.port}/`, `:${port}/`);
  replace(PLACEHOLDERS.folder, folder);
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Replaces text of the file by text of the same length. */
function replace(text: string, other: string): void {
  expect(other).toHaveLength(text.length);
  const [from, to] = [text, other].map((each) => Buffer.from(each, 'utf16le')) as [Buffer, Buffer];
  expect(file.includes(from)).toBe(true);
  for (let at = file.indexOf(from); at >= 0; at = file.indexOf(from)) to.copy(file, at);
}

function links(): string {
  const picture = (address: string): string =>
    `<draw:frame text:anchor-type="as-char" svg:width="2cm" svg:height="2cm"><draw:image xlink:href="${address}" xlink:type="simple"/></draw:frame>`;
  const secret = `file://${PLACEHOLDERS.folder}/secret.txt`;
  return `<text:p>${picture(`http://127.0.0.1:${PLACEHOLDERS.port}/picture.png`)}${picture(secret)}</text:p>
    <text:section text:name="s"><text:section-source xlink:href="${secret}" text:filter-name="Text"/><text:p>Linked.</text:p></text:section>`;
}

function flatText(more: string): string {
  const oasis = 'urn:oasis:names:tc:opendocument:xmlns';
  return `<?xml version="1.0" encoding="UTF-8"?>
    <office:document xmlns:office="${oasis}:office:1.0" xmlns:text="${oasis}:text:1.0" xmlns:table="${oasis}:table:1.0"
      xmlns:draw="${oasis}:drawing:1.0" xmlns:svg="${oasis}:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"
      office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>
      <text:h text:outline-level="1">The library</text:h>
      <text:p>It stands at the end of a quiet street.</text:p>
      <table:table><table:table-column table:number-columns-repeated="2"/><table:table-row><table:table-cell><text:p>Monday</text:p></table:table-cell>
      <table:table-cell><text:p>closed</text:p></table:table-cell></table:table-row></table:table>
      ${more}</office:text></office:body></office:document>`;
}

let translation: ReturnType<typeof translate> | undefined;

/**
 * The file in capitals; converted only once for all tests because LibreOffice is
 * slow.
 */
const translatedOnce = () => (translation ??= translate());

async function translate() {
  const document = await doc.open(file, options);
  const texts = document.blocks.map(({ segment }) => plainText(segment));
  const capitals = document.blocks.map(({ segment }) =>
    segment.map((part) => (typeof part === 'string' ? part.toUpperCase() : part)),
  );
  return { texts, written: await document.write(capitals, languages) };
}

describe('a .doc file', () => {
  it('is written as .docx with its headings, paragraphs and tables translated', async () => {
    const { texts, written } = await translatedOnce();
    expect(texts).toEqual(
      expect.arrayContaining([
        'The library',
        'It stands at the end of a quiet street.',
        'Monday',
        'closed',
      ]),
    );
    const xml = zipText(written, 'word/document.xml');
    expect(xml).toContain('IT STANDS AT THE END OF A QUIET STREET.');
    expect(xml).toMatch(/<w:tbl>[^]*MONDAY/);
    expect(xml).toContain('THE LIBRARY');
  });

  it('may contain RTF or .docx, up to its character limit', async () => {
    const { blocks } = await doc.open(RTF, options);
    expect(blocks.map(({ segment }) => plainText(segment))).toContain('The library is open today.');
    const few = doc.open(wordDocument(paragraph('The library')), { ...options, maxCharacters: 10 });
    await expect(few).rejects.toThrow(/more than 10 characters/);
  });

  it('is inspected where it exceeds the table in its header, with its directory at the end', async () => {
    // The flag found in it proves that it was inspected and would reach LibreOffice.
    await expect(doc.open(encrypted(grown(file)), options)).rejects.toThrow(/password/);
  });

  it('is refused with a reason if it is a web page, garbage, cut off, encrypted or full of macros', async () => {
    const refused: [Uint8Array, RegExp][] = [
      [Buffer.from('<html><img src="http://127.0.0.1/a.png">Hello'), /not a Word document/],
      [Buffer.from('Just some text.'), /not a Word document/],
      [new Uint8Array(), /not a Word document/],
      [file.subarray(0, 600), /damaged/],
      [file.subarray(0, 100), /damaged/],
      [endless(file), /damaged/],
      [encrypted(file), /password/],
      [renamedEntry(file, 'CompObj', '_VBA_PROJECT'), /macros/],
      [renamedEntry(file, 'CompObj', 'EncryptedPackage'), /password/],
      [renamedEntry(file, 'WordDocument', 'Workbook'), /not a Word document/],
    ];
    for (const [bytes, message] of refused) {
      const failure = await doc.open(bytes, options).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(DocumentError);
      expect((failure as Error).message).toMatch(message);
    }
    expect(requests).toEqual([]);
  });
});

/** Sets the flag that Word sets when it encrypts a document (fEncrypted of the FIB). */
function encrypted(file: Buffer): Buffer {
  const flagged = Buffer.from(file);
  const main = flagged.indexOf(Buffer.from('eca5', 'hex'));
  expect(main).toBeGreaterThan(0);
  flagged.writeUInt16LE(flagged.readUInt16LE(main + 10) | 0x0100, main + 10);
  return flagged;
}

/** Returns a compound file whose directory is a nameless sector that follows itself. */
function endless(file: Buffer): Buffer {
  const circular = Buffer.from(file);
  const number = Math.floor(file.length / 512) - 1;
  const table = circular.readUInt32LE(76);
  circular.writeUInt32LE(number, (table + 1) * 512 + 4 * number);
  circular.writeUInt32LE(number, 48);
  return Buffer.concat([circular.subarray(0, (number + 1) * 512), Buffer.alloc(512)]);
}

/** Returns a compound file with so many sectors that its header cannot list all of its table, and its directory last. */
function grown(file: Buffer): Buffer {
  const [free, end, ofTable, ofList] = [0xffffffff, 0xfffffffe, 0xfffffffd, 0xfffffffc];
  const [inHeader, tables] = [109, 112];
  const count = Math.ceil(file.length / 512) - 1;
  const next = new Uint32Array(tables * 128).fill(free);
  for (let sector = 0; sector < count; sector += 1) {
    const table = file.readUInt32LE(76 + 4 * Math.floor(sector / 128));
    next[sector] = file.readUInt32LE((table + 1) * 512 + 4 * (sector % 128));
  }
  const larger = Buffer.alloc((next.length + 1) * 512);
  file.copy(larger);
  const directory: number[] = [];
  for (let at = file.readUInt32LE(48); at < ofList; at = next[at] ?? end) directory.push(at);
  const last = next.length - directory.length;
  for (const [at, sector] of directory.entries()) {
    file.copy(larger, (last + at + 1) * 512, (sector + 1) * 512, (sector + 2) * 512);
    next[last + at] = at + 1 < directory.length ? last + at + 1 : end;
  }
  // The table, and what lists the part of it that the header does not.
  const list = count + tables;
  next.fill(ofTable, count, list).fill(ofList, list, list + 1);
  for (const [at, of] of next.entries()) larger.writeUInt32LE(of, (count + 1) * 512 + 4 * at);
  for (const [at, value] of [tables, last].entries()) larger.writeUInt32LE(value, 44 + 4 * at);
  for (const [at, value] of [list, 1].entries()) larger.writeUInt32LE(value, 68 + 4 * at);
  for (let at = 0; at < inHeader; at += 1) larger.writeUInt32LE(count + at, 76 + 4 * at);
  larger.fill(0xff, (list + 1) * 512, (list + 2) * 512);
  for (let at = inHeader; at < tables; at += 1) {
    larger.writeUInt32LE(count + at, (list + 1) * 512 + 4 * (at - inHeader));
  }
  larger.writeUInt32LE(end, (list + 1) * 512 + 508);
  return larger;
}

/** Returns a compound file with a renamed directory entry. */
function renamedEntry(file: Buffer, from: string, to: string): Buffer {
  const renamed = Buffer.from(file);
  const at = file.indexOf(Buffer.from(from, 'utf16le'));
  expect(at).toBeGreaterThan(0);
  const entry = at - (at % 128);
  renamed.fill(0, entry, entry + 64);
  renamed.write(to, entry, 'utf16le');
  renamed.writeUInt16LE(2 * to.length + 2, entry + 64);
  return renamed;
}

describe('the sandbox of LibreOffice', () => {
  it('blocks all requests of a document', async () => {
    await translatedOnce();
    expect(requests).toEqual([]);
    // Without the sandbox, LibreOffice would fetch this link; it copies no text of linked files.
    expect(file.includes(Buffer.from('/picture.png', 'utf16le'))).toBe(true);
  });

  it('hides files of the machine and the environment of the server', async () => {
    const { exitCode, output } = await runSandboxed(['/bin/cat', secretFile]);
    expect(readFileSync(secretFile, 'utf8')).toBe(SECRET);
    expect({ exitCode, output: output.toString() }).toEqual({
      exitCode: expect.not.toBeOneOf([0]) as number,
      output: '',
    });
    const environment = await runSandboxed(['/usr/bin/env']);
    expect(environment.output.toString()).not.toMatch(/USER|LOGNAME|SECRET|DRAGOMAN|NODE/);
  });

  it('ends when LibreOffice takes too long', async () => {
    const slow = convertToDocx(file, { filter: 'MS Word 97', timeMs: 700 });
    const refused = expect(slow).rejects.toThrow(/too long/);
    const first = await running(process.pid);
    await refused;
    await gone(first);
  });

  it('ends when its parent process is killed', async () => {
    const module = builtModule('server/documents/formats/office/doc.ts');
    const script = `import { runSandboxed } from ${JSON.stringify(module)}; await runSandboxed(['/bin/sleep', '600']);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: 'ignore',
    });
    // Waits for the program itself: the sandbox launcher may run before it has tied itself to its parent.
    await vi.waitFor(() => expect(descendantsOf(parent.pid!, /^\/bin\/sleep/)).toHaveLength(1), {
      timeout: 90_000,
      interval: 5,
    });
    const inside = await running(parent.pid!, /sleep/);
    parent.kill('SIGKILL');
    await gone(inside);
  });
});

/** Waits until programs of the sandbox run. */
async function running(ancestor: number, pattern = /soffice/): Promise<number[]> {
  let found: number[] = [];
  await vi.waitFor(
    () => {
      found = descendantsOf(ancestor, pattern);
      expect(found.length).toBeGreaterThan(1);
    },
    { timeout: 90_000, interval: 5 },
  );
  return found;
}

async function gone(pids: readonly number[]): Promise<void> {
  await vi.waitFor(() => expect(pids.filter((pid) => isAlive(pid))).toEqual([]), {
    timeout: 90_000,
    interval: 20,
  });
}
