/**
 * Runs one text through the steps of a route. Parts that a mode would spoil are taken out before the first
 * step, and artefacts of the rules are cleaned up after the last.
 */
import type { Turn } from '../../process/concurrency.ts';
import { hasLetters, type Mark, plainText, type TextSegment } from '../../text/text-segment.ts';
import type { Mode } from './apertium-modes.ts';
import { type ApertiumPipeline, escapeText, unescapeText } from './apertium-pipeline.ts';
import { commonCompounds } from './english/common-compounds.ts';
import {
  divided,
  dividedTokens,
  hasHyphen,
  type ModeWords,
  textOf,
  tokensWithoutInnerCapitals,
  withHyphens,
  withoutInnerCapitals,
} from './hyphenated-words.ts';
import {
  abbreviationsIn,
  escapedSigns,
  formulasIn,
  formulasOf,
  keptSurnames,
  keptWords,
  type KeptWords,
  type Part,
  replaced,
  replacedTokens,
  singleQuotes,
  type SingleQuotes,
  tokensWithKeptWords,
  undividedWords,
  withFreeNo,
  withinWords,
  withKeptWords,
} from './stand-ins.ts';
import { putMarksBack, restoreWordBlanks } from './marked-spans.ts';
import {
  type BlankToken,
  isOnlySigns,
  type MarkedText,
  innerRange,
  takeMarksApart,
  textsOf,
  type Token,
  withBlankAtWord,
  withFigures,
  withTexts,
  type WordToken,
  WORD_OR_SYMBOL,
} from './marked-text.ts';
import { asDictionariesKnow, quotedWords, type QuotedWords } from './quoted-words.ts';
import type { FedCall } from './segment-pieces.ts';
import { FINISHES } from './sentence-signs.ts';

/** A step of a route in progress. */
export interface Step {
  mode: Mode;
  pipeline: ApertiumPipeline;
}

export interface Run {
  steps: readonly Step[];
  words: ModeWords;
  call: FedCall;
  turn: Turn;
}

type Piece = string | TextSegment;

/**
 * Separates the items of a line (a title and a site, the cells and columns of a table, the parts of a
 * signature), and lines as programs write them (`Not found.\\nTry again.`). Does not match within a path
 * (`C:\\new`).
 */
const SEPARATOR =
  /((?<!\s)(?:\s+[·•]\s+|\s*\|+\s*)|(?:\\[nrt](?!\p{Ll}))+|(?<=\S) *\t[ \t]*(?=\S)|(?<=\S) {3,}(?=\S))/u;

/** Translates a text or a marked segment; no word moves across a separator. */
export async function translatePiece(piece: Piece, run: Run): Promise<Piece> {
  const known = asDictionariesKnow(directionOf(run).source);
  const sent = typeof piece === 'string' ? known(piece) : piece.map(known);
  const items = itemsOf([sent].flat());
  if (items.length === 1) return translateItem(sent, run);
  const translated = await Promise.all(
    items.map(async (item) => (hasLetters(item) ? await translateItem(item, run) : item)),
  );
  return typeof piece === 'string' ? plainText(translated.flat()) : translated.flat();
}

/** Cuts a segment at separators outside of elements; every second item is a separator. */
function itemsOf(segment: TextSegment): TextSegment[] {
  let item: (string | Mark)[] = [];
  const items: TextSegment[] = [item];
  let depth = 0;
  for (const part of segment) {
    const pieces = typeof part === 'string' && depth === 0 ? part.split(SEPARATOR) : [part];
    for (const [i, each] of pieces.entries()) {
      if (i % 2 === 1) items.push([each], (item = []));
      else if (each !== '') item.push(each);
    }
    if (typeof part !== 'string' && part.mark === 'open') depth += 1;
    else if (typeof part !== 'string' && part.mark === 'close') depth -= 1;
  }
  return items;
}

