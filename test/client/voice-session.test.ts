import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { AudioSender } from '../../shared/client/audio-sender.ts';
import { connectVoice, type VoiceEvent } from '../../shared/client/node.ts';
import type { VoiceConnection } from '../../shared/client/voice-connection.ts';
import { encodeServerMessage } from '../../shared/protocol/codec.ts';
import {
  WORD_BYTES,
  startResumingGateway,
  type ResumingGateway,
} from '../support/services/resuming-gateway.ts';
import { until } from '../support/product/server.ts';
import {
  TELEPHONE,
  becomes,
  collect,
  concluded,
  connect,
  noise,
  seeded,
  start,
  words,
} from './conversation.ts';

describe('a session over a network that loses frames and connections', () => {
  it('loses nothing in either direction', async () => {
    const seed = Math.floor(Math.random() * 1e9);
    const gateway = await startResumingGateway(seeded(seed));
    try {
      gateway.dropChance = 0.1;
      // The other tests have MessagePack.
      const session = connect(gateway, { messageFormat: 'json', targetLanguages: ['es'] });
      const events = collect(session);
      const audio = noise(40 * WORD_BYTES);
      for (let at = 0; at < audio.length; at += 777) {
        await session.send(audio.subarray(at, at + 777));
      }
      // Faults stop before the end, which is not under test but must be reached.
      await until(() => (gateway.sessions[0]?.words ?? 0) > 30);
      gateway.dropChance = 0;
      await session.finish();
      const told = await events;

      const [kept] = gateway.sessions;
      expect(gateway.sessions, `seed ${seed}`).toHaveLength(1);
      expect(gateway.drops, `seed ${seed}`).toBeGreaterThan(0);
      expect(Buffer.compare(Buffer.concat(kept!.audio), audio), `seed ${seed}`).toBe(0);
      expect(concluded(told, 'source'), `seed ${seed}`).toBe(words(40));
      expect(concluded(told, 'target'), `seed ${seed}`).toBe(words(40, 'es'));
      const spoken = told.flatMap((event) => (event.type === 'speech' ? event.pieces : []));
      expect(spoken.map(([byte]) => byte)).toEqual(Array.from({ length: 40 }, (_, at) => at));
      expect(told.filter(({ type }) => type === 'end')).toHaveLength(2);
      expect(told.at(-1)).toEqual({ type: 'status', status: 'closed' });
    } finally {
      await gateway.close();
    }
  });

  it('survives a drop after the end of the audio', async () => {
    const gateway = await start();
    const session = connect(gateway);
    const events = collect(session);
    await session.send(noise(4 * WORD_BYTES));
    const finished = session.finish();
    await until(() => gateway.sessions[0]?.words === 4);
    gateway.cut();
    await finished;
    expect(concluded(await events, 'source')).toBe(words(4));
  });
});

it('a session notices within seconds that the network falls silent after the end of the audio', async () => {
  // With random numbers of 0, the gateway acknowledges every chunk.
  const gateway = await start(() => 0);
  const session = connect(gateway, { endDeadlineMs: 20_000 });
  const events = collect(session);
  await session.send(noise(WORD_BYTES));
  await until(() => session.status === 'open' && session.bufferedMs === 0);
  gateway.isSilent = true;
  const finished = session.finish();
  await Promise.race([becomes(session, 'reconnecting'), finished]);
  gateway.isSilent = false;
  await finished;
  expect(concluded(await events, 'source')).toBe(words(1));
});

