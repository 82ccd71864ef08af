/** Something that is being edited and may differ from what is saved. */
export interface Draft {
  readonly isChanged: boolean;
  /** Where it was typed, unless the page shows it by itself. */
  readonly dialog?: DraftDialog;
}

/** A dialog that holds what was typed; it is closed when its page is left. */
export interface DraftDialog {
  title: string;
  /** The page that opens it, as `glossaries/ID`. */
  place: string;
}

const shelves = new Set<Map<string, Draft>>();
let isWatching = false;

/** Fires `let-go` when drafts are no more. */
export const draftChanges = new EventTarget();

/**
 * Keeps drafts while somebody looks at another page; the browser asks before they are lost. Keys begin
 * with what a draft is about: `glossaries/ID`, and after a blank which of several of it.
 */
export class DraftShelf<T extends Draft> {
  readonly #drafts = new Map<string, T>();

  /** A draft with changes that was left. */
  waiting(key: string): T | undefined {
    return this.#drafts.get(key);
  }

  /** Keeps a draft; one without changes is let go. */
  keep(key: string, draft: T): void {
    if (!draft.isChanged) {
      this.forget(key);
      return;
    }
    this.#drafts.set(key, draft);
    shelves.add(this.#drafts);
    watch();
  }

  forget(key: string): void {
    forgetWhere((each, drafts) => drafts === this.#drafts && each === key);
  }
}

/** Whether anything waits to be gone on with. */
export function hasDrafts(): boolean {
  return [...shelves].some((drafts) => drafts.size > 0);
}

/** What was typed into dialogs of a page and waits there: keys with titles. */
export function draftsOfDialogs(place: string): [key: string, title: string][] {
  return [...shelves].flatMap((drafts) =>
    [...drafts].flatMap(([key, { dialog }]): [string, string][] =>
      dialog?.place === place ? [[key, dialog.title]] : [],
    ),
  );
}

/** Forgets a draft, on whatever shelf. */
export function forgetDraft(key: string): void {
  forgetWhere((each) => each === key);
}

/** Forgets every draft of every shelf: whoever signs out leaves nothing behind. */
export function forgetDrafts(): void {
  forgetWhere(() => true);
}

/** Forgets all about a thing that is no more, as `glossaries/ID`. */
export function forgetAbout(thing: string): void {
  forgetWhere((key) => isAbout(key, thing));
}

/** Forgets all about things of a place that are not among those that are there: others may delete, too. */
export function forgetAllBut(place: string, ids: readonly string[]): void {
  const start = `${place}/`;
  forgetWhere((key) => key.startsWith(start) && !ids.some((id) => isAbout(key, `${start}${id}`)));
}

function isAbout(key: string, thing: string): boolean {
  return key === thing || key.startsWith(`${thing} `) || key.startsWith(`${thing}/`);
}

function forgetWhere(isMeant: (key: string, drafts: Map<string, Draft>) => boolean): void {
  let count = 0;
  for (const drafts of shelves) {
    for (const key of [...drafts.keys()]) {
      if (isMeant(key, drafts) && drafts.delete(key)) count += 1;
    }
  }
  if (count > 0) draftChanges.dispatchEvent(new Event('let-go'));
}

function watch(): void {
  if (isWatching) return;
  isWatching = true;
  addEventListener('beforeunload', (event) => {
    if (hasDrafts()) event.preventDefault();
  });
}
