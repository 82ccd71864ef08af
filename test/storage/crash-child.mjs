/**
 * Uses the built storage until it is killed, and prints its requests and the answers, each line written
 * before it continues. Plain JavaScript, as it is started many times. Arguments: folder, URL or nothing,
 * account, key.
 */
import { createHash, randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const built = new URL('../../dist/server/storage/open-storage.js', import.meta.url);
/** @type {typeof import('../../server/storage/open-storage.ts')} */
const { openStorage } = await import(built.href);

const [dataFolder = '', url, accountId = '', keyId = ''] = process.argv.slice(2);
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const storage = await openStorage({ url: url === '' ? undefined : url, dataFolder, log });
say('open');

/** @param {string} line */
function say(line) {
  writeSync(1, `${line}\n`);
}

/** @param {number} amount */
async function charge(amount) {
  say(`asked ${amount}`);
  const atMs = Date.UTC(2026, 10, 21);
  const outcome = await storage.usage.charge({
    ...{ accountId, keyId, kind: 'text', amount, atMs, tag: null },
  });
  if (outcome === 'charged') say(`charged ${amount}`);
}

async function createKey() {
  const newKeyId = `${randomUUID()}:${randomUUID()}`;
  const secretHash = createHash('sha256').update(newKeyId).digest('hex');
  const isMade = await storage.apiKeys.create(
    {
      ...{ keyId: newKeyId, accountId, kind: 'developer', label: 'desk', masked: 'dc88****3a2c' },
      limits: { characters: null, speechMs: null },
      createdAtMs: 1_700_000_000_000,
      deactivatedAtMs: null,
    },
    secretHash,
  );
  if (isMade) say(`key ${newKeyId}`);
}

/**
 * @param {number} caller
 * @returns {Promise<never>}
 */
async function work(caller) {
  for (let count = caller; ; count += 1) {
    try {
      await (count % 25 === 0 ? createKey() : charge(1 + (count % 97)));
    } catch {
      // While the database is down nothing is promised. The delay avoids a busy loop.
      await delay(5);
    }
  }
}

await Promise.all(Array.from({ length: 12 }, (_, caller) => work(caller)));
