import { expect, it } from 'vitest';
import { ServiceError } from '../../shared/errors.ts';
import type { MarkupOptions } from '../../server/text/markup/text-layout.ts';
import { rendered, repeat, segmentsOf, shout, xml } from './layouts.ts';

const OUTLINED = `<document>
 <meta><title>A document's title</title></meta>
 <content>
  <par>This is the first sentence. Followed by a second one.</par>
  <par>This is the third sentence.</par>
 </content>
</document>`;
const TWO_PARS = '<par>The firm said it had been </par><par> conducting an investigation.</par>';
const XX = { ignoreTags: ['x'] };

it.each<[string, string, Partial<MarkupOptions>, string[]]>([
  [
    'elements in a sentence are marks',
    'Press <i>Go</i> to go on.',
    {},
    ['Press <1>Go</1> to go on.'],
  ],
  [
    'elements nest',
    'It was <a>an <b>internal</b></a> matter.',
    {},
    ['It was <1>an <2>internal</2></1> matter.'],
  ],
  ['empty elements are one mark', 'Now<a/> it is<b></b> here.', {}, ['Now<1/> it is<2/> here.']],
  [
    'structure is found out from the outline',
    OUTLINED,
    {},
    [
      "A document's title",
      'This is the first sentence.',
      'Followed by a second one.',
      'This is the third sentence.',
    ],
  ],
  [
    'neighbouring elements split',
    TWO_PARS,
    {},
    ['The firm said it had been', 'conducting an investigation.'],
  ],
  [
    'non-splitting tags never split',
    TWO_PARS,
    { nonSplittingTags: ['par'] },
    ['<1>The firm said it had been </1><2> conducting an investigation.</2>'],
  ],
  [
    'splitting tags always split',
    'One <par>two</par> three',
    { splittingTags: ['par'] },
    ['One', 'two', 'three'],
  ],
  [
    'an element around a splitting one splits',
    'One <b>two <par>three</par></b> four',
    { splittingTags: ['par'], nonSplittingTags: ['b'] },
    ['One', 'two', 'three', 'four'],
  ],
  [
    'without outline detection only splitting tags split',
    '<d><t>A title</t><par>One.</par><par>Two.</par></d>',
    { outlineDetection: false, splittingTags: ['par'] },
    ['A title', 'One.', 'Two.'],
  ],
  [
    'without outline detection a document is one run',
    '<d><t>A title</t><p>one</p></d>',
    { outlineDetection: false },
    ['<1>A title</1><2>one</2>'],
  ],
  [
    'without outline detection words of two elements are not joined',
    '<d><t>The car</t><t>The <b>H</b><i>ouse</i></t></d>',
    { outlineDetection: false },
    ['The car', 'The <1>H</1><2>ouse</2>'],
  ],
  [
    'nor are they when they begin with small letters, unless their elements format letters',
    'Car <note>the dog</note><note>the <b>h</b><i>ouse</i></note><g>to</g><g>day</g>',
    {},
    ['Car <1>the dog</1>', '<1>the <2>h</2><3>ouse</3></1><4>to</4><5>day</5>'],
  ],
  [
    'formats may have a prefix or a number',
    'Car <text:span>to</text:span><text:span>day</text:span> or <x1>to</x1><x2>day</x2>',
    {},
    ['Car <1>to</1><2>day</2> or <3>to</3><4>day</4>'],
  ],
  [
    'scripts without blanks have words side by side',
    '请打开<menu>文件</menu><cmd>打开</cmd>对话框',
    { language: 'zh' },
    ['请打开<1>文件</1><2>打开</2>对话框'],
  ],
  [
    'words of non-splitting elements may be joined',
    'Car <note>to</note><note>day</note>',
    { nonSplittingTags: ['note'] },
    ['Car <1>to</1><2>day</2>'],
  ],
  [
    'ignored elements are words of their sentence',
    'Please open the page <x>Settings <b>now</b>. Then</x> to go on.',
    XX,
    ['Please open the page <1/> to go on.'],
  ],
  [
    'a sentence may begin with an ignored element',
    '<x>Foo</x> is good. <x>Bar</x> is not.',
    XX,
    ['<1/> is good.', '<1/> is not.'],
  ],
  ['names compare by case', 'A <X>b</X> c', XX, ['A <1>b</1> c']],
  [
    'an element around two sentences comes out once',
    'A <b>one. Two</b> three. Four.',
    {},
    ['A <1>one. Two</1> three.', 'Four.'],
  ],
  [
    'end tags go with the sentence before',
    '<b>One. </b><i>Two</i> three.',
    {},
    ['One.', '<1>Two</1> three.'],
  ],
  ['lines end segments', 'A title\nSome text', {}, ['A title', 'Some text']],
  [
    'line breaks are blanks for sentences',
    'Some\ntext. More',
    { splitting: 'sentences' },
    ['Some\ntext.', 'More'],
  ],
  [
    'nothing is cut without splitting',
    'One.\nTwo. <b>Three.</b>',
    { splitting: 'none' },
    ['One.\nTwo. <1>Three.</1>'],
  ],
  ['references are read', 'Fish &amp; chips &lt;3 &#x263a;', {}, ['Fish & chips <3 ☺']],
  ['unknown entities are words', 'Our &company; and&nbsp;we', {}, ['Our <1/> and<2/>we']],
  ['placeholders are words', 'Hi {name}, see https://a.b/?c&amp;d.', {}, ['Hi <1/>, see <2/>.']],
  ['comments and instructions are marks', 'a <!-- > -->b <?p >?>c', {}, ['a <1/>b <2/>c']],
  [
    'CDATA in a sentence is a word or a mark',
    'Do <b>R<![CDATA[&]]>D</b> if a <![CDATA[<]]> b and <![CDATA[press <b>OK</b>]]> now.',
    {},
    ['Do <1>R&D</1> if a < b and <2/> now.'],
  ],
  [
    'CDATA in a sentence is words, where it holds no markup and no placeholders',
    '<p>The <![CDATA[big red]]> car</p><p><![CDATA[He came,]]> she &amp; I.</p><p>A <![CDATA[{x} or]]> b</p>',
    {},
    ['The big red car', 'He came, she & I.', 'A <1/> b'],
  ],
  [
    'CDATA by itself is text',
    '<p> <![CDATA[Tom & Jerry. The end.]]></p>',
    {},
    ['Tom & Jerry.', 'The end.'],
  ],
  [
    'CDATA holds a document of its own',
    '<d><![CDATA[<p>Fish &amp; <b>chips</b><br></p><p>Salt</i> < water</p> <![CDATA[ & a]]></d>',
    {},
    ['Fish & <1>chips</1>', 'Salt<1/> < water'],
  ],
  ['what has no letters is left alone', '<p>2024</p><p>{name}</p><p>Text</p>', {}, ['Text']],
])('%s', (_name, text, options, expected) => {
  const layout = xml(text, options);
  expect(segmentsOf(layout)).toEqual(expected);
  expect(repeat(layout)).toBe(text);
});

