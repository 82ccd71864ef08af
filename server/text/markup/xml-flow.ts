/** Decides what the elements of XML mean for its sentences. */
import { ServiceError } from '../../../shared/errors.ts';
import type { Flow, FlowItem } from './flow.ts';
import { lenientXmlTokens } from './html-tokens.ts';
import type { MarkupOptions } from './flow.ts';
import { pairXml } from './pairing.ts';
import { charactersOf, endOf, type Token } from './token.ts';
import { xmlTokens } from './xml-tokens.ts';

/**
 * An element is structure when it must split or holds one that must; or, found out from the outline,
 * when it has text inside and stands where there is none beside it. All else is inline, and so is
 * everything within what is inline.
 *
 * @throws ServiceError invalid_request for version 2 when the text is not well-formed
 */
export function xmlFlow(source: string, options: MarkupOptions): Flow {
  const tokens = options.version === 'v1' ? readLeniently(source) : xmlTokens(source);
  const ignored = new Set(options.ignoreTags);
  const nonSplitting = new Set(options.nonSplittingTags);
  const splitting = new Set(options.splittingTags);
  const isIgnored = (token: Token): boolean => ignored.has(token.name) && token.scopeEnd > 0;
  const splits = ({ name }: Token): boolean => splitting.has(name) && !nonSplitting.has(name);
  const outline = outlineOf({ source, tokens, isIgnored, splits });

  const isInline = (index: number, token: Token): boolean => {
    if ((outline.holdsSplit[index] ?? 0) > 0) return false;
    if (nonSplitting.has(token.name)) return true;
    if (splits(token)) return false;
    if (options.outlineDetection === false) return true;
    const parent = outline.parent[index] ?? tokens.length;
    return outline.ownText[parent] === 1 || outline.text[index] === 0;
  };
  return {
    items: itemsOf({ tokens, isIgnored, isInline, splits }),
    characters: outline.characters,
  };
}

/** Version 1 takes what is not well-formed, too: stray tags stay in their places. */
function readLeniently(source: string): Token[] {
  try {
    return xmlTokens(source);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const tokens = lenientXmlTokens(source);
    pairXml(tokens);
    return tokens;
  }
}

/** By the index of a token; the whole text has the index after the last one. */
interface Outline {
  /** The element around. */
  parent: Int32Array;
  /** 1 where there is text beside the elements within. */
  ownText: Uint8Array;
  /** 1 where there is text at any depth. */
  text: Uint8Array;
  /** 1 where there is an element that must split at any depth. */
  holdsSplit: Uint8Array;
  characters: number;
}

const TEXT = /\S/;

function outlineOf({
  source,
  tokens,
  isIgnored,
  splits,
}: {
  source: string;
  tokens: readonly Token[];
  isIgnored: (token: Token) => boolean;
  splits: (token: Token) => boolean;
}): Outline {
  const size = tokens.length + 1;
  const parent = new Int32Array(size);
  const ownText = new Uint8Array(size);
  const text = new Uint8Array(size);
  const holdsSplit = new Uint8Array(size);
  let characters = 0;
  let around = tokens.length;
  let ignoredEnd = 0;
  for (const [index, token] of tokens.entries()) {
    characters += charactersOf(source, token);
    if (index < ignoredEnd) continue;
    parent[index] = around;
    if (token.kind === 'text' && TEXT.test(source.slice(token.start, token.end))) {
      ownText[around] = 1;
      text[around] = 1;
    } else if (token.kind === 'open' && isIgnored(token)) {
      ignoredEnd = token.scopeEnd;
    } else if (token.kind === 'open' && token.partner !== -1) {
      around = index;
    } else if (token.kind === 'close' && token.partner !== -1) {
      const outer = parent[around] ?? tokens.length;
      const opening = tokens[around];
      if (text[around] === 1) text[outer] = 1;
      if (holdsSplit[around] === 1 || (opening !== undefined && splits(opening))) {
        holdsSplit[outer] = 1;
      }
      around = outer;
    } else if (token.name !== '' && splits(token)) {
      holdsSplit[around] = 1;
    }
  }
  return { parent, ownText, text, holdsSplit, characters };
}

function itemsOf({
  tokens,
  isIgnored,
  isInline,
  splits,
}: {
  tokens: readonly Token[];
  isIgnored: (token: Token) => boolean;
  isInline: (index: number, token: Token) => boolean;
  splits: (token: Token) => boolean;
}): FlowItem[] {
  const items: FlowItem[] = [];
  const structure = new Set<number>();
  /** Everything before is within an inline element. */
  let inlineEnd = 0;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) break;
    const { kind, start, end, partner, scopeEnd, references } = token;
    const isPaired = (kind === 'open' || kind === 'close') && partner !== -1;
    if (kind === 'text') {
      items.push({ kind, start, end, references });
    } else if (kind === 'open' && isIgnored(token)) {
      items.push({ kind: 'lone', word: true, start, end: endOf(tokens, scopeEnd) });
      index = scopeEnd - 1;
    } else if (!isPaired) {
      if (token.name !== '' && splits(token)) items.push({ kind: 'cut', start, end });
      else items.push({ kind: 'lone', word: false, start, end });
    } else if (kind === 'open') {
      const inline = index < inlineEnd || isInline(index, token);
      if (inline) inlineEnd = Math.max(inlineEnd, scopeEnd);
      else structure.add(index);
      items.push(inline ? { kind, element: index, start, end } : { kind: 'cut', start, end });
    } else {
      const inline = !structure.has(partner);
      items.push(inline ? { kind, element: partner, start, end } : { kind: 'cut', start, end });
    }
  }
  return items;
}
