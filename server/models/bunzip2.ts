/** Takes the bzip2 compression off a stream: with the program of that name, or slowly by ourselves. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Duplex, Readable } from 'node:stream';

const unbzip2 = createRequire(import.meta.url)('unbzip2-stream') as () => Duplex;

/**
 * Packed bytes in, bytes out; fails when they are damaged. The program takes a tenth of the time that
 * JavaScript does, which is minutes for half a gigabyte, but not every machine has it.
 */
export async function createBunzip2(): Promise<Duplex> {
  const child = spawn('bzip2', ['-dc'], { stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    await once(child, 'spawn');
  } catch {
    return unbzip2();
  }
  const ended = once(child, 'close') as Promise<[code: number | null]>;
  async function* output(): AsyncGenerator<Buffer> {
    try {
      yield* child.stdout as AsyncIterable<Buffer>;
      const [code] = await ended;
      if (code !== 0) throw new Error('bzip2 found damage');
    } finally {
      child.kill('SIGKILL');
    }
  }
  return Duplex.from({ writable: child.stdin, readable: Readable.from(output()) });
}
