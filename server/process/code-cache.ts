/**
 * Runs the entries of the bundle with V8's code cache: what V8 made of their functions in a run before,
 * so that a server starts in half the time and its first answers need not be compiled. Node's own cache
 * begins with version 22.1.
 *
 * The build makes the cache, by a rehearsal (`rehearsal.mjs`); all other runs only read it. V8
 * refuses what another version, other flags or another processor made, and compiles as ever.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { threadId } from 'node:worker_threads';

/** While a file of this name is beside the code, what is run leaves its cache when it ends. */
const MARK = 'rehearsal';

interface Module {
  exports: unknown;
}

/**
 * Runs an entry. It and all that it requires of the bundle is CommonJS, and does not `import()` what is
 * outside: code from a cache cannot.
 *
 * @param address of the folder of the code
 * @param name of the entry there, without extension; each has a cache of its own
 */
export function runEntry(address: URL, name: string): void {
  const root = fileURLToPath(address);
  const entry = path.join(root, `${name}.js`);
  const caches = path.join(root, 'caches', cachedDataVersionTag().toString(16), name);
  const outside = createRequire(entry);
  const modules = new Map<string, Module>();
  /** What was run, by where its cache is or would be. */
  const scripts = new Map<string, Script>();

  function load(file: string): unknown {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const module: Module = { exports: {} };
    modules.set(file, module);
    try {
      run(file, module);
    } catch (error) {
      // Whoever asks for it again is to be told again.
      modules.delete(file);
      throw error;
    }
    return module.exports;
  }

  function run(file: string, module: Module): void {
    const code = readFileSync(file, 'utf8');
    // V8 itself compares no more than the length of the code.
    const cache = path.join(caches, `${path.relative(root, file)}.${hashOf(code).toString('hex')}`);
    // Strict, as the modules that it was made of.
    const source = `(function (exports, require, module, __filename, __dirname) {'use strict';${code}\n})`;
    const cachedData = readCache(cache);
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
      for (const [cache, script] of scripts) writeCache(cache, script.createCachedData());
    });
  }
  load(entry);
}

// A cache is followed by its hash: V8 runs whatever has the right length.

const HASH_BYTES = 32;

function hashOf(content: string | Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}

/** Without one, code is compiled as it is run. */
function readCache(file: string): Buffer | undefined {
  if (!existsSync(file)) return undefined;
  const content = readFileSync(file);
  const cache = content.subarray(0, -HASH_BYTES);
  return hashOf(cache).equals(content.subarray(-HASH_BYTES)) ? cache : undefined;
}

function writeCache(file: string, cache: Buffer): void {
  mkdirSync(path.dirname(file), { recursive: true });
  // Whoever starts meanwhile finds all of it or nothing.
  const next = `${file}.${process.pid}.${threadId}`;
  writeFileSync(next, Buffer.concat([cache, hashOf(cache)]));
  renameSync(next, file);
}
