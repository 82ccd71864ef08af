import { expect, it } from 'vitest';
import { beginSentence, finishUtterance } from '../../server/text/sentence-finisher.ts';

it.each([
  ['good morning', 'en', 'Good morning.'],
  ['what is your name', 'en', 'What is your name?'],
  ['how long does it take', 'en', 'How long does it take?'],
  ['do you hear me', 'en', 'Do you hear me?'],
  ['when we began it was late', 'en', 'When we began it was late.'],
  ['what your country can do for you', 'en', 'What your country can do for you.'],
  ["i think i'm late", 'en', "I think I'm late."],
  ['the island is in italy', 'en', 'The island is in Italy.'],
  ['my fellow americans speak french', 'en', 'My fellow Americans speak French.'],
  ['already done!', 'en', 'Already done!'],
  ['«ya está»', 'es', '«Ya está».'],
  ['istanbul', 'tr', 'İstanbul.'],
  ['今日は', 'ja', '今日は。'],
  ['   ', 'en', ''],
  ['...', 'en', '...'],
])('%j in %s becomes %j', (spoken, language, sentence) => {
  expect(finishUtterance(spoken, language).text).toBe(sentence);
});

it('begins a growing sentence without ending it', () => {
  expect(beginSentence('and so i', 'en')).toBe('And so I');
});

it.each([
  ['we went to the', 'en', false],
  ['who is it for', 'en', true],
  ['this is for', 'en', false],
  ['we went home', 'en', true],
  ['wir haben einen', 'de', false],
  ['parce que', 'fr', false],
  ['fuimos a la playa', 'es', true],
  ['彼は本を', 'ja', false],
  ['szeretném', 'hu', true],
])('%j in %s ends its sentence: %j', (spoken, language, endsSentence) => {
  const { text, endsSentence: ends } = finishUtterance(spoken, language);
  expect(ends).toBe(endsSentence);
  expect(/[.?。]$/u.test(text)).toBe(endsSentence);
});

it('continues a sentence in lower case, and ends with a question mark where the whole sentence is a question', () => {
  expect(finishUtterance('time', 'en', 'What is the')).toEqual({
    ...{ text: 'time?', endsSentence: true },
  });
});
