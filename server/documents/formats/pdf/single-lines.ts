/** How single lines are aligned: one line alone does not tell, its cell or its neighbours do. */
import type { Box, PageParagraph, Ruling } from './page-model.ts';

/** Edges that differ by less are the same. */
const SAME_POINTS = 1.5;

/** Paragraphs of one line with the alignment that their cell or the page's right edge shows. */
export function alignSingleLines(
  paragraphs: readonly PageParagraph[],
  rulings: readonly Ruling[],
): PageParagraph[] {
  const upright = rulings.filter(({ isHorizontal }) => !isHorizontal);
  const lefts = new Map<number, number>();
  for (const { box, lines } of paragraphs) {
    const key = Math.round(box.left);
    lefts.set(key, (lefts.get(key) ?? 0) + lines.length);
  }
  const broken = paragraphs.filter(({ lines, rotation }) => lines.length > 1 && rotation === 0);
  return paragraphs.map((paragraph) => {
    const isOne = paragraph.lines.length === 1 && paragraph.rotation === 0;
    if (!isOne || paragraph.listMarker !== undefined) return paragraph;
    const { box, align } = paragraph;
    const inCell = alignInCell(box, upright);
    if (inCell !== undefined) return { ...paragraph, align: inCell };
    if (align !== 'left') return paragraph;
    const sharesLeft = (lefts.get(Math.round(box.left)) ?? 0) > 1;
    const endsWithText = broken.some(
      (other) =>
        Math.abs(other.box.right - box.right) < SAME_POINTS && other.box.left < box.left - 10,
    );
    return endsWithText && !sharesLeft ? { ...paragraph, align: 'right' } : paragraph;
  });
}

/** The alignment between the rulings left and right of a box; undefined without both. */
function alignInCell(box: Box, upright: readonly Ruling[]): PageParagraph['align'] | undefined {
  const y = (box.bottom + box.top) / 2;
  let left = -Infinity;
  let right = Infinity;
  for (const { at, from, to } of upright) {
    if (from > y || to < y) continue;
    if (at <= box.left + 0.5) left = Math.max(left, at);
    if (at >= box.right - 0.5) right = Math.min(right, at);
  }
  if (!Number.isFinite(left) || !Number.isFinite(right)) return undefined;
  const before = box.left - left;
  const after = right - box.right;
  const size = box.top - box.bottom;
  if (Math.abs(before - after) < SAME_POINTS && before > 0.4 * size) return 'center';
  return after < before - size && after < size ? 'right' : 'left';
}
