/** A page shared by many tests of a file: a new one costs more than most tests. */
import type { Page } from 'playwright-core';

export interface KeptPage {
  /** Opens an address in the page left by the previous test, or in a new one. */
  openAgain: (address: string) => Promise<Page>;
  /** Ends a test: closes its page, except that of `openAgain` after a passed test. */
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
