import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { allEnded, fingerprint } from '../../server/setup/product.mjs';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

function project(): string {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, 'server', 'voice'), { recursive: true });
  mkdirSync(path.join(folder, 'widget'));
  writeFileSync(path.join(folder, 'tsconfig.json'), '{}');
  writeFileSync(path.join(folder, 'README.md'), 'read me');
  writeFileSync(path.join(folder, 'server', 'voice', 'a.ts'), 'const a = 1;');
  return folder;
}
const sources = ['tsconfig.json', 'server', 'widget'];

it.each<[string, (folder: string) => void]>([
  [
    'a file changes at the same length',
    (f) => writeFileSync(`${f}/server/voice/a.ts`, 'const a = 2;'),
  ],
  ['a file of the root changes', (f) => writeFileSync(`${f}/tsconfig.json`, '{ }')],
  ['a file appears', (f) => writeFileSync(`${f}/server/b.ts`, '')],
  ['a file goes', (f) => rmSync(`${f}/server/voice/a.ts`)],
  ['a file gets another name', (f) => renameSync(`${f}/server/voice`, `${f}/server/text`)],
  ['a file appears in another folder', (f) => writeFileSync(`${f}/widget/a.ts`, '')],
])('rebuilds when %s', (_, change) => {
  const folder = project();
  const before = fingerprint(folder, sources);
  change(folder);
  expect(fingerprint(folder, sources)).not.toBe(before);
});

it.each<[string, (folder: string) => void]>([
  ['nothing happens', () => undefined],
  ['a file is only touched', (f) => utimesSync(`${f}/server/voice/a.ts`, 1, 1)],
  ['something else changes', (f) => writeFileSync(`${f}/README.md`, 'read me well')],
])('does not rebuild when %s', (_, change) => {
  const folder = project();
  const before = fingerprint(folder, sources);
  change(folder);
  expect(fingerprint(folder, sources)).toBe(before);
});

it('waits for all parts when one fails', async () => {
  let end = (): void => undefined;
  const late = new Promise<void>((resolve) => (end = resolve));
  let isOver = false;
  const all = allEnded([Promise.reject(new Error('broken')), late]).finally(() => (isOver = true));
  await new Promise((resolve) => void setImmediate(resolve));
  expect(isOver).toBe(false);
  end();
  await expect(all).rejects.toThrow('broken');
});