/** Removes the backslashes of program strings, translates, and puts the backslashes back. */
async function translateItem(piece: Piece, run: Run): Promise<Piece> {
  const signs = escapedSigns(typeof piece === 'string' ? piece : plainText(piece));
  if (signs.length === 0) return translateQuotes(piece, run);
  const change = (text: Piece, from: string, to: string): Piece => {
    const changed = (part: string) =>
      signs.reduce((all, sign) => all.replaceAll(from + sign, to + sign), part);
    if (typeof text === 'string') return changed(text);
    return text.map((part) => (typeof part === 'string' ? changed(part) : part));
  };
  return change(await translateQuotes(change(piece, '\\', ''), run), '', '\\');
}

/** Translates a piece and keeps quotation marks around the quoted words. */
function translateQuotes(piece: Piece, run: Run): Promise<Piece> {
  const quoted = quotedWords(piece, directionOf(run));
  return quoted === undefined ? translateAsIs(piece, run) : translateQuoted(piece, quoted, run);
}

function translateAsIs(piece: Piece, run: Run): Promise<Piece> {
  return typeof piece === 'string' ? translateText(piece, run) : translateMarked(piece, run);
}

async function translateQuoted(piece: Piece, quoted: QuotedWords, run: Run): Promise<Piece> {
  const restored = quoted.restore(await translateMarked(quoted.segment, run));
  if (restored === undefined) return translateAsIs(piece, run);
  return typeof piece === 'string' ? plainText(restored) : restored;
}

/** Translates a text without marks. */
async function translateText(text: string, run: Run): Promise<string> {
  const quotes = quotesOf(text, run);
  const [translated = ''] = quotes.restore([
    await translateWords(replaced(text, quotes.replacements), run),
  ]) ?? [await translateWords(text, run)];
  // Some rules drop a word that stands alone, such as `Si`; a text must not vanish.
  return LETTER.test(text) && !LETTER.test(translated) ? text : translated;
}

const LETTER = /\p{L}/u;

/** Translates a text whose quotation marks are already replaced. */
async function translateWords(text: string, run: Run): Promise<string> {
  const formulas = formulasOfText(text, run);
  const words =
    formulas.length > 0 || hasHyphen(text) ? await keptWordsOf(text, formulas, run) : NOTHING_KEPT;
  const stepped = await throughSteps(replaced(text, words.replacements), run);
  const kept = withKeptWords(stepped, words.kept, text) ?? (await throughSteps(text, run));
  const tight = tightened(withoutInnerCapitals(kept, text), text);
  return FINISHES.reduce(
    (current, finish) => replaced(current, finish(current, text, directionOf(run))),
    tight,
  );
}

/** With several steps, the second would read `i.e.` as Spanish and turn it into `i.Et.`. */
function formulasOfText(text: string, run: Run): Part[] {
  const { source } = directionOf(run);
  const formulas = [...formulasIn(text, source), ...keptSurnames(text, source)];
  return run.steps.length > 1 ? [...formulas, ...abbreviationsIn(text)] : formulas;
}

function directionOf({ steps }: Run) {
  return { source: steps[0]?.mode.source ?? '', target: steps.at(-1)?.mode.target ?? '' };
}

/** Only English needs this: other languages have no genitive with an apostrophe. */
function quotesOf(text: string, { steps }: Run): SingleQuotes {
  const isEnglish = steps.some(({ mode }) => mode.source === 'en' || mode.target === 'en');
  return singleQuotes(isEnglish ? text : '');
}

const NOTHING_KEPT: KeptWords = { replacements: [], kept: new Map() };

async function keptWordsOf(
  text: string,
  formulas: readonly Part[],
  { steps, words }: Run,
): Promise<KeptWords> {
  const [first] = steps;
  if (first === undefined) return NOTHING_KEPT;
  // Without a dictionary, compounds are left alone.
  const knows = (hasHyphen(text) ? await words(first.mode) : undefined) ?? (() => true);
  return keptWords(text, { knows, language: first.mode.source, formulas });
}

