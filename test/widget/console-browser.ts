/** The console of a real server in the Chromium of the system. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium, newContext } from '../support/machine/chromium.ts';
import { startServer, type TestServer } from '../support/product/server.ts';

export const PASSWORD = 'eleven brown lanterns';

export interface ConsoleBench {
  readonly server: TestServer;
  readonly browser: Browser;
  /** The one-time link that the server printed. */
  readonly link: string;
  /** What pages have thrown, and everything their policy has blocked. */
  readonly pageErrors: string[];
  /** Opens an address of the console in a browser where nobody is signed in. */
  open(fragment?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Opens it signed in; the first call sets the password by the link. */
  openSignedIn(fragment?: string, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/** Starts a server with a console, and a browser. */
export async function startConsole(settings: Record<string, string> = {}): Promise<ConsoleBench> {
  const server = await startServer({ CONSOLE: 'on', ...settings });
  const browser = await launchChromium();
  const [, link = ''] = /Console +(\S+)/.exec(server.output()) ?? [];
  const pageErrors: string[] = [];
  let session: Promise<BrowserContextOptions['storageState']> | undefined;

  async function open(fragment = '', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await newContext(browser, { locale: 'en-GB', timezoneId: 'UTC', ...options });
    const page = await context.newPage();
    page.on('pageerror', (error) => pageErrors.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) pageErrors.push(message.text());
    });
    await page.goto(fragment.startsWith('http') ? fragment : `${server.url}/console/${fragment}`);
    return page;
  }

  async function signInFirst() {
    const page = await open(link);
    await setPassword(page);
    const state = await page.context().storageState();
    await page.context().close();
    return state;
  }

  return {
    ...{ server, browser, link, pageErrors, open },
    async openSignedIn(fragment = '', options = {}) {
      session ??= signInFirst();
      const storageState = await session;
      return open(fragment, { ...options, ...(storageState && { storageState }) });
    },
    async close() {
      await browser.close();
      await server.stop();
    },
  };
}

/** Fills in the form of a one-time link, and waits for the first page. */
export async function setPassword(page: Page): Promise<void> {
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('Once more').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

/** How far the page is wider than its window, in CSS pixels. */
export function excessWidth(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** Texts that have a contrast below 7:1 with what is painted behind them; in any depth of shadows. */
export function weakTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
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
    const luminance = (color: string) => {
      const [red, green, blue] = rgba(color).map((value) => {
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
    const behind = (element: Element | null): string => {
      if (element === null) return 'white';
      const color = getComputedStyle(element).backgroundColor;
      return rgba(color)[3] === 255 ? color : behind(around(element));
    };
    const weak: string[] = [];
    const look = (element: Element) => {
      const texts = [...element.childNodes].filter((node) => node instanceof Text);
      const text = texts
        .map((node) => node.data)
        .join('')
        .trim();
      if (text !== '' && element.checkVisibility() && !element.matches('option, style')) {
        const { color, fill } = getComputedStyle(element);
        const own = element instanceof SVGElement ? fill : color;
        const pair = [luminance(own), luminance(behind(element))];
        const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
        if (ratio < 7) weak.push(`${text} ${ratio.toFixed(2)}`);
      }
      for (const child of [...element.children, ...(element.shadowRoot?.children ?? [])])
        look(child);
    };
    look(document.body);
    return weak;
  });
}
