import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
  writeFileSync(
    file('main.js'),
    'const part = require("./part.js"); exports.own = 1; console.log(part.say(), typeof require("node:fs").open);',
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

/** Rehearses, and then has other code of the same length: only what V8 has cached still says `one`. */
function rehearse(): void {
  writeFileSync(file('rehearsal'), '');
  expect(run()).toBe('one function');
  rmSync(file('rehearsal'));
  writeFileSync(file('part.js'), 'const main = require("./main.js"); exports.say = () => "two";');
}

it('runs what V8 has cached in a rehearsal', () => {
  rehearse();
  expect(run()).toBe('one function');
});

it('compiles the code where V8 takes other flags, and where there is no cache', () => {
  rehearse();
  expect(run('--no-opt')).toBe('two function');
  rmSync(file('caches'), { recursive: true });
  expect(run()).toBe('two function');
});

it('compiles the code where a cache is damaged', () => {
  rehearse();
  const caches = readdirSync(file('caches'), { recursive: true, encoding: 'utf8' });
  for (const cache of caches.filter((name) => name.endsWith('.js'))) {
    writeFileSync(path.join(file('caches'), cache), 'rubbish');
  }
  expect(run()).toBe('two function');
});

it('leaves no cache but in a rehearsal', () => {
  expect(run()).toBe('one function');
  expect(existsSync(file('caches'))).toBe(false);
});

it('has been rehearsed with the server', () => {
  const caches = path.resolve('dist/bundle/cached/caches', cachedDataVersionTag().toString(16));
  for (const entry of ['main', 'storage/embedded/store-thread'])
    expect(existsSync(path.join(caches, entry, `${entry}.js`)), entry).toBe(true);
});
