/** Bytes without sound in them over a real socket: they end the session, soon or by its idle time. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../../support/server.ts';
import { ebmlHeader, openSegment } from '../../support/matroska-writer.ts';
import { connect } from '../../support/voice-client.ts';

const VOIDS = Buffer.alloc(90_000, Uint8Array.of(0xec, 0x80));
const request = { source_media_content_type: 'audio/webm;codecs=opus' };
const head = Uint8Array.from([...ebmlHeader, ...openSegment]);

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ RECOGNISER: 'silent', VOICE_IDLE_SECONDS: '2' });
});
afterAll(() => server.stop());

it('headers without end are an error after 2 MiB of them', async () => {
  const client = await connect(server, request);
  client.sendAudio(head);
  let sentBytes = 0;
  const timer = setInterval(() => {
    client.sendAudio(VOIDS);
    sentBytes += VOIDS.length;
  }, 20);
  const { code } = await client.closed;
  clearInterval(timer);
  expect(client.error()).toMatchObject({ error_code: 400, reason_code: 4000403 });
  expect(code).toBe(4400);
  expect(sentBytes).toBeGreaterThan(2 * 1024 * 1024);
});

it('headers that trickle in do not keep a session from being idle', async () => {
  const client = await connect(server, request);
  client.sendAudio(head);
  const timer = setInterval(() => client.sendAudio(VOIDS.subarray(0, 2)), 50);
  const { code } = await client.closed;
  clearInterval(timer);
  expect(client.error()?.reason_code).toBe(4080001);
  expect(code).toBe(4408);
});
