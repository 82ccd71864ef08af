/** The properties of an Office file that are text people read: its title, subject and description. */
import type { TextPart } from './office-parts.ts';
import type { OfficePackage } from './package-parts.ts';
import { exchangeText, type TextExchange } from './text-exchange.ts';
import { serialise, textOf, type XmlElement } from './xml-element.ts';
import { encodeText } from './xml-text.ts';

const TEXTS = new Set(['dc:title', 'dc:subject', 'dc:description']);

/** The part with the file's properties. */
export function propertyParts(office: OfficePackage): TextPart[] {
  return office.partsOfType('core-properties+xml').map((entry) => ({
    entry,
    visitor: (exchange, target) => ({
      isTree: (name) => TEXTS.has(name) || name === 'dc:language',
      tree(element) {
        if (element.name !== 'dc:language') return exchangeProperty(element, exchange);
        return target && written(element, target.tag);
      },
    }),
  }));
}

function exchangeProperty(element: XmlElement, exchange: TextExchange): string | undefined {
  const translated = exchangeText(exchange, textOf(element), 'unit');
  return translated === undefined ? undefined : written(element, translated);
}

function written(element: XmlElement, text: string): string {
  element.children = [encodeText(text)];
  return serialise(element);
}
