import fc from '../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import {
  outboundText,
  type TagStyle,
  tagText,
} from '../../server/engines/translation/remote-translator.ts';
import { plainText } from '../../server/text/text-segment.ts';
import { marked, markedSegments, markFaults, written } from './marked-segments.ts';

const styles: TagStyle[] = ['raw', 'xml', 'html'];

/** Reads a text back, with neighbouring strings merged as in the written notation. */
function read(text: string, source: string, style: TagStyle = 'raw'): string {
  return written(tagText(marked(source), style).read(text));
}

describe('tagged text', () => {
  it('contains elements and lone marks as tags', () => {
    const segment = marked('A <1>b<2/></1> & c');
    expect(tagText(segment, 'raw')).toMatchObject({
      text: 'A <m1>b<m2/></m1> & c',
      tags: ['<m1>', '<m2/>', '</m1>'],
    });
    expect(tagText(segment, 'xml').text).toBe('A <m1>b<m2/></m1> &amp; c');
    expect(tagText(segment, 'html').text).toBe('A <m1>b<m2></m2></m1> &amp; c');
  });

  it.each(styles)('survives a round trip in %s, whatever the text looks like', (style) => {
    const lookalike = fc.constantFrom(
      '<m1>',
      '</m1>',
      '<m2/>',
      '< M3 >',
      '&lt;m1&gt;',
      '<mx1>',
      'x',
    );
    fc.assert(
      fc.property(markedSegments({ isHostile: true }), lookalike, (segment, text) => {
        const source = [text, ...segment, text];
        const answer = tagText(source, style).read(tagText(source, style).text);
        // XML cannot represent NUL.
        const expected = style === 'raw' ? written(source) : written(source).replaceAll('\0', '');
        expect(written(answer)).toBe(expected);
      }),
      { numRuns: 300, seed: 42 },
    );
  });

  it('drops tags that the source does not have', () => {
    expect(read('<m1>a</m1> <m9>b</m9> <m8/>c', '<1>x</1>')).toBe('<1>a</1> b c');
  });

  it('keeps only the first of repeated tags', () => {
    expect(read('<m1>a</m1> <m1>b</m1><m2/><m2/>', '<1>x</1><2/>')).toBe('<1>a</1> b<2/>');
  });

  it.each(['<m1>a</m1', '< m1 >a</ m1 >', '<M1>a</M1>'])(
    'repairs the broken tags of %s',
    (text) => {
      expect(read(text, '<1>x</1>')).toBe('<1>a</1>');
    },
  );

  it('keeps other tags and entities in the answer as text', () => {
    expect(read('<b>a</b> &amp; <m1>b</m1>', '<1>x</1>')).toBe('<b>a</b> &amp; <1>b</1>');
    expect(read('&amp;lt; &#65; &#x42; &nope; &', '<1>x</1>', 'xml')).toBe('&lt; A B &nope; &');
  });
});

describe('outbound text', () => {
  it('is undefined for blanks, punctuation and marks alone', () => {
    for (const text of ['', ' \n', '…', '<1> </1>', '<1/>!']) {
      expect(outboundText(marked(text), 'raw')).toBeUndefined();
    }
  });

  it('preserves outer blanks and line breaks', () => {
    const text = outboundText([' \tOne house.\r\n\n  Two <b>.\nThree\u2028'], 'raw');
    expect(text?.text).toBe('One house.<m1/>Two <b>.<m2/>Three');
    const answer = text?.finish('  Una casa. <m1/> Dos <b>.<m2/>Tres ') ?? [];
    expect(plainText(answer)).toBe(' \tUna casa.\r\n\n  Dos <b>.\nTres\u2028');
  });

  it('restores a lost line break', () => {
    const answer = outboundText(['One.\nTwo.'], 'raw')?.finish('Uno. Dos.') ?? [];
    expect(plainText(answer)).toContain('\n');
  });

  it('returns all marks of any segment once and well nested', () => {
    fc.assert(
      fc.property(markedSegments({ isHostile: true }), (segment) => {
        const text = outboundText(segment, 'xml');
        if (text === undefined) return;
        expect(markFaults(segment, text.finish(text.text))).toEqual([]);
      }),
      { numRuns: 200, seed: 42 },
    );
  });
});
