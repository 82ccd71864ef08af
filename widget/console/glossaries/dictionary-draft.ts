import { hasWords } from '../parts/choices.ts';
import { DraftShelf } from '../parts/draft-shelf.ts';
import { entryFault, writeTsv, type Entry, type LanguagePair } from './entry-file.ts';

/** Numbers of entries that differ from the saved dictionary. */
export interface DraftChanges {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** How an entry differs from the saved one. */
export type EntryMark = 'added' | 'changed' | 'saved';

/** Content of a row's input fields, for a new entry or in place of an existing one. */
export interface WrittenRow extends Entry {
  /** The entry it replaces. */
  readonly over: Entry | 'new';
}

/** What to send: entries to add to the others, or the whole dictionary anew. */
export type SavePlan =
  | { readonly kind: 'add'; readonly tsv: string }
  | { readonly kind: 'rewrite'; readonly over: (current: string) => Entry[] };

/**
 * Draft of a dictionary: the saved entries and the current ones. Nothing is sent while editing, so that a
 * slip costs nothing and ten thousand lines cost one request.
 */
export class DictionaryDraft {
  #saved: ReadonlyMap<string, string>;
  #entries: readonly Entry[];
  #changes: DraftChanges | undefined;
  #version = 0;
  /** A row that is still being written. */
  row: WrittenRow | undefined;

  constructor(saved: readonly Entry[]) {
    this.#saved = new Map(saved.map(({ source, target }) => [source, target]));
    this.#entries = saved;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Increases with every change. */
  get version(): number {
    return this.#version;
  }

  get changes(): DraftChanges {
    return (this.#changes ??= this.#compare());
  }

  get isChanged(): boolean {
    const { added, changed, removed } = this.changes;
    return added + changed + removed > 0 || this.row !== undefined;
  }

  /**
   * Returns the entries that contain the words in either phrase, ignoring case and accents; all entries for
   * empty words.
   */
  search(words: string): readonly Entry[] {
    if (words.trim() === '') return this.#entries;
    return this.#entries.filter(({ source, target }) => hasWords(words, source, target));
  }

  /** Counts how many of the given entries are new, and how many exist with another translation. */
  compare(others: readonly Entry[]): { newCount: number; changedCount: number } {
    const targets = new Map(this.#entries.map(({ source, target }) => [source, target]));
    let newCount = 0;
    let changedCount = 0;
    for (const { source, target } of others) {
      const known = targets.get(source);
      if (known === undefined) newCount += 1;
      else if (known !== target) changedCount += 1;
    }
    return { newCount, changedCount };
  }

  mark({ source, target }: Entry): EntryMark {
    const saved = this.#saved.get(source);
    return saved === undefined ? 'added' : saved === target ? 'saved' : 'changed';
  }

  /**
   * Adds an entry at the top, where it is visible, or in place of another one.
   *
   * @returns the fault of the entry, as a predicate; the draft is then unchanged
   */
  put(entry: Entry, replaced?: Entry): string | undefined {
    const fault = entryFault(entry);
    if (fault !== undefined) return fault;
    const hasTwin = this.#entries.some((each) => each !== replaced && each.source === entry.source);
    if (hasTwin) return 'has a source phrase that is there already';
    this.#set(
      replaced === undefined
        ? [entry, ...this.#entries]
        : this.#entries.map((each) => (each === replaced ? entry : each)),
    );
    return undefined;
  }

  remove(entry: Entry): void {
    this.#set(this.#entries.filter((each) => each !== entry));
  }

  /** Adds many entries at once: over those with the same source, or in place of all. */
  take(taken: readonly Entry[], { inPlaceOfAll }: { inPlaceOfAll: boolean }): void {
    this.#set(inPlaceOfAll ? taken : merged(this.#entries, taken));
  }

  discard(): void {
    this.row = undefined;
    this.#set(Array.from(this.#saved, ([source, target]) => ({ source, target })));
  }

  /**
   * Returns a draft of the newly saved entries in the order shown so far, so that added ones stay in view.
   */
  renewed(saved: readonly Entry[]): DictionaryDraft {
    const draft = new DictionaryDraft(saved);
    const waiting = new Map(saved.map((entry) => [entry.source, entry]));
    const seen: Entry[] = [];
    for (const { source } of this.#entries) {
      const entry = waiting.get(source);
      if (entry === undefined) continue;
      waiting.delete(source);
      seen.push(entry);
    }
    draft.#entries = [...seen, ...waiting.values()];
    // The user may have begun the next entry meanwhile.
    if (this.row?.over === 'new') draft.row = this.row;
    return draft;
  }

  /** How to save the draft. Changes made elsewhere meanwhile are kept, except to entries changed here. */
  get plan(): SavePlan {
    const changed = this.#entries.filter((entry) => this.mark(entry) !== 'saved');
    const kept = new Set(this.#entries.map(({ source }) => source));
    const removed = new Set([...this.#saved.keys()].filter((source) => !kept.has(source)));
    if (removed.size === 0) return { kind: 'add', tsv: writeTsv(changed) };
    return {
      kind: 'rewrite',
      over: (current) => {
        const others = entriesOf(current).filter(({ source }) => !removed.has(source));
        return merged(others, changed);
      },
    };
  }

  #set(entries: readonly Entry[]): void {
    this.#entries = entries;
    this.#changes = undefined;
    this.#version += 1;
  }

  #compare(): DraftChanges {
    let added = 0;
    let changed = 0;
    for (const entry of this.#entries) {
      const mark = this.mark(entry);
      if (mark === 'added') added += 1;
      else if (mark === 'changed') changed += 1;
    }
    const kept = this.#entries.length - added;
    return { added, changed, removed: this.#saved.size - kept };
  }
}

/** Drafts kept while the user is on another page, by {@link draftKey}. */
export const drafts = new DraftShelf<DictionaryDraft>();

/** Returns a dictionary's key. Keys begin with the id of the glossary. */
export function draftKey(glossaryId: string, { source, target }: LanguagePair): string {
  return `glossaries/${glossaryId} ${source} ${target}`;
}

/** Parses entries as the server writes them: one per line, with one tab. */
export function entriesOf(tsv: string): Entry[] {
  if (tsv === '') return [];
  return tsv.split('\n').map((line) => {
    const tab = line.indexOf('\t');
    return { source: line.slice(0, tab), target: line.slice(tab + 1) };
  });
}

function merged(entries: readonly Entry[], taken: readonly Entry[]): Entry[] {
  const waiting = new Map(taken.map((entry) => [entry.source, entry]));
  const kept = entries.map((entry) => {
    const newer = waiting.get(entry.source);
    waiting.delete(entry.source);
    return newer ?? entry;
  });
  return [...kept, ...waiting.values()];
}
