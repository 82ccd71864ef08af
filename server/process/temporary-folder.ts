/** Folders for files of programs, in the system's temporary folder, which outlive no process for long. */
import { mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PREFIXES = { document: 'dragoman-document-', speech: 'dragoman-speech-' };
/** How often folders that are in use are marked as such, in ms. */
const MARK_PERIOD_MS = 1_000;
/** How often those of others are looked at, in ms. */
const SWEEP_PERIOD_MS = 60_000;

const inUse = new Set<string>();
let isKept = false;

/**
 * Makes a folder of one's own, and sees to those that processes before this one have left.
 *
 * @throws the system's error when there is no room, for one
 */
export async function createTemporaryFolder(purpose: keyof typeof PREFIXES): Promise<string> {
  keep();
  const folder = await mkdtemp(path.join(tmpdir(), PREFIXES[purpose]));
  inUse.add(folder);
  return folder;
}

/** Removes a folder with what is in it. */
export async function removeTemporaryFolder(folder: string): Promise<void> {
  inUse.delete(folder);
  await rm(folder, { recursive: true, force: true });
}

/** From the first folder to the end of the process. */
function keep(): void {
  if (isKept) return;
  isKept = true;
  const sweep = temporaryFolderSweep();
  void sweep();
  setInterval(() => void sweep(), SWEEP_PERIOD_MS).unref();
  setInterval(() => {
    const now = new Date();
    // It may be on its way out.
    for (const folder of inUse) utimes(folder, now, now).catch(() => undefined);
  }, MARK_PERIOD_MS).unref();
}

/**
 * Makes a sweep, to be called from time to time: it removes the folders of processes that were killed,
 * which nobody has marked since it was called before. Clocks of other machines do not matter, nor do ids
 * of processes, which are others in each container.
 */
export function temporaryFolderSweep(): () => Promise<void> {
  let marks = new Map<string, number>();
  return async () => {
    const found = new Map<string, number>();
    // Without a temporary folder there is nothing in it.
    for (const name of await readdir(tmpdir()).catch(() => [])) {
      if (!Object.values(PREFIXES).some((prefix) => name.startsWith(prefix))) continue;
      const folder = path.join(tmpdir(), name);
      try {
        const { mtimeMs } = await stat(folder);
        found.set(folder, mtimeMs);
        if (marks.get(folder) === mtimeMs) await rm(folder, { recursive: true, force: true });
      } catch {
        // It is somebody else's, or has gone meanwhile.
      }
    }
    marks = found;
  };
}
