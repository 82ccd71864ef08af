import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  checkNewPassword,
  consoleEntrance,
  createConsoleAccess,
  createPasswordHashing,
  type ConsoleAccess,
  TooManyTries,
} from '../../../server/accounts/console/console-access.ts';
import type { Account } from '../../../server/http/door.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { processorMs } from '../../support/machine/processor-time.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { openPlatform, type Platform } from '../../support/product/platform.ts';

const HOUR_MS = 3_600_000;
const PASSWORD = 'correct horse battery';

let platform: Platform;
beforeAll(async () => (platform = await openPlatform()));
afterAll(() => platform.close());

let nowMs = Date.UTC(2026, 10, 21, 12);
const log = recordLog();
/** Fast hashing; its own test covers the duration. */
const passwords = createPasswordHashing({ logN: 8, r: 8, p: 1 });
let access: ConsoleAccess;
beforeEach(() => {
  // Ends the rate-limit windows of other tests.
  nowMs += HOUR_MS;
  access = createConsoleAccess({ ...platform.storage, passwords, log, now: () => nowMs });
});

/** A new address each time, unless a test is about addresses. */
let addresses = 0;
const newAddress = () => `192.0.2.${(addresses += 1)}`;

const signIn = (account: string, password: string, address = newAddress()) =>
  access.signIn({ account, password, address, formerToken: undefined });

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error as { code: string }).code,
  );

async function newcomer(): Promise<Account> {
  const { account } = await platform.newcomer();
  return account;
}

/** An account with {@link PASSWORD}, and its session. */
async function withPassword() {
  const account = await newcomer();
  const { token: link } = await access.issueLink(account.accountId);
  const address = newAddress();
  const session = await access.setPassword({ token: link, password: PASSWORD, address });
  return { account, link, session };
}

const isOpen = async ({ token }: { token: string }) =>
  (await access.authenticate(token)) !== undefined;

describe('a one-time link', () => {
  it('sets the password, signs in, and is worthless afterwards', async () => {
    const { account, link, session } = await withPassword();
    expect(session.account).toEqual(account);
    expect(await access.hasPassword(account.accountId)).toBe(true);
    expect(await access.authenticate(session.token)).toMatchObject({ account });
    const again = access.setPassword({ token: link, password: `${PASSWORD}!`, address: '::1' });
    expect(await codeOf(again)).toBe('forbidden');
    expect((await signIn(account.name, PASSWORD)).account).toEqual(account);
  });

  it('is redeemed by exactly one of several simultaneous users', async () => {
    const { accountId, name } = await newcomer();
    const { token } = await access.issueLink(accountId);
    const passwords = [1, 2, 3, 4].map((number) => `${PASSWORD} ${number}`);
    const outcomes = await Promise.all(
      passwords.map((password) =>
        codeOf(access.setPassword({ token, password, address: newAddress() })),
      ),
    );
    expect(outcomes.toSorted()).toEqual(['done', 'forbidden', 'forbidden', 'forbidden']);
    const winner = passwords[outcomes.indexOf('done')] ?? '';
    expect((await signIn(name, winner)).account.accountId).toBe(accountId);
  });

  it('expires after a day; its use ends all sessions and other links', async () => {
    const { account, session } = await withPassword();
    const [late, used, spare] = await Promise.all(
      [1, 2, 3].map(() => access.issueLink(account.accountId)),
    );
    const set = (token: string) =>
      codeOf(access.setPassword({ token, password: PASSWORD, address: newAddress() }));
    expect(await set(used!.token)).toBe('done');
    expect(await isOpen(session)).toBe(false);
    expect(await set(spare!.token)).toBe('forbidden');
    expect(await set(late!.token)).toBe('forbidden');
    const { token, expiresAtMs } = await access.issueLink(account.accountId);
    expect(expiresAtMs).toBe(nowMs + 24 * HOUR_MS);
    nowMs = expiresAtMs;
    expect(await set(token)).toBe('forbidden');
  });

  it('stays valid after a password that is too weak', async () => {
    const { accountId, name } = await newcomer();
    const { token } = await access.issueLink(accountId);
    const set = (password: string) =>
      codeOf(access.setPassword({ token, password, address: '2001:db8::1' }));
    for (const bad of ['too short!', 'aaaabbbbaaaabbbb', `${name} 12`, 'ab cde f'.repeat(26)]) {
      expect(await set(bad), bad).toBe('invalid_request');
    }
    expect(await set(PASSWORD)).toBe('done');
  });
});

