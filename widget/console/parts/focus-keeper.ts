/** Whoever types or listens stays where they are when what has the focus goes away under them. */

/** What has the focus, and its place in a list or a table. */
interface Held {
  element: HTMLElement;
  /** From the inside out: its row, and the next one that it is a part of. */
  rows: readonly { list: Element; at: number }[];
  /** It could not be used for a while: it takes the focus back. */
  wasOff: boolean;
}

const ROW = 'tr, li';
const STATES = ['disabled', 'hidden'];
const CONTROL = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary';

/**
 * Keeps the focus from falling back to the whole page, where screen readers begin anew: a button that is
 * off while it works has it again afterwards; from a row that is gone it goes to the one that takes its
 * place.
 *
 * @param toHeading puts it on the heading of the page, where nothing else is left
 */
export function keepFocus(toHeading: () => void): void {
  let held: Held | undefined;
  let frame = 0;
  const heard = new WeakSet<Node>();

  const look = (): void => {
    frame = 0;
    if (held === undefined || isOff(held.element)) return;
    if (focused() !== undefined) {
      held.wasOff = false;
      return;
    }
    const { element, wasOff } = held;
    const isThere = element.isConnected && element.checkVisibility();
    const next = isThere ? undefined : neighbourOf(held);
    held = undefined;
    // Whoever has left it goes nowhere.
    if (isThere && wasOff) element.focus({ preventScroll: true });
    else if (!isThere && next === undefined) toHeading();
    else next?.focus();
  };
  // Browsers take the focus away from what is off only when they paint.
  const lookSoon = (): void => {
    if (frame === 0) frame = requestAnimationFrame(() => (frame = requestAnimationFrame(look)));
  };
  const changes = new MutationObserver(() => {
    if (held !== undefined && isOff(held.element)) held.wasOff = true;
    lookSoon();
  });

  const hold = (): void => {
    const element = focused();
    if (element === undefined) return;
    const path = pathOf(element);
    held = { element, rows: path.flatMap(rowOf), wasOff: false };
    changes.disconnect();
    for (const root of path.map((part) => part.getRootNode())) {
      listen(root);
      changes.observe(root, { childList: true, subtree: true, attributeFilter: STATES });
    }
  };
  // Where the focus moves within a shadow, nobody outside of it hears of it.
  const listen = (root: Node): void => {
    if (heard.has(root)) return;
    heard.add(root);
    root.addEventListener('focusin', hold);
    root.addEventListener('focusout', lookSoon);
  };
  listen(document);
}

function isOff(element: Element): boolean {
  return element.isConnected && element.matches(':disabled');
}

/** What has the focus, in any depth of shadows. */
export function focused(): HTMLElement | undefined {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element instanceof HTMLElement && element !== document.body ? element : undefined;
}

/** An element and the hosts of the shadows that it is in, from the inside out. */
function pathOf(element: Element): Element[] {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? [element, ...pathOf(root.host)] : [element];
}

function rowOf(element: Element): Held['rows'] {
  const row = element.closest(ROW);
  const list = row?.parentElement;
  if (row === null || !list) return [];
  return [{ list, at: [...list.children].indexOf(row) }, ...rowOf(list)];
}

/** The first control of the row that stands where it was, or of the last one. */
function neighbourOf({ rows }: Held): HTMLElement | undefined {
  for (const { list, at } of rows) {
    if (!list.isConnected) continue;
    const next = list.children[at] ?? list.lastElementChild;
    const control = next?.querySelector<HTMLElement>(CONTROL);
    if (control?.checkVisibility()) return control;
  }
  return undefined;
}
