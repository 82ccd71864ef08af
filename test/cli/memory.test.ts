import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type {
  ImportedTranslationMemory,
  TranslationMemory,
} from '../../shared/schemas/translation-memories.ts';
import type { Storage } from '../../server/stores.ts';
import { askDragoman, runDragoman } from '../support/product/command-line.ts';
import { openEmbedded } from '../support/product/platform.ts';
import { openAccount } from '../storage/samples.ts';
import { tmxFile } from '../support/product/translation-memories.ts';

const dataFolder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-memory-'));
// Open during all tests, as in a running server.
let storage: Storage;
let accountId: string;
beforeAll(async () => {
  storage = await openEmbedded(dataFolder);
  ({
    account: { accountId },
  } = await openAccount(storage, { account: { name: 'editors' } }));
});
afterAll(async () => {
  await storage.close();
  rmSync(dataFolder, { recursive: true });
});

const account = ['--account', 'editors'];
const run = (...args: string[]) => runDragoman(['memory', ...args], { DATA_DIR: dataFolder });
const ask = <T>(...args: string[]) => askDragoman<T>(['memory', ...args], { DATA_DIR: dataFolder });
const fileOf = (name: string, content: string) => {
  const file = path.join(dataFolder, name);
  writeFileSync(file, content);
  return file;
};

it('manages a translation memory from import to deletion, beside a running server', async () => {
  const tmx = fileOf('harbour.tmx', tmxFile([{ en: 'House', de: 'Haus', 'pt-BR': 'Casa' }]));
  const imported = await ask<ImportedTranslationMemory>('import', tmx, ...account);
  expect(imported).toMatchObject({
    name: 'harbour',
    source_language: 'en',
    target_languages: ['de', 'pt-br'],
    segment_count: 1,
    skipped_count: 0,
  });
  const id = imported.translation_memory_id;
  expect(await storage.translationMemories.find(accountId, id)).toMatchObject({ name: 'harbour' });

  const csv = fileOf('words.txt', 'House;Haus\nBoat;Boot\n');
  const options = ['--name', 'Words', '--format', 'csv', '--source', 'en', '--target', 'de'];
  const { code, output } = await run('import', csv, ...account, ...options);
  expect(code).toBe(0);
  expect(output).toMatch(/Words[\s\S]*en → de[\s\S]*Segments +2/);

  const listed = await ask<TranslationMemory[]>('list', ...account);
  expect(listed.map(({ name }) => name)).toEqual(['harbour', 'Words']);
  const deleted = await run('delete', id, ...account);
  expect([deleted.code, deleted.output]).toEqual([0, 'Deleted.\n']);
  expect(await storage.translationMemories.find(accountId, id)).toBeUndefined();
  // Nothing is left for a server to sweep.
  expect(await storage.translationMemories.sweep(Date.now())).toBe(false);
});

it.each([
  ['a file that is not there', ['import', 'nowhere.tmx', ...account], /no such file/],
  ['a folder', ['import', os.tmpdir(), '--format', 'tmx', ...account], /is a folder\. Name a file/],
  ['an ending that tells nothing', ['import', 'nowhere.txt', ...account], /--format/],
  ['a memory that is not there', ['delete', 'mine', ...account], /UUID/],
])('explains the problem with %s', async (_case, args, message) => {
  const { code, errors } = await run(...args);
  expect(code).toBe(1);
  expect(errors).toMatch(message);
});

it('names its own options when a file does not state its languages', async () => {
  const tmx = fileOf('any.tmx', tmxFile([{ en: 'House', de: 'Haus' }], '*all*'));
  const csv = fileOf('bare.csv', 'House,Haus\n');
  const asked: [args: string[], message: RegExp][] = [
    [[tmx], /name it as --source\./],
    [[csv], /give both --source and --target\./],
    [[csv, '--source', 'x', '--target', 'de'], /'--source' not supported/],
    [[csv, '--source', 'en', '--target', 'x'], /'--target' not supported/],
  ];
  for (const [args, message] of asked) {
    const { code, errors } = await run('import', ...args, ...account);
    expect([code, errors]).toEqual([1, expect.stringMatching(message)]);
    expect(errors).not.toMatch(/_lang/);
  }
  expect((await run('import', tmx, '--source', 'en', ...account)).code).toBe(0);
});

it('refuses a file above the upload limit', async () => {
  // A sparse file, which takes no disk space.
  const file = fileOf('large.csv', 'en,de\nHouse,Haus\n');
  truncateSync(file, 512 * 1024 * 1024 + 1);
  const { code, errors } = await run('import', file, ...account);
  expect([code, errors]).toEqual([1, expect.stringContaining('at most 512 MiB')]);
});

it('reports the place of an error in a file, and stores nothing of it', async () => {
  const file = fileOf('broken.tmx', '<tmx>\n<body>\n</tmx>');
  const { code, errors } = await run('import', file, ...account);
  expect(code).toBe(1);
  expect(errors).toMatch(/not well-formed[\s\S]*Line 3/);
  const page = { offset: 0, limit: 25 };
  const { memories } = await storage.translationMemories.list(accountId, page);
  expect(memories.map(({ name }) => name)).not.toContain('broken');
});
