/**
 * The Debian packages of the default engines. Installs missing packages where possible, prints what
 * to install where not, and never prevents a start: engines whose programs are missing stay off.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CommandFailure, findProgram, run } from './command.mjs';
import { notesFolder } from './paths.mjs';

/**
 * @typedef {object} Requirement a set of packages, and how to recognise their programs elsewhere
 * @property {string} name its name outside Debian
 * @property {string[]} [programs] one of these on the PATH satisfies the requirement
 * @property {string[]} packages
 */

/** Packages of the default engines. @type {Requirement[]} */
export const serverRequirements = [
  {
    name: 'Apertium with its pairs eng-spa, eng-cat, spa-cat, fr-es, es-pt, spa-ita',
    programs: ['apertium'],
    packages: [
      'apertium',
      'apertium-eng-spa',
      'apertium-eng-cat',
      'apertium-spa-cat',
      'apertium-fr-es',
      'apertium-es-pt',
      'apertium-spa-ita',
    ],
  },
  { name: 'Flite', programs: ['flite'], packages: ['flite'] },
  { name: 'eSpeak NG', programs: ['espeak-ng'], packages: ['espeak-ng'] },
  { name: 'FFmpeg', programs: ['ffmpeg'], packages: ['ffmpeg'] },
  {
    name: 'Hunspell with its dictionaries',
    programs: ['hunspell'],
    packages: ['hunspell', ...['en-us', 'de-de', 'fr', 'es', 'it', 'pt-pt', 'pt-br'].map(spelling)],
  },
  // For documents: old Word files, text in pictures, and fonts to render it.
  {
    name: 'LibreOffice Writer',
    programs: ['soffice', 'libreoffice'],
    packages: ['libreoffice-writer-nogui'],
  },
  { name: 'bubblewrap', programs: ['bwrap'], packages: ['bubblewrap'] },
  {
    name: 'Tesseract with its languages',
    programs: ['tesseract'],
    packages: [
      'tesseract-ocr',
      'tesseract-ocr-osd',
      ...['eng', 'spa', 'fra', 'deu', 'ita', 'por', 'cat', 'nld', 'pol', 'rus', 'ukr'].map(ocr),
      ...['ara', 'jpn', 'kor', 'chi-sim', 'chi-tra'].map(ocr),
    ],
  },
  {
    name: 'the Liberation and Noto fonts',
    packages: ['fontconfig', 'fonts-liberation2', 'fonts-noto-core', 'fonts-noto-cjk'],
  },
];

/** @param {string} language */
function spelling(language) {
  return `hunspell-${language}`;
}

/** @param {string} language */
function ocr(language) {
  return `tesseract-ocr-${language}`;
}

/** Additional packages of a cluster on one machine. @type {Requirement[]} */
export const clusterRequirements = [
  { name: 'PostgreSQL', programs: ['postgres'], packages: ['postgresql'] },
  { name: 'Redis', programs: ['redis-server'], packages: ['redis-server'] },
  { name: 'HAProxy', programs: ['haproxy'], packages: ['haproxy'] },
];

/** Additional packages of the tests. @type {Requirement[]} */
export const testRequirements = [
  {
    name: 'Chromium',
    programs: ['chromium-headless-shell', 'chromium', 'chromium-browser'],
    packages: ['chromium-headless-shell'],
  },
  { name: 'Firefox', programs: ['firefox-esr'], packages: ['firefox-esr'] },
  {
    name: 'WebKit with its driver, and a display for it',
    programs: ['WebKitWebDriver'],
    packages: ['webkit2gtk-driver', 'xvfb'],
  },
  // Audio does not work in Firefox without a sound device.
  { name: 'PulseAudio', programs: ['pulseaudio'], packages: ['pulseaudio'] },
  { name: 'SoX', programs: ['sox'], packages: ['sox'] },
  ...clusterRequirements,
  // Simulates networks in which cables are pulled out.
  { name: 'iproute2', programs: ['ip'], packages: ['iproute2'] },
  {
    name: 'LibreOffice Calc and Impress',
    packages: ['libreoffice-calc-nogui', 'libreoffice-impress-nogui'],
  },
  { name: 'Poppler', programs: ['pdftoppm'], packages: ['poppler-utils'] },
  { name: 'xmllint', programs: ['xmllint'], packages: ['libxml2-utils'] },
  { name: 'qpdf', programs: ['qpdf'], packages: ['qpdf'] },
  // Emulates older processors.
  { name: 'QEMU', programs: ['qemu-x86_64'], packages: ['qemu-user'] },
  // A fixed font family, so that text has the same width on every machine.
  { name: 'the DejaVu fonts', packages: ['fonts-dejavu-core'] },
];

/**
 * @typedef {object} Host the machine, as seen by package management
 * @property {string} searchPath its PATH
 * @property {boolean} isRoot whether packages may be installed
 * @property {string} statusFile dpkg's list of installed packages
 * @property {string} noteFile record of the last check
 */

const aptOptions = [
  // Without a network, apt would try for minutes.
  ...['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=1'],
  // An unattended upgrade may hold the lock for a while, especially on a fresh machine.
  ...['-o', 'DPkg::Lock::Timeout=60'],
];

/** @type {Host} */
export const thisHost = {
  searchPath: process.env.PATH ?? '',
  isRoot: process.getuid?.() === 0,
  statusFile: '/var/lib/dpkg/status',
  noteFile: path.join(notesFolder, 'debian-packages.json'),
};

