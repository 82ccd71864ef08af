import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DictionaryFile, isIn, readDictionary } from '../../server/text/words/dictionaries.ts';
import { keep } from '../../server/process/code-cache.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

const tables = path.resolve('dist/tables');
let file: DictionaryFile & { language: 'de' };

beforeEach(() => {
  file = { language: 'de', path: path.join(temporaryFolder(), 'kept-for-a-test.dic') };
  writeFileSync(file.path.replace('.dic', '.aff'), 'SET UTF-8\n');
  writeWords('house', 1);
});
afterEach(() => {
  for (const table of ownTables()) rmSync(table, { recursive: true });
});

/** Writes a dictionary so long that it is kept, with one word of five letters and many others. */
function writeWords(word: string, seconds: number): void {
  const others = Array.from({ length: 12_000 }, (_, i) => `filler${i}`);
  writeFileSync(file.path, `12001\n${[word, ...others].join('\n')}\n`);
  utimesSync(file.path, seconds, seconds);
}

function ownTables(): string[] {
  const names = readdirSync(tables).filter((name) => name.startsWith(path.basename(file.path)));
  return names.map((name) => path.join(tables, name));
}

async function knows(word: string): Promise<boolean> {
  const words = await readDictionary(file);
  return words !== undefined && isIn(words, word);
}

it('keeps a large dictionary until its file changes', async () => {
  expect(await knows('house')).toBe(true);
  writeWords('mouse', 1);
  expect(await knows('house')).toBe(true);
  writeWords('mouse', 2);
  expect(await knows('house')).toBe(false);
  expect(await knows('mouse')).toBe(true);
  expect(await knows('filler9')).toBe(true);
});

it('reads the dictionary again when what is kept is damaged', async () => {
  expect(await knows('house')).toBe(true);
  const [table = ''] = ownTables();
  const content = readFileSync(table);
  content.writeUInt8(content.readUInt8(content.length >> 1) ^ 1, content.length >> 1);
  writeFileSync(table, content);
  expect(await knows('house')).toBe(true);
  writeFileSync(table, 'x');
  expect(await knows('house')).toBe(true);
  // As another version of Node would write it.
  keep(table, Uint8Array.of(255, 99, 111));
  expect(await knows('house')).toBe(true);
  // Nothing can be read or written there.
  rmSync(table);
  mkdirSync(table);
  expect(await knows('house')).toBe(true);
});
