/**
 * Programs that read what strangers sent are kept from everything else by bubblewrap: no network, no
 * file but programs, libraries and fonts of the machine and what they are given, no other process, no
 * privilege, another user where the server is root. Where the machine does not allow that, they run as
 * they are, and whoever starts them is told why.
 */
import { execFile, type ChildProcess } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { killDescendants, killTree } from './supervision.ts';

/** A program, by name or path, and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** What a contained program has, besides programs, libraries and fonts of the machine. */
export interface Belongings {
  /** Absolute paths of files and folders that it may read; those that do not exist are left out. */
  readable?: readonly string[];
  /** What it may keep in `/tmp`, a folder in memory that is gone when it ends. */
  memoryFilesBytes?: number;
}

/** How a program is started. */
export interface Containment {
  /** The command that starts a command contained, or that command where there is no containment. */
  readonly wrap: (command: Command) => Command;
  /** Ends what was started so, as the leader of a group (`detached`), at once; nothing if it has ended. */
  readonly kill: (child: ChildProcess) => void;
  /** For people: why there is none, and what to do; undefined where there is. */
  readonly lack: string | undefined;
  /** What the trial wrote to its standard output; nothing where it was not tried. */
  readonly trialOutput?: string;
}

/** A program that is contained, and what contains it: so many processes, if it starts none. */
export const CONTAINED_PROCESSES = 3;

/** Where Debian's programs are, and those an administrator built. */
export const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

/** The system's user for what shall own nothing. */
const NOBODY = 65_534;
const DEFAULT_MEMORY_FILES_BYTES = 16 * 1024 * 1024;
const TRIAL_LIMIT_MS = 10_000;
/** What bubblewrap takes at most to end after what it contains. */
const CLEARING_MS = 1_000;
/**
 * Runs a command if what there is of so many files before it can be read: many programs pass over what
 * they may not.
 */
const IF_READABLE =
  'for n in $(seq "$1"); do shift; test ! -e "$1" || test -r "$1" || exit 1; done; shift; exec "$@"';

/** Not all of `/usr`: products are often installed in `/usr/src`, with their data. */
const systemFolders = [
  ...['/usr/bin', '/usr/sbin', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libexec'],
  ...['/usr/share', '/usr/local/bin', '/usr/local/lib', '/usr/local/share'],
  ...['/bin', '/sbin', '/lib', '/lib32', '/lib64'],
];
/** What libraries, fonts and LibreOffice are set up by; nothing that tells of people. */
const systemSettings = [
  ...['/etc/ld.so.cache', '/etc/alternatives', '/etc/fonts', '/etc/libreoffice'],
  ...['/var/lib/libreoffice', '/var/cache/fontconfig'],
];

/** A way to contain: options of bubblewrap, and what it starts in place of the program. */
interface Way {
  options: readonly string[];
  launcher: readonly string[];
}

const dropAll = ['--unshare-user', '--cap-drop', 'ALL'];
const asOneself: Way = { options: [...dropAll, '--proc', '/proc'], launcher: [] };
/**
 * For root that may not become another user, or whose files others may not read: to the kernel still
 * root, without its privileges. What belongs to root in `/proc` it could write, so nothing of that can be.
 */
const asRootInName: Way = {
  options: [
    ...[...dropAll, '--uid', `${NOBODY}`, '--gid', `${NOBODY}`],
    ...['--proc', '/proc', '--remount-ro', '/proc'],
  ],
  launcher: [],
};
/** Root hands over to another user, once everything is in place. */
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

/** For people: that programs are not contained, and what to do; undefined where they are. */
export function uncontainedNotice(programs: string, { lack }: Containment): string | undefined {
  return lack === undefined
    ? undefined
    : `${programs}: what strangers send is read with all rights of the server. ${lack}`;
}

/** Whether this process was started contained: so is everything that it starts. */
let isContained = false;

/**
 * Finds the first way in which a program works when it is contained.
 *
 * @param trial a command of the program that succeeds where it finds what it needs to run
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
      : `Bubblewrap cannot start ${path.basename(trial[0])} with what it needs: see where it is installed, and who may read it.`,
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

/** What a program writes; undefined when it does not succeed. */
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
    // What is contained ends with bubblewrap, and bubblewrap with whoever started it.
    ...['--die-with-parent', '--new-session', ...way.options],
    ...['--dev', '/dev'],
    ...['--perms', '1777', '--size', `${memoryFilesBytes}`, '--tmpfs', '/tmp'],
    ...openFolders([...systemFolders, ...systemSettings, ...readable]),
    ...systemFolders.flatMap(systemFolder),
    ...[...systemSettings, ...readable].flatMap((file) => ['--ro-bind-try', file, file]),
    // What is readable may be in memory, too (`/dev/shm`).
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/tmp', '--'],
  ];
  return {
    lack: undefined,
    wrap: ([program, ...args]) => [bubblewrap, ...options, ...way.launcher, program, ...args],
    kill: killContained,
  };
}

/**
 * Bubblewrap ends when what it contains does, and clears that up: where Node is the first process of a
 * container, nobody else does. Before it contains anything it has no process that would outlive it.
 */
function killContained(child: ChildProcess): void {
  if (!isRunning(child)) return;
  if (!killDescendants(child.pid)) killTree(child.pid);
  const last = setTimeout(() => {
    if (isRunning(child)) killTree(child.pid);
  }, CLEARING_MS);
  child.once('exit', () => clearTimeout(last));
}

/** The id of a process that has ended may be another's by now. */
function isRunning(child: ChildProcess): child is ChildProcess & { pid: number } {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/** Systems have `/bin` as a link to `/usr/bin`, or as a folder of its own. */
function systemFolder(folder: string): string[] {
  if (!existsSync(folder)) return [];
  if (lstatSync(folder).isSymbolicLink()) return ['--symlink', readlinkSync(folder), folder];
  return ['--ro-bind', folder, folder];
}

/** Folders above files: bubblewrap would make them for their owner alone. */
function openFolders(files: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (const folder of foldersAbove(file).reverse()) folders.add(folder);
  }
  return [...folders].flatMap((folder) => ['--perms', '0755', '--dir', folder]);
}

/** The nearest first, without the root. */
export function foldersAbove(file: string): string[] {
  const folder = path.dirname(file);
  return folder === path.dirname(folder) ? [] : [folder, ...foldersAbove(folder)];
}

/** Where a program of the system is. */
function pathOf(program: string): string | undefined {
  return SYSTEM_PATH.split(':')
    .map((folder) => path.join(folder, program))
    .find((file) => existsSync(file));
}

// Child processes that must not outlive their parent, whatever keeps them busy.

/** What a process that is not contained has to know to end; a contained one ends with its container. */
export interface Uncontained {
  parentPid: number;
  /** For temporary files; removed when the process ends. */
  folder?: string;
}

/** Its thread has nothing else to do, even while the main one hangs. */
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
 * Ends the process, with its group when it is not contained, once the channel to its parent is closed or
 * the parent is gone. It has to be the leader of its group (`detached`).
 *
 * @param uncontained undefined when it is contained
 * @returns what ends it: for pipes, whose end is no event of the process
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
