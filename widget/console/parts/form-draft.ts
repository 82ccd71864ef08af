/** What somebody has typed into a form is there again when the page went away under it. */
import { DraftShelf, type Draft, type DraftDialog } from './draft-shelf.ts';

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Fields by their ids or names. */
type Values = ReadonlyMap<string, string | boolean>;

interface FormValues extends Draft {
  values: Values;
}

const forms = new DraftShelf<FormValues>();

/** Secrets are never kept; files and choices of one among others are made anew. */
const NOT_KEPT: ReadonlySet<string> = new Set(['password', 'hidden', 'file', 'radio', 'search']);

/** A form that is being filled in. */
export class FormDraft {
  readonly #root: Element;
  readonly #key: string;
  readonly #dialog: DraftDialog;
  readonly #before: Values;
  #isOver = false;

  /** @param key of this form and no other */
  constructor(root: Element, { key, dialog }: { key: string; dialog: DraftDialog }) {
    this.#root = root;
    this.#key = key;
    this.#dialog = dialog;
    this.#before = valuesOf(root);
  }

  /** Puts in what was left; whoever listens to the fields takes it for typed. */
  async restore(): Promise<void> {
    const left = forms.waiting(this.#key)?.values;
    if (left === undefined) return;
    const waiting = new Map(left);
    // Some fields come only by what others say.
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

  /** Keeps what differs now from what was there. */
  async keep(): Promise<void> {
    this.#keepNow();
    // A field that is to go is there until the form is drawn anew.
    await updateOf(this.#root);
    if (!this.#isOver && this.#root.isConnected) this.#keepNow();
  }

  #keepNow(): void {
    const all = [...valuesOf(this.#root)];
    const values = new Map(all.filter(([name, value]) => this.#before.get(name) !== value));
    forms.keep(this.#key, { values, isChanged: values.size > 0, dialog: this.#dialog });
  }

  /** It was sent, or is not to be. */
  forget(): void {
    this.#isOver = true;
    forms.forget(this.#key);
  }
}

/** Fields below an element, those as well that others put into its slots. */
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

/** When the element that has drawn the form has drawn it anew. */
async function updateOf(root: Element): Promise<void> {
  const tree = root.getRootNode();
  if (!(tree instanceof ShadowRoot)) return;
  await (tree.host as Partial<{ updateComplete: Promise<unknown> }>).updateComplete;
}
