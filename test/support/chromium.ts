import { findProgram } from '../../server/setup/command.mjs';

/** Path of the system's Chromium, or of the one that CHROMIUM_PATH names: the tests download none. */
export function findChromium(): string {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined) return named;
  const found = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => findProgram(name));
  // Where there is none, launching it fails with a line that names it.
  return found.find((file) => file !== undefined) ?? '/usr/bin/chromium';
}
