import { expect, it } from 'vitest';
import { createSpokenLines } from '../../server/events/spoken-lines.ts';
import { sampleCaption } from './room-samples.ts';

const MIB = 1024 * 1024;

function speaking(bytes = 10) {
  const asked: string[] = [];
  let running = 0;
  let most = 0;
  const fails = { next: false };
  const lines = createSpokenLines({
    canSpeak: (language) => language !== 'tlh',
    async speakLine({ text, format }) {
      asked.push(`${text} ${format.contentType}`);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (fails.next) throw new Error('The voice is gone.');
      return Buffer.alloc(bytes, text);
    },
  });
  return { lines, asked, fails, most: () => most };
}

it('synthesises a line once per format for any number of listeners', async () => {
  const { lines, asked } = speaking();
  const line = sampleCaption(1);
  const clips = await Promise.all(
    Array.from({ length: 50 }, () => lines.speak('room', line, 'webm')),
  );
  expect(new Set(clips).size).toBe(1);
  await lines.speak('room', line, 'flac');
  expect(asked).toHaveLength(2);
  // A corrected line is a different one.
  await lines.speak('room', sampleCaption(2, { line: 1 }), 'webm');
  await lines.speak('other room', line, 'webm');
  expect(asked).toHaveLength(4);
});

it('synthesises few lines at a time', async () => {
  const { lines, most } = speaking();
  const all = Array.from({ length: 20 }, (_, index) => sampleCaption(index));
  await Promise.all(all.map((line) => lines.speak('room', line, 'webm')));
  expect(most()).toBe(2);
});

it('retries a line that failed', async () => {
  const { lines, fails } = speaking();
  fails.next = true;
  await expect(lines.speak('room', sampleCaption(1), 'webm')).rejects.toThrow('voice');
  fails.next = false;
  expect(await lines.speak('room', sampleCaption(1), 'webm')).toHaveLength(10);
});

it('evicts the oldest clips when there are too many, and keeps the newest', async () => {
  const { lines, asked } = speaking(MIB);
  const all = Array.from({ length: 100 }, (_, index) => sampleCaption(index));
  await Promise.all(all.map((line) => lines.speak('room', line, 'webm')));
  expect(asked).toHaveLength(100);
  await lines.speak('room', all.at(-1)!, 'webm');
  await lines.speak('room', all.at(-20)!, 'webm');
  expect(asked).toHaveLength(100);
  await lines.speak('room', all[0]!, 'webm');
  expect(asked).toHaveLength(101);
});

it('refuses a language without a voice', () => {
  const { lines } = speaking();
  expect(() => lines.speak('room', sampleCaption(1, { language: 'tlh' }), 'webm')).toThrow(/tlh/);
  expect(lines.languages(['es', 'tlh'])).toEqual(['es']);
});

it('forgets the speech of removed lines', async () => {
  const { lines } = speaking();
  const [old, recent] = [sampleCaption(1, { endMs: 100 }), sampleCaption(2, { endMs: 200 })];
  for (const roomId of ['room', 'other'])
    for (const line of [old, recent]) await lines.speak(roomId, line, 'webm');
  const known = (roomId: string) => [old, recent].map((line) => lines.has(roomId, line, 'webm'));
  lines.forget('room', 200);
  expect([known('room'), known('other')]).toEqual([
    [false, true],
    [true, true],
  ]);
  lines.forget('room');
  expect([known('room'), known('other')]).toEqual([
    [false, false],
    [true, true],
  ]);
});
