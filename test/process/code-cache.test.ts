import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import { beforeEach, expect, it } from 'vitest';
import { builtModule } from '../support/suite/built-product.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

let folder: string;
const file = (name: string) => path.join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
  // The entry requires a file and a built-in module, and checks for strict mode.
  writeFileSync(
    file('main.js'),
    `const part = require("./part.js");
    const fs = require("node:fs");
    console.log(part.say(), typeof fs.open, (function () { return this; })());`,
  );
  writeFileSync(file('part.js'), 'const main = require("./main.js"); exports.say = () => "one";');
});

/** The output of the entry when it runs in its own process. */
function run(...flags: string[]): string {
  const script =
    `import { runEntry } from '${builtModule('server/process/code-cache.ts')}';` +
    `runEntry(new URL('${pathToFileURL(folder).href}/'), 'main');`;
  const args = [...flags, '--input-type=module', '--eval', script];
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim();
}

/** The cache files left by a rehearsal, sorted by the code they belong to. */
function caches(): string[] {
  const all = readdirSync(file('caches'), { recursive: true, encoding: 'utf8' });
  return all
    .filter((name) => /\.js\.\w+$/.test(name))
    .map((name) => path.join(file('caches'), name));
}

function rehearse(): void {
  writeFileSync(file('rehearsal'), '');
  expect(run()).toBe('one function undefined');
  rmSync(file('rehearsal'));
  expect(caches().map((cache) => path.basename(cache).split('.')[0])).toEqual(['main', 'part']);
}

/** Replaces a part by code of the same length, which V8 does not detect. */
function change(): void {
  writeFileSync(file('part.js'), 'const main = require("./main.js"); exports.say = () => "two";');
}

/** Stores the cache of the old code under the checksum of the new code, which only V8 could detect. */
function mistake(): void {
  const [, cache = ''] = caches();
  const checksum = crc32(readFileSync(file('part.js'))).toString(16);
  cpSync(cache, cache.replace(/\w+$/, checksum));
}

it('runs what V8 cached in a rehearsal, and compiles code that has changed, is for other V8 flags, or has no whole cache', () => {
  expect(run()).toBe('one function undefined');
  expect(existsSync(file('caches'))).toBe(false);
  rehearse();
  change();
  expect(run()).toBe('two function undefined');
  mistake();
  expect(run()).toBe('one function undefined');
  expect(run('--no-opt')).toBe('two function undefined');
  for (const cache of caches()) {
    const content = readFileSync(cache);
    writeFileSync(cache, content.fill(0, content.length / 2, content.length - 40));
  }
  expect(run()).toBe('two function undefined');
  for (const cache of caches()) writeFileSync(cache, 'rubbish');
  expect(run()).toBe('two function undefined');
});

it('reads a byte for each character, as the build writes them, and repeats the error of a module that cannot be loaded', () => {
  writeFileSync(
    file('main.js'),
    `console.log(/^ä$/.test("\\u00e4"));
    for (const attempt of [1, 2])
      try { require("./away.js"); console.log("there"); } catch (error) { console.log(error.code); }`,
    'latin1',
  );
  expect(run()).toBe('true\nENOENT\nENOENT');
});

it('was rehearsed with the built server', () => {
  const found = readdirSync('dist/bundle/cached/caches', { recursive: true, encoding: 'utf8' });
  for (const entry of ['main', 'storage/embedded/store-thread'])
    expect(found).toContainEqual(expect.stringContaining(`${entry}/${entry}.js.`));
});
