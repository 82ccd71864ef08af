import { expect, it } from 'vitest';
import type { MarkupOptions } from '../../server/text/markup/text-layout.ts';
import { html, rendered, repeat, segmentOf, segmentsOf, shout, xml } from './layouts.ts';

it.each<[string, string, Partial<MarkupOptions>, string[]]>([
  [
    'block elements split, inline ones are marks',
    '<h1>My page</h1><p>Some <b>bold</b> text. More.</p>',
    {},
    ['My page', 'Some <1>bold</1> text.', 'More.'],
  ],
  [
    'whole documents',
    '<!DOCTYPE html>\n<html><head><title>A &amp; b</title><style>p{a:b}</style></head><body>Hi<script>if(a<b)c()</script></body></html>',
    {},
    ['A & b', 'Hi'],
  ],
  ['void elements are marks', 'One<br>two <img src="a>b"> three', {}, ['One<1/>two <2/> three']],
  [
    'line breaks end short lines, and none within a sentence',
    '<p>Name<br>Age</p><p>Car<br>\n                    &bull; Dog<br>&nbsp;Cat</p><p>We<br>know<BR/>Rome.<br>\n<br>so <b>it is<br> – new</b></p><p>What was broken at its length in the city of<br>London goes on</p>',
    {},
    [
      ...['Name', 'Age', 'Car', '• Dog', 'Cat', 'We<1/>know', 'Rome.', 'so', 'it is', '– new'],
      'What was broken at its length in the city of<1/>London goes on',
    ],
  ],
  [
    'line breaks are marks where they do not split',
    'Name<br>Age',
    { nonSplittingTags: ['br'] },
    ['Name<1/>Age'],
  ],
  [
    'fields of a form split that are seen',
    "<label>Kitchen <input></label> <label><input type=checkbox> Red</label> I <input type='hidden'> see",
    {},
    ['Kitchen', 'Red', 'I <1/> see'],
  ],
  [
    'elements side by side are two, unless they make up a word',
    '<p><a><b>Home</b></a><a>about us</a></p><p>The <del>old</del><ins>new</ins> colo<del>u</del>r</p><p><i><b>Red</b></i><b>&Eacute;t&eacute;</b> <b>Uni</b><i>code</i> <b>WEL</b><i>COME</i> <b>T</b><i>He</i></p><b>the hou</b><i>se</i> <b>C</b><sub>2</sub>',
    {},
    [
      ...['Home', 'about us', 'The <1>old</1>', '<1>new</1> colo<2>u</2>r', 'Red'],
      '<1>Été</1> <2>Uni</2><3>code</3> <4>WEL</4><5>COME</5> <6>T</6><7>He</7>',
      '<1>the hou</1><2>se</2> <3>C</3><4>2</4>',
    ],
  ],
  [
    'a link and the words right beside it are two, unless they make up a word',
    'Read more<a>Next <b>page</b></a>Home <b>You</b>Tube, <a>the hou</a>se, HTTP<a>Server</a>',
    {},
    ['Read more', 'Next <1>page</1>', 'Home <1>You</1>Tube, <2>the hou</2>se, HTTP<3>Server</3>'],
  ],
  ['left-out end tags are found', '<ul><li>One<li>Two</ul><p>A<p>B', {}, ['One', 'Two', 'A', 'B']],
  ['inline elements around blocks split', '<a href=x><div>One</div></a>two', {}, ['One', 'two']],
  [
    'what is not to be translated is a word',
    'Use <code>npm i</code> or <span translate="no">Foo</span> now',
    {},
    ['Use <1/> or <2/> now'],
  ],
  [
    'how signs are read is no part of their sentence',
    '<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>を読む。</p><ruby>東京<rt>とうきょう</ruby>',
    { language: 'ja' },
    ['<1><2>漢</2><3>字</3></1>を読む。', '東京'],
  ],
  [
    'nor is it where its end tags are left out',
    'At <ruby><rb>a<rt>one<rb>b<rt>two<rtc>three</ruby> it <i>is</i>',
    {},
    ['At <1><2><3/>a</2><4><5/>b</4></1> it <6>is</6>'],
  ],
  [
    'readings apart from their bases stay with these',
    'The <ruby><rb>red</rb><rb>house</rb><rtc><rt>r</rt><rt>h</rt></rtc></ruby> is <ruby>a<rt>b</rt></ruby>',
    {},
    ['The <1/> is <2><3>a</3></2>'],
  ],
  [
    'a reading without a base is a mark',
    'one<rt>a</rt> <ruby><b>two</b> <ruby>three<rt>c</rt></ruby><rt>d</rt></ruby> end',
    {},
    ['one<1/> <2><3>two</3> <4><5>three</5></4><6/></2> end'],
  ],
  [
    'a class may ask for it, too',
    'By <i class="a notranslate">Foo Inc.</i> today',
    {},
    ['By <1/> today'],
  ],
  [
    'what is to be translated within',
    '<div translate=no>A <i>b</i><p translate="yes">c <b translate=no>d</b> <i>e</i></p>f</div><b translate=no>g</b>h',
    {},
    ['c <1/> <2>e</2>', '<1/>h'],
  ],
  [
    'blocks that are not to be translated split',
    'One<div translate=no>two<p>three</div>four',
    {},
    ['One', 'four'],
  ],
  [
    'fields and programs are left alone',
    'A<textarea>b</textarea>c <script>d</script> e',
    {},
    ['A', 'c', 'e'],
  ],
  [
    'tag names compare without case',
    'a <X>b</X> <Y>c</y> <z>d</z> e',
    { ignoreTags: ['x'], splittingTags: ['Y'] },
    ['a <1/>', 'c', '<1>d</1> e'],
  ],
  [
    'non-splitting tags never split',
    '<div>a </div><div>b</div>',
    { nonSplittingTags: ['div'] },
    ['<1>a </1><2>b</2>'],
  ],
  [
    'tangled tags stay in their places',
    '<p>a <b>b <i>c</b> d</i> e</p>',
    {},
    ['a <1>b <2/>c</1> d<3/> e'],
  ],
  ['stray and unclosed tags are marks', 'a </b>b <i>c</> d', {}, ['a <1/>b <2/>c<3/> d']],
  [
    'named references are read',
    'caf&eacute; &copy 2024 &NotEqualTilde; AT&T &unknown;',
    {},
    ['café © 2024 ≂̸ AT&T <1/>'],
  ],
  [
    'an element around everything is outside',
    '<span><b>One. Two</b><br></span>',
    {},
    ['One.', 'Two'],
  ],
  ['a colon after a tag is punctuation', '<b>Note</b>:this, :name', {}, ['<1>Note</1>:this, <2/>']],
  ['line breaks are blanks', 'Some\n  text. More', {}, ['Some\n  text.', 'More']],
  ['an unfinished tag is left alone', 'One <b cla', {}, ['One']],
  ['a lone < is text', 'a < b <3', {}, ['a < b <3']],
])('%s', (_name, text, options, expected) => {
  const layout = html(text, options);
  expect(segmentsOf(layout)).toEqual(expected);
  expect(repeat(layout)).toBe(text);
});

