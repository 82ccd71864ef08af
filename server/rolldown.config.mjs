/**
 * Bundles the compiled server and its packages into few files, which halves Node's load time. Each
 * process and thread has an entry under its name in `dist/server/`; shared code goes to `chunks/`.
 * The largest entries are CommonJS in `cached/` and run with V8's code cache; see
 * `process/code-cache.ts`.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { defineConfig } from 'rolldown';

/** Entry points: processes, their children and threads. */
const ENTRY = /(?:^|\/)(?:main|worker|[\w-]+-(?:child|worker|thread))\.js$/;
/** Entry points with so much code that a V8 code cache pays off. */
const CACHED = ['main', 'storage/embedded/store-thread'];
/** The module that runs cached entries. */
const RUNNER = 'process/code-cache';
/** Packages that stay outside the bundle, because they bring native libraries, WebAssembly or threads. */
const WITH_FILES = [
  ...['@browsermt/bergamot-translator', '@echogarden/fvad-wasm', '@embedpdf/pdfium'],
  ...['@photostructure/sqlite', 'bufferutil', 'cld3-asm', 'harper.js', 'onnxruntime-node'],
  ...['opusscript', 'pg', 'pino', 'sharp', 'sherpa-onnx-node'],
];
/** Optional packages that others import when present; they are not installed here. */
const OPTIONAL = ['utf-8-validate', '@node-rs/xxhash', 'supports-color'];
const OUTSIDE = new RegExp(`^(?:${[...WITH_FILES, ...OPTIONAL].join('|')})(?:/|$)`);
/** A non-ASCII character after an unescaped backslash: rewriting it as `\u…` would change its meaning. */
const BEHIND_BACKSLASH = /(?<!\\)(?:\\\\)*\\[\u0100-\uffff]/;
/** The n-gram tables of the language detector. */
const NGRAMS = /[\\/]eld[\\/]src[\\/]ngrams[\\/]/;
/** Placeholder for the address of a module until its output file is known. */
const ADDRESS = /__moduleAddress\("([^"]*)"\)/g;

/** @satisfies {import('esbuild').TransformOptions} */
const BRIEFLY = { charset: 'ascii', lineLimit: 200, minifyWhitespace: true };

const dist = path.resolve(import.meta.dirname, '../dist');
const compiled = path.join(dist, 'server');
const entries = readdirSync(compiled, { recursive: true, encoding: 'utf8' })
  .filter((file) => ENTRY.test(file))
  .map((file) => file.slice(0, -'.js'.length));

export default defineConfig([
  bundled(
    entries.filter((name) => !CACHED.includes(name)),
    { format: 'esm', folder: '' },
  ),
  bundled(
    entries.filter((name) => CACHED.includes(name)),
    { format: 'cjs', folder: 'cached/' },
  ),
  bundled([RUNNER], { format: 'esm', folder: '' }),
]);

/**
 * @param {readonly string[]} names of modules in `dist/server/`
 * @param {{ format: 'esm' | 'cjs', folder: string }} output
 * @returns {import('rolldown').RolldownOptions}
 */
function bundled(names, { format, folder }) {
  return {
    input: Object.fromEntries(names.map((name) => [name, path.join(compiled, `${name}.js`)])),
    platform: 'node',
    // Only `import.meta.url` is used in bundled code; other properties occur in sources run by tsx alone.
    ...(format === 'cjs' && { transform: { define: { 'import.meta': '{}' } } }),
    external: (id) => isBuiltin(id) || OUTSIDE.test(id),
    plugins: [
      moduleAddresses(format),
      ngramTable(),
      countedWords(),
      withoutBlanks(format),
      ...(format === 'cjs' ? [cachedEntries(names, folder), narrow()] : []),
    ],
    output: {
      dir: path.join(dist, 'bundle'),
      format,
      entryFileNames: `${folder}[name].js`,
      chunkFileNames: `${folder}chunks/[name].js`,
    },
  };
}

/**
 * Emits, under the public name of each entry, a stub that runs the cached entry in the folder.
 *
 * @param {readonly string[]} names
 * @param {string} folder
 * @returns {import('rolldown').Plugin}
 */
function cachedEntries(names, folder) {
  return {
    name: 'cached-entries',
    generateBundle() {
      for (const name of names) {
        const root = '../'.repeat(name.split('/').length - 1) || './';
        const source =
          `import { runEntry } from "${root}${RUNNER}.js";\n` +
          `runEntry(new URL("${root}${folder}", import.meta.url), "${name}");\n`;
        this.emitFile({ type: 'asset', fileName: `${name}.js`, source });
      }
    },
  };
}

