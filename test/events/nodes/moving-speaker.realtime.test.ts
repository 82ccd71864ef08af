/** A session that speaks into a room and goes on at another server: readers see one speech. */
import { expect, it } from 'vitest';
import { toneSpeech } from '../../support/audio/tone-speech.ts';
import { RoamingClient } from '../../support/product/roaming-client.ts';
import { type TestServer, until } from '../../support/product/server.ts';
import { change, makeRoom, readAlong, type RoomReader } from '../room-client.ts';
import { roomCluster, told } from './room-cluster.ts';

const SENTENCES = [
  'alpha bravo charlie',
  'delta echo foxtrot golf',
  'hotel india juliett',
  'kilo lima mike november',
  'oscar papa quebec',
];
const AUDIO = Buffer.concat(SENTENCES.map((text) => toneSpeech(text)));
/** As it is spoken: lines are placed by the clock. */
const PACE = { chunkBytes: 3_200, everyMs: 100 };
const wishes = { languages: ['es'], source_language: 'en', keep_hours: 1 };

const opened = roomCluster();

/** Speaks into a room through two servers, beside readers at a third. */
async function speakThrough(
  [first, second]: readonly [TestServer, TestServer],
  happen: (client: RoamingClient) => void | Promise<void>,
) {
  const staying = opened.nodes[2];
  const { room_id: id } = await makeRoom(staying, wishes);
  const readers = await Promise.all(
    ['spoken', 'es'].map((language) => readAlong(staying, id, { language })),
  );
  let current = first;
  const request = { room_id: id, source_language: 'en' };
  const client = new RoamingClient({ request, route: () => current, ...PACE });
  const speaking = client.speak(AUDIO);
  await until(() => client.at > 0.45 * AUDIO.length);
  current = second;
  await happen(client);
  await speaking;
  return { id, client, readers };
}

const words = (texts: readonly string[]) => texts.join(' ').toLowerCase().replaceAll('.', '');

async function expectWhole(id: string, readers: readonly RoomReader[]): Promise<void> {
  const [spoken, translated] = readers as [RoomReader, RoomReader];
  await until(() => words(spoken.texts()) === SENTENCES.join(' ')).catch(() => {
    expect(words(spoken.texts())).toBe(SENTENCES.join(' '));
  });
  await until(() => translated.texts().length === spoken.texts().length);
  // Each once, as they came.
  told(spoken);
  const arrived = spoken.arrived().map(({ line }) => line);
  expect(arrived).toEqual([...new Set(arrived)]);
  // Said one after the other, and until now.
  const starts = spoken.lines().map(({ start_time: start }) => start);
  expect(starts).toEqual([...starts].sort());
  const path = `/v1/rooms/${id}/transcript?language=spoken&format=json`;
  const { body } = await change(opened.nodes[2], 'GET', path);
  const kept = body['lines'] as { text: string; end_time: string }[];
  expect(kept.map(({ text }) => text)).toEqual(spoken.texts());
  for (const { end_time: end } of kept) expect(Date.parse(end)).toBeLessThanOrEqual(Date.now());
}

const readTwoServers = () => [opened.nodes[0], opened.nodes[1]] as const;

it('its connection drops, and its client comes back at another', async () => {
  const { id, client, readers } = await speakThrough(readTwoServers(), (each) => each.drop());
  expect(client.connections).toBe(2);
  await expectWhole(id, readers);
});

it('its server is told to stop', async () => {
  const server = await opened.cluster.add();
  const { id, client, readers } = await speakThrough([server, opened.nodes[1]], () => {
    server.process.kill('SIGTERM');
  });
  expect(client.closeCodes[0]).toBe(1012);
  expect(await server.exited).toBe(0);
  await expectWhole(id, readers);
});

it('its server is killed', async () => {
  const server = await opened.cluster.add();
  const { id, client, readers } = await speakThrough([server, opened.nodes[1]], () => {
    server.process.kill('SIGKILL');
  });
  expect(client.connections).toBe(2);
  await expectWhole(id, readers);
});