it('preserves entities for non-breaking blanks and other characters', () => {
  expect(shout(html('<p>ten&nbsp;miles &mdash; a &lt; b &copy;</p>'))).toBe(
    '<p>TEN&nbsp;MILES &mdash; A &lt; B &copy;</p>',
  );
  expect(shout(html('<p>&nbsp;</p>a&nbsp;'))).toBe('<p>&nbsp;</p>A&nbsp;');
});

it('keeps untranslated elements byte for byte', () => {
  const kept = "<SPAN  translate=no data-x='&'>A &amp; b <i>c</SPAN>";
  expect(shout(html(`one ${kept} two`))).toBe(`ONE ${kept} TWO`);
  const apart = (text: string) => `a &company; <b translate=no>c ${text} <i>d</i></b>`;
  expect(shout(html(apart('<i translate>e</i>')))).toBe(
    apart('<i translate>E</i>').replace('a', 'A'),
  );
});

it('counts the characters of text only', () => {
  expect(html('<p title="x">a&nbsp;😀</p><script>abc</script><code>d</code>').characters).toBe(4);
  expect(html('<p translate=no>a &amp; <b translate=yes>b</b></p>').characters).toBe(5);
});

it('keeps each ruby reading with its word, wherever the word moves', () => {
  const layout = html('A <ruby>green<rp>(</rp><rt>g</rt><rp>)</rp> tree<rt>t</rt></ruby> stands');
  expect(segmentsOf(layout)).toEqual(['A <1><2>green</2> <3>tree</3></1> stands']);
  expect(rendered(layout, [segmentOf('Un <1><3>árbol</3> <2>verde</2></1> está')])).toBe(
    'Un <ruby>árbol<rt>t</rt> verde<rp>(</rp><rt>g</rt><rp>)</rp></ruby> está',
  );
});

it('translates each branch of a message, whose syntax stays', () => {
  const text =
    '<p title="{">Tom&#39;s {n, plural, =0 {no cars} one {<b>#</b> car} other {<b>#</b> cars&#35; {m, select, a {A} other {B &amp; C}}}}. <i>It costs {price, number, ::currency/EUR}</i>.</p>' +
    '<p>{n, plural, one {} The } end</p><b>{n, plural, other {One <i>}}</i></b><style>a, plural {}</style>' +
    '<p>{0,choice,0#Both|1&lt;Many}</p>';
  expect(segmentsOf(html(text))).toEqual([
    ...["Tom's", 'no cars', '<1><2/></1> car', '<1><2/></1> cars#', 'A', 'B & C'],
    ...['<1>It costs <2/></1>.', '{n, plural, one {} The } end', 'One'],
    ...['Both', 'Many'],
  ]);
  expect(repeat(html(text))).toBe(text);
  expect(repeat(xml(text))).toBe(text);
});
