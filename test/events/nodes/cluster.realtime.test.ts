/**
 * Rooms that three servers share: identical on each of them, even if one dies, is suspended or loses its
 * broker.
 */
import { expect, it, onTestFinished } from 'vitest';
import { toneSpeech } from '../../support/audio/tone-speech.ts';
import { RoamingClient } from '../../support/product/roaming-client.ts';
import { type TestServer, until } from '../../support/product/server.ts';
import {
  change,
  keyOf,
  makeRoom,
  readAlong,
  readStream,
  roomKey,
  type RoomReader,
  type,
} from '../room-client.ts';
import {
  expectSame,
  inSpanish,
  roomCluster,
  say,
  speakInto,
  timesTranslated,
  told,
  typing,
  untilAllShow,
} from './room-cluster.ts';

const opened = roomCluster({ EVENTS_MAX_VIEWERS_PER_ROOM: '9' });
const wishes = { languages: ['es', 'fr'], source_language: 'en' };
const keptWishes = { ...wishes, keep_hours: 1 };
/** Generous limit for expected effects, in ms, as the test machine is busy. */
const SOON_MS = 20_000;
const soon = (look: () => boolean | Promise<boolean>) => until(async () => await look(), SOON_MS);

const readAtEach = (id: string, language: string) =>
  Promise.all(opened.nodes.map((node) => readAlong(node, id, { language })));

async function transcript(node: TestServer, roomId: string, language: string): Promise<string[]> {
  const path = `/v1/rooms/${roomId}/transcript?language=${language}&format=json`;
  const { body } = await change(node, 'GET', path);
  return (body['lines'] as { text: string }[]).map(({ text }) => text);
}

/** Creates a room that the first of the given nodes owns, with one line, and a reader at each node. */
async function roomAt(nodes: readonly TestServer[]) {
  const [home] = nodes as [TestServer];
  for (;;) {
    const { room_id: id } = await makeRoom(home, keptWishes);
    const holder = () => opened.cluster.redis.ask('HGET', `dragoman:lease:room ${id}`, 'holder');
    const readers = [await readAlong(home, id, { language: 'es' })];
    const first = await holder();
    for (const node of nodes.slice(1)) readers.push(await readAlong(node, id, { language: 'es' }));
    await type(home, id, { text: 'Before the house.' });
    await untilAllShow(readers, 1);
    // On a busy machine, another node may have become the owner meanwhile.
    if (first !== null && (await holder()) === first) return { id, readers };
    for (const reader of readers) reader.close();
  }
}

it('shows typed lines in the same order on every node, translating and speaking each once', async () => {
  const { nodes, translator, voices } = opened;
  const { room_id: id } = await makeRoom(nodes[0], wishes);
  const spoken = await readAtEach(id, 'spoken');
  const spanish = await readAtEach(id, 'es');
  const texts = Array.from({ length: 6 }, (_, index) => `House ${index}.`);
  // Three at a time, at three nodes.
  for (let at = 0; at < texts.length; at += 3) {
    await Promise.all(nodes.map((node, index) => type(node, id, { text: texts[at + index]! })));
  }
  const late = await Promise.all(nodes.map((node) => readStream(node, id, { language: 'es' })));
  await untilAllShow([...spoken, ...spanish], texts.length);
  for (const readers of [spoken, spanish]) {
    const [first, ...others] = readers.map(told);
    for (const other of others) expect(other).toEqual(first);
  }
  expect([...spoken[0]!.texts()].sort()).toEqual([...texts].sort());
  for (const reader of late) await reader.shows(...spanish[0]!.texts());
  const counts = timesTranslated(translator, 'es');
  expect(texts.map((text) => counts.get(text))).toEqual(texts.map(() => 1));

  const { line } = spanish[0]!.lines().at(-1)!;
  const clips = await Promise.all(
    [...nodes, ...nodes].map(async (node) => {
      const clip = await node.get(`/v1/rooms/${id}/live/speech/es/${line}?format=flac`);
      expect(clip.status).toBe(200);
      return Buffer.from(await clip.arrayBuffer());
    }),
  );
  expect(clips[0]!.length).toBeGreaterThan(1_000);
  for (const clip of clips) expect(clip.equals(clips[0]!)).toBe(true);
  expect(voices.questions).toHaveLength(1);
  for (const reader of [...spoken, ...spanish, ...late]) reader.close();
});

