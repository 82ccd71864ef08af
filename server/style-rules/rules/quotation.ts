/** Rules for the form of quotation marks and apostrophes. */
import {
  characterBefore,
  characterFrom,
  isBlank,
  NO_BREAK,
  withPieces,
  LATIN_LANGUAGES,
  rulesOf,
  type ChosenStyle,
  type MechanicalRule,
  type StyleStep,
} from './mechanical-rule.ts';
import { readQuotations, type HalfQuotation, type Quotation } from './quotation-reading.ts';

type Pair = readonly [open: string, close: string];

const curly = { double: ['“', '”'], single: ['‘', '’'] } as const;
const german = { double: ['„', '“'], single: ['‚', '‘'] } as const;
const straight = { double: ['"', '"'], single: ["'", "'"] } as const;
const guillemets = { double: ['«', '»'], single: ['‹', '›'] } as const;
const reversed = { double: ['»', '«'], single: ['›', '‹'] } as const;
const corners: readonly [Pair, Pair] = [
  ['「', '」'],
  ['『', '』'],
];

/** Chooses the marks for a quotation; undefined leaves it unchanged. */
type Forms = (quotation: Omit<Quotation, 'open' | 'close'>, style: ChosenStyle) => Pair | undefined;

const curlyOf = ({ language }: ChosenStyle): typeof curly | typeof german =>
  language === 'de' ? german : curly;

const byDepth =
  (...pairs: readonly Pair[]): Forms =>
  ({ depth }) =>
    pairs[Math.min(depth, pairs.length - 1)];
const alternating =
  (primary: Pair, secondary: Pair): Forms =>
  ({ depth }) =>
    depth % 2 === 0 ? primary : secondary;

/** Change the shape of the marks, and keep single or double. */
const inStraight: Forms = ({ distinctKind }) => straight[distinctKind];
const inCurly: Forms = ({ distinctKind }, style) => curlyOf(style)[distinctKind];
const doubleCurly: Forms = ({ depth }, style) =>
  curlyOf(style)[depth % 2 === 0 ? 'double' : 'single'];
const doubleStraight: Forms = alternating(straight.double, straight.single);
const inGuillemets: Forms = byDepth(guillemets.double, curly.double, curly.single);

/** Changes between single and double, and keeps the shape. */
const strokes =
  (even: 'double' | 'single'): Forms =>
  ({ depth, isStraight }, style) => {
    const kind = (depth % 2 === 0) === (even === 'double') ? 'double' : 'single';
    return isStraight ? straight[kind] : curlyOf(style)[kind];
  };

const marks: Readonly<Record<string, Forms>> = {
  use_curly_quotation_marks: inCurly,
  use_double_curly_quotation_marks: doubleCurly,
  use_double_straight_quotation_marks: doubleStraight,
  use_guillemets: inGuillemets,
  use_straight_quotation_marks: inStraight,
};

const marksAndApostrophes: Readonly<Record<string, Forms>> = {
  use_curly_quotation_marks_and_apostrophes: inCurly,
  use_double_and_single_curly_quotation_marks_and_curly_apostrophes: inCurly,
  use_double_and_single_straight_quotation_marks_and_straight_apostrophes: inStraight,
  use_guillemets_and_curly_apostrophes: inGuillemets,
  use_guillemets_and_straight_apostrophes: inGuillemets,
  use_straight_quotation_marks_and_apostrophes: inStraight,
};

