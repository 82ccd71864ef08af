import { describe, expect, it } from 'vitest';
import { DocumentError } from '../../../server/documents/formats/format.ts';
import { blocksOf, byList, translated } from './text-support.ts';

const upper = (text: string) => text.toUpperCase();
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as never)));

describe('the encoding of a text file', () => {
  it.each([
    ['UTF-8 with a byte order mark', bytes([0xef, 0xbb, 0xbf], 'naïve'), 'efbbbf4e41c38f5645'],
    ['UTF-16, little-endian', Buffer.from('\ufeffnaïve', 'utf16le'), 'fffe4e004100cf0056004500'],
    [
      'UTF-16, big-endian',
      Buffer.from('\ufeffnaïve', 'utf16le').swap16(),
      'feff004e004100cf00560045',
    ],
    [
      'windows-1252',
      Buffer.from('na\xefve \x93quoted\x94 \x80', 'latin1'),
      '4e41cf5645209351554f5445449420 80',
    ],
  ])('stays %s', async (_, file, hex) => {
    expect((await translated('txt', file, upper)).toString('hex')).toBe(hex.replace(' ', ''));
  });

  it('is detected by the usual encodings of its language', async () => {
    const file = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
    expect(await blocksOf('txt', file, { source: 'ru' })).toEqual(['Привет']);
    expect(await translated('txt', file, upper, { source: 'ru' })).toEqual(
      Buffer.from([0xcf, 0xd0, 0xc8, 0xc2, 0xc5, 0xd2]),
    );
    const japanese = Buffer.from([0x82, 0xb1, 0x82, 0xf1, 0x0a]);
    expect(await blocksOf('txt', japanese, { source: 'ja' })).toEqual(['こん']);
    expect(await translated('txt', japanese, (text) => text, { source: 'ja' })).toEqual(japanese);
  });

  it.each([
    ['Shift_JIS', 'ja', '髙橋', [0xfb, 0xfc, 0x8b, 0xb4]],
    ['Big5', 'zh-Hant', '十分', [0xa4, 0x51, 0xa4, 0xc0]],
    ['GB 18030', 'zh', '你ö💩', [0xc4, 0xe3, 0x81, 0x30, 0x8b, 0x32, 0x94, 0x39, 0xda, 0x33]],
  ])(
    'is %s also where that has two codes for a character, or codes of four bytes',
    async (_, source, text, codes) => {
      const file = Buffer.from(codes);
      expect(await blocksOf('txt', file, { source })).toEqual([text]);
      expect(await translated('txt', file, (same) => `${same}${same}`, { source })).toEqual(
        Buffer.concat([file, file]),
      );
    },
  );

  it('becomes UTF-8 with a byte order mark when it lacks a letter of the translation', async () => {
    const file = Buffer.from('caf\xe9', 'latin1');
    const result = await translated('txt', file, () => 'кафе');
    expect(result).toEqual(bytes([0xef, 0xbb, 0xbf], 'кафе'));
  });

  it('must be a text encoding', async () => {
    await expect(blocksOf('txt', Buffer.from('a\0b'))).rejects.toBeInstanceOf(DocumentError);
    await expect(blocksOf('txt', Buffer.from([0xff, 0xfe, 0x41]))).rejects.toThrow(/text file/);
  });
});

