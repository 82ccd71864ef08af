/**
 * One text on its way through the steps of a route: what a mode would spoil is taken out before the
 * first, and what its rules leave behind is cleaned up after the last.
 */
import type { Turn } from '../../process/concurrency.ts';
import type { TextSegment } from '../../text/text-segment.ts';
import type { Mode } from './apertium-modes.ts';
import type { ApertiumPipeline } from './apertium-pipeline.ts';
import { escapeText, unescapeText } from './apertium-stream.ts';
import { readTokens, shareArticleMarks, writeTokens } from './apertium-tokens.ts';
import {
  compoundHyphens,
  divided,
  dividedTokens,
  hasHyphen,
  hasLooseHyphens,
  hasLostHyphens,
  textOf,
  tokensWithoutInnerCapitals,
  withoutInnerCapitals,
  type Division,
  type KnowsWord,
} from './hyphenated-words.ts';
import {
  keptWords,
  replaced,
  replacedTokens,
  tokensWithKeptWords,
  undividedWords,
  withKeptWords,
  type KeptWords,
} from './kept-words.ts';
import { putMarksBack, restoreWordBlanks } from './marked-spans.ts';
import { takeMarksApart, type Token } from './marked-text.ts';

/** What a mode knows; undefined where its dictionary cannot be read. */
export type ModeWords = (mode: Mode) => Promise<KnowsWord | undefined>;

/** A step of a route on its way. */
export interface Step {
  mode: Mode;
  pipeline: ApertiumPipeline;
}

export interface Run {
  steps: readonly Step[];
  words: ModeWords;
  /** Aborted when nobody waits for the text any more. */
  signal: AbortSignal;
  turn: Turn;
}

/** A text without marks, translated. */
export async function translateText(text: string, run: Run): Promise<string> {
  const words = hasHyphen(text) ? await keptWordsOf(text, run) : NOTHING_KEPT;
  const stepped = await throughSteps(replaced(text, words.replacements), run);
  const kept = withKeptWords(stepped, words.kept, text) ?? (await throughSteps(text, run));
  const translated = tightened(withoutInnerCapitals(kept, text), text);
  // Some rules drop a word that stands alone, `Si`: a text must not vanish.
  return LETTER.test(text) && !LETTER.test(translated) ? text : translated;
}

const LETTER = /\p{L}/u;

const NOTHING_KEPT: KeptWords = { replacements: [], kept: new Map() };

async function keptWordsOf(text: string, { steps, words }: Run): Promise<KeptWords> {
  const [first] = steps;
  const knows = first === undefined ? undefined : await words(first.mode);
  if (first === undefined || knows === undefined) return NOTHING_KEPT;
  return keptWords(text, knows, first.mode.source);
}

async function throughSteps(text: string, { steps, words, signal, turn }: Run): Promise<string> {
  let current = text;
  for (const { mode, pipeline } of steps) {
    // Between two steps nothing was in a queue to be taken out.
    signal.throwIfAborted();
    const source = current;
    current = await withHyphens(source, {
      ...{ mode, words },
      translate: async (divisions) =>
        unescapeText(await pipeline.translate(escapeText(divided(source, divisions)), turn)),
      textOf: (translated) => translated,
    });
  }
  return current;
}

/**
 * A segment with marks, translated. The blanks and marks at its ends stay there; all between goes
 * through the steps.
 */
export async function translateMarked(segment: TextSegment, run: Run): Promise<TextSegment> {
  const text = takeMarksApart(segment);
  const isInner = (token: Token) =>
    token.kind === 'word' || (token.kind === 'atom' && (text.atoms[token.atom]?.parent ?? -1) >= 0);
  const start = Math.max(text.tokens.findIndex(isInner), 0);
  const end = text.tokens.findLastIndex(isInner) + 1;
  const source = text.tokens.slice(start, end);
  const sourceText = textOf(source);
  const words = hasHyphen(sourceText)
    ? undividedWords(await keptWordsOf(sourceText, run), source)
    : NOTHING_KEPT;
  const stepped = await tokensThroughSteps(replacedTokens(source, words.replacements), run);
  let inner =
    tokensWithKeptWords(stepped, words.kept, sourceText) ?? (await tokensThroughSteps(source, run));
  inner = tightenedTokens(tokensWithoutInnerCapitals(inner, sourceText), sourceText);
  const modesUsed = run.steps.map(({ mode }) => mode);
  if (modesUsed.at(-1)?.marksArticles === true) inner = shareArticleMarks(inner);
  if (modesUsed.some((mode) => mode.losesWordBlanks)) inner = restoreWordBlanks(inner, text);
  return putMarksBack([...text.tokens.slice(0, start), ...inner, ...text.tokens.slice(end)], text);
}

