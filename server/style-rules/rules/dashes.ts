/** Rules for dashes, ellipses, ranges and slashes. */
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';
import {
  HAN,
  HANGUL,
  KANA,
  textAfter,
  textBefore,
  EVERY_LANGUAGE,
  LATIN_LANGUAGES,
  singleRule,
  type StyleStep,
} from './mechanical-rule.ts';
import { WORD } from './masked-text.ts';
import { UNIT, UNIT_END } from './units.ts';

/** A dash between spaces, but not between numbers; `TIGHT` is an em dash or `--` without spaces. */
const SPACED = /(?<=\S)[ \u00A0](-{1,3}|[–—])[ \u00A0](?=[^\s\d-])/gu;
const TIGHT =
  /(?<=[\p{L}\p{M}.!?”’")\]\uFDD0\uFDD1])—(?=[\p{L}“‘"(\uFDD0\uFDD1])|(?<=\p{L}{2}|[.!?”’")\]])--(?=\p{L}{2}|[“‘"(])/gu;

const EAST_ASIAN_LETTERS = `${HAN}${KANA}${HANGUL}`;
/** Words of at least two letters: single letters may be variables, as in `x - y`. */
const WORD_BEFORE = new RegExp(`(?:\\p{L}{2}|[${EAST_ASIAN_LETTERS}.!?…,;:”’"»)\\]])$`, 'u');
const WORD_AFTER = new RegExp(
  `^(?:[“‘"«„(¿¡]?\\p{L}{2}|[“‘"«„(]?[${EAST_ASIAN_LETTERS}]|[“‘"«„]|[AaIàeèoyéÉÀ][ \\u00A0]\\p{L}{2}|[dlnsjmtqc][’'])`,
  'u',
);
const OPERATOR = /[=+*×÷≠≤≥<>^√∑]/u;
/** A command line, whose options may end with `--`. */
const COMMAND =
  /(?:(?<![\p{L}\d-])(?:bash|cargo|curl|docker|git|grep|kubectl|npm|npx|pnpm|python3|ssh|sudo|xargs|yarn)|(?:^|[\n$>] ?)(?:cp|exec|go|make|mv|node|python|rm|sh))[ \u00A0][^\n]*$/u;

/** Whether a dash between spaces separates words, and is neither a minus sign nor part of a command. */
function isBreak(text: string, at: number, found: string, dash: string): boolean {
  const before = textBefore(text, at);
  const after = textAfter(text, at + found.length);
  if (dash === '—') return true;
  if (dash.startsWith('--')) return !COMMAND.test(before) && WORD_AFTER.test(after);
  if (OPERATOR.test(lastLine(before)) || OPERATOR.test(after.split('\n', 1)[0] ?? '')) return false;
  const isWord = [before.endsWith(WORD), after.startsWith(WORD)];
  if (isWord.every(Boolean)) return false;
  const isFigure = dash === '–' && /\d$/.test(before);
  const begins = isWord[0] === true || isFigure || WORD_BEFORE.test(before);
  return begins && (isWord[1] === true || WORD_AFTER.test(after));
}
const lastLine = (text: string): string => text.slice(text.lastIndexOf('\n') + 1);

const spaced = (text: string, written: string): string =>
  text.replace(SPACED, (found: string, dash: string, at: number) =>
    isBreak(text, at, found, dash) ? written : found,
  );
const breaks =
  (dash: string) =>
  (text: string): string =>
    spaced(text, dash).replace(TIGHT, dash);

export const sentenceBreakStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'sentence_break_indicator',
  options: {
    use_em_dash_with_space_on_either_side: { languages: LATIN_LANGUAGES, apply: breaks(' — ') },
    use_em_dash_without_space_on_either_side: { languages: LATIN_LANGUAGES, apply: breaks('—') },
    use_en_dash_with_space_on_either_side: { languages: LATIN_LANGUAGES, apply: breaks(' – ') },
  },
});

const sign = (dash: string) => (text: string) => spaced(text, ` ${dash} `);

export const dashStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'dash',
  options: {
    use_em_dash: { languages: [...LATIN_LANGUAGES, 'ko'], apply: sign('—') },
    use_hyphen: { languages: [...LATIN_LANGUAGES, 'ko'], apply: sign('-') },
  },
});

