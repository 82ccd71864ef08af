import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { complaintAboutNode } from '../../server/setup/node-version.mjs';
import { root } from '../../server/setup/paths.mjs';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

it.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0', '100.0.0'])('accepts Node %s', (node) => {
  expect(complaintAboutNode(node, '>=20.19')).toBeUndefined();
});

it.each(['20.18.3', '18.20.0', '16.0.0', '8.19.0'])('refuses Node %s', (node) => {
  expect(complaintAboutNode(node, '>=20.19')).toContain(
    `Dragoman needs Node 20.19 or newer; this is Node ${node}.`,
  );
});

it.each([
  ['20.20.0', true],
  ['21.7.0', false],
  ['22.11.0', false],
  ['22.12.0', true],
  ['24.0.0', true],
])('checks Node %s against two ranges (allowed: %s)', (node, isAllowed) => {
  expect(complaintAboutNode(node, '^20.19 || >=22.12') === undefined).toBe(isAllowed);
});

it.each(['start', 'build', 'dev'])(
  'stops npm run %s with one line before anything else',
  (name) => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'server'));
    cpSync(path.join(root, 'server', 'setup'), path.join(folder, 'server', 'setup'), {
      recursive: true,
    });
    writeFileSync(path.join(folder, 'package.json'), '{ "engines": { "node": ">=1000.0" } }');
    const script = path.join(folder, 'server', 'setup', `${name}.mjs`);
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^Dragoman needs Node 1000\.0 or newer; this is Node .*\n$/);
  },
);
