/**
 * Installed dictionaries, from Hunspell and from the analysers of Apertium's modes, and word lookup in them.
 */
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { keep, placeOfTable, readKept } from '../../process/index.ts';
import {
  type AnalyserWords,
  type HunspellWords,
  isInAnalyser,
  isInHunspell,
  readAnalyser,
  readHunspell,
} from './dictionary-words.ts';

/** An installed dictionary. */
export interface DictionaryFile {
  language: LanguageTag;
  path: string;
}

export type DictionaryWords = AnalyserWords | HunspellWords;

export const MODES_FOLDER = '/usr/share/apertium/modes';
export const DICTIONARY_FOLDER = '/usr/share/hunspell';
/** Hunspell's codes that differ from language tags. */
const CODES: Readonly<Record<string, LanguageTag>> = { no: 'nb', sh: 'hr', bs: 'hr', gug: 'gn' };

/** Returns the Hunspell dictionaries, each once: `de_BE` and others are links to `de_DE`. */
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

/** Returns the path of an Apertium mode's analyser; undefined when there is none. */
export async function analyserOf(modesFolder: string, mode: string): Promise<string | undefined> {
  const command = await readFile(join(modesFolder, `${mode}.mode`), 'utf8').catch(() => '');
  return /'([^']+\.automorf\.bin)'/.exec(command)?.[1];
}

/** Size from which reading a dictionary takes longer than a few milliseconds. */
const LEAST_KEPT_BYTES = 100_000;

/** A dictionary as it is in memory. */
interface Table {
  /** Paths, sizes and times of the files that it was made from. */
  origin: string;
  words: DictionaryWords;
}

/**
 * Reads the words of a dictionary; undefined for an unknown file format. Large ones are kept as they
 * are in memory, which later processes read in a tenth of the time.
 *
 * @throws Error when the file cannot be read
 */
export async function readDictionary(file: DictionaryFile): Promise<DictionaryWords | undefined> {
  const stats = await Promise.all(filesOf(file).map((path) => stat(path)));
  const isLarge = stats.some(({ size }) => size >= LEAST_KEPT_BYTES);
  const name = `${basename(file.path)}.${crc32(file.path).toString(16)}`;
  const place = isLarge ? placeOfTable(name) : undefined;
  if (place === undefined) return parseDictionary(file);
  const origin = [file.path, ...stats.map(({ size, mtimeMs }) => `${size} ${mtimeMs}`)].join('\n');
  const kept = readTable(place);
  if (kept?.origin === origin) return kept.words;
  const words = await parseDictionary(file);
  if (words !== undefined) {
    try {
      keep(place, serialize({ origin, words } satisfies Table));
    } catch {
      // Where the product's folder cannot be written, each process reads the dictionary itself.
    }
  }
  return words;
}

function readTable(place: string): Table | undefined {
  const content = readKept(place);
  try {
    return content && (deserialize(content) as Table);
  } catch {
    // A newer version of Node has written it.
    return undefined;
  }
}

function filesOf({ path }: DictionaryFile): string[] {
  return path.endsWith('.dic') ? [path, path.replace(/\.dic$/, '.aff')] : [path];
}

async function parseDictionary(file: DictionaryFile): Promise<DictionaryWords | undefined> {
  const [path = '', affixPath] = filesOf(file);
  if (affixPath === undefined) return readAnalyser(await readFile(path));
  const affixes = await readFile(affixPath);
  // Some files begin with a byte order mark.
  const encoding = /^\W*SET\s+(\S+)/m.exec(affixes.toString('latin1'))?.[1] ?? 'ISO8859-1';
  const decoder = new TextDecoder(encoding.replace(/^ISO(?=\d)/, 'ISO-'));
  const hasNames = file.language === 'de';
  return readHunspell(decoder.decode(await readFile(path)), decoder.decode(affixes), { hasNames });
}

/** Whether a dictionary contains a lower-case word. */
export function isIn(words: DictionaryWords, word: string): boolean {
  return words.kind === 'analyser' ? isInAnalyser(words, word) : isInHunspell(words, word);
}

/** Languages that form compounds. */
const joining: ReadonlySet<LanguageTag> = new Set('da de fi hu is nb nl sv'.split(' '));
/** Minimum lengths of compound parts; shorter parts match too many words by chance. */
const LEAST_HEAD = 4;
const LEAST_TAIL = 3;
/**
 * Maximum length of a compound, in UTF-16 units; longer ones are no words, and trying all splits takes time.
 */
const MAX_PUT_TOGETHER = 64;
/** Linking elements of compounds. */
const LINKS = ['', 's', 'es', 'n', 'en'];
/** Prefixes for languages whose dictionary lists none. */
const PREFIXES: Readonly<Record<LanguageTag, readonly string[]>> = {
  en: ['un', 're', 'non', 'mis', 'over', 'under', 'out'],
};

/** Whether a word consists of a prefix and a word or, in languages that form compounds, of two words. */
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

// Words of a language from all its dictionaries.

/** Whether a text of letters and inner apostrophes is a word, whatever its case. */
export type IsKnownWord = (word: string) => boolean;

interface KnownWordsOptions {
  /** Folders of the `*.mode` files and the dictionaries; Debian's by default. */
  modesFolder?: string;
  dictionaryFolder?: string;
}

/**
 * Number of dictionaries read per language: one contains nearly all words of the others, but `pt_PT` and
 * `pt_BR` differ.
 */
const MOST_DICTIONARIES = 2;
/** Longest elided part before or after an apostrophe, in characters: `l’`, `dell’`, `’s`. */
const LONGEST_ELIDED = 5;

/**
 * Creates a lookup of word lists by language. Dictionaries are read at the first request for a language,
 * which takes up to half a second and some 10 MB, and kept.
 *
 * @returns undefined for a language without a readable dictionary
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
    // Unreadable dictionaries are left out.
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

/** Word lookup in the dictionaries installed by Debian packages. */
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

/**
 * Returns the analysers of a language's modes; mode names begin with the language code of two or three
 * letters.
 */
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

/** Normalises a language code, such as `spa` to `es`; undefined when it is not one. */
function languageOfCode(code: string): LanguageTag | undefined {
  if (!/^[a-z]{2,3}$/.test(code)) return undefined;
  return baseLanguage(Intl.getCanonicalLocales(code)[0] ?? code);
}
