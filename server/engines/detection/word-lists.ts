/**
 * The words of the languages: the most frequent ones of all, and those in the dictionaries that are
 * installed, which Apertium translates with and those of Hunspell. Read when they are needed, in threads
 * of their own.
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

/** What the thread has to say of a file; without words where it cannot be read. */
export interface ReadWordList extends DictionaryFile {
  words: DictionaryWords | undefined;
}

/** What a word counts that only a large dictionary has, or that is put together. */
export const RARE_WORD = 0.85;
/** Words whose shares are remembered, some 2 MB. */
const MAX_REMEMBERED = 20_000;
const MAX_ANALYSERS = 2;

/** Reads nothing yet. */
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
 * Reads dictionaries in a thread of its own, one after the other.
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

/** What modes read their source with; two for a language have nearly all that others have. */
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
