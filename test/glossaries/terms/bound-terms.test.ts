import fc from '../../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import { bindTerms, settleTerms } from '../../../server/glossaries/terms/bound-terms.ts';
import { buildTermIndex, type TermIndex } from '../../../server/glossaries/terms/term-index.ts';
import type { Mark, TextSegment } from '../../../server/text/text-segment.ts';

/** Parses segments in short notation: `<1>` opens, `</1>` closes, `<1/>` is a lone mark. */
function segment(written: string): TextSegment {
  return written
    .split(/(<\/?\d+\/?>)/)
    .filter((part) => part !== '')
    .map((part): string | Mark => {
      const id = Number(/^<\/?(\d+)\/?>$/.exec(part)?.[1] ?? 0);
      if (id === 0) return part;
      if (part.startsWith('</')) return { mark: 'close', id };
      return { mark: part.endsWith('/>') ? 'lone' : 'open', id };
    });
}

function written(parts: TextSegment): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const { mark, id } = part;
      return `<${mark === 'close' ? '/' : ''}${id}${mark === 'lone' ? '/' : ''}>`;
    })
    .join('');
}

const entries = 'machine learning\taprendizaje automático\ndata\tdatos\nEU\tUE';
const index = await buildTermIndex(entries, { language: 'en', targetLanguage: 'es' });

describe('a glossary term', () => {
  it.each([
    ['without marks', 'all data.', 'all <1>data</1>.'],
    ['inside an element', '<1>all data</1>', '<1>all <2>data</2></1>'],
    ['that is an element', 'all <5>data</5>!', 'all <5><6>data</6></5>!'],
    ['whose beginning is an element', '<1>machine</1> learning', '<2><1>machine</1> learning</2>'],
    ['whose end is an element', 'machine <1>learning</1>.', '<2>machine <1>learning</1></2>.'],
    [
      'whose words are elements',
      '<1><2>machine</2></1> <3>learning</3>',
      '<4><1><2>machine</2></1> <3>learning</3></4>',
    ],
    [
      'that ends after an element',
      '<1>deep machine</1> learning.',
      '<1>deep <2>machine learning</2></1>.',
    ],
    [
      'that begins before an element',
      'a machine <1>learning method</1>',
      'a <1><2>machine learning</2> method</1>',
    ],
    [
      'that begins in one element and ends in another',
      '<1>deep machine</1> <2>learning method</2>',
      '<1>deep <3>machine learning</3></1><2> method</2>',
    ],
    [
      'that begins in one element and has another',
      '<1>deep machine</1> <2>learning</2>',
      '<1>deep <3>machine learning</3></1><2></2>',
    ],
    ['with a tag inside a word', 'da<1>t</1>a', '<2>da<1>t</1>a</2>'],
    ['in whose place something stands alone', 'machine <1/>learning', 'machine <1/>learning'],
    ['in part of a word', '<1>data</1>base', '<1>data</1>base'],
    ['beside another', 'EU data', '<1>EU</1> <2>data</2>'],
  ])('%s is enclosed in a mark', (_, source, expected) => {
    const bound = bindTerms(segment(source), index);
    expect(written(bound.segment)).toBe(expected);
  });

  it('missing from a segment leaves it unchanged', () => {
    const plain = segment('<1>nothing</1> here');
    expect(bindTerms(plain, index).segment).toBe(plain);
  });
});

describe('a glossary target', () => {
  const settled = (translated: string, ...targets: [number, string][]) =>
    written(settleTerms(segment(translated), new Map(targets), 'es'));

  it.each([
    ['replaces the words', 'todos <1>los data</1>.', 'todos datos.'],
    ['keeps the blanks around them', 'a<1> data </1>b', 'a datos b'],
    ['keeps marks inside', 'a <1><2>da</2>ta</1>', 'a <2>datos</2>'],
    ['keeps what stands alone inside', 'a <1>da<2/>ta</1>', 'a datos<2/>'],
    ['stands where the words were lost', 'a<1></1> b', 'a datos b'],
    ['stands apart from its neighbours', 'a<1></1>b', 'a datos b'],
    ['gets the capital of a beginning', '<1>Data</1> es.', 'Datos es.'],
    ['gets it after a sentence too', 'Es. <1>Data</1> es.', 'Es. Datos es.'],
    ['gets none in the middle', 'Los <1>Data</1> es.', 'Los datos es.'],
    ['gets none where the engine has none', '<1>data</1> es.', 'datos es.'],
  ])('%s', (_, translated, expected) => {
    expect(settled(translated, [1, 'datos'])).toBe(expected);
  });

  it.each([
    ['un <1>GmbH</1>. Es', 'S.L.', 'un S.L. Es'],
    ['un <2><1>GmbH</1></2>.', 'S.L.', 'un <2>S.L</2>.'],
    ['un <1>GmbH</1>...', 'S.L.', 'un S.L....'],
    ['en <1>EE.UU.</1>', 'Estados Unidos', 'en Estados Unidos.'],
    ['“En <2><1>EE.UU.</1></2>”', 'Estados Unidos', '“En <2>Estados Unidos.</2>”'],
    ['Aquí (en <1>EE.UU.</1>)', 'Estados Unidos', 'Aquí (en Estados Unidos)'],
    ['en <1>EE.UU.</1> y', 'Estados Unidos', 'en Estados Unidos y'],
    ['en <1>EE.UU.</1>.', 'Estados Unidos', 'en Estados Unidos.'],
    ['<1>EE.UU.</1>', 'Estados Unidos', 'Estados Unidos'],
    ['在<1>EE.UU.</1>', '美国', '在美国。'],
  ])('in %j has one full stop as %j', (translated, target, expected) => {
    expect(settled(translated, [1, target])).toBe(expected);
  });

  it('gets the capital of its language', () => {
    const targets = new Map([[1, 'iş verisi']]);
    const translated = segment('<1>Veri</1> iyidir.');
    expect(written(settleTerms(translated, targets, 'tr'))).toBe('İş verisi iyidir.');
  });
});

