/** The promises of every recogniser, kept by Moonshine, and whether they would notice an engine that breaks them. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Recognition, RecognitionEngine, SpeechPiece } from '../../server/engines/engine.ts';
import { moonshineOfFile } from './moonshine-support.ts';
import {
  english,
  recognitionPromises,
  type RecognitionMaterial,
  type RecognitionPromise,
} from './recognition-conformance.ts';
import { recorder, replay, type Recognise, type RecordedStream } from './recognition-recording.ts';
import { lengthMs } from './recognition-support.ts';

let sound: RecognitionEngine;
let material: RecognitionMaterial;

beforeAll(async () => {
  sound = await moonshineOfFile();
  // Created beforehand, so that concurrent streams always begin in the same order.
  const [first, second] = await Promise.all([english.first.audio(), english.second.audio()]);
  material = {
    ...english,
    // All audio at once is faster than speech: the utterance is recognised before its growth can be shown.
    hasPartials: false,
    errorRate: 0.1,
    first: { ...english.first, audio: async () => first },
    second: { ...english.second, audio: async () => second },
  };
});

const recordings = new Map<RecognitionPromise, Promise<RecordedStream[]>>();

/** Records what the engine reports during a check, once. Rejects if the check fails. */
async function recording(promise: RecognitionPromise): Promise<RecordedStream[]> {
  const known = recordings.get(promise) ?? record(promise);
  recordings.set(promise, known);
  return await known;
}

async function record({ check }: RecognitionPromise): Promise<RecordedStream[]> {
  const { recognise, streams } = recorder((speech, options) => sound.recognise(speech, options));
  await check({ ...sound, recognise }, material);
  return streams;
}

test.each(recognitionPromises)('Moonshine: $name', async (promise) => {
  await recording(promise);
});

/** Returns an engine whose results are changed in transit. */
function changed(change: (all: AsyncIterable<Recognition>) => AsyncIterable<Recognition>) {
  return (recognise: Recognise): Recognise =>
    (speech, options) =>
      change(recognise(speech, options));
}

function mapped(map: (recognition: Recognition) => Recognition[]) {
  return changed(async function* (all) {
    for await (const recognition of all) yield* map(recognition);
  });
}

/** Faults of an engine, each with the check that notices it. They change recorded results. */
const breakages: { promise: RegExp; fault: string; breakIt: (sound: Recognise) => Recognise }[] = [
  {
    promise: /concludes every utterance/,
    fault: 'leaves a partial standing',
    breakIt: changed(async function* (all) {
      yield* all;
      yield { kind: 'partial', text: 'and', startMs: 0, endMs: 100 };
    }),
  },
  {
    promise: /concludes every utterance/,
    fault: 'swallows its last final',
    breakIt: changed(async function* (all) {
      let held: Recognition | undefined;
      for await (const recognition of all) {
        if (held !== undefined) yield held;
        held = recognition;
      }
    }),
  },
  {
    promise: /same words/,
    fault: 'leaves the marks of its dictionary in the text',
    breakIt: mapped((each) => [{ ...each, text: `${each.text} read(2)` }]),
  },
  {
    promise: /times in order/,
    fault: 'reports what it concluded before',
    breakIt: mapped((each) => (each.kind === 'final' ? [each, each] : [each])),
  },
  {
    promise: /clock of the stream/,
    fault: 'begins to count anew in each utterance',
    breakIt: mapped((each) => [
      { ...each, startMs: each.startMs % 2000, endMs: each.endMs % 2000 },
    ]),
  },
  {
    promise: /clock of the stream/,
    fault: 'takes no notice of silence that was left out',
    breakIt: withoutLeaps,
  },
  {
    promise: /at an endpoint/,
    fault: 'concludes an utterance when the next begins',
    breakIt: (recognise) => (speech, options) => recognise(lateEndpoints(speech), options),
  },
  {
    promise: /cuts short/,
    fault: 'forgets the utterance that the end of the audio cuts short',
    breakIt: forgetful,
  },
  {
    promise: /silence/,
    fault: 'concludes utterances without words',
    breakIt: changed(async function* (all) {
      yield { kind: 'final', text: '', startMs: 0, endMs: 0, words: [] };
      yield* all;
    }),
  },
  {
    promise: /even length/,
    fault: 'drops pieces that are shorter than a block',
    breakIt: (recognise) => (speech, options) => recognise(longPieces(speech), options),
  },
  { promise: /apart/, fault: 'mixes two streams', breakIt: mixing },
  {
    promise: /reason of an abort/,
    fault: 'does not look at the signal',
    breakIt: (recognise) => (speech, options) =>
      recognise(speech, { ...options, signal: new AbortController().signal }),
  },
  {
    promise: /aborted already/,
    fault: 'begins before it looks at the signal',
    breakIt: (recognise) => (speech, options) => {
      void speech[Symbol.asyncIterator]().next();
      return recognise(speech, options);
    },
  },
  {
    promise: /consumer leaves/,
    fault: 'cannot be left while it waits',
    breakIt: changed(async function* (all) {
      yield* all;
    }),
  },
  {
    promise: /error of its source/,
    fault: 'takes a failure of its source for the end',
    breakIt: (recognise) => (speech, options) => recognise(patient(speech), options),
  },
];

