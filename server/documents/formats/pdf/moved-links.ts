/** Puts links where their text is now. */
import { PDFArray, PDFDict, PDFName, type PDFPage } from '@cantoo/pdf-lib';

import { applyToBox, invert, type Matrix, union } from './geometry.ts';
import type { Box } from './page-model.ts';

/** Moves a page's link annotations; `links` has by their number where their text is seen. */
export function moveLinks({
  target,
  links,
  view,
}: {
  target: PDFPage;
  links: ReadonlyMap<number, readonly Box[]>;
  view: Matrix;
}): void {
  const back = invert(view);
  if (links.size === 0 || back === undefined) return;
  const { context } = target.doc;
  for (const [index, annotation] of linkAnnotations(target).entries()) {
    const boxes = links.get(index);
    if (boxes === undefined) continue;
    const lines = linesOf(boxes).map((box) => applyToBox(back, box));
    const { left, bottom, right, top } = union(lines);
    annotation.set(PDFName.of('Rect'), context.obj([left, bottom, right, top].map(rounded)));
    annotation.delete(PDFName.of('QuadPoints'));
    if (lines.length < 2) continue;
    const quads = lines.flatMap((line) => [
      ...[line.left, line.top, line.right, line.top],
      ...[line.left, line.bottom, line.right, line.bottom],
    ]);
    annotation.set(PDFName.of('QuadPoints'), context.obj(quads.map(rounded)));
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function linkAnnotations(target: PDFPage): PDFDict[] {
  const annotations = target.node.Annots();
  const links: PDFDict[] = [];
  if (!(annotations instanceof PDFArray)) return links;
  for (let at = 0; at < annotations.size(); at += 1) {
    const annotation = annotations.lookup(at);
    if (!(annotation instanceof PDFDict)) continue;
    if (annotation.lookup(PDFName.of('Subtype')) === PDFName.of('Link')) links.push(annotation);
  }
  return links;
}

/** Boxes on one line are one. */
function linesOf(boxes: readonly Box[]): Box[] {
  const lines: Box[] = [];
  for (const box of boxes) {
    const same = lines.findIndex((line) => Math.abs(line.bottom - box.bottom) < 1);
    const line = lines[same];
    if (line === undefined) lines.push(box);
    else lines[same] = union([line, box]);
  }
  return lines;
}
