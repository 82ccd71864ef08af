/** How lines are rendered in the other languages of a room, with a translator that the tests control. */
import { expect, it } from 'vitest';
import { latestLines } from '../../server/events/channel.ts';
import { until } from '../support/product/server.ts';
import {
  join,
  messages,
  openRoom,
  platformNow,
  platformOfThisFile,
  say,
  screen,
  shows,
  wholeTranscript,
} from './live-room-support.ts';

platformOfThisFile();

it('renders a correction in every language with readers, but keeps what a person wrote there', async () => {
  const { live } = await openRoom();
  const [spanish, french] = [join(live, 'es'), join(live, 'fr')];
  const { line } = await say(live, 'Good mourning.');
  await shows(french, 'fr(Good mourning.)');
  await live.write('es', { text: 'Buenos días.', line, startMs: 1, endMs: 2 });
  await shows(spanish, 'Buenos días.');
  await say(live, 'Good morning.', { line });
  await shows(french, 'fr(Good morning.)');
  expect(screen(spanish)).toEqual(['Buenos días.']);
  // A written line also lasts until a later reader, and goes when the line is removed.
  await live.write('es', { text: 'Buenas.', line, startMs: 1, endMs: 2 });
  await shows(join(live, 'es'), 'Buenas.');
  await say(live, '', { line });
  await shows(french);
  await shows(spanish);
  const by = messages(spanish).flatMap(({ lines }) => (lines ?? []).map((each) => each.by));
  expect(by.slice(0, 2)).toEqual(['machine', 'person']);
});

it('shows a line that cannot be translated as it was said, labelled with its language', async () => {
  const { live, script } = await openRoom();
  script.isDown = true;
  const reader = join(live, 'es');
  await say(live, 'Good morning.');
  await shows(reader, 'Good morning.');
  const [line] = messages(reader).flatMap(({ lines }) => lines ?? []);
  expect(line?.language).toBe('en');
});

it('translates untranslated lines once an engine is back, live and in transcripts', async () => {
  const { live, script, room, captions } = await openRoom();
  const signal = new AbortController().signal;
  script.isDown = true;
  const spanish = join(live, 'es');
  const { line } = await say(live, 'One.');
  await shows(spanish, 'One.');
  await live.complete('fr', signal);
  script.isDown = false;
  await say(live, 'Two.');
  await shows(spanish, 'es(One.)', 'es(Two.)');
  await live.complete('fr', signal);
  const french = await wholeTranscript(captions, { roomId: room.roomId, name: 'fr' });
  expect(latestLines(french).map(({ text }) => text)).toEqual(['fr(One.)', 'fr(Two.)']);
  // Lines that were corrected meanwhile are not overwritten.
  script.isDown = true;
  await say(live, 'Won.', { line });
  await shows(spanish, 'Won.', 'es(Two.)');
  script.isDown = false;
  await say(live, 'One!', { line });
  await shows(spanish, 'es(One!)', 'es(Two.)');
  await live.complete('es', signal);
  expect(screen(spanish)).toEqual(['es(One!)', 'es(Two.)']);
});

it('keeps what a person writes while the machine translates the same line', async () => {
  const { live, script, asked } = await openRoom();
  const spanish = join(live, 'es');
  let release = (): void => undefined;
  script.hold = new Promise<void>((resolve) => (release = resolve));
  const { line } = await say(live, 'Good morning.');
  await until(() => asked.length === 1);
  const written = live.write('es', { text: 'Buenos días.', line, startMs: 1, endMs: 2 });
  release();
  await written;
  await say(live, 'Welcome.');
  await shows(spanish, 'Buenos días.', 'es(Welcome.)');
});

it('completes a transcript in a language without readers', async () => {
  const { live, asked, room, captions } = await openRoom();
  for (const text of ['One.', 'Two.']) await say(live, text);
  const signal = new AbortController().signal;
  await live.complete('fr', signal);
  const lines = await wholeTranscript(captions, { roomId: room.roomId, name: 'fr' });
  expect(latestLines(lines).map(({ text }) => text)).toEqual(['fr(One.)', 'fr(Two.)']);
  await live.complete('fr', signal);
  expect(asked).toHaveLength(2);
});

