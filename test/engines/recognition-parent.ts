/** A process that hears a stream without end, to be killed by a test; prints a line when it hears. */
import type { SpeechPiece } from '../../server/engines/engine.ts';
import { moonshine } from './moonshine-support.ts';
import { recognitionOptions } from './recognition-support.ts';

const engine = await moonshine();

let pieces = 0;
const quiet = async function* (): AsyncGenerator<SpeechPiece> {
  for (;;) {
    yield { kind: 'samples', samples: new Uint8Array(3200), startMs: pieces * 100 };
    pieces += 1;
    // Far more than the pipe holds: a process is at work.
    if (pieces === 200) process.stdout.write('hearing\n');
  }
};
const results = engine.recognise(quiet(), recognitionOptions())[Symbol.asyncIterator]();
while ((await results.next()).done !== true);