/** Trees of marks with words of the dictionary and others; ids are assigned in order. */
type Tree = string | { lone: true } | { children: Tree[] };
const { tree } = fc.letrec<{ tree: Tree; element: Tree }>((tie) => ({
  element: fc.record({ children: fc.array(tie('tree'), { maxLength: 4 }) }),
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('machine', ' ', ' learning', 'data', 'EU ', 'x', '. ', ' machine learning '),
    fc.constant<Tree>({ lone: true }),
    tie('element'),
  ),
}));

function flattened(trees: readonly Tree[]): TextSegment {
  let lastId = 0;
  const flat = (each: Tree): (string | Mark)[] => {
    if (typeof each === 'string') return [each];
    lastId += 1;
    const id = lastId;
    if ('lone' in each) return [{ mark: 'lone', id }];
    return [{ mark: 'open', id }, ...each.children.flatMap(flat), { mark: 'close', id }];
  };
  return trees.flatMap(flat);
}

function isWellNested(parts: TextSegment): boolean {
  const open: number[] = [];
  for (const part of parts) {
    if (typeof part === 'string') continue;
    if (part.mark === 'open') open.push(part.id);
    if (part.mark === 'close' && open.pop() !== part.id) return false;
  }
  return open.length === 0;
}

const markOrder = (parts: TextSegment) =>
  parts.filter((part) => typeof part !== 'string').map(({ mark, id }) => `${mark} ${id}`);
const marksOf = (parts: TextSegment) => markOrder(parts).sort();
const textOf = (parts: TextSegment) => parts.filter((part) => typeof part === 'string').join('');

describe('bound terms in any segment', () => {
  const segments = fc.array(tree, { maxLength: 8 }).map(flattened);

  it('keep texts, the order of marks, and nesting', () => {
    fc.assert(
      fc.property(segments, (source) => {
        const { segment: bound, terms } = bindTerms(source, index);
        expect(isWellNested(bound)).toBe(true);
        expect(textOf(bound)).toBe(textOf(source));
        const foreign = bound.filter((part) => typeof part === 'string' || !terms.has(part.id));
        expect(markOrder(foreign)).toEqual(markOrder(source));
        expect(marksOf(bound)).toHaveLength(marksOf(source).length + 2 * terms.size);
      }),
      { numRuns: 1000 },
    );
  });

  it('are settled with foreign marks once each, well nested, and with every target', () => {
    fc.assert(
      fc.property(segments, fc.func(fc.constantFrom('Ab', ' q ', '')), (source, translate) => {
        const { segment: bound, terms } = bindTerms(source, index);
        // Simulates an engine that changes or loses texts.
        const translated = bound.map((part, at) =>
          typeof part === 'string' ? translate(at, part) : part,
        );
        const target = settleTerms(translated, terms, 'es');
        expect(marksOf(target)).toEqual(marksOf(source));
        expect(isWellNested(target)).toBe(true);
        let rest = textOf(target).toLowerCase();
        for (const each of terms.values()) {
          const at = rest.indexOf(each.toLowerCase());
          expect(at).toBeGreaterThanOrEqual(0);
          rest = rest.slice(at + each.length);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('all get their targets if an engine nests their elements', () => {
    const nested = segment('<1>a <2>b</2></1>');
    expect(
      textOf(
        settleTerms(
          nested,
          new Map([
            [1, 'uno'],
            [2, 'dos'],
          ]),
          'es',
        ),
      ),
    ).toMatch(/^(?=.*uno)(?=.*dos)/);
  });
});

it('an empty index binds nothing', () => {
  const nothing: TermIndex = { find: () => [] };
  expect(bindTerms(['data'], nothing)).toEqual({ segment: ['data'], terms: new Map() });
});
