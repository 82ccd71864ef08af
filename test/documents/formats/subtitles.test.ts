import { describe, expect, it } from 'vitest';
import { DocumentError } from '../../../server/documents/formats/format.ts';
import { blocksOf, byList, translated } from './text-support.ts';

/** Returns a file of consecutive cues, two seconds each. */
function srt(...cues: string[]): string {
  const at = (index: number) => `00:00:${String(index * 2 + 10)}`;
  return cues
    .map((text, index) => `${index + 1}\n${at(index)},000 --> ${at(index + 1)},000\n${text}\n`)
    .join('\n');
}

const lowerCase = (text: string) => text.toLowerCase();

const textsOf = (file: Buffer) =>
  file
    .toString()
    .split('\n\n')
    .map((cue) => cue.trimEnd().split('\n').slice(2).join('|'));

describe('a sentence in subtitles', () => {
  it('is translated as one, and split among its cues in proportion', async () => {
    const file = srt('I was going', 'to leave the house before noon.');
    expect(await blocksOf('srt', file)).toEqual(['I was going to leave the house before noon.']);
    const spanish = byList({
      'I was going to leave the house before noon.': 'Iba a salir de la casa antes del mediodía.',
    });
    expect(textsOf(await translated('srt', file, spanish))).toEqual([
      'Iba a salir',
      'de la casa antes del mediodía.',
    ]);
  });

  it('ends at its punctuation, a pause, a dash or another speaker', async () => {
    expect(await blocksOf('srt', srt('One is here.', 'Two is not'))).toHaveLength(2);
    expect(await blocksOf('srt', srt('One is here', '- two is not'))).toHaveLength(2);
    expect(await blocksOf('srt', srt('One is here', '[a door]'))).toHaveLength(2);
    expect(await blocksOf('srt', srt('♪ One is here ♪', 'two is not'))).toHaveLength(2);
    const pause =
      '1\n00:00:01,000 --> 00:00:02,000\none\n\n2\n00:00:09,000 --> 00:00:10,000\ntwo\n';
    expect(await blocksOf('srt', pause)).toEqual(['one', 'two']);
    const signs = 'WEBVTT\n\n00:01.000 --> 00:02.000\nHe is\n\n00:02.000 --> 00:03.000\n';
    const references = `${signs}- Tom &amp; Ann\n- Bob &lt;3\n\n00:03.000 --> 00:04.000\n♪ A &amp; b ♪\n`;
    const beside = ['He is', 'Tom & Ann', 'Bob <3', 'A & b'];
    expect(await blocksOf('vtt', references)).toEqual(beside);
    const voices =
      'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>one\n\n00:02.000 --> 00:03.000\n<v Bob>two\n';
    expect(await blocksOf('vtt', voices)).toEqual(['one', 'two']);
    expect(await blocksOf('srt', srt('It is', 'DR. LEE (on phone): here'))).toHaveLength(2);
  });

  it('ends where captions roll up, and repeat the words before', async () => {
    const file = srt('and so we', 'and so we\nwent home', 'went home', 'at last.');
    expect(await blocksOf('srt', file)).toEqual([
      ...['and so we', 'and so we went home', 'went home at last.'],
    ]);
  });

  it('may end within a cue', async () => {
    const file = srt('We saw Mr.', 'Smith. He came', 'back later.');
    expect(await blocksOf('srt', file)).toEqual(['We saw Mr. Smith.', 'He came back later.']);
    const spanish = byList({
      'We saw Mr. Smith.': 'Vimos al señor Smith.',
      'He came back later.': 'Volvió más tarde.',
    });
    expect(textsOf(await translated('srt', file, spanish))).toEqual([
      'Vimos al señor',
      'Smith. Volvió',
      'más tarde.',
    ]);
  });

  it('fills every cue even if it has become shorter than its cues', async () => {
    const file = srt('well', 'you see', 'it goes');
    const result = await translated('srt', file, () => 'Vale');
    expect(textsOf(result)).toEqual(['Vale', 'Vale', 'Vale']);
  });

  it('excludes ruby readings', async () => {
    const cue = '00:01.000 --> 00:02.000\n<ruby>one<rt>wan</rt>two<rt>tu</ruby>';
    const file = `WEBVTT\n\n${cue} three\n\n${cue.replace('<rt>tu', '')}\n`;
    const result = await translated('vtt', file, (text) => text.toUpperCase());
    expect(result.toString()).toBe(
      file.replaceAll(/(?<=ruby>|rt>)one|two|three/g, (text) => text.toUpperCase()),
    );
  });

  it('keeps its tags where a cue boundary falls within them', async () => {
    const file = srt('one <i>two', 'three</i> four');
    expect(await blocksOf('srt', file)).toHaveLength(1);
    const other = srt('the <i>old house beside it</i>', 'is big');
    const result = await translated('srt', other, (text) =>
      text === 'old house beside it' ? 'x' : text === 'the ' ? 'la ' : ' es muy muy grande y bella',
    );
    expect(textsOf(result)).toEqual(['la <i>x</i> es muy muy grande', 'y bella']);
    const moved = srt('I <i>really</i> want', 'to <b>go</b> home.');
    const spanish = { 'I ': 'Quiero ya ahora mismo ', really: 'de veras', ' want to ': ' ' };
    expect(textsOf(await translated('srt', moved, byList({ ...spanish, ' home.': '.' })))).toEqual([
      'Quiero ya ahora',
      'mismo <i>de veras</i> <b>go</b>.',
    ]);
  });
});

