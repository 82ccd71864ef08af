/**
 * Uses storage until it is killed, and says on its output what it asked for and what was answered,
 * each line written before it goes on. Arguments: folder, URL or nothing.
 */
import { writeSync } from 'node:fs';
import { openStorage } from '../../server/storage/open-storage.ts';
import { sampleHash, sampleKey, quietLog } from './samples.ts';

const [dataFolder = '', url, accountId = '', keyId = ''] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);
const storage = await openStorage({ url: url === '' ? undefined : url, dataFolder, log: quietLog });
say('open');

async function charge(amount: number): Promise<void> {
  say(`asked ${amount}`);
  const atMs = Date.UTC(2026, 10, 21);
  const common = { accountId, keyId, kind: 'text', amount, atMs, tag: null } as const;
  if ((await storage.usage.charge(common)) === 'charged') say(`charged ${amount}`);
}

async function createKey(): Promise<void> {
  const key = sampleKey(accountId);
  if (await storage.apiKeys.create(key, sampleHash())) say(`key ${key.keyId}`);
}

async function work(caller: number): Promise<never> {
  for (let count = caller; ; count += 1) {
    try {
      await (count % 25 === 0 ? createKey() : charge(1 + (count % 97)));
    } catch {
      // The database may be down for a while: then nothing was promised. Not to spin on it:
      await new Promise((resolve) => void setTimeout(resolve, 5));
    }
  }
}

await Promise.all(Array.from({ length: 12 }, (_, caller) => work(caller)));
