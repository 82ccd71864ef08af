import os from 'node:os';
import { afterAll, expect, it } from 'vitest';
import { executeOn } from '../../storage/database-access.ts';
import { openPlatform, type Platform } from '../../support/product/platform.ts';
import { emails, MINUTE_MS, noticesIn, tellings } from './notices-in.ts';

let platform: Platform;
const notices = noticesIn(async () => {
  platform = await openPlatform();
  const { storage, dataFolder } = platform;
  const place = { url: undefined, dataFolder };
  return { storage, other: storage, execute: (sql) => executeOn(place, sql) };
});
afterAll(() => platform.close());

it('describes the event in plain text and HTML, without a secret', async () => {
  const server = await notices.startServer();
  const { use, key, secretHash } = await notices.openKey(1_000_000, {
    label: `<b>"Sprachführer" & 'co'</b>`,
    emails: ['ada@example.org'],
  });
  await use(812_345);
  await notices.senderTo(server.url).sendDue();
  const mail = server.mails[0]!;
  expect(mail.subject).toBe(
    `API key “<b>"Sprachführer" & 'co'</b>” has used 80 % of its characters this month`,
  );
  expect(mail.from?.address).toBe('notices@dragoman.example.org');
  expect(mail.to).toEqual([{ name: '', address: 'ada@example.org' }]);
  expect(mail.messageId).toMatch(/^<usage\.[\w.-]+@dragoman\.example\.org>$/);
  expect(mail.headers).toContainEqual(
    expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
  );
  for (const fact of [
    'editors',
    'dc88****3a2c',
    '812,345 of 1,000,000 characters',
    '21 November 2026',
    '14:03 UTC',
    '1 December 2026',
    '456',
  ]) {
    expect(mail.text).toContain(fact);
    expect(mail.html).toContain(fact);
  }
  expect(mail.html).not.toContain('<b>');
  expect(mail.html).toContain('&#60;b&#62;&#34;Sprachführer&#34; &#38; ');
  for (const secret of [secretHash, key.keyId]) expect(mail.raw).not.toContain(secret);
});

it('counts speech separately, in minutes', async () => {
  const server = await notices.startServer();
  const { hear, use } = await notices.openKey(1_000, { emails: ['ada@example.org'] });
  await use(100);
  // Speech that was heard counts in full, even beyond the limit.
  await hear(479_999);
  await notices.senderTo(server.url).sendDue();
  expect(server.mails).toEqual([]);
  await hear(1);
  await notices.senderTo(server.url).sendDue();
  await hear(130_000);
  await notices.senderTo(server.url).sendDue();
  expect(server.mails.map(({ subject }) => subject)).toEqual([
    'API key “website” has used 80 % of its speech this month',
    'API key “website” has used all of its speech this month',
  ]);
  expect(server.mails[0]?.text).toContain('8 of 10 minutes');
  expect(server.mails[1]?.text).toContain('10.2 of 10 minutes');
});

it('sends a notice at the first integer that is 80 % of a limit', async () => {
  const server = await notices.startServer();
  const sender = notices.senderTo(server.url);
  const marks: number[] = [];
  for (const limit of [1, 4, 5, 7, 9, Number.MAX_SAFE_INTEGER]) {
    server.mails.length = 0;
    const { use } = await notices.openKey(limit, { emails: ['ada@example.org'] });
    const mark = Number((BigInt(limit) * 4n + 4n) / 5n);
    if (mark > 1) await use(mark - 1);
    await sender.sendDue();
    expect(server.mails).toEqual([]);
    await use(1);
    await sender.sendDue();
    expect(tellings(server)).toEqual([`${mark === limit ? 'all' : '80 %'} ada@example.org`]);
    marks.push(mark);
  }
  expect(marks.slice(0, -1)).toEqual([1, 4, 4, 6, 8]);
});

it('sends no notice for a limit of 0, or for a limit of the account', async () => {
  const server = await notices.startServer();
  const blocked = await notices.openKey(100);
  await blocked.limit(0);
  expect(await blocked.use(1)).toBe('key_limit_reached');
  const free = await notices.openKey(null);
  await free.use(1_000_000);
  await notices.senderTo(server.url).sendDue();
  expect(server.mails).toEqual([]);
});

it.each([
  [550, 'No such user'],
  [551, '5.1.6 Moved'],
  [552, '5.2.2 Full'],
])('gives up an address that is rejected with %i %s, and no other', async (status, text) => {
  const server = await notices.startServer({
    onRecipient: (address) =>
      address === emails[0] ? { status, text: `${text} ${address}` } : undefined,
  });
  const sender = notices.senderTo(server.url);
  const { use } = await notices.openKey(10);
  await use(9);
  await sender.sendDue();
  notices.nowMs += 600 * MINUTE_MS;
  await sender.sendDue();
  expect(server.asked).toEqual(emails);
  expect(tellings(server)).toEqual([`80 % ${emails[1]}`]);
  expect(notices.log.lines[0]?.message).toContain('account change');
  expect(JSON.stringify(notices.log.lines)).not.toContain('@');
});

