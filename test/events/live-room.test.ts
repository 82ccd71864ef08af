/** How a live room handles speech, readers and changes, with a translator that the tests control. */
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { serveEventStream } from '../../server/events/reading/sockets.ts';
import { createStallWatch } from '../../server/events/reading/readers.ts';
import type { RoomPass } from '../../server/events/room-keys.ts';
import { ServiceError } from '../../shared/errors.ts';
import { until } from '../support/product/server.ts';
import {
  join,
  messages,
  openRoom,
  platformOfThisFile,
  say,
  shows,
  speech,
  tentative,
  wholeTranscript,
} from './live-room-support.ts';
import { scriptedReader } from './reading/scripted-reader.ts';

platformOfThisFile();

it('translates only languages with readers, catches up for the first reader, and stops after the last', async () => {
  const { live, asked } = await openRoom({ unreadMs: 20 });
  await say(live, 'One.');
  const spoken = join(live);
  await shows(spoken, 'One.');
  expect(asked).toEqual([]);
  const reader = join(live, 'es');
  await shows(reader, 'es(One.)');
  await say(live, 'Two.');
  await shows(reader, 'es(One.)', 'es(Two.)');
  expect(asked).toEqual(['es: One.', 'es: Two.']);
  live.leave(reader);
  expect(live.readers).toEqual({ spoken: 1 });
  await new Promise((resolve) => setTimeout(resolve, 60));
  await say(live, 'Three.');
  await shows(spoken, 'One.', 'Two.', 'Three.');
  expect(asked).toHaveLength(2);
  // A later reader gets the missed lines, and nothing is translated twice.
  const later = join(live, 'es');
  await shows(later, 'es(One.)', 'es(Two.)', 'es(Three.)');
  expect(asked).toHaveLength(3);
});

it('keeps translating for a reader that returns within a moment', async () => {
  const { live, asked } = await openRoom({ unreadMs: 50 });
  const reader = join(live, 'es');
  live.leave(reader);
  const again = join(live, 'es');
  await new Promise((resolve) => setTimeout(resolve, 100));
  await say(live, 'One.');
  await shows(again, 'es(One.)');
  expect(asked).toEqual(['es: One.']);
});

it('translates permanent languages without readers, until they are removed', async () => {
  const { live, room, asked, translateText } = await openRoom({
    wishes: { always: ['fr'] },
    unreadMs: 10,
  });
  await say(live, 'One.');
  await until(() => asked.length === 1);
  const reader = join(live, 'fr');
  live.leave(reader);
  await new Promise((resolve) => setTimeout(resolve, 40));
  await say(live, 'Two.');
  await until(() => asked.length === 2);
  expect(asked).toEqual(['fr: One.', 'fr: Two.']);
  live.change({ ...room, wishes: { ...room.wishes, always: [] } }, translateText);
  await new Promise((resolve) => setTimeout(resolve, 40));
  await say(live, 'Three.');
  expect(asked).toHaveLength(2);
});

