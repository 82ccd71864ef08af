/** The console of a real server in the Chromium of the system. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { keepPage, type KeptPage } from './kept-page.ts';
import { laptop } from './axe.ts';
import { newContext, takeChromium } from '../support/machine/chromium.ts';
import { startHosted } from '../support/product/hosted-server.ts';
import { startServer, type RunningServer } from '../support/product/server.ts';

export const PASSWORD = 'eleven brown lanterns';

export interface ConsoleBench extends KeptPage {
  readonly server: RunningServer;
  readonly browser: Browser;
  /** The one-time link that the server printed. */
  readonly link: string;
  /** What pages have thrown, and everything their policy has blocked. */
  readonly pageErrors: string[];
  /** Opens an address of the console in a browser where nobody is signed in. */
  open(fragment?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Opens it signed in; the first call sets the password by the link. */
  openSignedIn(fragment?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Opens an address signed in, in the page that the test before has left, on a laptop. */
  openAgain(fragment: string): Promise<Page>;
  close(): Promise<void>;
}

/** Starts a server with a console. */
async function startWithConsole(settings: Record<string, string>, isAlone: boolean) {
  if (!isAlone) {
    const server = await startHosted({ CONSOLE: 'on', ...settings });
    return { server, link: server.url + server.entrance };
  }
  const server = await startServer({ CONSOLE: 'on', ...settings });
  const [, link = ''] = /Console +(\S+)/.exec(server.output()) ?? [];
  return { server, link };
}

/**
 * Starts a server with a console, and a browser.
 *
 * @param isAlone whether the server is a process of its own, as programs that it starts look for their
 *   settings in its environment
 */
export async function startConsole(
  settings: Record<string, string> = {},
  { isAlone = false } = {},
): Promise<ConsoleBench> {
  const { server, link } = await startWithConsole(settings, isAlone);
  const { browser, giveBack } = await takeChromium();
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

  async function openSignedIn(fragment = '', options: BrowserContextOptions = {}) {
    session ??= signInFirst();
    const storageState = await session;
    return open(fragment, { ...options, ...(storageState && { storageState }) });
  }

  const { openAgain, leave } = keepPage((address) => openSignedIn(address, laptop));
  return {
    ...{ server, browser, link, pageErrors, open, openSignedIn, leave },
    openAgain: (fragment) => openAgain(`${server.url}/console/${fragment}`),
    async close() {
      await giveBack();
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
