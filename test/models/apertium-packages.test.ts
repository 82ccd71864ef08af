import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { modes } from '../../server/engines/translation/apertium-modes.ts';
import {
  apertiumPackages,
  installPackage,
  removePackage,
} from '../../server/models/apertium-packages.ts';
import { runDragoman } from '../support/product/command-line.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

const { PATH } = process.env;
afterEach(() => {
  process.env['PATH'] = PATH;
});

/** Creates a system with only these programs, and records the calls of apt-get. */
function systemWith(programs: Record<string, string>): { folder: string; calls: () => string[] } {
  const folder = temporaryFolder();
  const log = path.join(folder, 'calls');
  writeFileSync(log, '');
  const all = { env: 'exec /usr/bin/env "$@"', ...programs };
  for (const [name, script] of Object.entries(all)) {
    const file = path.join(folder, name);
    const note = name === 'apt-get' ? `echo "$*" >> ${log}\n` : '';
    writeFileSync(file, `#!/bin/sh\n${note}${script}\n`);
    chmodSync(file, 0o755);
  }
  process.env['PATH'] = folder;
  return { folder, calls: () => readFileSync(log, 'utf8').trim().split('\n') };
}

const none = { 'dpkg-query': 'exit 1' };
const all = { 'dpkg-query': 'for name in "$@"; do echo "$name 1700000000 installed"; done' };

describe('the installable Apertium packages', () => {
  it('cover the directions that the engine knows', () => {
    for (const { name, directions } of apertiumPackages) {
      const served = modes.filter(({ debianPackage }) => debianPackage === name);
      const pairs = served.map(({ source, target }) => `${source} ${target}`);
      expect([name, ...directions.map((pair) => pair.join(' ')).sort()]).toEqual([
        name,
        ...pairs.sort(),
      ]);
    }
  });

  it('are installed and removed by root', async () => {
    const { calls } = systemWith({ ...none, 'apt-get': 'exit 0' });
    const { isNew } = await installPackage('apertium-isl-eng', { isRoot: true });
    expect(isNew).toBe(true);
    const [update, install] = calls();
    expect(update).toMatch(/ update$/);
    expect(install).toMatch(/ install -y --no-install-recommends apertium apertium-isl-eng$/);

    const later = systemWith({ ...all, 'apt-get': 'exit 0' });
    expect(await installPackage('apertium-isl-eng', { isRoot: true })).toMatchObject({
      isNew: false,
    });
    await removePackage('apertium-isl-eng', { isRoot: true });
    expect(later.calls()).toEqual([expect.stringMatching(/ remove -y apertium-isl-eng$/)]);
  });

  it.each([
    [
      'someone who is not root',
      { ...none, 'apt-get': 'exit 0' },
      false,
      'only root may install or remove: sudo apt-get install -y --no-install-recommends apertium apertium-isl-eng',
    ],
    [
      'an archive that does not have it',
      { ...none, 'apt-get': 'echo "E: Unable to locate package apertium-isl-eng"; exit 100' },
      true,
      'apt-get did not succeed (E: Unable to locate package apertium-isl-eng). To try it yourself: apt-get install',
    ],
    ['a system without apt-get', {}, true, 'This system has no apt-get'],
  ])('tell %s what to do', async (_who, programs, isRoot, message) => {
    systemWith(programs);
    await expect(installPackage('apertium-isl-eng', { isRoot })).rejects.toMatchObject({
      code: 'model_not_installed',
      message: expect.stringContaining(message) as string,
    });
  });

  it('are exactly those that the command line offers', async () => {
    const { folder } = systemWith(all);
    const models = (...args: string[]) =>
      runDragoman(['models', ...args], { PATH: folder, DATA_DIR: temporaryFolder() });
    expect((await models()).output).toMatch(/^yes +apertium-isl-eng +translation +is → en +2 MB/m);
    expect(await models('install', 'apertium-isl-eng')).toMatchObject({
      code: 0,
      output: 'apertium-isl-eng is installed already.\n',
    });
    expect((await models('install', 'apertium-xho-zul')).errors).toMatch(
      /^There is no apertium-xho-zul here; possible: apertium-afr-nld, /,
    );
  });
});
