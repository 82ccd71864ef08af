import { describe, expect, it } from 'vitest';
import {
  concludedTexts,
  final,
  partial,
  pause,
  segmented,
  sentenceTexts,
  type Heard,
} from './captions-support.ts';

const at = (startMs: number, endMs: number) => ({ startMs, endMs });
const punctuated = (startMs: number, endMs: number, language = 'en') => ({
  ...{ startMs, endMs, language, punctuated: true },
});

describe('a sentence that spans several utterances', () => {
  const begun = final('we went to the', at(500, 2000));
  const rest = final('market this morning', at(2900, 4000));

  it('is concluded utterance by utterance, and reaches translators as one', async () => {
    const updates = await segmented('balanced', begun, rest);
    expect(concludedTexts(updates)).toEqual(['We went to the', ' market this morning.']);
    expect(sentenceTexts(updates)).toEqual(['We went to the market this morning.']);
  });

  it('keeps its question mark', async () => {
    const updates = await segmented(
      'balanced',
      final('what is the', at(0, 900)),
      final('time', at(1800, 2000)),
    );
    expect(sentenceTexts(updates)).toEqual(['What is the time?']);
  });

  it('spans the times of all its parts', async () => {
    const updates = await segmented('balanced', begun, rest);
    const [sentence] = updates.flatMap(({ sentences }) => sentences?.concluded ?? []);
    expect(sentence).toMatchObject({ startMs: 500, endMs: 4000, language: 'en' });
  });

  it('grows across the pause while it is tentative', async () => {
    const growing = partial('market', at(2900, 3200));
    const updates = await segmented('balanced', begun, growing, growing);
    expect(updates.at(0)?.sentences?.growing?.text).toBe('We went to the');
    const grown = updates.find(({ tentative }) => tentative.length > 0);
    expect(grown?.tentative[0]?.text).toBe(' market');
    expect(grown?.sentences?.growing?.text).toBe('We went to the market');
  });

  it('is not held back when its utterance ends like a sentence', async () => {
    const updates = await segmented('balanced', final('we went home', at(0, 900)));
    expect(sentenceTexts(updates.slice(0, 1))).toEqual(['We went home.']);
  });

  it('ends with a long silence', async () => {
    const updates = await segmented('balanced', begun, pause(300, 2600, 3500), rest);
    expect(sentenceTexts(updates)).toEqual(['We went to the', ' Market this morning.']);
  });

  it('ends with a long silence that was reported before a slow recogniser finished', async () => {
    const late = await segmented('balanced', pause(300, 2600, 3500), begun, rest);
    const inTime = await segmented('balanced', begun, pause(300, 2600, 3500), rest);
    expect(sentenceTexts(late)).toEqual(sentenceTexts(inTime));
    expect(concludedTexts(late)).toEqual(concludedTexts(inTime));
  });

  it('is the same however late the recogniser is', async () => {
    const after = pause(2700, 4600, 5500);
    const inTime = await segmented('balanced', begun, rest, after);
    for (const heard of [
      [begun, after, rest],
      [after, begun, rest],
    ]) {
      const late = await segmented('balanced', ...heard);
      expect(sentenceTexts(late)).toEqual(sentenceTexts(inTime));
    }
  });

  it('ends when the next words start late, with or without a reported silence', async () => {
    const later = final('market this morning', at(3600, 4800));
    expect(sentenceTexts(await segmented('balanced', begun, later))).toEqual([
      ...['We went to the', ' Market this morning.'],
    ]);
  });

  it('ends when noise without words and then a long silence follow', async () => {
    const noise: Heard[] = [];
    for (let ms = 5000; ms < 25_000; ms += 1500) noise.push(pause(3000, 3600, ms));
    const updates = await segmented('balanced', begun, ...noise);
    const endedBy = updates.findIndex((update) => sentenceTexts([update]).length > 0);
    expect(endedBy).toBeGreaterThan(0);
    expect(sentenceTexts(updates)).toEqual(['We went to the']);
  });

  it('does not wait for an utterance that goes on too long', async () => {
    const long = final('market where they have been selling fish', at(2900, 13_000));
    expect(sentenceTexts(await segmented('balanced', begun, long))).toEqual([
      ...['We went to the', ' Market where they have been selling fish.'],
    ]);
  });

  it('does not grow without limit', async () => {
    const parts = Array.from({ length: 30 }, (_, index) =>
      final('and we went to the river and', at(index * 2000, index * 2000 + 1500)),
    );
    const sentences = sentenceTexts(await segmented('balanced', ...parts));
    expect(sentences.join('').match(/river/g)).toHaveLength(30);
    for (const sentence of sentences) expect(sentence.split(' ').length).toBeLessThan(80);
  });

  it('ends where another language begins', async () => {
    const updates = await segmented(
      'balanced',
      begun,
      final('mercado', { ...at(2900, 4000), language: 'es' }),
    );
    expect(sentenceTexts(updates)).toEqual(['We went to the', ' Mercado.']);
  });

  it('ends with the stream', async () => {
    expect(sentenceTexts(await segmented('settled', begun))).toEqual(['We went to the']);
  });

  it('is recognised by its missing full stop when the recogniser punctuates', async () => {
    const updates = await segmented(
      'balanced',
      final('Wir haben gestern', punctuated(0, 900, 'de')),
      final('den Film gesehen.', punctuated(1800, 2500, 'de')),
    );
    expect(concludedTexts(updates)).toEqual(['Wir haben gestern', ' den Film gesehen.']);
    expect(sentenceTexts(updates)).toEqual(['Wir haben gestern den Film gesehen.']);
  });
});

