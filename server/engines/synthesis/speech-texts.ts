/**
 * Prepares texts for speech programs and servers: splits them into pieces and removes what harms a program.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import { sentenceEnds } from '../../text/sentences.ts';

/**
 * Splits a text into pieces that fit into one request, at sentence ends where possible. Pieces without
 * letters and digits are omitted.
 *
 * @param options.maxCharacters longest piece, in UTF-16 units
 * @param options.joins whether a piece holds as many sentences as fit; otherwise each sentence is its own
 *   piece
 */
export function speechPieces(
  text: string,
  {
    language,
    maxCharacters,
    joins,
  }: { language: LanguageTag; maxCharacters: number; joins: boolean },
): string[] {
  const found: string[] = [];
  let start = 0;
  let end = 0;
  const take = (until: number) => {
    const piece = text.slice(start, until).trim();
    if (/[\p{L}\p{N}]/u.test(piece)) found.push(piece);
    start = until;
  };
  for (const next of sentenceEnds(text, { language, atLineBreaks: false })) {
    if (!joins || next - start > maxCharacters) take(end);
    end = next;
    // A sentence longer than the limit is split between words, or anywhere if there is no blank.
    while (end - start > maxCharacters) {
      const limit = start + maxCharacters;
      const blank = text.lastIndexOf(' ', limit);
      take(blank > start ? blank : limit);
    }
  }
  take(text.length);
  return found;
}

const RUN_OF_MARKS = /[^\p{L}\p{N}\s]{2,}/gu;
const LONE_MARK = /\s+([^\p{L}\p{N}\s])(?=\s|$)/gu;

/**
 * Sanitises a text for a small speech program: some hundred punctuation marks in a row corrupt flite's
 * memory, and a word of thousands of letters takes it minutes.
 *
 * @param options.foreign matches each character that must not be spoken
 * @param options.longestWord number of characters after which a word is split
 */
export function plainSpeech(
  text: string,
  { foreign, longestWord }: { foreign: RegExp; longestWord: number },
): string {
  return text
    .replace(foreign, ' ')
    .replace(RUN_OF_MARKS, firstMark)
    .replace(LONE_MARK, '$1')
    .replace(RUN_OF_MARKS, firstMark)
    .replace(new RegExp(`\\S{${longestWord}}(?=\\S)`, 'gu'), '$& ')
    .trim();
}

/**
 * Reduces a run of punctuation to its first mark. Percent, degree and currency signs belong to a number beside
 * the run and are kept: "50%." has its full stop, and "-$5" its dollars.
 */
function firstMark(run: string, at: number, text: string): string {
  const sign = /^[%°\p{Sc}]/u.exec(run)?.[0] ?? '';
  const isBeforeNumber = /\p{N}/u.test(text.charAt(at + run.length));
  const currency = isBeforeNumber ? (/\p{Sc}$/u.exec(run)?.[0] ?? '') : '';
  const [mark = ''] = run.slice(sign.length, run.length - currency.length);
  return sign + mark + currency;
}
