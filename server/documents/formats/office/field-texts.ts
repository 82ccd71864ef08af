/** Words that people read in the codes of fields: entries of the index, and prompts to click on. */
import { exchangeText, type TextExchange } from './text-exchange.ts';
import { attribute, elementsOf, setAttribute, textOf, type XmlElement } from './xml-element.ts';
import { encodeText } from './xml-text.ts';

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
