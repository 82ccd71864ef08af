/** Formulas of workbooks, which stay as they are but for the names of columns. */
import { serialise, textOf, type XmlElement, encodeText } from './xml-element.ts';

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

/**
 * The XML of a formula with columns renamed; undefined when nothing changed.
 *
 * @param table in which the formula stands, whose columns it may name without it
 */
export function renameFormula(
  formula: XmlElement,
  renamed: RenamedColumns,
  table?: string,
): string | undefined {
  if (!hasReferences(formula)) return undefined;
  const text = textOf(formula);
  const changed = renameColumns(text, renamed, table);
  if (changed === text) return undefined;
  return serialise({ ...formula, children: [encodeText(changed)] });
}

// References to the columns of tables, `Sales[[#This Row],[Net amount]]`, and their rewriting when
// columns have been renamed. Excel repairs a workbook, and loses formulas, when one of them names a
// column that is not there.

/** New names of columns: by table name, then by old column name; both in lower case. */
export type RenamedColumns = ReadonlyMap<string, ReadonlyMap<string, string>>;

// A text, a quoted sheet name, or a bracket with or without a name before it that nothing of a name
// precedes. What follows a "!" belongs to another workbook.
const PIECE =
  /"(?:[^"]|"")*"|'(?:[^']|'')*'|(?<![\p{L}\p{N}_.\\!?\]])((?:[\p{L}_\\][\p{L}\p{N}_.\\?]*)?)\[/u;
/** Behind the number of another workbook, `[1]Sheet1!A1`. */
const SHEET = /^[^\s!"'()*+,/:;<=>^&[\]{}-]+!/u;

/**
 * A formula with the columns of tables renamed. Texts in it stay as they are, but for those that are a
 * whole reference, since these are what `INDIRECT` is given.
 *
 * @param own name of the table in which the formula stands
 */
export function renameColumns(formula: string, renamed: RenamedColumns, own = ''): string {
  if (renamed.size === 0 || !formula.includes('[')) return formula;
  let result = '';
  let at = 0;
  // One of its own, since a text in the formula is looked through by the same function.
  const pieces = new RegExp(PIECE, 'gu');
  for (let match = pieces.exec(formula); match !== null; match = pieces.exec(formula)) {
    const [piece, table] = match;
    const end = match.index + piece.length;
    if (piece.startsWith('"')) {
      result += formula.slice(at, match.index) + renameInText(piece, renamed);
      at = end;
    } else if (table !== undefined) {
      const close = closingBracket(formula, end);
      if (close === -1) break;
      const isElsewhere = table === '' && SHEET.test(formula.slice(close + 1));
      const columns = isElsewhere ? undefined : renamed.get((table || own).toLowerCase());
      const specifier = formula.slice(end, close);
      const rewritten = columns === undefined ? specifier : renameSpecifier(specifier, columns);
      result += `${formula.slice(at, end)}${rewritten}]`;
      at = close + 1;
      pieces.lastIndex = at;
    }
  }
  return result + formula.slice(at);
}

function renameInText(literal: string, renamed: RenamedColumns): string {
  const text = literal.slice(1, -1);
  const table = /^([\p{L}_\\][\p{L}\p{N}_.\\?]*)\[/u.exec(text);
  if (table === null || closingBracket(text, table[0].length) !== text.length - 1) return literal;
  return `"${renameColumns(text.replaceAll('""', '"'), renamed).replaceAll('"', '""')}"`;
}

/** Where the bracket closes that was opened before `start`, or -1. An apostrophe escapes what follows. */
function closingBracket(formula: string, start: number): number {
  let depth = 1;
  for (let at = start; at < formula.length; at += 1) {
    const character = formula[at];
    if (character === "'") at += 1;
    else if (character === '[') depth += 1;
    else if (character === ']') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

/** What stands between the outer brackets: one column, an `#Item`, or several in brackets. */
function renameSpecifier(specifier: string, columns: ReadonlyMap<string, string>): string {
  if (!/^\s*\[/.test(specifier)) {
    const column = renamedColumn(specifier, columns);
    if (column === undefined) return specifier;
    // Names with other characters than these want brackets of their own.
    return /^[\p{L}\p{N}_ ]*$/u.test(column) ? column : `[${column}]`;
  }
  return specifier.replace(/\[((?:[^\]']|'.)*)\]/gsu, (whole, inner: string) => {
    const column = renamedColumn(inner, columns);
    return column === undefined ? whole : `[${column}]`;
  });
}

/** The new name in the spelling of formulas, or undefined where it stays. */
function renamedColumn(written: string, columns: ReadonlyMap<string, string>): string | undefined {
  if (written.startsWith('#')) return undefined;
  const column = columns.get(written.replace(/'(.)/gsu, '$1').toLowerCase());
  return column?.replace(/['[\]#@]/g, "'$&");
}
