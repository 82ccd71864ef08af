/** What is done with a room at one server, for those who are in it at others. */
import { expect, it } from 'vitest';
import { until } from '../../support/product/server.ts';
import { change, keyOf, makeRoom, readAlong, roomKey, type } from '../room-client.ts';
import { roomCluster, say, speakInto } from './room-cluster.ts';

const opened = roomCluster({ EVENTS_MAX_VIEWERS_PER_ROOM: '6' });
const wishes = { languages: ['es', 'fr'], source_language: 'en' };
/** Everything holds that soon, though the machine of the tests has more to do. */
const SOON_MS = 20_000;
const soon = (look: () => boolean | Promise<boolean>) => until(async () => await look(), SOON_MS);

const readBy = (viewers: unknown, es: number, fr: number) => {
  const counts = viewers as Record<string, number>;
  return counts['es'] === es && counts['fr'] === fr;
};

it('pauses, and goes on, wherever it is asked for', async () => {
  const { nodes } = opened;
  const { room_id: id } = await makeRoom(nodes[0], wishes);
  const reader = await readAlong(nodes[0], id);
  const speaker = await speakInto(nodes[1], id);
  await say(speaker, 'india juliett kilo');
  await until(() => reader.texts().length === 1);
  await change(nodes[2], 'PATCH', `/v1/rooms/${id}`, { paused: true });
  await soon(() => reader.state() === 'paused');
  await say(speaker, 'mike november');
  await change(nodes[0], 'PATCH', `/v1/rooms/${id}`, { paused: false });
  await soon(() => reader.state() === 'live');
  await say(speaker, 'oscar papa quebec');
  speaker.end();
  await until(() => reader.texts().length === 2);
  expect(reader.texts().join(' ')).not.toMatch(/november/i);
  reader.close();
});

it('is typed into, corrected and deleted from anywhere, with the words that hold since a moment ago', async () => {
  const { nodes } = opened;
  const { room_id: id } = await makeRoom(nodes[0], { ...wishes, keep_hours: 1 });
  const readers = await Promise.all(nodes.map((node) => readAlong(node, id, { language: 'es' })));
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
  await type(nodes[2], id, { text: 'A hose, a river.' });
  await Promise.all(readers.map((reader) => reader.shows('Su casa.', 'A casa, a •••.')));
  expect((await change(nodes[2], 'DELETE', `/v1/rooms/${id}/transcript`)).status).toBe(204);
  await Promise.all(readers.map((reader) => reader.shows()));
  await type(nodes[1], id, { text: 'The book.' });
  await Promise.all(readers.map((reader) => reader.shows('La libro.')));
  const { body } = await change(nodes[0], 'GET', `/v1/rooms/${id}/transcript?language=fr`);
  expect(body['lines']).toMatchObject([{ text: 'La libro.' }]);
  for (const reader of readers) reader.close();
});

it('has a line spoken once, however many hear it at however many servers', async () => {
  const { nodes, voices } = opened;
  const { room_id: id } = await makeRoom(nodes[0], wishes);
  const readers = await Promise.all(nodes.map((node) => readAlong(node, id, { language: 'es' })));
  const line = await type(nodes[1], id, { text: 'Good morning house.' });
  await until(() => readers.every((reader) => reader.texts().length === 1));
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
  for (const reader of readers) reader.close();
});

it('asks those to leave who came by a link that was revoked at another server, readers and speakers', async () => {
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

it('ends everywhere when it is deleted at one, and nothing of it stays in the broker', async () => {
  const { nodes, cluster } = opened;
  const keys = async () => {
    const all = (await cluster.redis.ask('KEYS', '*')) as string[];
    const dumps = await Promise.all(all.map((key) => cluster.redis.ask('DUMP', key)));
    return dumps.map(String).join('\n');
  };
  const { room_id: id } = await makeRoom(nodes[0], wishes);
  const readers = await Promise.all(nodes.map((node) => readAlong(node, id, { language: 'es' })));
  for (const node of nodes) await type(node, id, { text: 'Secretword house.' });
  await until(() => readers.every((reader) => reader.texts().length === 3));
  const speaker = await speakInto(nodes[1], id);
  await say(speaker, 'india juliett kilo');
  await until(() => readers.every((reader) => reader.texts().length === 4));
  expect(await keys()).toMatch(/Secretword/);
  await change(nodes[2], 'DELETE', `/v1/rooms/${id}`);
  for (const reader of readers) expect(await reader.closed).toBe(4404);
  expect((await speaker.closed).code).toBe(4404);
  await soon(async () => !/Secretword|Juliett/.test(await keys()));
});

it('lets in as many as it may have, of those who come at all servers at the same moment', async () => {
  const { nodes } = opened;
  const { room_id: id } = await makeRoom(nodes[0], wishes);
  const all = Array.from({ length: 60 }, (_, index) => nodes[index % nodes.length]!);
  const came = await Promise.allSettled(all.map((node) => readAlong(node, id)));
  const readers = came.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  expect(readers).toHaveLength(6);
  for (const each of came) {
    if (each.status === 'rejected') expect(each.reason).toMatchObject({ status: 429 });
  }
  readers[0]!.close();
  await soon(() =>
    readAlong(nodes[1], id).then(
      (reader) => readers.push(reader) > 0,
      () => false,
    ),
  );
  for (const reader of readers) reader.close();
});

it('shows who reads, and who speaks, wherever it is looked at, and is full when it is full', async () => {
  const { nodes } = opened;
  const { room_id: id } = await makeRoom(nodes[0], wishes);
  const readers = await Promise.all(
    nodes.flatMap((node) => ['es', 'fr'].map((language) => readAlong(node, id, { language }))),
  );
  const speaker = await speakInto(nodes[2], id);
  for (const node of nodes) {
    await soon(async () => {
      const { body } = await change(node, 'GET', `/v1/rooms/${id}`);
      const { viewers, session_id: sessionId, state } = body;
      return readBy(viewers, 3, 3) && sessionId === speaker.sessionId && state === 'live';
    });
    const { body } = await change(node, 'GET', '/v1/rooms');
    const rooms = body['rooms'] as { room_id: string; viewers: object }[];
    expect(rooms.find((room) => room.room_id === id)?.viewers).toEqual({ es: 3, fr: 3 });
    await expect(readAlong(node, id)).rejects.toMatchObject({ status: 429 });
  }
  readers[0]!.close();
  await soon(async () => {
    const { body } = await change(nodes[2], 'GET', `/v1/rooms/${id}`);
    return readBy(body['viewers'], 2, 3);
  });
  (await readAlong(nodes[1], id)).close();
  speaker.end();
  for (const reader of readers) reader.close();
});
