import fc from '../../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import { databaseNames, databasesOfThisFile } from '../../storage/database-pair.ts';
import { claim, lastPart, sampleDocument, upload } from '../../documents/jobs/document-samples.ts';
import { emails, MINUTE_MS, noticesIn, tellings } from './notices-in.ts';

const openDatabase = databasesOfThisFile();

describe.each(databaseNames)('usage notices in %s', (name) => {
  const notices = noticesIn(() => openDatabase(name));

  it('reach all addresses of the account at 80 % and at 100 %, once each', async () => {
    const server = await notices.startServer();
    const sender = notices.senderTo(server.url);
    const { use } = await notices.openKey(1_000);
    await use(799);
    await sender.sendDue();
    expect(server.mails).toEqual([]);
    await use(1);
    await sender.sendDue();
    await use(199);
    await sender.sendDue();
    expect(tellings(server)).toEqual(emails.map((each) => `80 % ${each}`));
    await use(1);
    expect(await use(1)).toBe('key_limit_reached');
    await sender.sendDue();
    await sender.sendDue();
    expect(tellings(server).slice(2)).toEqual(emails.map((each) => `all ${each}`));
  });

  it('are sent once each, for any charges, refunds and servers', async () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 5, maxLength: 16 });
    await fc.assert(
      fc.asyncProperty(amounts, async (charges) => {
        const server = await notices.startServer();
        const senders = [notices.senderTo(server.url), notices.senderTo(server.url, notices.other)];
        const { use, give } = await notices.openKey(150);
        await Promise.all(
          charges.map(async (amount, index) => {
            const storage = [notices.storage, notices.other][index % 2]!;
            const outcome = await use(amount, storage);
            if (outcome === 'charged' && index % 4 === 0) await give(amount);
            await senders[index % 2]!.sendDue();
          }),
        );
        // Uses up the rest of 150 with a sum of some of these.
        for (const amount of [128, 64, 32, 16, 8, 4, 2, 1]) await use(amount);
        expect(await use(1)).toBe('key_limit_reached');
        await Promise.all(senders.map((sender) => sender.sendDue()));
        const told = tellings(server);
        expect(new Set(told).size).toBe(told.length);
        const last = told.filter((each) => !each.startsWith('80 %')).sort();
        const word = last[0]?.startsWith('all') ? 'all' : 'not enough';
        expect(last).toEqual(emails.map((each) => `${word} ${each}`));
      }),
      { numRuns: 2 },
    );
  });

  it('are sent to nobody twice when a sender hangs, and are taken over when it has died', async () => {
    let answer: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    const server = await notices.startServer({
      onMail: ({ recipients }) => (recipients[0] === emails[1] ? held : Promise.resolve()),
    });
    const { use } = await notices.openKey(10);
    await use(8);
    const hanging = notices.senderTo(server.url).sendDue();
    await expect.poll(() => server.mails.length).toBe(2);
    const heir = notices.senderTo(server.url, notices.other);
    await heir.sendDue();
    expect(server.mails).toHaveLength(2);
    notices.nowMs += 6 * MINUTE_MS;
    const takenOver = heir.sendDue();
    await expect.poll(() => server.mails.length).toBe(3);
    answer?.();
    await Promise.all([hanging, takenOver]);
    // The one with an unknown outcome was repeated under the same message id.
    expect(tellings(server)).toEqual([...emails, emails[1]].map((each) => `80 % ${each}`));
    const [, doubtful, again] = server.mails.map(({ messageId }) => messageId);
    expect(again).toBe(doubtful);
    notices.nowMs += 60 * MINUTE_MS;
    await heir.sendDue();
    expect(server.mails).toHaveLength(3);
  });

  it('retry after greylisting without repeating delivered ones', async () => {
    const grey = new Set<string>(emails.slice(1));
    const server = await notices.startServer({
      onRecipient: (address) =>
        grey.delete(address) ? { status: 451, text: 'Greylisted' } : undefined,
    });
    const sender = notices.senderTo(server.url);
    const { use } = await notices.openKey(10);
    await use(8);
    await sender.sendDue();
    await sender.sendDue();
    expect(tellings(server)).toEqual([`80 % ${emails[0]}`]);
    notices.nowMs += MINUTE_MS;
    await sender.sendDue();
    expect(tellings(server)).toEqual(emails.map((each) => `80 % ${each}`));
    notices.nowMs += 60 * MINUTE_MS;
    await sender.sendDue();
    expect(server.asked).toEqual([...emails, emails[1]]);
  });

  it('start over with the month and with another limit', async () => {
    const server = await notices.startServer();
    const sender = notices.senderTo(server.url);
    const { use, limit } = await notices.openKey(100, { emails: ['ada@example.org'] });
    const told = async () => {
      await sender.sendDue();
      return tellings(server)
        .splice(0)
        .map((each) => each.split(' ada')[0]);
    };
    await use(100);
    // A single mail, as 80 % is no news any more.
    expect(await told()).toEqual(['all']);
    // A higher limit makes the notice of the old one obsolete.
    await limit(1_000);
    server.mails.length = 0;
    expect(await told()).toEqual([]);
    await use(700);
    expect(await told()).toEqual(['80 %']);
    server.mails.length = 0;
    // A limit lowered below the usage is announced at once; setting the same one again is not.
    await limit(800);
    expect(await told()).toEqual(['all']);
    await limit(1_000);
    await limit(800);
    await limit(null);
    server.mails.length = 0;
    expect(await told()).toEqual([]);
    await limit(800);
    notices.nowMs = Date.UTC(2026, 11, 1);
    await use(640);
    expect(await told()).toEqual(['80 %']);
    expect(server.mails[0]?.text).toContain('December 2026');
  });

  it('are due when a worker charges the characters of a document', async () => {
    const server = await notices.startServer();
    const opened = await notices.openKey(1_000, { emails: ['ada@example.org'] });
    await upload(notices.storage, sampleDocument(opened));
    const { documentId, claimId } = (await claim(notices.other))!;
    const charge = opened.charge({ kind: 'document', amount: 850, atMs: notices.nowMs });
    const settled = { problem: 'No quota is left.', atMs: notices.nowMs };
    const result = { ...settled, charge, lastPart: lastPart('x') };
    expect(await notices.other.documents.finish(documentId, claimId, result)).toBe('done');
    await notices.senderTo(server.url).sendDue();
    expect(tellings(server)).toEqual(['80 % ada@example.org']);
  });
});

