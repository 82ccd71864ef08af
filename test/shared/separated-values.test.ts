import fc from '../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import { RowReader, rowsOf, type Row, type RowLimits } from '../../shared/separated-values.ts';

const fieldsOf = (text: string, limits?: RowLimits) =>
  [...rowsOf(text, limits)].map(({ fields }) => fields);

function inPieces(text: string, pieceUnits: number, limits?: RowLimits): Row[] {
  const rows = new RowReader(limits);
  const read: Row[] = [];
  for (let at = 0; at < text.length; at += pieceUnits) {
    read.push(...rows.read(text.slice(at, at + pieceUnits)));
  }
  return [...read, ...rows.end()];
}

describe('separated values', () => {
  it('are read with their positions: the line, and the start of the row and of each field', () => {
    const text = '\uFEFFa,"b ""c""\r\nd"\r\n\r\n,e\rf\ng,';
    expect([...rowsOf(text)]).toEqual([
      { index: 0, line: 1, start: 1, fields: ['a', 'b "c"\r\nd'], starts: [1, 3] },
      { index: 1, line: 4, start: 19, fields: ['', 'e'], starts: [19, 20] },
      { index: 2, line: 5, start: 22, fields: ['f'], starts: [22] },
      { index: 3, line: 6, start: 24, fields: ['g', ''], starts: [24, 26] },
    ]);
  });

  it.each([
    ['commas', 'a;b,c', [['a;b', 'c']]],
    [
      'semicolons',
      'a;b;"c,d,e,f"\n"g;h";i',
      [
        ['a', 'b', 'c,d,e,f'],
        ['g;h', 'i'],
      ],
    ],
    ['tabs', 'a, b\tc, d', [['a, b', 'c, d']]],
  ])('use the separator that the first line suggests: %s', (_, text, fields) => {
    expect(fieldsOf(text)).toEqual(fields);
  });

  it('keep their quotes when quoting is off', () => {
    expect(fieldsOf('"a""\t"b\n', { separator: '\t', quotes: false })).toEqual([['"a""', '"b']]);
  });

  it.each([
    ['a "b",c', 'quote-inside', 0, [['a "b"', 'c']]],
    ['a,"b" "c"', 'text-after-quote', 2, [['a', 'b "c"']]],
    ['a"b,"c"d,"e', 'open-quote', 9, [['a"b', 'cd', 'e']]],
    ['a,"b\nc', 'open-quote', 2, [['a', 'b\nc']]],
    ['a,b,c,d\ne', 'too-many-fields', 6, [['a', 'b', 'c', 'd']]],
    [`ab,${'c'.repeat(30)},d`, 'too-long', 3, [['ab', 'c'.repeat(30), '']]],
    ['""'.repeat(30), 'too-long', 0, [['"'.repeat(10)]]],
  ] as const)('with a fault are reported and still read: %j', (text, kind, start, fields) => {
    const rows = [...rowsOf(text, { separator: ',', maxFields: 3, maxUnits: 20 })];
    expect(rows.map((row) => row.fields)).toEqual(fields);
    expect(rows[0]?.fault).toEqual({ kind, start, line: 1 });
  });

  it('are limited in size while a quote is open', () => {
    const rows = new RowReader({ separator: ',', maxUnits: 100 });
    const read = Array.from({ length: 10 }, () => [...rows.read(`"${'x'.repeat(60)}`)]).flat();
    expect([...read, ...rows.end()]).toHaveLength(1);
    expect(read[0]?.fault?.kind).toBe('too-long');
    expect(read[0]?.fields.join('').length).toBeLessThan(200);
  });

  it('are read identically in pieces of any size, without losing a character', () => {
    const signs = fc.constantFrom(
      ',',
      ';',
      '\t',
      '"',
      '\n',
      '\r',
      '\r\n',
      'a',
      'ö',
      '😀',
      '\uFEFF',
    );
    const texts = fc.array(signs, { maxLength: 30 }).map((all) => all.join(''));
    const limits = fc.constantFrom<RowLimits>(
      {},
      { separator: ',' },
      { separator: ';', quotes: false },
    );
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 5 }), limits, (text, pieceUnits, limit) => {
        const whole = [...rowsOf(text, limit)];
        expect(inPieces(text, pieceUnits, limit)).toEqual(whole);
        const letters = (written: string) => written.replace(/[^aö😀]/gu, '');
        expect(letters(whole.flatMap(({ fields }) => fields).join(''))).toBe(letters(text));
        for (const { start, starts } of whole) expect(starts[0]).toBe(start);
      }),
      { numRuns: 1000 },
    );
  });

  it('are read back as they were written, for any content', () => {
    const field = fc.string({ unit: 'grapheme', maxLength: 8 });
    const rows = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1 });
    fc.assert(
      fc.property(rows, fc.constantFrom('\n', '\r', '\r\n'), (written, lineEnd) => {
        const text = written
          .map((fields) => fields.map((each) => `"${each.replaceAll('"', '""')}"`).join(','))
          .join(lineEnd);
        expect(fieldsOf(text, { separator: ',' })).toEqual(written);
        expect([...rowsOf(text, { separator: ',' })].some(({ fault }) => fault)).toBe(false);
      }),
    );
  });
});
