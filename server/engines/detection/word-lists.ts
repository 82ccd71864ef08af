/**
 * Word lists by language: the most frequent words, and the installed dictionaries of Apertium and Hunspell.
 * They are read on demand in worker threads.
 */
import { readdir } from 'node:fs/promises';
import type { LanguageTag } from '../../../shared/language.ts';
import type { Logger } from '../../process/log.ts';
import { startWorker } from '../../process/index.ts';
import {
  analyserOf,
  DICTIONARY_FOLDER,
  type DictionaryFile,
  type DictionaryWords,
  hunspellFiles,
  isIn,
  isPutTogether,
  MODES_FOLDER,
} from '../../text/words/dictionaries.ts';
import { modes } from '../translation/apertium-modes.ts';
import { loadFrequencies, type WordFrequencies } from './word-frequencies.ts';

export interface WordListOptions {
  log: Logger;
  /** Folders of the `*.mode` files and the dictionaries; Debian's by default. */
  modesFolder?: string;
  dictionaryFolder?: string;
}

export interface WordLists {
  /** Undefined until loaded. */
  readonly frequencies: WordFrequencies | undefined;
  /** Languages whose dictionaries are loaded. */
  readonly languages: ReadonlySet<LanguageTag>;
  /**
   * Returns how certainly a lower-case word belongs to a language with a list, 0 to 1. Large dictionaries
   * contain words that are never used, and compounds may be chance.
   */
  share(language: LanguageTag, word: string): number;
  /** Whether a language's list is nearly complete: a Hunspell dictionary with its compounds. */
  hasNearlyAll(language: LanguageTag): boolean;
  /** Loads the lists once. Never rejects; unreadable lists are left out. */
  load(): Promise<void>;
}

/** The thread's message about a file; without words when the file cannot be read. */
export interface ReadWordList extends DictionaryFile {
  words: DictionaryWords | undefined;
}

/** Share of a word that only a large dictionary contains, or that is a compound. */
const RARE_WORD = 0.85;
/** Number of cached shares, some 2 MB. */
const MAX_REMEMBERED = 20_000;
const MAX_ANALYSERS = 2;

/** Loads nothing yet. */
export function createWordLists({
  log,
  modesFolder = MODES_FOLDER,
  dictionaryFolder = DICTIONARY_FOLDER,
}: WordListOptions): WordLists {
  const lists = new Map<LanguageTag, DictionaryWords[]>();
  const languages = new Set<LanguageTag>();
  const remembered = new Map<string, number>();
  let loading: Promise<void> | undefined;

  let frequencies: WordFrequencies | undefined;

  async function loadDictionaries(): Promise<void> {
    const files = await Promise.all([analysers(modesFolder), hunspellFiles(dictionaryFolder)]);
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

function shareIn(own: readonly DictionaryWords[], language: LanguageTag, word: string): number {
  const analysers = own.filter(({ kind }) => kind === 'analyser');
  const core = analysers.length > 0 ? analysers : own;
  if (core.some((words) => isIn(words, word))) return 1;
  const isRare = own.some((words) => isIn(words, word)) || isPutTogether(language, own, word);
  return isRare ? RARE_WORD : 0;
}

/**
 * Reads dictionaries one after the other in a worker thread.
 *
 * @throws Error when the thread cannot be started
 */
export function readWordLists(
  files: readonly DictionaryFile[],
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

/** Returns the analysers of the modes; two per language contain nearly all words of the others. */
async function analysers(folder: string): Promise<DictionaryFile[]> {
  const names = new Set(await readdir(folder).catch(() => []));
  const files = new Map<string, DictionaryFile>();
  for (const { source: language, name } of modes) {
    const own = [...files.values()].filter((file) => file.language === language);
    if (own.length === MAX_ANALYSERS || !names.has(`${name}.mode`)) continue;
    const path = await analyserOf(folder, name);
    if (path !== undefined) files.set(path, { language, path });
  }
  return [...files.values()];
}
