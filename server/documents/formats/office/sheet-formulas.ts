/** Formulas of workbooks. They stay as they are, except for the names of renamed table columns. */
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

/** Whether an element contains a formula. */
export function isFormula(name: string): boolean {
  return FORMULAS.has(name);
}

/** Whether a formula may refer to columns of tables. */
export function hasReferences(formula: XmlElement): boolean {
  return formula.children.some((child) => typeof child === 'string' && child.includes('['));
}

/** A quoted sheet name, or a string literal with the operators that join it to other text. */
const LITERAL = /'(?:[^']|'')*'|(&\s*)?"((?:[^"]|"")*)"(?=(\s*&)?)/g;

/** A link with its address and label as literals: what it shows is looked for by no formula. */
const LINK = /\bHYPERLINK\(\s*"(?:[^"]|"")*"\s*,\s*"(?:[^"]|"")*"\s*\)/gi;
/** The operator of a condition: `COUNTIF(A:A,"<>Closed")`. */
const OPERATOR = /^(?:<>|[<>]?=|[<>])/;

/** The text that a formula of a cell looks for within others: `SEARCH("urgent",A2)`. */
const CONTAINED = /\b(?:SEARCH|FIND)\(\s*"((?:[^"]|"")*)"/gi;
/** The text with which a part of a cell's text is compared: `LEFT(A2,4)="Temp"`. */
const PART = /\b(LEFT|RIGHT|MID)\((?:[^()]|\([^()]*\))*\)\s*(?:=|<>)\s*"((?:[^"]|"")*)"/gi;
/** A word, or a letter of a script without alphabet; single letters are in most texts. */
const WORD = /\p{L}{2}|\p{Lo}/u;

/**
 * Returns the texts that a formula looks for or results in, in lower case, with their wildcards; not those that it
 * joins with others, nor those of links. The list of a validation is a single literal.
 */
export function textsOfFormula(formula: XmlElement): string[] {
  const text = textOf(formula);
  if (!text.includes('"')) return [];
  const literals = Array.from(
    text.replace(LINK, '').matchAll(LITERAL),
    ([whole, before, literal = '', after]) => {
      if (before !== undefined || after !== undefined) return [];
      return whole === text.trim() ? literal.split(',') : [literal];
    },
  );
  const sought = literals.flat().flatMap((literal) => [literal, literal.replace(OPERATOR, '')]);
  if (formula.name === 'x:f' || formula.name === 'x:definedName') {
    for (const [, literal = ''] of text.matchAll(CONTAINED)) {
      if (WORD.test(literal)) sought.push(`*${literal}*`);
    }
    for (const [, place = '', literal = ''] of text.matchAll(PART)) {
      const part = literal.replace(/[~*?]/g, '~$&');
      const [before, after] = [/LEFT/i.test(place) ? '' : '*', /RIGHT/i.test(place) ? '' : '*'];
      if (WORD.test(literal)) sought.push(before + part + after);
    }
  }
  return sought.map((each) => each.replaceAll('""', '"').trim().toLowerCase());
}

/** Whether a formula finds a range by a name that it reads from cells: `INDIRECT(A2)`. */
export function findsByName(formula: XmlElement): boolean {
  return /\bINDIRECT\((?!\s*"(?:[^"]|"")*"\s*[,)])/i.test(textOf(formula));
}

/** Wildcards of a pattern, as characters that no text of a workbook contains. */
const [ANY, ONE] = ['\u0000', '\u0001'];

/** Longest text that a pattern keeps, in UTF-16 units: formulas look for labels, and a sentence is to be read. */
const LONGEST_LABEL = 60;
/** Every cell is compared with every pattern; formulas of real workbooks have few. */
const MOST_PATTERNS = 500;

/** Texts of cells, in lower case. */
export type TextSet = Pick<ReadonlySet<string>, 'has'>;

/** Texts of cells that stay, in lower case; those that formulas look for may be patterns (`clos*`). */
export class FixedTexts implements TextSet {
  #texts: Set<string>;
  #patterns: string[] = [];

  constructor(texts: ReadonlySet<string>) {
    this.#texts = new Set(texts);
  }