async function throughSteps(text: string, { steps, words, call, turn }: Run): Promise<string> {
  let current = text;
  for (const { mode, pipeline } of steps) {
    // Between two steps the call is in no queue, so `abandon` would not reach it.
    call.throwIfAborted();
    const step = (source: string) =>
      withHyphens(source, {
        mode,
        words,
        translate: async (divisions) => {
          const body = withFreeNo(escapeText(divided(source, divisions)), mode.source);
          return unescapeText(await pipeline.translate(body, turn));
        },
        textOf: (translated) => translated,
      });
    const compounds = commonCompounds(mode.source === 'en' ? current : '', mode.target);
    const stepped = await step(replaced(current, compounds.replacements));
    const [restored] = compounds.restore([stepped]) ?? [];
    current = restored ?? (await step(current));
  }
  return current;
}

/**
 * Translates a segment with marks. Blanks and marks at its ends stay there; everything between goes through
 * the steps.
 */
async function translateMarked(segment: TextSegment, run: Run): Promise<TextSegment> {
  const text = takeMarksApart(segment);
  const { start, end } = innerRange(text);
  const source = text.tokens.slice(start, end);
  const quotes = quotesOf(textOf(source), run);
  const translated = await translateTokens(replacedTokens(source, quotes.replacements), run);
  let inner =
    withTexts(translated, quotes.restore(textsOf(translated))) ??
    (await translateTokens(source, run));
  if (run.steps.at(-1)?.mode.marksArticles === true) inner = shareArticleMarks(inner);
  inner = withoutForeignSigns(restoreWordBlanks(inner, text), text);
  return putMarksBack([...text.tokens.slice(0, start), ...inner, ...text.tokens.slice(end)], text);
}

/** Translates tokens whose quotation marks are already replaced. */
async function translateTokens(source: readonly Token[], run: Run): Promise<Token[]> {
  const text = textOf(source);
  const formulas = [...formulasOf(source), ...formulasOfText(text, run)];
  const words =
    formulas.length > 0 || hasHyphen(text)
      ? undividedWords(await keptWordsOf(text, formulas, run), source)
      : NOTHING_KEPT;
  const stepped = await tokensThroughSteps(replacedTokens(source, words.replacements), run);
  const kept =
    tokensWithKeptWords(stepped, words.kept, text) ?? (await tokensThroughSteps(source, run));
  const tight = tightenedTokens(tokensWithoutInnerCapitals(kept, text), text);
  return FINISHES.reduce(
    (current, finish) => replacedTokens(current, finish(textOf(current), text, directionOf(run))),
    tight,
  );
}

async function tokensThroughSteps(
  tokens: readonly Token[],
  { steps, words, call, turn }: Run,
): Promise<Token[]> {
  let current = [...tokens];
  for (const { mode, pipeline } of steps) {
    call.throwIfAborted();
    const step = (source: readonly Token[]) =>
      withHyphens(textOf(source), {
        mode,
        words,
        textOf,
        translate: async (divisions) => {
          const { tokens: parts, restore } = withFigures(dividedTokens(source, divisions), mode);
          const body = withFreeNo(writeTokens(parts), mode.source);
          return restore(readTokens(await pipeline.translate(body, turn)));
        },
      });
    const text = mode.source === 'en' ? textOf(current) : '';
    const compounds = commonCompounds(text, mode.target, withinWords(current));
    const stepped = await step(replacedTokens(current, compounds.replacements));
    current = withTexts(stepped, compounds.restore(textsOf(stepped))) ?? (await step(current));
  }
  return current;
}

// Removes surplus blanks that rules leave before closing punctuation or after an opening sign when they drop
// or move a word (`(It is new)`: `( Es nuevo)`). Blanks beside the same signs in the source stay, and so do
// no-break blanks.

