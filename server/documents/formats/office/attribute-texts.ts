/** Texts that Office XML keeps in attributes: alternative texts, tooltips, entries of lists. */
import { exchangeText, type TextExchange } from './text-exchange.ts';
import { attribute, childOf, setAttribute, type XmlElement } from './xml-element.ts';
import { attributesOf } from './xml-text.ts';

/** Names of attributes, without prefix, by the elements that have them. */
const texts: Record<string, readonly string[]> = {
  'wp:docPr': ['descr', 'title'],
  'pic:cNvPr': ['descr', 'title'],
  'wps:cNvPr': ['descr', 'title'],
  'wpg:cNvPr': ['descr', 'title'],
  'p:cNvPr': ['descr', 'title'],
  'xdr:cNvPr': ['descr', 'title'],
  'a:hlinkClick': ['tooltip'],
  'v:textpath': ['string'],
  'w:hyperlink': ['tooltip'],
  'w:listEntry': ['val'],
  'w:tblCaption': ['val'],
  'w:tblDescription': ['val'],
};

/** A picture's name is often its file's, put there by the program. */
const FILE_NAME = /^\S+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)$/i;

/** Exchanges the texts in an element's own attributes. */
export function exchangeAttributes(element: XmlElement, exchange: TextExchange): void {
  if (element.name === 'w:textInput') exchangeDefault(element, exchange);
  else if (element.name === 'w:listItem') exchangeListItem(element, exchange);
  else if (element.name === 'w:helpText' || element.name === 'w:statusText') {
    // Otherwise it is the name of a text that Word keeps elsewhere.
    if (attribute(element, 'type') !== 'autoText') exchangeAttribute(element, 'val', exchange);
  }
  const names = texts[element.name] ?? (element.name.startsWith('v:') ? ['alt'] : undefined);
  if (names === undefined || !element.tag.includes('=')) return;
  for (const [written, value] of [...attributesOf(element.tag)]) {
    const local = written.slice(written.indexOf(':') + 1);
    if (!names.includes(local) || FILE_NAME.test(value)) continue;
    const translated = exchangeText(exchange, value, 'unit');
    if (translated !== undefined) setAttribute(element, written, translated);
  }
}

/** What a field of a form holds at first, unless it is a number, a date or a formula. */
function exchangeDefault(input: XmlElement, exchange: TextExchange): void {
  const type = childOf(input, 'w:type');
  if (type !== undefined && attribute(type, 'val') !== 'regular') return;
  const first = childOf(input, 'w:default');
  if (first !== undefined) exchangeAttribute(first, 'val', exchange);
}

/** An entry without words of its own shows its value, which programs know it by. */
function exchangeListItem(item: XmlElement, exchange: TextExchange): void {
  if (attribute(item, 'displayText') === undefined) {
    exchangeAttribute(item, 'value', exchange, 'displayText');
  } else {
    exchangeAttribute(item, 'displayText', exchange);
  }
}

/** Exchanges the text of one attribute; `into` is another one that is to hold it. */
function exchangeAttribute(
  element: XmlElement,
  name: string,
  exchange: TextExchange,
  into = name,
): void {
  const written = [...attributesOf(element.tag)].find(([key]) => key.split(':').at(-1) === name);
  if (written === undefined) return;
  const translated = exchangeText(exchange, written[1], 'unit');
  if (translated === undefined) return;
  setAttribute(element, written[0].slice(0, -name.length) + into, translated);
}
