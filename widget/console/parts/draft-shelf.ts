/** Something that is being edited and may differ from what is saved. */
export interface Draft {
  readonly isChanged: boolean;
}

const shelves = new Set<Map<string, Draft>>();
let isWatching = false;

/** Keeps drafts while somebody looks at another page; the browser asks before they are lost. */
export class DraftShelf<T extends Draft> {
  readonly #drafts = new Map<string, T>();

  /** A draft with changes that was left. */
  waiting(key: string): T | undefined {
    return this.#drafts.get(key);
  }

  /** Keeps a draft; one without changes is let go. */
  keep(key: string, draft: T): void {
    if (draft.isChanged) this.#drafts.set(key, draft);
    else this.#drafts.delete(key);
    shelves.add(this.#drafts);
    watch();
  }

  forget(key: string): void {
    this.#drafts.delete(key);
  }

  /** Forgets all whose key starts so. */
  forgetAll(start: string): void {
    for (const key of [...this.#drafts.keys()]) if (key.startsWith(start)) this.forget(key);
  }
}

/** Whether anything waits to be gone on with. */
export function hasDrafts(): boolean {
  return [...shelves].some((drafts) => drafts.size > 0);
}

/** Forgets every draft of every shelf: whoever signs out leaves nothing behind. */
export function forgetDrafts(): void {
  for (const drafts of shelves) drafts.clear();
}

function watch(): void {
  if (isWatching) return;
  isWatching = true;
  addEventListener('beforeunload', (event) => {
    if (hasDrafts()) event.preventDefault();
  });
}
