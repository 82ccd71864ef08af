/** Keeps the place of keyboard and screen reader users when the focused element goes away. */

/** The focused element, and its place in lists or tables. */
interface Held {
  element: HTMLElement;
  /** Its row and the enclosing rows, innermost first. */
  rows: readonly { list: Element; at: number }[];
  /** Whether the element was disabled for a while; it then takes the focus back. */
  wasOff: boolean;
}

const ROW = 'tr, li';
const STATES = ['disabled', 'hidden'];
const CONTROL = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary';

/**
 * Prevents the focus from falling back to the document, where screen readers start over. A button that is
 * disabled while it works gets the focus back; when a row is removed, its successor gets it.
 *
 * @param toHeading focuses the heading of the page, if nothing else is left
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
    // If the user has left the element, the focus does not move.
    if (isThere && wasOff) element.focus({ preventScroll: true });
    else if (!isThere && next === undefined) toHeading();
    else next?.focus();
  };
  // Browsers take the focus from a disabled element only when they paint.
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
  // Focus moves within a shadow root are not visible outside it.
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

/** Returns the focused element, through any depth of shadow roots. */
export function focused(): HTMLElement | undefined {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element instanceof HTMLElement && element !== document.body ? element : undefined;
}

/** Returns an element and its shadow hosts, innermost first. */
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

/** Returns the first control of the row now in the removed row's place, or of the last row. */
function neighbourOf({ rows }: Held): HTMLElement | undefined {
  for (const { list, at } of rows) {
    if (!list.isConnected) continue;
    const next = list.children[at] ?? list.lastElementChild;
    const control = next?.querySelector<HTMLElement>(CONTROL);
    if (control?.checkVisibility()) return control;
  }
  return undefined;
}
