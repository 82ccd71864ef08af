/**
 * Tracked changes (ISO/IEC 29500-1, 17.13.5): the translation is made of the text with all changes accepted.
 */
import {
  attribute,
  childOf,
  elementLike,
  elementsOf,
  setAttribute,
  type XmlElement,
  type XmlNode,
} from './xml-element.ts';

/** Elements that are removed with their content. */
const REMOVED = new Set([
  'w:del',
  'w:moveFrom',
  'w:moveFromRangeStart',
  'w:moveFromRangeEnd',
  'w:moveToRangeStart',
  'w:moveToRangeEnd',
  'w:rPrChange',
  'w:pPrChange',
  'w:sectPrChange',
  'w:tblPrChange',
  'w:tblPrExChange',
  'w:tblGridChange',
  'w:trPrChange',
  'w:tcPrChange',
  'w:numberingChange',
  'w:cellIns',
  'w:cellDel',
  'w:cellMerge',
  'w:customXmlInsRangeStart',
  'w:customXmlInsRangeEnd',
  'w:customXmlDelRangeStart',
  'w:customXmlDelRangeEnd',
  'w:customXmlMoveFromRangeStart',
  'w:customXmlMoveFromRangeEnd',
  'w:customXmlMoveToRangeStart',
  'w:customXmlMoveToRangeEnd',
]);
/** Elements that are replaced by their content. */
const UNWRAPPED = new Set(['w:ins', 'w:moveTo']);
/** Ends of ranges that are kept even within removed content, as their other ends may lie outside. */
const KEPT_WITHIN = new Set([
  'w:bookmarkStart',
  'w:bookmarkEnd',
  'w:commentRangeStart',
  'w:commentRangeEnd',
  'w:permStart',
  'w:permEnd',
]);

/** Whether an element merely records a change and contains no content of the document. */
export function isRevisionMark(name: string): boolean {
  return REMOVED.has(name) && name !== 'w:del' && name !== 'w:moveFrom';
}

/** Accepts every tracked change within an element. */
export function acceptRevisions(element: XmlElement): void {
  if (!holdsRevision(element)) return;
  if (element.name === 'w:tcPr') acceptMerge(element);
  element.children = accepted(element.children);
}

function holdsRevision({ children }: XmlElement): boolean {
  return children.some(
    (child) =>
      typeof child !== 'string' &&
      (REMOVED.has(child.name) || UNWRAPPED.has(child.name) || holdsRevision(child)),
  );
}

function accepted(nodes: readonly XmlNode[]): XmlNode[] {
  return nodes.flatMap((node): XmlNode[] => {
    if (typeof node === 'string') return [node];
    if (REMOVED.has(node.name)) return rangeEnds(node);
    if (UNWRAPPED.has(node.name)) return accepted(node.children);
    if (isLeftOut(node)) return [];
    if (node.name === 'w:tcPr') acceptMerge(node);
    node.children = accepted(node.children);
    return [node];
  });
}

/** Whether a row or cell was deleted; a row counts as deleted when all of its cells were. */
function isLeftOut(element: XmlElement): boolean {
  const properties = (name: string): XmlElement | undefined => childOf(element, name);
  if (element.name === 'w:tc') {
    const own = properties('w:tcPr');
    return own !== undefined && isCellDeleted(own);
  }
  if (element.name !== 'w:tr') return false;
  const own = properties('w:trPr');
  const cells = elementsOf(element).filter(({ name }) => name === 'w:tc');
  return (own !== undefined && isRowDeleted(own)) || (cells.length > 0 && cells.every(isLeftOut));
}

/** Elements that precede a vertical merge in the properties of a cell (17.4.69). */
const BEFORE_MERGE = new Set(['w:cnfStyle', 'w:tcW', 'w:gridSpan', 'w:hMerge']);

/** Replaces a tracked cell merge by the merge that it records. */
function acceptMerge(properties: XmlElement): void {
  const mark = childOf(properties, 'w:cellMerge');
  if (mark === undefined) return;
  const rest = properties.children.filter(
    (child) => typeof child === 'string' || child.name !== 'w:vMerge',
  );
  const merge = attribute(mark, 'vMerge');
  if (merge !== undefined) {
    const element = elementLike(mark, 'vMerge');
    const prefix = mark.tag.slice(1).match(/^[^\s:/>]*:/)?.[0] ?? '';
    setAttribute(element, `${prefix}val`, merge === 'rest' ? 'restart' : 'continue');
    const after = rest.findLastIndex(
      (child) => typeof child !== 'string' && BEFORE_MERGE.has(child.name),
    );
    rest.splice(after + 1, 0, element);
  }
  properties.children = rest;
}

function rangeEnds(element: XmlElement): XmlElement[] {
  return elementsOf(element).flatMap((child) =>
    KEPT_WITHIN.has(child.name) ? [child] : rangeEnds(child),
  );
}

/** Whether a paragraph's end was deleted, which joins it with the following paragraph. */
export function isEndDeleted(paragraph: XmlElement): boolean {
  const properties = childOf(paragraph, 'w:pPr');
  const mark = properties && childOf(properties, 'w:rPr');
  if (mark === undefined || properties === undefined) return false;
  const isDeleted = ['w:del', 'w:moveFrom'].some((name) => childOf(mark, name) !== undefined);
  // The end of a section is always kept.
  return isDeleted && childOf(properties, 'w:sectPr') === undefined;
}

/** Whether a table row was deleted, by its properties. */
export function isRowDeleted(rowProperties: XmlElement): boolean {
  return childOf(rowProperties, 'w:del') !== undefined;
}

/** Whether a cell was deleted, by its properties. */
export function isCellDeleted(cellProperties: XmlElement): boolean {
  return childOf(cellProperties, 'w:cellDel') !== undefined;
}

/** Prepends the content of paragraphs to that of the last one, whose properties apply to all of it. */
export function joinParagraphs(before: readonly XmlElement[], last: XmlElement): void {
  if (before.length === 0) return;
  const isContent = (node: XmlNode): boolean => typeof node === 'string' || node.name !== 'w:pPr';
  const properties = childOf(last, 'w:pPr');
  last.children = [
    ...(properties === undefined ? [] : [properties]),
    ...[...before, last].flatMap(({ children }) => children.filter(isContent)),
  ];
}
