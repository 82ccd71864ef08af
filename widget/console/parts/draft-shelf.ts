/** Something that is being edited and may differ from its saved version. */
export interface Draft {
  readonly isChanged: boolean;
  /** The dialog that holds the input, unless the page itself shows it. */
  readonly dialog?: DraftDialog;
}

/** A dialog that holds input; it closes when its page is left. */
export interface DraftDialog {
  title: string;
  /** The page that opens the dialog, such as `glossaries/ID`. */
  place: string;
}

const shelves = new Set<Map<string, Draft>>();
let isWatching = false;

/** Fires `let-go` when drafts are discarded. */
export const draftChanges = new EventTarget();

/**
 * Keeps drafts while the user is on another page; the browser asks before they are lost. A key begins with
 * the draft's subject, `glossaries/ID`, followed by a blank and a distinguishing part if the subject has
 * several.
 */
export class DraftShelf<T extends Draft> {
  readonly #drafts = new Map<string, T>();

  /** Returns the draft kept under a key, if any. */
  waiting(key: string): T | undefined {
    return this.#drafts.get(key);
  }

  /** Keeps a draft; discards one without changes. */
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

/** Returns whether any drafts are kept. */
export function hasDrafts(): boolean {
  return [...shelves].some((drafts) => drafts.size > 0);
}

/** Returns the keys and titles of drafts in dialogs of a page. */
export function draftsOfDialogs(place: string): [key: string, title: string][] {
  return [...shelves].flatMap((drafts) =>
    [...drafts].flatMap(([key, { dialog }]): [string, string][] =>
      dialog?.place === place ? [[key, dialog.title]] : [],
    ),
  );
}

/** Discards a draft, whichever shelf it is on. */
export function forgetDraft(key: string): void {
  forgetWhere((each) => each === key);
}

/** Discards every draft of every shelf, so that signing out leaves nothing behind. */
export function forgetDrafts(): void {
  forgetWhere(() => true);
}

/** Discards all drafts about a deleted subject, such as `glossaries/ID`. */
export function forgetAbout(thing: string): void {
  forgetWhere((key) => isAbout(key, thing));
}

/** Discards drafts about subjects that no longer exist: another client may have deleted them. */
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
