/** Cells of a table, items of a list: how a single line is aligned shows in those above and below it. */
import type { PixelBox } from './ocr.ts';
import type { TextRegion } from './regions.ts';

type Align = TextRegion['align'];

/** In heights of letters: edges that differ by less are one, by more are two; between is neither. */
const SAME_EDGE = 0.3;
const ANOTHER_EDGE = 0.6;
/** Rows are no further apart, in heights of letters. */
const FARTHEST_ROW = 5;
const SAME_HEIGHT = 1.4;
/** The same room on both sides may be chance, room on one side only hardly is. */
const LEAST_AGAINST: Readonly<Record<Align, number>> = { center: 1, left: 2, right: 2 };

const SIDES: readonly Align[] = ['left', 'right', 'center'];

/** The regions, with single lines aligned as their column is. */
export function alignedByColumns(regions: readonly TextRegion[]): TextRegion[] {
  const byTop = regions.toSorted((a, b) => a.box.top - b.box.top);
  const places = new Map(byTop.map((region, at) => [region, at]));
  return regions.map((region) => {
    if (region.lines.length > 1) return region;
    const at = places.get(region) ?? 0;
    const column = neighbours(byTop, at, region);
    const votes = SIDES.map((side) => ({
      side,
      count: column.filter((other) => sharesOnly(side, region, other)).length,
    }));
    const most = votes.reduce((a, b) => (b.count > a.count ? b : a));
    return most.count >= LEAST_AGAINST[region.align] ? { ...region, align: most.side } : region;
  });
}

/** What stands near above and below a region in letters as high. */
function neighbours(byTop: readonly TextRegion[], at: number, region: TextRegion): TextRegion[] {
  const reach = FARTHEST_ROW * heightOf(region);
  const near: TextRegion[] = [];
  const look = (from: number, step: 1 | -1): void => {
    for (let next = from; ; next += step) {
      const other = byTop[next];
      if (other === undefined || Math.abs(other.box.top - region.box.top) > reach) return;
      const ratio = heightOf(other) / heightOf(region);
      const isBeside = other.box.left < region.box.right && other.box.right > region.box.left;
      const isAbove = other.box.bottom <= region.box.top || other.box.top >= region.box.bottom;
      if (isBeside && isAbove && Math.max(ratio, 1 / ratio) < SAME_HEIGHT) near.push(other);
    }
  };
  look(at - 1, -1);
  look(at + 1, 1);
  return near;
}

function heightOf({ lines }: TextRegion): number {
  return lines[0].letterHeightPx;
}

/** Whether two texts have one edge, or their middle, in common and nothing else. */
function sharesOnly(side: Align, region: TextRegion, other: TextRegion): boolean {
  return SIDES.every((one) => {
    const apart = Math.abs(placeOf(one, region.box) - placeOf(one, other.box)) / heightOf(region);
    return one === side ? apart < SAME_EDGE : apart > ANOTHER_EDGE;
  });
}

function placeOf(side: Align, { left, right }: PixelBox): number {
  if (side === 'center') return (left + right) / 2;
  return side === 'left' ? left : right;
}
