/**
 * Finds the ends of sentences. Candidates are those of Unicode's rules (UAX #29: a terminal, closing
 * marks, a blank; no blank in scripts without); abbreviations, initials, numbers and quotations are
 * then told from ends. `Intl.Segmenter` would find the same candidates in time that grows with the
 * square of the length.
 */
import type { LanguageTag } from '../../shared/language.ts';
import { abbreviationsOf, type AbbreviationRules } from './abbreviations.ts';

/** Terminals at whose run a match begins only once, so that long runs cost no more than they are long. */
const CANDIDATE =
  /(?<![\p{STerm}…])([\p{STerm}…]+)([\p{Pe}\p{Pf}"'”’»›“]*)\s+|[。！？｡]+[」』）〉》】〕”’]*/gu;
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
const TERMINAL = /[\p{STerm}…]/u;
const LETTER = /\p{L}/u;

/**
 * Where the sentences of a text end: UTF-16 positions in ascending order, the last one the length of
 * the text; blanks belong to the sentence before. Takes time in proportion to the length.
 *
 * @param options.atLineBreaks whether a line break ends a sentence, too; else it is a blank
 */
export function sentenceEnds(
  text: string,
  { language, atLineBreaks }: { language: LanguageTag | undefined; atLineBreaks: boolean },
): number[] {
  const ends: number[] = [];
  let lineStart = 0;
  if (atLineBreaks) {
    for (const { 0: lineBreak, index } of text.matchAll(LINE_BREAK)) {
      const lineEnd = index + lineBreak.length;
      appendEnds(ends, text.slice(lineStart, lineEnd), lineStart, language);
      lineStart = lineEnd;
    }
  }
  if (lineStart < text.length) {
    appendEnds(ends, lineStart === 0 ? text : text.slice(lineStart), lineStart, language);
  }
  return ends;
}

function appendEnds(
  ends: number[],
  line: string,
  offset: number,
  language: LanguageTag | undefined,
): void {
  const firstTerminal = line.search(TERMINAL);
  // The commonest text is a single sentence: no more than its terminal is looked at.
  if (firstTerminal !== -1 && LETTER.test(line.slice(firstTerminal))) {
    const rules = abbreviationsOf(language);
    let start = 0;
    for (const { 0: candidate, 1: terminals, 2: closing, index } of line.matchAll(CANDIDATE)) {
      const end = index + candidate.length;
      if (end === line.length) break;
      const goesOn =
        terminals !== undefined &&
        sentenceGoesOn({ line, start, index, end, terminals, closing, rules, language });
      if (goesOn) continue;
      ends.push(offset + end);
      start = end;
    }
  }
  ends.push(offset + line.length);
}

/** How far back the word before a full stop is looked for: no abbreviation is longer. */
const WORD_REACH = 24;
/** How far ahead the beginning of the next sentence is looked at. */
const NEXT_REACH = 24;

const CONTINUES = /^[,;:)\]}]/u;
/** Georgian has lower case letters only. */
const LOWER_CASE = /^["'“”‘’«»„¿¡([]*(?!\p{Script=Georgian})\p{Ll}/u;
const WORD_BOUNDARIES = ' \t\r\n\u00a0()[]{}"\'“”„«»‘’/';

function sentenceGoesOn({
  line,
  start,
  index,
  end,
  terminals,
  closing,
  rules,
  language,
}: {
  line: string;
  start: number;
  index: number;
  end: number;
  terminals: string;
  closing: string | undefined;
  rules: AbbreviationRules;
  language: LanguageTag | undefined;
}): boolean {
  const next = line.slice(end, end + NEXT_REACH);
  if (CONTINUES.test(next)) return true;
  const isStrong = /[^.…]/u.test(terminals);
  // “Why?” he asked.
  if (LOWER_CASE.test(next) && (!isStrong || closing !== '')) return true;
  if (terminals !== '.') return false;
  const reach = Math.max(start, index - WORD_REACH);
  let wordStart = index;
  while (wordStart > reach && !WORD_BOUNDARIES.includes(line.charAt(wordStart - 1))) wordStart -= 1;
  const word = line.slice(wordStart, index);
  // “1. Open the door.”
  if (NUMBER.test(word) && line.slice(start, wordStart).trim() === '') return true;
  return wordGoesOn({ word, next, rules, language });
}

const NUMBER = /^\d{1,3}$/;
const ORDINAL = /^(?:\d{1,2}|[IVXLC]{1,6})$/;
const INITIAL = /^(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]|\p{Lu}[.-]\p{Lu})$/u;
const ACRONYM = /^(?:\p{Lu}\.)+\p{Lu}$/u;
/** With these a sentence of English begins, and hardly any name. */
const ENGLISH_BEGINNING =
  /^["“‘(]*(?:The|A|An|It|Its|He|She|They|We|I|You|This|That|These|Those|There|His|Her|Their|Our|My|In|On|At|By|For|From|As|But|And|Or|So|If|When|While|After|Before|However|What|Who|Why|How|Where|No|Yes)\b/;

function wordGoesOn({
  word,
  next,
  rules,
  language,
}: {
  word: string;
  next: string;
  rules: AbbreviationRules;
  language: LanguageTag | undefined;
}): boolean {
  const isEnglish = language === undefined || language.toLowerCase().startsWith('en');
  const lower = word.toLowerCase();
  if (rules.goesOn.has(lower)) return true;
  if (/^\p{N}/u.test(next) && rules.beforeFigures.has(lower)) return true;
  if (rules.writesOrdinals && ORDINAL.test(word)) return true;
  if (isEnglish && word === 'I') return false;
  const isShort = INITIAL.test(word) || ACRONYM.test(word);
  return isShort && !(isEnglish && ENGLISH_BEGINNING.test(next));
}
