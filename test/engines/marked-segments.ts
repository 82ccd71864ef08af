/** Segments with inline markup for tests: notation, random generation, reading and checks. */
import fc from '../support/suite/properties.ts';
import type { Mark, TextSegment } from '../../server/text/text-segment.ts';
import { plainText } from '../../server/text/text-segment.ts';

/** Returns segments without marks. */
export function plain(texts: readonly string[]): TextSegment[] {
  return texts.map((text) => [text]);
}

/** Returns the texts of segments. */
export function textsOf(segments: readonly TextSegment[]): string[] {
  return segments.map(plainText);
}

/** Parses `I <1>like</1> it<2/>` into a segment; angle brackets around anything but a number are text. */
export function marked(written: string): TextSegment {
  return written
    .split(/(<\/?\d+\/?>)/)
    .filter((part) => part !== '')
    .map((part) => {
      const match = /^<(\/?)(\d+)(\/?)>$/.exec(part);
      if (match === null) return part;
      const mark = match[1] === '/' ? 'close' : match[3] === '/' ? 'lone' : 'open';
      return { mark, id: Number(match[2]) };
    });
}

/** Formats a segment in the notation of {@link marked}, for failure messages. */
export function written(segment: TextSegment): string {
  return segment.map((part) => (typeof part === 'string' ? part : writtenMark(part))).join('');
}

function writtenMark({ mark, id }: Mark): string {
  return mark === 'open' ? `<${id}>` : mark === 'close' ? `</${id}>` : `<${id}/>`;
}

/** Lists the faults in the marks of a translation: empty when each occurs once and they are well nested. */
export function markFaults(source: TextSegment, translated: TextSegment): string[] {
  const faults: string[] = [];
  const due = new Map<string, number>();
  for (const part of source) if (typeof part !== 'string') due.set(writtenMark(part), 1);
  const open: number[] = [];
  for (const part of translated) {
    if (typeof part === 'string') continue;
    const name = writtenMark(part);
    due.set(name, (due.get(name) ?? 0) - 1);
    if (part.mark === 'open') open.push(part.id);
    else if (part.mark === 'close' && open.pop() !== part.id) faults.push(`${name} not nested`);
  }
  for (const id of open) faults.push(`<${id}> not closed`);
  for (const [name, count] of due) {
    if (count !== 0) faults.push(`${name} ${count > 0 ? 'lost' : 'more than once or never asked'}`);
  }
  return faults;
}

/** Returns the text within an element, including nested elements. */
export function textWithin(segment: TextSegment, id: number): string {
  const at = (mark: Mark['mark']) =>
    segment.findIndex((part) => typeof part !== 'string' && part.mark === mark && part.id === id);
  return plainText(segment.slice(at('open') + 1, at('close')));
}

type Node = string | { children: Node[] | undefined };

const ordinary =
  'the|red|house|old|man|does not|work|new|city|in|of|my|father|is|not|very|big|books|they|said|Maria|Zyqvex|3|1,250.50|don’t|naïve|日本|😀';
const connecting = ' | | | | | |, |. |! |-|…| – |\n|  |\u00a0|';
const hostile =
  '[[t:x:1]]|[[/]]|[[t:x:1; t:x:2]]x[[/]]|[§1]|§1|[|]|[[|]]|\\|\\[|^a/b<n>$|{x}|$|^|@|~|*|<b>|</b>|&amp;|t:x:1|;|[#1]|.[]|\0|[1]|{0}|<1>|_|(|)';

/**
 * Generates segments of words with arbitrarily nested elements and lone marks; with hostile text on request.
 */
export function markedSegments({ isHostile }: { isHostile: boolean }): fc.Arbitrary<TextSegment> {
  const pick = (list: string) => fc.constantFrom(...list.split('|'));
  const word = isHostile
    ? fc.oneof({ arbitrary: pick(ordinary), weight: 3 }, { arbitrary: pick(hostile), weight: 1 })
    : pick(ordinary);
  const text = fc
    .array(fc.tuple(word, pick(connecting)), { minLength: 1, maxLength: 6 })
    .map((pairs) => pairs.flat().join(''));
  const { nodes } = fc.letrec<{ node: Node; nodes: Node[] }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { arbitrary: text, weight: 4 },
      { arbitrary: pick(connecting), weight: 1 },
      { arbitrary: fc.constant<Node>({ children: undefined }), weight: 1 },
      { arbitrary: tie('nodes').map((children): Node => ({ children })), weight: 4 },
    ),
    nodes: fc.array(tie('node'), { maxLength: 5 }),
  }));
  // Ids need not count from one in reading order.
  return fc.tuple(nodes, fc.integer({ min: 0, max: 40 })).map(([tree, offset]) => {
    let count = 0;
    const flatten = (node: Node): TextSegment => {
      if (typeof node === 'string') return [node];
      const id = (offset + count++ * 7) % 1009;
      if (node.children === undefined) return [{ mark: 'lone', id }];
      return [{ mark: 'open', id }, ...node.children.flatMap(flatten), { mark: 'close', id }];
    };
    return tree.flatMap(flatten);
  });
}
