import { expect, it } from 'vitest';
import { createRoomWording } from '../../server/events/room-wording.ts';
import { processorMs } from '../support/machine/processor-time.ts';

const wording = (hiddenWords: string[], replacements: [string, string][] = []) =>
  createRoomWording({
    hiddenWords,
    replacements: replacements.map(([from, to]) => ({ from, to })),
  });

it.each([
  ['Damn', 'damn it, DAMN!', '••• it, •••!'],
  ['damn', 'Damnation and goddamn stay.', 'Damnation and goddamn stay.'],
  ['co-op', 'The co-op is a Co-Op.', 'The ••• is a •••.'],
  ['C++', 'We use C++ and c++.', 'We use ••• and •••.'],
  ['(a|b)[c]{2}^$.*?\\/', 'It is (a|b)[c]{2}^$.*?\\/ here.', 'It is ••• here.'],
  ['top secret', 'Top  secret things are topsecret.', '••• things are topsecret.'],
  ['Straße', 'Die straße, die Straßen.', 'Die •••, die Straßen.'],
  ['été', "L'été d'étés.", "L'••• d'étés."],
  ['秘密', 'これは秘密です。', 'これは•••です。'],
  ['ΟΔΟΣ', 'η οδός, οδος.', 'η οδός, •••.'],
  ['ılık', 'Ilık ya da ilik.', 'Ilık ya da ilik.'],
  ['ลับ', 'ความลับของเรา', 'ความ•••ของเรา'],
  ['42', 'It is 42, not 421.', 'It is •••, not 421.'],
])('hides %s', (word, text, shown) => {
  expect(wording([word]).spoken(text)).toBe(shown);
  expect(wording([word]).translated(text)).toBe(shown);
});

it('replaces misrecognised text, the longest first, before it hides words', () => {
  const changed = wording(
    ['Zembla'],
    [
      ['zembler', 'Zembla'],
      ['zembler court', 'Zembla Quartz'],
      ['um', ''],
    ],
  );
  expect(changed.spoken('ZEMBLER  COURT and zembler, um, $& and $1.')).toBe(
    '••• Quartz and •••, , $& and $1.',
  );
  // Translations come from text that was already replaced.
  expect(changed.translated('zembler')).toBe('zembler');
});

it.each([
  ['Um we begin.', 'we begin.'],
  ['We um begin', 'We begin'],
  ['We begin um', 'We begin'],
  ['um um', ''],
  ['Um, we begin.', ', we begin.'],
])('removes a word together with its blank: %s', (text, expected) => {
  expect(wording([], [['um', '']]).spoken(text)).toBe(expected);
});

it('inserts replacements literally', () => {
  expect(wording([], [['price', '$1 & $&']]).spoken('The price')).toBe('The $1 & $&');
});

it('leaves a text unchanged without words', () => {
  expect(wording([]).spoken('Good morning.')).toBe('Good morning.');
  expect(wording([]).translated('')).toBe('');
});

it.each([
  ['begin alike', (index: number) => `${'a '.repeat(45)}${index}`, 'a '.repeat(1_000)],
  [
    'begin with other letters',
    (index: number) => `${String.fromCodePoint(0x4e00 + index)}a`,
    '一'.repeat(2_000),
  ],
  [
    'differ in case alone',
    (index: number) =>
      index.toString(2).padStart(100, '0').replaceAll('0', 's').replaceAll('1', 'ſ'),
    `${'s'.repeat(99)} `.repeat(20),
  ],
  [
    'end alike',
    (index: number) => `${index} ${'a'.repeat(90)}b`,
    `1 ${'a'.repeat(90)} `.repeat(20),
  ],
])(
  'finds the maximum number of words, all of which %s, without blocking',
  async (_, word, text) => {
    const words = Array.from({ length: 500 }, (__, index) => word(index));
    let shown = '';
    expect(await processorMs(() => (shown = wording(words).spoken(text)))).toBeLessThan(1_000);
    expect(shown).toBe(text);
    expect(wording(words).spoken(`${words[7]}, ${words[8]}`)).toBe('•••, •••');
  },
);