describe('the paragraphs of a text file', () => {
  it('keep their line breaks, of any kind', async () => {
    const result = await translated(
      'txt',
      'one\r\n\r\ntwo\nthree\r  four  \r\n- five\u0085- six',
      upper,
    );
    expect(result.toString()).toBe('ONE\r\n\r\nTWO\nTHREE\r  FOUR  \r\n- FIVE\u0085- SIX');
    expect(await blocksOf('txt', '- five\u0085- six')).toEqual(['five', 'six']);
  });

  it('are joined where they are hard-wrapped, and wrapped to the same width again', async () => {
    const source =
      '  The first line of the paragraph was broken at a width\r\n' +
      '  of some fifty letters, and so was every other line in\r\n' +
      '  it, which one can see from words that had no room.\r\n';
    const joined =
      'The first line of the paragraph was broken at a width of some fifty letters, and so was every other line in it, which one can see from words that had no room.';
    expect(await blocksOf('txt', source)).toEqual([joined]);
    const result = (await translated('txt', source, () => 'word '.repeat(30).trim())).toString();
    const lines = result.split('\r\n');
    expect(lines.at(-1)).toBe('');
    expect(result.match(/word/g)).toHaveLength(30);
    for (const line of lines.slice(0, -1)) expect(line).toMatch(/^ {2}word(?: word){0,9}$/);
    expect(lines.length).toBe(4);
  });

  it('keep no-break spaces beside the line breaks of a translation', async () => {
    const result = await translated(
      'txt',
      'One thing',
      () => 'Une chose\u00a0\n :\u3000 \n\u00a0?',
    );
    expect(result.toString()).toBe('Une chose\u00a0 :\u3000 \u00a0?');
  });

  it('are not joined if they are verses, lists, titles or long lines', async () => {
    const verses = 'Tiger, tiger, burning bright\nIn the forests of the night\n';
    expect(await blocksOf('txt', verses)).toHaveLength(2);
    const list = `- ${'an item of the list that is long enough '.repeat(2)}\n- ${'and another one that is as long as it '.repeat(2)}\n`;
    expect(await blocksOf('txt', list)).toHaveLength(2);
    const paragraphs = `${'A paragraph that is a line of its own. '.repeat(6)}\n${'Another one. '.repeat(20)}\n`;
    expect(await blocksOf('txt', paragraphs)).toHaveLength(2);
    const sentences =
      'This is the first sentence in the file here.\nThis is the second sentence in the file too.\n';
    expect(await blocksOf('txt', sentences)).toHaveLength(2);
  });

  it('of Chinese and Japanese are joined without a blank', async () => {
    const source = `${'これは一つの段落で途中の行は手で折り返'.repeat(2)}\n${'されていますので次の行へ続いている文章'.repeat(2)}\n終わりです。\n`;
    const [block] = await blocksOf('txt', source, { source: 'ja' });
    expect(block).toBe(source.replace(/\n/g, ''));
  });

  it('begin at the wide space that indents paragraphs of Chinese and Japanese', async () => {
    const line = 'これは一つの段落で途中の行は手で折り返'.repeat(2);
    const source = `\u3000${line}\n${line}段\n\u3000${line}\n終わりです。\n`;
    expect(await blocksOf('txt', source, { source: 'ja' })).toEqual([
      `${line}${line}段`,
      `${line}終わりです。`,
    ]);
    const result = await translated('txt', source, (text) => text.replaceAll('段', '文'));
    expect(result.toString().match(/^\u3000これは一つの文落/gm)).toHaveLength(2);
  });

  it('keep no-break spaces where they are hard-wrapped', async () => {
    const source =
      'Somebody broke the lines of this text where 10\u00a0\nkm of it had no room in the line above that\u3000 \n  one, and nobody minds.\n';
    expect(await blocksOf('txt', source)).toEqual([
      source.trim().replace('\n', '').replace('\n  ', ''),
    ]);
  });

  it('separate cells, list markers and quotation signs', async () => {
    const source = '> quoted\n1. first\na. first\nName\tPrice     Unit\n';
    const texts = ['quoted', 'first', 'first', 'Name', 'Price', 'Unit'];
    expect(await blocksOf('txt', source)).toEqual(texts);
    const list = {
      quoted: 'citado',
      first: 'primero',
      Name: 'Nombre',
      Price: 'Precio',
      Unit: 'Unidad',
    };
    expect((await translated('txt', source, byList(list))).toString()).toBe(
      '> citado\n1. primero\na. primero\nNombre\tPrecio     Unidad\n',
    );
  });

  it('are not blocks of code', async () => {
    const code = '```js\r\nconst door = open("the door");\r\n\r\nclose(door)\r\n```';
    const quoted = '> ```\n> npm start\n> ```  ';
    const file = `Open it:\r\n${code}\r\nOr \`start\`:\n${quoted}\n\`\`\` is a sign\n`;
    expect(await blocksOf('txt', file)).toEqual(['Open it:', 'Or `start`:', '``` is a sign']);
    const result = String(await translated('txt', file, upper));
    expect(result).toContain(`OPEN IT:\r\n${code}`);
    expect(result).toContain(quoted);
  });
});
