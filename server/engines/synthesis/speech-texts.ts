/** Texts as programs and servers that speak can take them: in pieces, and without what harms a program. */
import type { LanguageTag } from '../../../shared/language.ts';
import { sentenceEnds } from '../../text/sentences.ts';

/**
 * Cuts a text into pieces that one request can take, at the ends of sentences wherever that is
 * possible. Pieces without letters and digits are left out.
 *
 * @param options.maxCharacters longest piece, in UTF-16 units
 * @param options.joins whether a piece takes as many sentences as fit; else each is one of its own
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
    // A sentence longer than any request is cut between words, or where it must be.
    while (end - start > maxCharacters) {
      const limit = start + maxCharacters;
      const blank = text.lastIndexOf(' ', limit);
      take(blank > start ? blank : limit);
    }
  }
  take(text.length);
  return found;
}

/** One mark of a run of them says as much as the run. */
const RUN_OF_MARKS = /([^\p{L}\p{N}\s])[^\p{L}\p{N}\s]+/gu;
const LONE_MARK = /\s+([^\p{L}\p{N}\s])(?=\s|$)/gu;

/**
 * Leaves of a text what a small speech program can be trusted with: flite's memory is damaged by some
 * hundred marks in a row, and a word of thousands of letters takes it minutes.
 *
 * @param options.foreign matches each character that is not to be said
 * @param options.longestWord characters after which a word goes on as another one
 */
export function plainSpeech(
  text: string,
  { foreign, longestWord }: { foreign: RegExp; longestWord: number },
): string {
  return text
    .replace(foreign, ' ')
    .replace(RUN_OF_MARKS, '$1')
    .replace(LONE_MARK, '$1')
    .replace(RUN_OF_MARKS, '$1')
    .replace(new RegExp(`\\S{${longestWord}}(?=\\S)`, 'gu'), '$& ')
    .trim();
}
