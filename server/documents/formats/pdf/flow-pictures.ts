/** Which pictures a page has: images, and the drawings that lines and shapes make together. */
import { areNear, boxHeight, boxWidth, hasCentreIn } from './flow-box.ts';
import type { DrawnObject, PageGraphics } from './flow-graphics.ts';
import { union } from './geometry.ts';
import type { Box } from './page-model.ts';

/** What is drawn together: an image, or the lines and shapes of one drawing. */
export interface DrawnGroup {
  box: Box;
  objects: readonly DrawnObject[];
  isPhotograph: boolean;
}

/** Smaller ones are dots, bullets and lines that happen to be images. */
const MIN_IMAGE_POINTS = 6;
const MIN_DRAWING_POINTS = 18;
/** Parts of a drawing that are this near to each other belong together. */
const DRAWING_GAP_POINTS = 6;
/** A chart has hundreds of parts, a map more than can be compared one by one. */
const MAX_PARTS = 2000;
/** What covers more of the page is paper, not a picture on it. */
const MAX_SHARE_OF_PAGE = 0.85;

/** Of a card, text takes this share of its width and of its area; labels of drawings take less. */
const MIN_TEXT_SHARE = 0.4;
const MIN_TEXT_AREA = 0.1;

/**
 * The images and drawings of a page that are worth to be shown, from top to bottom.
 *
 * @param graphics without the rules of tables
 * @param textBoxes of the paragraphs: a coloured area behind them is no drawing
 */
export function groupDrawings(
  graphics: PageGraphics,
  page: { width: number; height: number },
  textBoxes: readonly Box[],
): DrawnGroup[] {
  const pageBox = { left: 0, bottom: 0, right: page.width, top: page.height };
  const hasText = textBoxes.length > 0;
  const isPicture = ({ box }: DrawnObject): boolean =>
    boxWidth(box) > 0 && (!hasText || areaOf(box) < MAX_SHARE_OF_PAGE * areaOf(pageBox));
  const images = graphics.images
    .map((image) => ({ ...image, box: intersection(image.box, pageBox) }))
    .filter(({ box }) => Math.min(boxWidth(box), boxHeight(box)) >= MIN_IMAGE_POINTS)
    .map((image) => ({ ...image, objects: [image] }));
  return [...images, ...drawings(graphics, pageBox, textBoxes)]
    .filter((group) => group.objects.every(isPicture))
    .sort((a, b) => b.box.top - a.box.top);
}

function drawings(graphics: PageGraphics, page: Box, textBoxes: readonly Box[]): DrawnGroup[] {
  const isBehindText = ({ box }: DrawnObject): boolean =>
    textBoxes.some((text) => areNear(text, box, -1));
  const shapes = [
    ...graphics.drawings.filter(({ box }) => !isAroundText(box, textBoxes)),
    ...graphics.fills.filter((fill) => !isBehindText(fill)),
  ]
    .map((shape) => ({ ...shape, box: intersection(shape.box, page) }))
    .filter(({ box }) => boxWidth(box) >= 0 && boxHeight(box) >= 0)
    .filter(({ box }) => areaOf(box) < MAX_SHARE_OF_PAGE * areaOf(page));
  const groups: DrawnGroup[] = [];
  for (const cluster of clustersOf(shapes.slice(0, MAX_PARTS))) {
    const around = union(cluster.map(({ box }) => box));
    if (Math.min(boxWidth(around), boxHeight(around)) < MIN_DRAWING_POINTS) continue;
    // Axes and grids of a chart are rules.
    const rules = graphics.rules.filter(({ box }) => areNear(box, around, DRAWING_GAP_POINTS));
    const objects = [...cluster, ...rules];
    const box = intersection(union(objects.map((object) => object.box)), page);
    groups.push({ box, objects, isPhotograph: false });
  }
  return groups;
}

/** Whether a shape is the ground or the frame of text: that flows, and would leave it empty. */
function isAroundText(box: Box, textBoxes: readonly Box[]): boolean {
  const inside = textBoxes.filter((text) => hasCentreIn(text, box));
  if (inside.length === 0) return false;
  const isWide = inside.some((text) => boxWidth(text) > MIN_TEXT_SHARE * boxWidth(box));
  const textArea = inside.reduce((sum, text) => sum + areaOf(text), 0);
  return isWide && textArea > MIN_TEXT_AREA * areaOf(box);
}

function areaOf(box: Box): number {
  return boxWidth(box) * boxHeight(box);
}

function intersection(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    bottom: Math.max(a.bottom, b.bottom),
    right: Math.min(a.right, b.right),
    top: Math.min(a.top, b.top),
  };
}

/** Shapes that touch, directly or through others, from left to right. */
function clustersOf(shapes: readonly DrawnObject[]): DrawnObject[][] {
  const left = [...shapes].sort((a, b) => a.box.left - b.box.left);
  let clusters: { box: Box; shapes: DrawnObject[] }[] = [];
  for (const shape of left) {
    const touching = clusters.filter(({ box }) => areNear(box, shape.box, DRAWING_GAP_POINTS));
    const joined = {
      box: union([shape.box, ...touching.map(({ box }) => box)]),
      shapes: [...touching.flatMap((cluster) => cluster.shapes), shape],
    };
    clusters = [...clusters.filter((cluster) => !touching.includes(cluster)), joined];
  }
  return clusters.map((cluster) => cluster.shapes);
}
