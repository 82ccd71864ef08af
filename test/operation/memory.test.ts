/** The server's memory: small when idle, and back to that after a flood. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, until, type TestServer } from '../support/product/server.ts';

/** Limit for the resident memory of the server's own process when idle, in bytes. */
const IDLE_BYTES = 300e6;
/** Limit during the flood: less than the initial memory plus everything sent at once. */
const FLOODED_BYTES = 360e6;
const UPLOADS_AT_ONCE = 50;
/** The garbage collector runs when the process is idle. */
const IDLE_DEADLINE_MS = 240_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ RECOGNISER: 'silent', DEMO: 'off' });
});
afterAll(() => server.stop());

function residentBytes(pid: number): number {
  const [, kilobytes] =
    /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

it('needs little more memory in a flood, and releases it', async () => {
  const hostile = ['a.'.repeat(10_000), 'ü'.repeat(10_000), '<a>'.repeat(7_000)];
  let greatest = 0;
  const look = () => (greatest = Math.max(greatest, residentBytes(server.pid)));
  const ask = async (hostileText: string): Promise<void> => {
    const text = [hostileText];
    await server.post('/v3/detect/language', { text });
    look();
    await server.post('/v2/translate', { text, target_lang: 'es', tag_handling: 'xml' });
    look();
  };
  const form = new FormData();
  form.set('target_lang', 'ES');
  form.set('file', new Blob([new Uint8Array(5_000_000)]), 'a.docx');
  // Serialised once, and sent by the plainest client: it would cost more than the server.
  const written = new Response(form);
  const headers = {
    Authorization: `Service-Auth-Key ${server.apiKey}`,
    'Content-Type': written.headers.get('Content-Type') ?? '',
  };
  const body = Buffer.from(await written.arrayBuffer());
  const upload = async (): Promise<void> => {
    const asked = request(`${server.url}/v2/document`, { method: 'POST', headers });
    asked.end(body);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(400);
    look();
  };
  await Promise.all([...hostile.map(ask), ...Array.from({ length: UPLOADS_AT_ONCE }, upload)]);
  expect(greatest).toBeLessThan(FLOODED_BYTES);
  await until(() => residentBytes(server.pid) < IDLE_BYTES, IDLE_DEADLINE_MS);
});