const { double: curlyPair, single: curlySingle } = curly;
const styles: Readonly<Record<string, Forms>> = {
  use_corner_brackets_for_primary_quotations_and_double_corner_brackets_for_secondary_quotations:
    alternating(...corners),
  use_double_curly_quotation_marks_for_primary_quotations_and_single_curly_quotation_marks_for_secondary_quotations:
    alternating(curlyPair, curlySingle),
  use_double_curly_quotation_marks_for_primary_quotations_then_alternate_with_single_curly_quotation_marks_for_nested_quotations:
    alternating(curlyPair, curlySingle),
  use_double_german_quotation_marks_for_primary_quotations_and_single_german_quotation_marks_for_secondary_quotations:
    alternating(german.double, german.single),
  use_double_quotation_marks_for_primary_quotations_and_single_quotation_marks_for_secondary_quotations:
    strokes('double'),
  use_double_straight_quotation_marks_for_primary_quotations_and_single_straight_quotation_marks_for_secondary_quotations:
    doubleStraight,
  use_double_straight_quotation_marks_for_primary_quotations_then_alternate_with_single_straight_quotation_marks_for_nested_quotations:
    doubleStraight,
  use_guillemets_for_primary_quotations_and_double_curly_quotation_marks_for_secondary_quotations:
    byDepth(guillemets.double, curlyPair),
  use_guillemets_for_primary_quotations_and_double_straight_quotation_marks_for_secondary_quotations:
    byDepth(guillemets.double, straight.double),
  use_guillemets_for_primary_quotations_and_single_guillemets_for_secondary_quotations: alternating(
    guillemets.double,
    guillemets.single,
  ),
  use_guillemets_for_primary_quotations_double_curly_quotation_marks_for_secondary_quotations_and_single_curly_quotation_marks_for_further_nested_quotations:
    inGuillemets,
  use_reversed_guillemets_for_primary_quotations_and_single_reversed_guillemets_for_secondary_quotations:
    alternating(reversed.double, reversed.single),
  use_single_quotation_marks_for_primary_quotations_and_double_quotation_marks_for_secondary_quotations:
    strokes('single'),
};

const highlights: Readonly<Record<string, Forms>> = {
  use_single_curly_quotation_marks: ({ kind }) => (kind === 'single' ? curlySingle : undefined),
  use_single_straight_quotation_marks: ({ kind }) =>
    kind === 'single' ? straight.single : undefined,
};

function languagesOf(option: string): MechanicalRule['languages'] {
  if (option.includes('corner_brackets')) return ['ja', 'zh'];
  if (option.includes('german') || option.includes('reversed')) return ['de'];
  if (option.includes('guillemets')) return ['es', 'fr', 'it'];
  if (option.includes('straight')) return [...LATIN_LANGUAGES, 'ko', 'zh'];
  return option.includes('curly') ? ['en', 'es', 'fr', 'it', 'ko', 'zh'] : ['en', 'es', 'it'];
}

const markLanguages = (option: string): MechanicalRule['languages'] =>
  option.includes('guillemets') ? ['es', 'fr', 'it'] : [...LATIN_LANGUAGES, 'ko', 'zh'];

/** Returns the marks to use; the most specific rule decides. */
function formsOf(style: ChosenStyle): Forms | undefined {
  const chosen = (rule: string, forms: Readonly<Record<string, Forms>>): Forms | undefined =>
    forms[style.option('punctuation', rule) ?? ''];
  return (
    chosen('quotation_style', styles) ??
    chosen('quotation_mark_and_apostrophe', marksAndApostrophes) ??
    chosen('quotation_mark', marks) ??
    chosen('highlighting_specific_expressions', highlights)
  );
}

function apostropheOf(style: ChosenStyle): string | undefined {
  const option =
    style.option('punctuation', 'apostrophe') ??
    style.option('punctuation', 'quotation_mark_and_apostrophe');
  if (option === undefined) return undefined;
  return /straight_(?:quotation_marks_and_)?apostrophes$/.test(option) ? "'" : '’';
}