/** Passes only sufficiently long pieces on, like a recogniser that waits for full blocks. */
async function* longPieces(speech: AsyncIterable<SpeechPiece>): AsyncGenerator<SpeechPiece> {
  for await (const piece of speech) {
    if (piece.kind === 'endpoint' || piece.samples.byteLength >= 3200) yield piece;
  }
}

/** Reports nothing after its source ends without an endpoint. */
function forgetful(recognise: Recognise): Recognise {
  return async function* (speech, options) {
    const source = { isOpen: false, hasEnded: false };
    const seen = async function* (): AsyncGenerator<SpeechPiece> {
      for await (const piece of speech) {
        source.isOpen = piece.kind === 'samples';
        yield piece;
      }
      source.hasEnded = true;
    };
    for await (const recognition of recognise(seen(), options)) {
      if (!source.hasEnded || !source.isOpen) yield recognition;
    }
  };
}

/** Delays an endpoint until the next utterance begins. */
async function* lateEndpoints(speech: AsyncIterable<SpeechPiece>): AsyncGenerator<SpeechPiece> {
  let held: SpeechPiece | undefined;
  for await (const piece of speech) {
    if (held !== undefined) yield held;
    held = piece.kind === 'endpoint' ? piece : undefined;
    if (held === undefined) yield piece;
  }
  if (held !== undefined) yield held;
}

async function* patient(speech: AsyncIterable<SpeechPiece>): AsyncGenerator<SpeechPiece> {
  try {
    yield* speech;
  } catch {
    // This omission is the fault.
  }
}

/** Counts samples, ignoring what was left out between them. */
function withoutLeaps(recognise: Recognise): Recognise {
  return async function* (speech, options) {
    let countedMs = 0;
    const leaps: { atMs: number; lengthMs: number }[] = [];
    const seen = async function* (): AsyncGenerator<SpeechPiece> {
      for await (const piece of speech) {
        if (piece.kind === 'samples') {
          leaps.push({ atMs: piece.startMs, lengthMs: piece.startMs - countedMs });
          countedMs += lengthMs(piece.samples);
        }
        yield piece;
      }
    };
    const counted = (ms: number): number =>
      ms - (leaps.findLast(({ atMs }) => atMs <= ms)?.lengthMs ?? 0);
    for await (const each of recognise(seen(), options)) {
      yield { ...each, startMs: counted(each.startMs), endMs: counted(each.endMs) };
    }
  };
}

/** Reports to every stream the results of all streams. */
function mixing(recognise: Recognise): Recognise {
  const everything: Recognition[] = [];
  return async function* (speech, options) {
    for await (const recognition of recognise(speech, options)) everything.push(recognition);
    yield* everything;
  };
}

/** Checks whether the recorded results of an engine pass a check after a change. */
async function checkReplay(
  promise: RecognitionPromise,
  change: (recognise: Recognise) => Recognise,
  patienceMs: number,
): Promise<void> {
  const recognise = change(replay(await recording(promise)));
  await promise.check({ ...sound, recognise }, { ...material, patienceMs });
}

test.each(recognitionPromises)('recorded results, unchanged: $name', async (promise) => {
  await checkReplay(promise, (recognise) => recognise, english.patienceMs);
});

describe('the recogniser checks notice an engine that', () => {
  test.each(breakages)('$fault', async ({ promise: name, breakIt }) => {
    const found = recognitionPromises.filter((promise) => name.test(promise.name));
    expect(found).toHaveLength(1);
    await recording(found[0]!);
    // A replay that has not done something by now does not do it later either.
    await expect(checkReplay(found[0]!, breakIt, 1_000)).rejects.toThrow();
  });

  test('every check has a broken engine', () => {
    for (const { name } of recognitionPromises) {
      expect(breakages.some(({ promise }) => promise.test(name))).toBe(true);
    }
  });
});
