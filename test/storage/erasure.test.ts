import { randomInt, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openEmbeddedStorage } from '../../server/storage/embedded/embedded-storage.ts';
import { openSqliteFile } from '../../server/storage/embedded/sqlite.ts';
import type { Storage } from '../../server/stores.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { sampleDocument, upload } from '../documents/jobs/document-samples.ts';
import { sampleCaption, sampleRoom } from '../events/room-samples.ts';
import { openAccount, quietLog } from './samples.ts';

const AT_MS = 1_700_000_000_000;
const SECRET = 'Nobody is to read';
const KEPT = 'Everybody may see';
/** Rarely, as every look reads all files. */
const PATIENCE = { timeout: 90_000, interval: 250 };

/** Unique lines that can be found again. */
const sentences = (mark: string, count: number) =>
  Array.from({ length: count }, () => `${mark} ${randomUUID()} of the harbour.`);

/** Number of occurrences of a mark in all files of a folder. */
function countOf(mark: string, folder: string): number {
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  return files.reduce((sum, file) => sum + readFileSync(file, 'latin1').split(mark).length - 1, 0);
}

async function openFolder(dataFolder: string, erasurePeriodMs: number): Promise<Storage> {
  const storage = await openEmbeddedStorage({ dataFolder, log: quietLog, erasurePeriodMs });
  onTestFinished(() => storage.close());
  return storage;
}

/** Stores one item of each kind that holds people's texts; resolves to a function that deletes them. */
async function fill(storage: Storage, mark: string): Promise<() => Promise<unknown>> {
  const opened = await openAccount(storage);
  const { accountId } = opened.account;
  const text = (count: number) => sentences(mark, count).join('\n');
  const { documentId } = await upload(
    storage,
    sampleDocument(opened, { fileName: `${mark}.txt` }),
    [1500, 700, 6].map((count) => Buffer.from(text(count))),
  );
  const glossary = { glossaryId: randomUUID(), name: mark, createdAtMs: AT_MS, editedInV3: false };
  const dictionary = { sourceLang: 'en', targetLang: 'es', entryCount: 200, entries: text(200) };
  await storage.glossaries.create(accountId, glossary, [dictionary], 10);
  const terms = { spokenTermsId: randomUUID(), name: mark, language: 'en', termCount: 20 };
  const spoken = { ...terms, createdAtMs: AT_MS, terms: sentences(mark, 20) };
  await storage.spokenTerms.create(accountId, spoken, 10);
  const styleId = await fillStyle(storage, accountId, mark);
  const memoryId = await fillMemory(storage, accountId, mark);
  const roomId = await fillRoom(storage, opened.key, mark);
  return async () => {
    await storage.documents.delete(documentId);
    await storage.glossaries.delete(accountId, glossary.glossaryId);
    await storage.spokenTerms.delete(accountId, spoken.spokenTermsId);
    await storage.styleRules.delete(accountId, styleId);
    await storage.rooms.deleteCaptions(roomId, 0, 0);
    await storage.translationMemories.retire(accountId, memoryId);
    while (await storage.translationMemories.sweep(0));
  };
}

async function fillStyle(storage: Storage, accountId: string, mark: string): Promise<string> {
  const styleId = randomUUID();
  const instructions = sentences(mark, 5).map((prompt) => ({
    instructionId: randomUUID(),
    label: mark,
    prompt,
    sourceLanguage: null,
  }));
  const times = { createdAtMs: AT_MS, updatedAtMs: AT_MS };
  const list = { styleId, name: mark, language: 'en', version: 1, configuredRules: {} };
  await storage.styleRules.create(accountId, { ...list, ...times, instructions }, 10);
  return styleId;
}

/** A room that stays, and the captions in it. */
async function fillRoom(
  storage: Storage,
  { accountId, keyId }: { accountId: string; keyId: string },
  mark: string,
): Promise<string> {
  const room = sampleRoom({ accountId, keyId });
  await storage.rooms.create(room, [], 10);
  const captions = sentences(mark, 300).map((text, index) => sampleCaption(index, { text }));
  await storage.rooms.append({ roomId: room.roomId, name: 'spoken' }, captions);
  return room.roomId;
}

async function fillMemory(storage: Storage, accountId: string, mark: string): Promise<string> {
  const { translationMemories } = storage;
  const memoryId = randomUUID();
  const partId = randomInt(1, 2 ** 47);
  await translationMemories.begin(accountId, { memoryId, name: mark, createdAtMs: AT_MS }, 10);
  await translationMemories.openPart(memoryId, { partId, targetLang: 'de' }, AT_MS);
  const segments = sentences(mark, 500).map((source, number) => ({
    number,
    source,
    target: `${source} `.repeat(1 + (number % 7)),
  }));
  await translationMemories.addSegments(memoryId, partId, segments, AT_MS);
  const part = { partId, targetLang: 'de', segmentCount: 500, bucketCount: 1 };
  const counted = { sourceLang: 'en', segmentCount: 500 };
  await translationMemories.complete(memoryId, counted, [part]);
  return memoryId;
}

it(
  'leaves nothing of deleted data in any file while other data stays',
  { timeout: 180_000 },
  async () => {
    const dataFolder = temporaryFolder();
    const storage = await openFolder(dataFolder, 100);
    const deletions: (() => Promise<unknown>)[] = [];
    // Alternating, so that deleted data shares pages with data that stays.
    for (let turn = 0; turn < 2; turn += 1) {
      deletions.push(await fill(storage, SECRET));
      await fill(storage, KEPT);
    }
    const all = countOf(SECRET, dataFolder);
    expect(all).toBeGreaterThan(5_000);
    for (const erase of deletions) await erase();
    await vi.waitFor(() => expect(countOf(SECRET, dataFolder)).toBe(0), PATIENCE);
    expect(countOf(KEPT, dataFolder)).toBeGreaterThan(5_000);
  },
);

it('erases remains that an earlier version left behind', async () => {
  const dataFolder = temporaryFolder();
  const database = openSqliteFile(path.join(dataFolder, 'dragoman.sqlite'));
  database.exec('pragma secure_delete = OFF; create table before (line text)');
  const insert = database.prepare('insert into before values (?)');
  for (const line of sentences(SECRET, 1000)) insert.run(line);
  database.exec('drop table before');
  database.close();
  expect(countOf(SECRET, dataFolder)).toBeGreaterThan(900);
  await openFolder(dataFolder, 100);
  await vi.waitFor(() => expect(countOf(SECRET, dataFolder)).toBe(0), PATIENCE);
});

it('leaves no write-ahead log behind when one of two processes ends', async () => {
  const dataFolder = temporaryFolder();
  const never = 2 ** 30;
  const staying = await openFolder(dataFolder, never);
  const leaving = await openEmbeddedStorage({ dataFolder, log: quietLog, erasurePeriodMs: never });
  await openAccount(leaving);
  const log = path.join(dataFolder, 'dragoman.sqlite-wal');
  expect(statSync(log).size).toBeGreaterThan(0);
  await leaving.close();
  expect(statSync(log).size).toBe(0);
  await openAccount(staying);
});
