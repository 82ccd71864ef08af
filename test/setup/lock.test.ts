import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { withLock } from '../../server/setup/lock.mjs';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

const lockModule = new URL('../../server/setup/lock.mjs', import.meta.url).href;

/** A process that takes the lock and then does some work. */
function startOwner(lockFolder: string, work: string) {
  const script = `
    import { appendFileSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { withLock } from ${JSON.stringify(lockModule)};
    await withLock(${JSON.stringify(lockFolder)}, {
      whileWaiting: (_pid, wait) => wait(),
      work: async () => { ${work} },
    });`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

async function takeLock(lockFolder: string): Promise<{ waitedFor: number[] }> {
  const waitedFor: number[] = [];
  await withLock(lockFolder, {
    whileWaiting: async (pid, wait) => {
      waitedFor.push(pid);
      await wait();
    },
    work: async () => undefined,
  });
  return { waitedFor };
}

async function lockToAppear(lockFolder: string): Promise<void> {
  await vi.waitFor(() => expect(existsSync(lockFolder)).toBe(true), { timeout: 20_000 });
}

it('lets one process in at a time', async () => {
  const folder = temporaryFolder();
  const journal = path.join(folder, 'journal');
  const note = (word: string) => `appendFileSync(${JSON.stringify(journal)}, '${word}\\n');`;
  const owners = Array.from({ length: 4 }, () =>
    startOwner(path.join(folder, 'lock'), `${note('in')} await sleep(50); ${note('out')}`),
  );
  await Promise.all(owners.map((owner) => once(owner, 'exit')));
  expect(readFileSync(journal, 'utf8')).toBe('in\nout\n'.repeat(4));
  expect(readdirSync(folder)).toEqual(['journal']);
});

it('reports the process it waits for', async () => {
  const lockFolder = path.join(temporaryFolder(), 'lock');
  const owner = startOwner(lockFolder, 'await sleep(500);');
  await lockToAppear(lockFolder);
  expect(await takeLock(lockFolder)).toEqual({ waitedFor: [owner.pid] });
});

it('takes over the lock of a killed process', async () => {
  const folder = temporaryFolder();
  const lockFolder = path.join(folder, 'lock');
  const owner = startOwner(lockFolder, 'await sleep(60_000);');
  await lockToAppear(lockFolder);
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  expect(existsSync(lockFolder)).toBe(true);
  expect(await takeLock(lockFolder)).toEqual({ waitedFor: [] });
  expect(readdirSync(folder)).toEqual([]);
});

it.runIf(process.platform === 'linux')(
  'takes over the lock of a process whose id was reused',
  async () => {
    const lockFolder = path.join(temporaryFolder(), 'lock');
    mkdirSync(lockFolder);
    writeFileSync(path.join(lockFolder, 'owner'), `${process.pid} 1`);
    expect(await takeLock(lockFolder)).toEqual({ waitedFor: [] });
  },
);

it('releases the lock when its work fails and when its process exits', async () => {
  const folder = temporaryFolder();
  const lockFolder = path.join(folder, 'lock');
  const failing = withLock(lockFolder, {
    whileWaiting: (_pid, wait) => wait(),
    work: () => Promise.reject(new Error('no luck')),
  });
  await expect(failing).rejects.toThrow('no luck');
  expect(readdirSync(folder)).toEqual([]);

  await once(startOwner(lockFolder, 'process.exit(3);'), 'exit');
  expect(readdirSync(folder)).toEqual([]);
});
