import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createFanOut, createParcel, encodings } from '../../../server/events/reading/fan-out.ts';
import { until } from '../../support/product/server.ts';
import { scriptedReader, type ScriptedReader } from './scripted-reader.ts';

const line = (text: string) => ({
  ...{ line: 1, text, language: 'es', start_time: 1, end_time: 2, by: 'machine' },
});
const concluded = (sequence: number, text = `${sequence}`) =>
  createParcel(
    { type: 'captions', language: 'es', sequence, lines: [line(text)], tentative: '' },
    sequence,
  );
const tentative = (text: string) =>
  createParcel({ type: 'captions', language: 'es', lines: [], tentative: text });
const state = createParcel({
  ...{ type: 'room', name: 'n', state: 'live', languages: [], spoken_languages: [] },
});
const keepAlive = createParcel({ type: 'keep_alive' });

/** Hands all out at once, however slow the machine is. */
const promptFanOut = () => createFanOut({ sliceMs: 60_000 });

/** Readers that have all they were to be sent. */
const here = (count: number, given: Parameters<typeof scriptedReader>[0] = {}) =>
  Array.from({ length: count }, () => Object.assign(scriptedReader(given), { isBehind: false }));
const tentatives = ({ received }: ScriptedReader) =>
  received.map(({ captions }) => captions?.['tentative']);
const sequences = ({ received }: ScriptedReader) =>
  received.map(({ captions }) => captions?.['sequence']);

it.each(encodings)('a message in %s says the same whatever its length', (encoding) => {
  for (const length of [0, 20, 124, 200, 65_000, 70_000]) {
    const [reader] = here(1, { encoding });
    const text = 'ñ'.repeat(length);
    promptFanOut().send(new Set([reader!]), concluded(7, text));
    expect(reader!.received).toEqual([
      { captions: { language: 'es', sequence: 7, lines: [line(text)], tentative: '' } },
    ]);
    expect(reader!.sequence).toBe(7);
  }
});

it('a message is made once for each encoding', () => {
  const parcel = concluded(1);
  expect(parcel.in('json')).toBe(parcel.in('json'));
});

it('what must not be lost comes once, in its order; who is slow is skipped and catches up', () => {
  const fanOut = promptFanOut();
  const [quick, slow] = here(2);
  const readers = new Set([quick!, slow!]);
  fanOut.send(readers, concluded(1));
  slow!.backlogBytes = 1_000_000;
  fanOut.send(readers, concluded(2));
  fanOut.send(readers, tentative('a'));
  fanOut.send(readers, keepAlive);
  slow!.backlogBytes = 0;
  fanOut.send(readers, concluded(3));
  fanOut.send(readers, concluded(3));
  expect(sequences(quick!)).toEqual([1, 2, undefined, undefined, 3]);
  expect(sequences(slow!)).toEqual([1]);
  expect(slow).toMatchObject({ isBehind: true, sequence: 1 });
});

it('who still has something to read is spared what is tentative, and who wants calm always', () => {
  const fanOut = promptFanOut();
  const [reader] = here(1);
  const [calm] = here(1, { isSettled: true });
  reader!.backlogBytes = 1;
  fanOut.send(new Set([reader!, calm!]), tentative('Good'));
  reader!.backlogBytes = 0;
  fanOut.send(new Set([reader!, calm!]), tentative('Good morning'));
  expect(tentatives(reader!)).toEqual(['Good morning']);
  expect(calm!.received).toEqual([]);
});

it('who still has something to read is told that nothing is being said any more', () => {
  const fanOut = promptFanOut();
  const [reader] = here(1);
  fanOut.send(new Set([reader!]), tentative('Noise'));
  reader!.backlogBytes = 1;
  fanOut.send(new Set([reader!]), tentative(''));
  expect(tentatives(reader!)).toEqual(['Noise', '']);
});

it('the state of a room comes to those who are behind as well, and to nobody who is gone', () => {
  const fanOut = promptFanOut();
  const behind = scriptedReader();
  const gone = Object.assign(scriptedReader(), { isGone: true });
  fanOut.send(new Set([behind, gone]), state);
  expect(behind.received).toHaveLength(1);
  expect(gone.received).toEqual([]);
});

it('is handed out in slices, between which others have their turn; none is left out', async () => {
  const fanOut = createFanOut({ sliceMs: 0 });
  const readers = new Set(here(1_000));
  let turns = 0;
  const count = () => {
    turns += 1;
    if (turns < 100) setImmediate(count);
  };
  setImmediate(count);
  fanOut.send(readers, concluded(1));
  fanOut.send(readers, concluded(2));
  const last = [...readers].at(-1)!;
  expect(last.received).toEqual([]);
  await until(() => last.sequence === 2);
  expect(turns).toBeGreaterThan(10);
  for (const reader of readers) expect(sequences(reader)).toEqual([1, 2]);
});

