import fc from '../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import { layOutSentences } from '../../server/text/markup/segment-layout.ts';
import { plainText } from '../../server/text/text-segment.ts';
import { segmentOf, written } from './layouts.ts';
import { parentsOf, segments } from './segments.ts';

const layOut = (text: string, cuts = true) =>
  layOutSentences(segmentOf(text), { cuts, language: 'en' });
const sentencesOf = (text: string, cuts = true) => layOut(text, cuts).segments.map(written);

describe('the sentences of a segment', () => {
  it('end where no element is open, with marks numbered from 1', () => {
    expect(sentencesOf('One <4>two</4>. <5>Three. Four.</5> Five <6/>six.')).toEqual([
      'One <1>two</1>.',
      'Three. Four.',
      'Five <1/>six.',
    ]);
  });

  it('stay together when cutting is disabled', () => {
    expect(sentencesOf(' One. Two. ', false)).toEqual(['One. Two.']);
  });

  it('exclude a note attached to their end, and include a mark that stands for a word', () => {
    expect(sentencesOf('One is here.<1/> <2/> is there, and <3/>.')).toEqual([
      'One is here.',
      '<1/> is there, and <2/>.',
    ]);
  });

  it('omit parts without letters, and turn placeholders into marks', () => {
    expect(sentencesOf('12. 34! Call {name} at https://example.org/a.')).toEqual([
      'Call <1/> at <2/>.',
    ]);
  });

  it('are the branches of a message, without its syntax', () => {
    const message =
      'Now <1>big {n, plural, =0 {none} one {<2/> file in {x}} other {<3># files</3>}}</1>.';
    expect(sentencesOf(message)).toEqual(['Now', 'big', 'none', '<1/> file in <2/>', '<1/> files']);
    const layout = layOut(message);
    const shouted = layout.segments.map((segment) =>
      segment.map((part) => (typeof part === 'string' ? part.toUpperCase() : part)),
    );
    expect(written(layout.render(shouted))).toBe(
      'NOW <1>BIG {n, plural, =0 {NONE} one {<2/> FILE IN {x}} other {<3># FILES</3>}}</1>.',
    );
  });

  it('are rendered with the text between them', () => {
    const layout = layOut('One.  <4>Two</4>.\t<5/>Three {x}!<6/>');
    const shouted = layout.segments.map((segment) =>
      segment.map((part) => (typeof part === 'string' ? part.toUpperCase() : part)),
    );
    expect(written(layout.render(shouted))).toBe('ONE.  <4>TWO</4>.\t<5/>THREE {x}!<6/>');
  });

  it('are joined as their script requires', () => {
    const layout = layOut('One. Two.');
    expect(layout.render([['一。'], ['二。']])).toEqual(['一。二。']);
    const bold = layOut('<1>One.</1> <2/>Two.');
    expect(written(bold.render([['一。'], ['二。']]))).toBe('<1>一。</1><2/>二。');
    const chinese = layOutSentences(segmentOf('<1>一。</1>二。'), { cuts: true, language: 'zh' });
    expect(written(chinese.render([['One.'], ['Two.']]))).toBe('<1>One. </1>Two.');
  });

  it('end at tabs, and at line breaks where the next line begins anew', () => {
    const sentences = (text: string, divides: 'line' | 'gap', language = 'en') => {
      const segment = segmentOf(text).map((part) =>
        typeof part === 'object' && part.mark === 'lone' ? { ...part, divides } : part,
      );
      const layout = layOutSentences(segment, { cuts: true, language });
      expect(written(layout.render(layout.segments))).toBe(text);
      return layout.segments.map(written);
    };
    expect(sentences('Ann Lee<1/>12 Park Road<2/>London', 'line')).toEqual([
      'Ann Lee',
      '12 Park Road',
      'London',
    ]);
    expect(sentences('<1>Ann Lee<2/>London</1>', 'line')).toEqual(['Ann Lee', 'London']);
    expect(sentences('The house<1/>and the garden', 'line')).toEqual([
      'The house<1/>and the garden',
    ]);
    expect(sentences('The history of<1/>Our House', 'line')).toEqual([
      'The history of<1/>Our House',
    ]);
    const long = 'Check every morning whether the oil of the machine is warm';
    expect(sentences(`${long}<1/>Enough`, 'line')).toEqual([`${long}<1/>Enough`]);
    expect(sentences(`- ${long}<1/>- enough`, 'line')).toHaveLength(2);
    expect(sentences('Name<1/>and place', 'gap')).toEqual(['Name', 'and place']);
  });

  it('go on after line breaks within phrases, before German nouns, figures and dates', () => {
    const one: [language: string, text: string][] = [
      [
        'de',
        'Bitte füllen Sie das beigefügte<1/>Formular vollständig aus und<2/>senden Sie es zurück.',
      ],
      ['de', 'Bitte senden Sie uns dazu auch aktuelle<1/>Eröffnungsfotos.'],
      ['de', 'Wir feiern das große<1/>Fest der Kulturen'],
      ['de', 'Die Sitzung mit<1/>Herrn Müller'],
      ['de', 'Wir treffen uns am<1/> 3. März in Berlin'],
      ['en', 'Our team now has around<1/>200 members in Spain.'],
      ['ar', 'تأسست الشركة عام<1/>1998 في القاهرة.'],
      ['zh', '该项目将于<1/>2026年完成。'],
    ];
    const several: [language: string, lines: string[]][] = [
      ['de', ['Montag geschlossen', 'Dienstag bis 17 Uhr geöffnet']],
      ['de', ['Das ist neue Ware', 'Haus Sonne', '10115 Berlin']],
      ['de', ['Heute ist geöffnet', 'Wir freuen uns auf Sie.']],
      ['en', ['Vitamin A', 'Vitamin C']],
      ['en', ['1. The report or', '2. The letter']],
      ['en', ['Opening hours', 'We are open from nine.']],
      ['ja', ['田中太郎', '123-4567 東京都']],
    ];
    const linesOf = (text: string, language: string) => {
      const segment = segmentOf(text).map((part) =>
        typeof part === 'object' ? { ...part, divides: 'line' as const } : part,
      );
      return layOutSentences(segment, { cuts: true, language }).segments.map(written);
    };
    for (const [language, text] of one) expect(linesOf(text, language)).toEqual([text]);
    for (const [language, lines] of several) {
      const text = lines.map((line, at) => (at === 0 ? line : `<${at}/>${line}`)).join('');
      expect(linesOf(text, language)).toEqual(lines);
    }
  });

  it('are divided by a line break alone, without a blank of their script', () => {
    const segment = ['一。', { mark: 'lone', id: 1, divides: 'line' }, '二。'] as const;
    const layout = layOutSentences(segment, { cuts: true, language: 'zh' });
    expect(written(layout.render([['One.'], ['Two.']]))).toBe('One.<1/>Two.');
  });

  it('are rendered unchanged when nothing is translated', () => {
    fc.assert(
      fc.property(segments, fc.boolean(), (segment, cuts) => {
        const layout = layOutSentences(segment, { cuts, language: undefined });
        const again = layout.render(layout.segments.map((each) => [...each]));
        expect(plainText(again)).toBe(plainText(segment));
        expect(written(again)).toBe(written(segment));
        for (const sentence of layout.segments) expect(parentsOf(sentence)).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });
});
