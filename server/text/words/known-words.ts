/** Whether a word is one of a language, by the dictionaries that are installed. */
import { readdir } from 'node:fs/promises';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import {
  analyserOf,
  DICTIONARY_FOLDER,
  type DictionaryFile,
  type DictionaryWords,
  hunspellFiles,
  isIn,
  isPutTogether,
  MODES_FOLDER,
  readDictionary,
} from './dictionaries.ts';

/** Whether a text of letters, and apostrophes between them, is a word however it is written. */
export type IsKnownWord = (word: string) => boolean;

interface KnownWordsOptions {
  /** Where `*.mode` files and dictionaries are; Debian's folders without them. */
  modesFolder?: string;
  dictionaryFolder?: string;
}

/** One for a language has nearly all words that others have; `pt_PT` and `pt_BR` differ. */
const MOST_DICTIONARIES = 2;
/** What stands before an apostrophe, or after it, is short: `l’`, `dell’`, `’s`. */
const LONGEST_ELIDED = 5;

/**
 * Makes a finder of the words of languages. Dictionaries are read when a language is first asked for,
 * which takes up to half a second and some 10 MB, and kept.
 *
 * @returns undefined for a language without a dictionary that can be read
 */
export function createKnownWords({
  modesFolder = MODES_FOLDER,
  dictionaryFolder = DICTIONARY_FOLDER,
}: KnownWordsOptions = {}): (language: LanguageTag) => Promise<IsKnownWord | undefined> {
  const known = new Map<LanguageTag, Promise<IsKnownWord | undefined>>();

  async function find(language: LanguageTag): Promise<IsKnownWord | undefined> {
    const hunspell = (await hunspellFiles(dictionaryFolder)).filter(
      (file) => file.language === language,
    );
    const files = [
      ...hunspell.toSorted((a, b) => a.path.localeCompare(b.path)).slice(0, MOST_DICTIONARIES),
      ...(await analyserFiles(modesFolder, language)).slice(0, 1),
    ];
    // What cannot be read is left out.
    const read = await Promise.all(
      files.map((file) => readDictionary(file).catch(() => undefined)),
    );
    const own = read.filter((words) => words !== undefined);
    return own.length === 0 ? undefined : (word) => isKnownIn(own, language, word);
  }

  return (tag) => {
    const language = baseLanguage(tag);
    const words = known.get(language) ?? find(language);
    known.set(language, words);
    return words;
  };
}

/** The words of languages, by what Debian has installed. */
export const knownWords = createKnownWords();

function isKnownIn(own: readonly DictionaryWords[], language: LanguageTag, text: string): boolean {
  const word = text.normalize('NFC').toLowerCase().replaceAll('’', "'");
  const isWord = (part: string): boolean =>
    own.some((words) => isIn(words, part)) || isPutTogether(language, own, part);
  if (isWord(word)) return true;
  const parts = word.split("'");
  const [longest = '', ...others] = parts.toSorted((a, b) => b.length - a.length);
  const areElided = others.every(({ length }) => length > 0 && length <= LONGEST_ELIDED);
  return others.length > 0 && areElided && isWord(longest);
}

/** What modes of a language read their source with; names of modes begin with its code, of two or three letters. */
async function analyserFiles(folder: string, language: LanguageTag): Promise<DictionaryFile[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.mode'));
  const paths: string[] = [];
  for (const name of names.toSorted()) {
    const [code = ''] = name.split(/[-_.]/, 1);
    if (languageOfCode(code) !== language) continue;
    const path = await analyserOf(folder, name.slice(0, -'.mode'.length));
    if (path !== undefined && !paths.includes(path)) paths.push(path);
  }
  return paths.map((path) => ({ language, path }));
}

/** `es` for `spa`; undefined for what is no code. */
function languageOfCode(code: string): LanguageTag | undefined {
  if (!/^[a-z]{2,3}$/.test(code)) return undefined;
  return baseLanguage(Intl.getCanonicalLocales(code)[0] ?? code);
}
