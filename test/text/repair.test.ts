import fc from '../support/suite/properties.ts';
import { expect, it } from 'vitest';
import { repairMarks } from '../../server/text/repair.ts';
import { type Mark, plainText, type TextSegment } from '../../server/text/text-segment.ts';
import { segmentOf, written } from './layouts.ts';
import { mangled, parentsOf, segments } from './segments.ts';

const repaired = (source: string, translated: string): string =>
  written(repairMarks(segmentOf(source), segmentOf(translated)));

it('returns a sound segment unchanged, wherever its marks have moved', () => {
  const source = segmentOf('The <1>red</1> car <2/>');
  const translated = segmentOf('<2/> el coche <1>rojo</1>');
  expect(repairMarks(source, translated)).toBe(translated);
});

it.each([
  ['unknown marks go', 'a <1>b</1>', 'a <1>b</1> <7/>c</8>', 'a <1>b</1> c'],
  ['repeated lone marks stay where they came first', 'a <1/> b', 'x <1/> y <1/>', 'x <1/> y '],
  [
    'an element written twice reaches around both',
    '<1>a b</1> c',
    '<1>x</1> <1>y</1> z',
    '<1>x y</1> z',
  ],
  [
    'overlapping elements are nested',
    '<1>a</1> <2>b</2>',
    '<1>x <2>y</1> z</2>',
    '<1>x <2>y z</2></1>',
  ],
  ['an end tag in front of its start tag', '<1>a</1> b', '</1>x<1> y', '<1>x</1> y'],
  [
    'a lost end comes back by the share of the source',
    '<1>aaaa</1> bbbb',
    '<1>xxxx yyyy',
    '<1>xxxx</1> yyyy',
  ],
  [
    'a lost element comes back by the share of the source',
    'aa <1>bb</1> cc',
    'xx yy zz',
    'xx <1>yy</1> zz',
  ],
  ['a lost mark comes back at the start', '<1/> aa', 'xx yy', '<1/>xx yy'],
  ['a lost mark comes back at the end', 'aa bb<1/>', 'xx yy', 'xx yy<1/>'],
  [
    'a lost mark comes back beside its neighbour',
    'a <1/><2/> b <3>c</3>',
    'x <3>y</3> z <1/> w',
    'x <3>y</3> z <1/><2/> w',
  ],
  [
    'a lost mark comes back before its neighbour',
    'a b c <1/><2/> d',
    '<2/> x y z w',
    '<1/><2/> x y z w',
  ],
  [
    'a lost mark comes back in its element',
    'a <1>b <2/> c</1> d',
    '<1>x y</1> z z z z z',
    '<1>x <2/>y</1> z z z z z',
  ],
  [
    'what was in an element comes back to it',
    '<1>a <2>b</2></1> c',
    '<1>x</1> <2>y</2> z',
    '<1>x <2>y</2></1> z',
  ],
  ['a lost element comes back around its own', '<1><2/>a</1> b', 'x <2/>y', '<1>x <2/></1>y'],
  ['an element answered as a lone mark', '<1>aa</1> bb', '<1/>xx yy', '<1>xx</1> yy'],
  ['a lone mark answered as an element', 'aa <1/> bb', 'xx <1>yy</1>', 'xx <1/>yy'],
  ['marks of an empty answer', '<1>a</1> <2/>', '', '<1></1><2/>'],
])('%s', (_name, source, translated, expected) => {
  expect(repaired(source, translated)).toBe(expected);
});

it('gives any mangled segment exactly the marks and nesting of its source, and keeps its text', () => {
  const cases = segments.chain((source) => fc.tuple(fc.constant(source), mangled(source)));
  fc.assert(
    fc.property(cases, ([source, translated]) => {
      const result = repairMarks(source, translated);
      const wanted = parentsOf(source);
      const found = parentsOf(result);
      expect(found).toBeDefined();
      expect([...found!.keys()].sort()).toEqual([...wanted!.keys()].sort());
      for (const [id, ancestors] of wanted!) {
        expect(found!.get(id)).toEqual(expect.arrayContaining(ancestors));
      }
      const kind = (segment: TextSegment): Map<number, boolean> =>
        new Map(
          segment
            .filter((part): part is Mark => typeof part !== 'string')
            .map(({ id, mark }) => [id, mark === 'lone']),
        );
      expect(kind(result)).toEqual(kind(source));
      expect(plainText(result)).toBe(plainText(translated));
    }),
    { numRuns: 800 },
  );
});

it('returns a segment equal to its source unchanged', () => {
  fc.assert(
    fc.property(segments, (source) => {
      expect(repairMarks(source, source)).toBe(source);
    }),
  );
});

it('repairs elements nested ten thousand deep', () => {
  const depth = 10_000;
  const source: TextSegment = [
    ...Array.from({ length: depth }, (_, id): Mark => ({ mark: 'open', id })),
    'a',
    ...Array.from({ length: depth }, (_, id): Mark => ({ mark: 'close', id: depth - 1 - id })),
  ];
  const result = repairMarks(
    source,
    source.filter((_, index) => index % 3 !== 0),
  );
  expect(parentsOf(result.slice(0, 100).concat(result.slice(-100)))?.size).toBe(100);
  expect(result.length).toBe(source.length);
});
