import { DraftShelf } from '../parts/draft-shelf.ts';
import { entryFault, writeTsv, type Entry, type LanguagePair } from './entry-file.ts';

/** How a draft differs from what is saved. */
export interface DraftChanges {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** How an entry differs from what is saved. */
export type EntryMark = 'added' | 'changed' | 'saved';

/** What stands in the fields of a row, in the place of an entry or as a new one. */
export interface WrittenRow extends Entry {
  /** The entry it is to replace. */
  readonly over: Entry | 'new';
}

/** What is to be sent: entries to be added to the others, or all of them anew. */
export type SavePlan =
  | { readonly kind: 'add'; readonly tsv: string }
  | { readonly kind: 'rewrite'; readonly over: (current: string) => Entry[] };

/**
 * A dictionary that is being edited: what was saved, and what it has become. Nothing is sent on the
 * way, so that a slip costs nothing and ten thousand lines cost one request.
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

  /** Grows with every change. */
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

  /** Entries with these words in either phrase, whatever their case; all of them for none. */
  search(words: string): readonly Entry[] {
    const wanted = words.trim().toLowerCase();
    if (wanted === '') return this.#entries;
    return this.#entries.filter(
      ({ source, target }) =>
        source.toLowerCase().includes(wanted) || target.toLowerCase().includes(wanted),
    );
  }

  /** How many of these are not there yet, and how many are there with another translation. */
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
   * Puts an entry first, where it is seen, or in the place of another.
   *
   * @returns what is wrong with it, as a predicate of an entry; then nothing has changed
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

  /** Takes many entries at once, over those with the same source or in the place of all. */
  take(taken: readonly Entry[], { inPlaceOfAll }: { inPlaceOfAll: boolean }): void {
    this.#set(inPlaceOfAll ? taken : merged(this.#entries, taken));
  }

  discard(): void {
    this.row = undefined;
    this.#set(Array.from(this.#saved, ([source, target]) => ({ source, target })));
  }

  /** A draft of what is saved now, in the order that was seen: what was added stays in view. */
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
    // The next one may have been begun meanwhile.
    if (this.row?.over === 'new') draft.row = this.row;
    return draft;
  }

  /** What others changed in between stays, unless the same entry was changed here. */
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

/** Drafts that wait while somebody looks at another page, by {@link draftKey}. */
export const drafts = new DraftShelf<DictionaryDraft>();

/** Keys of the dictionaries of a glossary start with its id. */
export function draftKey(glossaryId: string, { source, target }: LanguagePair): string {
  return `glossaries/${glossaryId} ${source} ${target}`;
}

/** The entries of a text as the server writes it: a line each, with one tab. */
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
