/**
 * Containment of programs that read untrusted input, by bubblewrap: no network, no files but the
 * machine's programs, libraries and fonts and those granted explicitly, no other processes, no
 * privileges, and another user when the server runs as root. Where the machine does not allow this,
 * programs run uncontained and the caller learns why.
 */
import { execFile, type ChildProcess } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { killDescendants, killTree } from './supervision.ts';

/** A program, by name or path, and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** Resources granted to a contained program, besides the machine's programs, libraries and fonts. */
export interface Belongings {
  /** Absolute paths of readable files and folders; missing ones are skipped. */
  readable?: readonly string[];
  /** Capacity of `/tmp`, an in-memory folder that vanishes with the program, in bytes. */
  memoryFilesBytes?: number;
}

/** A way to start and kill programs, contained or not. */
export interface Containment {
  /** Returns the command that runs a command contained; the same command where there is no containment. */
  readonly wrap: (command: Command) => Command;
  /**
   * Kills a program that was started through `wrap` as a group leader (`detached`), at once; does
   * nothing if it has ended.
   */
  readonly kill: (child: ChildProcess) => void;
  /** Reason for missing containment and its remedy, for people; undefined when contained. */
  readonly lack: string | undefined;
  /** Standard output of the trial; undefined where there was none. */
  readonly trialOutput?: string;
}

/** Number of processes of a contained program that starts none itself: the program and bubblewrap's own. */
export const CONTAINED_PROCESSES = 3;

/** Folders of Debian's programs and of those built by an administrator. */
export const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';
/**
 * Environment of a program that takes its memory in huge pages, where the system has them: LibreOffice then starts in a
 * quarter of the time, the programs of Apertium in half of it.
 */
export const HUGE_PAGES = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' };

/**
 * Longest time a program takes to say what it is, in ms. A busy machine needs ten seconds, and who gave up by then
 * would do without it until the next start.
 */
export const TRIAL_LIMIT_MS = 60_000;

/** The system's user that owns no files. */
const NOBODY = 65_534;
const DEFAULT_MEMORY_FILES_BYTES = 16 * 1024 * 1024;
/** Longest time bubblewrap takes to exit after the contained program, in ms. */
const CLEARING_MS = 1_000;
/**
 * Runs a command only if each of the given files is missing or readable: many programs silently
 * skip unreadable files.
 */
const IF_READABLE =
  'for n in $(seq "$1"); do shift; test ! -e "$1" || test -r "$1" || exit 1; done; shift; exec "$@"';

