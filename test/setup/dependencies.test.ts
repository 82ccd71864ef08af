/** The npm packages: pinned, freely licensed, and without unknown install scripts. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../support/product/server.ts';

interface LockedPackage {
  integrity?: string;
  license?: string;
  hasInstallScript?: boolean;
  resolved?: string;
  dev?: boolean;
  engines?: { node?: string };
}

const lockFile = path.join(projectFolder, 'package-lock.json');
const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const installed = Object.entries(packages).filter(([folder]) => folder !== '');
const named = (folder: string) => folder.slice(folder.lastIndexOf('node_modules/') + 13);

/**
 * Licences that allow everyone to run, change and redistribute the product; sharp's library is linked, not
 * included.
 */
const licences = [
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'MIT-0'],
  ...['CC0-1.0', 'MPL-2.0', 'LGPL-3.0-or-later', 'WTFPL'],
];

/** Packages that find, compile or fetch native code. Each was reviewed and works without it. */
const scripted = ['@photostructure/sqlite', 'bufferutil', 'esbuild', 'onnxruntime-node'];

/**
 * Whether a version range (`^18.18 || >=20`) includes this version; ranges of packages are no more complex.
 */
function takes(range: string, [major, minor]: readonly [number, number]): boolean {
  return range.split('||').some((part) => {
    const [, sign = '', atLeast = '0', then = '0'] =
      /^(>=|\^|~|>)?\s*v?(\d+)?(?:\.(\d+))?/.exec(part.trim()) ?? [];
    const isEnough =
      major > Number(atLeast) || (major === Number(atLeast) && minor >= Number(then));
    const isOpen = sign.startsWith('>') || part.trim() === '*' || part.trim() === '';
    return isEnough && (isOpen || major === Number(atLeast));
  });
}

describe('every package', () => {
  it('is pinned by an integrity hash', () => {
    expect(installed.length).toBeGreaterThan(300);
    const loose = installed.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ''));
    expect(loose).toEqual([]);
  });

  it('has a compatible licence', () => {
    const others = installed.filter(([, { license = 'none' }]) =>
      license
        .replaceAll(/[()]/g, '')
        .split(/ AND | OR /)
        .some((each) => !licences.includes(each)),
    );
    expect(others.map(([folder, { license }]) => [named(folder), license])).toEqual([]);
  });

  it('runs on the lowest supported Node', () => {
    const lowest = installed.filter(([, { engines }]) => !takes(engines?.node ?? '*', [20, 19]));
    expect(lowest.map(([folder, { engines }]) => [named(folder), engines])).toEqual([]);
  });

  it('with an install script is known', () => {
    const running = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(running.map(([folder]) => named(folder)).sort()).toEqual(scripted);
  });

  it('comes from the configured registry, not from an address of its own', () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});
