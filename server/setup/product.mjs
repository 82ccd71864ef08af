/**
 * Builds `dist/`: the server as JavaScript (single modules, and the bundle that is run) and the
 * widget as files to embed. The server is compiled in place, because a running process has already
 * loaded its modules; the widget is replaced as a whole, because a running server reads its files
 * on every request.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { CommandFailure, run } from './command.mjs';
import { notesFolder, root } from './paths.mjs';

const distFolder = path.join(root, 'dist');
const stampFile = path.join(notesFolder, 'product.stamp');
const sources = [
  'package-lock.json',
  'package.json',
  'tsconfig.json',
  'server',
  'shared',
  'widget',
];

const bundleFolder = path.join(distFolder, 'bundle');

/** Entry of the server, in `dist/`. */
export const serverEntry = path.join(bundleFolder, 'main.js');
/** The server's code; `process/code-cache.ts` keeps its caches beside it. */
const cachedFolder = path.join(bundleFolder, 'cached');
/** Where `text/words/dictionaries.ts` keeps large dictionaries. */
const tablesFolder = path.join(distFolder, 'tables');
/** Entry of the command-line interface. */
export const commandLineEntry = path.join(bundleFolder, 'cli', 'main.js');
const widgetEntry = path.join(distFolder, 'widget', 'voice-captions.js');

/** Whether `dist/` was built from the current sources. */
export function isBuilt() {
  return (
    [serverEntry, path.join(cachedFolder, 'main.js'), widgetEntry, stampFile].every((file) =>
      existsSync(file),
    ) && readFileSync(stampFile, 'utf8') === fingerprint(root, sources)
  );
}

/** Whether a build exists. */
export function wasBuilt() {
  return existsSync(serverEntry);
}

/** Makes the next start rebuild; must be called before anything else changes `dist/`. */
export function forgetBuild() {
  rmSync(stampFile, { force: true });
}

/**
 * Builds server and widget for production.
 *
 * @param {object} [options]
 * @param {boolean} [options.areTypesChecked] false if types are checked elsewhere
 * @param {() => Promise<void>} [options.whenCompiled] runs in parallel with the rest once
 *   `dist/server` exists
 */
export async function build({ areTypesChecked = true, whenCompiled } = {}) {
  // Taken first, so that changes during the build trigger the next one.
  const stamp = fingerprint(root, sources);
  forgetBuild();
  await allEnded([buildServer(areTypesChecked, whenCompiled), buildWidget()]);
  writeFileSync(stampFile, stamp);
}

/**
 * @param {boolean} areTypesChecked
 * @param {(() => Promise<void>) | undefined} whenCompiled
 */
async function buildServer(areTypesChecked, whenCompiled) {
  // Without its outputs, the compiler's incremental state is wrong.
  if (!existsSync(path.join(distFolder, 'server', 'main.js')))
    rmSync(path.join(distFolder, 'server.tsbuildinfo'), { force: true });
  await run({
    program: process.execPath,
    args: [
      ...[modulePath('typescript/bin/tsc'), '-p', 'server/tsconfig.build.json', '--noEmitOnError'],
      ...(areTypesChecked ? [] : ['--noCheck']),
    ],
    log: 'build-server',
  });
  for (const folder of ['server', 'shared']) removeOrphans(folder);
  // Types of the package `dragoman/client`; its code is part of the build above, which has checked it.
  const clientTypes = run({
    program: process.execPath,
    args: [modulePath('typescript/bin/tsc'), '-p', 'shared/tsconfig.types.json', '--noCheck'],
    log: 'build-client',
  });
  await allEnded([clientTypes, bundleServer(), whenCompiled?.()]);
}

async function bundleServer() {
  // Tables of dictionaries may be of another form now.
  rmSync(tablesFolder, { recursive: true, force: true });
  mkdirSync(tablesFolder);
  await run({
    program: process.execPath,
    args: [modulePath('rolldown/bin/cli.mjs'), '--config', 'server/rolldown.config.mjs'],
    log: 'build-bundle',
  });
  await cacheCode();
}

/** Creates the V8 code cache of the bundle. Without it, starts only take longer. */
async function cacheCode() {
  const caches = path.join(cachedFolder, 'caches');
  rmSync(caches, { recursive: true, force: true });
  try {
    await run({
      program: process.execPath,
      args: [
        path.join(root, 'server', 'rehearsal.mjs'),
        ...[serverEntry, path.join(cachedFolder, 'rehearsal')],
      ],
      log: 'rehearsal',
    });
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    rmSync(caches, { recursive: true, force: true });
    process.stderr.write(
      `The code cache could not be written, so starts take longer: ${error.message}\n`,
    );
  }
}

async function buildWidget() {
  const next = path.join(notesFolder, 'widget-next');
  const previous = path.join(notesFolder, 'widget-previous');
  for (const folder of [next, previous]) rmSync(folder, { recursive: true, force: true });
  await run({
    program: process.execPath,
    args: [...viteBuild, '--logLevel', 'warn', '--outDir', next],
    env: { NODE_ENV: 'production' },
    log: 'build-widget',
  });
  const current = path.join(distFolder, 'widget');
  if (existsSync(current)) renameSync(current, previous);
  renameSync(next, current);
  rmSync(previous, { recursive: true, force: true });
}

/**
 * Waits until all works have ended, even if one fails.
 *
 * @template {unknown[]} Works
 * @param {[...Works]} works
 * @returns {Promise<{ [Key in keyof Works]: Awaited<Works[Key]> }>}
 * @throws the error of the first work that failed
 */
export async function allEnded(works) {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** Returns the path of a file in an installed package. @param {string} file */
export function modulePath(file) {
  return path.join(root, 'node_modules', file);
}

/** Arguments for Node that build the widget. */
export const viteBuild = [
  modulePath('vite/bin/vite.js'),
  'build',
  '--app',
  '--config',
  path.join(root, 'widget', 'vite.config.ts'),
];

/**
 * Removes compiled files whose source is gone.
 *
 * @param {string} folder
 */
function removeOrphans(folder) {
  const compiled = path.join(distFolder, folder);
  for (const entry of readdirSync(compiled, { recursive: true, encoding: 'utf8' })) {
    const source = path.join(root, folder, entry.replace(/\.js(\.map)?$/, '.ts'));
    if (/\.js(\.map)?$/.test(entry) && !existsSync(source)) rmSync(path.join(compiled, entry));
  }
}

/**
 * Returns a hash of the names and contents of files and folders. Contents rather than times:
 * switching branches back and forth, or a copy into an image, requires no rebuild, and reading all
 * files takes only some 20 ms.
 *
 * @param {string} folder
 * @param {string[]} entries paths of files or folders in it; missing ones count as empty
 */
export function fingerprint(folder, entries) {
  const hash = createHash('sha256');
  for (const file of entries.flatMap((entry) => filesOf(folder, entry)).sort()) {
    const content = readFileSync(path.join(folder, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * @param {string} folder
 * @param {string} entry
 * @returns {string[]} paths in the folder
 */
function filesOf(folder, entry) {
  const start = path.join(folder, entry);
  if (!existsSync(start)) return [];
  if (statSync(start).isFile()) return [entry];
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .map((found) => path.relative(folder, path.join(found.parentPath, found.name)));
}
