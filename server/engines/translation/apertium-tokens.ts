/**
 * Words, blanks and marks on their way through a pipeline. A word that belongs to an inline element
 * has a word-bound blank, `[[t:x:3]]word[[/]]`, which the stages carry along wherever the word goes;
 * what has no words is a superblank, `[§3]`, and stays where it is. The output of one step is read
 * into tokens again and written as the input of the next.
 */
import { escapeText } from './apertium-stream.ts';
import type { BlankToken, Token, WordToken } from './marked-text.ts';

/** Tokens as the body of a request. */
export function writeTokens(tokens: readonly Token[]): string {
  let body = '';
  let open = '';
  for (const [i, token] of tokens.entries()) {
    const name = openAt(tokens, i, open);
    if (name !== open) {
      if (open !== '') body += '[[/]]';
      if (name !== '') body += `[[${name}]]`;
      open = name;
    }
    body += writeToken(token);
  }
  return open === '' ? body : `${body}[[/]]`;
}

/**
 * The word-bound blank a token stands in. Neighbours of the same elements share one, spaces between
 * them included, because a dictionary finds `in front of` only when nothing divides it.
 */
function openAt(tokens: readonly Token[], i: number, open: string): string {
  const token = tokens[i];
  if (token?.kind === 'word') return nameOf(token);
  if (open === '' || token?.kind !== 'blank' || token.fixed) return '';
  const next = tokens[i + 1];
  return next?.kind === 'word' && nameOf(next) === open ? open : '';
}

function nameOf({ elements }: WordToken): string {
  return elements.map((element) => `t:x:${element}`).join('; ');
}

function writeToken(token: Token): string {
  if (token.kind === 'word') return escapeText(token.text);
  if (token.kind === 'atom') return `[§${token.atom}]`;
  return token.fixed ? `[${token.text}]` : ' ';
}

/** Word-bound blanks, superblanks, blanks and text. Brackets of users come with a backslash. */
const STREAM =
  /\[\[(?<bound>[^\]]*)\]\]|\[(?<superblank>[^\]]*)\]|(?<blank>[\s\u0085]+)|(?<text>(?:\\.|[^\\[\s\u0085])+)/gsu;
/** Where an element ends may be between a word and a quotation mark that no dictionary knows. */
const WORD_OR_SYMBOL = /[\p{L}\p{M}\p{N}]+|./gsu;

/** The tokens of a body. */
export function readTokens(body: string): Token[] {
  const tokens: Token[] = [];
  let elements: readonly number[] = [];
  for (const { groups = {} } of body.matchAll(STREAM)) {
    const { bound, superblank, blank, text } = groups;
    if (bound !== undefined) elements = readElements(bound);
    else if (superblank !== undefined) addSuperblank(tokens, superblank);
    else if (blank !== undefined) addBlank(tokens, { kind: 'blank', text: ' ', fixed: false });
    else if (text !== undefined) addText(tokens, text.replaceAll(/\\(.)/gsu, '$1'), elements);
  }
  if (isSpace(tokens.at(-1))) tokens.pop();
  return tokens;
}

function readElements(bound: string): number[] {
  return [...new Set([...bound.matchAll(/t:x:(\d+)/g)].map(([, id]) => Number(id)))];
}

function addSuperblank(tokens: Token[], text: string): void {
  if (text.startsWith('§')) tokens.push({ kind: 'atom', atom: Number(text.slice(1)) });
  else if (/^[\s\u0085]*$/u.test(text)) addBlank(tokens, { kind: 'blank', text, fixed: true });
  else tokens.push({ kind: 'word', text, elements: [] });
}

function addText(tokens: Token[], text: string, elements: readonly number[]): void {
  if (elements.length > 0) tokens.push({ kind: 'word', text, elements });
  else
    for (const [part] of text.matchAll(WORD_OR_SYMBOL))
      tokens.push({ kind: 'word', text: part, elements });
}

/** Rules that drop or add a word leave blanks too many: of neighbours, the one of the source stays. */
function addBlank(tokens: Token[], blank: BlankToken): void {
  if (blank.text === '') return;
  const last = tokens.at(-1);
  // Blanks at the ends were not sent; these are what a word has left behind.
  if (last === undefined && isSpace(blank)) return;
  if (last?.kind !== 'blank') tokens.push(blank);
  else if (!last.fixed && blank.fixed) tokens[tokens.length - 1] = blank;
  else if (blank.text !== ' ') tokens.push(blank);
}

function isSpace(token: Token | undefined): boolean {
  return token?.kind === 'blank' && token.text === ' ';
}

/** With the elements of an article given to the word after it, where that has none. */
export function shareArticleMarks(tokens: readonly Token[]): Token[] {
  return tokens.map((token, i) => {
    const [article, between] = [tokens[i - 2], tokens[i - 1]];
    const isMarked = article?.kind === 'word' && /^the$/i.test(article.text);
    if (token.kind !== 'word' || token.elements.length > 0 || !isMarked) return token;
    return between?.kind === 'blank' ? { ...token, elements: article.elements } : token;
  });
}
