/**
 * Translates marked text with a translator that reports word alignment. Every word is sent in a tag with its
 * number, `<b i="3">house</b>`, and the tags of the answer tell which source words each translated word comes
 * from. Words that touch without a blank share a number, because a tag between them would separate them.
 */
import { entities, UNSPACED, type Token, WORD_OR_SYMBOL, type WordToken } from './marked-text.ts';

interface NumberedText {
  html: string;
  /** Reads the tokens of the translation: words with the elements of the source words they come from. */
  read(translated: string): Token[];
}

/** Words without blanks between them, and the gap before the next cluster. */
interface Cluster {
  words: WordToken[];
  /** Blanks and atoms after it. */
  gap: Token[];
}

/** A contiguous part of the translation, and the number of the cluster it comes from. */
interface Part {
  text: string;
  from: number | undefined;
}

const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;

/** Numbers the words. @param tokens must begin and end with a word */
export function numberWords(tokens: readonly Token[]): NumberedText {
  const clusters = clustersOf(tokens);
  const html = clusters
    .map(({ words, gap }, number) => {
      const text = words.map((word) => escapeText(word.text)).join('');
      return `<b i="${number}">${text}</b>${gap.some(isBlank) ? ' ' : ''}`;
    })
    .join('')
    .trimEnd();
  return { html, read: (translated) => tokensOf(partsOf(translated), clusters) };
}

/** Whether a text needs numbered words: it has marks, or line breaks that must stay. */
export function needsNumbers(tokens: readonly Token[]): boolean {
  return tokens.some(
    (token) =>
      token.kind === 'atom' ||
      (token.kind === 'word' ? token.elements.length > 0 : LINE_BREAK.test(token.text)),
  );
}

function isBlank({ kind }: Token): boolean {
  return kind === 'blank';
}

function clustersOf(tokens: readonly Token[]): Cluster[] {
  const clusters: Cluster[] = [];
  for (const token of tokens) {
    const last = clusters.at(-1);
    if (token.kind !== 'word') last?.gap.push(token);
    else if (last === undefined || last.gap.length > 0 || canDivide(last, token)) {
      clusters.push({ words: [token], gap: [] });
    } else last.words.push(token);
  }
  return clusters;
}