/** Not all of `/usr`: products are often installed in `/usr/src` together with their data. */
const systemFolders = [
  ...['/usr/bin', '/usr/sbin', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libexec'],
  ...['/usr/share', '/usr/local/bin', '/usr/local/lib', '/usr/local/share'],
  ...['/bin', '/sbin', '/lib', '/lib32', '/lib64'],
];
/** Configuration of libraries, fonts, LibreOffice and memory; none of it contains personal data. */
const systemSettings = [
  ...['/etc/ld.so.cache', '/etc/alternatives', '/etc/fonts', '/etc/libreoffice'],
  ...['/var/lib/libreoffice', '/var/cache/fontconfig', '/sys/kernel/mm/transparent_hugepage'],
];

/** A way to contain: options of bubblewrap, and the launcher it starts in place of the program. */
interface Way {
  options: readonly string[];
  launcher: readonly string[];
}

const dropAll = ['--unshare-user', '--cap-drop', 'ALL'];
const asOneself: Way = { options: [...dropAll, '--proc', '/proc'], launcher: [] };
/**
 * For root that cannot switch to another user, or whose files others cannot read: still root to the
 * kernel, but without privileges. Root's entries in `/proc` would be writable, so `/proc` is
 * mounted read-only.
 */
const asRootInName: Way = {
  options: [
    ...[...dropAll, '--uid', `${NOBODY}`, '--gid', `${NOBODY}`],
    ...['--proc', '/proc', '--remount-ro', '/proc'],
  ],
  launcher: [],
};
/** Switches from root to another user once the sandbox is set up. */
const asNobody: Way = {
  options: [
    ...['--cap-drop', 'ALL', ...['SETUID', 'SETGID', 'SETPCAP'].flatMap(addCapability)],
    ...['--proc', '/proc'],
  ],
  launcher: [
    ...['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'],
    ...['--inh-caps=-all', '--bounding-set=-all', '--'],
  ],
};

function addCapability(name: string): string[] {
  return ['--cap-add', `CAP_${name}`];
}

const none = (lack: string | undefined): Containment => ({
  wrap: (command) => command,
  kill(child) {
    if (isRunning(child)) killTree(child.pid);
  },
  lack,
});

/** A notice that programs are not contained, and the remedy; undefined where they are. */
export function uncontainedNotice(programs: string, { lack }: Containment): string | undefined {
  return lack === undefined
    ? undefined
    : `${programs}: files of clients are read with all permissions of the server. ${lack}`;
}

/** Whether this process itself runs contained, and with it everything it starts. */
let isContained = false;

/**
 * Returns the first containment in which a program works.
 *
 * @param trial a command of the program that succeeds if it finds everything it needs
 */
export async function findContainment(
  trial: Command,
  belongings: Belongings = {},
): Promise<Containment> {
  if (isContained) return none(undefined);
  const bubblewrap = pathOf('bwrap');
  if (bubblewrap === undefined) {
    return none('Install the Debian package bubblewrap.');
  }
  const ways = process.getuid?.() === 0 ? [asNobody, asRootInName] : [asOneself];
  for (const way of ways) {
    const containment = contained(bubblewrap, way, belongings);
    const tried = containment.wrap(ifReadable(belongings.readable ?? [], trial));
    const trialOutput = await outputOf(tried);
    if (trialOutput !== undefined) return { ...containment, trialOutput };
  }
  const allowsNothing = !(await anySucceeds(bubblewrap, ways));
  return none(
    allowsNothing
      ? 'Let the server make namespaces: bubblewrap needs them, and the machine or its container forbids it.'
      : `Bubblewrap cannot start ${path.basename(trial[0])} with the files that ` +
          'it needs: check where it is installed and its permissions.',
  );
}

function ifReadable(files: readonly string[], command: Command): Command {
  return ['/bin/sh', '-c', IF_READABLE, 'sh', `${files.length}`, ...files, ...command];
}

async function anySucceeds(bubblewrap: string, ways: readonly Way[]): Promise<boolean> {
  for (const way of ways) {
    const trial = contained(bubblewrap, way, {}).wrap(['/bin/true']);
    if ((await outputOf(trial)) !== undefined) return true;
  }
  return false;
}

/** Returns the standard output of a program; undefined if it fails. */
async function outputOf([program, ...args]: Command): Promise<string | undefined> {
  const options = { env: { PATH: SYSTEM_PATH }, timeout: TRIAL_LIMIT_MS, maxBuffer: 1 << 20 };
  return promisify(execFile)(program, args, options).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
}

function contained(bubblewrap: string, way: Way, belongings: Belongings): Containment {
  const { memoryFilesBytes = DEFAULT_MEMORY_FILES_BYTES, readable = [] } = belongings;
  const options = [
    ...['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
    // The contained program dies with bubblewrap, and bubblewrap with its parent.
    ...['--die-with-parent', '--new-session', ...way.options],
    ...['--dev', '/dev'],
    ...['--perms', '1777', '--size', `${memoryFilesBytes}`, '--tmpfs', '/tmp'],
    ...openFolders([...systemFolders, ...systemSettings, ...readable]),
    ...systemFolders.flatMap(systemFolder),
    ...[...systemSettings, ...readable].flatMap((file) => ['--ro-bind-try', file, file]),
    // Granted folders may themselves be in memory (`/dev/shm`), so `/dev` is read-only, too.
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/tmp', '--'],
  ];
  return {
    lack: undefined,
    wrap: ([program, ...args]) => [bubblewrap, ...options, ...way.launcher, program, ...args],
    kill: killContained,
  };
}

/**
 * Kills the contained processes, so that bubblewrap exits by itself and reaps them: where Node is
 * the first process of a container, no other process does. Before bubblewrap contains anything it
 * has no descendants, and is killed directly.
 */
function killContained(child: ChildProcess): void {
  if (!isRunning(child)) return;
  if (!killDescendants(child.pid)) killTree(child.pid);
  const last = setTimeout(() => {
    if (isRunning(child)) killTree(child.pid);
  }, CLEARING_MS);
  child.once('exit', () => clearTimeout(last));
}

/** Checked before every kill: the id of an ended process may have been reused. */
function isRunning(child: ChildProcess): child is ChildProcess & { pid: number } {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/** On some systems `/bin` is a link to `/usr/bin`, on others a folder of its own. */
function systemFolder(folder: string): string[] {
  if (!existsSync(folder)) return [];
  if (lstatSync(folder).isSymbolicLink()) return ['--symlink', readlinkSync(folder), folder];
  return ['--ro-bind', folder, folder];
}

/**
 * Creates the parent folders of files world-readable: bubblewrap would make them accessible to
 * their owner only.
 */
function openFolders(files: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (const folder of foldersAbove(file).reverse()) folders.add(folder);
  }
  return [...folders].flatMap((folder) => ['--perms', '0755', '--dir', folder]);
}

/** Lists the folders above a file, nearest first, without the root. */
export function foldersAbove(file: string): string[] {
  const folder = path.dirname(file);
  return folder === path.dirname(folder) ? [] : [folder, ...foldersAbove(folder)];
}

/** Returns the path of a system program. */
function pathOf(program: string): string | undefined {
  return SYSTEM_PATH.split(':')
    .map((folder) => path.join(folder, program))
    .find((file) => existsSync(file));
}

// Child processes that must not outlive their parent, however busy they are.

/** What an uncontained process needs to end itself; a contained one ends with its container. */
export interface Uncontained {
  parentPid: number;
  /** Folder of temporary files; removed when the process ends. */
  folder?: string;
}

/** Runs in a thread of its own, so that it works even while the main thread hangs. */
const WATCH = `
  const { rmSync } = require('node:fs');
  const { parentPid, folder } = require('node:worker_threads').workerData;
  setInterval(() => {
    if (process.ppid === parentPid) return;
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    process.kill(-process.pid, 'SIGKILL');
  }, 500);
`;

/**
 * Ends the process, and its group when uncontained, once the channel to the parent closes or the
 * parent is gone. The process must lead its group (`detached`).
 *
 * @param uncontained undefined when contained
 * @returns a function that ends the process, for pipes, whose end is no event of the process
 */
export function endWithParent(uncontained: Uncontained | undefined): () => void {
  const end = uncontained === undefined ? endContained : () => endUncontained(uncontained);
  isContained ||= uncontained === undefined;
  if (uncontained !== undefined) new Worker(WATCH, { eval: true, workerData: uncontained }).unref();
  process.on('disconnect', end);
  return end;
}

function endContained(): void {
  process.kill(process.pid, 'SIGKILL');
}

function endUncontained({ folder }: Uncontained): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  process.kill(-process.pid, 'SIGKILL');
}
