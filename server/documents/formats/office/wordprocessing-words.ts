/**
 * Words of a Word document beside its running text: those that elements keep in attributes (alternative
 * texts, tips, entries of lists), and those in the codes of fields.
 */
import { exchangeText, type TextExchange } from './office-parts.ts';
import {
  attribute,
  attributesOf,
  childOf,
  elementsOf,
  encodeText,
  setAttribute,
  textOf,
  type XmlElement,
} from './xml-element.ts';

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

// The codes of fields: entries of the index, and prompts to click on.

/** Exchanges the words in the codes of those fields that begin and end in a paragraph. */
export function exchangeFieldCodes(paragraph: XmlElement, exchange: TextExchange): void {
  /** The pieces of code of the field at hand, undefined outside and in fields with others inside. */
  let code: XmlElement[] | undefined;
  for (const run of runsOf(paragraph)) {
    for (const child of elementsOf(run)) {
      if (child.name === 'w:instrText') code?.push(child);
      if (child.name !== 'w:fldChar') continue;
      if (attribute(child, 'fldCharType') === 'begin') {
        code = [];
      } else {
        if (code !== undefined) exchangeCode(code, exchange);
        code = undefined;
      }
    }
  }
}

function* runsOf(element: XmlElement): Generator<XmlElement> {
  for (const child of elementsOf(element)) {
    if (child.name === 'w:r') yield child;
    // A paragraph within, in a text box, is gone through on its own.
    else if (child.name !== 'w:p') yield* runsOf(child);
  }
}

function exchangeCode(pieces: readonly XmlElement[], exchange: TextExchange): void {
  const [first, ...rest] = pieces;
  if (first === undefined) return;
  const code = pieces.map(textOf).join('');
  const changed = translatedCode(code, exchange);
  if (changed === undefined) return;
  first.children = [encodeText(changed)];
  setAttribute(first, 'xml:space', 'preserve');
  for (const piece of rest) piece.children = [];
}

/** The code of a field with its words translated; undefined when nothing changes. */
function translatedCode(code: string, exchange: TextExchange): string | undefined {
  const entry = /^(\s*XE\s+")((?:[^"\\]|\\.)*)(".*)$/is.exec(code);
  if (entry !== null) {
    const [, before = '', text = '', after = ''] = entry;
    const changed = translatedEntry(text, exchange);
    return changed === undefined ? undefined : before + changed + after;
  }
  const before = /^\s*MACROBUTTON\s+\S+\s+/i.exec(code)?.[0];
  if (before === undefined) return undefined;
  const prompt = code.slice(before.length);
  const words = prompt.trimEnd();
  const changed = exchangeText(exchange, words, 'unit');
  return changed === undefined ? undefined : before + changed + prompt.slice(words.length);
}

/** Levels of an entry stand between colons; signs that mean something in codes are escaped. */
function translatedEntry(text: string, exchange: TextExchange): string | undefined {
  const levels = text.match(/(?:[^:\\]|\\.)+|:/gs) ?? [];
  const translated = levels.map((level) => {
    const changed = exchangeText(exchange, level.replace(/\\(.)/gs, '$1'), 'unit');
    return changed === undefined ? level : changed.replace(/[\\":]/g, '\\$&');
  });
  const written = translated.join('');
  return written === text ? undefined : written;
}
