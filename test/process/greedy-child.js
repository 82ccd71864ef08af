/** A process that misbehaves on request, in place of a compromised one. */
import { spawn } from 'node:child_process';
import { Worker } from 'node:worker_threads';

const built = new URL('../../dist/server/process/worker-pool.js', import.meta.url);
/** @type {typeof import('../../server/process/worker-pool.ts')} */
const { serveAsWorker } = await import(built.href);
/** @type {Buffer[]} */
const kept = [];
/** @type {import('../../server/process/worker-pool.ts').WorkerPort<{ take: string }, object>} */
const port = serveAsWorker();
port.on('message', ({ take }) => {
  if (take === 'memory') {
    for (let count = 0; count < 6; count += 1) kept.push(Buffer.alloc(64 * 2 ** 20, 1));
  }
  if (take === 'processes') {
    for (let count = 0; count < 3; count += 1) spawn('sleep', ['600'], { stdio: 'ignore' });
  }
  if (take === 'processor time') {
    spin();
    // On a busy machine, one thread may not get enough processor time to be noticed.
    setInterval(spin, 5_000);
  }
  port.postMessage({ taken: take });
});

function spin() {
  new Worker('for (;;);', { eval: true });
}
