/**
 * Converts segments with inline markup to tokens for engines, and keeps what is needed to convert them back.
 */
import type { Mark, TextSegment } from '../../text/text-segment.ts';

/** Text without blanks; `elements` are the innermost inline elements around it. */
export interface WordToken {
  kind: 'word';
  text: string;
  elements: readonly number[];
}

/** Separator of words. `fixed` blanks are kept exactly; others are one space. */
export interface BlankToken {
  kind: 'blank';
  text: string;
  fixed: boolean;
}

/** Placeholder for marks without words between them, numbered by its creator. */
interface AtomToken {
  kind: 'atom';
  atom: number;
}

export type Token = WordToken | BlankToken | AtomToken;

/** An inline element that contains words. Elements are numbered in reading order, parents first. */
export interface MarkedElement {
  id: number;
  /** Number of the surrounding element, -1 if none. */
  parent: number;
  /** Number of the last element inside it; its own if none. */
  last: number;
  /** Number of letters and digits in the segment before its start and before its end. */
  from: number;
  to: number;
  /** Symbols at its edges, such as quotation marks, that belong to it. */
  leading: string;
  trailing: string;
}

/** Adjacent lone marks and elements without words, with the blanks between them. */
interface MarkedAtom {
  parts: TextSegment;
  parent: number;
  /** Number of letters and digits in the segment before it. */
  from: number;
}

export interface MarkedText {
  tokens: Token[];
  elements: readonly MarkedElement[];
  atoms: readonly MarkedAtom[];
  /** Number of letters and digits in the segment. */
  length: number;
}

