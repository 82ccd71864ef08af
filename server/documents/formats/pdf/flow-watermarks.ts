/** Watermarks: large text that is slanted or shines through, across what is read. */
import type { Page, PageParagraph, TextStyle } from './page-model.ts';

/** Smaller ones are labels of drawings. */
const MIN_SIZE_POINTS = 24;
/** Against what most of the page is set in. */
const MIN_SIZE_FACTOR = 1.8;
/** What is less opaque lets the text beneath be read. */
const MAX_OPACITY = 0.6;
/** Text that is turned by a quarter is a label at the side. */
const QUARTER_DEGREES = 90;
const SLANT_DEGREES = 5;

/** A page without its watermarks: in the flow they would be headings amid the text. */
export function withoutWatermarks(page: Page): Page {
  const usual = usualSize(page);
  const marks = page.paragraphs.filter((one) => isWatermark(one, usual));
  if (marks.length === 0) return page;
  return { ...page, paragraphs: page.paragraphs.filter((one) => !marks.includes(one)) };
}

function isWatermark(paragraph: PageParagraph, usualPoints: number): boolean {
  const [style] = paragraph.lines.flatMap(({ runs }) => runs.map((run) => run.style));
  if (style === undefined || style.sizePoints < MIN_SIZE_POINTS) return false;
  if (style.sizePoints < MIN_SIZE_FACTOR * usualPoints) return false;
  const slant = Math.abs(paragraph.rotation) % QUARTER_DEGREES;
  const isSlanted = Math.min(slant, QUARTER_DEGREES - slant) > SLANT_DEGREES;
  return isSlanted || opacityOf(style) < MAX_OPACITY;
}

function opacityOf(style: TextStyle): number {
  return style.opacity ?? 1;
}

/** Of most characters. */
function usualSize({ paragraphs }: Page): number {
  const counts = new Map<number, number>();
  for (const { lines } of paragraphs) {
    for (const { text, style } of lines.flatMap(({ runs }) => runs)) {
      const size = Math.round(style.sizePoints);
      counts.set(size, (counts.get(size) ?? 0) + text.length);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}
