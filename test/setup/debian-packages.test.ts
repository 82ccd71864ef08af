import {
  chmodSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../server/setup/command.mjs';
import * as debian from '../../server/setup/debian-packages.mjs';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

const missing = [
  { name: 'Nothing', programs: ['dragoman-nothing'], packages: ['dragoman-nothing'] },
  { name: 'Nobody', packages: ['dragoman-nobody'] },
];
// Installed on every Debian system.
const present = [{ name: 'dpkg', programs: ['dpkg'], packages: ['dpkg', 'base-files'] }];

/** A machine whose PATH has these programs: links to real ones, or scripts. */
function hostWith(programs: Record<string, string>, isRoot = false) {
  const folder = temporaryFolder();
  const searchPath = path.join(folder, 'bin');
  mkdirSync(searchPath);
  for (const [name, target] of Object.entries(programs)) {
    const file = path.join(searchPath, name);
    if (path.isAbsolute(target)) symlinkSync(target, file);
    else writeFileSync(file, `#!/bin/sh\n${target}\n`);
    if (!path.isAbsolute(target)) chmodSync(file, 0o755);
  }
  const statusFile = path.join(folder, 'status');
  writeFileSync(statusFile, '');
  return { searchPath, isRoot, statusFile, noteFile: path.join(folder, 'notes', 'debian.json') };
}

const dpkgQuery = findProgram('dpkg-query');

describe.runIf(dpkgQuery !== undefined)('on a Debian system', () => {
  const queries = { 'dpkg-query': dpkgQuery ?? '' };

  it('finds installed and missing packages', () => {
    const found = debian.findMissing([...present, ...missing], hostWith(queries));
    expect(found).toEqual({ packages: ['dragoman-nothing', 'dragoman-nobody'] });
  });

  it('asks dpkg once, and again only after an installation or removal', () => {
    const folder = temporaryFolder();
    const calls = path.join(folder, 'calls');
    writeFileSync(calls, '');
    const host = hostWith({ 'dpkg-query': `echo call >> ${calls}; exec ${dpkgQuery ?? ''} "$@"` });
    const count = () => readFileSync(calls, 'utf8').split('call').length - 1;

    expect(debian.findMissing(present, host)).toEqual({ packages: [] });
    expect(debian.findMissing(present, host)).toEqual({ packages: [] });
    expect(count()).toBe(1);

    utimesSync(host.statusFile, 1, 1);
    expect(debian.findMissing(present, host)).toEqual({ packages: [] });
    expect(count()).toBe(2);
  });

  it('asks again for additional packages', () => {
    const host = hostWith(queries);
    debian.findMissing(present, host);
    expect(debian.findMissing([...present, ...missing], host)).toEqual({
      packages: ['dragoman-nothing', 'dragoman-nobody'],
    });
  });

  it.each([
    ['is not root', { ...queries, 'apt-get': 'exit 1' }, false, 'sudo '],
    ['has no apt-get', queries, true, ''],
  ])('prints the command to type when the user %s', (_, programs, isRoot, sudo) => {
    const host = hostWith(programs, isRoot);
    const found = debian.findMissing(missing, host);
    expect(debian.canInstall(found, host)).toBe(false);
    expect(debian.advice(found, host).split('\n')[1]).toBe(
      `  ${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends dragoman-nothing dragoman-nobody`,
    );
  });

  const policy = 'for name in "$@"; do echo "$name:\\n  Installed: (none)\\n  Candidate: 1"; done';

  it('installs non-interactively and without recommended packages', async () => {
    const calls = path.join(temporaryFolder(), 'calls');
    const script = `echo "$DEBIAN_FRONTEND $*" >> ${calls}`;
    const host = hostWith({ ...queries, 'apt-get': script, 'apt-cache': policy }, true);
    const found = debian.findMissing(missing, host);
    expect(debian.canInstall(found, host)).toBe(true);
    expect(await debian.install(['dragoman-nothing'], host)).toBe('');
    const [update, install] = readFileSync(calls, 'utf8').split('\n');
    expect(update).toMatch(/^noninteractive .* update$/);
    expect(install).toMatch(
      /^noninteractive .* install -y --no-install-recommends dragoman-nothing$/,
    );
  });

  it('reports a failure of apt-get with its output and the command to type', async () => {
    const apt = 'echo "E: Could not get lock"; exit 100';
    const host = hostWith({ ...queries, 'apt-get': apt, 'apt-cache': policy }, true);
    const told = await debian.install(['dragoman-nothing'], host);
    expect(told).toContain('E: Could not get lock\n');
    expect(told).toContain('  apt-get update && apt-get install -y');
  });

  it('does not retry packages that the archive lacks', async () => {
    const unknown = 'echo "dragoman-nobody:\\n  Installed: (none)\\n  Candidate: (none)"';
    const host = hostWith({ ...queries, 'apt-get': 'exit 0', 'apt-cache': unknown }, true);
    const told = await debian.install(['dragoman-nothing', 'dragoman-nobody'], host);
    expect(told).toContain('does not have dragoman-nothing, dragoman-nobody');
    expect(debian.findMissing(missing, host)).toEqual({ packages: [] });
  });
});

describe('on another system', () => {
  it('names the programs that are not on the PATH', () => {
    const host = hostWith({ flite: 'exit 0' });
    const found = debian.findMissing(debian.serverRequirements, host);
    expect(debian.canInstall(found, host)).toBe(false);
    expect(debian.advice(found, host)).toContain('Not found: Apertium with its pairs');
    expect(debian.advice(found, host)).not.toContain('Flite');
  });

  it('reports nothing when all programs exist', () => {
    const programs = debian.serverRequirements.flatMap(({ programs: [program] = [] }) =>
      program === undefined ? [] : [[program, 'exit 0']],
    );
    const host = hostWith(Object.fromEntries(programs) as Record<string, string>);
    expect(debian.isAnyMissing(debian.findMissing(debian.serverRequirements, host))).toBe(false);
  });
});