it('escapes changed text to keep the document well-formed', () => {
  const layout = xml('a &amp; b &lt; c &quot;d&quot; > e&nbsp;f');
  expect(shout(layout)).toBe('A &amp; B &lt; C &quot;D&quot; > E&nbsp;F');
  expect(rendered(xml('one'), [['a < b & c ]]> d\u0000\ud800 > e']])).toBe(
    'a &lt; b &amp; c ]]&gt; d > e',
  );
  expect(rendered(xml('one'), [['a ]]', '> b']])).toBe('a ]]&gt; b');
});

it('keeps CDATA sections, and escapes their text outside', () => {
  const layout = xml('<p>Tom &amp; R<![CDATA[&]]>D</p><p><![CDATA[a & b > c]]></p>');
  expect(shout(layout)).toBe('<p>TOM &amp; R&amp;D</p><p><![CDATA[A & B > C]]></p>');
  expect(rendered(xml('<a><![CDATA[One & two]]></a>'), [['Uno & dos ]]>']])).toBe(
    '<a><![CDATA[Uno & dos ]]&gt;]]></a>',
  );
  const unclosed = xml('<a>One</b> <![CDATA[two', { version: 'v1' });
  expect(shout(unclosed)).toBe('<a>ONE</b> <![CDATA[two');
  expect(unclosed.characters).toBe(4);
});

