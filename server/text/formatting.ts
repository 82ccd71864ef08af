/** Transfers the outer punctuation and initial case of a sentence to its translation. */
import type { LanguageTag } from '../../shared/language.ts';
import { plainText, type TextSegment } from './text-segment.ts';

const LETTER = /\p{L}/u;
const CASED = /\p{Lu}|\p{Ll}|\p{Lt}/u;
/** Sentence-final punctuation. */
const ENDING = /(?:[.!?…:;,。！？：；，、؟۔।։]|\s(?=[!?:;]))+$/u;
/** Leading signs of a line that are not part of a word. */
const BEGINNING = /^(?:[-–—•*…]|\.{2,})+\s*/u;
/** The same after Spanish opening signs: `¡…la casa!` */
const OPENED_BEGINNING = /^([¿¡]*)((?:[-–—•*…]|\.{2,})+\s*)/u;
const FULL_WIDTH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const wide = new Map([
  ['.', '。'],
  ['!', '！'],
  ['?', '？'],
  [':', '：'],
  [';', '；'],
  [',', '，'],
]);
const kinds = new Map([
  ...[...wide].map(([narrow, full]) => [full, narrow] as const),
  ['؟', '?'],
  ['۔', '.'],
  ['।', '.'],
  ['։', '.'],
  ['、', ','],
  ['…', '...'],
]);

/**
 * Returns the translation with the source's punctuation at both ends and the case of its first letter, as
 * `preserve_formatting` requests. Punctuation of the same kind keeps the form of the target language (`。` for
 * `.`), and so do its opening `¿` and `¡`. Inner text is unchanged and marks stay in place.
 *
 * @param language language of the translation, for its capitals
 */
export function preserveFormatting<Text extends string | TextSegment>(
  source: string | TextSegment,
  translated: Text,
  language?: LanguageTag,
): Text;
export function preserveFormatting(
  source: string | TextSegment,
  translated: string | TextSegment,
  language?: LanguageTag,
): string | TextSegment {
  const model = typeof source === 'string' ? source : plainText(source);
  if (!LETTER.test(model)) return translated;
  if (typeof translated === 'string') {
    return withEnding(model, withBeginning(model, translated, language));
  }
  return inSegment(translated, (text, end) =>
    end === 'first' ? withBeginning(model, text, language) : withEnding(model, text),
  );
}

function inSegment(
  segment: TextSegment,
  change: (text: string, end: 'first' | 'last') => string,
): TextSegment {
  const parts = [...segment];
  const isWord = (part: TextSegment[number]): part is string =>
    typeof part === 'string' && LETTER.test(part);
  const isText = (part: TextSegment[number]): part is string =>
    typeof part === 'string' && part.trim() !== '';
  const first = parts.findIndex(isWord);
  const opening = parts[first];
  // A sentence that begins with a mark standing for a word has no first letter to change.
  const begins = parts
    .slice(0, first)
    .every((part) => typeof part !== 'string' && part.mark === 'open');
  if (begins && typeof opening === 'string') parts[first] = change(opening, 'first');
  const last = parts.findLastIndex(isText);
  const ending = parts[last];
  const ends = parts
    .slice(last + 1)
    .every((part) => typeof part === 'string' || part.mark === 'close');
  if (ends && typeof ending === 'string') parts[last] = change(ending, 'last');
  return parts;
}

function withBeginning(source: string, text: string, language: LanguageTag | undefined): string {
  const blank = text.length - text.trimStart().length;
  const wanted = BEGINNING.exec(source.trimStart())?.[0] ?? '';
  const core = text.slice(blank);
  const [, opening = '', present = ''] = OPENED_BEGINNING.exec(core) ?? [];
  const bare = present === '' ? core : opening + core.slice(opening.length + present.length);
  const beginning = present.trim() === wanted.trim() ? present : wanted;
  const cased = withCase(source.trimStart().slice(wanted.length), bare, language);
  return text.slice(0, blank) + beginning + cased;
}

const FIRST_LETTER = /^[^\p{L}\p{N}]*(\p{L})/u;

function withCase(source: string, text: string, language: LanguageTag | undefined): string {
  const wanted = FIRST_LETTER.exec(source)?.[1];
  const match = FIRST_LETTER.exec(text);
  const letter = match?.[1];
  if (match === null || wanted === undefined || letter === undefined) return text;
  if (!CASED.test(wanted)) return text;
  const isUpper = /\p{Lu}|\p{Lt}/u.test(wanted);
  const at = match[0].length - letter.length;
  const next = text.slice(match[0].length).match(/^\p{L}/u)?.[0] ?? '';
  // An acronym keeps its capitals.
  if (!isUpper && /\p{Lu}/u.test(next)) return text;
  const cased = isUpper ? letter.toLocaleUpperCase(language) : letter.toLocaleLowerCase(language);
  return text.slice(0, at) + cased + text.slice(match[0].length);
}

function withEnding(source: string, text: string): string {
  const wanted = ENDING.exec(source.trimEnd())?.[0] ?? '';
  const core = text.trimEnd();
  const present = ENDING.exec(core)?.[0] ?? '';
  if (kindOf(wanted) === kindOf(present)) return text;
  const bare = core.slice(0, core.length - present.length);
  const isWide = FULL_WIDTH.test(bare.slice(-1));
  const ending = isWide
    ? wanted.trim().replace(/[.!?:;,]/g, (mark) => wide.get(mark) ?? mark)
    : narrowed(wanted);
  return bare + ending + text.slice(core.length);
}

/** Returns the kind of punctuation, independent of the script. */
function kindOf(ending: string): string {
  return ending.replace(/\s/g, '').replace(/[^.!?:;,]/gu, (mark) => kinds.get(mark) ?? mark);
}

function narrowed(ending: string): string {
  return ending.trim().replace(/[！？：；，。、]/g, (mark) => kinds.get(mark) ?? mark);
}
