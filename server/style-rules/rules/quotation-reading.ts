/** Finds the quotations of a text, including nested ones, and distinguishes their marks from apostrophes. */
import {
  characterBefore,
  characterFrom,
  isBlank,
  isEastAsian,
  isFigure,
  isLetter,
} from './mechanical-rule.ts';

/** A pair of quotation marks, by UTF-16 positions; `depth` 0 is outermost. */
export interface Quotation {
  open: number;
  close: number;
  depth: number;
  /** Kind of marks as written. */
  kind: 'single' | 'double';
  /**
   * Kind that keeps the quotation apart from the one around it if both get marks of one form: `single` for
   * `“ ”` within `« »`; else as written.
   */
  distinctKind: 'single' | 'double';
  isStraight: boolean;
}

/** A mark at the very start or end of a text, whose partner is in another sentence. */
export interface HalfQuotation extends Omit<Quotation, 'open' | 'close'> {
  at: number;
  side: 'open' | 'close';
}

export interface QuotationMarks {
  /** In no particular order. */
  quotations: readonly Quotation[];
  /** Two at most; all quotations are nested inside them. */
  halves: readonly HalfQuotation[];
  /** Positions of apostrophes. */
  apostrophes: readonly number[];
  /** Whether single marks were left out because they may be apostrophes. */
  hasDoubt: boolean;
}