it.each([
  [554, '5.7.1 Relay access denied'],
  [550, '5.7.1 Log in first'],
  [550, '5.1.8 Sender unknown'],
  [503, 'Not now'],
])('retries when relaying is refused with %i %s', async (status, text) => {
  let isRefusing = true;
  const server = await notices.startServer({
    onRecipient: (address) => (isRefusing ? { status, text: `${text} ${address}` } : undefined),
  });
  const sender = notices.senderTo(server.url);
  const { use } = await notices.openKey(10);
  await use(9);
  await sender.sendDue();
  expect(server.asked).toEqual(emails);
  const [line] = notices.log.lines;
  expect(line?.message).toMatch(/SMTP_URL.*SMTP_FROM/);
  expect(JSON.stringify(line)).toContain(`${status} ${/^[\d.]*/.exec(text)![0]}`.trim());
  expect(JSON.stringify(notices.log.lines)).not.toContain('@');
  isRefusing = false;
  notices.nowMs += MINUTE_MS;
  await sender.sendDue();
  expect(tellings(server).sort()).toEqual(emails.map((each) => `80 % ${each}`));
});

it('continues with other recipients when the first mail is refused or its server hangs up', async () => {
  let answer: { status: number; text: string } | undefined = {
    status: 554,
    text: '5.7.1 Not with these words',
  };
  const server = await notices.startServer({
    onMail: async ({ recipients }) => (recipients[0] === emails[0] ? answer : undefined),
  });
  const sender = notices.senderTo(server.url);
  const { use } = await notices.openKey(10);
  await use(9);
  await sender.sendDue();
  expect(tellings(server)).toEqual([`80 % ${emails[1]}`]);
  answer = undefined;
  notices.nowMs += MINUTE_MS;
  await sender.sendDue();
  expect(tellings(server)).toEqual([`80 % ${emails[1]}`, `80 % ${emails[0]}`]);
  answer = { status: 421, text: 'Closing' };
  server.mails.length = 0;
  await use(1);
  await sender.sendDue();
  expect(tellings(server)).toEqual([]);
  notices.nowMs += MINUTE_MS;
  await sender.sendDue();
  expect(tellings(server)).toEqual([`all ${emails[1]}`]);
});

it('survives a mail server that is away or rejects the password', async () => {
  const gone = await notices.startServer();
  await gone.close();
  notices.servers.pop();
  const { use } = await notices.openKey(10, { emails: ['ada@example.org'] });
  await use(10);
  expect(await notices.senderTo(gone.url).sendDue()).toBe(false);
  const server = await notices.startServer({
    login: { user: 'dragoman', password: 'p@ss word' },
    server: { allowInsecureAuth: true },
  });
  const as = (password: string) =>
    server.url.replace('//', `//dragoman:${encodeURIComponent(password)}@`);
  notices.nowMs += 2 * MINUTE_MS;
  expect(await notices.senderTo(as('wrong')).sendDue()).toBe(false);
  notices.nowMs += 60 * MINUTE_MS;
  expect(await notices.senderTo(as('p@ss word')).sendDue()).toBe(true);
  expect(tellings(server)).toEqual(['all ada@example.org']);
  expect(server.logins).toEqual(['dragoman', 'dragoman']);
  expect(JSON.stringify(notices.log.lines)).not.toMatch(/wrong|@|ss word/);
});

it('sends nothing to a server with an untrusted certificate', async () => {
  const server = await notices.startServer({ server: { secure: true } });
  const { use } = await notices.openKey(10);
  await use(8);
  expect(await notices.senderTo(`smtps://127.0.0.1:${server.port}`).sendDue()).toBe(false);
  expect(server.asked).toEqual([]);
  expect(await notices.storage.usageNotices.countOpen('2026-11')).toEqual({
    addressed: 1,
    unaddressed: 0,
  });
});

const elsewhere = Object.values(os.networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
it.runIf(elsewhere !== undefined)('sends no password unencrypted over a network', async () => {
  const login = { user: 'dragoman', password: 'secret' };
  const server = await notices.startServer({
    login,
    host: elsewhere!,
    server: { hideSTARTTLS: true, allowInsecureAuth: true },
  });
  const { use } = await notices.openKey(10);
  await use(8);
  const url = server.url.replace('//', '//dragoman:secret@');
  expect(await notices.senderTo(url).sendDue()).toBe(false);
  expect(server.logins).toEqual([]);
  expect(server.mails).toEqual([]);
});

it('waits for recipients and a mail server, and logs that once', async () => {
  const lonely = await notices.openKey(10, { emails: [] });
  const { use } = await notices.openKey(10);
  await Promise.all([lonely.use(8), use(8)]);
  const silent = notices.senderTo(undefined);
  await silent.sendDue();
  await silent.sendDue();
  expect(notices.log.lines.map(({ message }) => message)).toEqual([
    expect.stringContaining('SMTP_URL'),
    expect.stringContaining('--add-email'),
  ]);
  const server = await notices.startServer();
  notices.nowMs += 26 * 60 * MINUTE_MS;
  await notices.senderTo(server.url).sendDue();
  expect(tellings(server)).toEqual(emails.map((each) => `80 % ${each}`));
  await notices.storage.accounts.change(lonely.account.accountId, {
    emails: ['cleo@example.org'],
  });
  await notices.senderTo(server.url).sendDue();
  expect(tellings(server).at(-1)).toBe('80 % cleo@example.org');
});

it('sends no notice when its month is long over', async () => {
  const { use } = await notices.openKey(10);
  await use(8);
  const server = await notices.startServer();
  notices.nowMs = Date.UTC(2026, 11, 9);
  await notices.senderTo(server.url).sendDue();
  expect(server.mails).toEqual([]);
  notices.nowMs = Date.UTC(2026, 11, 6);
  await notices.senderTo(server.url).sendDue();
  expect(server.mails).toHaveLength(2);
});
