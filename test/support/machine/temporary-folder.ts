import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a folder that is removed when the running test has finished. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'dragoman-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Creates a folder that is a disk of its own, in memory, and is removed when the running test has finished. Calls
 * `skip` without the right to mount it.
 *
 * @param size as tmpfs reads it: `700k`, `2m`
 */
export function smallDisk(size: string, skip: (reason: string) => void): string {
  const folder = temporaryFolder();
  try {
    mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder);
    onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  } catch {
    skip('needs to be root, with leave to mount a small disk');
  }
  return folder;
}

/** Gives such a disk another size. */
export function resizeDisk(folder: string, size: string): void {
  mount('-o', `remount,size=${size}`, folder);
}

function mount(...options: string[]): void {
  execFileSync('mount', options, { stdio: 'ignore' });
}
