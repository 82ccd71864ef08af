/** What readers receive when they join, fall behind or return. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Channel } from '../../server/events/channel.ts';
import { FanOut } from '../../server/events/reading/fan-out.ts';
import { ServiceError } from '../../shared/errors.ts';
import { recordLog } from '../support/product/log-record.ts';
import { until } from '../support/product/server.ts';
import {
  join,
  messages,
  openRoom,
  platformOfThisFile,
  say,
  screen,
  shows,
  tentative,
} from './live-room-support.ts';
import { scriptedReader, type ScriptedReader } from './reading/scripted-reader.ts';

platformOfThisFile();

/** Enough readers for a fan-out to take many turns when a turn is as short as possible. */
const MANY = 100;

it('sends a reader that joins during a burst of lines each line once, in order', async () => {
  const { live } = await openRoom();
  const readers: ScriptedReader[] = [];
  const all = Array.from({ length: 80 }, (_, index) => `Line ${index}.`);
  for (const [index, text] of all.entries()) {
    const saying = say(live, text);
    if (index % 4 === 0) readers.push(join(live));
    // Returning readers already have the earlier lines.
    if (index % 8 === 0 && index > 0) {
      const back = scriptedReader();
      live.join(back, 'spoken', readers[0]!.sequence);
      Object.assign(back, { from: readers[0]!.sequence });
      readers.push(back);
    }
    await saying;
  }
  await Promise.all(readers.map((reader) => expect.poll(() => reader.isBehind).toBe(false)));
  for (const reader of readers) {
    const numbers = messages(reader).flatMap(({ lines }) => (lines ?? []).map(({ line }) => line));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(screen(reader).at(-1)).toBe('Line 79.');
    expect(all.slice(-numbers.length)).toEqual(screen(reader));
  }
});

it('resends all held lines, not only the last hundred, to readers whose lines were withdrawn', async () => {
  const { live, captions, room } = await openRoom({ keepMs: 0 });
  const reader = join(live);
  const all = Array.from({ length: 130 }, (_, index) => `Line ${index}.`);
  await say(live, all[0]!);
  await shows(reader, all[0]!);
  for (const text of all.slice(1)) await say(live, text);
  await shows(reader, ...all);
  const before = reader.received.length;
  const fanOut = new FanOut();
  const channel = new Channel({
    ...{ captions, fanOut, log: recordLog() },
    track: { roomId: room.roomId, name: 'spoken' },
  });
  channel.join(reader, reader.sequence);
  channel.startOver();
  await until(() => reader.received.length > before + 1);
  await shows(reader, ...all);
  const late = scriptedReader();
  channel.join(late, undefined);
  await shows(late, ...all.slice(-100));
  channel.close();
});

it('includes a line that is said at the moment a reader joins', async () => {
  const { live, captions } = await openRoom();
  await say(live, 'One.');
  const first = join(live);
  await shows(first, 'One.');
  const read = captions.read.bind(captions);
  captions.read = async (track, after) => {
    const found = await read(track, after);
    captions.read = read;
    await say(live, 'Two.');
    return found;
  };
  const back = join(live, 'spoken', first.sequence);
  await shows(back, 'Two.');
  await say(live, 'Three.');
  await shows(back, 'Two.', 'Three.');
});

it('sends nothing twice to a reader that catches up repeatedly', async () => {
  const { live } = await openRoom();
  await say(live, 'One.');
  const reader = join(live);
  void live.catchUp(reader);
  void live.catchUp(reader);
  await say(live, 'Two.');
  void live.catchUp(reader);
  await shows(reader, 'One.', 'Two.');
  const texts = messages(reader).flatMap(({ lines }) => (lines ?? []).map(({ text }) => text));
  expect(texts).toEqual(['One.', 'Two.']);
});

it('sends one language at a time to a reader that changes it repeatedly', async () => {
  const { live } = await openRoom();
  await say(live, 'One.');
  const reader = join(live, 'spoken');
  for (const name of ['es', 'spoken', 'es', 'fr', 'es']) {
    live.leave(reader);
    live.join(reader, name, undefined);
  }
  await say(live, 'Two.');
  await shows(reader, 'es(One.)', 'es(Two.)');
  expect(live.readers).toEqual({ es: 1 });
  const names = reader.received.slice(6).map((message) => message['history']?.['language']);
  expect(new Set(names.filter((name) => name !== undefined))).toEqual(new Set(['es']));
});

