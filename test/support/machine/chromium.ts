import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
} from 'playwright-core';
import { findProgram } from '../../../server/setup/command.mjs';
import { findChromium } from './chromium-program.ts';

/**
 * Launches Chromium with a fake microphone and without its background requests.
 *
 * @param microphone WAV file that the microphone plays in a loop, or `denied`; beeps by default
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
      // Otherwise a process is started for a page that may come.
      '--disable-site-isolation-trials',
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
  // As in ordinary browsers: no sound without a gesture.
  '--autoplay-policy=document-user-activation-required',
];

/** Browser of this process, which ends with it; test files use it one after the other. */
let ofProcess: Promise<Browser> | undefined;

/**
 * Returns Chromium for a test file: the shared one of the process, or another one if a microphone other than
 * the beeping one is requested.
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

/**
 * Without animation: a moving element, such as a meter, uses as much processor time as the rest of a page.
 */
export const calm = { reducedMotion: 'reduce' } as const;
/** The setting most users have. */
export const lively = { reducedMotion: 'no-preference' } as const;

/** Opens a context with a timeout that suits a slow, busy machine. */
export async function newContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(90_000);
  return context;
}

/**
 * Opens the full Chromium browser, which keeps the screen on and installs pages, unlike the headless shell.
 * Resolves with undefined if only the shell is installed.
 *
 * @param profileFolder folder of its profile; a private window cannot install pages
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