it('is offered at every start until a password is set', async () => {
  const { accountId } = await newcomer();
  const tokens = [];
  for (let start = 0; start < 2; start += 1) {
    const [, token = ''] =
      /^\/console\/#set-password=([\w-]{43})$/.exec(await consoleEntrance(access, accountId)) ?? [];
    tokens.push(token);
  }
  expect(new Set(tokens).size).toBe(2);
  // A link of an earlier start or of another server stays valid.
  await access.setPassword({ token: tokens[0] ?? '', password: PASSWORD, address: newAddress() });
  expect(await consoleEntrance(access, accountId)).toBe('/console/');
});

describe('signing in', () => {
  it('accepts name or id, and only the right password', async () => {
    const { account } = await withPassword();
    const { accountId, name } = account;
    for (const known of [name, ` ${name} `, accountId, accountId.toUpperCase()]) {
      expect((await signIn(known, PASSWORD)).account).toEqual(account);
    }
    for (const wrong of [`${PASSWORD} `, PASSWORD.toUpperCase(), PASSWORD.slice(0, -1), 'x']) {
      expect(await codeOf(signIn(name, wrong)), wrong).toBe('forbidden');
    }
  });

  it('accepts a password in any Unicode normalisation', async () => {
    const { accountId, name } = await newcomer();
    const { token } = await access.issueLink(accountId);
    const password = 'Grüße aus Köln';
    await access.setPassword({ token, password: password.normalize('NFD'), address: '::1' });
    expect(await codeOf(signIn(name, password.normalize('NFC')))).toBe('done');
  });

  it('refuses unknown accounts and those without a password with the same message and effort', async () => {
    const slow = createPasswordHashing({ logN: 14, r: 8, p: 1 });
    access = createConsoleAccess({ ...platform.storage, passwords: slow, log, now: () => nowMs });
    const { account } = await withPassword();
    const { name: withoutPassword } = await newcomer();
    const names = { wrong: account.name, none: withoutPassword, unknown: 'nobody' };
    const messages = new Set<string>();
    /** Processor time: scrypt runs on threads of this process. */
    const leastMs = { wrong: Infinity, none: Infinity, unknown: Infinity };
    for (let round = 0; round < 3; round += 1) {
      for (const kind of ['wrong', 'none', 'unknown'] as const) {
        const usedMs = await processorMs(() =>
          signIn(names[kind], 'not the password').catch((error: unknown) =>
            messages.add((error as Error).message),
          ),
        );
        leastMs[kind] = Math.min(leastMs[kind], usedMs);
      }
    }
    expect(messages.size).toBe(1);
    // Without hashing it would take a hundredth of the time.
    expect(Math.min(leastMs.none, leastMs.unknown)).toBeGreaterThan(leastMs.wrong / 5);
  });

  it('issues a new token each time, and ends the previous session', async () => {
    const { account, session } = await withPassword();
    const planted = session.token;
    const begun = await access.signIn({
      account: account.name,
      password: PASSWORD,
      address: newAddress(),
      formerToken: planted,
    });
    expect(begun.token).not.toBe(planted);
    expect(await isOpen(begun)).toBe(true);
    expect(await isOpen({ token: planted })).toBe(false);
  });

  it('allows ten wrong passwords in a quarter of an hour, even if all come at once', async () => {
    const { account } = await withPassword();
    const tries = Array.from({ length: 14 }, (_, index) => signIn(account.name, `wrong ${index}`));
    const outcomes = (await Promise.all(tries.map(codeOf))).toSorted();
    expect(outcomes.filter((code) => code === 'forbidden')).toHaveLength(10);
    expect(outcomes.filter((code) => code === 'too_many_requests')).toHaveLength(4);
    // The same account by its id.
    const refusal = await signIn(account.accountId, PASSWORD).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(TooManyTries);
    expect((refusal as TooManyTries).retryAfterS).toBe(900);
    nowMs += 900_000;
    expect(await codeOf(signIn(account.name, PASSWORD))).toBe('done');
  });

  it('costs no attempts when it succeeds', async () => {
    const { account } = await withPassword();
    const { accountId, name } = account;
    const address = newAddress();
    for (let count = 0; count < 3; count += 1) await signIn(name, PASSWORD, address);
    // Nine failures and a success leave the tenth attempt.
    const { consoleCredentials } = platform.storage;
    const limit = { subject: `password ${accountId}`, max: 10 };
    for (let count = 0; count < 9; count += 1) {
      expect(await consoleCredentials.spendTries([limit], nowMs, 900_000)).toBeUndefined();
    }
    expect(await codeOf(signIn(name, PASSWORD, address))).toBe('done');
    expect(await codeOf(signIn(name, 'wrong', address))).toBe('forbidden');
    expect(await codeOf(signIn(name, PASSWORD, address))).toBe('too_many_requests');
  });

  it.each([
    ['one address', ['203.0.113.7', '::ffff:203.0.113.7'], '203.0.113.8'],
    ['one IPv6 network', ['2001:db8:0:7::1', '2001:0db8::7:ffff:0:0:2'], '2001:db8:0:8::1'],
  ])('allows thirty failures from %s, over all accounts', async (_name, own, neighbour) => {
    const { account } = await withPassword();
    const guess = (address: string) =>
      codeOf(access.setPassword({ token: 'guessed', password: PASSWORD, address }));
    for (let count = 0; count < 30; count += 1) {
      expect(await guess(own[count % 2] ?? '')).toBe('forbidden');
    }
    expect(await guess(own[0] ?? '')).toBe('too_many_requests');
    for (const address of own) {
      expect(await codeOf(signIn(account.name, PASSWORD, address))).toBe('too_many_requests');
    }
    expect(await codeOf(signIn(account.name, PASSWORD, neighbour))).toBe('done');
  });

  it('refuses attempts that would wait for too many others', async () => {
    const kept = await passwords.hash(PASSWORD);
    const tries = Array.from({ length: 40 }, () => codeOf(passwords.verify(PASSWORD, kept)));
    const outcomes = await Promise.all(tries);
    expect(outcomes.filter((code) => code === 'done')).toHaveLength(34);
    expect(outcomes.filter((code) => code === 'too_many_requests')).toHaveLength(6);
    expect(await passwords.verify(PASSWORD, kept)).toBe(true);
  });

  it('costs no attempts when nobody can check its password', async () => {
    const { account } = await withPassword();
    const busy = createConsoleAccess({
      ...platform.storage,
      ...{ log, now: () => nowMs },
      passwords: {
        ...passwords,
        verify: () => Promise.reject(new ServiceError('too_many_requests', 'Later.')),
      },
    });
    const address = newAddress();
    for (let count = 0; count < 11; count += 1) {
      const refused = busy.signIn({
        ...{ account: account.name, password: PASSWORD, address, formerToken: undefined },
      });
      await expect(refused).rejects.not.toThrow(TooManyTries);
      const change = { account, currentPassword: PASSWORD, password: `${PASSWORD}!` };
      await expect(busy.changePassword(change)).rejects.not.toThrow(TooManyTries);
    }
    expect(await codeOf(signIn(account.name, PASSWORD, address))).toBe('done');
  });
});

