import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FanOut, createParcel, encodings } from '../../../server/events/reading/fan-out.ts';
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

/** A fan-out in a single slice, however slow the machine is. */
const promptFanOut = () => new FanOut({ sliceMs: 60_000 });

/** Readers that have received everything so far. */
const here = (count: number, given: Parameters<typeof scriptedReader>[0] = {}) =>
  Array.from({ length: count }, () => Object.assign(scriptedReader(given), { isBehind: false }));
const tentatives = ({ received }: ScriptedReader) =>
  received.map(({ captions }) => captions?.['tentative']);
const sequences = ({ received }: ScriptedReader) =>
  received.map(({ captions }) => captions?.['sequence']);

it.each(encodings)('encodes a message of any length identically in %s', (encoding) => {
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

it('encodes a message once for each encoding', () => {
  const parcel = concluded(1);
  expect(parcel.in('json')).toBe(parcel.in('json'));
});

it('sends concluded lines once and in order, and skips a slow reader, which catches up', () => {
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

it('omits tentative text for readers with a backlog and for settled readers', () => {
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

it('clears tentative text even for readers with a backlog', () => {
  const fanOut = promptFanOut();
  const [reader] = here(1);
  fanOut.send(new Set([reader!]), tentative('Noise'));
  reader!.backlogBytes = 1;
  fanOut.send(new Set([reader!]), tentative(''));
  expect(tentatives(reader!)).toEqual(['Noise', '']);
});

it('sends the state of a room even to readers that are behind, but to none that is gone', () => {
  const fanOut = promptFanOut();
  const behind = scriptedReader();
  const gone = Object.assign(scriptedReader(), { isGone: true });
  fanOut.send(new Set([behind, gone]), state);
  expect(behind.received).toHaveLength(1);
  expect(gone.received).toEqual([]);
});

it('works in slices, between which other work has its turn, and omits no reader', async () => {
  const fanOut = new FanOut({ sliceMs: 0 });
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

it('spreads many small sends over many turns as well', async () => {
  const fanOut = new FanOut({ sliceMs: 0 });
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

it('runs an action for many readers after earlier messages, a few readers at a time', async () => {
  const fanOut = new FanOut();
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

it('replaces tentative text that is still being sent by a newer one', async () => {
  const fanOut = new FanOut({ sliceMs: 0 });
  const readers = new Set(here(500));
  for (const text of ['a', 'b', 'c']) fanOut.send(readers, tentative(text));
  const all = [...readers];
  await until(() => all.every((reader) => tentatives(reader).at(-1) === 'c'));
  expect(tentatives(all.at(-1)!)).toEqual(['c']);
});

it('sends nothing more to a reader that leaves meanwhile', async () => {
  const fanOut = new FanOut({ sliceMs: 0 });
  const readers = new Set(here(500));
  const all = [...readers];
  fanOut.send(readers, concluded(9));
  readers.delete(all[490]!);
  await until(() => all.at(-1)!.sequence === 9);
  expect(all[490]!.received).toEqual([]);
});

it('serves sets of readers in turn, so that one with changing text delays no other', async () => {
  const fanOut = new FanOut({ sliceMs: 0 });
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

it('sends the replacing text to a reader that joins during a send', async () => {
  const fanOut = new FanOut({ sliceMs: 0 });
  const readers = new Set(here(500));
  fanOut.send(readers, tentative('I hate'));
  const [late] = here(1);
  readers.add(late!);
  fanOut.send(readers, tentative(''));
  const all = [...readers];
  await until(() => all.every((reader) => tentatives(reader).at(-1) === ''));
  expect(tentatives(late!)).toEqual(['']);
});

it('skips tentative text that was concluded meanwhile', async () => {
  const fanOut = new FanOut({ sliceMs: 0 });
  const readers = new Set(here(500));
  const all = [...readers];
  fanOut.send(readers, tentative('Good'));
  fanOut.send(readers, concluded(1, 'Good morning.'));
  await until(() => all.every((reader) => sequences(reader).at(-1) === 1));
  expect(all.at(-1)!.received).toHaveLength(1);
  expect(fanOut.waiting(readers)).toBe(0);
});

it('sends nothing that was cancelled, but everything else', async () => {
  const fanOut = new FanOut({ sliceMs: 0 });
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

it('omits the sequence for a reader that lacks the earlier lines', () => {
  const fanOut = promptFanOut();
  const [reader] = here(1);
  const [stream] = here(1, { encoding: 'events' });
  for (const each of [reader!, stream!]) each.lacksHistory = true;
  fanOut.send(new Set([reader!, stream!]), concluded(1));
  expect([sequences(reader!), sequences(stream!)]).toEqual([[undefined], [undefined]]);
  expect(reader!.received[0]?.['captions']?.['lines']).toHaveLength(1);
});
