/** The marks of a segment as a tree. */
import type { TextSegment } from './text-segment.ts';

export interface MarkNode {
  id: number;
  isElement: boolean;
  /** The element around. */
  parent: MarkNode | undefined;
  /** Indexes in the segment; the same for a mark that stands alone. */
  openIndex: number;
  closeIndex: number;
  /** Text of the segment before it begins and before it ends, in UTF-16 units. */
  openOffset: number;
  closeOffset: number;
}

/** The marks of a well-nested segment, in reading order. */
export function marksOf(segment: TextSegment): MarkNode[] {
  const nodes: MarkNode[] = [];
  const open: MarkNode[] = [];
  let offset = 0;
  for (const [index, part] of segment.entries()) {
    if (typeof part === 'string') {
      offset += part.length;
    } else if (part.mark === 'close') {
      const node = open.pop();
      if (node === undefined) continue;
      node.closeIndex = index;
      node.closeOffset = offset;
    } else {
      const node: MarkNode = {
        id: part.id,
        isElement: part.mark === 'open',
        parent: open.at(-1),
        openIndex: index,
        closeIndex: index,
        openOffset: offset,
        closeOffset: offset,
      };
      nodes.push(node);
      if (node.isElement) open.push(node);
    }
  }
  return nodes;
}
