/** What is said in a room, for those who read it at three servers. */
import { expect, it } from 'vitest';
import { until } from '../../support/product/server.ts';
import { makeRoom, readAlong, readStream, type } from '../room-client.ts';
import { roomCluster, say, speakInto, timesTranslated, told } from './room-cluster.ts';

const opened = roomCluster();
const wishes = { languages: ['es', 'fr'], source_language: 'en' };

it('is the same at all of them, in the same order, wherever it is typed, and translated once', async () => {
  const { nodes, translator } = opened;
  const { room_id: id } = await makeRoom(nodes[0], wishes);
  const readers = await Promise.all(
    nodes.flatMap((node) =>
      ['spoken', 'es', 'fr'].map((language) => readAlong(node, id, { language })),
    ),
  );
  const texts = Array.from({ length: 30 }, (_, index) => `House ${index}.`);
  // Three at a time, at three nodes.
  for (let at = 0; at < texts.length; at += 3) {
    await Promise.all(nodes.map((node, index) => type(node, id, { text: texts[at + index]! })));
  }
  const late = await Promise.all(nodes.map((node) => readStream(node, id, { language: 'es' })));
  await until(() => readers.every((reader) => reader.texts().length === texts.length));
  for (const index of [0, 1, 2]) {
    const [first, ...others] = [0, 3, 6].map((node) => told(readers[node + index]!));
    for (const other of others) expect(other).toEqual(first);
  }
  expect([...readers[0]!.texts()].sort()).toEqual([...texts].sort());
  for (const reader of late) await reader.shows(...readers[1]!.texts());
  for (const language of ['es', 'fr']) {
    const counts = timesTranslated(translator, language);
    expect(texts.map((text) => counts.get(text))).toEqual(texts.map(() => 1));
  }
  for (const reader of [...readers, ...late]) reader.close();
});

it('is whole for who comes back at another, and for who comes when all is said', async () => {
  const { nodes } = opened;
  for (const keep_hours of [0, 1]) {
    const { room_id: id } = await makeRoom(nodes[0], { ...wishes, keep_hours });
    const first = await readAlong(nodes[0], id, { language: 'es' });
    for (const text of ['One house.', 'Two house.']) await type(nodes[1], id, { text });
    await first.shows('One casa.', 'Two casa.');
    first.close();
    const texts = Array.from({ length: 8 }, (_, index) => `River ${index}.`);
    for (const [index, text] of texts.entries()) await type(nodes[index % 3]!, id, { text });
    const translated = texts.map((text) => text.replace('River', 'Río'));
    const stays = await readAlong(nodes[2], id, { language: 'es' });
    await stays.shows('One casa.', 'Two casa.', ...translated);
    for (const node of nodes) {
      const back = await readAlong(node, id, { language: 'es', after: first.sequence() });
      await back.shows(...translated);
      expect(back.messages.some((each) => each.type === 'history' && each.replaces)).toBe(false);
    }
  }
});

it('comes with what is being said to readers at all of them', async () => {
  const { nodes } = opened;
  const { room_id: id } = await makeRoom(nodes[1], wishes);
  const readers = await Promise.all(nodes.map((node) => readAlong(node, id)));
  const speaker = await speakInto(nodes[2], id);
  await say(speaker, 'alpha bravo charlie delta echo');
  await say(speaker, 'mike november');
  speaker.end();
  await speaker.closed;
  await until(() => readers.every((reader) => reader.texts().join(' ').includes('ovember')));
  const tentative = readers.map(({ messages }) =>
    messages.flatMap((each) =>
      each.type === 'captions' && each.tentative !== '' ? [each.tentative] : [],
    ),
  );
  for (const texts of tentative) expect(texts.length).toBeGreaterThan(0);
  const [first, ...others] = readers.map(told);
  for (const other of others) expect(other).toEqual(first);
  for (const reader of readers) {
    await until(() => reader.state() === 'waiting');
    expect(reader.tentative()).toBe('');
    expect(reader.messages.some((each) => each.type === 'room' && each.state === 'live')).toBe(
      true,
    );
  }
});
