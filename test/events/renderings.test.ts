/** What becomes of what is said in the other languages of a room, with its translator in our hands. */
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

it('renders a correction in every language that is read, and leaves what a person wrote there', async () => {
  const { live } = await openRoom();
  const [spanish, french] = [join(live, 'es'), join(live, 'fr')];
  const { line } = await say(live, 'Good mourning.');
  await shows(french, 'fr(Good mourning.)');
  await live.write('es', { text: 'Buenos días.', line, startMs: 1, endMs: 2 });
  await shows(spanish, 'Buenos días.');
  await say(live, 'Good morning.', { line });
  await shows(french, 'fr(Good morning.)');
  expect(screen(spanish)).toEqual(['Buenos días.']);
  // Also for a language that is read only later, and gone when the line is.
  await live.write('es', { text: 'Buenas.', line, startMs: 1, endMs: 2 });
  await shows(join(live, 'es'), 'Buenas.');
  await say(live, '', { line });
  await shows(french);
  await shows(spanish);
  const by = messages(spanish).flatMap(({ lines }) => (lines ?? []).map((each) => each.by));
  expect(by.slice(0, 2)).toEqual(['machine', 'person']);
});

it('shows what cannot be translated as it was said, and says in which language that is', async () => {
  const { live, script } = await openRoom();
  script.isDown = true;
  const reader = join(live, 'es');
  await say(live, 'Good morning.');
  await shows(reader, 'Good morning.');
  const [line] = messages(reader).flatMap(({ lines }) => lines ?? []);
  expect(line?.language).toBe('en');
});

it('translates what was shown as it was said once there is an engine again, live and in transcripts', async () => {
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
  // What has been corrected meanwhile is not put back.
  script.isDown = true;
  await say(live, 'Won.', { line });
  await shows(spanish, 'Won.', 'es(Two.)');
  script.isDown = false;
  await say(live, 'One!', { line });
  await shows(spanish, 'es(One!)', 'es(Two.)');
  await live.complete('es', signal);
  expect(screen(spanish)).toEqual(['es(One!)', 'es(Two.)']);
});

it('what a person writes stays, though the machine was at that line', async () => {
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

it('a transcript has every line in every language, also one that nobody has read', async () => {
  const { live, asked, room, captions } = await openRoom();
  for (const text of ['One.', 'Two.']) await say(live, text);
  const signal = new AbortController().signal;
  await live.complete('fr', signal);
  const lines = await wholeTranscript(captions, { roomId: room.roomId, name: 'fr' });
  expect(latestLines(lines).map(({ text }) => text)).toEqual(['fr(One.)', 'fr(Two.)']);
  await live.complete('fr', signal);
  expect(asked).toHaveLength(2);
});

it('two who ask for a transcript at once have it translated once', async () => {
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

it('nothing is translated twice for a transcript that is asked for while somebody begins to read', async () => {
  const { live, asked } = await openRoom();
  const texts = Array.from({ length: 30 }, (_, index) => `Line ${index}.`);
  for (const text of texts) await say(live, text);
  const reader = join(live, 'fr');
  await live.complete('fr', new AbortController().signal);
  await shows(reader, ...texts.map((text) => `fr(${text})`));
  // Where they meet both may be at the same line.
  expect(asked.length).toBeLessThanOrEqual(31);
});

it('nobody waits any longer for a transcript that nobody wants', async () => {
  const { live, script } = await openRoom();
  await say(live, 'One.');
  script.hold = new Promise((resolve) => setTimeout(resolve, 20));
  const controller = new AbortController();
  const asked = live.complete('fr', controller.signal);
  controller.abort(new Error('The client is gone.'));
  await expect(asked).rejects.toThrow('client is gone');
});

it('what was said last is translated first for who comes late', async () => {
  const { live, asked } = await openRoom();
  for (const text of ['One.', 'Two.', 'Three.']) await say(live, text);
  await shows(join(live, 'es'), 'es(One.)', 'es(Two.)', 'es(Three.)');
  expect(asked).toEqual(['es: Three.', 'es: Two.', 'es: One.']);
});

it('a line that changes, or goes, while old ones are translated does not come back as it was', async () => {
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

it('what a person wrote stays, however much was said after it', async () => {
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

it('what was said while nothing was kept is not written when it is translated later', async () => {
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