describe('a session', () => {
  it('ends after eight hours without use, and after a week in any case', async () => {
    const { session } = await withPassword();
    const endMs = session.expiresAtMs;
    expect(endMs).toBe(nowMs + 7 * 24 * HOUR_MS);
    while (nowMs + 7 * HOUR_MS < endMs) {
      nowMs += 7 * HOUR_MS;
      expect(await isOpen(session)).toBe(true);
    }
    nowMs = endMs;
    expect(await isOpen(session)).toBe(false);

    const { session: idle } = await withPassword();
    nowMs += 8 * HOUR_MS;
    expect(await isOpen(idle)).toBe(false);
    nowMs -= 1;
    expect(await isOpen(idle)).toBe(true);
  });

  it('ends even while its page sends automatic requests', async () => {
    const { session } = await withPassword();
    const poll = () => access.authenticate(session.token, { isPoll: true });
    nowMs += 7 * HOUR_MS;
    expect(await poll()).toBeDefined();
    nowMs += HOUR_MS;
    expect(await poll()).toBeUndefined();
  });

  it('ends when its owner signs out, without affecting others', async () => {
    const { account, session } = await withPassword();
    const other = await signIn(account.name, PASSWORD);
    await access.signOut(session.token);
    expect(await isOpen(session)).toBe(false);
    expect(await isOpen(other)).toBe(true);
    await access.signOut('nothing of ours');
  });

  it('has the current data of its account', async () => {
    const { account, session } = await withPassword();
    await platform.accounts.change(account.accountId, { plan: 'free' });
    expect(await access.authenticate(session.token)).toMatchObject({ account: { plan: 'free' } });
  });
});

