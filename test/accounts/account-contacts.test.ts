import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkedEmails, checkedOrigins } from '../../server/accounts/accounts.ts';
import { createKnownOrigins, mayConnect } from '../../server/http/door.ts';

describe('origins', () => {
  it('are stored as browsers send them, without duplicates', () => {
    expect(
      checkedOrigins([
        'https://Example.ORG',
        ' https://example.org/ ',
        'http://localhost:3000',
        '*',
      ]),
    ).toEqual(['https://example.org', 'http://localhost:3000', '*']);
  });

  it.each([
    'example.org',
    'https://example.org/path',
    'https://example.org?x',
    'https://user@example.org',
    'ftp://example.org',
    'javascript:alert(1)',
    'null',
    'https://*.example.org',
    '',
  ])('that could never match are refused: %j', (origin) => {
    expect(() => checkedOrigins([origin])).toThrow(/origins\.0.*https:\/\/example\.org/);
  });

  it('are limited to a hundred', () => {
    const many = Array.from({ length: 101 }, (_, index) => `https://a${index}.example.org`);
    expect(() => checkedOrigins(many)).toThrow(/at most 100/);
    expect(checkedOrigins(many.slice(1))).toHaveLength(100);
  });
});

describe('e-mail addresses', () => {
  it('are stored as written, without duplicates', () => {
    expect(
      checkedEmails([' desk@example.org', 'desk@example.org', 'ä.b+c@sub.example.org']),
    ).toEqual(['desk@example.org', 'ä.b+c@sub.example.org']);
  });

  it.each([
    'desk',
    'desk@example',
    'Desk <desk@example.org>',
    'a@example.org,b@example.org',
    'a@example.org\r\nBcc: b@example.org',
    `${'a'.repeat(65)}@example.org`,
    `a@${'b'.repeat(260)}.org`,
  ])('that a mail server would misread are refused: %j', (address) => {
    expect(() => checkedEmails([address])).toThrow(/emails\.0/);
  });
});

describe('the origin of a page that opens a socket', () => {
  const host = 'live.example.org';

  it.each([
    ['a program', undefined, host, [], true],
    ['the server itself', 'https://live.example.org', host, [], true],
    ['a listed site', 'https://site.example.org', host, ['https://site.example.org'], true],
    ['any site of an open list', 'null', host, ['*'], true],
    ['the same machine, another port', 'http://127.0.0.1:5173', 'localhost:8080', [], true],
    ['the same machine by IPv6', 'http://[::1]:5173', '[::1]:8080', [], true],
    ['another site', 'https://site.example.org', host, [], false],
    ['another port', 'https://live.example.org:8443', host, [], false],
    ['a page of the visitor’s machine', 'http://localhost:5173', host, [], false],
    ['a site that calls itself local', 'http://localhost.example.org', 'localhost:8080', [], false],
    ['no site', 'null', host, [], false],
  ])('is checked for %s', (_who, origin, asked, origins, isAllowed) => {
    expect(mayConnect({ origin, host: asked }, origins)).toBe(isAllowed);
  });

  it('is the server itself at its public address', () => {
    const page = { origin: 'https://live.example.org', host: '10.0.0.7:8080' };
    expect(mayConnect(page, [], 'https://live.example.org/captions')).toBe(true);
    expect(mayConnect(page, [])).toBe(false);
  });
});

describe('the cache of allowed origins', () => {
  it('reads the database at most once in five seconds, and again after a failure', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let looks = 0;
    let isDown = false;
    const knows = createKnownOrigins({
      accounts: {
        list: async () => {
          looks += 1;
          if (isDown) throw new Error('away');
          return [];
        },
      },
    });
    await Promise.all(Array.from({ length: 50 }, () => knows('https://example.org')));
    expect(looks).toBe(1);
    // The clock of the machine is set back.
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(5_001);
    isDown = true;
    await expect(knows('https://example.org')).rejects.toThrow('away');
    isDown = false;
    expect(await knows('https://example.org')).toBe(false);
    expect(looks).toBe(3);
  });
});
