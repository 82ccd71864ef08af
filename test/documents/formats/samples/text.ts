/** Samples of the text formats. */
import type { DocumentSample } from './sample.ts';

const built = (text: string) => async () => Buffer.from(text, 'utf8');

export const txt: DocumentSample = {
  format: 'txt',
  build: built(
    [
      'A heading\r\n\r\n',
      'A paragraph in which lines were broken by hand at a certain\r\n',
      'width, so that its sentences go on in the next line. This is\r\n',
      'the second sentence of it.\r\n',
      '\r\n',
      '  - first item\r\n  - second item\r\n\r\n',
      '> a quotation\r\n\r\n',
      'Name\tPrice\r\napples\t12.50\r\n',
      'The last line has no end',
    ].join(''),
  ),
  translatable: [
    'A heading',
    'A paragraph in which lines were broken by hand at a certain width, so that',
    'first item',
    'second item',
    'a quotation',
    'Name',
    'Price',
    'apples',
    'The last line has no end',
  ],
  untouched: ['12.50', '>', '- '],
  takesAnything: true,
};

export const html: DocumentSample = {
  format: 'html',
  build: built(
    `<!DOCTYPE html>
<html lang="en"><head><title>The title &amp; more</title>
<meta charset="utf-8"><meta name="description" content="A description">
<script>const secret = "<p>program</p>";</script><style>p { color: red }</style></head>
<body><!-- remark --><h1>A heading</h1>
<p title="A tooltip">Text with <b>bold</b>, <i>slanted <u>and lined</u></i> words,<br>
   a <a href="https://example.org/path" title="Link title">link</a> and <code>x = 1</code>.</p>
<ul><li>First item<li>Second item</ul>
<table><tr><th abbr="Short">Column</th><td>Cell</td></tr></table>
<img src="a.png" alt="A picture"><input placeholder="Your name"><input type="submit" value="Send it">
<input type="text" value="entry"><p translate="no">Brand</p>
<pre>kept
  lines</pre><button aria-label="Close the page">×</button></body></html>
`,
  ),
  translatable: [
    ...['The title & more', 'A description', 'A heading', 'A tooltip', 'Link title'],
    ...['bold', 'slanted ', 'and lined', 'link', 'First item', 'Second item', 'Short', 'Column'],
    ...['Cell', 'A picture', 'Your name', 'Send it', 'kept\n  lines', 'Close the page'],
  ],
  untouched: [
    'secret',
    'program',
    'color',
    'remark',
    'entry',
    'Brand',
    'x = 1',
    'a.png',
    'example',
  ],
  takesAnything: true,
};

export const srt: DocumentSample = {
  format: 'srt',
  build: built(
    [
      '1\r\n00:00:01,000 --> 00:00:02,900\r\n{\\an8}<i>This sentence begins here</i>\r\n\r\n',
      '2\r\n00:00:03,000 --> 00:00:05,000\r\n<i>and goes on\r\nin the next one. It</i>\r\n\r\n',
      '3\r\n00:00:05,100 --> 00:00:06,000\r\nis followed by <b>another</b>.\r\n\r\n',
      '4\r\n00:00:07,000 --> 00:00:09,000\r\n- Good morning.\r\n- How are you?\r\n\r\n',
      '5\r\n00:00:20,000 --> 00:00:22,000\r\n♪ A song of <font color="red">colours</font> ♪\r\n\r\n',
      '6\r\n00:00:23,000 --> 00:00:24,000\r\nAfter it\r\n\r\nan empty line.\r\n\r\n',
    ].join(''),
  ),
  translatable: [
    'This sentence begins here and goes on in the next one.',
    'It is followed by ',
    'another',
    'Good morning.',
    'How are you?',
    'A song of ',
    'colours',
    'an empty line.',
  ],
  untouched: ['00:00', 'an8', '<', '♪', '-->'],
};

export const vtt: DocumentSample = {
  format: 'vtt',
  build: built(
    `WEBVTT - A title

NOTE
A remark of the author

STYLE
::cue(.loud) { color: red }

REGION
id:below

opening
00:01.000 --> 00:02.900 line:0 position:20% align:start
<v Ann>Tom &amp; I were going

00:03.000 --> 00:05.000
<v Ann>to the <c.loud>old <i>house</i></c>.

00:00:06.000 --> 00:00:08.000 region:below
<v Bob>It is <00:06.500>empty</v>
`,
  ),
  translatable: ['Tom & I were going to the ', 'old ', 'house', 'It is ', 'empty'],
  untouched: ['title', 'remark', 'color', 'below', 'opening', 'Ann', 'Bob', '00:', 'loud', 'amp'],
};