it('serves a room completely to readers that return at another node or come late', async () => {
  const { nodes } = opened;
  for (const keep_hours of [0, 1]) {
    const { room_id: id } = await makeRoom(nodes[0], { ...wishes, keep_hours });
    const first = await readAlong(nodes[0], id, { language: 'es' });
    for (const text of ['One house.', 'Two house.']) await type(nodes[1], id, { text });
    await first.shows('One casa.', 'Two casa.');
    first.close();
    const texts = Array.from({ length: 3 }, (_, index) => `River ${index}.`);
    for (const [index, text] of texts.entries()) await type(nodes[index % 3]!, id, { text });
    const translated = texts.map((text) => text.replace('River', 'Río'));
    const stays = await readAlong(nodes[2], id, { language: 'es' });
    await stays.shows('One casa.', 'Two casa.', ...translated);
    for (const node of nodes) {
      const back = await readAlong(node, id, { language: 'es', after: first.sequence() });
      await back.shows(...translated);
      expect(back.messages.some((each) => each.type === 'history' && each.replaces)).toBe(false);
      back.close();
    }
    stays.close();
  }
});

it('types into a room, corrects and deletes it from any node, with the current word lists', async () => {
  const { nodes } = opened;
  const { room_id: id } = await makeRoom(nodes[0], keptWishes);
  const readers = await readAtEach(id, 'es');
  const line = await type(nodes[1], id, { text: 'The hose.' });
  await Promise.all(readers.map((reader) => reader.shows('La hose.')));
  await type(nodes[2], id, { text: 'The house.', line });
  await Promise.all(readers.map((reader) => reader.shows('La casa.')));
  await type(nodes[0], id, { text: 'Su casa.', line, language: 'es' });
  await Promise.all(readers.map((reader) => reader.shows('Su casa.')));
  await change(nodes[1], 'PATCH', `/v1/rooms/${id}`, {
    replacements: [{ from: 'hose', to: 'house' }],
    hidden_words: ['river'],
  });
  // The change applies at once on its own node, and on the others as soon as they have received it.
  let again = {};
  await soon(async () => {
    again = { line: await type(nodes[2], id, { text: 'A hose, a river.', ...again }) };
    return readers.every((reader) => reader.texts().at(-1) === 'A casa, a •••.');
  });
  await Promise.all(readers.map((reader) => reader.shows('Su casa.', 'A casa, a •••.')));
  expect((await change(nodes[2], 'DELETE', `/v1/rooms/${id}/transcript`)).status).toBe(204);
  await Promise.all(readers.map((reader) => reader.shows()));
  await type(nodes[1], id, { text: 'The book.' });
  await Promise.all(readers.map((reader) => reader.shows('La libro.')));
  const { body } = await change(nodes[0], 'GET', `/v1/rooms/${id}/transcript?language=fr`);
  expect(body['lines']).toMatchObject([{ text: 'La libro.' }]);
  for (const reader of readers) reader.close();
});

it('closes readers whose link was revoked at another server, and refuses its speakers', async () => {
  const { nodes } = opened;
  const made = await makeRoom(nodes[0], { ...wishes, access: 'link' });
  const { room_id: id } = made;
  const { body } = await change(nodes[0], 'GET', `/v1/rooms/${id}/links`);
  const links = body['links'] as { link_id: string; role: string }[];
  const reader = await readAlong(nodes[1], id, { key: keyOf(made.viewer_url) });
  for (const role of ['viewer', 'speaker']) {
    const { link_id: linkId } = links.find((link) => link.role === role)!;
    await change(nodes[2], 'DELETE', `/v1/rooms/${id}/links/${linkId}`);
  }
  expect(await reader.closed).toBe(4403);
  const session = { source_media_content_type: 'audio/wav', source_language: 'en' };
  const asked = await nodes[1].post(
    `/v1/rooms/${id}/live/session`,
    session,
    roomKey(keyOf(made.speaker_url)),
  );
  expect(asked.status).toBe(403);
});