it('tells a reader that was away for too long to discard its lines', async () => {
  const { live } = await openRoom({ keepMs: 0 });
  const first = await say(live, 'First.');
  const comesBack = async () => {
    const reader = join(live, 'spoken', first.sequence);
    await until(() => !reader.isBehind);
    const [history] = messages(reader).filter(({ lines }) => (lines ?? []).length > 0);
    return { reader, history };
  };
  for (let index = 0; index < 130; index += 1) await say(live, `${index}`);
  // Nothing is lost as long as it is held, although a new reader gets fewer lines.
  const soon = await comesBack();
  expect(soon.history).toMatchObject({ replaces: false });
  expect(screen(soon.reader)).toHaveLength(130);
  for (let index = 130; index < 600; index += 1) await say(live, `${index}`);
  const late = await comesBack();
  expect(late.history).toMatchObject({ replaces: true });
  expect(screen(late.reader)).toHaveLength(100);
  expect(screen(late.reader).at(-1)).toBe('599');
});

it('skips a reader that does not read, and sends the rest when it does', async () => {
  const { live } = await openRoom();
  const [slow, quick] = [join(live), join(live)];
  await until(() => !slow.isBehind && !quick.isBehind);
  slow.backlogBytes = 100_000;
  for (const text of ['One.', 'Two.']) await say(live, text);
  await shows(quick, 'One.', 'Two.');
  expect(screen(slow)).toEqual([]);
  slow.backlogBytes = 0;
  await live.catchUp(slow);
  expect(screen(slow)).toEqual(['One.', 'Two.']);
});

it.each([
  ['fails', () => Promise.reject(new Error('The disk is gone.'))],
  ['does not answer', () => new Promise<never>(() => {})],
])(
  'serves new lines to a reader that joins while the database %s, and the rest later',
  async (how, broken) => {
    const { live, captions, log } = await openRoom({ keepMs: 0 });
    const { sequence } = await say(live, 'One.');
    const read = captions.read.bind(captions);
    captions.read = broken;
    const readers = [join(live), join(live, 'spoken', sequence - 1)];
    await Promise.all(readers.map((reader) => until(() => !reader.isBehind)));
    await say(live, 'Two.');
    for (const reader of readers) await shows(reader, 'Two.');
    captions.read = read;
    // A read that never answers would block here as well.
    if (how === 'fails') {
      for (const reader of readers) await shows(reader, 'One.', 'Two.');
      expect(new Set(log.lines.map(({ level }) => level))).toEqual(new Set(['error']));
    }
    await shows(join(live), 'One.', 'Two.');
    await say(live, 'Three.');
    for (const reader of readers) await until(() => screen(reader).at(-1) === 'Three.');
  },
);

it('sends everything to a reader that had no history and returns after the outage', async () => {
  const { live, captions } = await openRoom();
  await say(live, 'One.');
  const read = captions.read.bind(captions);
  captions.read = () => Promise.reject(new Error('The disk is gone.'));
  const reader = join(live);
  await until(() => !reader.isBehind);
  await say(live, 'Two.');
  await shows(reader, 'Two.');
  live.leave(reader);
  captions.read = read;
  const back = scriptedReader();
  live.join(back, 'spoken', messages(reader).findLast(({ sequence }) => sequence)?.sequence);
  await shows(back, 'One.', 'Two.');
});

it('sends a burst to many readers in batches, in order and without repetition', async () => {
  const { live } = await openRoom({ keepMs: 0, sliceMs: 0 });
  const readers = Array.from({ length: MANY }, () => join(live));
  await Promise.all(readers.map((reader) => until(() => !reader.isBehind)));
  const all = Array.from({ length: 90 }, (_, index) => `Line ${index}.`);
  await Promise.all(all.map((text) => say(live, text)));
  for (const reader of readers) {
    await shows(reader, ...all);
    const said = messages(reader).filter(({ lines }) => (lines ?? []).length > 0);
    expect(said.flatMap(({ lines }) => (lines ?? []).map(({ text }) => text))).toEqual(all);
    expect(said.length).toBeLessThan(all.length / 2);
  }
});

it('serves readers that join during an overload completely, and leaves no tentative text behind', async () => {
  const { live, captions, room } = await openRoom({ keepMs: 0, sliceMs: 0 });
  const readers = Array.from({ length: MANY }, () => join(live));
  await Promise.all(readers.map((reader) => until(() => !reader.isBehind)));
  const all = Array.from({ length: 50 }, (_, index) => `Line ${index}.`);
  for (const text of all) {
    captions.tell({ roomId: room.roomId, name: 'spoken' }, text.slice(0, -2));
    await say(live, text);
    readers.push(join(live));
    await nextTurn();
  }
  for (const reader of readers) {
    await shows(reader, ...all);
    await expect.poll(() => tentative(reader) ?? '').toBe('');
  }
});

