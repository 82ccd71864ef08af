/** An Apertium pipeline driven with nothing between: frames in, frames out. */
import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { englishToSpanish } from '../../../server/engines/translation/english/spanish-grammars.ts';
import { Grammars } from '../../../server/engines/translation/grammars.ts';

export interface PipelineByHand {
  /** Sends all sentences at once and waits for all answers. */
  translate(sentences: readonly string[]): Promise<void>;
  stop(): void;
}

/** A full stop that ends the sentence, and a blank without which the last stage waits for more. */
const END = '[].[#]\0';

const run = promisify(execFile);

/** From English to Spanish, with the stages that ours has. */
export async function startPipelineByHand(): Promise<PipelineByHand> {
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' };
  const file = '/usr/share/apertium/modes/eng-spa.mode';
  const { stdout } = await run('apertium-wblank-mode', ['-z', file]);
  const grammars = new Grammars('eng-spa', englishToSpanish, env);
  const command = await grammars.into(stdout.trim());
  const child = spawn('sh', ['-c', command, 'sh', '-n', ''], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env,
    detached: true,
  });
  let missing = 0;
  let done = () => {};
  child.stdout.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 0) missing--;
    if (missing <= 0) done();
  });
  return {
    translate: (sentences) =>
      new Promise((resolve) => {
        missing = sentences.length;
        done = resolve;
        child.stdin.write(sentences.map((sentence) => `${sentence}${END}`).join(''));
      }),
    stop: () => {
      if (child.pid !== undefined) process.kill(-child.pid);
      void grammars.close();
    },
  };
}