describe('speech without a pause, cut because an utterance is too long', () => {
  const words = (count: number, word = 'on') => Array.from({ length: count }, () => word).join(' ');
  const upTo = (startMs: number, text: string) => final(text, at(startMs, startMs + 16_000));

  it('is one sentence for translators although one utterance has many words', async () => {
    const first = upTo(500, `we walked ${words(70)} to the bridge and the`);
    const rest = final('church and half of the town came too', at(16_580, 21_600));
    const updates = await segmented('balanced', first, rest);
    expect(concludedTexts(updates)[1]).toBe(' church and half of the town came too.');
    expect(sentenceTexts(updates)).toEqual([concludedTexts(updates).join('')]);
  });

  it('is one sentence even if the next utterance is as long', async () => {
    const updates = await segmented(
      'balanced',
      upTo(500, 'we walked to the bridge and the'),
      upTo(16_580, 'church and half of the town came too'),
    );
    expect(sentenceTexts(updates)).toHaveLength(1);
  });

  it('reaches translators in pieces when it never ends, each cut before its unfinished last words', async () => {
    const cut = (index: number) => upTo(index * 16_100, `${words(40)} the bridge ${index} and the`);
    const updates = await segmented('balanced', ...[0, 1, 2, 3, 4].map(cut));
    const sentences = sentenceTexts(updates);
    expect(sentences.join('')).toBe(concludedTexts(updates).join(''));
    expect(sentences.map((text) => text.replace(/(?: on)+/g, ' …'))).toEqual([
      'On … the bridge 0 and the … the bridge 1',
      ' and the … the bridge 2 and the … the bridge 3',
      ' and the … the bridge 4 and the',
    ]);
    const told = updates.findIndex((update) => sentenceTexts([update]).length > 0);
    expect(told).toBe(1);
    const times = updates.flatMap(({ sentences: all }) => all?.concluded ?? []);
    for (const [index, { startMs, endMs }] of times.entries()) {
      expect(startMs).toBeGreaterThanOrEqual(times[index - 1]?.endMs ?? 0);
      expect(endMs).toBeGreaterThan(startMs);
    }
  });

  it('has the times of its words when it is cut into pieces', async () => {
    const spoken = `${words(58)} the bridge and the`.split(' ');
    const timed = spoken.map((text, index) => ({
      ...{ text, startMs: 16_100 + index * 200, endMs: 16_280 + index * 200 },
    }));
    const second = { ...upTo(16_100, spoken.join(' ')), words: timed };
    const updates = await segmented('balanced', upTo(0, 'we went to the'), second);
    const [told, kept] = updates.flatMap(({ sentences: all }) => all?.concluded ?? []);
    expect(told?.endMs).toBe(16_280 + 59 * 200);
    expect(kept).toMatchObject({ text: ' and the', startMs: 16_100 + 60 * 200, endMs: 32_100 });
  });

  it('continues in lower case after a piece that was cut without an end', async () => {
    const parts = [0, 1].map((index) => upTo(index * 16_100, `${words(40)}, so,`));
    const rest = (startMs: number) => final('we went home', at(startMs, startMs + 900));
    const [near, far] = [32_200, 33_000].map((startMs) =>
      segmented('balanced', ...parts, rest(startMs)),
    );
    expect(sentenceTexts((await near) ?? []).at(-1)).toBe(' we went home.');
    expect(sentenceTexts((await far) ?? []).at(-1)).toBe(' We went home.');
  });

  it('is the same however late the recogniser is', async () => {
    const parts = [0, 1].map((index) => upTo(index * 16_100, `${words(40)} and the`));
    const after = pause(16_100, 32_700, 33_700);
    const inTime = await segmented('balanced', ...parts, after);
    const late = await segmented('balanced', after, ...parts);
    expect(sentenceTexts(late)).toEqual(sentenceTexts(inTime));
  });
});

describe('several sentences in an utterance', () => {
  const words = ['Good', 'morning', 'Dr', 'Smith', 'How', 'are', 'you', 'I'].map((text, index) => ({
    ...{ text, startMs: 100 + index * 500, endMs: 500 + index * 500 },
  }));
  const heard = final('Good morning, Dr. Smith. How are you? I', {
    ...punctuated(100, 4000),
    words,
  });

  it('are concluded one by one, each with its own words and times', async () => {
    const [update] = await segmented('balanced', heard);
    expect(update?.concluded.map(({ text, startMs, endMs }) => [text, startMs, endMs])).toEqual([
      ['Good morning, Dr. Smith.', 100, 2000],
      [' How are you?', 2100, 3500],
      [' I', 3600, 4000],
    ]);
    expect(update?.concluded.map((segment) => segment.words?.map(({ text }) => text))).toEqual([
      ['Good', 'morning', 'Dr', 'Smith'],
      ['How', 'are', 'you'],
      ['I'],
    ]);
  });

  it('leave the last one open when it has no end', async () => {
    const [update] = await segmented('balanced', heard);
    expect(update?.sentences?.concluded.map(({ text }) => text)).toEqual([
      ...['Good morning, Dr. Smith.', ' How are you?'],
    ]);
    expect(update?.sentences?.growing?.text).toBe(' I');
  });

  it('share the time in proportion to their letters when words have no times', async () => {
    const [update] = await segmented('balanced', final('Yes. No.', punctuated(0, 1000)));
    const [first, second] = update?.concluded ?? [];
    expect(first?.startMs).toBe(0);
    expect(first?.endMs).toBe(second?.startMs);
    expect(first?.endMs).toBeGreaterThan(500);
    expect(second?.endMs).toBe(1000);
  });

  it('keep the words of a recogniser that does not punctuate', async () => {
    const timed = [{ text: 'hello', startMs: 100, endMs: 400 }];
    const [update] = await segmented('balanced', final('hello', { words: timed }));
    expect(update?.concluded[0]?.words).toEqual(timed);
  });
});
