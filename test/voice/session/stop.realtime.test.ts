import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import net from 'node:net';
import { expect, it } from 'vitest';
import { toneSpeech } from '../../support/audio/tone-speech.ts';
import { startServer, type TestServer, until } from '../../support/product/server.ts';
import { connect, endMarks, requestSession, stream } from '../../support/product/voice-client.ts';
import { startVoskServer } from '../../support/services/vosk-server.ts';

const PACE = { chunkBytes: 3200, chunkMs: 100 };

/** Sends the first half of a document. @returns a function that sends the rest and resolves to the status */
function beginUpload({ url, apiKey }: TestServer) {
  const headers = {
    Authorization: `Service-Auth-Key ${apiKey}`,
    'Content-Type': 'multipart/form-data; boundary=edge',
  };
  const request = http.request(`${url}/v2/document`, { method: 'POST', headers });
  const field = (name: string) => `--edge\r\nContent-Disposition: form-data; name="${name}"`;
  request.write(`${field('target_lang')}\r\n\r\nES\r\n`);
  request.write(`${field('file')}; filename="note.txt"\r\n\r\nThe house `);
  return {
    async finish(): Promise<number | undefined> {
      request.end('is big.\r\n--edge--\r\n');
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    },
  };
}

it.concurrent('concludes running sessions on SIGTERM, refuses new ones, and exits', async () => {
  const recogniser = await startVoskServer();
  const server = await startServer({ RECOGNISER: 'vosk', VOSK_URL: recogniser.url });
  const client = await connect(server, { target_languages: ['es'] });
  const waiting = await requestSession(server);
  // Without silence at the end, the sentence is still open when the signal comes.
  await stream(client, toneSpeech('alpha bravo charlie delta', { padEndMs: 0 }), PACE);
  await until(() => client.messages.length > 0);
  const upload = beginUpload(server);
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
  // While an upload is under way the server reports that it is stopping, so that a balancer does not take it
  // for dead.
  const ready = await server.get('/readyz');
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringMatching(/stopping/)]);
  expect((await server.get('/healthz')).status).toBe(503);
  expect(await upload.finish()).toBe(200);
  expect(await server.exited).toBe(0);
  expect(server.logs()).not.toContain(waiting.token);
  await recogniser.close();
});

it.concurrent('ends clients that do not finish in time, sessions with a reason', async () => {
  const recogniser = await startVoskServer();
  recogniser.always = { kind: 'mute' };
  const server = await startServer({
    ...{ RECOGNISER: 'vosk', VOSK_URL: recogniser.url, STOP_SECONDS: '1' },
    // Looking for engines that are not asked is a third of a start.
    ...{ APERTIUM_MODES: '/nowhere', FFMPEG: 'none' },
  });
  // Connections without a request, or with one that is never completed.
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
  // Its speech is never recognised to the end.
  const client = await connect(server);
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
