/** A page for many tests of a file: a new one costs more than most of them do. */
import type { Page } from 'playwright-core';

export interface KeptPage {
  /** Opens an address in the page that the test before has left, or else in a new one. */
  openAgain: (address: string) => Promise<Page>;
  /** After a test: closes its page, but for that of `openAgain` when the test has passed. */
  leave: (page: Page, hasPassed: boolean) => Promise<void>;
}

/** @param open opens an address in a new page */
export function keepPage(open: (address: string) => Promise<Page>): KeptPage {
  let kept: Page | undefined;
  return {
    async openAgain(address) {
      if (kept === undefined) return (kept = await open(address));
      await kept.goto(address);
      return kept;
    },
    async leave(page, hasPassed) {
      if (page === kept && hasPassed) return;
      if (page === kept) kept = undefined;
      await page.context().close();
    },
  };
}
