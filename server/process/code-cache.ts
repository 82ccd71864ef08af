/**
 * Runs the entries of the bundle with V8's code cache, the compiled functions of an earlier run:
 * the server starts in half the time and its first answers need no compilation. Node's own compile
 * cache requires version 22.1.
 *
 * The build creates the cache in a rehearsal (`rehearsal.mjs`); all other runs only read it. V8
 * rejects a cache of another version, other flags or another processor, and then compiles as usual.
 *
 * Dictionaries and grammars are kept in the same way, in `dist/tables`, by the first process that needs them.
 */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { threadId } from 'node:worker_threads';
import { crc32 } from 'node:zlib';

/** Name of the file beside the code whose presence makes a run write its cache on exit. */
const MARK = 'rehearsal';

interface Module {
  exports: unknown;
}

/**
 * Runs an entry. The entry and all bundle modules that it requires are CommonJS and must not
 * `import()` anything outside the bundle: cached code cannot.
 *
 * @param address of the folder of the code
 * @param name of the entry there, without extension; each has its own cache
 */
export function runEntry(address: URL, name: string): void {
  const root = fileURLToPath(address);
  const entry = path.join(root, `${name}.js`);
  const caches = path.join(root, 'caches', cachedDataVersionTag().toString(16), name);
  const outside = createRequire(entry);
  const modules = new Map<string, Module>();
  /** Scripts that have run, by the path of their cache. */
  const scripts = new Map<string, Script>();

  function load(file: string): unknown {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const module: Module = { exports: {} };
    modules.set(file, module);
    try {
      run(file, module);
    } catch (error) {
      // The next `require` must fail with the same error.
      modules.delete(file);
      throw error;
    }
    return module.exports;
  }

  function run(file: string, module: Module): void {
    const bytes = readFileSync(file);
    // The build writes bytes of Latin-1: decoding the same text from UTF-8 takes four times as long.
    const code = bytes.toString('latin1');
    // V8 itself checks only the length of the code, so its checksum is part of the name.
    const cache = path.join(caches, `${path.relative(root, file)}.${crc32(bytes).toString(16)}`);
    // Strict, like the ES modules that the code was built from.
    const source = `(function (exports, require, module, __filename, __dirname) {'use strict';${code}\n})`;
    const cachedData = readKept(cache);
    const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
    scripts.set(cache, script);
    const directory = path.dirname(file);
    const require = (id: string): unknown =>
      id.startsWith('.') ? load(path.join(directory, id)) : outside(id);
    const define = script.runInThisContext() as (...parts: unknown[]) => void;
    define.call(module.exports, module.exports, require, module, file, directory);
  }

  if (existsSync(path.join(root, MARK))) {
    process.once('exit', () => {
      for (const [cache, script] of scripts) keep(cache, script.createCachedData());
    });
  }
  load(entry);
}

// Files that spare later processes work: V8's caches, and tables made of installed data.

/** In `dist`, emptied by each build; where it is missing, as in development, nothing is kept. */
const TABLES = fileURLToPath(new URL('../../tables/', import.meta.url));
/** When this code was built, in s: a server may still run, and keep tables, while the next one is built. */
const BUILT_S = Math.trunc(
  (statSync(new URL('../../bundle/main.js', import.meta.url), { throwIfNoEntry: false })?.mtimeMs ??
    0) / 1000,
);
const CHECKSUM_BYTES = 4;

/** Returns where a table of this build is kept; undefined where none are. */
export function placeOfTable(name: string): string | undefined {
  return existsSync(TABLES) ? path.join(TABLES, `${name}.${BUILT_S}`) : undefined;
}

/**
 * Returns what a file holds; undefined if it is missing, damaged or another user's. A checksum follows the
 * content: V8 itself would run any data of the right length.
 */
export function readKept(file: string): Buffer | undefined {
  if (!existsSync(file)) return undefined;
  let all: Buffer;
  try {
    all = readFileSync(file);
  } catch {
    return undefined;
  }
  if (all.length < CHECKSUM_BYTES) return undefined;
  const end = all.length - CHECKSUM_BYTES;
  const content = all.subarray(0, end);
  return crc32(content) === all.readUInt32LE(end) ? content : undefined;
}

/** Writes a file for {@link readKept}. @throws when its folder cannot be written */
export function keep(file: string, content: Uint8Array): void {
  mkdirSync(path.dirname(file), { recursive: true });
  // Written to a temporary file and renamed, so that a process that starts meanwhile sees all of it
  // or nothing.
  const next = `${file}.${process.pid}.${threadId}`;
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(content));
  try {
    writeFileSync(next, Buffer.concat([content, checksum]));
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}
