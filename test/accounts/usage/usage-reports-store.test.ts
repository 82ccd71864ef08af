import fc from '../../support/suite/properties.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { createUsageReporting } from '../../../server/accounts/usage/usage-reports.ts';
import type { ApiKey } from '../../../server/http/door.ts';
import type { Charge, UsageKind } from '../../../server/accounts/usage/usage-counters-store.ts';
import type { Storage } from '../../../server/stores.ts';
import {
  databaseNames,
  databasesOfThisFile,
  type DatabasePair,
} from '../../storage/database-pair.ts';
import { openAccount, sampleHash, sampleKey } from '../../storage/samples.ts';

const openDatabase = databasesOfThisFile();
const kinds: readonly UsageKind[] = ['text', 'document', 'write', 'speech'];
const MINUTE_MS = 60_000;

/** Ends of days, months, a year and a leap day, and clock changes in Europe and America. */
const turns = [
  '2024-02-29T00:00:00Z',
  '2024-03-01T00:00:00Z',
  '2024-03-10T07:00:00Z',
  '2024-03-31T01:00:00Z',
  '2024-10-27T01:00:00Z',
  '2024-12-31T00:00:00Z',
  '2025-01-01T00:00:00Z',
].map((text) => Date.parse(text));
const period = { start_date: '2024-02-28', end_date: '2025-01-02' };

const time = fc
  .tuple(fc.constantFrom(...turns), fc.constantFrom(-86_400_000, -1, 0, 1, 43_200_000))
  .map(([turnMs, offsetMs]) => turnMs + offsetMs);

/** A request as it is charged; some are refunded in full, some in part. */
const request = fc.record({
  key: fc.nat({ max: 2 }),
  kind: fc.constantFrom(...kinds),
  amount: fc.integer({ min: 0, max: 100_000 }),
  atMs: time,
  tag: fc.constantFrom(null, 'a', 'spring-2026', '~', '%', '"'),
  givenBack: fc.constantFrom(0, 0, 0, 0.5, 1),
});
type Traffic = (typeof request extends fc.Arbitrary<infer Request> ? Request : never)[];

/** The net usage of a request. */
interface Used {
  key: ApiKey;
  kind: UsageKind;
  amount: number;
  day: string;
  tag: string | null;
}

