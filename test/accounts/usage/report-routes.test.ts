import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UsageAnalytics } from '../../../shared/schemas/admin.ts';
import {
  ANALYTICS,
  KEYS,
  openAdministration,
  TAGS,
  type Administration,
  type Administrator,
  type Refusal,
} from '../admin-support.ts';

let administration: Administration;
let admin: Administrator;
beforeAll(async () => void (administration = await openAdministration()));
beforeEach(async () => void (admin = await administration.newAdmin()));
afterAll(() => administration.close());

describe('usage reports', () => {
  const report = async (query: Record<string, string>, path = ANALYTICS) =>
    admin.call<UsageAnalytics & Refusal>('GET', `${path}?${new URLSearchParams(query).toString()}`);
  const today = () => new Date().toISOString().slice(0, 10);
  const day = (text: string) => ({ start_date: text, end_date: text });

  it('contain the usage by key and day, including today', async () => {
    const [website, desk] = [
      await admin.createKey({ label: 'website' }),
      await admin.createKey({ label: 'desk' }),
    ];
    const start_date = today();
    await administration.spend(website.key, 'seven!!');
    await administration.spend(desk.key, 'é😀');
    await admin.used({ keyId: desk.key_id, kind: 'document', amount: 300 });
    await admin.used({ keyId: desk.key_id, kind: 'write', amount: 4_000 });
    await admin.used({ keyId: desk.key_id, kind: 'speech', amount: 90_001 });
    const end_date = today();
    const usage = (text: number, document = 0, write = 0, speech = 0) => ({
      total_characters: text + document + write,
      text_translation_characters: text,
      document_translation_characters: document,
      text_improvement_characters: write,
      speech_to_text_minutes: speech / 60_000,
      speech_to_text_milliseconds: speech,
    });
    const dates = { start_date: `${start_date}T00:00:00`, end_date: `${end_date}T00:00:00` };
    const total_usage = usage(9, 300, 4_000, 90_001);
    const asked = { start_date, end_date: `${end_date}T00:00:00` };
    expect((await report(asked)).body).toEqual({ usage_report: { total_usage, ...dates } });
    expect((await report({ ...asked, group_by: '' })).body).toEqual({
      usage_report: { total_usage, ...dates },
    });
    const masked = (secret: string) => `${secret.slice(0, 4)}****${secret.slice(-4)}`;
    const key_usages = [
      { api_key: masked(website.key), api_key_label: 'website', usage: usage(7) },
      { api_key: masked(desk.key), api_key_label: 'desk', usage: usage(2, 300, 4_000, 90_001) },
    ];
    const byKey = (await report({ ...asked, group_by: 'key' })).body.usage_report;
    expect(byKey).toEqual({
      total_usage,
      ...dates,
      group_by: 'key',
      key_usages: expect.arrayContaining(key_usages) as unknown,
    });
    const byDay = (await report({ ...asked, group_by: 'key_and_day' })).body.usage_report;
    expect(byDay.total_usage).toEqual(total_usage);
    // A test that runs across midnight sees two days.
    if (start_date === end_date) {
      const withDay = key_usages.map((each) => ({ ...each, usage_date: dates.start_date }));
      expect(byDay.key_and_day_usages).toEqual(expect.arrayContaining(withDay));
    }
  });

  it("cover only the admin key's own account, including its deactivated keys", async () => {
    const { key, key_id } = await admin.createKey();
    await administration.spend(key, 'seven!!');
    await admin.call('PUT', `${KEYS}/deactivate`, { key_id });
    const asked = { start_date: today(), end_date: today(), group_by: 'key' };
    const ours = (await report(asked)).body.usage_report;
    expect(ours).toMatchObject({ total_usage: { total_characters: 7 } });
    admin = await administration.newAdmin();
    const theirs = (await report(asked)).body.usage_report;
    expect(theirs).toMatchObject({ total_usage: { total_characters: 0 }, key_usages: [] });
  });

  it('list texts and improvements by tag, page by page', async () => {
    const { key, key_id } = await admin.createKey();
    await administration.spend(key, 'seven!!', ' Spring-2026 ');
    await administration.spend(key, 'untagged');
    const asked = { start_date: today(), end_date: today() };
    type Tags = {
      custom_tag_usage_report: { next_page: number | null; usage: { custom_tag: string }[] };
    };
    const page = async (query: object) =>
      (await report({ ...asked, ...query }, TAGS)).body as unknown as Tags;
    expect(await page({})).toEqual({
      custom_tag_usage_report: {
        aggregate_by: 'period',
        start_date: `${asked.start_date}T00:00:00`,
        end_date: `${asked.end_date}T00:00:00`,
        next_page: null,
        usage: [
          {
            custom_tag: 'spring-2026',
            breakdown: {
              total_characters: 7,
              text_translation_characters: 7,
              text_improvement_characters: 0,
            },
          },
        ],
      },
    });
    const tags = Array.from({ length: 1_001 }, (_, index) => `tag-${1_000 + index}`);
    const atMs = Date.parse('2026-02-03T23:59:59Z');
    await Promise.all(
      tags.map((tag) => admin.used({ keyId: key_id, kind: 'write', amount: 3, atMs, tag })),
    );
    await admin.used({ keyId: key_id, kind: 'document', amount: 3, atMs, tag: 'paper' });
    const february = { start_date: '2026-02-01', end_date: '2026-02-28', aggregate_by: 'day' };
    const seen: unknown[] = [];
    let next: number | null = 1;
    for (let asked = 0; next !== null; asked += 1) {
      expect(asked).toBeLessThan(4);
      const { custom_tag_usage_report: part }: Tags = await page({
        ...february,
        page: String(next),
      });
      seen.push(...part.usage);
      next = part.next_page;
    }
    expect(seen).toEqual(
      tags.map((custom_tag) => ({
        custom_tag,
        usage_date: '2026-02-03T00:00:00',
        breakdown: {
          total_characters: 3,
          text_translation_characters: 0,
          text_improvement_characters: 3,
        },
      })),
    );
    expect((await page({ ...february, page: '9' })).custom_tag_usage_report).toMatchObject({
      next_page: null,
      usage: [],
    });
  });

  it.each([ANALYTICS, TAGS])('%s refuse a period that is invalid or too long', async (path) => {
    const refused = async (start_date: string, end_date: string) => {
      const { status, body } = await report({ start_date, end_date }, path);
      return status === 400 ? body.message : status;
    };
    expect(await refused('2024-01-01', '2025-01-01')).toBe(200);
    expect(await refused('2024-01-01T10:20:30', '2025-01-01T23:59:59')).toBe(200);
    expect(await refused('2024-01-01', '2025-01-02')).toBe(
      'Bad request. Reason: Date range cannot exceed 366 days',
    );
    expect(await refused('2025-01-02', '2025-01-01')).toContain('end_date');
    for (const date of [
      '2025-02-29',
      '2025-13-01',
      '2025-1-1',
      'today',
      '2025-01-01T24:00:00',
      '2025-01-01T00:00:00Z',
      "2025-01-01' or 1=1",
    ]) {
      expect(await refused(date, '2026-01-01')).toContain("'start_date'");
      expect(await refused('2025-01-01', date)).toContain("'end_date'");
    }
    const missing = await report({ start_date: '2025-01-01' }, path);
    expect(missing).toMatchObject({
      status: 400,
      body: { message: "Parameter 'end_date' not specified." },
    });
  });

  it('refuse unknown groupings and pages', async () => {
    const grouped = await report({ ...day('2026-01-01'), group_by: 'tag' });
    expect(grouped).toMatchObject({ status: 400 });
    expect(grouped.body.message).toContain(
      "Value for 'group_by' not supported. Allowed: '', 'key', 'key_and_day'.",
    );
    const aggregated = await report({ ...day('2026-01-01'), aggregate_by: 'year' }, TAGS);
    expect(aggregated.body.message).toContain(
      "Value for 'aggregate_by' not supported. Allowed: '', 'period', 'day'.",
    );
    for (const page of ['x', '-1', '10000001', '92233720368547758', '1e300']) {
      const paged = await report({ ...day('2026-01-01'), page }, TAGS);
      expect([page, paged.status]).toEqual([page, 400]);
    }
    const last = await report({ ...day('2026-01-01'), page: '10000000' }, TAGS);
    expect(last.body).toMatchObject({ custom_tag_usage_report: { usage: [], next_page: null } });
  });
});
