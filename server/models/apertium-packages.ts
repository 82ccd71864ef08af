/**
 * Less common Apertium pairs, available as Debian packages. The system's package manager installs them, and
 * the engine finds them by their files.
 */
import { spawn } from 'node:child_process';
import { ServiceError } from '../../shared/errors.ts';
import type { LanguageTag } from '../../shared/language.ts';
import { modelFailure } from './download.ts';

/** A package and the directions it provides. */
interface ApertiumPackage {
  name: string;
  directions: readonly (readonly [source: LanguageTag, target: LanguageTag])[];
  /** Installed size, in MB. */
  sizeMb: number;
}

const both = (one: LanguageTag, other: LanguageTag) =>
  [
    [one, other],
    [other, one],
  ] as const;

/** Packages on offer; `test/models/apertium-packages.test.ts` checks them against the engine's table. */
export const apertiumPackages: readonly ApertiumPackage[] = [
  { name: 'apertium-afr-nld', directions: both('af', 'nl'), sizeMb: 1 },
  { name: 'apertium-dan-nor', directions: [['da', 'nb']], sizeMb: 14 },
  { name: 'apertium-en-gl', directions: both('en', 'gl'), sizeMb: 7 },
  { name: 'apertium-eo-en', directions: both('en', 'eo'), sizeMb: 2 },
  { name: 'apertium-eu-en', directions: [['eu', 'en']], sizeMb: 2 },
  { name: 'apertium-fra-cat', directions: both('fr', 'ca'), sizeMb: 23 },
  {
    name: 'apertium-hbs-eng',
    directions: [
      ['hr', 'en'],
      ['bs', 'en'],
    ],
    sizeMb: 5,
  },
  { name: 'apertium-isl-eng', directions: [['is', 'en']], sizeMb: 2 },
  { name: 'apertium-isl-swe', directions: both('is', 'sv'), sizeMb: 2 },
  { name: 'apertium-mkd-eng', directions: [['mk', 'en']], sizeMb: 2 },
  { name: 'apertium-oci-fra', directions: both('oc', 'fr'), sizeMb: 81 },
  {
    name: 'apertium-por-cat',
    directions: [...both('pt', 'ca'), ['ca', 'pt-BR']],
    sizeMb: 23,
  },
  { name: 'apertium-rus-ukr', directions: both('ru', 'uk'), sizeMb: 5 },
];

/** Prefix of the packages' names. */
export const APERTIUM_PREFIX = 'apertium-';

interface PackageOptions {
  /** Whether this process may install packages; by default, whether it runs as root. */
  isRoot?: boolean;
  /** Aborts before the package manager is at work; a running dpkg is not interrupted. */
  signal?: AbortSignal | undefined;
  onStep?: ((step: 'download') => void) | undefined;
}

/** An installed package. */
export interface InstalledPackage {
  debianPackage: ApertiumPackage;
  /** Whether this call installed it; false if it was there already. */
  isNew: boolean;
}

/** The installed packages by name, with the time of their installation, in ms. */
export type InstalledPackages = ReadonlyMap<string, number>;

/** Returns the installed packages; none if there is no dpkg. */
export async function installedPackages(): Promise<InstalledPackages> {
  const names = apertiumPackages.map(({ name }) => name);
  const format = '-f=${Package} ${db-fsys:Last-Modified} ${db:Status-Status}\n';
  // Fails for names it does not know, and still lists the others.
  const { output } = await run(['dpkg-query', '-W', format, ...names]).catch(() => ({
    output: '',
  }));
  const installed = output.matchAll(/^(\S+) (\d*) installed$/gm);
  return new Map([...installed].map(([, name = '', seconds]) => [name, 1000 * Number(seconds)]));
}

/**
 * Installs a package, as root. Without root, the error says what command to run.
 *
 * @throws ServiceError not_found for a name that is not on the list, model_not_installed with what to do; the
 *   signal's reason
 */
export async function installPackage(
  name: string,
  options: PackageOptions = {},
): Promise<InstalledPackage> {
  const debianPackage = packageOf(name);
  if ((await installedPackages()).has(name)) return { debianPackage, isNew: false };
  const install = ['install', '-y', '--no-install-recommends', 'apertium', name];
  await administer(install, name, options);
  return { debianPackage, isNew: true };
}

/** Removes a package. @throws ServiceError as {@link installPackage} */
export async function removePackage(name: string, options: PackageOptions = {}): Promise<void> {
  packageOf(name);
  if (!(await installedPackages()).has(name)) {
    throw new ServiceError('not_found', `${name} is not installed.`);
  }
  await administer(['remove', '-y', name], name, options);
}

/** Returns the command that installs or removes a package if this process is not root; null if it is. */
export function packageCommand(name: string, isInstalled: boolean): string | null {
  if (isRootHere()) return null;
  const args = isInstalled ? `remove ${name}` : `install --no-install-recommends ${name}`;
  return `sudo apt-get ${args}`;
}

function isRootHere(): boolean {
  return process.getuid?.() === 0;
}

function packageOf(name: string): ApertiumPackage {
  const known = apertiumPackages.find((each) => each.name === name);
  if (known !== undefined) return known;
  const names = apertiumPackages.map((each) => each.name).join(', ');
  throw new ServiceError('not_found', `There is no ${name} here; possible: ${names}.`);
}

const aptOptions = [
  // Without a network, apt would try for minutes.
  ...['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=1'],
  // An unattended upgrade may hold the lock for a moment.
  ...['-o', 'DPkg::Lock::Timeout=60'],
];

async function administer(
  args: readonly string[],
  name: string,
  { isRoot = isRootHere(), signal, onStep }: PackageOptions,
): Promise<void> {
  const command = `apt-get ${args.join(' ')}`;
  if (!isRoot) {
    throw modelFailure(
      `${name} is a Debian package, which only root may install or remove: sudo ${command}`,
    );
  }
  signal?.throwIfAborted();
  onStep?.('download');
  const apt = ['env', 'LC_ALL=C', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...aptOptions];
  try {
    // Another package source may be broken, so a failed update is ignored: only the installation matters.
    if (args[0] === 'install') await run([...apt, 'update']);
    signal?.throwIfAborted();
    const { code, output } = await run([...apt, ...args]);
    if (code === 0) return;
    const because = output.match(/^E: .*$/gm)?.at(-1) ?? `exit code ${code ?? '?'}`;
    throw modelFailure(`apt-get did not succeed (${because}). To try it yourself: ${command}`);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ServiceError) throw error;
    throw modelFailure(
      `This system has no apt-get, with which ${name} is installed. Where Apertium comes from elsewhere, the server finds its pairs in APERTIUM_MODES.`,
      error,
    );
  }
}

/** Limit on captured output; enough to see what went wrong. */
const MAX_OUTPUT_CHARACTERS = 100_000;

/** @throws Error if the program cannot be started */
async function run([program = '', ...args]: readonly string[]): Promise<{
  code: number | null;
  output: string;
}> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT_CHARACTERS);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // The program is `env`, which reports a missing apt-get by this code.
  if (code === 127) throw new Error('no such program');
  return { code, output };
}
