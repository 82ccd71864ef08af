/** The account that every installation starts with, and the file of its API key. */
import { randomUUID } from 'node:crypto';
import { chmod, link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Account, ApiKey } from '../http/door.ts';
import { hashOfSecret, maskOfSecret } from './api-keys.ts';
import type { ApiKeyStore } from './api-keys-store.ts';
import type { AccountStore } from './store.ts';

// Fixed ids: when several processes start at once, the database lets only one create each row.
const ACCOUNT_ID = '5f0c7d0e-8f0b-4c39-9d51-3a1f6f2b7c10';
const KEY_ID = `${ACCOUNT_ID}:a94d2c53-60be-4f0e-b6f7-0c8e7d15e9b2`;

/**
 * Creates the account `default` with a key of the given secret, unless the account already has a
 * key: a deactivated key stays deactivated, and another secret does not create another key.
 *
 * @param stores.secret the secret in the data folder
 * @returns the account, and whether the secret is valid: false after its key was deactivated or
 *   when the database belongs to another data folder
 * @throws Error of the database
 */
export async function ensureFirstAccount({
  accounts,
  apiKeys,
  secret,
}: {
  accounts: AccountStore;
  apiKeys: ApiKeyStore;
  secret: string;
}): Promise<{ account: Account; isSecretActive: boolean }> {
  const secretHash = hashOfSecret(secret);
  const known = await apiKeys.authenticate(secretHash);
  if (known !== undefined) return { account: known.account, isSecretActive: true };

  const account = await made(
    () => accounts.find(ACCOUNT_ID),
    () => accounts.create(firstAccount(Date.now())),
  );
  await made(
    async () => (await apiKeys.list(ACCOUNT_ID))[0],
    () => apiKeys.create(firstKey(secret, Date.now()), secretHash),
  );
  return { account, isSecretActive: (await apiKeys.authenticate(secretHash)) !== undefined };
}

/** Finds a row or creates it; losing the race against another process is no failure. */
async function made<T>(
  find: () => Promise<T | undefined>,
  make: () => Promise<unknown>,
): Promise<T> {
  const found = await find();
  if (found !== undefined) return found;
  try {
    await make();
  } catch (error) {
    const others = await find();
    if (others === undefined) throw error;
    return others;
  }
  const own = await find();
  if (own === undefined) throw new Error('What was just written to the database is not there.');
  return own;
}

function firstAccount(createdAtMs: number): Account {
  return {
    accountId: ACCOUNT_ID,
    name: 'default',
    plan: 'pro',
    features: ['admin', 'detection'],
    limits: { characters: null, speechMs: null },
    origins: [],
    emails: [],
    createdAtMs,
  };
}

function firstKey(secret: string, createdAtMs: number): ApiKey {
  return {
    keyId: KEY_ID,
    accountId: ACCOUNT_ID,
    kind: 'developer',
    label: 'First key',
    masked: maskOfSecret(secret),
    limits: { characters: null, speechMs: null },
    createdAtMs,
    deactivatedAtMs: null,
  };
}

/** The API key of a new installation: created once, in a file that only its owner can read. */
interface ApiKeyFile {
  key: string;
  file: string;
  /** Whether the key was created by this call. */
  isNew: boolean;
}

/**
 * Reads the key of a data folder, or creates one. When several processes start at once, one key
 * wins.
 *
 * @throws Error of the file system when the folder cannot be written or the file cannot be read
 */
export async function openApiKeyFile(dataFolder: string): Promise<ApiKeyFile> {
  const file = path.resolve(dataFolder, 'api-key');
  const known = await readKey(file);
  if (known !== undefined) return { key: known, file, isNew: false };
  return { file, ...(await makeKey(file)) };
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    const key = (await readFile(file, 'utf8')).trim();
    // A file of another user, or on a read-only file system, keeps the permissions it was given.
    await chmod(file, 0o600).catch(() => undefined);
    return key === '' ? undefined : key;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code !== 'EISDIR') throw error;
    throw new Error(`${file} is a folder: remove it, and the server puts its API key there.`, {
      cause: error,
    });
  }
}

/** Written to a draft and linked into place: the file is never half written or readable by others. */
async function makeKey(file: string): Promise<Omit<ApiKeyFile, 'file'>> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const key = randomUUID();
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${key}\n`, { mode: 0o600 });
  try {
    await link(draft, file);
    return { key, isNew: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const existing = await readKey(file);
    if (existing === undefined) throw new Error(`${file} is empty: remove it.`, { cause: error });
    return { key: existing, isNew: false };
  } finally {
    await unlink(draft);
  }
}
