/** The console of a real server in the system's Chromium. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { keepPage, type KeptPage } from './kept-page.ts';
import { laptop } from './axe.ts';
import { calm, newContext, takeChromium } from '../support/machine/chromium.ts';
import { firstLink, signedIn } from '../support/product/console-client.ts';
import { startHosted } from '../support/product/hosted-server.ts';
import { startServer, type RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';

export const PASSWORD = 'eleven brown lanterns';

export interface ConsoleBench extends KeptPage {
  readonly server: RunningServer;
  readonly browser: Browser;
  /** The account that signs in. */
  readonly account: string;
  /** Its one-time link. */
  readonly link: string;
  /** Exceptions of pages, and everything that their policy has blocked. */
  readonly pageErrors: string[];
  /** Opens a console address in a signed-out browser. */
  open(fragment?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Opens an address signed in; the first call uses up the link. */
  openSignedIn(fragment?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Opens an address signed in, in the page left by the previous test, on a laptop. */
  openAgain(fragment: string): Promise<Page>;
  close(): Promise<void>;
}

async function serverWithConsole(settings: Record<string, string> | undefined, isAlone: boolean) {
  if (settings === undefined) {
    const server = await sharedServer();
    return { server, account: server.accountId, token: await server.consoleLink() };
  }
  const start = isAlone ? startServer : startHosted;
  const server = await start({ CONSOLE: 'on', ...settings });
  return { server, account: 'default', token: firstLink(server) };
}

/**
 * Opens the console of a server in a browser.
 *
 * @param settings of a server of its own, whose operator signs in; by default the server that all files
 * share, with a new account
 * @param isAlone whether the server is a separate process, because its child programs read settings from
 * their environment
 */
export async function startConsole(
  settings?: Record<string, string>,
  { isAlone = false } = {},
): Promise<ConsoleBench> {
  const { server, account, token } = await serverWithConsole(settings, isAlone);
  const link = linkOf(server, token);
  const { browser, giveBack } = await takeChromium();
  const pageErrors: string[] = [];
  let session: Promise<BrowserContextOptions['storageState']> | undefined;

  async function open(fragment = '', options: BrowserContextOptions = {}): Promise<Page> {
    const usual = { ...calm, locale: 'en-GB', timezoneId: 'UTC' };
    const context = await newContext(browser, { ...usual, ...options });
    const page = await context.newPage();
    page.on('pageerror', (error) => pageErrors.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) pageErrors.push(message.text());
    });
    await page.goto(fragment.startsWith('http') ? fragment : `${server.url}/console/${fragment}`);
    return page;
  }

  async function openSignedIn(fragment = '', options: BrowserContextOptions = {}) {
    session ??= sessionOf(server, token);
    const storageState = await session;
    return open(fragment, { ...options, ...(storageState && { storageState }) });
  }

  const { openAgain, leave } = keepPage((address) => openSignedIn(address, laptop));
  return {
    ...{ server, browser, account, link, pageErrors, open, openSignedIn, leave },
    openAgain: (fragment) => openAgain(`${server.url}/console/${fragment}`),
    async close() {
      await giveBack();
      await server.stop();
    },
  };
}

/** Returns the address at which a password is set. */
function linkOf({ url }: { url: string }, token: string): string {
  return `${url}/console/#set-password=${token}`;
}

/** Returns the browser state of an account signed in by a one-time link, with {@link PASSWORD}. */
export async function sessionOf(server: { url: string }, token: string) {
  const { cookie = '' } = await signedIn(server, token, PASSWORD);
  const [name = '', value = ''] = cookie.split('=');
  const { hostname: domain } = new URL(server.url);
  const bounds = { domain, path: '/', expires: -1, httpOnly: true, secure: false };
  return { cookies: [{ name, value, sameSite: 'Strict' as const, ...bounds }], origins: [] };
}

/** Fills in the form of a one-time link, and waits for the first page. */
export async function setPassword(page: Page): Promise<void> {
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('Once more').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}