/** Closing signs; `.NET` and `:x` begin with one and do not match. */
const ENDING = /(?<blanks> {0,2})(?<signs>[.,;:!?)\]…”»]+)(?=[\s"'”’»)\]]|$)/gu;
const OPENING = /(?<=^|[\s(¿¡])(?<signs>["'“‘«‹([¿¡*_~]{1,3})(?<blanks> {0,2})(?=\S|$)/gu;
/** Signs that both open and close. */
const EITHER = /["*_~]/;
/** After such a character, a sign closes. */
const BEFORE_CLOSING = /[^\s([{¿¡—–-]/u;

/** A sign, the number of equal signs before it, and the blanks beside it. */
interface Beside {
  at: number;
  count: number;
  start: number;
  blanks: number;
}

function blanksBeside(pattern: RegExp, text: string): Map<string, Beside[]> {
  const found = new Map<string, Beside[]>();
  for (const { groups = {}, index: at } of text.matchAll(pattern)) {
    const { signs = '', blanks = '' } = groups;
    const same = found.get(signs) ?? [];
    const last = same.at(-1) ?? { at: 0, count: 0 };
    const count = last.count + text.slice(last.at, at).split(signs).length - 1;
    const start = pattern === OPENING ? at + signs.length : at;
    same.push({ at, count, start, blanks: blanks.length });
    found.set(signs, same);
  }
  return found;
}

/**
 * Returns the positions of blanks that the source does not have. When a sign occurs equally often in both
 * texts, each occurrence is compared with its counterpart.
 */
function looseBlanks(translated: string, source: string): number[] {
  return [ENDING, OPENING].flatMap((pattern) => {
    const before = blanksBeside(pattern, source);
    return [...blanksBeside(pattern, translated)].flatMap(([signs, all]) => {
      const own = before.get(signs) ?? [];
      const ends = pattern === OPENING && EITHER.test(signs) ? endsOf(source, signs) : [];
      const isPaired = ends.length === translated.split(signs).length - 1;
      return all.flatMap(({ at, count, start, blanks }, i) => {
        if (isPaired && ends[count] === true) return translated[at - 1] === ' ' ? [at - 1] : [];
        const compared = own.length === all.length ? own.slice(i, i + 1) : own;
        if (blanks === 0 || compared.some((each) => each.blanks > 0)) return [];
        return Array.from({ length: blanks }, (_, blank) => start + blank);
      });
    });
  });
}

/** Tells for each occurrence of a sign in a text whether it closes. */
function endsOf(text: string, signs: string): boolean[] {
  let end = 0;
  return text
    .split(signs)
    .slice(0, -1)
    .map((part) => {
      end += part.length;
      const isEnd = BEFORE_CLOSING.test(text.charAt(end - 1));
      end += signs.length;
      return isEnd;
    });
}

/** Removes surplus blanks from a translation. */
function tightened(translated: string, source: string): string {
  const loose = new Set(looseBlanks(translated, source));
  if (loose.size === 0) return translated;
  return translated
    .split('')
    .filter((_, place) => !loose.has(place))
    .join('');
}

/** Removes surplus blanks from the tokens of a translation. */
function tightenedTokens(tokens: readonly Token[], source: string): Token[] {
  const loose = new Set(looseBlanks(textOf(tokens), source));
  let start = 0;
  return tokens.filter((token) => {
    const place = start;
    start += token.kind === 'atom' ? 1 : token.text.length;
    return !(token.kind === 'blank' && token.text === ' ' && loose.has(place));
  });
}

// Conversion of words, blanks and marks to and from the stream format. A word in an inline element gets a
// word-bound blank, `[[t:x:3]]word[[/]]`, which the stages carry along with the word. Marks without words
// become superblanks, `[§3]`, which keep their place. The output of one step is read into tokens and written
// again as the input of the next.

/** Writes tokens as the body of a request. */
function writeTokens(tokens: readonly Token[]): string {
  let body = '';
  let open = '';
  for (const [i, token] of tokens.entries()) {
    const name = openAt(tokens, i, open);
    const begins = name !== open && name !== '';
    if (name !== open) {
      if (open !== '') body += '[[/]]';
      open = name;
    }
    body += begins ? withBlankAtWord(writeToken(token), name) : writeToken(token);
  }
  return open === '' ? body : `${body}[[/]]`;
}

/**
 * Returns the word-bound blank around a token. Neighbours in the same elements share one, including the
 * spaces between them, because a dictionary finds `in front of` only when it is undivided.
 */
function openAt(tokens: readonly Token[], i: number, open: string): string {
  const token = tokens[i];
  if (token?.kind === 'word') {
    const name = nameOf(token);
    const begins = name !== open && isOnlySigns(writeToken(token));
    return begins ? '' : name;
  }
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

/**
 * Word-bound blanks, superblanks, blanks and text. Brackets of the original text are escaped with a
 * backslash.
 */
const STREAM =
  /\[\[(?<bound>[^\]]*)\]\]|\[(?<superblank>[^\]]*)\]|(?<blank>[\s\u0085]+)|(?<text>(?:\\.|[^\\[\s\u0085])+)/gsu;

/** Reads the tokens of a body. */
function readTokens(body: string): Token[] {
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

/**
 * Appends a blank. Rules that drop or add a word leave surplus blanks; of adjacent ones, the source's stays.
 */
function addBlank(tokens: Token[], blank: BlankToken): void {
  if (blank.text === '') return;
  const last = tokens.at(-1);
  // Blanks at the ends were not sent; a blank here is left over from a dropped word.
  if (last === undefined && isSpace(blank)) return;
  if (last?.kind !== 'blank') tokens.push(blank);
  else if (!last.fixed && blank.fixed) tokens[tokens.length - 1] = blank;
  else if (blank.text !== ' ') tokens.push(blank);
}

function isSpace(token: Token | undefined): boolean {
  return token?.kind === 'blank' && token.text === ' ';
}

const LAST_SIGNS = /(?<=[\p{L}\p{M}\p{N}])[.,;:!?…]+$/u;

/**
 * Removes elements from trailing signs that were outside them in the source: some rules join the signs to the
 * word.
 */
function withoutForeignSigns(tokens: readonly Token[], { elements }: MarkedText): Token[] {
  return tokens.flatMap((token, i): Token[] => {
    const [signs = ''] = token.kind === 'word' ? (LAST_SIGNS.exec(token.text) ?? []) : [];
    const [innermost = -1] = token.kind === 'word' ? token.elements : [];
    if (token.kind !== 'word' || signs === '' || innermost < 0) return [token];
    const next = tokens[i + 1]?.kind === 'blank' ? tokens[i + 2] : tokens[i + 1];
    if (next?.kind === 'word' && next.elements.some((each) => token.elements.includes(each))) {
      return [token];
    }
    let around = innermost;
    while (around >= 0 && elements[around]?.trailing.endsWith(signs) !== true) {
      around = elements[around]?.parent ?? -1;
    }
    if (around === innermost) return [token];
    const word: Token = { ...token, text: token.text.slice(0, -signs.length) };
    return [word, { ...token, text: signs, elements: around < 0 ? [] : [around] }];
  });
}

/** Extends the elements of an article to the following word if that has none. */
function shareArticleMarks(tokens: readonly Token[]): Token[] {
  return tokens.map((token, i) => {
    const [article, between] = [tokens[i - 2], tokens[i - 1]];
    const isMarked = article?.kind === 'word' && /^the$/i.test(article.text);
    if (token.kind !== 'word' || token.elements.length > 0 || !isMarked) return token;
    return between?.kind === 'blank' ? { ...token, elements: article.elements } : token;
  });
}