export const doubleDashStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'em_dash',
  options: {
    use_double_em_dash: {
      languages: ['ja', 'zh'],
      apply: (text) => text.replace(/(?<![—\d])[—―](?![—―\d])/gu, '——'),
    },
  },
});

/** An ellipsis of three or six dots in any form; text that merely has gaps does not match. */
const DOTS = /(?<![.…⋯])(?:\.{3}(?:\.{3})?|\. \. \.(?: \. \. \.)?|…{1,3}|⋯{1,3})(?![.…⋯])/gu;
const dots =
  (written: string) =>
  (text: string): string =>
    text.replace(DOTS, written);

export const ellipsisStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'ellipsis',
  options: {
    use_ellipsis_character: { languages: EVERY_LANGUAGE, apply: dots('…') },
    use_one_ellipsis_character: { languages: EVERY_LANGUAGE, apply: dots('…') },
    use_two_ellipsis_characters: { languages: ['ja', 'zh'], apply: dots('……') },
    use_three_ellipsis_characters: { languages: ['ja', 'zh'], apply: dots('………') },
    use_three_periods: { languages: EVERY_LANGUAGE, apply: dots('...') },
    use_three_periods_without_spaces: { languages: EVERY_LANGUAGE, apply: dots('...') },
    use_three_spaced_periods: { languages: ['en'], apply: dots('. . .') },
    use_six_dots_at_the_bottom: { languages: ['ko'], apply: dots('......') },
    use_six_dots_in_the_center: { languages: ['ko', 'zh'], apply: dots('……') },
    use_three_dots_at_the_bottom: { languages: ['ko'], apply: dots('...') },
    use_three_dots_in_the_center: { languages: ['ko'], apply: dots('…') },
  },
});

/**
 * Ascending numbers with a dash between, not part of a longer number such as a telephone number (555-1234) or
 * a code. A number may have decimals.
 */
const FIGURE = '\\d{1,4}(?:[.,]\\d{1,2})?';
const RANGE = new RegExp(
  `(?<![\\p{Script=Latin}\\d_.,:/+\\uFDD1-]|[-–—~〜～:/][ \\u00A0]?)(${FIGURE})([ \\u00A0]?)([-–—~〜～－])\\2(${FIGURE})` +
    '(?![\\d_:/~〜～–—-]|[.,:/]\\d|[ \\u00A0]?[-–—~〜～=+]|\\p{Script=Latin}\\d)',
  'gu',
);
/** Context before counted numbers, which makes two numbers with a dash a range. */
const COUNTED_BEFORE =
  /(?:(?<!\p{L})(?:pages|pp?\.|S\.|Seiten|págs\.|páginas|pp\.|pagg\.|pagine|chapters|verses?|lines|ages?|aged|years|weeks|days|sections|from|between|approximately|circa|ca\.|Kapiteln?|Zeilen|Alter|Jahren?|Tagen?|zwischen|von|etwa|ungefähr|chapitres|lignes|environ|entre|capítulos|líneas|años|capitoli|righe|anni|tra|fra)[ \u00A0]?|[€£¥$][ \u00A0]?)$/iu;
const UNITS_FOLLOW = new RegExp(
  `^[ \\u00A0]?(?:[%％€£$¥°℃℉]|(?:${UNIT}|h|years?|days?|hours?|minutes?|weeks?|months?|people|pages?|Jahren?|Tagen?|Stunden|Minuten|Wochen|Monaten?|Personen|Seiten|Euro|euros?|percent|Prozent|ans|jours|heures|semaines|mois|personnes|anni|giorni|ore|minuti|settimane|mesi|persone|pagine|años|días|horas|minutos|semanas|meses|personas|páginas)${UNIT_END})|^ ?(?:[年月日時分人円個歳度页頁岁个元]|ページ|[년월일시분명원개살도])`,
  'u',
);

const value = (figure: string): number => Number(figure.replace(',', '.'));

interface Range {
  from: string;
  to: string;
  dash: string;
  /**
   * Whether units, pages or years show that it is a range, rather than a score, an aircraft type or a
   * telephone number.
   */
  isSure: boolean;
  /** Whether it follows `between`, which no `to` can follow. */
  isBetween: boolean;
}

