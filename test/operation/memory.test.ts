/** What the server keeps in memory: little when nobody asks anything, and the same after a flood. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, until, type TestServer } from '../support/product/server.ts';

/** What the server's own process may have in memory once it is idle, in bytes. */
const IDLE_BYTES = 300e6;
/** What it may have while it is flooded: less than what it starts with and all that is sent to it at once. */
const FLOODED_BYTES = 360e6;
const UPLOADS_AT_ONCE = 50;
/** The garbage collector comes when nothing else is to be done. */
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

/** Processes of the server that run a module. */
function childrenThatRun(module: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const [, parent] =
          /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8')) ?? [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
        return Number(parent) === server.pid && command.includes(module);
      } catch {
        return false; // It has ended meanwhile.
      }
    })
    .map(Number);
}

it('the corrector of English is a process, whose memory is not the server’s', async () => {
  const before = residentBytes(server.pid);
  const text = ['We recieve letters every day.'];
  const response = await server.post('/v2/write/correct', { text, target_lang: 'en-US' });
  expect(await response.json()).toMatchObject({
    improvements: [{ text: 'We receive letters every day.' }],
  });
  const [pid] = childrenThatRun('harper-child');
  expect(residentBytes(pid ?? 0)).toBeGreaterThan(100e6);
  expect(residentBytes(server.pid) - before).toBeLessThan(100e6);
});

it('takes little more in a flood, and gives it back', async () => {
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
  // Written once: as forms they would cost the sender more than the server.
  const written = new Response(form);
  const headers = { 'Content-Type': written.headers.get('Content-Type') ?? '' };
  const body = await written.arrayBuffer();
  const upload = async (): Promise<void> => {
    const answer = await server.send('/v2/document', { method: 'POST', headers, body });
    expect(answer.status).toBe(400);
    look();
  };
  await Promise.all([...hostile.map(ask), ...Array.from({ length: UPLOADS_AT_ONCE }, upload)]);
  expect(greatest).toBeLessThan(FLOODED_BYTES);
  await until(() => residentBytes(server.pid) < IDLE_BYTES, IDLE_DEADLINE_MS);
});