describe('a password change', () => {
  it('requires the current password, keeps its own browser signed in, and ends all other sessions', async () => {
    const { account, session } = await withPassword();
    const elsewhere = await signIn(account.name, PASSWORD);
    const { account: stranger, session: strange } = await withPassword();
    const change = (currentPassword: string, password: string) =>
      access.changePassword({ account, currentPassword, password });
    expect(await codeOf(change('wrong', 'another good one'))).toBe('forbidden');
    expect(await codeOf(change(PASSWORD, 'short'))).toBe('invalid_request');
    const begun = await change(PASSWORD, 'another good one');
    expect(await Promise.all([session, elsewhere, begun, strange].map(isOpen))).toEqual([
      ...[false, false, true, true],
    ]);
    expect(await codeOf(signIn(account.name, PASSWORD))).toBe('forbidden');
    expect(await codeOf(signIn(account.name, 'another good one'))).toBe('done');
    expect(await codeOf(signIn(stranger.name, PASSWORD))).toBe('done');
  });

  it('is limited like signing in', async () => {
    const { account } = await withPassword();
    const change = () =>
      codeOf(access.changePassword({ account, currentPassword: 'wrong', password: PASSWORD }));
    const outcomes = await Promise.all(Array.from({ length: 12 }, change));
    expect(outcomes.filter((code) => code === 'too_many_requests')).toHaveLength(2);
    expect(await codeOf(signIn(account.name, PASSWORD))).toBe('done');
  });
});

it('stores and logs no password and no token', async () => {
  access = createConsoleAccess({ ...platform.storage, log, now: () => nowMs });
  const { account, link, session } = await withPassword();
  await codeOf(signIn(account.name, 'a password that is wrong'));
  const { storage } = platform;
  const kept = JSON.stringify([
    await storage.consoleCredentials.findPassword(account.accountId),
    log.lines,
  ]);
  expect(kept).toContain('$scrypt$ln=15,r=8,p=3$');
  for (const secret of [PASSWORD, 'a password that is wrong', link, session.token]) {
    expect(kept).not.toContain(secret);
  }
});

it('checks a new password against a few simple rules', () => {
  const problem = (password: string, name = 'default') => {
    try {
      checkNewPassword(password, name);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(problem('twelve signs')).toBeUndefined();
  expect(problem('eleven sign')).toMatch(/12 to 200 characters/);
  expect(problem('😀'.repeat(11))).toMatch(/12 to 200 characters/);
  expect(problem('x1y2z'.repeat(40))).toBeUndefined();
  expect(problem('x1y2z'.repeat(40) + 'x')).toMatch(/12 to 200 characters/);
  expect(problem('abcdabcdabcd')).toMatch(/5 different/);
  expect(problem('Default-2026')).toMatch(/name of the account/);
  expect(problem('default and much besides')).toBeUndefined();
});
