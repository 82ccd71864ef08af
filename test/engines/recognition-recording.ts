/** What a recogniser reported of some speech, to be reported again without hearing anything. */
import type { Recognition, RecognitionEngine, SpeechPiece } from '../../server/engines/engine.ts';

export type Recognise = RecognitionEngine['recognise'];

/**
 * The reports of one stream, each with how often its source had answered before: a piece or its end.
 */
export type RecordedStream = { afterAnswers: number; recognition: Recognition }[];

/** A recogniser that writes down what another reports, one recording for each of its streams. */
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

/** The same results, which somebody sees; whoever leaves in mid wait is heard, as without it. */
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
 * A recogniser that reports what was recorded, stream after stream, as soon as its source has
 * answered as often as then. What a source does not give is not heard.
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
