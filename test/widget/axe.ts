/** What axe-core finds in a page that is open in a browser. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const options: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  selectors: false,
};

/**
 * What axe has to say about a page, one line each; fails when it has looked at nothing.
 *
 * @param within a selector of the part to look at; all of the page without it
 */
export async function violations(page: Page, within?: string): Promise<string[]> {
  // Not by a script tag: the page's own policy forbids it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  // Of what is right only the number leaves the page: every node of it would be a megabyte.
  const { passed, found } = await page.evaluate(
    async ({ within, options }) => {
      const { axe } = globalThis as unknown as {
        axe: { run(at: Element, options: RunOptions): Promise<AxeResults> };
      };
      const at = within === undefined ? document.documentElement : document.querySelector(within)!;
      const { passes, violations } = await axe.run(at, options);
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
      return { passed: passes.length, found };
    },
    { within, options },
  );
  expect(passed).toBeGreaterThan(10);
  return found;
}
