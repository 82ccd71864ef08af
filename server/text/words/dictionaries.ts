/**
 * Dictionaries that are installed, Hunspell's and those that Apertium's modes read their source with, and
 * whether words are in them.
 */
import { readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import {
  type AnalyserWords,
  type HunspellWords,
  isInAnalyser,
  isInHunspell,
  readAnalyser,
  readHunspell,
} from './dictionary-words.ts';

/** A dictionary that is installed. */
export interface DictionaryFile {
  language: LanguageTag;
  path: string;
}

export type DictionaryWords = AnalyserWords | HunspellWords;

export const MODES_FOLDER = '/usr/share/apertium/modes';
export const DICTIONARY_FOLDER = '/usr/share/hunspell';
/** What Hunspell calls otherwise. */
const CODES: Readonly<Record<string, LanguageTag>> = { no: 'nb', sh: 'hr', bs: 'hr', gug: 'gn' };

/** Hunspell's, each once: `de_BE` and others are links to `de_DE`. */
export async function hunspellFiles(folder: string): Promise<DictionaryFile[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.dic'));
  const files = new Map<string, DictionaryFile>();
  for (const name of names) {
    const [code = ''] = name.split(/[_.-]/, 1);
    const path = await realpath(join(folder, name)).catch(() => undefined);
    const language = CODES[code] ?? baseLanguage(code);
    if (path !== undefined) files.set(path, { language, path });
  }
  return [...files.values()];
}

/** The dictionary that a mode of Apertium reads its source with; undefined where there is none. */
export async function analyserOf(modesFolder: string, mode: string): Promise<string | undefined> {
  const command = await readFile(join(modesFolder, `${mode}.mode`), 'utf8').catch(() => '');
  return /'([^']+\.automorf\.bin)'/.exec(command)?.[1];
}

/**
 * The words of a dictionary; undefined for a file of another make.
 *
 * @throws Error when it cannot be read
 */
export async function readDictionary({
  language,
  path,
}: DictionaryFile): Promise<DictionaryWords | undefined> {
  if (!path.endsWith('.dic')) return readAnalyser(await readFile(path));
  const affixes = await readFile(path.replace(/\.dic$/, '.aff'));
  // Some begin with a byte order mark.
  const encoding = /^\W*SET\s+(\S+)/m.exec(affixes.toString('latin1'))?.[1] ?? 'ISO8859-1';
  const decoder = new TextDecoder(encoding.replace(/^ISO(?=\d)/, 'ISO-'));
  const hasNames = language === 'de';
  return readHunspell(decoder.decode(await readFile(path)), decoder.decode(affixes), { hasNames });
}

/** Whether a word in lower case is in a dictionary. */
export function isIn(words: DictionaryWords, word: string): boolean {
  return words.kind === 'analyser' ? isInAnalyser(words, word) : isInHunspell(words, word);
}

/** Languages that make new words of two. */
const joining: ReadonlySet<LanguageTag> = new Set('da de fi hu is nb nl sv'.split(' '));
/** Shorter parts of a word are in too many by chance. */
const LEAST_HEAD = 4;
const LEAST_TAIL = 3;
/** Longer ones are nobody's words, and trying every cut of them takes time; in UTF-16 units. */
const MAX_PUT_TOGETHER = 64;
/** What joins them. */
const LINKS = ['', 's', 'es', 'n', 'en'];
/** Of languages whose list knows none. */
const PREFIXES: Readonly<Record<LanguageTag, readonly string[]>> = {
  en: ['un', 're', 'non', 'mis', 'over', 'under', 'out'],
};

/** Whether a word begins with a prefix, or with another word in languages that join them. */
export function isPutTogether(
  language: LanguageTag,
  own: readonly DictionaryWords[],
  word: string,
): boolean {
  if (word.length > MAX_PUT_TOGETHER) return false;
  const isWord = (part: string) => own.some((words) => isIn(words, part));
  const prefixes = own.flatMap((words) => (words.kind === 'hunspell' ? words.prefixes : []));
  const isPrefixed = [...prefixes, ...(PREFIXES[language] ?? [])].some(
    (prefix) => word.startsWith(prefix) && isWord(word.slice(prefix.length)),
  );
  if (isPrefixed) return true;
  if (!joining.has(language)) return false;
  for (let cut = LEAST_HEAD; cut <= word.length - LEAST_TAIL; cut++) {
    if (!isWord(word.slice(cut))) continue;
    const head = word.slice(0, cut);
    const stems = LINKS.filter((link) => head.endsWith(link)).map((link) =>
      head.slice(0, head.length - link.length),
    );
    if (stems.some(isWord)) return true;
  }
  return false;
}