describe.each(databaseNames)('usage reports from %s', (name) => {
  let storage: Storage;
  let other: Storage;
  let execute: DatabasePair['execute'];
  beforeAll(async () => void ({ storage, other, execute } = await openDatabase(name)));

  /** Runs requests concurrently in two processes. */
  async function run(traffic: Traffic) {
    const { account, key } = await openAccount(storage, { account: { plan: 'pro' } });
    const { accountId } = account;
    const keys = [key, sampleKey(accountId, { label: 'b' }), sampleKey(accountId, { label: 'c' })];
    for (const each of keys.slice(1)) await storage.apiKeys.create(each, sampleHash());
    const used = await Promise.all(
      traffic.map(async ({ kind, amount, atMs, tag, ...more }, index): Promise<Used> => {
        const usage = [storage, other][index % 2]!.usage;
        const by = keys[more.key]!;
        const charge: Charge = { accountId, keyId: by.keyId, kind, amount, atMs, tag };
        expect(await usage.charge(charge)).toBe('charged');
        const back = Math.floor(amount * more.givenBack);
        if (back > 0) await usage.refund({ ...charge, amount: back });
        const day = new Date(atMs).toISOString().slice(0, 10);
        return { key: by, kind, amount: amount - back, day, tag };
      }),
    );
    return {
      accountId,
      keys,
      used,
      reporting: createUsageReporting({ usageReports: other.usageReports, tagsPerPage: 3 }),
    };
  }

  it('agree with the sum of any requests in every grouping', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 40 }), async (traffic) => {
        // Requests of other accounts appear in no report.
        const [ours] = await Promise.all([run(traffic), run(traffic.slice(0, 3))]);
        const { accountId, used, reporting } = ours;
        const total = { total_usage: breakdown(used), ...datesOf(period) };
        expect(await reporting.byKey(accountId, period)).toEqual(total);
        expect(await reporting.byKey(accountId, { ...period, group_by: 'key' })).toEqual({
          ...total,
          group_by: 'key',
          key_usages: grouped(used, ({ key }) => key.keyId).map((group) => ({
            ...namesOf(group[0]!.key),
            usage: breakdown(group),
          })),
        });
        expect(await reporting.byKey(accountId, { ...period, group_by: 'key_and_day' })).toEqual({
          ...total,
          group_by: 'key_and_day',
          key_and_day_usages: grouped(used, ({ key, day }) => `${day} ${key.keyId}`).map(
            (group) => ({
              ...namesOf(group[0]!.key),
              usage_date: `${group[0]!.day}T00:00:00`,
              usage: breakdown(group),
            }),
          ),
        });
        for (const aggregate_by of ['', 'day']) {
          expect(await allTags(ours, aggregate_by)).toEqual(tagsOf(used, aggregate_by === 'day'));
        }
      }),
      // What is read does not depend on the database.
      { numRuns: name === 'sqlite' ? 10 : 3 },
    );
  });

  async function allTags({ accountId, reporting }: Awaited<ReturnType<typeof run>>, by: string) {
    const rows = [];
    for (let page: number | null = 1; page !== null;) {
      const report = await reporting.byTag(accountId, { ...period, aggregate_by: by, page });
      expect(report.usage.length).toBeLessThanOrEqual(3);
      rows.push(...report.usage);
      page = report.next_page;
    }
    return rows;
  }

  it('agree with the monthly counters that limits use', async () => {
    const { accountId, keys, used } = await run(
      fc.sample(fc.array(request, { minLength: 60, maxLength: 60 }), { numRuns: 1, seed: 7 })[0]!,
    );
    for (const month of ['2024-02', '2024-03', '2024-12', '2025-01']) {
      const first = `${month}-01`;
      const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0));
      const range = { firstDay: first, lastDay: last.toISOString().slice(0, 10) };
      const counted = await storage.usage.ofMonth(accountId, keys[0]!.keyId, Date.parse(first));
      expect(await storage.usageReports.total(accountId, range)).toEqual(counted.account);
      const sum = used.filter(({ day, kind }) => day.startsWith(month) && kind === 'speech');
      expect(counted.account.speech).toBe(sum.reduce((all, { amount }) => all + amount, 0));
    }
  });

  it('include both of their days, and no other', async () => {
    const { account, charge } = await openAccount(storage);
    const days = ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23'];
    for (const [index, day] of days.entries()) {
      for (const hour of ['00:00:00.000', '23:59:59.999']) {
        await storage.usage.charge(
          charge({ amount: 10 ** index, atMs: Date.parse(`${day}T${hour}Z`) }),
        );
      }
    }
    const range = { firstDay: '2026-11-21', lastDay: '2026-11-22' };
    expect((await storage.usageReports.total(account.accountId, range)).text).toBe(220);
  });

  // PostgreSQL plans by statistics.
  if (name !== 'sqlite') return;

  it('find an account by an index', async () => {
    const query = `select sum(line.amount) from api_keys as key join usage_days as line on line.key_id = key.key_id
      where key.account_id = 'x' and line.day >= '2026-01-01' and line.day <= '2026-12-31'`;
    const plan = JSON.stringify(await execute(`explain query plan ${query}`));
    expect(plan).toContain('key_id=? AND day>? AND day<?');
  });
});

function namesOf({ masked, label }: ApiKey) {
  return { api_key: masked, api_key_label: label };
}

function datesOf({ start_date, end_date }: typeof period) {
  return { start_date: `${start_date}T00:00:00`, end_date: `${end_date}T00:00:00` };
}

/** Groups with usage, sorted by name, as the keys are equally old. */
function grouped(used: readonly Used[], nameOf: (each: Used) => string): Used[][] {
  const groups = new Map<string, Used[]>();
  for (const each of used.filter(({ amount }) => amount > 0)) {
    groups.set(nameOf(each), [...(groups.get(nameOf(each)) ?? []), each]);
  }
  return [...groups].sort(([one], [two]) => (one < two ? -1 : 1)).map(([, group]) => group);
}

function breakdown(used: readonly Used[]) {
  const of = (kind: UsageKind) =>
    used.reduce((sum, each) => sum + (each.kind === kind ? each.amount : 0), 0);
  const [text, document, write, speech] = [of('text'), of('document'), of('write'), of('speech')];
  return {
    total_characters: text + document + write,
    text_translation_characters: text,
    document_translation_characters: document,
    text_improvement_characters: write,
    speech_to_text_minutes: speech / MINUTE_MS,
    speech_to_text_milliseconds: speech,
  };
}

function tagsOf(used: readonly Used[], isByDay: boolean) {
  const tagged = used.filter(({ tag, kind }) => tag !== null && /text|write/.test(kind));
  return grouped(tagged, ({ tag, day }) => `${tag ?? ''} ${isByDay ? day : ''}`).map((group) => {
    const { total_characters, text_translation_characters, text_improvement_characters } =
      breakdown(group);
    return {
      custom_tag: group[0]!.tag,
      ...(isByDay && { usage_date: `${group[0]!.day}T00:00:00` }),
      breakdown: { total_characters, text_translation_characters, text_improvement_characters },
    };
  });
}
