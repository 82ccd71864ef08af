import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  ServiceClient,
  type ServiceClientOptions,
} from '../../server/engines/service/service-client.ts';
import { recordLog } from '../support/product/log-record.ts';
import {
  startScriptedHttp,
  type Behaviour,
  type ScriptedHttp,
} from '../support/services/scripted-http.ts';
import { until } from '../support/product/server.ts';
import { failureCode } from './remote-support.ts';

let server: ScriptedHttp;
beforeAll(async () => {
  server = await startScriptedHttp(() => ({ status: 200, body: { fine: true } }));
});
afterAll(() => server.close());
afterEach(() => {
  server.always = undefined;
  server.next.length = server.requests.length = 0;
});

const log = recordLog();
const never = new AbortController().signal;

function client(options: Partial<ServiceClientOptions> = {}): ServiceClient {
  return new ServiceClient({
    kind: 'translator',
    engine: 'test',
    log,
    baseUrl: `${server.url}/base/`,
    timeoutMs: 10_000,
    headers: { authorization: 'Bearer sk-secret' },
    maxAnswerBytes: 100_000,
    firstDelayMs: 5,
    ...options,
  });
}

const ask = (options?: Partial<ServiceClientOptions>, signal = never) =>
  client(options).request({ path: '/ask', body: { text: 'private' }, signal });

const fine = { kind: 'value', value: { fine: true } };

describe('the client of a remote service', () => {
  it('sends JSON under its base address', async () => {
    expect(await ask()).toEqual(fine);
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      path: '/base/ask',
      body: { text: 'private' },
    });
  });

  it.each<[string, Behaviour]>([
    ['503', { status: 503 }],
    ['500', { status: 500 }],
    ['429', { status: 429 }],
    ['a broken connection', 'cut'],
  ])('retries after %s', async (_, failure) => {
    server.next.push(failure, failure);
    expect(await ask()).toEqual(fine);
    expect(server.requests).toHaveLength(3);
  });

  it('gives up after three tries', async () => {
    server.always = { status: 502 };
    expect(await failureCode(ask())).toBe('engine_unavailable');
    expect(server.requests).toHaveLength(3);
  });

  it('waits longer with each try', async () => {
    server.always = { status: 503 };
    await failureCode(ask({ firstDelayMs: 80 }));
    const [first, second, third] = server.requests.map(({ atMs }) => atMs);
    expect(second! - first!).toBeGreaterThanOrEqual(39);
    expect(third! - second!).toBeGreaterThanOrEqual(79);
  });

  it('honours Retry-After', async () => {
    const soon = new Date(Date.now() + 2_000).toUTCString();
    server.next.push({ status: 429, headers: { 'retry-after': '1' } });
    server.next.push({ status: 503, headers: { 'retry-after': soon } });
    expect(await ask()).toEqual(fine);
    const [first, second] = server.requests.map(({ atMs }) => atMs);
    expect(second! - first!).toBeGreaterThanOrEqual(990);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(soon));
  });

  it('reads a Retry-After of less than a second, and waits as usual if it is none', async () => {
    server.next.push({ status: 429, headers: { 'retry-after': '0.3' } });
    server.next.push({ status: 429, headers: { 'retry-after': '0' } });
    expect(await ask({ firstDelayMs: 80 })).toEqual(fine);
    const [first, second, third] = server.requests.map(({ atMs }) => atMs);
    expect(second! - first!).toBeGreaterThanOrEqual(299);
    expect(third! - second!).toBeGreaterThanOrEqual(79);
  });

  it('does not wait for an hour', async () => {
    server.next.push({ status: 429, headers: { 'retry-after': '3600' } });
    expect(await failureCode(ask())).toBe('engine_unavailable');
    expect(server.requests).toHaveLength(1);
  });

  it('times out an unresponsive server without a retry', async () => {
    server.next.push('hang');
    expect(await failureCode(ask({ timeoutMs: 150 }))).toBe('engine_unavailable');
    await until(() => server.requests[0]?.isAbandoned === true);
    expect(server.requests).toHaveLength(1);
  });

  it.each([401, 402, 403, 404, 456])('treats %i as invalid settings', async (status) => {
    server.next.push({ status, body: { error: 'Incorrect key sk-secret' } });
    expect(await failureCode(ask())).toBe('engine_unavailable');
    expect(server.requests).toHaveLength(1);
  });

  it.each([400, 413, 422])('returns %i, which concerns the request itself', async (status) => {
    server.next.push({ status });
    expect(await ask()).toEqual({ kind: 'refused', status });
  });

  it('reads no more than the size limit', async () => {
    server.next.push('endless');
    expect(await failureCode(ask())).toBe('translation_failed');
    await until(() => server.requests[0]?.isAbandoned === true);
  });

  it('treats a response other than JSON as the wrong server', async () => {
    server.next.push({ status: 200, body: '<html>' });
    expect(await failureCode(ask())).toBe('engine_unavailable');
  });

  it('sends texts and key to no other address', async () => {
    const headers = { location: `${server.url}/elsewhere` };
    server.always = { status: 307, headers };
    expect(await failureCode(ask({ retries: 0 }))).toBe('engine_unavailable');
    expect(server.requests.map(({ path }) => path)).toEqual(['/base/ask']);
  });

  it('stops on abort, both during a request and between tries', async () => {
    const reason = new Error('no longer wanted');
    for (const failure of ['hang', { status: 503, headers: { 'retry-after': '5' } }] as const) {
      server.requests.length = 0;
      server.next.push(failure);
      const aborter = new AbortController();
      const work = ask({}, aborter.signal);
      const refused = expect(work).rejects.toBe(reason);
      await until(() => server.requests.length === 1);
      aborter.abort(reason);
      await refused;
      if (failure === 'hang') await until(() => server.requests[0]?.isAbandoned === true);
    }
  });

  it('reports a port without a listener', async () => {
    const gone = await startScriptedHttp(() => ({ status: 200 }));
    await gone.close();
    expect(await failureCode(ask({ baseUrl: gone.url }))).toBe('engine_unavailable');
  });

  it('logs neither keys nor texts', () => {
    const logged = JSON.stringify(log.lines);
    expect(log.lines.length).toBeGreaterThan(5);
    expect(logged).toContain('ECONNREFUSED');
    expect(logged).not.toMatch(/sk-secret|private/);
  });
});
