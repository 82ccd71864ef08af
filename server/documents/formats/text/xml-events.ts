/**
 * Goes through an XML document once, telling where each thing stands. No document type is taken, so
 * there are no entities to expand.
 */
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { DocumentError } from '../format.ts';

/** A stretch of a text, in UTF-16 units. */
export interface Span {
  start: number;
  end: number;
}

/** A start tag. */
export interface XmlElement {
  /** Without its prefix. */
  name: string;
  /** Namespace; empty for none. */
  uri: string;
  /** Value of an attribute, by its name with prefix; `xml:` is always bound. */
  attribute: (name: string) => string | undefined;
}

export interface XmlEvents {
  /** @param isData whether it is a CDATA section, which the span covers with its borders */
  text(span: Span, isData: boolean): void;
  /** @param isEmpty whether it ends with its start tag, and `close` is not called for it */
  open(element: XmlElement, span: Span, isEmpty: boolean): void;
  close(span: Span): void;
}

/** Deeper than any document of a person, and shallow enough for whoever walks through it. */
const MAX_DEPTH = 250;

/** @throws DocumentError when it is not well-formed, has a document type or is nested too deeply */
export function readXml(text: string, events: XmlEvents): void {
  const parser = new SaxesParser({ xmlns: true, position: false });
  // The parser says where markup ends; it begins at the next `<`, because text has none.
  let end = 0;
  let depth = 0;
  const next = (markupEnd = parser.position): Span => {
    const start = text.indexOf('<', end);
    if (start > end && depth > 0) events.text({ start: end, end: start }, false);
    end = markupEnd;
    return { start, end };
  };
  parser.on('error', (cause) => {
    throw damaged(text, parser.position, cause);
  });
  parser.on('doctype', () => {
    throw new DocumentError(
      'The file has a document type declaration (<!DOCTYPE …>), which is not accepted. Remove it and send the file again.',
    );
  });
  parser.on('xmldecl', () => void next());
  // Reported after `--`, when the `>` is still to come.
  parser.on('comment', () => void next(parser.position + 1));
  parser.on('processinginstruction', () => void next());
  parser.on('cdata', () => events.text(next(), true));
  parser.on('opentag', (tag) => {
    const span = next();
    if (!tag.isSelfClosing) depth += 1;
    if (depth > MAX_DEPTH)
      throw new DocumentError(
        'The elements of the file are nested too deeply. Export it anew with a simpler structure.',
      );
    events.open(elementOf(tag), span, tag.isSelfClosing);
  });
  parser.on('closetag', ({ isSelfClosing }) => {
    if (isSelfClosing) return;
    const span = next();
    depth -= 1;
    events.close(span);
  });
  parser.write(text).close();
}

function elementOf({ local, uri, attributes }: SaxesTagNS): XmlElement {
  return {
    name: local,
    uri,
    attribute: (name) => (Object.hasOwn(attributes, name) ? attributes[name]?.value : undefined),
  };
}

function damaged(text: string, position: number, cause: Error): DocumentError {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) {
    line += 1;
  }
  return new DocumentError(
    `The file is damaged: it is not well-formed XML (line ${line}). Export it anew and send it again.`,
    { cause },
  );
}

/** A start tag with attributes changed, added or, where undefined, removed. Values are given unescaped. */
export function withAttributes(
  tag: string,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  let changed = tag;
  for (const [name, value] of Object.entries(changes)) {
    const pattern = new RegExp(`(?<!\\s)\\s+${name}\\s*=\\s*(?:"[^"]*"|'[^']*')`);
    const written = value === undefined ? '' : ` ${name}="${escapedValue(value)}"`;
    if (pattern.test(changed)) changed = changed.replace(pattern, () => written);
    else changed = changed.replace(/(?<!\s)\s*\/?>$/, (end) => written + end);
  }
  return changed;
}

function escapedValue(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