describe('lines in subtitles', () => {
  it('keep their number, with similar widths', async () => {
    const file = srt('This is the first line\nand this is the second.');
    const result = await translated(
      'srt',
      file,
      () => 'Esta es la primera línea, y esta es la segunda.',
    );
    expect(textsOf(result)).toEqual(['Esta es la primera línea,|y esta es la segunda.']);
  });

  it('become two where one would be too wide', async () => {
    const long = 'Una línea que es mucho más larga que cuarenta y dos columnas.';
    const [text = ''] = textsOf(await translated('srt', srt('A line.'), () => long));
    expect(text.split('|')).toHaveLength(2);
    expect(text.replace('|', ' ')).toBe(long);
  });

  it('keep no-break spaces, also at the ends of their words', async () => {
    const file = srt('<i>\u00a0One\u00a0</i>and\u3000two');
    expect(textsOf(await translated('srt', file, (text) => text.toUpperCase()))).toEqual([
      '<i>\u00a0ONE\u00a0</i>AND\u3000TWO',
    ]);
    const broken = byList({ 'And three': 'Et\u00a0\n\u00a0trois' });
    expect(textsOf(await translated('srt', srt('And three'), broken))).toEqual([
      'Et\u00a0 \u00a0trois',
    ]);
  });

  it('of a dialogue stay with their speakers', async () => {
    const file = srt('- Hello.\n- How are you,\nmy friend?');
    expect(await blocksOf('srt', file)).toEqual(['Hello.', 'How are you, my friend?']);
    const result = await translated('srt', file, (text) => text.toUpperCase());
    expect(textsOf(result)).toEqual(['- HELLO.|- HOW ARE YOU,|MY FRIEND?']);
    const named = srt('ANN: Yes\n<i>BOB #2: No,\nnot I</i>');
    expect(await blocksOf('srt', named)).toEqual(['ANN: Yes', 'BOB #2: No, not I']);
    const announced = srt('<i>>> HOW ARE YOU?</i>\n>> FINE, AND HOW ARE', '>>> THE NEWS');
    expect(await blocksOf('srt', announced)).toEqual([
      'HOW ARE YOU?',
      'FINE, AND HOW ARE',
      'THE NEWS',
    ]);
    const escaped = `WEBVTT\n\n${announced.replaceAll(',0', '.0').replaceAll('>> ', '&gt;&gt; ')}`;
    const lowered = await translated('vtt', escaped, (text) => text.toLowerCase());
    expect(lowered.toString()).toBe(escaped.replaceAll(/(?<=&gt; )[A-Z ,?]+/g, lowerCase));
    const voices =
      'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>Hello</v>\n<v Bob>How are you,\nmy friend?</v>\n';
    expect(await blocksOf('vtt', voices)).toEqual(['Hello', 'How are you, my friend?']);
    const longer = byList({ Hello: 'Good morning to you' });
    expect((await translated('vtt', voices, longer)).toString()).toBe(
      voices.replace('Hello', 'Good morning to you'),
    );
  });

  it('of Chinese and Thai are broken between words', async () => {
    const chinese = textsOf(
      await translated('srt', srt('one\ntwo'), () => '这是第一行，这是第二行。', { target: 'zh' }),
    );
    expect(chinese).toEqual(['这是第一行，|这是第二行。']);
    const [thai = ''] = textsOf(
      await translated('srt', srt('one\ntwo'), () => 'สวัสดีครับเพื่อน', { target: 'th' }),
    );
    expect(thai).toBe('สวัสดี|ครับเพื่อน');
    const japanese = 'がぎぐ葛\u{e0100}、!ざじ'.normalize('NFD');
    const lines = srt('one\ntwo\nthree\nfour\nfive\nsix\nseven');
    const [broken = ''] = textsOf(await translated('srt', lines, () => japanese));
    expect(broken).toBe('が|ぎ|ぐ|葛\u{e0100}、!|ざ|じ'.normalize('NFD'));
    expect(await blocksOf('srt', srt('我们吃𠮷\n野家。'))).toEqual(['我们吃𠮷野家。']);
  });
});

