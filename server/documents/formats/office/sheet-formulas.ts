/** Formulas of workbooks, which stay as they are but for the names of columns. */
import { type RenamedColumns, renameColumns } from './structured-references.ts';
import { serialise, textOf, type XmlElement } from './xml-element.ts';
import { encodeText } from './xml-text.ts';

const FORMULAS = new Set([
  'x:f',
  'x:formula',
  'x:formula1',
  'x:formula2',
  'xm:f',
  'x:definedName',
  'x:calculatedColumnFormula',
  'x:totalsRowFormula',
]);

/** Whether an element holds a formula. */
export function isFormula(name: string): boolean {
  return FORMULAS.has(name);
}

/** Whether a formula may name columns of tables. */
export function hasReferences(formula: XmlElement): boolean {
  return formula.children.some((child) => typeof child === 'string' && child.includes('['));
}

/** The XML of a formula with columns renamed; undefined when nothing changed. */
export function renameFormula(formula: XmlElement, renamed: RenamedColumns): string | undefined {
  if (!hasReferences(formula)) return undefined;
  const text = textOf(formula);
  const changed = renameColumns(text, renamed);
  if (changed === text) return undefined;
  return serialise({ ...formula, children: [encodeText(changed)] });
}
