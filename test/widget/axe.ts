/** What is wrong with how a page that is open in a browser is made and coloured. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const options: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  // Our own measure asks for more.
  rules: { 'color-contrast': { enabled: false } },
  resultTypes: ['violations'],
  selectors: false,
};

interface Look {
  /** A selector of the part to look at, in any depth of shadows; all of the page without it. */
  within?: string | undefined;
  /** The same page has been looked at in other colours or in another window: its texts alone are looked at. */
  isSeen?: boolean;
  /** Less than this is too faint; 7 without it. */
  leastContrast?: number;
}

/**
 * What axe-core finds in a page, and texts that are too faint, one line each; fails when it has
 * looked at nothing. From then on nothing moves in the page that need not.
 */
export async function faults(
  page: Page,
  { within, isSeen = false, leastContrast = 7 }: Look = {},
): Promise<string[]> {
  // What fades in, or takes other colours, would be too faint for a moment.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const { count, weak } = await weakTexts(page, { within, leastContrast });
  expect(count).toBeGreaterThan(2);
  if (isSeen) return weak;
  return [...(await violations(page, options, within)), ...weak];
}

/** A laptop in the light, and a phone in the dark. */
export const laptop = { viewport: { width: 1366, height: 768 }, colorScheme: 'light' } as const;
const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

type Device = 'laptop' | 'phone';

/**
 * {@link faults} of a page on a laptop in the light, and texts that are too faint on a phone in the dark;
 * and how far it is wider than either window, in CSS pixels. It is left on the one that it was not on
 * before.
 *
 * @param onEach is called on either
 */
export async function faultsInBothLooks(
  page: Page,
  look: Omit<Look, 'isSeen'> = {},
  onEach: (on: Device) => unknown = () => undefined,
): Promise<{ laptop: string[]; phone: string[]; excess: number }> {
  const found = { laptop: ['not looked at'], phone: ['not looked at'], excess: 0 };
  const lookOn = async (on: Device): Promise<void> => {
    await showOn(page, on);
    found[on] = await faults(page, { ...look, isSeen: on === 'phone' });
    found.excess = Math.max(found.excess, await excessWidth(page));
    await onEach(on);
  };
  const first = deviceOf(page);
  await lookOn(first);
  await lookOn(first === 'laptop' ? 'phone' : 'laptop');
  return found;
}

function deviceOf(page: Page): Device {
  return page.viewportSize()?.width === phone.viewport.width ? 'phone' : 'laptop';
}

/** Gives a page another window and other colours; and fingers, which need larger buttons. */
export async function showOn(page: Page, on: Device): Promise<void> {
  if (deviceOf(page) === on) return;
  const { viewport, colorScheme } = on === 'phone' ? phone : laptop;
  const device = await page.context().newCDPSession(page);
  await device.send('Emulation.setTouchEmulationEnabled', { enabled: on === 'phone' });
  await device.detach();
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
}

/** How far the page is wider than its window, in CSS pixels. */
export function excessWidth(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** What axe-core finds, colours included, where a page is laid over another picture. */
export function faultsOfOverlay(page: Page): Promise<string[]> {
  return violations(page, { ...options, rules: {} });
}

/** In any depth of shadows. */
function partOf(page: Page, within = 'html'): Locator {
  return page.locator(within).first();
}

async function violations(page: Page, options: RunOptions, within?: string): Promise<string[]> {
  // Not by a script tag: the page's own policy forbids it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  // Of what is right only the number leaves the page: every node of it would be a megabyte.
  const { passed, found } = await partOf(page, within).evaluate(async (at, options) => {
    const { axe } = globalThis as unknown as {
      axe: { run(at: Element, options: RunOptions): Promise<AxeResults> };
    };
    const { passes, violations } = await axe.run(at, options);
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
    return { passed: passes.length, found };
  }, options);
  expect(passed).toBeGreaterThan(within === undefined ? 10 : 3);
  return found;
}

/** Texts and their contrast with what is painted behind them, if it is too low; in any depth of shadows. */
function weakTexts(
  page: Page,
  { within = 'body', leastContrast }: { within: string | undefined; leastContrast: number },
): Promise<{ count: number; weak: string[] }> {
  return partOf(page, within).evaluate((part, leastContrast) => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
    const known = new Map<string, number[]>();
    const painted = (color: string) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const rgba = (color: string) => {
      const value = known.get(color) ?? painted(color);
      known.set(color, value);
      return value;
    };
    const luminance = (colour: number[]) => {
      const [red, green, blue] = colour.map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
    };
    const around = (element: Element): Element | null => {
      const root = element.getRootNode();
      const host = root instanceof ShadowRoot ? root.host : null;
      return element.assignedSlot ?? element.parentElement ?? host;
    };
    const behind = (element: Element | null): number[] => {
      if (element === null) return rgba('white');
      const color = rgba(getComputedStyle(element).backgroundColor);
      return color[3] === 255 ? color : behind(around(element));
    };
    /** Fainter than its colour, as far as it lets what is behind it shine through. */
    const opacity = (element: Element | null): number =>
      element === null ? 1 : Number(getComputedStyle(element).opacity) * opacity(around(element));
    const weak: string[] = [];
    let count = 0;
    const look = (element: Element) => {
      const texts = [...element.childNodes].filter((node) => node instanceof Text);
      const text = texts
        .map((node) => node.data)
        .join('')
        .trim();
      if (text !== '' && element.checkVisibility() && !element.matches('option, style')) {
        const { color, fill } = getComputedStyle(element);
        const own = rgba(element instanceof SVGElement ? fill : color);
        const ground = behind(element);
        // What cannot be used may be faint.
        const isUsable = element.closest(':disabled, [aria-disabled="true"]') === null;
        const share = isUsable ? opacity(element) : 1;
        const mixed = own.map((value, at) => value * share + ground[at]! * (1 - share));
        const pair = [luminance(mixed), luminance(ground)];
        const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
        if (share > 0 && ratio < leastContrast) weak.push(`${text} ${ratio.toFixed(2)}`);
        count += 1;
      }
      for (const child of [...element.children, ...(element.shadowRoot?.children ?? [])])
        look(child);
    };
    look(part);
    return { count, weak };
  }, leastContrast);
}
