/** Watches a busy process, exhausts the file descriptors for a while, and prints what the watch reported. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const [built = ''] = process.argv.slice(2);
const { LimitWatch } = await import(built);
const EVERY_MS = 150;
/** @type {string[]} */
const exceeded = [];
// Uses one processor, so that its total processor time would exceed the limit of one interval.
const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
const watch = new LimitWatch({
  pid: busy.pid,
  limits: { memoryBytes: 2 ** 30, processes: 1, everyMs: EVERY_MS },
  onExceeded: (/** @type {string} */ what) => exceeded.push(what),
});
await delay(6 * EVERY_MS);
const files = [];
let refusal = '';
try {
  for (;;) files.push(openSync('/dev/null', 'r'));
} catch (error) {
  refusal = /** @type {NodeJS.ErrnoException} */ (error).code ?? '';
}
await delay(3 * EVERY_MS);
for (const file of files) closeSync(file);
await delay(3 * EVERY_MS);
watch.stop();
busy.kill('SIGKILL');
console.log(JSON.stringify({ refusal, exceeded }));