describe('updates of a running session', () => {
  const targets = (gateway: ResumingGateway, index = 0) =>
    gateway.sessions[index]?.request.target_languages;

  async function startChanging(random?: () => number): Promise<ResumingGateway> {
    const gateway = await start(random);
    gateway.takesUpdates = true;
    return gateway;
  }

  it('are in force when their promise resolves, and are reported; pending ones are merged', async () => {
    const gateway = await startChanging();
    const session = connect(gateway, { targetLanguages: ['es'] });
    const events = collect(session);
    await becomes(session, 'open');
    const asked = [
      session.update({ targetLanguages: ['fr'] }),
      session.update({ targetLanguages: ['xx'], glossaryId: null }),
      session.update({ targetLanguages: ['it'] }),
    ];
    await Promise.all(asked);
    expect(targets(gateway)).toEqual(['it']);
    await session.finish();
    const terms = (await events).flatMap((event) => (event.type === 'terms' ? [event] : []));
    expect(terms.map(({ targetLanguages }) => targetLanguages)).toEqual([['es'], ['fr'], ['it']]);
  });

  it('before the first connection become part of the request', async () => {
    const gateway = await startChanging();
    const session = connect(gateway, { targetLanguages: ['es'] });
    await session.update({ targetLanguages: ['fr'] });
    expect(targets(gateway)).toEqual(['fr']);
    await session.finish();
    expect(gateway.sessions[0]?.durable).toHaveLength(4);
  });

  it('may be refused while the session continues', async () => {
    const gateway = await startChanging();
    const session = connect(gateway, { targetLanguages: ['es'] });
    await becomes(session, 'open');
    await expect(session.update({ targetLanguages: ['xx'] })).rejects.toMatchObject({
      ...{ code: 'update-refused', message: 'No.', status: 400 },
    });
    await session.send(noise(2 * WORD_BYTES));
    await session.finish();
    expect(targets(gateway)).toEqual(['es']);
  });

  it('that are pending are refused one by one, and the valid ones apply', async () => {
    const gateway = await startChanging();
    const session = connect(gateway, { targetLanguages: ['es'] });
    await becomes(session, 'open');
    const wishes = [{ targetLanguages: ['fr'] }, { formality: 'more' as const }];
    const refused = [{ targetLanguages: ['xx'] }, { glossaryId: null }];
    const settled: number[] = [];
    const asked = [...wishes, ...refused].map((changes, index) =>
      session.update(changes).finally(() => settled.push(index)),
    );
    const answers = (await Promise.allSettled(asked)).map(({ status }) => status);
    expect(answers).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(settled).toEqual([0, 1, 2, 3]);
    expect(targets(gateway)).toEqual(['fr']);
    await session.finish();
  });

  it('are repeated on the next connection until they are answered', async () => {
    const seed = Math.floor(Math.random() * 1e9);
    const gateway = await startChanging(seeded(seed));
    gateway.dropChance = 0.25;
    const session = connect(gateway, { targetLanguages: ['es'] });
    await becomes(session, 'open');
    for (let round = 0; round < 12 || gateway.drops === 0; round += 1) {
      const wish = [`x${round}`];
      await session.update({ targetLanguages: wish });
      expect(targets(gateway), `seed ${seed}`).toEqual(wish);
    }
    gateway.dropChance = 0;
    expect(gateway.drops, `seed ${seed}`).toBeGreaterThan(0);
    expect(gateway.sessions, `seed ${seed}`).toHaveLength(1);
    await session.finish();
  });

  it('carry over to the session that replaces a lost one', async () => {
    const gateway = await startChanging();
    const session = connect(gateway, { targetLanguages: ['es'], restart: true });
    await becomes(session, 'open');
    await session.update({ targetLanguages: ['fr'] });
    gateway.sessions[0]!.token = 'lost';
    gateway.cut();
    const asked = session.update({ targetLanguages: ['fr', 'it'] });
    await until(() => gateway.sessions.length === 2);
    await asked;
    expect(targets(gateway, 1)?.[0]).toBe('fr');
    await until(() => targets(gateway, 1)?.length === 2);
    await session.finish();
  });

  it('are refused individually when the session is lost before their answer', async () => {
    const gateway = await startChanging();
    const session = connect(gateway, { targetLanguages: ['es'], restart: true });
    await becomes(session, 'open');
    gateway.sessions[0]!.token = 'lost';
    gateway.cut();
    const good = session.update({ formality: 'more' });
    await expect(session.update({ targetLanguages: ['es', 'xx'] })).rejects.toMatchObject({
      code: 'update-refused',
    });
    await good;
    expect(targets(gateway, 1)).toEqual(['es']);
    await session.finish();
  });

  it('are never sent to an older server, which would end the session', async () => {
    const gateway = await start();
    const session = connect(gateway, { targetLanguages: ['es'] });
    await becomes(session, 'open');
    await session.send(noise(2 * WORD_BYTES));
    await expect(session.update({ targetLanguages: ['fr'] })).rejects.toMatchObject({
      code: 'update-unsupported',
    });
    await session.finish();
    await expect(session.update({})).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('the audio of a session', () => {
  it('is sent at no more than twice real time', async () => {
    const gateway = await start();
    const session = connect(gateway);
    await until(() => session.status === 'open');
    const startedAtMs = performance.now();
    await session.send(noise(2_000 * 8));
    await session.finish();
    // The contract allows a head start of 2 s; the client uses half a second, one piece and some slack.
    expect(performance.now() - startedAtMs).toBeGreaterThan((2_000 - 500) / 2 - 100);
  });

  it('exerts back-pressure when too much is unacknowledged, and is never dropped', async () => {
    // With random numbers of 1, the gateway acknowledges nothing.
    const gateway = await start(() => (isCounting ? 0.1 : 1));
    let isCounting = true;
    const session = connect(gateway, { buffer: { maxMs: 2_000 } });
    const acknowledged = new Promise((resolve) => session.on('acknowledgement', resolve));
    await session.send(noise(WORD_BYTES));
    await acknowledged;
    isCounting = false;
    const sent = session.send(noise(25 * WORD_BYTES)).then(() => true as const);
    await until(() => gateway.sessions[0]?.receivedBytes === 26 * WORD_BYTES);
    expect(session.bufferedMs).toBeGreaterThanOrEqual(2_000);
    expect(await Promise.race([sent, Promise.resolve('waits')])).toBe('waits');
    gateway.cut();
    expect(await sent).toBe(true);
    await session.finish();
    expect(gateway.sessions[0]?.receivedBytes).toBe(26 * WORD_BYTES);
  });

  it('of unknown rate begins slowly in small pieces until the gateway has reported its rate', async () => {
    // The gateway counts 8 bytes per ms and acknowledges every chunk.
    const gateway = await start(() => 0);
    const session = connect(gateway, { contentType: 'audio/mpeg', buffer: { maxMs: 2_000 } });
    const events = collect(session);
    const audio = noise(4_000 * 8);
    await session.send(audio);
    await session.finish();
    await events;
    const [kept] = gateway.sessions;
    expect(Buffer.compare(Buffer.concat(kept!.audio), audio)).toBe(0);
    expect(kept!.audio[0]!.length).toBeLessThanOrEqual(220);
    expect(Math.max(...kept!.audio.map(({ length }) => length))).toBeLessThanOrEqual(250 * 8);
  });

  it('produces one event for each pending read', async () => {
    const gateway = await start();
    const session = connect(gateway);
    const events = session[Symbol.asyncIterator]();
    const asked = [events.next(), events.next(), events.next()];
    await session.send(noise(WORD_BYTES));
    await session.finish();
    const told = await Promise.all(asked);
    expect(new Set(told.map(({ value }) => value as VoiceEvent)).size).toBe(3);
  });

  it('leaves an unread feed the newest tentative captions and acknowledgement only', async () => {
    // With random numbers of 0.1, the gateway acknowledges every chunk.
    const gateway = await start(() => 0.1);
    const session = connect(gateway, { targetLanguages: ['es'] });
    const events = session[Symbol.asyncIterator]();
    for (let index = 0; index < 4; index += 1) await session.send(noise(WORD_BYTES));
    await session.finish();
    const told: VoiceEvent[] = [];
    for await (const event of events) told.push(event);
    expect(concluded(told, 'source')).toBe(words(4));
    expect(concluded(told, 'target')).toBe(words(4, 'es'));
    const isTentative = (event: VoiceEvent) =>
      event.type === 'caption' && event.concluded.length === 0;
    expect(told.filter(isTentative)).toHaveLength(1);
    expect(told.filter(({ type }) => type === 'acknowledgement')).toHaveLength(1);
  });

  it('is not buffered for gateways that never acknowledge', async () => {
    const gateway = await start();
    gateway.isPlain = true;
    const session = connect(gateway, { buffer: { maxMs: 2_000 } });
    for (let index = 0; index < 30; index += 1) await session.send(noise(WORD_BYTES));
    await session.finish();
    expect(gateway.sessions[0]?.words).toBe(30);
  });

  it('leaves nothing behind when it is dropped because no connection lasts', async () => {
    const nothing = () => {};
    const callbacks = { onSent: nothing, onDrained: nothing, onRoom: nothing };
    const limits = { bytesPerSecond: undefined, maxMs: 2_000, maxBytes: 2 ** 20 };
    const sender = new AudioSender({ contentType: TELEPHONE, ...limits, ...callbacks });
    const sent: number[] = [];
    const connection = {
      isOpen: true,
      unsentBytes: 0,
      send: ({ data }: { data: Uint8Array }) => sent.push(data[0] ?? -1),
    } as unknown as VoiceConnection;
    const tenMs = (value: number) => new Uint8Array(80).fill(value);
    sender.attach(connection);
    sender.acknowledge({ audioMs: 0, sizeBytes: 0 });
    sender.push(tenMs(0));
    sender.detach();
    for (let at = 1; at <= 250; at += 1) {
      sender.push(tenMs(at));
      sender.dropOverflow();
    }
    // The first piece has not arrived; the newest two seconds without a piece follow it.
    sender.resume(0);
    sender.attach(connection);
    await until(() => sent.length >= 5);
    sender.detach();
    expect(sent.slice(1, 5)).toEqual([0, 53, 54, 55]);
  });

  it('holds the ends of utterances in their places, also while it waits for a connection', async () => {
    const gateway = await start();
    const session = connect(gateway);
    const say = (words: number) => session.send(noise(words * WORD_BYTES));
    await say(1);
    session.endUtterance();
    await say(2);
    session.endUtterance();
    session.endUtterance();
    await say(1);
    await session.finish();
    expect(gateway.sessions[0]?.utteranceEnds).toEqual([WORD_BYTES, 3 * WORD_BYTES]);
    expect(gateway.sessions[0]?.words).toBe(4);
  });

  it('ends its utterance also when the connection drops with the end on its way', async () => {
    // With random numbers of 0, the gateway acknowledges every chunk.
    const gateway = await start(() => 0);
    const session = connect(gateway);
    await session.send(noise(WORD_BYTES));
    await until(() => session.status === 'open' && session.bufferedMs === 0);
    session.endUtterance();
    gateway.cut();
    await becomes(session, 'reconnecting');
    await becomes(session, 'open');
    await session.finish();
    expect(gateway.sessions[0]?.utteranceEnds).toEqual([WORD_BYTES]);
  });

  it('may come in pieces that split samples', async () => {
    const gateway = await start();
    const session = connect(gateway, { contentType: 'audio/pcm;encoding=s16le;rate=8000' });
    const audio = noise(1_001);
    await session.send(audio.subarray(0, 333));
    await session.send(audio.subarray(333));
    await session.finish();
    const [kept] = gateway.sessions;
    expect(kept?.audio.every(({ length }) => length % 2 === 0)).toBe(true);
    expect(Buffer.concat(kept!.audio)).toEqual(Buffer.from(audio.subarray(0, 1_000)));
  });
});

describe('the start or end of a session', () => {
  it("fails at once with the server's message when it is refused", async () => {
    const gateway = await start();
    const session = connectVoice({
      ...{ server: gateway.server, apiKey: 'wrong', contentType: TELEPHONE },
    });
    await expect(session.done).rejects.toMatchObject({
      ...{ code: 'token-refused', status: 403, message: 'No.' },
    });
  });

  it('reports an unreachable server', async () => {
    const session = connectVoice({
      ...{ server: 'http://127.0.0.1:1', apiKey: 'key', contentType: TELEPHONE },
      attempts: { toBegin: 1 },
    });
    await expect(session.finish()).rejects.toMatchObject({ code: 'unreachable', isPassing: true });
  });

  it('comes at once when the signal is aborted', async () => {
    const gateway = await start();
    const stop = new AbortController();
    const session = connect(gateway, { signal: stop.signal });
    const events = collect(session);
    await until(() => session.status === 'open');
    stop.abort();
    await session.done;
    expect((await events).at(-1)).toEqual({ type: 'status', status: 'closed' });
    await expect(session.send(noise(8))).rejects.toMatchObject({ code: 'closed' });
  });

  it('fails when the gateway is silent for too long after the audio', async () => {
    const gateway = await start();
    const session = connect(gateway, { endDeadlineMs: 300 });
    await until(() => session.status === 'open');
    gateway.refusal = 503;
    gateway.cut();
    await expect(session.finish()).rejects.toMatchObject({ code: 'end-overdue' });
  });

  it('fails when the gateway sends only keep-alives', async () => {
    const http = createServer((_request, response) => {
      const { port } = http.address() as AddressInfo;
      const streaming_url = `ws://127.0.0.1:${port}`;
      response.end(JSON.stringify({ streaming_url, token: 't', session_id: 's' }));
    });
    const sockets = new WebSocketServer({ server: http });
    const counted = { received_audio_ms: 0, received_audio_bytes: 0 };
    const alive = encodeServerMessage({ type: 'source_media_acknowledgement', ...counted }, 'json');
    sockets.on('connection', (socket) => {
      const saying = setInterval(() => socket.send(alive), 50);
      socket.on('close', () => clearInterval(saying));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const server = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const session = connectVoice({
      ...{ server, apiKey: 'key', contentType: TELEPHONE, messageFormat: 'json' },
      ...{ endDeadlineMs: 500 },
    });
    await session.send(noise(800));
    await until(() => session.status === 'open');
    await expect(session.finish()).rejects.toMatchObject({ code: 'end-overdue' });
    http.closeAllConnections();
    http.close();
  });
});