it('translates once for two simultaneous transcript requests', async () => {
  const { live, asked, script, room, captions } = await openRoom();
  for (const text of ['One.', 'Two.']) await say(live, text);
  let release = (): void => undefined;
  script.hold = new Promise<void>((resolve) => (release = resolve));
  const { signal } = new AbortController();
  const both = [live.complete('fr', signal), live.complete('fr', signal)];
  await until(() => asked.length === 1);
  release();
  await Promise.all(both);
  const track = { roomId: room.roomId, name: 'fr' };
  expect(await wholeTranscript(captions, track)).toHaveLength(2);
  expect(asked).toHaveLength(2);
});

it('translates once for a transcript that is requested while a reader joins', async () => {
  const { live, asked } = await openRoom();
  const texts = Array.from({ length: 30 }, (_, index) => `Line ${index}.`);
  for (const text of texts) await say(live, text);
  const reader = join(live, 'fr');
  await live.complete('fr', new AbortController().signal);
  await shows(reader, ...texts.map((text) => `fr(${text})`));
  // Where both meet, they may translate the same line.
  expect(asked.length).toBeLessThanOrEqual(31);
});

it('stops waiting for a transcript when its client is gone', async () => {
  const { live, script } = await openRoom();
  await say(live, 'One.');
  script.hold = new Promise((resolve) => setTimeout(resolve, 20));
  const controller = new AbortController();
  const asked = live.complete('fr', controller.signal);
  controller.abort(new Error('The client is gone.'));
  await expect(asked).rejects.toThrow('client is gone');
});

it('translates the newest lines first for a late reader', async () => {
  const { live, asked } = await openRoom();
  for (const text of ['One.', 'Two.', 'Three.']) await say(live, text);
  await shows(join(live, 'es'), 'es(One.)', 'es(Two.)', 'es(Three.)');
  expect(asked).toEqual(['es: Three.', 'es: Two.', 'es: One.']);
});

it('does not restore a line that is changed or removed during the catch-up', async () => {
  const { live, script, asked } = await openRoom();
  const { line: wrong } = await say(live, 'Won.');
  const { line: gone } = await say(live, 'Two.');
  await say(live, 'Three.');
  let release = (): void => undefined;
  script.hold = new Promise<void>((resolve) => (release = resolve));
  const spanish = join(live, 'es');
  await until(() => asked.length === 1);
  await say(live, 'One.', { line: wrong });
  await say(live, '', { line: gone });
  release();
  await shows(spanish, 'es(One.)', 'es(Three.)');
  await say(live, 'Four.');
  await shows(spanish, 'es(One.)', 'es(Three.)', 'es(Four.)');
});

it('keeps what a person wrote, however much is said afterwards', async () => {
  const { live, room, openAgain } = await openRoom();
  const { line } = await say(live, 'First.');
  await live.write('es', { text: 'Primera.', line, startMs: 1, endMs: 2 });
  const many = Array.from({ length: 510 }, (_, index) => `${index}`);
  await Promise.all(many.map((text) => say(live, text)));
  const signal = new AbortController().signal;
  await live.complete('es', signal);
  const { live: again, captions } = openAgain();
  await shows(join(again, 'es'), ...many.slice(-100).map((text) => `es(${text})`));
  await say(again, 'First!', { line });
  await say(again, 'Last.');
  await again.complete('es', signal);
  const spanish = latestLines(await wholeTranscript(captions, { roomId: room.roomId, name: 'es' }));
  expect(spanish.find((each) => each.line === line)?.text).toBe('Primera.');
  expect(spanish.at(-1)?.text).toBe('es(Last.)');
});

it('does not store later translations of lines that were said while nothing was kept', async () => {
  const { live, room, translateText } = await openRoom({ keepMs: 0 });
  await say(live, 'Off the record.');
  await platformNow().storage.rooms.change(room.accountId, room.roomId, { keepMs: 60_000 });
  live.change({ ...room, keepMs: 60_000 }, translateText);
  await shows(join(live, 'es'), 'es(Off the record.)');
  await say(live, 'On the record.');
  await shows(join(live, 'fr'), 'fr(Off the record.)', 'fr(On the record.)');
  const store = platformNow().storage.rooms;
  for (const name of ['spoken', 'fr']) {
    const { captions: written } = await store.latest({ roomId: room.roomId, name }, 9);
    expect(written.map(({ text }) => text)).toEqual([expect.stringContaining('On the record.')]);
  }
});
