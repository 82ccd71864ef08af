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

/** While a file of this name is beside the code, what is run leaves its cache when it ends. */
const MARK = 'rehearsal';

interface Module {
  exports: unknown;
}

/**
 * Runs an entry. It and all that it requires of the bundle is CommonJS in letters of one byte, and does
 * not `import()` what is outside: code from a cache cannot.
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
    const code = readFileSync(file, 'latin1');
    // V8 itself compares no more than the length of the code.
    const hash = createHash('sha256').update(code, 'latin1').digest('hex');
    const cache = path.join(caches, `${path.relative(root, file)}.${hash}`);
    // Strict, as the modules that it was made of.
    const source = `(function (exports, require, module, __filename, __dirname) {'use strict';${code}\n})`;
    const cachedData = readCache(cache);
    const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
    scripts.set(cache, script);
    const directory = path.dirname(file);
    const require = (id: string): unknown =>
      id.startsWith('.') ? load(path.join(directory, id)) : outside(id);
    const run = script.runInThisContext() as (...parts: unknown[]) => void;
    run.call(module.exports, module.exports, require, module, file, directory);
    return module.exports;
  }

  if (existsSync(path.join(root, MARK))) {
    process.once('exit', () => {
      for (const [cache, script] of scripts) {
        mkdirSync(path.dirname(cache), { recursive: true });
        // Whoever starts meanwhile finds all of it or nothing.
        writeFileSync(`${cache}.new`, script.createCachedData());
        renameSync(`${cache}.new`, cache);
      }
    });
  }
  load(entry);
}

/** Without one, code is compiled as it is run. */
function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
