/** Finds the end tags of elements where a grammar allows them to be missing or tangled. */
import { BLOCKS, IMPLIED_ENDS, VOID_ELEMENTS } from './html-elements.ts';
import type { Token } from './token.ts';

/**
 * Pairs the tags of HTML: void elements stand alone, left-out end tags are found, and the end tag of
 * an inline element does not reach across an open block. Linear in the number of tokens.
 */
export function pairHtml(tokens: Token[]): void {
  const open = new OpenElements(tokens);
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'open') {
      const implied = IMPLIED_ENDS.get(token.name);
      if (implied !== undefined) open.endAll(implied.ends, implied.within, index);
      if (VOID_ELEMENTS.has(token.name)) token.kind = 'lone';
      else open.begin(index);
    } else if (token.kind === 'close') {
      open.end(index, BLOCKS.has(token.name) ? -1 : open.lastBlock());
    }
  }
  open.finish();
}

/** Pairs the tags of XML with mistakes: an end tag ends the nearest open element of its name. */
export function pairXml(tokens: Token[]): void {
  const open = new OpenElements(tokens);
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'open') open.begin(index);
    else if (token.kind === 'close') open.end(index, -1);
  }
  open.finish();
}

/** The elements that are open at a place, with a list of depths per name so that none is searched. */
class OpenElements {
  readonly #tokens: Token[];
  readonly #stack: number[] = [];
  readonly #depths = new Map<string, number[]>();
  readonly #blockDepths: number[] = [];

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  begin(index: number): void {
    const name = this.#tokens[index]?.name ?? '';
    const depth = this.#stack.push(index) - 1;
    const depths = this.#depths.get(name);
    if (depths === undefined) this.#depths.set(name, [depth]);
    else depths.push(depth);
    if (BLOCKS.has(name)) this.#blockDepths.push(depth);
  }

  /** Ends the nearest open element with the name of an end tag, unless it is below a depth. */
  end(index: number, lowestDepth: number): void {
    const closing = this.#tokens[index];
    const depth = closing === undefined ? -1 : this.#last(closing.name);
    if (closing === undefined || depth === -1 || depth < lowestDepth) return;
    this.#popTo(depth + 1, index);
    const partner = this.#stack[depth] ?? -1;
    this.#popTo(depth, index + 1);
    const opening = this.#tokens[partner];
    if (opening === undefined) return;
    closing.partner = partner;
    opening.partner = index;
  }

  /** Ends open elements without end tags. */
  endAll(names: readonly string[], within: readonly string[], index: number): void {
    let limit = -1;
    for (const name of within) limit = Math.max(limit, this.#last(name));
    let depth = Infinity;
    for (const name of names) {
      const last = this.#last(name);
      if (last > limit) depth = Math.min(depth, last);
    }
    if (depth !== Infinity) this.#popTo(depth, index);
  }

  lastBlock(): number {
    return this.#blockDepths.at(-1) ?? -1;
  }

  finish(): void {
    this.#popTo(0, this.#tokens.length);
  }

  #last(name: string): number {
    return this.#depths.get(name)?.at(-1) ?? -1;
  }

  #popTo(depth: number, scopeEnd: number): void {
    while (this.#stack.length > depth) {
      const token = this.#tokens[this.#stack.pop() ?? -1];
      if (token === undefined) return;
      token.scopeEnd = scopeEnd;
      this.#depths.get(token.name)?.pop();
      if (this.#blockDepths.at(-1) === this.#stack.length) this.#blockDepths.pop();
    }
  }
}