/** Quotation marks and apostrophes can only be told apart together, so their rules form one step. */
export const quotationStep: StyleStep = {
  rules: [
    ...Object.keys(marks).flatMap((option) =>
      rulesOf('punctuation', 'quotation_mark', markLanguages(option), [option]),
    ),
    ...Object.keys(marksAndApostrophes).flatMap((option) =>
      rulesOf(
        ...(['punctuation', 'quotation_mark_and_apostrophe'] as const),
        option.includes('guillemets') ? ['es', 'fr', 'it'] : LATIN_LANGUAGES,
        [option],
      ),
    ),
    ...Object.keys(styles).flatMap((option) =>
      rulesOf('punctuation', 'quotation_style', languagesOf(option), [option]),
    ),
    ...rulesOf(
      ...(['punctuation', 'highlighting_specific_expressions', ['ko']] as const),
      Object.keys(highlights),
    ),
    ...rulesOf('punctuation', 'apostrophe', LATIN_LANGUAGES, [
      'use_curly_apostrophes',
      'use_straight_apostrophes',
    ]),
  ],
  apply(text, style) {
    const { quotations, halves, apostrophes, hasDoubt } = readQuotations(text);
    const forms = formsOf(style);
    const pairFor = (quotation: HalfQuotation | Quotation): Pair | undefined => {
      const pair = forms?.(quotation, style);
      // Among single marks that stay as they are, new ones could not be told from them.
      const isMixed = hasDoubt && quotation.kind === 'double' && /['‘‚]/.test(pair?.[0] ?? '');
      return isMixed ? undefined : pair;
    };
    const apostrophe = apostropheOf(style);
    const pieces: Piece[] = [];
    for (const quotation of quotations) {
      const pair = pairFor(quotation);
      if (pair === undefined) continue;
      const { open, close } = quotation;
      const before = text[open] ?? '';
      pieces.push(openingPiece(text, open, pair[0], before, style));
      pieces.push(closingPiece(text, close, pair[1], before, style));
    }
    for (const half of halves) {
      const pair = pairFor(half);
      if (pair !== undefined) pieces.push(halfPiece(text, half, pair, style));
    }
    for (const at of apostrophe === undefined ? [] : apostrophes) {
      if (apostrophe !== undefined) pieces.push({ start: at, end: at + 1, text: apostrophe });
    }
    return withPieces(text, withoutOverlaps(pieces));
  },
};

interface Piece {
  start: number;
  end: number;
  text: string;
}

const isSpaced = (mark: string): boolean => /[«»‹›]/.test(mark);

function halfPiece(
  text: string,
  { at, side }: HalfQuotation,
  [opening, closing]: Pair,
  style: ChosenStyle,
): Piece {
  const before = text[at] ?? '';
  return side === 'open'
    ? openingPiece(text, at, opening, before, style)
    : closingPiece(text, at, closing, before, style);
}

/**
 * Returns the replacement of a mark, with the inner space that French uses and other languages do not. No
 * space is inserted if there is one beyond adjacent formatting.
 *
 * @param before the original opening mark
 */
function openingPiece(
  text: string,
  at: number,
  mark: string,
  before: string,
  style: ChosenStyle,
): Piece {
  const hasBlank = (isSpaced(mark) || isSpaced(before)) && isInnerBlank(text[at + 1]);
  const isBlankBeyond = !hasBlank && isBlank(characterFrom(text, at + 1));
  const inner = isSpaced(mark) && !isBlankBeyond ? innerBlank(style) : '';
  return { start: at, end: at + (hasBlank ? 2 : 1), text: mark + inner };
}

function closingPiece(
  text: string,
  at: number,
  mark: string,
  before: string,
  style: ChosenStyle,
): Piece {
  const hasBlank =
    (isSpaced(mark) || isSpaced(before)) &&
    isInnerBlank(text[at - 1]) &&
    // The blank after the opening mark is part of that.
    text[at - 2] !== before;
  const isBlankBeyond = !hasBlank && isBlank(characterBefore(text, at));
  const inner = isSpaced(mark) && !isBlankBeyond ? innerBlank(style) : '';
  return { start: at - (hasBlank ? 1 : 0), end: at + 1, text: inner + mark };
}

const isInnerBlank = (character: string | undefined): boolean =>
  character !== undefined && /[ \u00A0\u2009\u202F]/.test(character);

/** Returns the space inside guillemets, which only French uses. */
function innerBlank(style: ChosenStyle): string {
  if (style.language !== 'fr') return '';
  const option = style.option('punctuation', 'spacing_and_punctuation');
  if (option === 'do_not_use_space') return '';
  return option === 'use_regular_space' ? ' ' : NO_BREAK;
}

function withoutOverlaps(pieces: Piece[]): Piece[] {
  pieces.sort((a, b) => a.start - b.start);
  let end = 0;
  return pieces.filter((piece) => {
    const isFree = piece.start >= end;
    if (isFree) end = piece.end;
    return isFree;
  });
}
