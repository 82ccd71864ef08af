import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectVoice } from '../../shared/client/node.ts';
import { WORD_BYTES } from '../support/services/resuming-gateway.ts';
import { until } from '../support/product/server.ts';
import { TELEPHONE, becomes, collect, concluded, connect, noise, start } from './conversation.ts';

describe('a session that the gateway has lost', () => {
  it('fails with session-lost', async () => {
    const gateway = await start();
    const session = connect(gateway);
    const events = collect(session);
    await session.send(noise(WORD_BYTES));
    await until(() => gateway.sessions[0]?.words === 1);
    gateway.refusal = 400;
    gateway.cut();
    await expect(session.done).rejects.toMatchObject({ name: 'VoiceError', code: 'session-lost' });
    await expect(events).rejects.toMatchObject({ code: 'session-lost' });
    await expect(session.send(noise(8))).rejects.toMatchObject({ code: 'session-lost' });
    expect(session.status).toBe('closed');
  });

  it("fails with the gateway's error, without another attempt", async () => {
    const gateway = await start();
    const session = connect(gateway);
    await session.send(noise(WORD_BYTES));
    await until(() => gateway.sessions[0]?.words === 1);
    const failure = { code: 'server-error', status: 503, message: 'No.' };
    const done = expect(session.done).rejects.toMatchObject(failure);
    gateway.breaks = true;
    await session.send(noise(WORD_BYTES));
    await done;
    expect(gateway.sessions).toHaveLength(1);
  });

  it('is not restarted when only the beginning of its audio describes the rest', async () => {
    const gateway = await start();
    const session = connect(gateway, { contentType: 'audio/ogg;codecs=opus', restart: true });
    await session.send(noise(WORD_BYTES));
    const done = expect(session.done).rejects.toMatchObject({ code: 'server-error', status: 503 });
    gateway.breaks = true;
    await session.send(noise(WORD_BYTES));
    await done;
    expect(gateway.sessions).toHaveLength(1);
  });

  it('restarts on request, and reports it', async () => {
    const gateway = await start();
    const session = connect(gateway, { restart: true });
    const events = collect(session);
    await session.send(noise(WORD_BYTES));
    await until(() => gateway.sessions[0]?.words === 1);
    gateway.refusal = 404;
    const reconnecting = becomes(session, 'reconnecting');
    gateway.cut();
    await reconnecting;
    await session.send(noise(2 * WORD_BYTES));
    await until(() => gateway.sessions.length === 2);
    await session.finish();
    const told = await events;
    expect(concluded(told, 'source')).toBe(' 0 0 1');
    expect(told.filter(({ type }) => type === 'restart')).toHaveLength(1);
  });

  /** The gateway stops after one word of three, and concludes it after the client has sent everything. */
  async function speakPastStop(options: Parameters<typeof connect>[1]) {
    const gateway = await start();
    const session = connect(gateway, options);
    const events = collect(session);
    await session.send(noise(WORD_BYTES));
    await until(() => gateway.sessions[0]?.words === 1);
    gateway.stops = true;
    await session.send(noise(2 * WORD_BYTES));
    const finished = session.finish();
    return { gateway, events, finished };
  }

  it('fails when the gateway stops before it has received all audio, even if it has concluded', async () => {
    const { events, finished } = await speakPastStop({});
    await expect(finished).rejects.toMatchObject({ code: 'session-lost' });
    await expect(events).rejects.toMatchObject({ code: 'session-lost' });
  });

  it('restarts with the audio that a stopping gateway did not receive', async () => {
    const { gateway, events, finished } = await speakPastStop({ restart: true });
    await finished;
    expect(concluded(await events, 'source')).toBe(' 0 0 1');
    expect(gateway.sessions.map(({ words }) => words)).toEqual([1, 2]);
  });

  it('is retried while the gateway is unavailable', async () => {
    const gateway = await start();
    const session = connect(gateway);
    await session.send(noise(WORD_BYTES));
    await until(() => gateway.sessions[0]?.words === 1);
    gateway.refusal = 503;
    const reconnecting = becomes(session, 'reconnecting');
    gateway.cut();
    await reconnecting;
    gateway.refusal = undefined;
    await session.send(noise(WORD_BYTES));
    await session.finish();
    expect(gateway.sessions[0]?.words).toBe(2);
  });
});

it('a session with one attempt to begin waits for a slow server', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const asked = { request: false, refused: false };
  const { done } = connectVoice({
    ...{ server: 'http://127.0.0.1:1', apiKey: 'key', contentType: TELEPHONE },
    attempts: { toBegin: 1 },
    fetch: () => {
      asked.request = true;
      return new Promise(() => undefined);
    },
  });
  done.catch(() => (asked.refused = true));
  await vi.waitUntil(() => asked.request);
  await vi.advanceTimersByTimeAsync(50_000);
  expect(asked.refused).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  await expect(done).rejects.toMatchObject({ code: 'unreachable' });
});
