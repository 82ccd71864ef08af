/** The server at which a room is at home: dies, stands still, gives way, and its broker goes away. */
import { expect, it, onTestFinished } from 'vitest';
import { type TestServer, until } from '../../support/product/server.ts';
import { startRedisProxy } from '../../support/services/redis-proxy.ts';
import { change, makeRoom, readAlong, type RoomReader, type } from '../room-client.ts';
import { roomCluster, say, speakInto, timesTranslated, told } from './room-cluster.ts';

const opened = roomCluster();
const wishes = { languages: ['es', 'fr'], source_language: 'en', keep_hours: 1 };

/** A server in the place of one that was killed. */
async function fresh(): Promise<TestServer> {
  return opened.cluster.add();
}

/** Types lines one after the other until it is told to stop; answers those that were taken. */
function typing(node: TestServer, roomId: string, mark: string) {
  const taken: string[] = [];
  const state = { isOver: false };
  onTestFinished(() => void (state.isOver = true));
  const done = (async () => {
    for (let index = 0; !state.isOver; index += 1) {
      const text = `${mark} house ${index}.`;
      await type(node, roomId, { text });
      taken.push(text);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  })();
  done.catch(() => undefined);
  return {
    taken,
    async stop() {
      state.isOver = true;
      await done;
      return taken;
    },
  };
}

async function transcript(node: TestServer, roomId: string, language: string): Promise<string[]> {
  const path = `/v1/rooms/${roomId}/transcript?language=${language}&format=json`;
  const { body } = await change(node, 'GET', path);
  return (body['lines'] as { text: string }[]).map(({ text }) => text);
}

const inSpanish = (texts: readonly string[]) =>
  texts.map((text) => text.replaceAll('the house', 'la casa').replaceAll('house', 'casa'));

/** Waits until each of them shows so many lines. */
async function untilAllShow(readers: readonly RoomReader[], count: number): Promise<void> {
  const counts = () => readers.map((reader) => reader.texts().length);
  await until(() => counts().every((each) => each === count), 40_000).catch(() => {
    const last = readers.map((reader) => reader.texts().slice(-3).join(' '));
    throw new Error(`They show ${counts().join(', ')} lines, not ${count}: ${last.join('; ')}`);
  });
}

async function expectSame(readers: readonly RoomReader[]): Promise<void> {
  const [first, ...others] = readers.map((reader) => reader.lines());
  for (const other of others) expect(other).toEqual(first);
}

/** A room whose home is the first of some nodes, with a line and a reader at each of them. */
async function roomAt(nodes: readonly TestServer[]) {
  const [home] = nodes as [TestServer];
  for (;;) {
    const { room_id: id } = await makeRoom(home, wishes);
    const holder = () => opened.cluster.redis.ask('HGET', `dragoman:lease:room ${id}`, 'holder');
    const readers = [await readAlong(home, id, { language: 'es' })];
    const first = await holder();
    for (const node of nodes.slice(1)) readers.push(await readAlong(node, id, { language: 'es' }));
    await type(home, id, { text: 'Before the house.' });
    await untilAllShow(readers, 1);
    // On a machine that has too much to do another may have taken it by now.
    if (first !== null && (await holder()) === first) return { id, readers };
    for (const reader of readers) reader.close();
  }
}

it('killed in the midst of it: another goes on within seconds, and no line is lost or there twice', async () => {
  const { nodes, translator } = opened;
  const home = await fresh();
  const { room_id: id } = await makeRoom(home, wishes);
  const first = await readAlong(home, id, { language: 'es' });
  const readers = await Promise.all(
    [nodes[1], nodes[2]].flatMap((node) =>
      ['spoken', 'es'].map((language) => readAlong(node, id, { language })),
    ),
  );
  const typed = [typing(nodes[1], id, 'B'), typing(nodes[2], id, 'C')];
  await until(() => typed.every(({ taken }) => taken.length > 10));
  const lengths = typed.map(({ taken }) => taken.length);
  const killedAtMs = performance.now();
  home.process.kill('SIGKILL');
  await until(() => typed.every(({ taken }, index) => taken.length > lengths[index]! + 2));
  expect(performance.now() - killedAtMs).toBeLessThan(12_000);
  await until(() => typed.every(({ taken }, index) => taken.length > lengths[index]! + 10));
  const taken = (await Promise.all(typed.map((each) => each.stop()))).flat();
  await untilAllShow(readers, taken.length);
  expect([...readers[0]!.texts()].sort()).toEqual([...taken].sort());
  expect(told(readers[0]!)).toEqual(told(readers[2]!));
  expect(told(readers[1]!)).toEqual(told(readers[3]!));
  await expectSame([readers[0]!, readers[2]!]);
  expect(readers[1]!.texts()).toEqual(inSpanish(readers[0]!.texts()));
  // Whoever read at the one that died comes back anywhere.
  const after = first.sequence();
  const back = await readAlong(nodes[2], id, { language: 'es', after });
  await until(() => back.texts().length > 0);
  expect([...first.texts(), ...back.texts()]).toEqual(readers[1]!.texts());
  const counts = timesTranslated(translator, 'es');
  // What was being translated when it died is translated once more.
  const again = taken.filter((text) => counts.get(text) !== 1);
  expect(again.length).toBeLessThanOrEqual(2);
  expect(await transcript(nodes[1], id, 'spoken')).toEqual(readers[0]!.texts());
  expect(await transcript(nodes[2], id, 'es')).toEqual(readers[1]!.texts());
});

it('stands still for a while: it follows when it is back, and its readers have what all have', async () => {
  const { nodes } = opened;
  const home = await fresh();
  const { room_id: id } = await makeRoom(home, wishes);
  const readers = [
    await readAlong(home, id, { language: 'es' }),
    await readAlong(nodes[1], id, { language: 'es' }),
  ];
  const typed = typing(nodes[1], id, 'B');
  await until(() => typed.taken.length > 10);
  home.process.kill('SIGSTOP');
  onTestFinished(() => void home.process.kill('SIGCONT'));
  const length = typed.taken.length;
  await until(() => typed.taken.length > length + 10);
  home.process.kill('SIGCONT');
  await until(() => typed.taken.length > length + 30);
  // It may say things again.
  await type(home, id, { text: 'Back in the house.' });
  const taken = [...(await typed.stop()), 'Back in the house.'];
  await untilAllShow(readers, taken.length);
  await expectSame(readers);
  expect([...readers[0]!.texts()].sort()).toEqual(inSpanish([...taken].sort()));
  expect(await transcript(home, id, 'es')).toEqual(readers[1]!.texts());
  await home.stop();
});

it('cut off from the broker: what it has told its own readers meanwhile, all have when it is back', async () => {
  const { nodes, cluster } = opened;
  const socket = cluster.redis.url.replace('unix://', '');
  const proxy = await startRedisProxy(socket);
  onTestFinished(() => proxy.close());
  const home = await cluster.add({ BROKER_URL: proxy.url });
  const { id, readers } = await roomAt([home, nodes[1], nodes[2]]);
  proxy.leadTo('/nowhere');
  proxy.cut();
  for (const index of [0, 1, 2, 3]) await type(home, id, { text: `Alone house ${index}.` });
  await untilAllShow([readers[0]!], 5);
  // Another is home as soon as the lease has run out.
  const typed = () =>
    type(nodes[1], id, { text: 'Meanwhile the house.' }).then(() => true as const);
  await until(() => typed().catch(() => false));
  await untilAllShow(readers.slice(1), 2);
  proxy.leadTo(socket);
  await untilAllShow(readers, 6);
  await expectSame(readers);
  for (const node of [home, nodes[2]]) {
    expect(await transcript(node, id, 'es')).toEqual(readers[1]!.texts());
  }
});

it('is where somebody speaks, and the floor goes to who begins last, at whichever server', async () => {
  const { nodes } = opened;
  const { room_id: id } = await makeRoom(nodes[0], wishes);
  const readers = await Promise.all(nodes.map((node) => readAlong(node, id)));
  const one = await speakInto(nodes[1], id);
  await say(one, 'india juliett kilo');
  await until(() => readers.every((reader) => reader.state() === 'live'));
  await untilAllShow(readers, 1);
  const other = await speakInto(nodes[2], id);
  await say(other, 'mike november');
  expect((await one.closed).code).not.toBe(1000);
  expect(one.error()?.error_message).toMatch(/floor/);
  const { body } = await change(nodes[0], 'GET', `/v1/rooms/${id}`);
  expect(body).toMatchObject({ state: 'live', session_id: other.sessionId });
  other.end();
  await other.closed;
  await untilAllShow(readers, 2);
  await expectSame(readers);
  await until(() => readers.every((reader) => reader.state() === 'waiting'));
});

it('goes on without its broker, and the others have everything when that is back', async () => {
  const { nodes, cluster } = opened;
  const { id, readers } = await roomAt(nodes);
  for (const loses of [false, true]) {
    const length = readers[0]!.texts().length;
    if (loses) await cluster.redis.kill();
    else cluster.redis.pause();
    const texts = Array.from({ length: 20 }, (_, index) => `Without it ${loses} house ${index}.`);
    for (const text of texts) await type(nodes[0], id, { text });
    await untilAllShow([readers[0]!], length + texts.length);
    expect(readers[1]!.texts()).toHaveLength(length);
    // It is away for longer than a lease.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    if (loses) await cluster.redis.start();
    else cluster.redis.resume();
    await untilAllShow(readers, length + texts.length);
    await type(nodes[2], id, { text: `Afterwards the house ${loses}.` });
    await untilAllShow(readers, length + texts.length + 1);
    await expectSame(readers);
    for (const reader of readers) {
      const arrived = reader.arrived().map(({ line }) => line);
      expect(arrived).toEqual([...new Set(arrived)]);
    }
    const late = await readAlong(nodes[1], id, { language: 'es' });
    await late.shows(...readers[0]!.texts());
  }
});
