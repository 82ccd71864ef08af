/**
 * Nested names of forms: `dictionaries[0].source_lang` is the property `source_lang` of the first
 * item of `dictionaries`.
 */

/** `name[index].property`, or `name[index]` for plain items. */
const NESTED = /^([A-Za-z_]\w*)\[(\d{1,4})\](?:\.([A-Za-z_]\w*)|\[([A-Za-z_]\w*)\])?$/;

/**
 * A form with its nested names gathered into lists. Indices only give the order: gaps are closed,
 * so that a large index costs nothing. A name that does not nest stays what it is.
 */
export function nestFormNames(form: Record<string, unknown>): Record<string, unknown> {
  const flat: [string, unknown][] = [];
  const lists = new Map<string, Map<number, unknown>>();
  for (const [name, value] of Object.entries(form)) {
    const match = NESTED.exec(name);
    if (match === null) {
      flat.push([name, value]);
      continue;
    }
    const [, listName = '', index, dotted, bracketed] = match;
    const items = lists.get(listName) ?? new Map<number, unknown>();
    lists.set(listName, items);
    place(items, Number(index), dotted ?? bracketed, value);
  }
  const nested = [...lists].map(([name, items]): [string, unknown] => [name, inOrder(items)]);
  return Object.fromEntries([...flat, ...nested]);
}

function place(
  items: Map<number, unknown>,
  index: number,
  property: string | undefined,
  value: unknown,
): void {
  if (property === undefined) {
    items.set(index, value);
    return;
  }
  const existing = items.get(index);
  const item = existing instanceof Map ? existing : new Map<string, unknown>();
  items.set(index, item.set(property, value));
}

function inOrder(items: Map<number, unknown>): unknown[] {
  return [...items]
    .sort(([a], [b]) => a - b)
    .map(([, item]) => (item instanceof Map ? Object.fromEntries<unknown>(item) : item));
}