it('shows tentative text in every language with readers, and removes it with the sentence', async () => {
  const { live } = await openRoom();
  const [spoken, spanish, calm] = [
    join(live),
    join(live, 'es'),
    scriptedReader({ isSettled: true }),
  ];
  live.join(calm, 'spoken', undefined);
  const speaker = speech();
  live.hear(speaker.speech);
  speaker.grows('Good morning');
  await expect.poll(() => tentative(spoken)).toBe('Good morning');
  expect(live.state).toBe('live');
  await shows(join(live));
  // Tentative translations appear once two successive ones agree.
  for (const more of [' every', ' everybody', ' everybody here']) {
    speaker.grows(`Good morning${more}`);
    await expect.poll(() => tentative(spoken)).toBe(`Good morning${more}`);
  }
  await expect.poll(() => tentative(spanish)).toMatch(/^es\(Good/);
  const late = join(live);
  await expect.poll(() => tentative(late)).toBe('Good morning everybody here');
  speaker.concludes('Good morning.');
  await shows(spoken, 'Good morning.');
  await shows(spanish, 'es(Good morning.)');
  expect([tentative(spoken), tentative(spanish)]).toEqual(['', '']);
  expect(messages(calm).filter((message) => (message.tentative ?? '') !== '')).toEqual([]);
  speaker.speech.end(new ServiceError('session_ended', ''));
  await until(() => live.state === 'waiting');
});

it("gives the floor to the newest speaker, and keeps the previous one's unfinished sentence", async () => {
  const { live } = await openRoom({ wishes: { languages: ['es', 'en', 'fr'] } });
  const [spoken, english] = [join(live), join(live, 'en')];
  const [first, second] = [speech('one'), speech('two')];
  live.hear(first.speech);
  first.concludes('Good morning.');
  await shows(spoken, 'Good morning.');
  first.grows('And then');
  await expect.poll(() => tentative(spoken)).toBe('And then');
  live.hear(second.speech);
  expect(first.state.ended).toBe('session_ended');
  await expect.poll(() => tentative(spoken)).toBe('');
  first.concludes('Nobody hears it.');
  second.concludes('Buenos días.', 'es');
  await shows(spoken, 'Good morning.', 'And then', 'Buenos días.');
  await shows(english, 'Good morning.', 'And then', 'en(Buenos días.)');
  expect(live.state).toBe('live');
  expect(second.state.ended).toBeUndefined();
});

it('includes speech from before a pause, and none from the pause', async () => {
  const { live, room, translateText } = await openRoom();
  const spoken = join(live);
  const speaker = speech();
  live.hear(speaker.speech);
  speaker.grows('Good');
  await expect.poll(() => tentative(spoken)).toBe('Good');
  speaker.state.receivedMs = 1_000;
  live.change({ ...room, isPaused: true }, translateText);
  expect(live.state).toBe('paused');
  await expect.poll(() => tentative(spoken)).toBe('');
  speaker.concludes('Good bye.');
  await shows(spoken, 'Good bye.');
  speaker.beginsAt(2_000);
  speaker.concludes('Nobody hears it.');
  speaker.state.receivedMs = 5_000;
  live.change(room, translateText);
  speaker.beginsAt(5_000);
  speaker.concludes('Good evening.');
  await shows(spoken, 'Good bye.', 'Good evening.');
});

it('continues with the next sentence when one cannot be appended', async () => {
  const { live, captions, log } = await openRoom();
  const spoken = join(live);
  const speaker = speech();
  live.hear(speaker.speech);
  const append = captions.append.bind(captions);
  captions.append = () => Promise.reject(new Error('No memory.'));
  speaker.concludes('One.');
  await until(() => log.lines.some(({ level }) => level === 'error'));
  captions.append = append;
  speaker.concludes('Two.');
  await shows(spoken, 'Two.');
});

it('replaces and hides words before translation, from the moment of the change', async () => {
  const { live, room, asked, translateText } = await openRoom();
  const [spoken, spanish] = [join(live), join(live, 'es')];
  await say(live, 'Zembler is damn good.');
  await shows(spanish, 'es(Zembler is damn good.)');
  const wishes = {
    ...room.wishes,
    replacements: [{ from: 'zembler', to: 'Zembla' }],
    hiddenWords: ['damn', 'es'],
  };
  live.change({ ...room, wishes }, translateText);
  await say(live, 'Zembler is damn good.');
  await shows(spoken, 'Zembler is damn good.', 'Zembla is ••• good.');
  expect(asked.at(-1)).toBe('es: Zembla is ••• good.');
  await shows(spanish, 'es(Zembler is damn good.)', '•••(Zembla is ••• good.)');
});

it('brings deleted lines back to no reader, not even from a pending translation', async () => {
  const { live, script, captions, room } = await openRoom();
  const [spoken, spanish] = [join(live), join(live, 'es')];
  let release = (): void => undefined;
  script.hold = new Promise<void>((resolve) => (release = resolve));
  await say(live, 'Secret.');
  await say(live, 'Secret too.');
  await shows(spoken, 'Secret.', 'Secret too.');
  const joining = join(live, 'spoken');
  await live.forget();
  release();
  await say(live, 'Public.');
  await shows(spanish, 'es(Public.)');
  await shows(spoken, 'Public.');
  await shows(joining, 'Public.');
  for (const name of ['spoken', 'es']) {
    expect(await wholeTranscript(captions, { roomId: room.roomId, name })).toHaveLength(1);
  }
});

it('returns the readers of a removed language to what is spoken', async () => {
  const { live, room, translateText } = await openRoom();
  const reader = join(live, 'fr');
  await say(live, 'One.');
  await shows(reader, 'fr(One.)');
  live.change({ ...room, wishes: { ...room.wishes, languages: ['es'] } }, translateText);
  await shows(reader, 'One.');
  expect(live.readers).toEqual({ spoken: 1 });
  live.leave(reader);
  expect(live.readers).toEqual({});
});

it('admits nobody after its end, and ends its speaker', async () => {
  const { live } = await openRoom();
  const [reader, speaker] = [join(live), speech()];
  live.hear(speaker.speech);
  live.end(new ServiceError('not_found', 'The room has been deleted.'));
  await expect.poll(() => reader.ended).toEqual(['The room has been deleted.']);
  expect(speaker.state.ended).toBe('not_found');
  const late = join(live);
  expect(late.ended).toEqual(['The room has been deleted.']);
  const other = speech('other');
  live.hear(other.speech);
  expect(other.state.ended).toBe('session_ended');
});

it('ends speakers and refuses readers of a revoked link, even if the session had not begun yet', async () => {
  const { live } = await openRoom();
  const [begun, waiting, free] = [speech('begun'), speech('waiting'), speech('free')];
  const pass: RoomPass = { role: 'speaker', linkId: 'link', expiresAtMs: 0 };
  live.expect('begun', pass);
  live.expect('waiting', pass);
  live.hear(begun.speech);
  live.revoke('other');
  expect(begun.state.ended).toBeUndefined();
  live.revoke('link');
  expect(begun.state.ended).toBe('forbidden');
  live.hear(waiting.speech);
  expect(waiting.state.ended).toBe('session_ended');
  expect(join(live, 'spoken', undefined, { pass }).ended).toEqual(['The link was revoked.']);
  live.hear(free.speech);
  expect(free.state.ended).toBeUndefined();
});

it('ends only readers and speakers whose link has expired', async () => {
  const clock = { nowMs: 1_000 };
  const { live } = await openRoom({ now: () => clock.nowMs });
  const passOf = (linkId: string, expiresAtMs: number): RoomPass => ({
    role: 'viewer',
    linkId,
    expiresAtMs,
  });
  const brief = join(live, 'spoken', undefined, { pass: passOf('brief', 5_000) });
  const lasting = [passOf('for ever', 0), passOf('later', 9_000)].map((pass) =>
    join(live, 'es', undefined, { pass }),
  );
  const speaker = speech();
  live.expect('session', { ...passOf('speaker', 5_000), role: 'speaker' });
  live.hear(speaker.speech);
  const beat = () => live.keepAlive(() => false);
  beat();
  expect(brief.ended).toEqual([]);
  expect(speaker.state.ended).toBeUndefined();
  clock.nowMs = 5_000;
  beat();
  await expect.poll(() => brief.ended).toEqual([expect.stringContaining('expired')]);
  expect(speaker.state.ended).toBe('forbidden');
  expect(lasting.flatMap(({ ended }) => ended)).toEqual([]);
});

const HEARD = { language: 'en', startMs: 1, endMs: 2, author: 'machine' } as const;

it('keeps an event stream open as long as it is read', async () => {
  const { live, captions } = await openRoom({ keepMs: 0 });
  const isStalled = createStallWatch();
  const server = createServer((_request, response) => {
    const pass: RoomPass = { role: 'viewer', linkId: undefined, expiresAtMs: 0 };
    const wish = { roomId: live.room.roomId, address: '::1', isSettled: false, after: undefined };
    const given = { live, pass, language: 'spoken', release: () => undefined };
    serveEventStream(
      response,
      {},
      { ...given, wish: { ...wish, key: undefined, language: undefined } },
    );
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  let read = '';
  const { port } = server.address() as AddressInfo;
  const request = get({ port, host: '127.0.0.1' }, (stream) => {
    stream.setEncoding('utf8').on('data', (text: string) => (read += text));
    stream.on('error', () => (read += 'cut'));
  });
  await expect.poll(() => read, { interval: 5 }).toContain('"room"');
  const beats = () => read.match(/keep_alive/g)?.length ?? 0;
  for (let beat = 1; beat <= 6; beat += 1) {
    live.keepAlive(isStalled);
    await expect.poll(beats, { interval: 5 }).toBe(beat);
  }
  // More messages in the same turn do not count as a backlog.
  await expect.poll(() => read, { interval: 5 }).toContain('"history"');
  await live.say({ ...HEARD, text: 'One.' });
  captions.tell({ roomId: live.room.roomId, name: 'spoken' }, 'Two and');
  await expect.poll(() => read, { interval: 5 }).toContain('Two and');
  expect(read).not.toContain('cut');
  request.destroy();
});

it("removes a character from an engine's output that no database can store", async () => {
  const { live, captions, room } = await openRoom();
  await say(live, 'Good\0 morning.');
  await shows(join(live), 'Good morning.');
  const track = { roomId: room.roomId, name: 'spoken' };
  const [line] = await wholeTranscript(captions, track);
  expect(line?.text).toBe('Good morning.');
});

it('shows what is spoken to a reader of a language that was removed meanwhile', async () => {
  const { live, room, translateText } = await openRoom();
  const { sequence } = await say(live, 'One.');
  live.change({ ...room, wishes: { ...room.wishes, languages: ['es'] } }, translateText);
  const reader = scriptedReader();
  live.join(reader, 'fr', sequence);
  await shows(reader, 'One.');
  expect(live.readers).toEqual({ spoken: 1 });
});

it('stays over after a change', async () => {
  const { live, room, captions } = await openRoom();
  live.end(new ServiceError('not_found', 'The room has been deleted.'));
  let followed = 0;
  captions.follow = () => {
    followed += 1;
    return () => undefined;
  };
  live.change({ ...room, wishes: { ...room.wishes, always: ['es'] } });
  expect(followed).toBe(0);
});