/** The same of every database. */
describe('usage notices', () => {
  const notices = noticesIn(() => openDatabase('sqlite'));

  it('are true when they are sent, and sent as soon as they are true', async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 1, max: 70 }) },
      { weight: 2, arbitrary: fc.constantFrom('give' as const, 'send' as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
        const server = await notices.startServer();
        const sender = notices.senderTo(server.url);
        const { use, give } = await notices.openKey(150, { emails: ['ada@example.org'] });
        const charged: number[] = [];
        const refused: { amount: number; used: number }[] = [];
        const told = new Set<string>();
        for (const each of [...steps, 'send' as const]) {
          const used = charged.reduce((sum, amount) => sum + amount, 0);
          if (each === 'give') {
            const amount = charged.pop();
            if (amount !== undefined) await give(amount);
          } else if (each !== 'send') {
            const outcome = await use(each);
            expect(outcome).toBe(used + each <= 150 ? 'charged' : 'key_limit_reached');
            if (outcome === 'charged') charged.push(each);
            else refused.push({ amount: each, used });
          } else {
            await sender.sendDue();
            const said = tellings(server).map((telling) => telling.split(' ada')[0]!);
            expect(said.length).toBeLessThanOrEqual(1);
            for (const { text } of server.mails.splice(0)) {
              expect(text).toContain(`${used} of 150 characters`);
            }
            if (said[0] === '80 %') expect(used).toBeGreaterThanOrEqual(120);
            if (said[0] === 'all') expect(used).toBe(150);
            const isTooMuch = ({ amount }: { amount: number }) => used + amount > 150;
            if (said[0] === 'not enough') expect(refused.some(isTooMuch)).toBe(true);
            for (const word of said) {
              const name = word === '80 %' ? word : 'limit';
              expect(told).not.toContain(name);
              told.add(name);
            }
            if (used >= 120) expect(told.size).toBeGreaterThan(0);
            const isReached = used === 150 || refused.some((each) => used >= each.used);
            if (isReached) expect(told).toContain('limit');
          }
        }
      }),
      { numRuns: 8 },
    );
  });

  it('announce the first refused request, even if something is left', async () => {
    const server = await notices.startServer();
    const sender = notices.senderTo(server.url);
    const { use } = await notices.openKey(100, { emails: ['ada@example.org'] });
    for (let request = 0; request < 3; request += 1) expect(await use(31)).toBe('charged');
    await sender.sendDue();
    for (let request = 0; request < 3; request += 1) {
      expect(await use(31)).toBe('key_limit_reached');
      await sender.sendDue();
    }
    await use(7);
    await sender.sendDue();
    expect(tellings(server)).toEqual(['80 % ada@example.org', 'not enough ada@example.org']);
    expect(server.mails[1]?.text).toContain('93 of 100 characters');
    expect(server.mails[1]?.text).toMatch(/was refused: it needs more[^]*Refused {2}21 November/);
  });

  it('are not sent for refunded usage, but are when it is used again', async () => {
    const server = await notices.startServer();
    const sender = notices.senderTo(server.url);
    const { use, give, limit } = await notices.openKey(100, { emails: ['ada@example.org'] });
    await use(95);
    await give(95);
    await sender.sendDue();
    expect(server.mails).toEqual([]);
    notices.nowMs += MINUTE_MS;
    await use(82);
    // No notice either for a limit that was raised meanwhile.
    await limit(1_000);
    await sender.sendDue();
    expect(server.mails).toEqual([]);
    await limit(100);
    await sender.sendDue();
    expect(tellings(server)).toEqual(['80 % ada@example.org']);
    expect(server.mails[0]?.text).toContain('82 of 100 characters');
    expect(server.mails[0]?.text).toContain('14:04 UTC');
  });
});
