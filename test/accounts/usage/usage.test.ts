import fc, { codePoint } from '../../support/suite/properties.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createUsageMeter,
  type Reservation,
  type UsageMeter,
} from '../../../server/accounts/usage/usage.ts';
import type { Charge } from '../../../server/accounts/usage/store.ts';
import type { Caller } from '../../../server/http/door.ts';
import { countCodePoints } from '../../../server/text/code-points.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { openPlatform, type Platform } from '../../support/product/platform.ts';

let platform: Platform;
let meter: UsageMeter;
const log = recordLog();
beforeAll(async () => {
  platform = await openPlatform();
  meter = createUsageMeter({ ...platform.storage, log });
});
afterAll(() => platform.close());

function reserve(caller: Caller, characters: number): Promise<Reservation> {
  return meter.reserve({ caller, kind: 'text', characters, tag: null });
}

async function usedBy({ account, key }: Caller) {
  const month = await platform.storage.usage.ofMonth(account.accountId, key.keyId, Date.now());
  return { account: month.account.text, key: month.key.text };
}

describe('a reservation', () => {
  it('of more than is left is refused with 456 and counts nothing', async () => {
    const caller = await platform.newcomer({ limits: { characters: 100 } });
    await reserve(caller, 60);
    await expect(reserve(caller, 41)).rejects.toMatchObject({
      code: 'quota_exceeded',
      status: 456,
      message: 'Quota for this billing period has been exceeded.',
      detail: expect.stringMatching(/the account .* anew from \d{4}-\d\d-01 \(UTC\)/) as string,
    });
    expect(await usedBy(caller)).toEqual({ account: 60, key: 60 });
    await reserve(caller, 40);
    await expect(reserve(caller, 0)).rejects.toMatchObject({ status: 456 });
  });

  it('is refused for a key with the limit 0, and granted once the limit is lifted', async () => {
    const caller = await platform.newcomer({}, { limits: { characters: 0 } });
    await expect(reserve(caller, 1)).rejects.toMatchObject({
      status: 456,
      detail: expect.stringContaining('this API key') as string,
    });
    await platform.apiKeys.limit(caller.account.accountId, caller.key.keyId, { characters: null });
    await reserve(caller, 1_000_000);
  });

  it('that is refunded does not count any more, however often it is refunded', async () => {
    const caller = await platform.newcomer({ limits: { characters: 10 } });
    await reserve(caller, 3);
    const failed = await reserve(caller, 7);
    await Promise.all([failed.giveBack(), failed.giveBack()]);
    await failed.giveBack();
    expect(await usedBy(caller)).toEqual({ account: 3, key: 3 });
    await reserve(caller, 7);
  });
});

it('refunds during a database outage once the database is back', async () => {
  const caller = await platform.newcomer();
  let tries = 0;
  let isAway = true;
  const { usage } = platform.storage;
  const flaky: typeof usage = {
    ...usage,
    async refund(charge) {
      tries += 1;
      if (isAway) throw new ServiceError('storage_unavailable', 'The database cannot be reached.');
      await usage.refund(charge);
    },
  };
  const ofFlaky = createUsageMeter({ ...platform.storage, usage: flaky, log, refundAgainMs: 10 });
  const wish = { caller, kind: 'text' as const, tag: null };
  const failed = [
    await ofFlaky.reserve({ ...wish, characters: 7 }),
    await ofFlaky.reserve({ ...wish, characters: 4 }),
  ];
  await ofFlaky.reserve({ ...wish, characters: 3 });
  await Promise.all(failed.map((each) => each.giveBack()));
  await expect.poll(() => tries).toBeGreaterThan(3);
  expect(await usedBy(caller)).toEqual({ account: 14, key: 14 });

  isAway = false;
  await expect.poll(() => usedBy(caller)).toEqual({ account: 3, key: 3 });
  await failed[0]?.giveBack();
  expect(await usedBy(caller)).toEqual({ account: 3, key: 3 });
});

/** Takes no refunds while it is away, and never those of one key, as if its row were locked. */
function busyDatabase(locked: Caller) {
  const { usage } = platform.storage;
  const database = {
    isAway: true,
    usage: {
      ...usage,
      async refund(charge: Charge) {
        if (database.isAway || charge.keyId === locked.key.keyId) {
          throw new ServiceError('storage_unavailable', 'The database is busy.');
        }
        await usage.refund(charge);
      },
    },
  };
  return database;
}

/** Charges each caller 5 characters, and refunds them. */
async function giveBack(meter: UsageMeter, callers: readonly Caller[]): Promise<void> {
  for (const caller of callers) {
    const charged = await meter.reserve({ caller, kind: 'text', characters: 5, tag: null });
    await charged.giveBack();
  }
}

