import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openApiKeyFile } from '../../server/accounts/first-account.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-key-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('creates a key once, readable only by its owner', async () => {
  const first = await openApiKeyFile(path.join(folder, 'data'));
  expect(statSync(first.file).mode & 0o777).toBe(0o600);
  chmodSync(first.file, 0o644);
  const second = await openApiKeyFile(path.join(folder, 'data'));
  expect(second.key).toBe(first.key);
  expect(statSync(first.file).mode & 0o777).toBe(0o600);
});

it('reads a key whose permissions it may not change', async () => {
  // The system refuses this to everybody, root included.
  symlinkSync('/proc/sys/kernel/random/boot_id', path.join(folder, 'api-key'));
  const { key, isNew } = await openApiKeyFile(folder);
  expect(key).toMatch(/^[-\da-f]{36}$/);
  expect(isNew).toBe(false);
});

it('says what to do about a folder in its place', async () => {
  mkdirSync(path.join(folder, 'api-key'));
  await expect(openApiKeyFile(folder)).rejects.toThrow(/api-key is a folder: remove it/);
});

it('agrees on one key when several servers start at the same moment', async () => {
  const opened = await Promise.all(Array.from({ length: 20 }, () => openApiKeyFile(folder)));
  expect(new Set(opened.map(({ key }) => key)).size).toBe(1);
});