it('serves a reader that joins after all others left with lines still pending', async () => {
  const { live } = await openRoom({ keepMs: 0, sliceMs: 0 });
  const readers = Array.from({ length: MANY }, () => join(live));
  await Promise.all(readers.map((reader) => until(() => !reader.isBehind)));
  const texts = Array.from({ length: 8 }, (_, index) => `Line ${index}.`);
  await Promise.all(texts.map((text) => say(live, text)));
  for (const reader of readers) live.leave(reader);
  await say(live, 'To nobody.');
  const late = join(live);
  await until(() => !late.isBehind);
  const rest = Array.from({ length: 20 }, (_, index) => `More ${index}.`);
  await Promise.all(rest.map((text) => say(live, text)));
  await shows(late, ...texts, 'To nobody.', ...rest);
});

it('misses nothing for a reader that joins in an outage and is slow for a moment', async () => {
  const { live, captions } = await openRoom({ keepMs: 0 });
  await say(live, 'One.');
  const read = captions.read.bind(captions);
  captions.read = async (track, after, options) =>
    options?.isUrgent === true
      ? read(track, after, options)
      : Promise.reject(new Error('The disk is gone.'));
  for (const isSlowAtOnce of [true, false]) {
    const reader = join(live);
    await until(() => !reader.isBehind);
    const before = screen(reader).length;
    if (!isSlowAtOnce) await say(live, 'Now.');
    reader.backlogBytes = 100_000;
    for (const text of ['Three.', 'Four.']) await say(live, text);
    reader.backlogBytes = 0;
    await live.catchUp(reader);
    await say(live, 'Five.');
    await until(() => screen(reader).at(-1) === 'Five.');
    const said = [...(isSlowAtOnce ? [] : ['Now.']), 'Three.', 'Four.', 'Five.'];
    expect(screen(reader).slice(-said.length)).toEqual(said);
    expect(before).toBe(0);
    expect(messages(reader).filter(({ sequence }) => sequence !== undefined)).toEqual([]);
  }
});

it('never shows tentative text again after it was concluded', async () => {
  const { live, captions, room } = await openRoom({ keepMs: 0, sliceMs: 0 });
  const readers = Array.from({ length: MANY }, () => join(live));
  await Promise.all(readers.map((reader) => until(() => !reader.isBehind)));
  for (let index = 0; index < 9; index += 1) await say(live, `Line ${index}.`);
  captions.tell({ roomId: room.roomId, name: 'spoken' }, 'The last wor');
  live.keepAlive(() => false);
  await say(live, 'The last word.');
  for (const reader of readers) {
    await until(() => screen(reader).at(-1) === 'The last word.');
    await expect.poll(() => tentative(reader) ?? '').toBe('');
  }
});

it('sends nothing of a deleted room, however much is pending', async () => {
  const { live } = await openRoom();
  // So many that some of them still wait at the time of the deletion.
  const readers = Array.from({ length: 1_000 }, () => join(live));
  await Promise.all(readers.map((reader) => until(() => !reader.isBehind)));
  await Promise.all(Array.from({ length: 6 }, (_, index) => say(live, `Secret ${index}.`)));
  await live.forget();
  const before = readers.map((reader) => reader.received.length);
  await say(live, 'Public.');
  for (const [index, reader] of readers.entries()) {
    await shows(reader, 'Public.');
    expect(JSON.stringify(reader.received.slice(before[index]))).not.toContain('Secret');
  }
});

it('sends nothing more to a reader that rejoins repeatedly without reading', async () => {
  const { live } = await openRoom();
  for (let index = 0; index < 30; index += 1) await say(live, `${index}`);
  const reader = join(live);
  await until(() => !reader.isBehind);
  reader.backlogBytes = 100_000;
  const sent = () => messages(reader).filter(({ lines }) => (lines ?? []).length > 0).length;
  const before = sent();
  for (let after = 1; after < 20; after += 1) {
    live.leave(reader);
    live.join(reader, 'spoken', after);
  }
  const other = join(live);
  await until(() => !other.isBehind);
  expect(sent()).toBe(before);
  reader.backlogBytes = 0;
  await live.catchUp(reader);
  expect(sent()).toBe(before + 1);
});

