import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { beforeEach, expect, it } from 'vitest';
import { builtModule } from '../support/suite/built-product.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

let folder: string;
const file = (name: string) => path.join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
  // What is outside is found, and code is strict.
  writeFileSync(
    file('main.js'),
    `const part = require("./part.js");
    const fs = require("node:fs");
    console.log(part.say(), typeof fs.open, (function () { return this; })());`,
  );
  writeFileSync(file('part.js'), 'const main = require("./main.js"); exports.say = () => "one";');
});

/** What the entry says when it is run in a process of its own. */
function run(...flags: string[]): string {
  const script =
    `import { runEntry } from '${builtModule('server/process/code-cache.ts')}';` +
    `runEntry(new URL('${pathToFileURL(folder).href}/'), 'main');`;
  const args = [...flags, '--input-type=module', '--eval', script];
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim();
}

/** The caches that a rehearsal has left, by the code that they are of. */
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

/** Gives a part other code of the same length, which V8 does not tell apart. */
function change(): void {
  writeFileSync(file('part.js'), 'const main = require("./main.js"); exports.say = () => "two";');
}

it('runs what V8 has cached in a rehearsal', () => {
  rehearse();
  const [, cache = ''] = caches();
  change();
  const hash = createHash('sha256')
    .update(readFileSync(file('part.js')))
    .digest('hex');
  // With the cache of the code of before under its name.
  cpSync(cache, cache.replace(/\w+$/, hash));
  expect(run()).toBe('one function undefined');
});

it('compiles the code where it is other code, where V8 takes other flags, and where there is no cache', () => {
  rehearse();
  expect(run('--no-opt')).toBe('one function undefined');
  change();
  expect(run()).toBe('two function undefined');
  rmSync(file('caches'), { recursive: true });
  expect(run()).toBe('two function undefined');
});

it('compiles the code where a cache is damaged', () => {
  rehearse();
  for (const cache of caches()) writeFileSync(cache, readFileSync(cache).subarray(0, 500));
  expect(run()).toBe('one function undefined');
  for (const cache of caches()) writeFileSync(cache, 'rubbish');
  expect(run()).toBe('one function undefined');
});

it('leaves no cache but in a rehearsal', () => {
  expect(run()).toBe('one function undefined');
  expect(existsSync(file('caches'))).toBe(false);
});

it('has been rehearsed with the server', () => {
  const folder = path.resolve('dist/bundle/cached/caches', cachedDataVersionTag().toString(16));
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const entry of ['main', 'storage/embedded/store-thread'])
    expect(found).toContainEqual(expect.stringContaining(`${entry}/${entry}.js.`));
});