const BETWEEN = /(?<!\p{L})(?:between|zwischen)[ \u00A0]$/iu;

/** Rewrites ascending pairs of numbers; undefined leaves them unchanged. */
const ranges =
  (write: (range: Range) => string | undefined) =>
  (text: string): string =>
    text.replace(
      RANGE,
      (found: string, from: string, _gap: string, dash: string, to: string, at: number) => {
        if (value(from) >= value(to)) return found;
        const end = at + found.length;
        const isSure =
          UNITS_FOLLOW.test(text.slice(end, end + 14)) ||
          COUNTED_BEFORE.test(text.slice(Math.max(0, at - 16), at)) ||
          (from.length === 4 && to.length === 4 && /^(?:1[5-9]|20)/.test(from));
        const isBetween = BETWEEN.test(text.slice(Math.max(0, at - 10), at));
        return write({ from, to, dash, isSure, isBetween }) ?? found;
      },
    );

const words = (write: (from: string, to: string) => string) =>
  ranges(({ from, to, isSure, isBetween }) => (isSure && !isBetween ? write(from, to) : undefined));

/**
 * Exchanging dashes does not change the meaning. A hyphen may join anything, whereas a tilde always means a
 * range.
 */
const joined = (wanted: string): ((text: string) => string) =>
  ranges(({ from, to, dash, isSure }) => {
    const isTilde = /[~〜～]/.test(dash);
    const isAlike = isTilde || (/[–—]/.test(dash) && !/[~〜～]/.test(wanted));
    return isSure || isAlike ? from + wanted + to : undefined;
  });
const EAST_ASIAN: readonly StyleRuleLanguage[] = ['ja', 'ko', 'zh'];

export const rangeStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'range_indicator',
  options: {
    use_en_dash_with_spaces: { languages: LATIN_LANGUAGES, apply: joined(' – ') },
    use_en_dash_without_space_on_either_side: { languages: EVERY_LANGUAGE, apply: joined('–') },
    use_en_dash_without_spaces: { languages: EVERY_LANGUAGE, apply: joined('–') },
    use_english_word_to: { languages: ['en'], apply: words((from, to) => `${from} to ${to}`) },
    use_full_width_dash: { languages: ['ja', 'zh'], apply: joined('－') },
    use_full_width_wave_dash: { languages: ['ja'], apply: joined('〜') },
    use_german_word_bis: { languages: ['de'], apply: words((from, to) => `${from} bis ${to}`) },
    use_half_width_dash: { languages: EAST_ASIAN, apply: joined('-') },
    use_hyphen: { languages: EVERY_LANGUAGE, apply: joined('-') },
    use_hyphen_with_space_on_either_side: { languages: LATIN_LANGUAGES, apply: joined(' - ') },
    use_hyphen_with_spaces: { languages: LATIN_LANGUAGES, apply: joined(' - ') },
    use_hyphen_without_space_on_either_side: { languages: EVERY_LANGUAGE, apply: joined('-') },
    use_hyphen_without_spaces: { languages: EVERY_LANGUAGE, apply: joined('-') },
    use_japanese_word_から: { languages: ['ja'], apply: words((from, to) => `${from}から${to}`) },
    use_tilde: { languages: ['ja', 'ko', 'zh'], apply: joined('~') },
  },
});

const LETTER = `(?:(?![${HAN}${KANA}${HANGUL}])\\p{L})`;
/** Words of at least two letters: `km/h`, `c/o` and `24/7` are not alternatives. */
const SLASH_TIGHT = new RegExp(`(?<=${LETTER}{2})/(?=${LETTER}{2})`, 'gu');
const SLASH_SPACED = new RegExp(`(?<=\\p{L})(?: / | /|/ )(?=\\p{L})`, 'gu');

export const slashStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'slash',
  options: {
    do_not_use_spaces_before_and_after_slashes: {
      languages: EVERY_LANGUAGE,
      apply: (text) => text.replace(SLASH_SPACED, '/'),
    },
    use_spaces_before_and_after_slashes: {
      languages: LATIN_LANGUAGES,
      apply: (text) => text.replace(SLASH_TIGHT, ' / '),
    },
  },
});
