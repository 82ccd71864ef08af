/** Restores what a user had typed into a form when the page went away under it. */
import { DraftShelf, type Draft, type DraftDialog } from './draft-shelf.ts';

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Field values by id or name. */
type Values = ReadonlyMap<string, string | boolean>;

interface FormValues extends Draft {
  values: Values;
}

const forms = new DraftShelf<FormValues>();

/** Field types not kept: secrets never are, and files and radio buttons are chosen again. */
const NOT_KEPT: ReadonlySet<string> = new Set(['password', 'hidden', 'file', 'radio', 'search']);

/** Draft of a form that is being filled in. */
export class FormDraft {
  readonly #root: Element;
  readonly #key: string;
  readonly #dialog: DraftDialog;
  readonly #before: Values;
  #isOver = false;

  /** @param key unique to this form */
  constructor(root: Element, { key, dialog }: { key: string; dialog: DraftDialog }) {
    this.#root = root;
    this.#key = key;
    this.#dialog = dialog;
    this.#before = valuesOf(root);
  }

  /** Fills in the kept values, with the events of typed input. */
  async restore(): Promise<void> {
    const left = forms.waiting(this.#key)?.values;
    if (left === undefined) return;
    const waiting = new Map(left);
    // Some fields only appear depending on the values of others.
    for (let found = -1; found !== 0 && waiting.size > 0;) {
      found = 0;
      for (const field of fieldsOf(this.#root)) {
        const value = waiting.get(nameOf(field));
        if (value === undefined) continue;
        waiting.delete(nameOf(field));
        fill(field, value);
        found += 1;
      }
      await updateOf(this.#root);
    }
  }

  /** Keeps the values that differ from the initial ones. */
  async keep(): Promise<void> {
    this.#keepNow();
    // A field that is about to disappear exists until the form is rendered again.
    await updateOf(this.#root);
    if (!this.#isOver && this.#root.isConnected) this.#keepNow();
  }

  #keepNow(): void {
    const all = [...valuesOf(this.#root)];
    const values = new Map(all.filter(([name, value]) => this.#before.get(name) !== value));
    forms.keep(this.#key, { values, isChanged: values.size > 0, dialog: this.#dialog });
  }

  /** Discards the draft, once the form was submitted or cancelled. */
  forget(): void {
    this.#isOver = true;
    forms.forget(this.#key);
  }
}

/** Returns the fields below an element, including those assigned to its slots. */
function fieldsOf(root: Element): Field[] {
  return [...root.querySelectorAll('input, select, textarea, slot')].flatMap((element) => {
    if (element instanceof HTMLSlotElement) return element.assignedElements().flatMap(fieldsOf);
    const field = element as Field;
    return NOT_KEPT.has(field.type) || nameOf(field) === '' ? [] : [field];
  });
}

function valuesOf(root: Element): Values {
  return new Map(fieldsOf(root).map((field) => [nameOf(field), valueOf(field)]));
}

function nameOf({ id, name }: Field): string {
  return id === '' ? name : id;
}

function isCheckbox(field: Field): field is HTMLInputElement {
  return field instanceof HTMLInputElement && field.type === 'checkbox';
}

function valueOf(field: Field): string | boolean {
  return isCheckbox(field) ? field.checked : field.value;
}

function fill(field: Field, value: string | boolean): void {
  if (valueOf(field) === value) return;
  if (isCheckbox(field)) field.checked = value === true;
  else field.value = String(value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Resolves when the element that renders the form has updated. */
async function updateOf(root: Element): Promise<void> {
  const tree = root.getRootNode();
  if (!(tree instanceof ShadowRoot)) return;
  await (tree.host as Partial<{ updateComplete: Promise<unknown> }>).updateComplete;
}
