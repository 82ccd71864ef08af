/**
 * Removes text objects from a page's content stream and leaves every other byte unchanged. Operators are
 * counted as PDFium counts the objects it makes of them; the objects of a form count where the form is drawn.
 */
import { type PDFContext, PDFDict, PDFName, PDFRef, PDFStream } from '@cantoo/pdf-lib';
import { type Operator, scanOperators, packStream, unpackStream } from './content-stream.ts';
import { invert, type Matrix } from './geometry.ts';

/** Place of a text object as PDFium reports it. */
export interface TextPlace {
  matrix: Matrix;
  fontSize: number;
}

/** What to remove. */
export interface Removal {
  context: PDFContext;
  /** Places of the page's text objects, in PDFium's order. */
  places: readonly TextPlace[];
  isRemoved: (index: number) => boolean;
  /** Forms that were changed already, by their number and the objects removed from them. */
  changedForms: Map<string, PDFRef>;
}

/** A content stream without some of its text. */
interface RemovedText {
  bytes: Uint8Array;
  /** Number of text objects in the stream, including those removed. */
  count: number;
  /** Number of `q` without a `Q`, and of `Q` without a `q`. */
  openStates: number;
  excessRestores: number;
  /** Changes to the stream's resources; undefined for a name that nothing draws any more. */
  forms: ReadonlyMap<string, PDFRef | undefined>;
}

/** Depth limit of nested forms; PDFium has the same. */
const MAX_FORM_DEPTH = 28;

const showing = new Set(['Tj', 'TJ', "'", '"']);
const placing = new Set(['BT', 'Tm', 'Td', 'TD', 'T*']);

/** The state of reading one stream. */
interface Reading {
  removal: Removal;
  bytes: Uint8Array;
  resources: PDFDict | undefined;
  within: readonly PDFRef[];
  edits: { from: number; to: number; text: string }[];
  forms: Map<string, PDFRef | undefined>;
  keptForms: Set<string>;
  /** Index of the next text object. */
  next: number;
  /** Index of the first text object removed since the last operator that set a position. */
  gapFrom: number | undefined;
  hasFont: boolean;
  states: boolean[];
  excessRestores: number;
}

/** Removes text from a stream; `first` is the index of its first text object. */
export function removeText(
  removal: Removal,
  {
    bytes,
    resources,
    first = 0,
    within = [],
    edits: otherEdits = [],
  }: {
    bytes: Uint8Array;
    resources: PDFDict | undefined;
    first?: number;
    within?: readonly PDFRef[];
    /** Edits of anything other than text. */
    edits?: readonly { from: number; to: number; text: string }[];
  },
): RemovedText {
  const reading: Reading = {
    removal,
    bytes,
    resources,
    within,
    next: first,
    gapFrom: undefined,
    edits: [...otherEdits],
    forms: new Map(),
    keptForms: new Set(),
    states: [],
    excessRestores: 0,
    hasFont: within.length > 0,
  };
  scanOperators(bytes, (operator) => {
    const { name } = operator;
    if (showing.has(name)) showText(reading, operator);
    else if (placing.has(name)) reading.gapFrom = undefined;
    else if (name === 'Tf') reading.hasFont = true;
    else if (name === 'q') reading.states.push(reading.hasFont);
    else if (name === 'Q') restoreState(reading);
    else if (name === 'Do') replaceForm(reading, operator);
  });
  const { edits, forms, keptForms, next, states, excessRestores } = reading;
  // A changed form gets a new name; the old name is dropped unless an unchanged use needs it, so that the old
  // text does not stay in the file.
  for (const name of keptForms) forms.delete(name);
  const edited = applyEdits(bytes, edits);
  const openStates = states.length;
  return { bytes: edited, count: next - first, openStates, excessRestores, forms };
}

function restoreState(reading: Reading): void {
  const { states } = reading;
  if (states.length === 0) reading.excessRestores += 1;
  reading.hasFont = states.pop() ?? reading.hasFont;
}

function showText(reading: Reading, operator: Operator): void {
  const { removal, bytes, edits } = reading;
  const { name, from, to, firstString, hasText } = operator;
  const movesDown = name === "'" || name === '"';
  if (movesDown) reading.gapFrom = undefined;
  if (!hasText || !reading.hasFont) {
    // A displacement after removed text is part of the gap.
    if (reading.gapFrom !== undefined && reading.hasFont) edits.push({ from, to, text: '' });
    return;
  }
  const index = reading.next;
  reading.next += 1;
  if (removal.isRemoved(index)) {
    reading.gapFrom ??= index;
    edits.push({ from, to, text: movesDown ? lineMove(bytes, name, from, firstString) : '' });
    return;
  }
  if (reading.gapFrom === undefined) return;
  edits.push({ from, to: from, text: displacement(removal.places, reading.gapFrom, index) });
  reading.gapFrom = undefined;
}

