/** The strings of a workbook that cells refer to by number (ISO/IEC 29500-1, 18.4.9). */
import type { PartVisitor } from './part-reading.ts';
import { readRichString, type RichString } from './sheet-text.ts';
import type { TextExchange } from './text-exchange.ts';
import { serialise } from './xml-element.ts';

/** Numbers of strings that are used, one bit for each: a workbook may have millions. */
export class StringNumbers {
  #bits = new Uint8Array(1024);

  add(number: number): void {
    // No workbook has as many strings as this; what says so is damaged.
    if (!Number.isInteger(number) || number < 0 || number >= 100_000_000) return;
    const byte = number >> 3;
    if (byte >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(byte + 1, this.#bits.length * 2));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (number & 7));
  }

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }
}

/**
 * A visitor for one pass over the strings. Those that no cell shows are left as they are.
 *
 * @param options.fixed texts that stay, in lower case
 * @param options.onString called with each string that is offered
 */
export function sharedStringsVisitor(options: {
  exchange: TextExchange;
  used: StringNumbers;
  fixed: ReadonlySet<string>;
  onString?: (number: number, text: RichString) => void;
}): PartVisitor {
  const { exchange, used, fixed, onString } = options;
  let next = 0;
  return {
    isTree: (name) => name === 'x:si',
    tree: (element) => {
      const number = next;
      next += 1;
      if (!used.has(number)) return undefined;
      const text = readRichString(element);
      if (text === undefined || fixed.has(text.text.trim().toLowerCase())) return undefined;
      onString?.(number, text);
      const translated = exchange(text.segment, 'paragraph');
      return translated && serialise({ ...element, children: [text.write(translated)] });
    },
  };
}
