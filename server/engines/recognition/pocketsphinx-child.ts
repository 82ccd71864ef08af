/** The process that hears one stream with PocketSphinx; see recogniser-protocol.ts. */
import '../../process/outlive-signals.ts';
import { encodeFrame, FrameReader } from '../../process/frames.ts';
import type { Recognition } from '../engine.ts';
import { learnTerms } from './pocketsphinx-terms.ts';
import { loadSphinxDecoder } from './pocketsphinx-library.ts';
import type { PocketSphinxChildOptions } from './pocketsphinx.ts';
import {
  encodeProgress,
  toChild,
  toParent,
  type Begin,
  type Report,
} from './recogniser-protocol.ts';
import { BYTES_PER_SAMPLE, UtteranceDecoder } from './utterance-decoder.ts';

function run({
  modelFolder,
  maxUtteranceMs,
  decoder: options,
  learnAfterMs,
}: PocketSphinxChildOptions): void {
  const decoder = loadSphinxDecoder(modelFolder, options);
  let utterances: UtteranceDecoder | undefined;

  const frames = new FrameReader((kind, payload) => {
    if (kind === toChild.begin) begin(JSON.parse(payload.toString('utf8')) as Begin);
    else if (kind === toChild.audio) utterances?.accept(payload);
    else utterances?.endUtterance();
    if (kind === toChild.end) send(toParent.ended);
    else tellProgress();
  });

  function begin({ spokenTerms }: Begin): void {
    const terms = learnTerms(decoder, spokenTerms);
    const breathe = tellProgress;
    utterances = new UtteranceDecoder({
      ...{ decoder, maxUtteranceMs, learnAfterMs, terms, report, breathe },
    });
  }

  function tellProgress(): void {
    send(toParent.progress, encodeProgress(progress()));
  }

  function progress(): { heardBytes: number; settledBytes: number } {
    return {
      heardBytes: (utterances?.heard ?? 0) * BYTES_PER_SAMPLE,
      settledBytes: (utterances?.settled ?? 0) * BYTES_PER_SAMPLE,
    };
  }

  function report(recognition: Recognition): void {
    const message: Report = { recognition, ...progress() };
    send(toParent.report, Buffer.from(JSON.stringify(message)));
  }

  process.stdin.on('data', (chunk: Buffer) => frames.push(chunk));
  send(toParent.ready);
}

/** Pipes are written at once on POSIX systems, even if the decoder then keeps the thread busy. */
function send(kind: number, payload?: Uint8Array): void {
  process.stdout.write(encodeFrame(kind, payload));
}

// The parent is gone, however it went.
process.stdin.on('end', () => process.exit());
process.stdout.on('error', () => process.exit());

try {
  run(JSON.parse(process.argv[2] ?? '{}') as PocketSphinxChildOptions);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stdout.write(encodeFrame(toParent.failed, Buffer.from(reason)), () => process.exit(1));
}
