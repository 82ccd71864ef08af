/** Levels of headings, from the largest to the smallest that the document has. */
import type { FlowText } from './flow-model.ts';
import type { ItemPage } from './flow-sections.ts';

const MAX_LEVEL = 6;
/** Sizes that differ less, in half points, are the same. */
const SAME_SIZE = 1;

/**
 * Gives headings the levels 1, 2, 3… without gaps: a single page cannot know what larger ones there
 * are on others.
 */
export function rankHeadings(pages: readonly ItemPage[]): ItemPage[] {
  const sizes = new Set<number>();
  for (const { items } of pages) {
    for (const item of items) {
      if (item.kind === 'text' && item.headingLevel !== undefined) sizes.add(sizeOf(item));
    }
  }
  const levels = new Map<number, number>();
  let level = 0;
  let last = Infinity;
  for (const size of [...sizes].sort((a, b) => b - a)) {
    if (last - size > SAME_SIZE) {
      level = Math.min(MAX_LEVEL, level + 1);
      last = size;
    }
    levels.set(size, level);
  }
  return pages.map(({ page, items }) => ({
    page,
    items: items.map((item) => {
      if (item.kind !== 'text' || item.headingLevel === undefined) return item;
      return { ...item, headingLevel: levels.get(sizeOf(item)) };
    }),
  }));
}

function sizeOf({ pieces }: FlowText): number {
  return pieces[0]?.look.size ?? 0;
}
