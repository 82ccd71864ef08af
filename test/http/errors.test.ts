import { Writable } from 'node:stream';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { answerError } from '../../server/http/errors.ts';
import { ServiceError } from '../../shared/errors.ts';

it('logs one line without a stack trace for many requests during a database outage', async () => {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(JSON.parse(line.toString()) as Record<string, unknown>);
      done();
    },
  });
  const app = Fastify({ logger: { level: 'error', stream } });
  app.setErrorHandler(answerError);
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