it('much that is sent to few at once is handed out over many turns as well', async () => {
  const fanOut = createFanOut({ sliceMs: 0 });
  const rooms = Array.from({ length: 100 }, () => new Set(here(10)));
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  for (const readers of rooms) fanOut.send(readers, concluded(1));
  const handed = () =>
    rooms.flatMap((readers) => [...readers]).filter(({ sequence }) => sequence === 1).length;
  expect(handed()).toBe(10);
  await until(() => handed() === 1_000);
  isDone = true;
  expect(turns).toBeGreaterThan(90);
});

it('what is done with many comes after what they were sent before, and few at a time', async () => {
  const fanOut = createFanOut();
  const readers = here(500);
  const [first, second] = [new Set(readers.slice(0, 250)), new Set(readers.slice(250))];
  for (const set of [first, second]) fanOut.send(set, concluded(1));
  const met: number[] = [];
  const meet = ({ sequence }: { sequence: number }) => void met.push(sequence);
  let most = 0;
  let before = 0;
  const count = () => {
    most = Math.max(most, met.length - before);
    before = met.length;
    if (met.length < 500) setImmediate(count);
  };
  setImmediate(count);
  for (const set of [first, second]) fanOut.each([...set], meet);
  await until(() => met.length === 500);
  expect(met.every((sequence) => sequence === 1)).toBe(true);
  expect(most).toBeLessThanOrEqual(100);
});

it('a newer tentative text takes the place of one that is still being handed out', async () => {
  const fanOut = createFanOut({ sliceMs: 0 });
  const readers = new Set(here(500));
  for (const text of ['a', 'b', 'c']) fanOut.send(readers, tentative(text));
  const all = [...readers];
  await until(() => all.every((reader) => tentatives(reader).at(-1) === 'c'));
  expect(tentatives(all.at(-1)!)).toEqual(['c']);
});

it('who has left while it is handed out gets nothing more of it', async () => {
  const fanOut = createFanOut({ sliceMs: 0 });
  const readers = new Set(here(500));
  const all = [...readers];
  fanOut.send(readers, concluded(9));
  readers.delete(all[490]!);
  await until(() => all.at(-1)!.sequence === 9);
  expect(all[490]!.received).toEqual([]);
});

it('sets of readers have turns: one whose text changes before it is handed out holds no other up', async () => {
  const fanOut = createFanOut({ sliceMs: 0 });
  const [hall, side] = [new Set(here(5_000)), new Set(here(10))];
  fanOut.send(hall, tentative('0'));
  fanOut.send(side, concluded(1));
  const met: unknown[] = [];
  fanOut.each([...side], (reader) => met.push(reader), side);
  for (let turn = 0; turn < 10; turn += 1) {
    await nextTurn();
    fanOut.send(hall, tentative(`${turn}`));
  }
  expect([...side].map(sequences)).toEqual(Array.from({ length: 10 }, () => [1]));
  expect(met).toHaveLength(10);
  const all = [...hall];
  await until(() => all.every((reader) => tentatives(reader).at(-1) === '9'));
});

it('who comes while a text is handed out has the one that takes its place', async () => {
  const fanOut = createFanOut({ sliceMs: 0 });
  const readers = new Set(here(500));
  fanOut.send(readers, tentative('I hate'));
  const [late] = here(1);
  readers.add(late!);
  fanOut.send(readers, tentative(''));
  const all = [...readers];
  await until(() => all.every((reader) => tentatives(reader).at(-1) === ''));
  expect(tentatives(late!)).toEqual(['']);
});

it('who has not got a text that was concluded since need not', async () => {
  const fanOut = createFanOut({ sliceMs: 0 });
  const readers = new Set(here(500));
  const all = [...readers];
  fanOut.send(readers, tentative('Good'));
  fanOut.send(readers, concluded(1, 'Good morning.'));
  await until(() => all.every((reader) => sequences(reader).at(-1) === 1));
  expect(all.at(-1)!.received).toHaveLength(1);
  expect(fanOut.waiting(readers)).toBe(0);
});

it('of what is cancelled nobody gets any more, but of what else there is', async () => {
  const fanOut = createFanOut({ sliceMs: 0 });
  const readers = new Set(here(500));
  const all = [...readers];
  for (const parcel of [concluded(1), concluded(2), state, concluded(3), tentative('a')]) {
    fanOut.send(readers, parcel);
  }
  fanOut.cancel(readers);
  fanOut.send(readers, tentative(''));
  await until(() => all.every((reader) => tentatives(reader).at(-1) === ''));
  expect(all.at(-1)!.received.map((message) => Object.keys(message)[0])).toEqual([
    'room',
    'captions',
  ]);
});

it('who reads along without what was before gets no number that would say it has that', () => {
  const fanOut = promptFanOut();
  const [reader] = here(1);
  const [stream] = here(1, { encoding: 'events' });
  for (const each of [reader!, stream!]) each.isOwed = true;
  fanOut.send(new Set([reader!, stream!]), concluded(1));
  expect([sequences(reader!), sequences(stream!)]).toEqual([[undefined], [undefined]]);
  expect(reader!.received[0]?.['captions']?.['lines']).toHaveLength(1);
});