it('lets a charge wait for others only until its work is done', async () => {
  const caller = await platform.newcomer({ limits: { characters: 10 } });
  let hurried = 0;
  const { storage } = platform;
  const ofHurried = createUsageMeter({
    ...storage,
    log,
    hurry() {
      hurried += 1;
      storage.hurry();
    },
  });
  const during = (characters: number, work: () => Promise<unknown>) =>
    ofHurried.whileCharged(
      { caller, kind: 'text', characters, tag: null },
      new AbortController(),
      work,
    );
  await during(4, () => expect.poll(() => usedBy(caller)).toEqual({ account: 4, key: 4 }));
  expect(hurried).toBe(0);
  await during(5, () => Promise.resolve());
  expect(hurried).toBe(1);
  const refused = { code: 'quota_exceeded' };
  await expect(during(2, () => Promise.resolve())).rejects.toMatchObject(refused);
  expect(hurried).toBe(2);
  // Whose last charge was refused waits for the next one before any work.
  await expect(
    during(2, () => Promise.reject(new Error('This is not begun.'))),
  ).rejects.toMatchObject(refused);
  expect(hurried).toBe(3);
  // Who opens a session waits for the check, and who has failed for the refund.
  await ofHurried.chargeSpeech({ caller, speechMs: 5, tag: null });
  expect(hurried).toBe(3);
  await ofHurried.chargeSpeech({ caller, speechMs: 0, tag: null });
  expect(hurried).toBe(4);
  const failure = new Error('The work has failed.');
  await expect(during(0, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(hurried).toBe(6);
});

it('refunds what waits when the server stops, and logs what is lost', async () => {
  const [locked, caller] = [await platform.newcomer(), await platform.newcomer()];
  const database = busyDatabase(locked);
  const record = recordLog();
  const ofFlaky = createUsageMeter({ ...platform.storage, ...database, log: record });
  await giveBack(ofFlaky, [locked, caller]);
  database.isAway = false;
  await ofFlaky.stop();
  expect(await usedBy(caller)).toEqual({ account: 0, key: 0 });
  const lost = { keyId: locked.key.keyId, amount: 5 };
  expect(record.lines).toEqual([
    expect.objectContaining({ fields: expect.objectContaining(lost) as object }),
  ]);
});

it('logs a charge that could not be refunded, once', async () => {
  const caller = await platform.newcomer();
  const errors = ['storage_unavailable', 'internal'] as const;
  let tries = 0;
  const usage = {
    ...platform.storage.usage,
    refund: () => Promise.reject(new ServiceError(errors[tries++] ?? 'internal', 'Not now.')),
  };
  const record = recordLog();
  const ofFailing = createUsageMeter({
    ...platform.storage,
    usage,
    log: record,
    refundAgainMs: 10,
  });
  const wish = { caller, kind: 'text' as const, tag: 'spring' };
  const failed = await ofFailing.reserve({ ...wish, characters: 7 });
  const other = await ofFailing.reserve({ ...wish, characters: 4 });
  await failed.giveBack();
  const charge = { accountId: caller.account.accountId, keyId: caller.key.keyId, kind: 'text' };
  const lineOf = (amount: number) => ({
    level: 'error',
    message: expect.stringContaining('could not be refunded') as string,
    fields: {
      ...{ ...charge, amount, tag: 'spring', atMs: expect.any(Number) as number },
      error: expect.stringContaining('Not now.') as string,
    },
  });
  await expect.poll(() => record.lines).toEqual([lineOf(7)]);

  await expect(other.giveBack()).rejects.toMatchObject({ code: 'internal' });
  expect(record.lines).toEqual([lineOf(7), lineOf(4)]);
  expect(tries).toBe(3);
});

it('refunds other accounts while one account fails', async () => {
  const [locked, caller] = [await platform.newcomer(), await platform.newcomer()];
  const database = busyDatabase(locked);
  const ofFlaky = createUsageMeter({ ...platform.storage, ...database, log, refundAgainMs: 10 });
  await giveBack(ofFlaky, [locked, caller]);
  database.isAway = false;
  await expect.poll(() => usedBy(caller)).toEqual({ account: 0, key: 0 });
  expect(await usedBy(locked)).toEqual({ account: 5, key: 5 });
});

it('grants 64 concurrent callers exactly the limit of their key', async () => {
  const limit = 10_007;
  const caller = await platform.newcomer({}, { limits: { characters: limit } });
  const sizes = Array.from({ length: 64 }, (_, index) => 1 + (index % 7));
  const refused: number[] = [];
  let granted = 0;
  await Promise.all(
    sizes.map(async (size) => {
      for (let asked = 0; asked < 60; asked += 1) {
        await reserve(caller, size).then(
          () => (granted += size),
          () => refused.push(size),
        );
      }
    }),
  );
  expect(refused.length).toBeGreaterThan(0);
  // A sequential run ends with nothing left, and so do 64 callers, one of which asks for 1 character.
  expect(granted).toBe(limit);
  expect(await usedBy(caller)).toEqual({ account: limit, key: limit });
});

it('keeps exactly half of the charges when 64 callers refund the other half', async () => {
  const caller = await platform.newcomer({}, { limits: { characters: 64 * 20 * 5 } });
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      for (let asked = 0; asked < 20; asked += 1) {
        const reservation = await reserve(caller, 5);
        if (asked % 2 === 1) await reservation.giveBack();
      }
    }),
  );
  expect(await usedBy(caller)).toEqual({ account: 64 * 10 * 5, key: 64 * 10 * 5 });
});

describe('characters', () => {
  it('are counted as code points in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 50 }), (text) => {
        expect(countCodePoints(text)).toBe(Array.from(text).length);
      }),
    );
    // Unpaired surrogates in any order.
    const halves = fc.array(fc.constantFrom('\ud83d', '\ude00', 'a', 'é'), { maxLength: 20 });
    fc.assert(
      fc.property(halves, (units) => {
        const text = units.join('');
        expect(countCodePoints(text)).toBe(Array.from(text).length);
      }),
    );
  });
});
