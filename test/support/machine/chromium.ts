import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
} from 'playwright-core';
import { findProgram } from '../../../server/setup/command.mjs';

/**
 * Path of the system's Chromium, or of the one that CHROMIUM_PATH names: the tests download none. Its
 * headless shell has the same engine without a browser's window around each page, and opens a page at
 * a quarter of the cost.
 */
function findChromium(): string {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined) return named;
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
  const found = names.map((name) => findProgram(name));
  // Where there is none, launching it fails with a line that names it.
  return found.find((file) => file !== undefined) ?? '/usr/bin/chromium';
}

/**
 * Launches Chromium with its fake microphone, and without its calls to the outside.
 *
 * @param microphone WAV file that the microphone plays round and round, or `denied`; a beeping one
 *   without it
 */
export function launchChromium(
  microphone?: string,
  moreArgs: readonly string[] = [],
): Promise<Browser> {
  const permission = microphone === 'denied' ? '=deny' : '';
  const file = microphone !== undefined && microphone !== 'denied' ? microphone : undefined;
  return chromium.launch({
    executablePath: findChromium(),
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      ...[`--use-fake-ui-for-media-stream${permission}`, '--use-fake-device-for-media-stream'],
      ...moreArgs,
      ...(file === undefined ? [] : [`--use-file-for-fake-audio-capture=${file}`]),
    ],
  });
}

/** A host whose pages browsers do not trust with a microphone. */
export const INSECURE_HOST = 'captions.test';

const pageArgs = [
  `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`,
  // As outside of tests: no sound without a gesture.
  '--autoplay-policy=document-user-activation-required',
];

/** That of this process, which ends it; files of tests have it one after the other. */
let ofProcess: Promise<Browser> | undefined;

/**
 * Chromium for the pages of a file of tests: that of the process, or one of its own where the microphone
 * is not the beeping one.
 */
export async function takeChromium(
  microphone?: string,
): Promise<{ browser: Browser; giveBack: () => Promise<void> }> {
  if (microphone !== undefined) {
    const browser = await launchChromium(microphone, pageArgs);
    return { browser, giveBack: () => browser.close() };
  }
  if ((await ofProcess)?.isConnected() !== true) ofProcess = launchChromium(undefined, pageArgs);
  const browser = await ofProcess!;
  return {
    browser,
    async giveBack() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
  };
}

/** What moves all the while, as a meter does, takes as much of a processor as all the rest of a page. */
export const calm = { reducedMotion: 'reduce' } as const;
/** What most people have. */
export const lively = { reducedMotion: 'no-preference' } as const;

/** A person's window, in which what is awaited may take its time on a slow and busy machine. */
export async function newContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(90_000);
  return context;
}

/**
 * Opens the whole Chromium, with what belongs to a browser around its pages: it keeps a screen on and
 * installs pages, which the shell does not. Undefined where only the shell is installed.
 *
 * @param profileFolder where it keeps what it knows; a private window installs nothing
 */
export async function openWholeChromium(
  profileFolder: string,
): Promise<BrowserContext | undefined> {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const executablePath = names.map((name) => findProgram(name)).find((file) => file !== undefined);
  if (executablePath === undefined) return undefined;
  return chromium.launchPersistentContext(profileFolder, {
    executablePath,
    locale: 'en-GB',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
}