it('shows readers and speakers on every node, enforces the limit, and deletes a room on all nodes', async () => {
  const { nodes, cluster } = opened;
  const keys = async () => {
    const all = (await cluster.redis.ask('KEYS', '*')) as string[];
    const dumps = await Promise.all(all.map((key) => cluster.redis.ask('DUMP', key)));
    return dumps.map(String).join('\n');
  };
  const { room_id: id } = await makeRoom(nodes[0], wishes);
  const readers = [
    ...(await readAtEach(id, 'es')),
    ...(await readAtEach(id, 'fr')),
    ...(await readAtEach(id, 'spoken')),
  ];
  const speaker = await speakInto(nodes[1], id);
  for (const node of nodes) {
    await soon(async () => {
      const { body } = await change(node, 'GET', `/v1/rooms/${id}`);
      const counts = JSON.stringify(Object.entries(body['viewers'] as object).sort());
      return (
        counts === '[["es",3],["fr",3],["spoken",3]]' &&
        body['session_id'] === speaker.sessionId &&
        body['state'] === 'live'
      );
    });
    const { body } = await change(node, 'GET', '/v1/rooms');
    const rooms = body['rooms'] as { room_id: string; viewers: object }[];
    expect(rooms.find((room) => room.room_id === id)?.viewers).toEqual({ es: 3, fr: 3, spoken: 3 });
    await expect(readAlong(node, id)).rejects.toMatchObject({ status: 429 });
  }
  const [gone, ...staying] = readers;
  gone!.close();
  await soon(async () => {
    const { body } = await change(nodes[2], 'GET', `/v1/rooms/${id}`);
    return (body['viewers'] as Record<string, number>)['es'] === 2;
  });
  staying.push(await readAlong(nodes[1], id, { language: 'es' }));

  await type(nodes[2], id, { text: 'Secretword house.' });
  await say(speaker, 'india juliett kilo');
  await untilAllShow(staying, 2);
  for (const { messages } of readers.slice(-3)) {
    expect(messages.some((each) => each.type === 'captions' && each.tentative !== '')).toBe(true);
  }
  expect(await keys()).toMatch(/Secretword/);
  await change(nodes[2], 'DELETE', `/v1/rooms/${id}`);
  for (const reader of staying) expect(await reader.closed).toBe(4404);
  expect((await speaker.closed).code).toBe(4404);
  await soon(async () => !/Secretword|Juliett/.test(await keys()));
});

it('catches up a suspended owner and its readers when it resumes', async () => {
  const { nodes } = opened;
  const [home, other] = nodes;
  const { room_id: id } = await makeRoom(home, keptWishes);
  const readers = [
    await readAlong(home, id, { language: 'es' }),
    await readAlong(other, id, { language: 'es' }),
  ];
  const typed = typing(other, id, 'Still');
  await until(() => typed.taken.length > 3);
  home.process.kill('SIGSTOP');
  onTestFinished(() => void home.process.kill('SIGCONT'));
  const length = typed.taken.length;
  await until(() => typed.taken.length > length + 5);
  home.process.kill('SIGCONT');
  await until(() => typed.taken.length > length + 10);
  // It may append lines again.
  await type(home, id, { text: 'Back in the house.' });
  const taken = [...(await typed.stop()), 'Back in the house.'];
  await untilAllShow(readers, taken.length);
  await expectSame(readers);
  expect([...readers[0]!.texts()].sort()).toEqual(inSpanish([...taken].sort()));
  expect(await transcript(home, id, 'es')).toEqual(readers[1]!.texts());
  for (const reader of readers) reader.close();
});

