import fc from '../support/suite/properties.ts';
import { expect, it } from 'vitest';
import { layOutPlain } from '../../server/text/markup/segment-layout.ts';
import type { SentenceSplitting } from '../../server/text/markup/text-layout.ts';
import { rendered, repeat, segmentsOf } from './layouts.ts';

const lay = (text: string, splitting: SentenceSplitting = 'lines-and-sentences', language = 'en') =>
  layOutPlain(text, { splitting, language });

it('keeps line breaks, outer blanks and lines without letters', () => {
  const layout = lay('  One.  Two\r\n\r\n--- 3 ---\n\tFour \u2028 ');
  expect(segmentsOf(layout)).toEqual(['One.', 'Two', 'Four']);
  expect(rendered(layout, [['1'], ['2'], ['4']])).toBe('  1  2\r\n\r\n--- 3 ---\n\t4 \u2028 ');
});

it('cuts only at sentence ends, or not at all', () => {
  expect(segmentsOf(lay('One\ntwo. Three', 'sentences'))).toEqual(['One\ntwo.', 'Three']);
  expect(segmentsOf(lay(' One\ntwo. Three ', 'none'))).toEqual(['One\ntwo. Three']);
});

it.each([
  [
    '---\ntitle: "The red car"\nlayout: post\ntags: [a car, red]\nmenu:\n  - name: Red cars\n---\n\n---\nnote: One',
    ['The red car', 'Red cars', 'note: One'],
  ],
  ['---\nThe car\n---\nRed: one\n---', ['The car', 'Red: one']],
  [
    'A [car][a].[^1]\n\n[a]: https://a.org/the-car "The car"\n[^1]: A note.\n[b]: The end',
    ['A [car][a].[^1]', '"The car"', 'A note.', '[b]: The end'],
  ],
  ['> - [x] red [1] One\n[2] I do.\n(3) He does.', ['red [1] One', 'I do.', 'He does.']],
  [
    'See:\n\n    const car = <b>red</b>;\n    the car\n\nOne:\n\n    A red car; and\n    a dog.',
    ['See:', 'One:', 'A red car; and', 'a dog.'],
  ],
  ['One:\n\n    a = <b>{one} two</b>;\n    b = f(g(1));', ['One:']],
  [
    'One:\n\n    - a car;\n    - a dog;\n\n\tv = the speed\n\tIt is {v}\n\n    <p>Red</p>\n\n    Open Red => Car',
    ['One:', '- a car;', '- a dog;', 'v = the speed', 'It is <1/>', 'Red', 'Open Red => Car'],
  ],
  ['---\n\n# Cars\n\n- Red\n\n---', ['# Cars', '- Red']],
  ['C:\\new{name}\\nRed{name}', ['C:\\new<1/>\\nRed<2/>']],
  ['```\n\n    a = b\n```', []],
  ['WEBVTT\n\n00:01.000 --> 00:04.000 align:start position:10%\nThe car', ['WEBVTT', 'The car']],
])('keeps what is no prose in the lines of %j', (text, expected) => {
  expect(segmentsOf(lay(text))).toEqual(expected);
  expect(repeat(lay(text))).toBe(text);
});

it('turns placeholders into marks and does not read markup', () => {
  const layout = lay('Hi {name} & <b>&amp;');
  expect(segmentsOf(layout)).toEqual(['Hi <1/> & <b>&amp;']);
  expect(rendered(layout, [['<& ', { mark: 'lone', id: 1 }, ' >']])).toBe('<& {name} >');
});

it.each([
  [
    '{count, plural, =0 {No file} one {# file} other {# files in {name}}}',
    ['No file', '<1/> file', '<1/> files in <2/>'],
  ],
  [
    'You have {n,plural,offset:1 one{a {kind, select, big {big} other {small #}} dog} other{# dogs}} today. Bye #1.',
    ['You have', 'a', 'big', 'small #', 'dog', '<1/> dogs', 'today.', 'Bye #1.'],
  ],
  [
    '{0,choice,0#no files|1#one file|1.5≤{0,number} files|-∞<{n, plural, other {# a|1# b}}}, {0,choice,a|b}',
    ['no files', 'one file', '<1/> files', '<1/> a|1<2/> b', ', {0,choice,a|b}'],
  ],
  ['{n, plural, one {a}} and {n, plural, one {b', ['{n, plural, one <1/>} and {n, plural, one {b']],
  ['The {plural, select few} of {a, plural, of}', ['The {plural, select few} of {a, plural, of}']],
])('translates each branch of %s', (text, expected) => {
  expect(segmentsOf(lay(text))).toEqual(expected);
  expect(repeat(lay(text))).toBe(text);
});

