import net from 'node:net';
import { expect, it } from 'vitest';
import { speech } from '../../support/audio/speech.ts';
import { readFileSync } from 'node:fs';
import { startServer, until } from '../../support/product/server.ts';
import { connect, endMarks, requestSession, stream } from '../../support/product/voice-client.ts';

it('on SIGTERM running sessions are concluded and told, new ones refused, and the process ends', async () => {
  const server = await startServer();
  const audio = readFileSync(await speech({ text: 'good morning how are you' })).subarray(44);
  const client = await connect(server, { target_languages: ['es'] });
  const waiting = await requestSession(server);
  // No silence at the end: the sentence is still open when the signal comes.
  await stream(client, audio.subarray(0, audio.length - 32_000), {
    chunkBytes: 3200,
    chunkMs: 100,
  });
  await until(() => client.messages.length > 0);
  server.process.kill('SIGTERM');
  await until(() => server.logs().includes('stopping'));
  const late = await server
    .post('/v3/voice/realtime', { source_media_content_type: 'audio/webm', source_language: 'en' })
    .then(
      ({ status }) => status,
      () => 'unreachable',
    );
  expect([503, 'unreachable']).toContain(late);
  expect((await client.closed).code).toBe(1001);
  expect(client.text().toLowerCase()).toMatch(/good|morning|how/);
  expect(client.text('es')).not.toBe('');
  expect(endMarks(client)).toEqual([
    ...['end_of_source_transcript', 'end_of_target_transcript es', 'end_of_stream'],
  ]);
  expect(await server.exited).toBe(0);
  expect(server.logs()).not.toContain(waiting.token);
});

it('a session that does not conclude in time is ended with the reason', async () => {
  const server = await startServer({ STOP_SECONDS: '0' });
  const audio = readFileSync(await speech({ text: 'good morning how are you' })).subarray(44);
  const client = await connect(server, { target_languages: ['es'] });
  await stream(client, audio, { chunkBytes: 3200, chunkMs: 100 });
  server.process.kill('SIGTERM');
  const { code } = await client.closed;
  expect([1001, 4503]).toContain(code);
  expect(await server.exited).toBe(0);
});

it('connections that ask for nothing, or never finish asking, do not hold a stop up', async () => {
  const server = await startServer({ RECOGNISER: 'silent', STOP_SECONDS: '1' });
  const { hostname, port } = new URL(server.url);
  const beginnings = [
    '',
    'GET / HTTP/1.1\r\nHo',
    'POST /demo/token HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
  ];
  const sockets = beginnings.map((text) => {
    const socket = net.connect(Number(port), hostname, () => socket.write(text));
    return socket.on('error', () => undefined);
  });
  const violator = await connect(server);
  violator.socket.pause();
  violator.socket.send('x'.repeat(1_000_000));
  await until(() => sockets.every(({ connecting }) => !connecting));
  await server.get('/healthz');
  const startedAt = performance.now();
  server.process.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(9_000);
  for (const socket of sockets) socket.destroy();
});