it('sends the same message to readers that return from before the held lines', async () => {
  const { live } = await openRoom();
  const { sequence } = await say(live, 'One.');
  const [one, other] = [new Set<Uint8Array>(), new Set<Uint8Array>()];
  for (const [index, seen] of [one, other].entries()) {
    const reader = scriptedReader();
    const write = reader.write.bind(reader);
    reader.write = (bytes) => {
      seen.add(bytes);
      write(bytes);
    };
    live.join(reader, 'spoken', sequence - 1 - index);
    await until(() => !reader.isBehind);
  }
  expect([...one]).toEqual([...other]);
  expect([...one].every((bytes) => other.has(bytes))).toBe(true);
});

it('tells a reader that was away during a deletion or an expiry to discard its lines', async () => {
  const clock = { nowMs: Date.now() };
  const { live } = await openRoom({ now: () => clock.nowMs });
  const { sequence } = await say(live, 'Secret.');
  const comesBack = async () => {
    const reader = join(live, 'spoken', sequence);
    await until(() => !reader.isBehind);
    return messages(reader).find(({ lines }) => lines !== undefined);
  };
  expect(await comesBack()).toBeUndefined();
  await live.forget();
  expect(await comesBack()).toMatchObject({ replaces: true, lines: [] });
  await say(live, 'Public.');
  expect(await comesBack()).toMatchObject({ replaces: true, lines: [{ text: 'Public.' }] });
  clock.nowMs += 2 * 3_600_000;
  live.expire(clock.nowMs - 3_600_000);
  expect(await comesBack()).toMatchObject({ replaces: true, lines: [] });
  const newcomer = join(live);
  await until(() => !newcomer.isBehind);
  expect(screen(newcomer)).toEqual([]);
  await say(live, 'Welcome back.');
  await shows(newcomer, 'Welcome back.');
});

it('does not block a reader that joins after a deletion with captions deleted meanwhile', async () => {
  const { live, captions, room } = await openRoom({ keepMs: 0 });
  const spanish = join(live, 'es');
  const { sequence, line } = await say(live, 'Secret.');
  await shows(spanish, 'es(Secret.)');
  const forget = captions.forget.bind(captions);
  captions.forget = async (roomId, onGone) => {
    const deleted = forget(roomId, onGone);
    // A translation of the caption that is being deleted.
    const late = { line, renders: sequence, language: 'es', startMs: 1, endMs: 2, text: 'Tarde.' };
    const track = { roomId: room.roomId, name: 'es' };
    await captions.append(track, { ...late, author: 'machine' }, { isKept: false });
    return deleted;
  };
  await live.forget();
  const reader = join(live, 'es');
  await until(() => !reader.isBehind);
  expect(screen(reader)).toEqual([]);
  await shows(spanish);
  await say(live, 'Public.');
  for (const each of [reader, spanish]) await shows(each, 'es(Public.)');
});

it('does not show tentative text of a deleted caption again', async () => {
  const { live, captions, room } = await openRoom();
  const spanish = join(live, 'es');
  await until(() => !spanish.isBehind);
  captions.tell({ roomId: room.roomId, name: 'es' }, 'Cosa sec');
  await expect.poll(() => tentative(spanish)).toBe('Cosa sec');
  await live.forget();
  const late = join(live, 'es');
  await until(() => !late.isBehind && !spanish.isBehind);
  expect(tentative(spanish)).toBe('');
  expect(tentative(late) ?? '').toBe('');
});

it('does not show tentative text of a deleted caption from a pending fan-out', async () => {
  const { live, captions, room } = await openRoom();
  const readers = Array.from({ length: 800 }, () => join(live));
  await Promise.all(readers.map((reader) => until(() => !reader.isBehind)));
  captions.tell({ roomId: room.roomId, name: 'spoken' }, 'Secr');
  const said = say(live, 'Secret.');
  await Promise.all([said, live.forget()]);
  for (const reader of readers) await shows(reader);
  const left = () => readers.filter((reader) => (tentative(reader) ?? '') !== '');
  await expect.poll(left).toEqual([]);
});

it('is not blocked by readers whose room ends during a deletion', async () => {
  const { live } = await openRoom({ sliceMs: 0 });
  await say(live, 'Secret.');
  const readers = Array.from({ length: MANY }, () => join(live));
  await Promise.all(readers.map((reader) => until(() => !reader.isBehind)));
  await live.forget();
  live.end(new ServiceError('not_found', 'The room has been deleted.'));
  await expect.poll(() => readers.every(({ ended }) => ended.length === 1)).toBe(true);
});

it('sends the held lines to a reader that claims a sequence from the future', async () => {
  const { live } = await openRoom();
  await say(live, 'One.');
  const reader = join(live, 'spoken', 999_999_999_999_999);
  await shows(reader, 'One.');
  await say(live, 'Two.');
  await shows(reader, 'One.', 'Two.');
});