it.each([
  ['<0>Save</0> the <bold>red</bold> file<br/>now', ['<1>Save</1> the <2>red</2> file', 'now']],
  ['See <a href="/the-car">our help</a> &amp; more.', ['See <1>our help</1> &amp; more.']],
  ['<p>Red</p><p>Car. <b>A <p>b</p></b></p>', ['Red', 'Car.', 'A <1>b</1>']],
  ['Enter <name>, a < b, c > d, <b>and </i><c>.', ['Enter <name>, a < b, c > d, <b>and </i><c>.']],
  ['<Mary> Hello!\n<Jo Ann> Hi <name>', ['Hello!', 'Hi <name>']],
  ['<i>one <b>two</i> three</b>', ['<1>one <b>two</1> three</b>']],
  ['Put `<b>the house</b>` in\n```\n<a>the car</a>\n```', ['Put <1/> in']],
  ['<script>say("Hi")</script>A <!-- red <b> -->car.<?php echo $a; ?>', ['A <1/>car.']],
  ['<!-- a <script>b <STYLE>\n.c {}</STYLE> The <? car', ['<!-- a <script>b <1/> The <?', 'car']],
  [
    'The [b]big[/b] [url=/a]car[/url] [i]is <b>[b]</i>\n[quote]Red.\nCar.[/quote] [b](/b) [Yes] No',
    ['The <1>big</1> <2>car</2> [i]is <b>[b]</i>', '<1/>Red.', 'Car.<1/> [b](/b) [Yes] No'],
  ],
  ['[see <b>my</b> car] [and <i>his</i>][/a]', ['[see <1>my</1> car] [and <2>his</2>]<3/>']],
  ['[img]https://example.org/a.png[/img] The [i]c[/i]ar', ['<1><2/></1> The <3>c</3>ar']],
  ['<b>{n, plural, one {a <i>dog</i>} other {# dogs}}</b>', ['a <1>dog</1>', '<1/> dogs']],
  ['<i><b>Hi</b></i> <img src="a">', ['Hi']],
])('takes pairs of tags for marks in %s', (text, expected) => {
  expect(segmentsOf(lay(text))).toEqual(expected);
  expect(repeat(lay(text))).toBe(text);
});

it('adapts blanks to the script of the translation', () => {
  expect(rendered(lay('你好。世界！', 'sentences', 'zh'), [['Hello.'], ['World!']])).toBe(
    'Hello. World!',
  );
  expect(rendered(lay('Hello. World!', 'sentences'), [['你好。'], ['世界！']])).toBe(
    '你好。世界！',
  );
  expect(rendered(lay('Hello.  World!', 'sentences'), [['你好。'], ['世界！']])).toBe(
    '你好。  世界！',
  );
});

it('has no segments for a text without letters', () => {
  for (const text of ['', ' \n', '12.5 %', '{name}', '😀']) {
    expect(lay(text).segments).toEqual([]);
    expect(rendered(lay(text), [])).toBe(text);
  }
});

it('counts code points', () => {
  expect(lay('a😀\r\n').characters).toBe(4);
});

it('rejects an answer of another length', () => {
  expect(() => rendered(lay('a'), [])).toThrow(RangeError);
});

it('returns any text unchanged when nothing is translated', () => {
  const part = fc.constantFrom(
    'a',
    'Bc.',
    '. ',
    '\n',
    '\r',
    ' ',
    '{x}',
    '{n, plural, one {',
    '{0,choice,0#',
    '|1<',
    '} other {#',
    '}}',
    '%s',
    '。',
    '你',
    '😀',
    '!',
    'http://a.b/c',
    '\ud800',
  );
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 30 }),
      fc.constantFrom<SentenceSplitting>('lines-and-sentences', 'sentences', 'none'),
      (parts, splitting) => {
        const text = parts.join('');
        expect(repeat(lay(text, splitting))).toBe(text);
      },
    ),
  );
});
