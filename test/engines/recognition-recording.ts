/** Records what a recogniser reports about speech, and replays it without recognition. */
import type { Recognition, RecognitionEngine, SpeechPiece } from '../../server/engines/engine.ts';

export type Recognise = RecognitionEngine['recognise'];

/** The results of one stream, each with the number of previous answers of its source: pieces, or the end. */
export type RecordedStream = { afterAnswers: number; recognition: Recognition }[];

/** Wraps a recogniser and records its results, one recording for each stream. */
export function recorder(recognise: Recognise): {
  recognise: Recognise;
  streams: RecordedStream[];
} {
  const streams: RecordedStream[] = [];
  return {
    streams,
    recognise: (speech, options) => {
      const stream: RecordedStream = [];
      streams.push(stream);
      let answers = 0;
      const counted = watched(speech, () => (answers += 1));
      return watched(recognise(counted, options), ({ done, value }) => {
        if (done !== true) stream.push({ afterAnswers: answers, recognition: value });
      });
    },
  };
}

/**
 * Passes results on and reports each to a callback; a consumer that leaves while waiting still reaches the
 * source.
 */
function watched<T>(
  source: AsyncIterable<T>,
  onResult: (result: IteratorResult<T, unknown>) => void,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      const results = source[Symbol.asyncIterator]();
      return {
        next: async () => {
          const result: IteratorResult<T, unknown> = await results.next();
          onResult(result);
          return result;
        },
        return: async () => (await results.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

/**
 * Returns a recogniser that reports recorded results, stream after stream, as soon as its source has
 * answered as often as during recording. If the source yields less, the remaining results are not reported.
 */
export function replay(streams: readonly RecordedStream[]): Recognise {
  let count = 0;
  return (speech, { signal }) => {
    const stream = streams[count];
    count += 1;
    if (stream === undefined) throw new Error('No such stream was recorded');
    return replayOne(stream, speech, signal);
  };
}

function replayOne(
  stream: RecordedStream,
  speech: AsyncIterable<SpeechPiece>,
  signal: AbortSignal,
): AsyncIterableIterator<Recognition> {
  const leaving = new AbortController();
  const stop = AbortSignal.any([signal, leaving.signal]);
  const stopped = new Promise<undefined>((resolve) => {
    stop.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const reports = (async function* (): AsyncGenerator<Recognition> {
    signal.throwIfAborted();
    const source = speech[Symbol.asyncIterator]();
    const past = { answers: 0, hasEnded: false };
    const hearOn = async (untilAnswers: number): Promise<void> => {
      while (past.answers < untilAnswers && !past.hasEnded && !stop.aborted) {
        const result = await Promise.race([source.next(), stopped]);
        past.answers += 1;
        past.hasEnded = result?.done === true;
      }
      signal.throwIfAborted();
    };
    try {
      for (const { afterAnswers, recognition } of stream) {
        await hearOn(afterAnswers);
        if (stop.aborted) return;
        if (past.answers >= afterAnswers) yield recognition;
      }
      await hearOn(Infinity);
    } finally {
      if (!past.hasEnded) await source.return?.();
    }
  })();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => reports.next(),
    return: () => {
      leaving.abort();
      return reports.return(undefined);
    },
  };
}