describe('markup of subtitles', () => {
  it('is kept byte for byte', async () => {
    const file =
      '\ufeffWEBVTT Kind: captions\r\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000\r\n\r\nNOTE the text\r\n\r\nSTYLE\r\n::cue { }\r\n\r\nid one\r\n00:01.000 --> 00:02.000 align:end\r\n<v.loud Ann><00:01.500>the &lt;text&gt; {\\an8}</v>\r\n';
    const result = await translated('vtt', file, (text) => text.replace('text', 'TEXT & more'));
    expect(result.toString()).toBe(file.replace('&lt;text&gt;', '&lt;TEXT &amp; more&gt;'));
  });

  it('includes the references of HTML in WebVTT', async () => {
    const file =
      'WEBVTT\n\n00:01.000 --> 00:02.000\n&quot;It&#39;s&quot; a &nix;&#13;caf&eacute;&#x2026;\n';
    // A reference that WebVTT does not know stays as it is.
    expect(await blocksOf('vtt', file)).toEqual(['"It\'s" a <1/> café…']);
    expect((await translated('vtt', file, (text) => text)).toString()).toBe(file);
    const result = await translated('vtt', file, (text) => text.replace(' a ', ' <un> '));
    expect(result.toString()).toContain('\n"It\'s" &lt;un&gt; &amp;nix; café…\n');
  });

  it('does not include the data of metadata tracks', async () => {
    const file =
      'WEBVTT\n\n00:01.000 --> 00:02.000\n{\n  "title": "Hello"\n}\n\n00:03.000 --> 00:04.000\n[Music]\n';
    expect(await blocksOf('vtt', file)).toEqual(['[Music]']);
    const pictures = ['a/tiles.jpg#xywh=0,0,160,90', 'img0003.webp', 'tiles?n=1#xywh=0,0,9,9'];
    const previews = pictures.map((url, at) => `00:0${at}.000 --> 00:0${at + 1}.000\n${url}\n`);
    const text = '00:05.000 --> 00:06.000\nOpen it: photo.jpg\n';
    expect(await blocksOf('vtt', ['WEBVTT\n', ...previews, text].join('\n'))).toEqual([
      'Open it: photo.jpg',
    ]);
  });

  it('does not include drawings of SubStation Alpha', async () => {
    const file = srt(
      '{\\an7\\p1}m 0 0 l 9 0 {\\c&H0&}l 9 9{\\p0}',
      '{\\p1}m 0 0{\\p0}Here {\\pos(1,1)}we go.',
    );
    expect(await blocksOf('srt', file)).toEqual(['Here <1/>we go.']);
    const result = await translated('srt', file, (text) => text.toUpperCase());
    expect(result.toString()).toBe(
      file.replace('Here {\\pos(1,1)}we go', 'HERE {\\pos(1,1)}WE GO'),
    );
  });

  it('cannot be injected by a translation', async () => {
    const evil = (text: string) => `${text}\n\n7\n00:00:01,000 --> 00:00:02,000\nmore`;
    const result = await translated('srt', srt('one', 'TWO'), evil);
    expect(result.toString().match(/-->/g)).toHaveLength(2);
    expect(result.toString().split('\n\n')).toHaveLength(2);
  });

  it('may be incomplete, as players permit', async () => {
    const file = '0:00:01.5 --> 0:00:02\nNo number.\n00:00:03,000-->00:00:04,000\nNo blank line.';
    expect(await blocksOf('srt', file.replace('02\n', '02,0\n'))).toEqual([
      'No number.',
      'No blank line.',
    ]);
  });

  it('may follow the header of WebVTT, or a comment, without an empty line', async () => {
    const file =
      'WEBVTT\nKind: captions\n00:01.000 --> 00:02.000\nThe first.\n\nNOTE not this\n00:03.000 --> 00:04.000\nThe last.\n';
    expect(await blocksOf('vtt', file)).toEqual(['The first.', 'The last.']);
  });

  it('must be present', async () => {
    await expect(blocksOf('srt', 'Just a text.')).rejects.toBeInstanceOf(DocumentError);
    await expect(blocksOf('vtt', srt('one'))).rejects.toThrow(/WEBVTT/);
  });

  it('is kept, however often it is repeated', async () => {
    const files = [
      srt('<'.repeat(50), '{\\'.repeat(50), '{\\p1}m 0 0'.repeat(50)),
      srt('-'.repeat(50)),
      srt('<i>'.repeat(50) + '</b>'.repeat(50)),
      srt('a\n'.repeat(50)),
      srt(...Array.from({ length: 50 }, () => 'and so')),
      `1\n${'00:00:01,000 -->'.repeat(50)}\n${srt('x')}`,
    ];
    for (const file of files) {
      expect((await translated('srt', file, (text) => text)).toString()).toBe(file);
      await translated('srt', file, (text) => `${text} x`);
    }
  });
});
