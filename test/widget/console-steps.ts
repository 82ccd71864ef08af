/** User actions on console pages, beyond pressing and typing. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Returns the accessible name of the focused element, through all shadow roots. */
export function nameOfFocused(page: Page): Promise<string> {
  return page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    const label =
      element instanceof HTMLInputElement || element instanceof HTMLSelectElement
        ? element.labels?.[0]?.textContent
        : null;
    return (label ?? element?.getAttribute('aria-label') ?? element?.textContent ?? '').trim();
  });
}

/** Presses Tab until the named element has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let step = 0; step < 25; step++) {
    if ((await nameOfFocused(page)) === name) return;
    await page.keyboard.press('Tab');
  }
  expect(await nameOfFocused(page)).toBe(name);
}

/** Returns the body of a response. */
export async function answerOf<T>(response: Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

/** Returns a file for a file chooser. */
export const file = (name: string, content: string) => ({
  name,
  mimeType: '',
  buffer: Buffer.from(content),
});

/** Drags a file over an element and drops it. */
export async function drop(on: Locator, name: string, content: string): Promise<void> {
  await on.evaluate(
    (element, [fileName, text]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], fileName));
      const kind = { dataTransfer, bubbles: true, composed: true, cancelable: true };
      for (const type of ['dragenter', 'dragover', 'drop']) {
        element.dispatchEvent(new DragEvent(type, kind));
      }
    },
    [name, content] as const,
  );
}
