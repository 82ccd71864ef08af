/**
 * The Debian packages: what the default engines run on. Installs what is missing where that is
 * possible, says what to install where it is not, and never stands in the way: engines whose
 * programs are missing stay off and the rest works.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CommandFailure, findProgram, run } from './command.mjs';
import { notesFolder } from './paths.mjs';

/**
 * @typedef {object} Requirement a set of packages and how to recognise their program elsewhere
 * @property {string} name what it is called outside Debian
 * @property {string[]} [programs] any of these on the PATH shows that it is there
 * @property {string[]} packages
 */

/** What the default engines need. @type {Requirement[]} */
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
  // What documents take: old Word files, text in pictures, letters to draw it with.
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

/** What a cluster on one machine needs besides. @type {Requirement[]} */
export const clusterRequirements = [
  { name: 'PostgreSQL', programs: ['postgres'], packages: ['postgresql'] },
  { name: 'Redis', programs: ['redis-server'], packages: ['redis-server'] },
  { name: 'HAProxy', programs: ['haproxy'], packages: ['haproxy'] },
];

/** What the tests need besides. @type {Requirement[]} */
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
  // Firefox hears nothing where there is no sound device.
  { name: 'PulseAudio', programs: ['pulseaudio'], packages: ['pulseaudio'] },
  { name: 'SoX', programs: ['sox'], packages: ['sox'] },
  ...clusterRequirements,
  // Networks in which cables are pulled out.
  { name: 'iproute2', programs: ['ip'], packages: ['iproute2'] },
  {
    name: 'LibreOffice Calc and Impress',
    packages: ['libreoffice-calc-nogui', 'libreoffice-impress-nogui'],
  },
  { name: 'Poppler', programs: ['pdftoppm'], packages: ['poppler-utils'] },
  { name: 'xmllint', programs: ['xmllint'], packages: ['libxml2-utils'] },
  { name: 'qpdf', programs: ['qpdf'], packages: ['qpdf'] },
  // Older processors than those of today's machines.
  { name: 'QEMU', programs: ['qemu-x86_64'], packages: ['qemu-user'] },
  // One known family, so that text has the same width on every machine.
  { name: 'the DejaVu fonts', packages: ['fonts-dejavu-core'] },
];

/**
 * @typedef {object} Host the machine, as far as packages are concerned
 * @property {string} searchPath its PATH
 * @property {boolean} isRoot whether packages may be installed
 * @property {string} statusFile where dpkg keeps what is installed
 * @property {string} noteFile where the last check is noted
 */

const aptOptions = [
  // Without a network apt would try for minutes.
  ...['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=1'],
  // An unattended upgrade may hold the lock for a moment, above all on a fresh machine.
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
 * What is missing. Costs a stat when nothing was installed or removed since the last check, else one
 * call of dpkg-query.
 *
 * @param {Requirement[]} requirements
 * @param {Host} [host]
 * @returns {{ packages: string[] } | { programs: string[] }} Debian packages, or where there is no
 *   dpkg the names of the programs
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
 * Whether {@link install} can do something about what is missing.
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
 * Installs packages with apt-get, those the system's archive has.
 *
 * @param {string[]} packages
 * @param {Host} [host]
 * @returns {Promise<string>} what to tell: empty when everything was installed
 */
export async function install(packages, host = thisHost) {
  const env = { PATH: host.searchPath, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  // An installation that was cut short, as by Ctrl+C, would make every later one fail.
  await run({ program: 'dpkg', args: ['--configure', '-a'], log: 'dpkg', env }).catch(() => {});
  // Another source of the machine may be out of order: what counts is whether the packages install.
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
    : `This system's archive does not have ${unknown.join(', ')}: engines that need them stay off.`;
}

/**
 * What a person can do about what is missing.
 *
 * @param {ReturnType<typeof findMissing>} missing
 * @param {Host} [host]
 */
export function advice(missing, host = thisHost) {
  if ('programs' in missing) {
    return `Not found: ${missing.programs.join('; ')}. What needs them stays off until they are installed.`;
  }
  const sudo = host.isRoot ? '' : 'sudo ';
  return [
    'Some Debian packages are missing; what needs them stays off. To install them:',
    `  ${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends ${missing.packages.join(' ')}`,
  ].join('\n');
}

/**
 * @param {string[]} packages
 * @param {Host} host
 * @returns {string[]}
 */
function queryInstalled(packages, host) {
  // Fails for names it does not know and still lists the others.
  return output('dpkg-query', ['-W', '-f=${Package} ${db:Status-Status}\n', ...packages], host)
    .split('\n')
    .flatMap((line) => (line.endsWith(' installed') ? [line.replace(' installed', '')] : []));
}

/**
 * Those of some packages that can be installed here.
 *
 * @param {string[]} packages
 * @param {Host} host
 */
function archivePackages(packages, host) {
  const policy = output('apt-cache', ['policy', ...packages], host);
  // Per package its name and a colon, then an indented line with the version that would be installed.
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
 * Packages that need no further look: installed, or not to be had here.
 *
 * @param {Host} host
 * @returns {string[]}
 */
function settledPackages(host) {
  try {
    const { statusMtimeMs, settled } = JSON.parse(readFileSync(host.noteFile, 'utf8'));
    return statusMtimeMs === statSync(host.statusFile).mtimeMs ? settled : [];
  } catch {
    return []; // No note yet, or not ours: look.
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
    // A note only saves time; whoever runs the server may not write here.
  }
}