it('keeps references to invalid characters', () => {
  const layout = xml('the &#0; house &#xFFFE; of &#xD800; stone', { version: 'v1' });
  expect(shout(layout)).toBe('THE &#0; HOUSE &#xFFFE; OF &#xD800; STONE');
});

it('writes a character as a reference where the source did', () => {
  const layout = xml('It&#8217;s caf&#233; "time"');
  expect(shout(layout)).toBe('IT&#8217;S CAFÉ "TIME"');
});

it('keeps tags and whole documents byte for byte', () => {
  const text =
    '\uFEFF<?xml version="1.0"  encoding=\'UTF-8\'?>\r\n<!DOCTYPE a [<!ENTITY x "y<z>">]>\n' +
    '<a  b = \'1\' c="&quot;>"\t><!--x--><d  />t &x; u<e:f\n/></a >\n';
  const layout = xml(text);
  expect(segmentsOf(layout)).toEqual(['t <1/> u']);
  expect(shout(layout)).toBe(text.replace('>t ', '>T ').replace(' u<', ' U<'));
});

it.each([
  '<p>This tag is not closed properly</a>',
  '<p>open',
  'stray </p>',
  'a < b',
  'a & b',
  'a &amp b',
  '<a b=c/>',
  '<a b="1" b="2"/>',
  '<a b="<"/>',
  '<!-- a -- b --> c',
  '<a>\u0001</a>',
  '&#0;',
  '<?xml version="1.0"?>text <b>x</b>',
  '<a',
])('rejects %j in version 2, and parses it leniently in version 1', (text) => {
  expect(() => xml(text)).toThrow(ServiceError);
  expect(() => xml(text)).toThrow('Tag handling parsing failed, please check input.');
  expect(repeat(xml(text, { version: 'v1' }))).toBe(text);
});

it('leaves stray tags in place in version 1', () => {
  const layout = xml('One <b>two </i>three & < four', { version: 'v1' });
  expect(segmentsOf(layout)).toEqual(['One <1/>two <2/>three & < four']);
  expect(shout(layout)).toBe('ONE <b>TWO </i>THREE & < FOUR');
});

it('in version 1 escapes a lone character where it would otherwise be read as markup', () => {
  const both = xml('tea & milk &amp; more', { version: 'v1' });
  expect(rendered(both, [['milk & tea & more']])).toBe('milk &amp; tea &amp; more');
  const lone = xml('a & b < c', { version: 'v1' });
  expect(rendered(lone, [['b & c &amp; <d <']])).toBe('b & c &amp;amp; &lt;d &lt;');
  // A number beyond the range of characters is not a reference.
  expect(rendered(lone, [['&#9999999999; & b']])).toBe('&#9999999999; & b');
});

it('expands no entities', () => {
  const laughs = `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "${'&a;'.repeat(50)}">]><l>Now &b;&b; then</l>`;
  expect(segmentsOf(xml(laughs))).toEqual(['Now <1/><2/> then']);
});

it('counts code points of text, excluding tags', () => {
  expect(xml('<a b="c">A 😀</a><!-- x --> &amp; &x;').characters).toBe(7);
  expect(xml('<a><![CDATA[x😀]]>y</a>', XX).characters).toBe(3);
  expect(xml('a <x>bc</x>', XX).characters).toBe(4);
});
