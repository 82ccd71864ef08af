/**
 * The words of the languages: the most frequent ones of all, and those in the dictionaries that are
 * installed, which Apertium translates with and those of Hunspell. Read when they are needed, in threads
 * of their own.
 */
import { readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { Logger } from '../../process/log.ts';
import { startWorker } from '../../process/index.ts';
import { modes } from '../translation/apertium-modes.ts';
import { loadFrequencies, type WordFrequencies } from './word-frequencies.ts';
import {
  type AnalyserWords,
  type HunspellWords,
  isInAnalyser,
  isInHunspell,
} from './dictionary-words.ts';

export interface WordListOptions {
  log: Logger;
  /** Where `*.mode` files and dictionaries are; Debian's folders without them. */
  modesFolder?: string;
  dictionaryFolder?: string;
}

export interface WordLists {
  /** Undefined until they are read. */
  readonly frequencies: WordFrequencies | undefined;
  /** Languages whose words are known, once they are read. */
  readonly languages: ReadonlySet<LanguageTag>;
  /**
   * How surely a word, in lower case, is one of a language with a list, 0 to 1: large dictionaries have
   * words that nobody writes, and compounds may be chance.
   */
  share(language: LanguageTag, word: string): number;
  /** Whether nearly all words of a language are in its list: one of Hunspell, with its compounds. */
  hasNearlyAll(language: LanguageTag): boolean;
  /** Reads the lists unless they are read; never rejects: what cannot be read is left out. */
  load(): Promise<void>;
}

type Words = AnalyserWords | HunspellWords;

/** A dictionary that is installed. */
export interface WordListFile {
  language: LanguageTag;
  path: string;
}

/** What the thread has to say of a file; without words where it cannot be read. */
export interface ReadWordList extends WordListFile {
  words: Words | undefined;
}

/** What a word counts that only a large dictionary has, or that is put together. */
export const RARE_WORD = 0.85;
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
/** Words whose shares are remembered, some 2 MB. */
const MAX_REMEMBERED = 20_000;
const MODES_FOLDER = '/usr/share/apertium/modes';
const DICTIONARY_FOLDER = '/usr/share/hunspell';
const MAX_ANALYSERS = 2;
/** What Hunspell calls otherwise. */
const CODES: Readonly<Record<string, LanguageTag>> = { no: 'nb', sh: 'hr', bs: 'hr', gug: 'gn' };

/** Reads nothing yet. */
export function createWordLists({
  log,
  modesFolder = MODES_FOLDER,
  dictionaryFolder = DICTIONARY_FOLDER,
}: WordListOptions): WordLists {
  const lists = new Map<LanguageTag, Words[]>();
  const languages = new Set<LanguageTag>();
  const remembered = new Map<string, number>();
  let loading: Promise<void> | undefined;

  let frequencies: WordFrequencies | undefined;

  async function loadDictionaries(): Promise<void> {
    const files = await Promise.all([analysers(modesFolder), dictionaries(dictionaryFolder)]);
    await readWordLists(files.flat(), ({ language, path, words }) => {
      if (words === undefined) log.warn({ path }, 'a list of words cannot be read');
      else lists.set(language, [...(lists.get(language) ?? []), words]);
      if (words !== undefined) languages.add(language);
      remembered.clear();
    });
  }

  async function loadAll(): Promise<void> {
    const loads = [loadDictionaries(), loadFrequencies().then((read) => (frequencies = read))];
    for (const load of await Promise.allSettled(loads)) {
      if (load.status === 'rejected')
        log.warn({ err: load.reason as unknown }, 'lists of words cannot be read');
    }
  }

  return {
    get frequencies() {
      return frequencies;
    },
    languages,
    share(language, word) {
      const key = `${language} ${word}`;
      let share = remembered.get(key);
      if (share === undefined) {
        if (remembered.size >= MAX_REMEMBERED) remembered.clear();
        remembered.set(key, (share = shareIn(lists.get(language) ?? [], language, word)));
      }
      return share;
    },
    hasNearlyAll(language) {
      return (lists.get(language) ?? []).some(({ kind }) => kind === 'hunspell');
    },
    load() {
      return (loading ??= loadAll());
    },
  };
}

function shareIn(own: readonly Words[], language: LanguageTag, word: string): number {
  const analysers = own.filter(({ kind }) => kind === 'analyser');
  const core = analysers.length > 0 ? analysers : own;
  if (core.some((words) => isIn(words, word))) return 1;
  const isRare = own.some((words) => isIn(words, word)) || isPutTogether(language, own, word);
  return isRare ? RARE_WORD : 0;
}

function isIn(words: Words, word: string): boolean {
  return words.kind === 'analyser' ? isInAnalyser(words, word) : isInHunspell(words, word);
}

/** Whether a word begins with a prefix, or with another word in languages that join them. */
function isPutTogether(language: LanguageTag, own: readonly Words[], word: string): boolean {
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

/**
 * Reads dictionaries in a thread of its own, one after the other.
 *
 * @throws Error when the thread cannot be started
 */
export function readWordLists(
  files: readonly WordListFile[],
  onList: (list: ReadWordList) => void,
): Promise<void> {
  if (files.length === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const worker = startWorker(import.meta.url, './word-list-worker', { workerData: files });
    worker.on('message', onList);
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
}

/** The dictionary that a mode reads its source with; undefined where there is none. */
export async function analyserOf(modesFolder: string, mode: string): Promise<string | undefined> {
  const command = await readFile(join(modesFolder, `${mode}.mode`), 'utf8').catch(() => '');
  return /'([^']+\.automorf\.bin)'/.exec(command)?.[1];
}

/** What modes read their source with; two for a language have nearly all that others have. */
async function analysers(folder: string): Promise<WordListFile[]> {
  const names = new Set(await readdir(folder).catch(() => []));
  const files = new Map<string, WordListFile>();
  for (const { source: language, name } of modes) {
    const own = [...files.values()].filter((file) => file.language === language);
    if (own.length === MAX_ANALYSERS || !names.has(`${name}.mode`)) continue;
    const path = await analyserOf(folder, name);
    if (path !== undefined) files.set(path, { language, path });
  }
  return [...files.values()];
}

/** Each once: `de_BE` and others are links to `de_DE`. */
async function dictionaries(folder: string): Promise<WordListFile[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.dic'));
  const files = new Map<string, WordListFile>();
  for (const name of names) {
    const [code = ''] = name.split(/[_.-]/, 1);
    const path = await realpath(join(folder, name)).catch(() => undefined);
    const language = CODES[code] ?? baseLanguage(code);
    if (path !== undefined) files.set(path, { language, path });
  }
  return [...files.values()];
}