const WORD = /[\p{L}\p{N}]/gu;
const TEXT_PARTS = /[\s\u0085]+|[^\s\u0085]+/gu;
/** Scripts without blanks between words. */
export const UNSPACED =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u;
/** An element may end between a word and a quotation mark that no dictionary knows. */
export const WORD_OR_SYMBOL = /[\p{L}\p{M}\p{N}]+|./gsu;
/** The characters of the entities that engines write. */
export const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};
const WORD_END = /\p{L}[\p{L}\p{M}]*['’]?$/u;
const WORD_START = /^['’]?\p{L}[\p{L}\p{M}]*/u;
/** Maximum number of elements in one word; a longer run of marked letters is no word. */
const MOST_IN_WORD = 32;

/** Returns the range of a text's tokens without the blanks and marks at its ends. */
export function innerRange({ tokens, atoms }: MarkedText): { start: number; end: number } {
  const isInner = (token: Token) =>
    token.kind === 'word' || (token.kind === 'atom' && (atoms[token.atom]?.parent ?? -1) >= 0);
  return { start: Math.max(tokens.findIndex(isInner), 0), end: tokens.findLastIndex(isInner) + 1 };
}

/** Converts a well-nested segment to tokens. */
export function takeMarksApart(segment: TextSegment): MarkedText {
  const { elements, wordless } = findElements(segment);
  const writer = new TokenWriter(elements);
  let next = 0;
  let current = -1;
  for (let i = 0; i < segment.length; i++) {
    const part = segment[i] ?? '';
    if (typeof part === 'string') writer.addText(part, current);
    else if (part.mark === 'lone') writer.addAtom([part], current);
    else if (part.mark === 'close') current = elements[current]?.parent ?? -1;
    else {
      const end = wordless.get(i);
      if (end === undefined) current = next++;
      else {
        writer.addAtom(segment.slice(i, end + 1), current);
        i = end;
      }
    }
  }
  return { ...writer.finish(), elements };
}

/** Returns the elements that contain words, and the start and end of the outermost elements without words. */
function findElements(segment: TextSegment): {
  elements: MarkedElement[];
  wordless: Map<number, number>;
} {
  const found: { mark: Mark; at: number; end: number; from: number; to: number }[] = [];
  const open: typeof found = [];
  let length = 0;
  for (const [at, part] of segment.entries()) {
    if (typeof part === 'string') length += wordLength(part);
    else if (part.mark === 'open') {
      const element = { mark: part, at, end: at, from: length, to: length };
      found.push(element);
      open.push(element);
    } else if (part.mark === 'close') {
      const element = open.pop();
      if (element !== undefined) Object.assign(element, { end: at, to: length });
    }
  }
  const elements: MarkedElement[] = [];
  const wordless = new Map<number, number>();
  const around: { number: number; end: number }[] = [];
  for (const { mark, at, end, from, to } of found) {
    while (around.length > 0 && (around.at(-1)?.end ?? 0) < at) around.pop();
    if (from === to) {
      wordless.set(at, end);
      continue;
    }
    const number = elements.length;
    const edges = { leading: edge(segment, at, 1), trailing: edge(segment, end, -1) };
    elements.push({
      id: mark.id,
      parent: around.at(-1)?.number ?? -1,
      last: number,
      from,
      to,
      ...edges,
    });
    around.push({ number, end });
  }
  for (const { parent, last } of elements.toReversed()) {
    const outer = elements[parent];
    if (outer !== undefined) outer.last = Math.max(outer.last, last);
  }
  return { elements, wordless };
}

function wordLength(text: string): number {
  return text.match(WORD)?.length ?? 0;
}

/** Limit of marks to look past: nested elements often start or end together. */
const MAX_EDGE_PARTS = 8;

/** Returns the symbols at one end of an element, up to the first word or blank. */
function edge(segment: TextSegment, at: number, step: 1 | -1): string {
  let text = '';
  for (let count = 1; count <= MAX_EDGE_PARTS; count++) {
    const part = segment[at + step * count];
    if (typeof part !== 'string') continue;
    const symbols =
      step > 0 ? /^[^\p{L}\p{N}\s]*/u.exec(part)?.[0] : /[^\p{L}\p{N}\s]*$/u.exec(part)?.[0];
    text = step > 0 ? text + (symbols ?? '') : (symbols ?? '') + text;
    if (symbols !== part) break;
  }
  return text;
}

/** Collects tokens and joins words that an element boundary divides. */
class TokenWriter {
  readonly #elements: readonly MarkedElement[];
  readonly #tokens: Token[] = [];
  readonly #atoms: { parts: (string | Mark)[]; parent: number; from: number }[] = [];
  #length = 0;

  constructor(elements: readonly MarkedElement[]) {
    this.#elements = elements;
  }

  addText(text: string, element: number): void {
    for (const [part] of text.matchAll(TEXT_PARTS)) {
      if (/^[\s\u0085]/u.test(part)) this.#addBlank(part);
      else this.#addWord(part, element < 0 ? [] : [element]);
      this.#length += wordLength(part);
    }
  }

  addAtom(parts: TextSegment, parent: number): void {
    const last = this.#tokens.at(-1);
    const before = last?.kind === 'blank' ? this.#tokens.at(-2) : last;
    const atom = before?.kind === 'atom' ? this.#atoms[before.atom] : undefined;
    if (atom?.parent !== parent) {
      this.#tokens.push({ kind: 'atom', atom: this.#atoms.length });
      this.#atoms.push({ parts: [...parts], parent, from: this.#length });
      return;
    }
    if (last?.kind === 'blank') {
      atom.parts.push(last.text);
      this.#tokens.pop();
    }
    for (const part of parts) atom.parts.push(part);
  }

  /** Marks blanks beside atoms and at the ends as fixed: the pipeline must not change them. */
  finish(): Omit<MarkedText, 'elements'> {
    const tokens = this.#tokens.map((token, i) => {
      if (token.kind !== 'blank') return token;
      const isBetweenWords =
        this.#tokens[i - 1]?.kind === 'word' && this.#tokens[i + 1]?.kind === 'word';
      return { ...token, fixed: token.text !== ' ' || !isBetweenWords };
    });
    return { tokens, atoms: this.#atoms, length: this.#length };
  }

  #addBlank(text: string): void {
    const last = this.#tokens.at(-1);
    if (last?.kind === 'blank') last.text += text;
    else this.#tokens.push({ kind: 'blank', text, fixed: true });
  }

  #addWord(text: string, elements: readonly number[]): void {
    const last = this.#tokens.at(-1);
    if (last?.kind !== 'word') this.#tokens.push({ kind: 'word', text, elements });
    else if (sameElements(last.elements, elements)) last.text += text;
    else if (!this.#joinWord(last, text, elements)) {
      this.#tokens.push({ kind: 'word', text, elements });
    }
  }

  /** Joins a word that an element boundary divides: it is translated whole and belongs to the element. */
  #joinWord(last: WordToken, text: string, elements: readonly number[]): boolean {
    if (last.elements.length >= MOST_IN_WORD) return false;
    const start = WORD_END.exec(last.text)?.[0];
    const end = WORD_START.exec(text)?.[0];
    if (start === undefined || end === undefined) return false;
    // In scripts without blanks, the boundary of an element ends a word.
    if (UNSPACED.test(start.slice(-2)) && UNSPACED.test(end.slice(0, 2))) return false;
    const before = last.text.slice(0, last.text.length - start.length);
    const after = text.slice(end.length);
    const all = [...new Set([...last.elements, ...elements])];
    const innermost = all.filter((each) => !all.some((other) => this.#isInside(other, each)));
    this.#tokens.pop();
    if (before !== '') this.#tokens.push({ ...last, text: before });
    this.#tokens.push({ kind: 'word', text: start + end, elements: innermost });
    if (after !== '') this.#tokens.push({ kind: 'word', text: after, elements });
    return true;
  }

  #isInside(inner: number, outer: number): boolean {
    return inner > outer && inner <= (this.#elements[outer]?.last ?? outer);
  }
}

