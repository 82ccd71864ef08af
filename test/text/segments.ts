/** Random segments, and answers that a careless engine might give. */
import fc from '../support/suite/properties.ts';
import type { Mark, TextSegment } from '../../server/text/text-segment.ts';

type Tree = string | { lone: true } | { inner: Tree[] };

const words = fc.constantFrom('one', ' two', ' three ', 'four.', ' ', '', 'fünf 😀', '六七', 'X');

const tree = fc.letrec<{ node: Tree; inner: Tree[] }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    words,
    fc.constant({ lone: true } as const),
    fc.record({ inner: tie('inner') }),
  ),
  inner: fc.array(tie('node'), { maxLength: 4 }),
})).inner;

/** A well-nested segment with marks numbered in reading order. */
export const segments: fc.Arbitrary<TextSegment> = tree.map((nodes) => {
  const parts: (string | Mark)[] = [];
  let id = 0;
  const add = (node: Tree): void => {
    if (typeof node === 'string') parts.push(node);
    else if ('lone' in node) parts.push({ mark: 'lone', id: (id += 1) });
    else {
      const own = (id += 1);
      parts.push({ mark: 'open', id: own });
      node.inner.forEach(add);
      parts.push({ mark: 'close', id: own });
    }
  };
  nodes.forEach(add);
  return parts;
});

/** Returns a segment as a careless engine might answer it: parts dropped, repeated, moved or invented. */
export function mangled(source: TextSegment): fc.Arbitrary<TextSegment> {
  const madeUp = fc.record({
    mark: fc.constantFrom<Mark['mark']>('open', 'close', 'lone'),
    id: fc.nat(12),
  });
  const part = source.length === 0 ? words : fc.oneof(fc.constantFrom(...source), words, madeUp);
  return fc.oneof(
    fc.array(part, { maxLength: source.length + 4 }),
    fc.shuffledSubarray([...source], { minLength: 0, maxLength: source.length }),
    fc.subarray([...source], { minLength: Math.max(0, source.length - 2) }),
  );
}

/** Returns the parents of all marks by id; undefined when a segment is not well nested or repeats a mark. */
export function parentsOf(segment: TextSegment): Map<number, number[]> | undefined {
  const around = new Map<number, number[]>();
  const open: number[] = [];
  for (const part of segment) {
    if (typeof part === 'string') continue;
    if (part.mark === 'close') {
      if (open.pop() !== part.id) return undefined;
      continue;
    }
    if (around.has(part.id)) return undefined;
    around.set(part.id, [...open]);
    if (part.mark === 'open') open.push(part.id);
  }
  return open.length === 0 ? around : undefined;
}