const MARKS = /["“”„‟«»「」『』＂'‘’‚‹›]/g;
const SINGLE = /['‘’‚‹›]/;
/** At the end of a text, only punctuation and formatting may follow a closing mark. */
const END = /^[.,;:!?…。，！？\uFDD0]{0,7}$/u;
const NO_QUOTATIONS: QuotationMarks = {
  quotations: [],
  halves: [],
  apostrophes: [],
  hasDoubt: false,
};

/** Possible closing marks, by opening mark. */
const closers: Readonly<Record<string, string | undefined>> = {
  '"': '"”',
  '＂': '＂',
  '“': '”"',
  '„': '“”"',
  '‟': '”',
  '”': '”',
  '«': '»',
  '»': '«',
  '「': '」',
  '『': '』',
  "'": "'’",
  '‘': "’'",
  '‚': "‘’'",
  '‹': '›',
  '›': '‹',
};

/** Marks that may have spaces inside. */
const GUILLEMET = /[«»‹›]/;
const BEFORE_OPENING = /[([{<（［｛〈《【\-–—―/¿¡…·:：，、。"“„«»'‘‚‹›「『]/;
/** Words that begin with an apostrophe. */
const ELISION =
  /^['’](?:\d0s|bout|cause|cos|em|n['’]|neath|round|s|t|til|till|tis|twas|twere|twill|un|ns?|nen?)(?![\p{L}\p{N}])/iu;

interface Candidate {
  at: number;
  glyph: string;
  canOpen: boolean;
  canClose: boolean;
}

/** Returns the quotations and apostrophes of a text; unpaired marks are neither. */
export function readQuotations(text: string): QuotationMarks {
  const apostrophes: number[] = [];
  const candidates: Candidate[] = [];
  for (const { 0: glyph, index } of text.matchAll(MARKS)) {
    const before = characterBefore(text, index);
    const after = characterFrom(text, index + 1);
    if (isApostrophe(text, index, glyph, before, after)) apostrophes.push(index);
    else {
      const candidate = candidateAt(index, glyph, before, after);
      if (candidate.canOpen || candidate.canClose) candidates.push(candidate);
    }
  }
  if (candidates.length === 0) {
    return apostrophes.length === 0 ? NO_QUOTATIONS : { ...NO_QUOTATIONS, apostrophes };
  }
  const { sure, hasDoubt } = withoutDoubtfulSingles(text, candidates);
  const { quotations, lone } = pairsOf(text, sure);
  // If an opening mark is unpaired, an unpaired closing mark need not be an apostrophe.
  for (const { at, glyph } of hasDoubt ? [] : lone) {
    if (/['’]/.test(glyph) && isLetter(characterBefore(text, at))) apostrophes.push(at);
  }
  const halves = halvesOf(text, lone);
  if (halves.length > 0) for (const quotation of quotations) quotation.depth += 1;
  return { quotations, halves, apostrophes, hasDoubt };
}

/**
 * Finds half quotations. Sentences are translated one by one, so "Who is it? It is me." has its marks in two
 * of them.
 */
function halvesOf(text: string, lone: readonly Candidate[]): HalfQuotation[] {
  const halves: HalfQuotation[] = [];
  // Inch marks are not quotation marks: 27".
  const doubles = lone.filter(
    ({ at, glyph }) => !SINGLE.test(glyph) && !isFigure(characterBefore(text, at)),
  );
  for (const { at, glyph, canOpen, canClose } of doubles) {
    const isStart = canOpen && characterBefore(text, at) === undefined;
    const isEnd = canClose && END.test(text.slice(at + 1, at + 9));
    if (isStart === isEnd) continue;
    const side = isStart ? 'open' : 'close';
    const kind = 'double';
    halves.push({ at, side, depth: 0, kind, distinctKind: kind, isStraight: glyph === '"' });
  }
  const isClear =
    halves.length === doubles.length &&
    (halves.length === 1 || (halves.length === 2 && halves[0]?.side !== halves[1]?.side));
  return isClear ? halves : [];
}

function isApostrophe(
  text: string,
  at: number,
  glyph: string,
  before: string | undefined,
  after: string | undefined,
): boolean {
  if (glyph !== "'" && glyph !== '’') return false;
  const joins = (character: string | undefined): boolean =>
    (isLetter(character) || isFigure(character)) && !isEastAsian(character);
  if (joins(before) && joins(after)) return !isFigure(before) || isLetter(after);
  return !joins(before) && ELISION.test(text.slice(at, at + 8));
}

function candidateAt(
  at: number,
  glyph: string,
  before: string | undefined,
  after: string | undefined,
): Candidate {
  const mayHaveBlanks = GUILLEMET.test(glyph);
  const isWordBefore = (isLetter(before) || isFigure(before)) && !isEastAsian(before);
  const isWordAfter = (isLetter(after) || isFigure(after)) && !isEastAsian(after);
  const opensHere =
    before === undefined || isBlank(before) || isEastAsian(before) || BEFORE_OPENING.test(before);
  return {
    at,
    glyph,
    canOpen:
      closers[glyph] !== undefined &&
      !isWordBefore &&
      (opensHere || !'"\''.includes(glyph)) &&
      after !== undefined &&
      (mayHaveBlanks || !isBlank(after)),
    canClose: before !== undefined && !isWordAfter && (mayHaveBlanks || !isBlank(before)),
  };
}

/**
 * Removes single marks that may be a plural's apostrophe or a foot mark: `dogs'`, `5'`. If opening and
 * closing marks do not match, none is used.
 */
function withoutDoubtfulSingles(
  text: string,
  candidates: readonly Candidate[],
): { sure: readonly Candidate[]; hasDoubt: boolean } {
  const isSingle = ({ glyph }: Candidate): boolean => SINGLE.test(glyph) && !GUILLEMET.test(glyph);
  const singles = candidates.filter(isSingle);
  if (singles.length === 0 || isBalanced(singles)) return { sure: candidates, hasDoubt: false };
  const others = candidates.filter((candidate) => !isSingle(candidate));
  const unmeasured = singles.filter(({ at }) => !isFigure(characterBefore(text, at)));
  if (isBalanced(unmeasured)) {
    const sure = [...others, ...unmeasured].sort((a, b) => a.at - b.at);
    return { sure, hasDoubt: false };
  }
  const hasBegin = singles.some(({ canOpen }) => canOpen);
  return hasBegin ? { sure: others, hasDoubt: true } : { sure: candidates, hasDoubt: false };
}

function isBalanced(singles: readonly Candidate[]): boolean {
  const begins = singles.filter(({ canClose }) => !canClose).length;
  const ends = singles.filter(({ canOpen }) => !canOpen).length;
  const either = singles.length - begins - ends;
  return singles.length % 2 === 0 && Math.abs(begins - ends) <= either;
}

function pairsOf(
  text: string,
  candidates: readonly Candidate[],
): { quotations: Quotation[]; lone: Candidate[] } {
  const open: Candidate[] = [];
  /** Number of open quotations that each closing mark would end. */
  const awaited = new Map<string, number>();
  const await_ = (opening: string, change: number): void => {
    for (const closer of closers[opening] ?? '') {
      awaited.set(closer, (awaited.get(closer) ?? 0) + change);
    }
  };
  const quotations: Quotation[] = [];
  const lone: Candidate[] = [];
  for (const candidate of candidates) {
    const { at, glyph, canOpen, canClose } = candidate;
    if (canClose && (awaited.get(glyph) ?? 0) > 0) {
      for (let last = open.pop(); last !== undefined; last = open.pop()) {
        await_(last.glyph, -1);
        if (!(closers[last.glyph] ?? '').includes(glyph)) {
          lone.push(last);
          continue;
        }
        quotations.push(quotationOf(last, at));
        break;
      }
    } else if (canOpen) {
      open.push(candidate);
      await_(glyph, 1);
    } else lone.push(candidate);
  }
  return { quotations: withDepths(text, quotations), lone: [...lone, ...open] };
}

function quotationOf({ at, glyph }: Candidate, close: number): Quotation {
  const kind = SINGLE.test(glyph) ? 'single' : 'double';
  return {
    open: at,
    close,
    depth: 0,
    kind,
    distinctKind: kind,
    isStraight: glyph === '"' || glyph === "'",
  };
}

function withDepths(text: string, quotations: Quotation[]): Quotation[] {
  quotations.sort((a, b) => a.open - b.open);
  const around: Quotation[] = [];
  for (const quotation of quotations) {
    while ((around.at(-1)?.close ?? Infinity) < quotation.open) around.pop();
    quotation.depth = around.length;
    const outer = around.at(-1);
    if (outer !== undefined && text[outer.open] !== text[quotation.open]) {
      const isLikeOuter = quotation.kind === outer.distinctKind;
      if (isLikeOuter)
        quotation.distinctKind = outer.distinctKind === 'double' ? 'single' : 'double';
    }
    around.push(quotation);
  }
  return quotations;
}