it('delivers to all nodes what an owner that was cut off from the broker told its own readers', async () => {
  const { nodes } = opened;
  const [another, third, home] = nodes;
  const { id, readers } = await roomAt([home, another, third]);
  opened.cutOff();
  for (const index of [0, 1, 2, 3]) await type(home, id, { text: `Alone house ${index}.` });
  await untilAllShow([readers[0]!], 5);
  // Another node becomes the owner as soon as the lease has expired.
  const typed = () => type(another, id, { text: 'Meanwhile the house.' }).then(() => true as const);
  await until(() => typed().catch(() => false));
  await untilAllShow(readers.slice(1), 2);
  opened.joinAgain();
  await untilAllShow(readers, 6);
  await expectSame(readers);
  for (const node of [home, third]) {
    expect(await transcript(node, id, 'es')).toEqual(readers[1]!.texts());
  }
  // So does what is changed.
  await change(third, 'PATCH', `/v1/rooms/${id}`, { paused: true });
  await soon(() => readers.every((reader) => reader.state() === 'paused'));
  for (const reader of readers) reader.close();
});

it('keeps an owner going without its broker, and catches up the other nodes when it is back', async () => {
  const { nodes, cluster } = opened;
  const { id, readers } = await roomAt(nodes);
  const { length } = readers[0]!.texts();
  await cluster.redis.kill();
  const texts = Array.from({ length: 6 }, (_, index) => `Without it house ${index}.`);
  for (const text of texts) await type(nodes[0], id, { text });
  await untilAllShow([readers[0]!], length + texts.length);
  expect(readers[1]!.texts()).toHaveLength(length);
  // The broker stays away for longer than a lease.
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  await cluster.redis.start();
  await untilAllShow(readers, length + texts.length);
  await type(nodes[2], id, { text: 'Afterwards the house.' });
  await untilAllShow(readers, length + texts.length + 1);
  await expectSame(readers);
  for (const reader of readers) {
    const arrived = reader.arrived().map(({ line }) => line);
    expect(arrived).toEqual([...new Set(arrived)]);
  }
  const late = await readAlong(nodes[1], id, { language: 'es' });
  await late.shows(...readers[0]!.texts());
  late.close();
  for (const reader of readers) reader.close();
});

/** A room whose owner is to be killed, while lines are typed at two other nodes. */
async function typedRoom(home: TestServer, others: readonly [TestServer, TestServer]) {
  const { room_id: id } = await makeRoom(home, keptWishes);
  const first = await readAlong(home, id, { language: 'es' });
  const readers = await Promise.all(
    others.flatMap((node) => ['spoken', 'es'].map((language) => readAlong(node, id, { language }))),
  );
  const typed = [typing(others[0], id, 'B'), typing(others[1], id, 'C')];
  await until(() => typed.every(({ taken }) => taken.length > 3));
  return { id, first, readers, typed, others };
}

/** Expects that captions have the same sequences for two readers, one of which was told several at once. */
async function expectSameNumbers(one: RoomReader, other: RoomReader): Promise<void> {
  await until(() => one.sequence() === other.sequence());
  const [here, there] = [one, other].map(told) as [string[], string[]];
  const textOf = (caption: string) => caption.slice(caption.indexOf(' '));
  const texts = new Set(there.map(textOf));
  const shared = here.filter((caption) => texts.has(textOf(caption)));
  expect(shared.length).toBeGreaterThan(0);
  expect(there).toEqual(expect.arrayContaining(shared));
}

/** Expects that the room goes on at another node after its owner was killed, without loss or repetition. */
async function expectToGoOn(room: Awaited<ReturnType<typeof typedRoom>>): Promise<void> {
  const { id, first, readers, typed, others } = room;
  const lengths = typed.map(({ taken }) => taken.length);
  await until(() => typed.every(({ taken }, index) => taken.length > lengths[index]! + 2));
  const taken = (await Promise.all(typed.map((each) => each.stop()))).flat();
  await untilAllShow(readers, taken.length);
  expect([...readers[0]!.texts()].sort()).toEqual([...taken].sort());
  await expectSameNumbers(readers[0]!, readers[2]!);
  await expectSameNumbers(readers[1]!, readers[3]!);
  await expectSame([readers[0]!, readers[2]!]);
  await expectSame([readers[1]!, readers[3]!]);
  expect(readers[1]!.texts()).toEqual(inSpanish(readers[0]!.texts()));
  // A reader of the killed node may return at any other.
  const after = first.sequence();
  const back = await readAlong(others[1], id, { language: 'es', after });
  await until(() => back.texts().length > 0);
  expect([...first.texts(), ...back.texts()]).toEqual(readers[1]!.texts());
  const counts = timesTranslated(opened.translator, 'es');
  // A line that was being translated when the owner died is translated once more.
  const again = taken.filter((text) => counts.get(text) !== 1);
  expect(again.length).toBeLessThanOrEqual(2);
  expect(await transcript(others[0], id, 'spoken')).toEqual(readers[0]!.texts());
  expect(await transcript(others[1], id, 'es')).toEqual(readers[1]!.texts());
  for (const reader of [...readers, back]) reader.close();
}

