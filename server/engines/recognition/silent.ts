/** A recogniser that hears nothing, for load tests and for trying out the protocol. */
import { declareEngine } from '../declaration.ts';
import type { Recognition, RecognitionEngine, RecognitionOptions, SpeechPiece } from '../engine.ts';
import { RecognitionResults } from './utterance-stream.ts';

/** The source languages of the voice contract. */
const LANGUAGES = (
  'ar bg bn cs da de el en es et fi fr ga he hr hu id it ja ' +
  'ko lt lv mt nb nl pl pt ro ru sk sl sv th tl tr uk vi zh'
).split(' ');

/** The engine `silent`, for load tests. */
export const silent = declareEngine({
  settings: {},
  start: async () => createSilentRecogniser(),
});

/** Creates a recogniser that accepts every language at no cost and never reports a word. */
export function createSilentRecogniser(): RecognitionEngine {
  return {
    name: 'silent',
    languages: LANGUAGES,
    detectsLanguage: false,
    usesSpokenTerms: false,
    punctuates: true,
    ignoresSpeech: true,
    recognise: (audio, options) => drain(audio, options),
    close: async () => {},
  };
}

function drain(
  speech: AsyncIterable<SpeechPiece>,
  { signal, onHeard }: RecognitionOptions,
): AsyncIterable<Recognition> {
  let source: AsyncIterator<SpeechPiece, undefined> | undefined;
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    signal.removeEventListener('abort', onAbort);
  };
  const leave = (): void => {
    stop();
    // Not awaited: the source may be waiting for a piece that never comes.
    source?.return?.().catch(() => {});
  };
  const exhaust = async (pieces: AsyncIterator<SpeechPiece, undefined>): Promise<void> => {
    while (!isOver) {
      const step = await pieces.next();
      if (step.done === true) return;
      if (step.value.kind === 'endpoint') onHeard?.(step.value.atMs);
    }
  };
  const start = (): void => {
    source = speech[Symbol.asyncIterator]();
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort);
    exhaust(source)
      .then(
        () => results.end(),
        (error: unknown) => results.end({ error }),
      )
      .finally(stop);
  };
  const results = new RecognitionResults({
    onDemand: () => {
      if (source === undefined && !isOver) start();
    },
    onReturn: leave,
  });
  const onAbort = (): void => {
    results.abort({ error: signal.reason });
    leave();
  };
  return results;
}
