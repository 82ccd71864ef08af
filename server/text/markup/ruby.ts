/** The `ruby` of HTML: words, and above each how it is read. */
import { type FlowItem, NO_REFERENCES } from './flow.ts';
import type { Token } from './token.ts';

/** A reading where it stands in the source, with the brackets around it. */
interface Place {
  start: number;
  end: number;
}

/**
 * Adds readings to the items of a page. A base and its reading are an element without a start tag, whose
 * end tag is the reading: wherever the word goes in the translation, it has its own above it.
 */
export class Readings {
  readonly #items: FlowItem[];
  readonly #source: string;
  #last = -1;
  #count = 0;

  constructor(source: string, items: FlowItem[]) {
    this.#source = source;
    this.#items = items;
  }

  add(place: Place): void {
    const items = this.#items;
    const before = items[this.#last];
    if (this.#last === items.length - 1 && before?.end === place.start) {
      items[this.#last] = { ...before, end: place.end };
      return;
    }
    const from = this.#beginOfBase();
    this.#count += 1;
    const element = -this.#count;
    const base = from === undefined ? undefined : items[from];
    if (from !== undefined && base !== undefined) {
      items.splice(from, 0, { kind: 'open', element, start: base.start, end: base.start });
      items.push({ kind: 'close', element, ...place });
    } else items.push({ kind: 'lone', word: false, ...place });
    this.#last = items.length - 1;
  }

  /** The first item of the base before a reading in a `ruby`; undefined where there is none. */
  #beginOfBase(): number | undefined {
    const items = this.#items;
    let depth = 0;
    let from = items.length;
    for (; from - 1 > this.#last; from -= 1) {
      const kind = items[from - 1]?.kind;
      if (kind === 'cut') return undefined;
      if (kind === 'open' && depth === 0) break;
      if (kind === 'close') depth += 1;
      else if (kind === 'open') depth -= 1;
    }
    if (depth > 0 || from === 0) return undefined;
    const base = items[from];
    if (base?.kind === 'text') {
      const text = this.#source.slice(base.start, base.end);
      const start = base.start + text.length - text.trimStart().length;
      if (start === base.end) return from + 1 < items.length ? from + 1 : undefined;
      if (start > base.start) {
        const blank = { ...base, end: start, references: NO_REFERENCES };
        items.splice(from, 1, blank, { ...base, start });
        return from + 1;
      }
    }
    return from < items.length ? from : undefined;
  }
}

/**
 * Whether several bases stand before their readings, which are told by their order: no base could be
 * given another place, or another word beside it, without the wrong reading.
 */
export function areReadingsApart(tokens: readonly Token[], ruby: number): boolean {
  const end = tokens[ruby]?.scopeEnd ?? 0;
  let isBase = false;
  for (let at = ruby + 1; at < end; at += 1) {
    const token = tokens[at];
    if (token?.kind !== 'open') continue;
    if (token.name === 'ruby') return false;
    if (token.name === 'rb' && isBase) return true;
    if (token.name === 'rb') isBase = true;
    else if (token.name === 'rt' || token.name === 'rtc') isBase = false;
  }
  return false;
}