/**
 * Returns the missing requirements. Costs one stat if no package has changed since the last check,
 * else one call of dpkg-query.
 *
 * @param {Requirement[]} requirements
 * @param {Host} [host]
 * @returns {{ packages: string[] } | { programs: string[] }} Debian packages, or names of programs
 *   where there is no dpkg
 */
export function findMissing(requirements, host = thisHost) {
  if (findProgram('dpkg-query', host.searchPath) === undefined) {
    const absent = requirements.filter(
      ({ programs }) =>
        programs?.every((program) => findProgram(program, host.searchPath) === undefined) ?? false,
    );
    return { programs: absent.map(({ name }) => name) };
  }
  const settled = new Set(settledPackages(host));
  const unsettled = requirements.flatMap(({ packages }) => packages).filter((p) => !settled.has(p));
  if (unsettled.length === 0) return { packages: [] };
  const installed = new Set(queryInstalled(unsettled, host));
  note([...settled, ...installed], host);
  return { packages: unsettled.filter((name) => !installed.has(name)) };
}

/**
 * Whether anything is missing.
 *
 * @param {ReturnType<typeof findMissing>} missing
 */
export function isAnyMissing(missing) {
  return ('packages' in missing ? missing.packages : missing.programs).length > 0;
}

/**
 * Whether {@link install} can install something of what is missing.
 *
 * @param {ReturnType<typeof findMissing>} missing
 * @param {Host} [host]
 */
export function canInstall(missing, host = thisHost) {
  return (
    'packages' in missing &&
    missing.packages.length > 0 &&
    host.isRoot &&
    findProgram('apt-get', host.searchPath) !== undefined
  );
}

/**
 * Installs those packages that the system's archive has, with apt-get.
 *
 * @param {string[]} packages
 * @param {Host} [host]
 * @returns {Promise<string>} a message for the user; empty when everything was installed
 */
export async function install(packages, host = thisHost) {
  const env = { PATH: host.searchPath, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  // An interrupted earlier installation would make every later one fail.
  await run({ program: 'dpkg', args: ['--configure', '-a'], log: 'dpkg', env }).catch(() => {});
  // Another source of the machine may be broken; all that matters is whether the packages install.
  const update = [...aptOptions, 'update'];
  await run({ program: 'apt-get', args: update, log: 'apt-get-update', env }).catch(() => {});
  const inArchive = archivePackages(packages, host);
  const known = packages.filter((name) => inArchive.has(name));
  const unknown = packages.filter((name) => !inArchive.has(name));
  try {
    const args = [...aptOptions, 'install', '-y', '--no-install-recommends', ...known];
    await run({ program: 'apt-get', args, log: 'apt-get-install', env });
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return `${error.output}\napt-get did not succeed. ${advice({ packages }, host)}`;
  }
  note([...settledPackages(host), ...queryInstalled(known, host), ...unknown], host);
  return unknown.length === 0
    ? ''
    : `The package archive of this system does not have ${unknown.join(', ')}: engines that need them stay off.`;
}

/**
 * Returns advice on what is missing, for people.
 *
 * @param {ReturnType<typeof findMissing>} missing
 * @param {Host} [host]
 */
export function advice(missing, host = thisHost) {
  if ('programs' in missing) {
    return `Not found: ${missing.programs.join('; ')}. Features that need them stay off until they are installed.`;
  }
  const sudo = host.isRoot ? '' : 'sudo ';
  return [
    'Some Debian packages are missing; features that need them stay off. To install them:',
    `  ${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends ${missing.packages.join(' ')}`,
  ].join('\n');
}

/**
 * @param {string[]} packages
 * @param {Host} host
 * @returns {string[]}
 */
function queryInstalled(packages, host) {
  // Fails if it does not know a name, but still lists the others.
  return output('dpkg-query', ['-W', '-f=${Package} ${db:Status-Status}\n', ...packages], host)
    .split('\n')
    .flatMap((line) => (line.endsWith(' installed') ? [line.replace(' installed', '')] : []));
}

/**
 * Returns those of the given packages that can be installed here.
 *
 * @param {string[]} packages
 * @param {Host} host
 */
function archivePackages(packages, host) {
  const policy = output('apt-cache', ['policy', ...packages], host);
  // Output: for each package its name and a colon, then an indented line with the candidate version.
  const entries = policy.matchAll(/^(\S+):\n.*\n {2}Candidate: (?!\(none\))/gm);
  return new Set([...entries].map(([, name]) => name));
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {Host} host
 */
function output(program, args, host) {
  const env = { ...process.env, PATH: host.searchPath, LC_ALL: 'C' };
  return spawnSync(program, args, { encoding: 'utf8', env }).stdout;
}

/**
 * Returns packages that need no further check: installed, or not in the archive.
 *
 * @param {Host} host
 * @returns {string[]}
 */
function settledPackages(host) {
  try {
    const { statusMtimeMs, settled } = JSON.parse(readFileSync(host.noteFile, 'utf8'));
    return statusMtimeMs === statSync(host.statusFile).mtimeMs ? settled : [];
  } catch {
    return []; // No record yet, or an unreadable one: check again.
  }
}

/**
 * @param {string[]} settled
 * @param {Host} host
 */
function note(settled, host) {
  const unique = [...new Set(settled)];
  try {
    const { mtimeMs: statusMtimeMs } = statSync(host.statusFile);
    mkdirSync(path.dirname(host.noteFile), { recursive: true });
    writeFileSync(host.noteFile, JSON.stringify({ statusMtimeMs, settled: unique }, null, 2));
  } catch {
    // The record only saves time; the user who runs the server may not be allowed to write here.
  }
}
