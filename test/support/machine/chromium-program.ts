import { findProgram } from '../../../server/setup/command.mjs';

/**
 * Returns the path of the system's Chromium, or of the one in CHROMIUM_PATH; the tests do not download any.
 * Prefers the headless shell, which has the same engine without a window and opens a page at a quarter of the
 * cost.
 */
export function findChromium(): string {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined) return named;
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
  const found = names.map((name) => findProgram(name));
  // If none is installed, the launch fails with an error that names this path.
  return found.find((file) => file !== undefined) ?? '/usr/bin/chromium';
}
