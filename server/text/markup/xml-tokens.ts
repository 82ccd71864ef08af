/** Takes XML apart: documents and fragments, strictly well-formed. */
import { SaxesParser } from 'saxes';
import { ServiceError } from '../../../shared/errors.ts';
import { NO_REFERENCES } from './text-layout.ts';
import { xmlReferences } from './references.ts';
import type { Token } from './token.ts';

/** What is answered to markup that cannot be read; clients know these words. */
export const PARSING_FAILED = 'Tag handling parsing failed, please check input.';

/**
 * The tokens of XML; elements are paired. A text without a declaration may be a fragment: text and
 * several elements side by side. Entities that are not declared here are accepted and left alone.
 *
 * @throws ServiceError invalid_request when it is not well-formed
 */
export function xmlTokens(source: string): Token[] {
  const isDeclared = /^\uFEFF?<\?xml\s/.test(source);
  try {
    try {
      return read(source, !isDeclared);
    } catch (error) {
      // Only whole documents have a document type; in a fragment the parser takes none.
      if (isDeclared || !source.includes('<!DOCTYPE')) throw error;
      return read(source, false);
    }
  } catch (error) {
    throw new ServiceError('invalid_request', PARSING_FAILED, { cause: error });
  }
}

const ENTITY = /&([^\s&;#]{1,256});/g;

/**
 * The parser says where each piece of markup ends; it begins at the next `<`, because no text of
 * well-formed XML has one. So every token is a slice of the source, whatever the parser made of it.
 */
function read(source: string, fragment: boolean): Token[] {
  const parser = new SaxesParser({ fragment, position: false });
  for (const [, name = ''] of source.matchAll(ENTITY)) parser.ENTITIES[name] ??= '';
  const tokens: Token[] = [];
  const open: number[] = [];
  let end = 0;
  const add = (kind: Token['kind'], name: string, tokenEnd = parser.position): Token => {
    const start = source.indexOf('<', end);
    if (start > end) tokens.push(textToken(source, end, start));
    end = tokenEnd;
    const token = markupToken(kind, name, start, end);
    tokens.push(token);
    return token;
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('xmldecl', () => void add('lone', ''));
  parser.on('doctype', () => void add('lone', ''));
  // Reported after `--`, when the `>` is still to come.
  parser.on('comment', () => void add('lone', '', parser.position + 1));
  parser.on('processinginstruction', () => void add('lone', ''));
  parser.on('cdata', () => void add('data', ''));
  parser.on('opentag', ({ name, isSelfClosing }) => {
    add(isSelfClosing ? 'lone' : 'open', name);
    if (!isSelfClosing) open.push(tokens.length - 1);
  });
  parser.on('closetag', ({ name, isSelfClosing }) => {
    if (isSelfClosing) return;
    const partner = open.pop() ?? -1;
    add('close', name).partner = partner;
    const opening = tokens[partner];
    if (opening === undefined) return;
    opening.partner = tokens.length - 1;
    opening.scopeEnd = tokens.length;
  });
  parser.write(source).close();
  if (end < source.length) tokens.push(textToken(source, end, source.length));
  return tokens;
}

/** A run of text. */
export function textToken(source: string, start: number, end: number): Token {
  const references = xmlReferences(source, start, end);
  return { ...markupToken('text', '', start, end), references };
}

/** Anything else, not yet paired. */
export function markupToken(kind: Token['kind'], name: string, start: number, end: number): Token {
  return {
    kind,
    start,
    end,
    name,
    partner: -1,
    scopeEnd: 0,
    references: NO_REFERENCES,
    untranslated: false,
  };
}
