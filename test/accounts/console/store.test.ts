import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleSession } from '../../../server/accounts/console/store.ts';
import type { Storage } from '../../../server/stores.ts';
import { databaseNames, databasesOfThisFile } from '../../storage/database-pair.ts';
import { openAccount, sampleHash } from '../../storage/samples.ts';

const openDatabase = databasesOfThisFile();
const NOW_MS = Date.UTC(2026, 10, 21, 12);
const HOUR_MS = 3_600_000;

describe.each(databaseNames)('console credentials in %s', (name) => {
  /** Two connections to one database, as from two processes. */
  let storage: Storage;
  let other: Storage;
  /** Alternates between the two processes. */
  const either = (index: number) => [storage, other][index % 2]!.consoleCredentials;

  beforeAll(async () => {
    ({ storage, other } = await openDatabase(name));
  });

  const newAccountId = async () => (await openAccount(storage)).account.accountId;

  const sessionOf = (accountId: string, given: Partial<ConsoleSession> = {}): ConsoleSession => ({
    sessionHash: sampleHash(),
    accountId,
    createdAtMs: NOW_MS,
    idleUntilMs: NOW_MS + HOUR_MS,
    expiresAtMs: NOW_MS + 5 * HOUR_MS,
    ...given,
  });

  async function newLink(accountId: string, createdAtMs = NOW_MS) {
    const linkHash = sampleHash();
    const expiresAtMs = createdAtMs + HOUR_MS;
    await storage.consoleCredentials.addLink({ linkHash, accountId, createdAtMs, expiresAtMs });
    return linkHash;
  }

  /** An account with the password `first` and no session. */
  async function withPassword() {
    const accountId = await newAccountId();
    const session = sessionOf(accountId);
    const linkHash = await newLink(accountId);
    expect(await storage.consoleCredentials.redeemLink(linkHash, 'first', session)).toBe(true);
    await storage.consoleCredentials.closeSession(session.sessionHash);
    return accountId;
  }

  const isOpen = async ({ sessionHash }: ConsoleSession, atMs = NOW_MS + 1) =>
    (await other.consoleCredentials.findSession(sessionHash, atMs)) !== undefined;

  it('have no password at first, and that of a link once it is redeemed', async () => {
    const accountId = await newAccountId();
    expect(await storage.consoleCredentials.findPassword(accountId)).toBeUndefined();
    const linkHash = await newLink(accountId);
    const found = await other.consoleCredentials.findLink(linkHash, NOW_MS);
    expect(found).toEqual(await storage.accounts.find(accountId));
    const session = sessionOf(accountId);
    expect(await storage.consoleCredentials.redeemLink(linkHash, 'first', session)).toBe(true);
    expect(await other.consoleCredentials.findPassword(accountId)).toBe('first');
    const opened = await other.consoleCredentials.findSession(session.sessionHash, NOW_MS);
    expect(opened).toEqual({ session, account: found });
  });

  it('let exactly one of many callers redeem a link', async () => {
    const accountId = await newAccountId();
    const linkHash = await newLink(accountId);
    const sessions = Array.from({ length: 8 }, () => sessionOf(accountId));
    const redeemed = await Promise.all(
      sessions.map((session, index) => either(index).redeemLink(linkHash, `p${index}`, session)),
    );
    expect(redeemed.filter(Boolean)).toHaveLength(1);
    const winner = redeemed.indexOf(true);
    expect(await storage.consoleCredentials.findPassword(accountId)).toBe(`p${winner}`);
    const open = await Promise.all(sessions.map((session) => isOpen(session)));
    expect(open).toEqual(redeemed);
  });

  it('end all sessions and links of the account, and no others, when a link is redeemed', async () => {
    const accountId = await withPassword();
    const strangerId = await withPassword();
    const [old, strange, fresh] = [accountId, strangerId, accountId].map((id) => sessionOf(id));
    await storage.consoleCredentials.openSession(old!, 'first');
    await storage.consoleCredentials.openSession(strange!, 'first');
    const [linkHash, unused] = [await newLink(accountId), await newLink(accountId)];
    const foreign = await newLink(strangerId);
    await other.consoleCredentials.redeemLink(linkHash, 'second', fresh!);
    expect(await Promise.all([old!, strange!, fresh!].map((each) => isOpen(each)))).toEqual([
      ...[false, true, true],
    ]);
    expect(await storage.consoleCredentials.findLink(unused, NOW_MS)).toBeUndefined();
    expect(await storage.consoleCredentials.findLink(foreign, NOW_MS)).toBeDefined();
  });

  it('change a password for one of several simultaneous callers, and end all other sessions', async () => {
    const accountId = await withPassword();
    const old = sessionOf(accountId);
    await storage.consoleCredentials.openSession(old, 'first');
    const sessions = Array.from({ length: 6 }, () => sessionOf(accountId));
    const changed = await Promise.all(
      sessions.map((session, index) => either(index).changePassword('first', `n${index}`, session)),
    );
    expect(changed.filter(Boolean)).toHaveLength(1);
    expect(await storage.consoleCredentials.findPassword(accountId)).toBe(
      `n${changed.indexOf(true)}`,
    );
    expect(await isOpen(old)).toBe(false);
    expect(await Promise.all(sessions.map((session) => isOpen(session)))).toEqual(changed);
  });

  it('open no session with a password that was changed meanwhile', async () => {
    const accountId = await withPassword();
    const signIns = Array.from({ length: 12 }, () => sessionOf(accountId));
    const kept = sessionOf(accountId);
    await Promise.all([
      ...signIns.map((session, index) => either(index).openSession(session, 'first')),
      other.consoleCredentials.changePassword('first', 'second', kept),
    ]);
    // Earlier sessions ended with the change; later ones were refused.
    expect(await Promise.all(signIns.map((session) => isOpen(session)))).not.toContain(true);
    expect(await isOpen(kept)).toBe(true);
  });

  it('find a session until it is idle, expired or closed', async () => {
    const accountId = await withPassword();
    const { consoleCredentials } = storage;
    const session = sessionOf(accountId);
    const { sessionHash } = session;
    await consoleCredentials.openSession(session, 'first');
    expect(await isOpen(session, NOW_MS + HOUR_MS - 1)).toBe(true);
    expect(await isOpen(session, NOW_MS + HOUR_MS)).toBe(false);
    await consoleCredentials.touchSession(sessionHash, NOW_MS + 1, NOW_MS + 9 * HOUR_MS);
    expect(await isOpen(session, NOW_MS + 5 * HOUR_MS - 1)).toBe(true);
    expect(await isOpen(session, NOW_MS + 5 * HOUR_MS)).toBe(false);
    await consoleCredentials.closeSession(sessionHash);
    expect(await isOpen(session)).toBe(false);
    await consoleCredentials.touchSession(sessionHash, NOW_MS, NOW_MS + HOUR_MS);
    expect(await isOpen(session)).toBe(false);
  });

  it('limit attempts exactly over both processes', async () => {
    const subject = randomUUID();
    const spent = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        either(index).spendTries([{ subject, max: 7 }], NOW_MS, HOUR_MS),
      ),
    );
    expect(spent.filter((until) => until === undefined)).toHaveLength(7);
    expect(new Set(spent)).toEqual(new Set([undefined, NOW_MS + HOUR_MS]));
  });

  it('return attempts, and count from zero after the window', async () => {
    const subject = randomUUID();
    const limits = [{ subject, max: 2 }];
    const spend = (atMs: number) => storage.consoleCredentials.spendTries(limits, atMs, HOUR_MS);
    expect(await spend(NOW_MS)).toBeUndefined();
    expect(await spend(NOW_MS + 1)).toBeUndefined();
    await other.consoleCredentials.giveBackTries([subject]);
    expect(await spend(NOW_MS + 2)).toBeUndefined();
    for (let count = 0; count < 5; count += 1) {
      expect(await spend(NOW_MS + 3)).toBe(NOW_MS + HOUR_MS);
    }
    expect(await spend(NOW_MS + HOUR_MS)).toBeUndefined();
    expect(await spend(NOW_MS + HOUR_MS + 1)).toBeUndefined();
    expect(await spend(NOW_MS + HOUR_MS + 2)).toBe(NOW_MS + 2 * HOUR_MS);
  });

  // The same statements of either database: those above have run them in both.
  if (name !== 'sqlite') return;

  it('refuse a link that is unknown, expired or for another account', async () => {
    const accountId = await newAccountId();
    const linkHash = await newLink(accountId, NOW_MS - HOUR_MS);
    const redeem = (hash: string, session: ConsoleSession) =>
      storage.consoleCredentials.redeemLink(hash, 'first', session);
    expect(await storage.consoleCredentials.findLink(linkHash, NOW_MS)).toBeUndefined();
    expect(await redeem(linkHash, sessionOf(accountId))).toBe(false);
    expect(await redeem(sampleHash(), sessionOf(accountId))).toBe(false);
    const fresh = await newLink(accountId);
    expect(await redeem(fresh, sessionOf(await newAccountId()))).toBe(false);
    expect(await storage.consoleCredentials.findPassword(accountId)).toBeUndefined();
    expect(await redeem(fresh, sessionOf(accountId))).toBe(true);
  });

  it('do not revive a session that was idle for too long', async () => {
    const session = sessionOf(await withPassword());
    const { consoleCredentials } = storage;
    await consoleCredentials.openSession(session, 'first');
    const lateMs = NOW_MS + HOUR_MS;
    await consoleCredentials.touchSession(session.sessionHash, lateMs, lateMs + HOUR_MS);
    expect(await isOpen(session, lateMs + 1)).toBe(false);
  });

  it('do not count later subjects once an earlier one is exhausted', async () => {
    const [address, account] = [randomUUID(), randomUUID()];
    const spend = (...limits: { subject: string; max: number }[]) =>
      storage.consoleCredentials.spendTries(limits, NOW_MS, HOUR_MS);
    expect(await spend({ subject: address, max: 0 }, { subject: account, max: 1 })).toBeDefined();
    expect(await spend({ subject: account, max: 1 })).toBeUndefined();
  });
});
