/** Documents through the unmodified npm package of the public API's Node client. */
import * as client from 'deepl-node';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { unzipSync, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentFolder } from '../support/documents/documents.ts';
import { startContractServer, type ContractServer } from './contract-server.ts';

let contract: ContractServer;
let translator: client.DeepLClient;
beforeAll(async () => {
  contract = await startContractServer();
  const { server, proxy } = contract;
  translator = new client.DeepLClient(server.apiKey, {
    serverUrl: proxy.url,
    maxRetries: 0,
    minTimeout: 60_000,
  });
});
afterAll(() => contract.stop());

/** Translates a file on disk to a file on disk, as programs do. */
async function translated(
  name: string,
  content: string | Uint8Array,
  options: client.DocumentTranslateOptions = {},
): Promise<{ output: Buffer; status: client.DocumentStatus }> {
  const folder = documentFolder();
  const [input, output] = [path.join(folder, name), path.join(folder, `out-${name}`)];
  writeFileSync(input, content);
  const status = await translator.translateDocument(input, output, 'en', 'es', options);
  return { output: readFileSync(output), status };
}

// Concurrent, as the client polls only every five seconds.
describe.concurrent('translateDocument', () => {
  it('translates a text into Spanish', async () => {
    const { output, status } = await translated('a.txt', 'The house is big.\n');
    expect(output.toString()).toBe('La casa es grande.\n');
    expect(status.ok() && status.done()).toBe(true);
    expect(status.billedCharacters).toBeGreaterThan(0);
  });

  it('charges the minimum for a docx, and accepts buffers and glossaries', async () => {
    const entries = new client.GlossaryEntries({ entries: { house: 'hogar' } });
    const glossary = await translator.createGlossary('Homes', 'en', 'es', entries);
    const { output, status } = await translated('a.docx', docx('The house is big.'), { glossary });
    expect(bodyOf(output)).toContain('hogar');
    expect(status.billedCharacters).toBe(50_000);
    const handle = await translator.uploadDocument(
      ...([Buffer.from('The house.'), 'en', 'es', { filename: 'b.txt', glossary }] as const),
    );
    const { status: done } = await translator.isDocumentTranslationComplete(handle);
    expect(done.ok()).toBe(true);
    const file = path.join(documentFolder(), 'b.txt');
    await translator.downloadDocument(handle, file);
    expect(readFileSync(file, 'utf8')).toMatch(/hogar/i);
    // A result can be downloaded once; then the document is gone.
    await expect(translator.getDocumentStatus(handle)).rejects.toThrow();
  });

  it("supports the client's minification, which removes pictures and restores them", async () => {
    // Above the client's size threshold, and incompressible.
    const picture = Uint8Array.from({ length: 120_000 }, (_, at) => (at * 2_654_435_761) >>> 13);
    const file = docx('The red car.', { 'word/media/image1.png': picture });
    const { output } = await translated('picture.docx', file, { enableDocumentMinification: true });
    const parts = unzipSync(output);
    expect(bodyOf(output)).toContain('El coche rojo.');
    expect(Buffer.from(parts['word/media/image1.png'] ?? []).equals(picture)).toBe(true);
    // The client itself adds entries for folders.
    const names = Object.keys(parts).filter((each) => !each.endsWith('/'));
    expect(names.sort()).toEqual(Object.keys(unzipSync(file)).sort());
  });

  it("reports a file that cannot be translated by the client's own exception, with a message", async () => {
    const broken = await translated('broken.xlf', '<xliff version="2.1"><file>').catch(
      (error: unknown) => error,
    );
    expect(broken).toBeInstanceOf(client.DocumentTranslationError);
    expect(String(broken)).toMatch(/not well-formed XML/);
    await expect(translated('program.exe', 'x')).rejects.toThrow(/exe|file extension/i);
  });
});

it('answers always as its OpenAPI document says', () => {
  expect(contract.proxy.checkedAnswers()).toBeGreaterThan(10);
  expect(contract.proxy.violations()).toEqual([]);
});

const CONTENT_TYPES = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;
const RELATIONSHIPS = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`;

/** A document with one paragraph. */
function docx(text: string, more: Record<string, Uint8Array> = {}): Uint8Array {
  const body = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`;
  return zipSync({
    '[Content_Types].xml': Buffer.from(CONTENT_TYPES),
    '_rels/.rels': Buffer.from(RELATIONSHIPS),
    'word/document.xml': Buffer.from(body),
    ...more,
  });
}

/** The text of the document body without markup. */
function bodyOf(file: Uint8Array): string {
  const part = unzipSync(file)['word/document.xml'] ?? new Uint8Array();
  return Buffer.from(part)
    .toString()
    .replaceAll(/<[^>]*>/g, '');
}
