import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { npmPackagesInstalled } from '../../server/setup/npm-packages.mjs';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

const wanted = {
  '': { name: 'project', version: '1.0.0' },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/b-darwin': { version: '1.0.0', integrity: 'sha512-b', optional: true },
};
const installed = { 'node_modules/a': wanted['node_modules/a'] };

function projectWith(record: object | undefined): string {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages: wanted }));
  mkdirSync(path.join(folder, 'node_modules'));
  const file = path.join(folder, 'node_modules', '.package-lock.json');
  if (record !== undefined) writeFileSync(file, JSON.stringify({ packages: record }));
  return folder;
}

it('accepts the packages when npm recorded what package-lock.json names', () => {
  expect(npmPackagesInstalled(projectWith(installed))).toBe(true);
});

it.each([
  ['the installation was cut short', undefined],
  ['a package is missing', {}],
  ['the version is another', { 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } }],
  ['the content is another', { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-x' } }],
])('requires an installation when %s', (_, record) => {
  expect(npmPackagesInstalled(projectWith(record))).toBe(false);
});

it('requires an installation without node_modules', () => {
  const folder = projectWith(installed);
  rmSync(path.join(folder, 'node_modules'), { recursive: true });
  expect(npmPackagesInstalled(folder)).toBe(false);
});
