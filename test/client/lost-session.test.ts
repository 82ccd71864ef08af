import { describe, expect, it } from 'vitest';
import { WORD_BYTES } from '../support/services/resuming-gateway.ts';
import { until } from '../support/product/server.ts';
import { becomes, collect, concluded, connect, noise, start } from './conversation.ts';

describe('a session that the gateway has lost', () => {
  it('is an error', async () => {
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

  it('is the error that the gateway told, which is not tried again', async () => {
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

  it('has no successor where only the beginning of its audio tells how the rest is read', async () => {
    const gateway = await start();
    const session = connect(gateway, { contentType: 'audio/ogg;codecs=opus', restart: true });
    await session.send(noise(WORD_BYTES));
    const done = expect(session.done).rejects.toMatchObject({ code: 'server-error', status: 503 });
    gateway.breaks = true;
    await session.send(noise(WORD_BYTES));
    await done;
    expect(gateway.sessions).toHaveLength(1);
  });

  it('goes on in a new one for those who asked for that, and says so', async () => {
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

  /** Stops when it has one word of three, and concludes it after the client has sent all. */
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

  it('by stopping before it had all of the audio is an error, though it has concluded', async () => {
    const { events, finished } = await speakPastStop({});
    await expect(finished).rejects.toMatchObject({ code: 'session-lost' });
    await expect(events).rejects.toMatchObject({ code: 'session-lost' });
  });

  it('by stopping goes on in a new one, with what it had not taken', async () => {
    const { gateway, events, finished } = await speakPastStop({ restart: true });
    await finished;
    expect(concluded(await events, 'source')).toBe(' 0 0 1');
    expect(gateway.sessions.map(({ words }) => words)).toEqual([1, 2]);
  });

  it('is asked for again while the gateway has no time', async () => {
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