  add(text: string): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    if (!/[*?]/.test(text) || !/\p{L}/u.test(text) || this.#patterns.length === MOST_PATTERNS)
      return;
    const wildcard = (written: string, escaped?: string): string =>
      escaped ?? (written === '*' ? ANY : ONE);
    this.#patterns.push(text.replace(/~([*?~])|[*?]/g, wildcard));
  }

  has(text: string): boolean {
    if (this.#texts.has(text)) return true;
    return text.length <= LONGEST_LABEL && this.#patterns.some((each) => matches(text, each));
  }
}

/** Tells whether a pattern describes a whole text; the time it takes is at most the product of their lengths. */
function matches(text: string, pattern: string): boolean {
  let [at, next] = [0, 0];
  /** Where the pattern goes on after its last `*`, and the text that this one covers ends. */
  let retry: { at: number; next: number } | undefined;
  while (at < text.length) {
    if (pattern[next] === ANY) {
      next += 1;
      retry = { at, next };
    } else if (pattern[next] === ONE || pattern[next] === text[at]) {
      at += 1;
      next += 1;
    } else if (retry === undefined) return false;
    else {
      retry.at += 1;
      ({ at, next } = retry);
    }
  }
  return pattern.slice(next).replaceAll(ANY, '') === '';
}

/**
 * Returns the XML of a formula with columns renamed; undefined when nothing changed.
 *
 * @param table table that contains the formula, whose columns the formula may name without the table's name
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

// Structured references to table columns, `Sales[[#This Row],[Net amount]]`, are rewritten when columns
// were renamed. Excel repairs a workbook, and loses formulas, when a reference names a missing column.

/** New names of columns by table name, then by old column name; both keys are in lower case. */
export type RenamedColumns = ReadonlyMap<string, ReadonlyMap<string, string>>;

// Matches a string literal, a quoted sheet name, or an opening bracket with an optional table name
// before it. The name is complete: no name character precedes it. Nor does "!", since what follows
// belongs to another workbook.
const PIECE =
  /"(?:[^"]|"")*"|'(?:[^']|'')*'|(?<![\p{L}\p{N}_.\\!?\]])((?:[\p{L}_\\][\p{L}\p{N}_.\\?]*)?)\[/u;
/** The sheet name after the number of another workbook: `Sheet1!` in `[1]Sheet1!A1`. */
const SHEET = /^[^\s!"'()*+,/:;<=>^&[\]{}-]+!/u;

/**
 * Returns a formula with the columns of tables renamed. String literals stay as they are, unless
 * they are a whole reference, which is what `INDIRECT` receives.
 *
 * @param own name of the table that contains the formula
 */
export function renameColumns(formula: string, renamed: RenamedColumns, own = ''): string {
  if (renamed.size === 0 || !formula.includes('[')) return formula;
  let result = '';
  let at = 0;
  // A regular expression per call: its `lastIndex` must survive the recursive call for string literals.
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

/**
 * Returns the index of the bracket that closes the one opened before `start`, or -1. An apostrophe
 * escapes the next character.
 */
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

/**
 * Renames columns between the outer brackets of a reference: one column, an `#Item`, or several in brackets.
 */
function renameSpecifier(specifier: string, columns: ReadonlyMap<string, string>): string {
  if (!/^\s*\[/.test(specifier)) {
    const column = renamedColumn(specifier, columns);
    if (column === undefined) return specifier;
    // Names with any other character need brackets of their own.
    return /^[\p{L}\p{N}_ ]*$/u.test(column) ? column : `[${column}]`;
  }
  return specifier.replace(/\[((?:[^\]']|'.)*)\]/gsu, (whole, inner: string) => {
    const column = renamedColumn(inner, columns);
    return column === undefined ? whole : `[${column}]`;
  });
}

/** Returns the new name as spelled in formulas; undefined when it stays. */
function renamedColumn(written: string, columns: ReadonlyMap<string, string>): string | undefined {
  if (written.startsWith('#')) return undefined;
  const column = columns.get(written.replace(/'(.)/gsu, '$1').toLowerCase());
  return column?.replace(/['[\]#@]/g, "'$&");
}
