/** A recogniser that hears nothing, for load tests and for trying out the protocol. */
import type { Recognition, RecognitionEngine } from '../engine.ts';
import { RecognitionResults } from './recognition-results.ts';

/** The source languages of the voice contract. */
const LANGUAGES = (
  'ar bg bn cs da de el en es et fi fr ga he hr hu id it ja ' +
  'ko lt lv mt nb nl pl pt ro ru sk sl sv th tl tr uk vi zh'
).split(' ');

/** Takes in every language at no cost and never reports a word. */
export function createSilentRecogniser(): RecognitionEngine {
  return {
    name: 'silent',
    languages: LANGUAGES,
    detectsLanguage: false,
    sampleRateHz: 16_000,
    punctuates: true,
    recognise: (audio, { signal }) => drain(audio, signal),
    close: async () => {},
  };
}

function drain(audio: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncIterable<Recognition> {
  const source = audio[Symbol.asyncIterator]();
  let hasStarted = false;
  const stop = (): void => {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: the source may be waiting for a piece that never comes.
    source.return?.().catch(() => {});
  };
  const results = new RecognitionResults({
    onDemand: () => {
      if (hasStarted) return;
      hasStarted = true;
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort);
      exhaust(source).then(
        () => results.end(),
        (error: unknown) => results.end({ error }),
      );
    },
    onReturn: stop,
  });
  const onAbort = (): void => {
    results.abort({ error: signal.reason });
    stop();
  };
  return results;
}

async function exhaust(source: AsyncIterator<Uint8Array>): Promise<void> {
  while ((await source.next()).done !== true);
}
