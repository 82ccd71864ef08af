/** Accessibility faults of an open page: its structure by axe-core, its colours by measurement. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const options: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  // Our own measurement is stricter.
  rules: { 'color-contrast': { enabled: false } },
  resultTypes: ['violations'],
  selectors: false,
};

interface Look {
  /** Selector of the part to check, through all shadow roots; by default the whole page. */
  within?: string | undefined;
  /**
   * Whether the page has been checked in other colours or another window, so that only its texts need a
   * check.
   */
  isSeen?: boolean;
  /** Minimum contrast of text; by default 7. */
  leastContrast?: number;
  /** Whether its width is looked at with letters of twice the size as well. */
  isEnlarged?: boolean;
}

/**
 * Returns axe-core's findings in a page, and texts with too little contrast, one line each; fails when
 * nothing was checked. Afterwards the page has reduced motion.
 */
export async function faults(
  page: Page,
  { within, isSeen = false, leastContrast = 7 }: Look = {},
): Promise<string[]> {
  // Elements in a fade or colour transition would have too little contrast for a moment.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const { count, weak } = await weakTexts(page, { within, leastContrast });
  expect(count).toBeGreaterThan(2);
  if (isSeen) return weak;
  return [...(await violations(page, options, within)), ...weak];
}

/** A laptop with a light scheme, and a phone with a dark one. */
export const laptop = { viewport: { width: 1366, height: 768 }, colorScheme: 'light' } as const;
const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

type Device = 'laptop' | 'phone';

/**
 * Returns {@link faults} of a page on a laptop with a light scheme, texts with too little contrast on a
 * phone with a dark one, and the excess width in either window, in CSS pixels. The page ends on the device
 * that it did not start on.
 *
 * @param onEach is called on either device
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
    if (look.isEnlarged === true && on === 'phone')
      found.excess += await excessWithLargeLetters(page);
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

/** Changes a page's window, colour scheme and pointer; touch requires larger buttons. */
export async function showOn(page: Page, on: Device): Promise<void> {
  if (deviceOf(page) === on) return;
  const { viewport, colorScheme } = on === 'phone' ? phone : laptop;
  const device = await page.context().newCDPSession(page);
  await device.send('Emulation.setTouchEmulationEnabled', { enabled: on === 'phone' });
  await device.detach();
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
}

/** Returns by how much the page is wider than its window, in CSS pixels. */
export function excessWidth(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/**
 * Returns by how much a console page is wider than a narrow phone with letters of twice the size, and its
 * widest list wider than its frame, in CSS pixels.
 */
export async function excessWithLargeLetters(page: Page): Promise<number> {
  const before = page.viewportSize()!;
  const setSize = (size: string) =>
    page.evaluate((each) => (document.documentElement.style.fontSize = each), size);
  await page.setViewportSize({ width: 360, height: 780 });
  await setSize('200%');
  const ofLists = await page
    .locator('.table-frame:has(.stacked)')
    .evaluateAll((lists) => lists.map((each) => each.scrollWidth - each.clientWidth));
  const excess = Math.max(await excessWidth(page), ...ofLists);
  await setSize('');
  await page.setViewportSize(before);
  return excess;
}

/**
 * Returns the labels of a drawing that begin on the one before, or end outside of the drawing.
 *
 * @param size of letters meanwhile, such as `200%`
 */
export function labelsOnOthers(frame: Locator, size: string): Promise<string[]> {
  return frame.evaluate(async (element, fontSize) => {
    const { style } = document.documentElement;
    style.fontSize = fontSize;
    // Its size is noticed after one frame, and drawn in another.
    for (let left = 3; left > 0; left -= 1) await new Promise(requestAnimationFrame);
    const most = element.querySelector('svg')!.getBoundingClientRect();
    const boxes = [...element.querySelectorAll('text')].map((label) => ({
      text: label.textContent,
      box: label.getBoundingClientRect(),
    }));
    style.fontSize = '';
    return boxes
      .filter(({ box: { left, right, top, bottom } }, at) => {
        const before = boxes[at - 1]?.box;
        const isOn =
          before !== undefined && before.bottom > top && before.top < bottom && left < before.right;
        return isOn || right > most.right || bottom > most.bottom;
      })
      .map(({ text }) => text);
  }, size);
}

/** Returns the width of a drawing when its frame becomes narrower, as on paper, and nothing is drawn anew. */
export function widthWithin(frame: Locator, width: number): Promise<number> {
  return frame.evaluate((element, inlineSize) => {
    element.style.inlineSize = `${inlineSize}px`;
    const { width: drawn } = element.querySelector('svg')!.getBoundingClientRect();
    element.style.inlineSize = '';
    return drawn;
  }, width);
}

/** Returns axe-core's findings, colours included, for a page that overlays another picture. */
export function faultsOfOverlay(page: Page): Promise<string[]> {
  return violations(page, { ...options, rules: {} });
}

/** Finds a part through all shadow roots. */
function partOf(page: Page, within = 'html'): Locator {
  return page.locator(within).first();
}

async function violations(page: Page, options: RunOptions, within?: string): Promise<string[]> {
  // Not added as a script tag, which the page's policy forbids.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  // Only the number of passes leaves the page: their nodes would be a megabyte.
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

/** Returns texts with too little contrast against their background, through all shadow roots. */
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
    /** The product of the opacities of an element and its ancestors. */
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
        // Disabled controls may be faint.
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