async function tokensThroughSteps(
  tokens: readonly Token[],
  { steps, words, signal, turn }: Run,
): Promise<Token[]> {
  let current = [...tokens];
  for (const { mode, pipeline } of steps) {
    signal.throwIfAborted();
    const source = current;
    current = await withHyphens(textOf(source), {
      ...{ mode, words, textOf },
      translate: async (divisions) => {
        const body = writeTokens(dividedTokens(source, divisions));
        return readTokens(await pipeline.translate(body, turn));
      },
    });
  }
  return current;
}

/**
 * Translates with the hyphens of unknown compounds between blanks or as blanks: in English at once, for
 * it puts such compounds before what they describe; in other languages where hyphens have come to
 * nothing.
 */
async function withHyphens<Translated>(
  text: string,
  {
    mode,
    words,
    translate,
    textOf: textOfTranslated,
  }: {
    mode: Mode;
    words: ModeWords;
    /** @param divisions what takes the place of hyphens */
    translate: (divisions: readonly Division[]) => Promise<Translated>;
    textOf: (translated: Translated) => string;
  },
): Promise<Translated> {
  const knows = hasHyphen(text) ? await words(mode) : undefined;
  if (knows === undefined) return translate([]);
  const { unknown, plain, enclitic } = compoundHyphens(text, knows);
  const places = mode.source === 'en' ? plain : [];
  // Where rules drop or move such a word, what stood around it would be glued together.
  const apart = enclitic.map((place) => ({ place, by: ' -' }));
  const translateWith = (hyphens: readonly number[], by: string) =>
    translate(
      [...apart, ...hyphens.map((place) => ({ place, by }))].sort((a, b) => a.place - b.place),
    );
  const isLost = (translated: Translated) =>
    hasLostHyphens(textOfTranslated(translated), unknown.length - places.length);
  let translated = await translateWith(places, ' - ');
  // No rule has made use of one.
  if (hasLooseHyphens(textOfTranslated(translated), text))
    translated = await translateWith(places, ' ');
  return isLost(translated) ? translateWith(unknown, ' ') : translated;
}

// Blanks before a full stop, a comma and the like that rules have left where they have dropped or moved
// a word. What the source has before its own signs stays, and so do no-break blanks.

/** Signs that end something; `.NET` and `:x` begin with one. */
const SIGNS = /( {0,2})([.,;:!?)…]+)(?=[\s"'”’»)\]]|$)/gu;

/** Where signs stand, the blanks before them included. */
interface Signs {
  start: number;
  blanks: number;
}

function signsIn(text: string): Map<string, Signs[]> {
  const found = new Map<string, Signs[]>();
  for (const { 1: blanks = '', 2: signs = '', index } of text.matchAll(SIGNS)) {
    const same = found.get(signs) ?? [];
    same.push({ start: index, blanks: blanks.length });
    found.set(signs, same);
  }
  return found;
}

/** The places of blanks that the source has not: of signs as often as there, each is its own. */
function looseBlanks(translated: string, source: string): number[] {
  const before = signsIn(source);
  return [...signsIn(translated)].flatMap(([signs, all]) => {
    const own = before.get(signs) ?? [];
    const hasAny = own.some(({ blanks }) => blanks > 0);
    return all.flatMap(({ start, blanks }, i) => {
      const isKept = own.length === all.length ? (own[i]?.blanks ?? 0) > 0 : hasAny;
      return isKept ? [] : Array.from({ length: blanks }, (_, blank) => start + blank);
    });
  });
}

/** A translation without such blanks. */
function tightened(translated: string, source: string): string {
  const loose = new Set(looseBlanks(translated, source));
  if (loose.size === 0) return translated;
  return translated
    .split('')
    .filter((_, place) => !loose.has(place))
    .join('');
}

/** The tokens of a translation without such blanks. */
function tightenedTokens(tokens: readonly Token[], source: string): Token[] {
  const loose = new Set(looseBlanks(textOf(tokens), source));
  let start = 0;
  return tokens.filter((token) => {
    const place = start;
    start += token.kind === 'atom' ? 1 : token.text.length;
    return !(token.kind === 'blank' && token.text === ' ' && loose.has(place));
  });
}
