/** Numbering with words: "Chapter 1", "Article II". */
import type { Mark } from '../../../text/text-segment.ts';
import type { PartVisitor } from './part-reading.ts';
import { hasLetters, type TextExchange } from './text-exchange.ts';
import {
  attribute,
  serialise,
  setAttribute,
  writtenPrefix,
  type XmlElement,
} from './xml-element.ts';

/** Where the number of a level goes. */
const NUMBER = /(%[1-9])/;

/** Exchanges the words of numbering; a letter or sign that is a bullet has no number and stays. */
export function numberingVisitor(exchange: TextExchange): PartVisitor {
  return {
    isTree: (name) => name === 'w:lvlText',
    tree(element) {
      return exchangeLevel(element, exchange) ? serialise(element) : undefined;
    },
  };
}

function exchangeLevel(level: XmlElement, exchange: TextExchange): boolean {
  const parts = (attribute(level, 'val') ?? '').split(NUMBER).filter((part) => part !== '');
  const words = parts.filter((part) => !NUMBER.test(part)).join(' ');
  if (!parts.some((part) => NUMBER.test(part)) || !hasLetters(words)) return false;
  const numbers: string[] = [];
  const segment = parts.map((part): string | Mark => {
    if (!NUMBER.test(part)) return part;
    numbers.push(part);
    return { mark: 'lone', id: numbers.length };
  });
  const translated = exchange(segment, 'unit');
  const prefix = writtenPrefix(level);
  if (translated === undefined || prefix === '') return false;
  const text = translated.map((part) =>
    typeof part === 'string' ? part.replaceAll('%', '') : (numbers[part.id - 1] ?? ''),
  );
  setAttribute(level, `${prefix}val`, text.join(''));
  return true;
}
