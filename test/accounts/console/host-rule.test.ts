/**
 * The host names under which the console is served: a foreign name that resolves to the server is refused.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHostRule } from '../../../server/accounts/console/door.ts';
import { rawExchange } from '../../support/machine/raw-exchange.ts';
import { startHosted, type HostedServer } from '../../support/product/hosted-server.ts';

let server: HostedServer;
beforeAll(async () => {
  server = await startHosted({ RECOGNISER: 'silent', HOST: '0.0.0.0' });
});
afterAll(() => server.stop());

it('refuses a page under a rebound host name, before the password check and the page itself', async () => {
  const { port } = new URL(server.url);
  const local = `http://127.0.0.1:${port}`;
  const signIn = (host: string) => {
    const body = JSON.stringify({ account: 'default', password: 'a guess that is long enough' });
    return rawExchange(
      local,
      `POST /console/api/sign-in HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\n` +
        'Sec-Fetch-Site: same-origin\r\nX-Dragoman-Console: 1\r\nConnection: close\r\n' +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  };
  expect(await signIn(`localhost:${port}`)).toMatch(/ 403 [\s\S]*The account or the password/);
  const rebound = `evil.example:${port}`;
  expect(await signIn(rebound)).toMatch(/ 403 [\s\S]*does not go by this name\. Set PUBLIC_URL/);
  const page = `GET /console/ HTTP/1.1\r\nHost: ${rebound}\r\nConnection: close\r\n\r\n`;
  expect(await rawExchange(local, page)).toMatch(/^HTTP\/1\.1 403 /);
});

const PUBLIC_URL = 'https://live.example.org/here/';

it.each<[string, Parameters<typeof createHostRule>[0], string[], string[]]>([
  [
    'without an address of its own, addresses alone',
    { publicUrl: undefined, isVouchedFor: false },
    ['127.0.0.1:8080', '192.168.1.7', '[::1]:8080', '[fd00::7]', 'LOCALHOST:8080'],
    ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:8080', '', 'a b', '[::1'],
  ],
  [
    'with an address of its own, that name as well',
    { publicUrl: PUBLIC_URL, isVouchedFor: true },
    ['live.example.org', 'Live.Example.org:443', '10.0.0.1:8080', 'localhost'],
    ['evil.example', 'example.org', 'live.example.org.evil.example'],
  ],
  [
    'behind a proxy or a certificate, the names that these vouch for',
    { publicUrl: undefined, isVouchedFor: true },
    ['any.example', '10.0.0.1'],
    ['', 'a b'],
  ],
])('%s', (_case, options, ours, others) => {
  const isOurs = createHostRule(options);
  for (const host of ours) expect([host, isOurs(host)]).toEqual([host, true]);
  for (const host of others) expect([host, isOurs(host)]).toEqual([host, false]);
});