function replaceForm(reading: Reading, operator: Operator): void {
  const { removal, resources, within, forms, keptForms, edits, next } = reading;
  const { nameOperand: name, nameFrom: from, nameTo: to } = operator;
  const form = drawForm({ removal, resources, within, first: next, name });
  reading.next += form.count;
  if (form.isEndless) {
    // A form that draws itself is ignored by PDFium, but other viewers draw it a few times.
    edits.push({ from: operator.from, to: operator.to, text: '' });
    forms.set(name, undefined);
  } else if (form.changed === undefined) {
    keptForms.add(name);
  } else {
    forms.set(name, undefined);
    const newName = `DgForm${forms.size}n${form.changed.objectNumber}`;
    forms.set(newName, form.changed);
    edits.push({ from, to, text: `/${newName}` });
  }
}

/** Returns operators for what `'` and `"` do besides showing text. */
function lineMove(bytes: Uint8Array, name: string, from: number, firstString: number): string {
  if (name === "'") return ' T* ';
  const [wordSpace = '0', letterSpace = '0'] = Buffer.from(bytes.subarray(from, firstString))
    .toString('latin1')
    .trim()
    .split(/\s+/);
  return ` ${wordSpace} Tw ${letterSpace} Tc T* `;
}

/** Moves the pen by the width of the removed text, in thousandths of the font size. */
function displacement(places: readonly TextPlace[], from: number, to: number): string {
  const start = places[from];
  const end = places[to];
  if (start === undefined || end === undefined || end.fontSize === 0) return '';
  const [a, b, c, d] = end.matrix;
  const inverse = invert([a, b, c, d, 0, 0]);
  if (inverse === undefined) return '';
  const x = end.matrix[4] - start.matrix[4];
  const y = end.matrix[5] - start.matrix[5];
  const along = inverse[0] * x + inverse[2] * y;
  return ` [${((-along * 1000) / end.fontSize).toFixed(3)}] TJ `;
}

function drawForm({
  removal,
  resources,
  within,
  first,
  name,
}: {
  removal: Removal;
  resources: PDFDict | undefined;
  within: readonly PDFRef[];
  first: number;
  name: string;
}): { count: number; changed?: PDFRef; isEndless?: boolean } {
  const xObjects = resources?.lookup(PDFName.of('XObject'));
  const ref = xObjects instanceof PDFDict ? xObjects.get(PDFName.of(name)) : undefined;
  if (!(ref instanceof PDFRef) || within.length >= MAX_FORM_DEPTH) return { count: 0 };
  const form = removal.context.lookup(ref);
  const isForm =
    form instanceof PDFStream && form.dict.lookup(PDFName.of('Subtype')) === PDFName.of('Form');
  if (!isForm) return { count: 0 };
  if (within.includes(ref)) return { count: 0, isEndless: true };
  const own = form.dict.lookup(PDFName.of('Resources'));
  const formResources = own instanceof PDFDict ? own : resources;
  const result = removeText(removal, {
    bytes: unpackStream(form),
    resources: formResources,
    first,
    within: [...within, ref],
  });
  const removed: number[] = [];
  for (let at = 0; at < result.count; at += 1) {
    if (removal.isRemoved(first + at)) removed.push(at);
  }
  if (removed.length === 0) return { count: result.count };
  const key = `${ref.tag}:${removed.join()}`;
  let changed = removal.changedForms.get(key);
  if (changed === undefined) {
    const { context } = removal;
    const dict = form.dict.clone(context);
    const more = withForms(context, formResources, result.forms);
    if (more !== undefined) dict.set(PDFName.of('Resources'), more);
    // Its text no longer matches the document's structure tree.
    dict.delete(PDFName.of('StructParents'));
    changed = packStream({ context, bytes: result.bytes, dict });
    removal.changedForms.set(key, changed);
  }
  return { count: result.count, changed };
}

/** Returns resources with changed forms: a copy, since the dictionary may be used elsewhere. */
export function withForms(
  context: PDFContext,
  resources: PDFDict | undefined,
  forms: ReadonlyMap<string, PDFRef | undefined>,
): PDFDict | undefined {
  if (forms.size === 0) return resources;
  const copy = resources?.clone(context) ?? PDFDict.withContext(context);
  const known = copy.lookup(PDFName.of('XObject'));
  const xObjects = known instanceof PDFDict ? known.clone(context) : PDFDict.withContext(context);
  for (const [name, ref] of forms) {
    if (ref === undefined) xObjects.delete(PDFName.of(name));
    else xObjects.set(PDFName.of(name), ref);
  }
  copy.set(PDFName.of('XObject'), xObjects);
  return copy;
}

function applyEdits(
  bytes: Uint8Array,
  edits: readonly { from: number; to: number; text: string }[],
): Uint8Array {
  if (edits.length === 0) return bytes;
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { from, to, text } of edits.toSorted((a, b) => a.from - b.from)) {
    parts.push(bytes.subarray(at, from), Buffer.from(text, 'latin1'));
    at = to;
  }
  parts.push(bytes.subarray(at));
  return Buffer.concat(parts);
}
