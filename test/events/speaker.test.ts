/** Which parts of a session become lines of a room, around pauses and at its end. */
import { expect, it } from 'vitest';
import { Speaker, type Sentence } from '../../server/events/speaker.ts';
import { until } from '../support/product/server.ts';
import { recordLog } from '../support/product/log-record.ts';
import { speech } from './live-room-support.ts';

function speaking({ isPaused = false } = {}) {
  const script = speech();
  const said: Sentence[] = [];
  const state = { shown: undefined as string | undefined, hold: Promise.resolve() };
  const speaker = new Speaker(script.speech, {
    isPaused,
    log: recordLog(),
    say: async (sentence) => {
      said.push(sentence);
      await state.hold;
    },
    grow: (growing) => (state.shown = growing?.text),
  });
  const ended = speaker.listen();
  return {
    ...script,
    speaker,
    said,
    state,
    texts: () => said.map(({ text }) => text),
    /** Sets how much audio has arrived. */
    received: (ms: number) => (script.state.receivedMs = ms),
    /** Concludes a text and waits until it has become a line. */
    hears: async (text: string) => {
      script.concludes(text);
      await until(() => said.some((each) => each.text === text));
    },
    shows: async (text: string | undefined) => {
      await until(() => state.shown === text);
    },
    ends: async () => {
      script.speech.end({ code: 'session_ended' } as never);
      await ended;
    },
  };
}

it('drops a sentence that began in a pause, even if it ends after the pause', async () => {
  const { speaker, received, beginsAt, concludes, grows, hears, texts } = speaking();
  received(1_000);
  speaker.pause();
  received(5_000);
  speaker.resume();
  beginsAt(3_000, 3_000);
  grows('Between');
  concludes('Between ourselves.');
  // A recogniser starts an utterance slightly before its first word.
  beginsAt(4_700);
  await hears('Welcome back.');
  expect(texts()).toEqual(['Welcome back.']);
});

it('keeps the recognised part of a sentence that continues into a pause', async () => {
  const { speaker, received, beginsAt, concludes, grows, hears, shows, texts } = speaking();
  grows('My plan is');
  await shows('My plan is');
  received(1_000);
  speaker.pause();
  await shows(undefined);
  beginsAt(0, 6_000);
  concludes('My plan is a secret.');
  received(9_000);
  speaker.resume();
  beginsAt(9_000);
  await hears('Welcome back.');
  expect(texts()).toEqual(['My plan is', 'Welcome back.']);
});

it('keeps the recognised part of a sentence whose end does not arrive', async () => {
  const { speaker, received, concludes, grows, hears, beginsAt, shows, texts } = speaking();
  grows('My plan is');
  await shows('My plan is');
  received(1_000);
  speaker.pause();
  received(3_000);
  speaker.resume();
  concludes('My plan is.');
  beginsAt(3_000);
  await hears('Welcome back.');
  expect(texts()).toEqual(['My plan is', 'Welcome back.']);
});

it('splits two sentences that were under way at the start of a pause into two lines', async () => {
  const { speaker, received, beginsAt, concludes, grows, hears, shows, texts } = speaking();
  beginsAt(0, 4_500);
  grows('It is done. We go home now.');
  await shows('It is done. We go home now.');
  received(5_000);
  speaker.pause();
  beginsAt(0, 2_000);
  concludes('It is done.');
  beginsAt(2_000, 2_500);
  concludes('We go home now.');
  received(9_000);
  await until(() => texts().length === 2);
  speaker.resume();
  beginsAt(9_000);
  await hears('Welcome back.');
  expect(texts()).toEqual(['It is done.', 'We go home now.', 'Welcome back.']);
});

it('includes late finals of speech from before a pause', async () => {
  const { speaker, received, beginsAt, grows, hears, shows, texts } = speaking();
  beginsAt(14_000, 1_500);
  grows('One');
  await shows('One');
  received(20_000);
  speaker.pause();
  received(25_000);
  speaker.resume();
  beginsAt(16_500, 1_500);
  await hears('Two.');
  beginsAt(18_200, 1_600);
  await hears('Three.');
  expect(texts()).toEqual(['One', 'Two.', 'Three.']);
});

it('treats a pause without any audio as a pause', async () => {
  const { speaker, received, beginsAt, concludes, grows, hears, shows, texts } = speaking();
  grows('My plan is');
  await shows('My plan is');
  received(1_000);
  speaker.pause();
  await until(() => texts().length === 1);
  speaker.resume();
  beginsAt(0, 6_000);
  concludes('My plan is to begin with it.');
  beginsAt(9_000);
  await hears('Welcome back.');
  expect(texts()).toEqual(['My plan is', 'Welcome back.']);
});

it('ignores a pause that was pressed by mistake', async () => {
  const { speaker, received, beginsAt, hears, grows, shows, texts } = speaking();
  grows('A long');
  await shows('A long');
  received(1_000);
  speaker.pause();
  received(1_300);
  speaker.resume();
  beginsAt(0, 6_000);
  await hears('A long sentence.');
  expect(texts()).toEqual(['A long sentence.']);
});

it('keeps speech of a pause out of the next one', async () => {
  const { speaker, received, beginsAt, concludes, hears, texts } = speaking();
  await hears('Before.');
  received(1_000);
  speaker.pause();
  received(5_000);
  speaker.resume();
  received(5_100);
  speaker.pause();
  beginsAt(3_000, 1_500);
  concludes('Between ourselves.');
  received(8_000);
  speaker.resume();
  beginsAt(8_000);
  await hears('After.');
  expect(texts()).toEqual(['Before.', 'After.']);
});

it('starts with the first speech after a pause when the room is paused at the beginning', async () => {
  const { speaker, received, beginsAt, concludes, hears, texts } = speaking({ isPaused: true });
  concludes('Too early.');
  received(2_000);
  speaker.resume();
  beginsAt(2_000);
  await hears('Now.');
  expect(texts()).toEqual(['Now.']);
});

it('does not append a sentence twice when the speaker leaves during the append', async () => {
  const { speaker, concludes, grows, shows, state, texts, said } = speaking();
  grows('The last words');
  await shows('The last words');
  let release = (): void => undefined;
  state.hold = new Promise<void>((resolve) => (release = resolve));
  concludes('The last words of the first.');
  await until(() => said.length === 1);
  speaker.leave();
  release();
  concludes('Nobody hears it.');
  await new Promise((resolve) => setImmediate(resolve));
  expect(texts()).toEqual(['The last words of the first.']);
  expect(state.shown).toBeUndefined();
});

it('keeps the recognised part of a sentence when the session ends', async () => {
  const { grows, shows, ends, texts, state } = speaking();
  grows('And then');
  await shows('And then');
  await ends();
  expect(texts()).toEqual(['And then']);
  expect(state.shown).toBeUndefined();
});

it('stamps lines with the time their audio arrived, whenever they are concluded', async () => {
  const { speech: session, beginsAt, hears, said } = speaking();
  session.originMs = () => 1_000_000;
  beginsAt(9_000);
  await hears('Just now.');
  expect(said).toMatchObject([{ startMs: 1_009_000, endMs: 1_009_900 }]);
});
