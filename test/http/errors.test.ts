import { once } from 'node:events';
import http from 'node:http';
import { Writable } from 'node:stream';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { answerError } from '../../server/http/errors.ts';
import { abortWhenGone } from '../../server/http/requests.ts';
import { ServiceError } from '../../shared/errors.ts';

/** A server that answers errors as ours does, and the lines that it logs. */
function loggingApp(level: string) {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(JSON.parse(line.toString()) as Record<string, unknown>);
      done();
    },
  });
  const app = Fastify({ logger: { level, stream } });
  app.setErrorHandler(answerError);
  return { app, lines };
}

it('logs one line without a stack trace for many requests during a database outage', async () => {
  const { app, lines } = loggingApp('error');
  app.get('/', async () => {
    const cause = new Error('connect ECONNREFUSED 127.0.0.1:5432');
    throw new ServiceError('storage_unavailable', 'The database cannot be reached.', { cause });
  });
  app.get('/fault', async () => {
    throw new Error('unforeseen');
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => app.inject('/')));
  for (const { statusCode, headers } of answers) {
    expect({ statusCode, retryAfter: headers['retry-after'] }).toEqual({
      ...{ statusCode: 503, retryAfter: '5' },
    });
  }
  const reason = 'connect ECONNREFUSED 127.0.0.1:5432';
  expect(lines).toEqual([expect.objectContaining({ code: 'storage_unavailable', reason })]);
  expect(JSON.stringify(lines)).not.toContain('stack');

  await app.inject('/fault');
  expect(lines[1]).toMatchObject({ err: { message: 'unforeseen' } });
  await app.close();
});

it('logs a foreseen refusal with its message and without a stack trace', async () => {
  const { app, lines } = loggingApp('error');
  const reason = 'No speech recogniser is running.';
  app.get('/', async () => {
    throw new ServiceError('engine_unavailable', reason);
  });
  expect((await app.inject('/')).statusCode).toBe(503);
  expect(lines).toEqual([expect.objectContaining({ code: 'engine_unavailable', reason })]);
  expect(JSON.stringify(lines)).not.toContain('stack');
  await app.close();
});

it('logs a client that leaves before its answer, and not as an error', async () => {
  const { app, lines } = loggingApp('info');
  app.post('/', async (_request, reply) => {
    const { signal } = abortWhenGone(reply);
    client.destroy();
    await once(signal, 'abort');
    signal.throwIfAborted();
  });
  const client = http.request(await app.listen(), { method: 'POST' });
  client.on('error', () => undefined);
  client.setHeader('content-type', 'application/json');
  client.end('{}');
  const line = { level: 30, msg: 'client left during its request' };
  await expect.poll(() => lines).toContainEqual(expect.objectContaining(line));
  expect(lines.filter(({ level }) => level === 50)).toEqual([]);
  await app.close();
});