/**
 * Makes `import.meta.url` resolve to where the module would be if it were a file of its own, so
 * that modules find the entry points beside them.
 *
 * @param {'esm' | 'cjs'} format
 * @returns {import('rolldown').Plugin}
 */
function moduleAddresses(format) {
  const here =
    format === 'esm' ? 'import.meta.url' : 'require("node:url").pathToFileURL(__filename)';
  return {
    name: 'module-addresses',
    transform(code, id) {
      if (!id.startsWith(compiled + path.sep) || !code.includes('import.meta.url'))
        return undefined;
      const name = path.relative(compiled, id);
      return code.replaceAll('import.meta.url', `__moduleAddress("${name}")`);
    },
    renderChunk(code, { fileName }) {
      if (!code.includes('__moduleAddress')) return undefined;
      return code.replaceAll(ADDRESS, (_, name) => {
        const from = path.relative(path.dirname(fileName), name);
        return `new URL(${JSON.stringify(from)}, ${here}).href`;
      });
    },
  };
}

/**
 * Stores the n-grams of the detector in a binary file: as an object they take 30 times as much
 * memory.
 *
 * @returns {import('rolldown').Plugin}
 */
function ngramTable() {
  const name = 'engines/detection/ngram-table';
  const file = path.join(compiled, `${name}.js`);
  return {
    name: 'ngram-table',
    async load(id) {
      if (!NGRAMS.test(id)) return undefined;
      const { ngramsData } = await import(pathToFileURL(id).href);
      const { encodeNgrams } = await import(pathToFileURL(file).href);
      const { ngrams, ...rest } = ngramsData;
      const source = encodeNgrams(ngrams);
      this.emitFile({ type: 'asset', fileName: 'engines/detection/ngrams.bin', source });
      return (
        `import { readNgrams } from ${JSON.stringify(file)};` +
        `export const ngramsData = { ...${JSON.stringify(rest)}, ngrams: readNgrams() };`
      );
    },
  };
}

/**
 * Counts word frequencies at build time: it takes more than a second and would delay the first
 * detection.
 *
 * @returns {import('rolldown').Plugin}
 */
function countedWords() {
  const name = 'engines/detection/word-frequencies';
  const file = path.join(compiled, `${name}.js`);
  return {
    name: 'counted-words',
    async generateBundle() {
      if (![...this.getModuleIds()].includes(file)) return;
      const module = await import(pathToFileURL(file).href);
      const source = module.encodeFrequencies(module.countFrequencies());
      this.emitFile({ type: 'asset', fileName: `${name}.bin`, source });
    },
  };
}

/**
 * Strips whitespace and comments and escapes non-ASCII characters: V8 parses a file of one-byte
 * characters faster and keeps it in half the memory. Names and line breaks remain, so that stack
 * traces stay useful.
 *
 * @param {'esm' | 'cjs'} format
 * @returns {import('rolldown').Plugin}
 */
function withoutBlanks(format) {
  return {
    name: 'without-blanks',
    // `generateBundle` rather than `renderChunk`: the bundler reprints rendered code in its own style.
    async generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        const lazily = chunk.dynamicImports.find((id) => isBuiltin(id) || isWithFiles(id));
        if (format === 'cjs' && lazily !== undefined)
          throw new Error(`Code from a cache cannot import ${lazily}: ${chunk.fileName}`);
        // Without `format`, esbuild leaves code that is already CommonJS unwrapped.
        const { code } = await transform(chunk.code, {
          ...BRIEFLY,
          ...(format === 'esm' && { format }),
        });
        // esbuild does not escape regular expressions, nor tagged templates that are read as patterns.
        if (BEHIND_BACKSLASH.test(code))
          throw new Error(`A wide letter is escaped: ${chunk.fileName}`);
        chunk.code = code.replaceAll(/[\u0100-\uffff]/g, escaped);
      }
    },
  };
}

/**
 * Writes one byte for each character, as `process/code-cache.ts` reads it.
 *
 * @returns {import('rolldown').Plugin}
 */
function narrow() {
  return {
    name: 'narrow',
    writeBundle({ dir = '' }, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        writeFileSync(path.join(dir, chunk.fileName), chunk.code, 'latin1');
      }
    },
  };
}

/** @param {string} id */
function isWithFiles(id) {
  return WITH_FILES.some((name) => id === name || id.startsWith(`${name}/`));
}

/** @param {string} letter one UTF-16 unit */
function escaped(letter) {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