const SENTENCES = [
  'alpha bravo charlie',
  'delta echo foxtrot golf',
  'hotel india juliett',
  'kilo lima mike november',
  'oscar papa quebec',
];
const words = (texts: readonly string[]) => texts.join(' ').toLowerCase().replaceAll('.', '');

async function expectWhole(id: string, readers: readonly RoomReader[]): Promise<void> {
  const [spoken, translated] = readers as [RoomReader, RoomReader];
  await until(() => words(spoken.texts()) === SENTENCES.join(' ')).catch(() => {
    expect(words(spoken.texts())).toBe(SENTENCES.join(' '));
  });
  await until(() => translated.texts().length === spoken.texts().length);
  // Each line arrived once, in order.
  told(spoken);
  const arrived = spoken.arrived().map(({ line }) => line);
  expect(arrived).toEqual([...new Set(arrived)]);
  // Lines follow each other in time, and none ends in the future.
  const starts = spoken.lines().map(({ start_time: start }) => start);
  expect(starts).toEqual([...starts].sort());
  const path = `/v1/rooms/${id}/transcript?language=spoken&format=json`;
  const { body } = await change(opened.nodes[1], 'GET', path);
  const kept = body['lines'] as { text: string; end_time: string }[];
  expect(kept.map(({ text }) => text)).toEqual(spoken.texts());
  for (const { end_time: end } of kept) expect(Date.parse(end)).toBeLessThanOrEqual(Date.now());
}

// The last test, as it stops two of the servers.
it('goes on without loss or repetition after a server was killed that owned a room, and a session, which moves on after a drop and a stop', async () => {
  const [one, other, home] = opened.nodes;
  const typedInto = await typedRoom(one, [other, home]);
  const { room_id: id } = await makeRoom(home, keptWishes);
  const first = await readAlong(home, id, { language: 'spoken' });
  const readers = [
    await readAlong(other, id, { language: 'spoken' }),
    await readAlong(other, id, { language: 'es' }),
  ];
  const audio = Buffer.concat(SENTENCES.map((text) => toneSpeech(text)));
  let current = one;
  const request = { room_id: id, source_language: 'en' };
  // At real-time pace, as lines are placed by the clock.
  const pace = { chunkBytes: 6_400, everyMs: 200 };
  let goOn: () => void = () => undefined;
  const hasMoved = new Promise<void>((resolve) => (goOn = resolve));
  const pause = { atBytes: 0.5 * audio.length, until: hasMoved };
  const client = new RoamingClient({ request, route: () => current, ...pace, pause });
  home.process.kill('SIGSTOP');
  onTestFinished(() => void home.process.kill('SIGCONT'));
  const speaking = client.speak(audio);
  const untilAt = (part: number, connections: number) =>
    until(() => client.connections === connections && client.at > part * audio.length);
  // Only the client has captions so far, as the room's owner is suspended.
  await until(() => client.text() !== '');
  current = other;
  one.process.kill('SIGKILL');
  home.process.kill('SIGCONT');
  await expectToGoOn(typedInto);
  goOn();
  await untilAt(0.5, 2);
  current = home;
  client.drop();
  await untilAt(0.75, 3);
  current = other;
  home.process.kill('SIGTERM');
  expect(await home.exited).toBe(0);
  expect(client.closeCodes.at(-1)).toBe(1012);
  await speaking;
  expect(client.connections).toBe(4);
  await expectWhole(id, readers);
  first.close();
});
