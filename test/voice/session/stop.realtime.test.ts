import net from 'node:net';
import { expect, it } from 'vitest';
import { toneSpeech } from '../../support/audio/tone-speech.ts';
import { startServer, until } from '../../support/product/server.ts';
import { connect, endMarks, requestSession, stream } from '../../support/product/voice-client.ts';
import { startVoskServer } from '../../support/services/vosk-server.ts';

const PACE = { chunkBytes: 3200, chunkMs: 100 };

it.concurrent('on SIGTERM running sessions are concluded and told, new ones refused, and the process ends', async () => {
  const recogniser = await startVoskServer();
  const server = await startServer({ RECOGNISER: 'vosk', VOSK_URL: recogniser.url });
  const client = await connect(server, { target_languages: ['es'] });
  const waiting = await requestSession(server);
  // No silence at the end: the sentence is still open when the signal comes.
  await stream(client, toneSpeech('alpha bravo charlie delta', { padEndMs: 0 }), PACE);
  await until(() => client.messages.length > 0);
  server.process.kill('SIGTERM');
  await until(() => server.logs().includes('stopping'));
  const late = await server
    .post('/v3/voice/realtime', {
      source_media_content_type: 'audio/webm',
      source_language: 'en',
    })
    .then(
      ({ status }) => status,
      () => 'unreachable',
    );
  expect([503, 'unreachable']).toContain(late);
  expect((await client.closed).code).toBe(1001);
  expect(client.text().toLowerCase()).toMatch(/alpha bravo charlie delta/);
  expect(client.text('es')).not.toBe('');
  expect(endMarks(client)).toEqual([
    ...['end_of_source_transcript', 'end_of_target_transcript es', 'end_of_stream'],
  ]);
  expect(await server.exited).toBe(0);
  expect(server.logs()).not.toContain(waiting.token);
  await recogniser.close();
});

it.concurrent('who does not come to an end in time is ended, with the reason where it is a session', async () => {
  const recogniser = await startVoskServer();
  recogniser.always = { kind: 'mute' };
  const server = await startServer({
    ...{ RECOGNISER: 'vosk', VOSK_URL: recogniser.url, STOP_SECONDS: '1' },
  });
  // They ask for nothing, or never finish asking.
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
  // What it says is never heard to its end.
  const client = await connect(server, { target_languages: ['es'] });
  await stream(client, toneSpeech('alpha bravo charlie'), PACE);
  const startedAt = performance.now();
  server.process.kill('SIGTERM');
  expect((await client.closed).code).toBe(4503);
  expect(client.error()?.error_code).toBe(503);
  expect(await server.exited).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(9_000);
  for (const socket of sockets) socket.destroy();
  await recogniser.close();
});