function sameElements(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((each, i) => each === others[i]);
}

/** Returns the texts of tokens; an empty text for tokens that are not words. */
export function textsOf(tokens: readonly Token[]): string[] {
  return tokens.map((token) => (token.kind === 'word' ? token.text : ''));
}

/** Returns the tokens with other texts for their words; undefined when no texts are given. */
export function withTexts(
  tokens: readonly Token[],
  texts: readonly string[] | undefined,
): Token[] | undefined {
  if (texts === undefined) return undefined;
  return tokens.map((token, i) =>
    token.kind === 'word' ? { ...token, text: texts[i] ?? token.text } : token,
  );
}

/** Signs at the beginning of a token that a dictionary may not know. */
const UNKNOWN_SIGNS = /^(?:\\\\|\\?[^\p{L}\p{M}\p{N}\s\\.,;:!?¿¡()[\]])+/u;

/** Whether a token, as written in stream format, has only such signs. */
export function isOnlySigns(written: string): boolean {
  return UNKNOWN_SIGNS.exec(written)?.[0] === written;
}

/**
 * Puts a word-bound blank before a token in stream format. A program ends where no known word follows one
 * directly, so signs come before it; they are put back into the element when the answer is read.
 */
export function withBlankAtWord(written: string, name: string): string {
  const [signs = ''] = UNKNOWN_SIGNS.exec(written) ?? [];
  return `${signs}[[${name}]]${written.slice(signs.length)}`;
}

/** The first of the figures that stand for marks, of which few are in a text. */
const FIGURE = 90_700;
const BEGINS_PLURAL = /^\p{Ll}{3,}s(?!\p{L})/u;

/**
 * Writes marks that count something (`Tienes %d mensajes`) as figures, for rules into French, which put words
 * between a verb and what is counted: those would move a mark, and add an article.
 *
 * @returns the tokens, and a function that puts the marks back in their translation
 */
export function withFigures(
  source: readonly Token[],
  { target }: { target: string },
): { tokens: Token[]; restore: (translated: readonly Token[]) => Token[] } {
  const tokens = [...source];
  const figures = new Map<string, Token>();
  const isSpace = (token: Token | undefined) => token?.kind === 'blank' && token.text === ' ';
  const space: BlankToken = { kind: 'blank', text: ' ', fixed: false };
  const has = (text: string) =>
    source.some((each) => each.kind === 'word' && each.text.includes(text));
  for (const [i, token] of target === 'fr' ? source.entries() : []) {
    const counted = source[i + 2];
    if (token.kind !== 'atom' || !isSpace(source[i - 1]) || !isSpace(source[i + 1])) continue;
    if (counted?.kind !== 'word' || !BEGINS_PLURAL.test(counted.text)) continue;
    const text = String(FIGURE + token.atom);
    if (has(text)) continue;
    figures.set(text, token);
    tokens.splice(i - 1, 3, space, { kind: 'word', text, elements: [] }, space);
  }
  const restore = (translated: readonly Token[]) =>
    translated.map((token) => (token.kind === 'word' && figures.get(token.text)) || token);
  return { tokens, restore };
}