/** In scripts without blanks, a tag does no more harm than a blank would. */
function canDivide({ words }: Cluster, next: WordToken): boolean {
  const before = words.at(-1)?.text.slice(-2) ?? '';
  return UNSPACED.test(before) && UNSPACED.test(next.text.slice(0, 2));
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const TAG_OR_TEXT = /<(?:b i="(?<number>\d+)"|(?<end>\/b)|[^>]*)>|(?<text>[^<]+)/g;
const BLANK_OR_TEXT = /\s+|\S+/gu;

/** Returns the parts of an answer with their numbers; each blank is a separate part. */
function partsOf(html: string): Part[] {
  const parts: Part[] = [];
  const open: number[] = [];
  for (const { groups = {} } of html.matchAll(TAG_OR_TEXT)) {
    const { number, end, text } = groups;
    if (number !== undefined) open.push(Number(number));
    else if (end !== undefined) open.pop();
    if (text === undefined) continue;
    const plain = text.replace(/&(\w{2,4});/g, (whole, name: string) => entities[name] ?? whole);
    for (const [piece] of plain.matchAll(BLANK_OR_TEXT)) {
      const from = piece.trim() === '' ? undefined : open.at(-1);
      parts.push({ text: from === undefined && piece.trim() === '' ? ' ' : piece, from });
    }
  }
  return parts;
}

function tokensOf(parts: readonly Part[], clusters: readonly Cluster[]): Token[] {
  const gaps = placeGaps(parts, clusters);
  const tokens: Token[] = [];
  for (const [index, { text, from }] of parts.entries()) {
    for (const gap of gaps.before.get(index) ?? []) addGap(tokens, gap);
    if (text === ' ') addBlank(tokens);
    else tokens.push(...wordsOf(text, from === undefined ? undefined : clusters[from]));
    for (const gap of gaps.after.get(index) ?? []) addGap(tokens, gap);
  }
  while (tokens[0]?.kind === 'blank' && !tokens[0].fixed) tokens.shift();
  for (let last = tokens.at(-1); last?.kind === 'blank' && !last.fixed; last = tokens.at(-1)) {
    tokens.pop();
  }
  return tokens;
}

function addBlank(tokens: Token[]): void {
  const last = tokens.at(-1);
  if (last !== undefined && last.kind !== 'blank') {
    tokens.push({ kind: 'blank', text: ' ', fixed: false });
  }
}

/** Inserts the gap between two words in place of the blank there. */
function addGap(tokens: Token[], gap: readonly Token[]): void {
  const last = tokens.at(-1);
  if (gap[0]?.kind === 'blank' && last?.kind === 'blank' && !last.fixed) tokens.pop();
  tokens.push(...gap.map((token) => (token.kind === 'blank' ? { ...token, fixed: true } : token)));
}

/** Whether a token is a blank without a line break, which the translation sets by itself. */
function isSpace(token: Token | undefined): boolean {
  return token?.kind === 'blank' && !LINE_BREAK.test(token.text);
}

/**
 * Assigns places to gaps that are more than a blank. Content adjacent to the preceding word stays with that
 * word; otherwise it comes before the next word. If neither word was translated, the gap is placed in
 * proportion.
 */
function placeGaps(parts: readonly Part[], clusters: readonly Cluster[]) {
  const first = new Map<number, number>();
  const last = new Map<number, number>();
  for (const [index, { from }] of parts.entries()) {
    if (from === undefined) continue;
    if (!first.has(from)) first.set(from, index);
    last.set(from, index);
  }
  const before = new Map<number, Token[][]>();
  const after = new Map<number, Token[][]>();
  const put = (places: Map<number, Token[][]>, index: number, gap: Token[]) => {
    const others = places.get(index);
    if (others === undefined) places.set(index, [gap]);
    else others.push(gap);
  };
  for (const [number, { gap }] of clusters.entries()) {
    if (gap.every(isSpace)) continue;
    const isClinging = gap[0]?.kind === 'atom' && gap.at(-1)?.kind === 'blank';
    const [own, next] = [last.get(number), first.get(number + 1)];
    if (next !== undefined && !(isClinging && own !== undefined)) {
      put(before, next, isSpace(gap[0]) ? gap.slice(1) : gap);
      continue;
    }
    const share = Math.round(((number + 1) / clusters.length) * (parts.length - 1));
    put(after, own ?? Math.max(share, 0), isSpace(gap.at(-1)) ? gap.slice(0, -1) : gap);
  }
  return { before, after };
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * Returns the words and signs of a part. Words take over the elements of the source words in order; signs are
 * assigned to elements by the elements' edges.
 */
function wordsOf(text: string, cluster: Cluster | undefined): WordToken[] {
  const sources = (cluster?.words ?? []).flatMap((word) =>
    [...word.text.matchAll(WORD)].map(() => word.elements),
  );
  const words = text.match(WORD)?.length ?? 0;
  if (sources.every((elements) => elements.length === 0)) {
    return [...text.matchAll(WORD_OR_SYMBOL)].map(([part]) => wordToken(part, []));
  }
  const tokens: WordToken[] = [];
  let count = 0;
  for (const [part] of text.matchAll(WORD_OR_SYMBOL)) {
    const isWord = /[\p{L}\p{N}]/u.test(part);
    const place = Math.min(sources.length - 1, Math.floor((count * sources.length) / words));
    tokens.push(wordToken(part, isWord ? (sources[place] ?? []) : []));
    if (isWord) count += 1;
  }
  return tokens;
}

function wordToken(text: string, elements: readonly number[]): WordToken {
  return { kind: 'word', text, elements };
}
