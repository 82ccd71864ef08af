import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Recognition, RecognitionEngine } from '../../server/engines/engine.ts';
import { createPocketSphinx } from '../../server/engines/recognition/pocketsphinx.ts';
import { recordLog } from '../support/log-record.ts';
import { describeRecognitionEngine, recognitionPromises } from './recognition-conformance.ts';

async function pocketSphinx(): Promise<RecognitionEngine> {
  const engine = await createPocketSphinx({ log: recordLog() });
  if ('reason' in engine) throw new Error(engine.reason);
  return engine;
}

describeRecognitionEngine('PocketSphinx', pocketSphinx);

type Recognise = RecognitionEngine['recognise'];

/** An engine whose reports are changed on their way. */
function changed(change: (all: AsyncIterable<Recognition>) => AsyncIterable<Recognition>) {
  return (recognise: Recognise): Recognise =>
    (audio, options) =>
      change(recognise(audio, options));
}

function mapped(map: (recognition: Recognition) => Recognition[]) {
  return changed(async function* (all) {
    for await (const recognition of all) yield* map(recognition);
  });
}

/** Ways to break an engine, each with the promise that notices. */
const breakages: { promise: RegExp; fault: string; breakIt: (sound: Recognise) => Recognise }[] = [
  {
    promise: /concludes every utterance/,
    fault: 'reports no partials',
    breakIt: mapped((each) => (each.kind === 'partial' ? [] : [each])),
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
    promise: /cuts short/,
    fault: 'forgets the utterance that the end of the audio cuts short',
    breakIt: (recognise) => (audio, options) => recognise(heldBack(audio), options),
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
    breakIt: (recognise) => (audio, options) => recognise(longPieces(audio), options),
  },
  { promise: /apart/, fault: 'mixes two streams', breakIt: mixing },
  {
    promise: /reason of an abort/,
    fault: 'does not look at the signal',
    breakIt: (recognise) => (audio, options) =>
      recognise(audio, { ...options, signal: new AbortController().signal }),
  },
  {
    promise: /aborted already/,
    fault: 'begins before it looks at the signal',
    breakIt: (recognise) => (audio, options) => {
      void audio[Symbol.asyncIterator]().next();
      return recognise(audio, options);
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
    breakIt: (recognise) => (audio, options) => recognise(patient(audio), options),
  },
];

/** Lets only pieces through that are long enough; also a recogniser that waits for full blocks. */
async function* longPieces(audio: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of audio) if (piece.byteLength >= 3200) yield piece;
}

/** Never hands on the last two seconds. */
async function* heldBack(audio: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const held: Uint8Array[] = [];
  for await (const piece of audio) {
    held.push(piece);
    const first = held.length > 20 ? held.shift() : undefined;
    if (first !== undefined) yield first;
  }
}

async function* patient(audio: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* audio;
  } catch {
    // What is broken about it.
  }
}

/** Gives every stream the audio of all. */
function mixing(recognise: Recognise): Recognise {
  const everything: Uint8Array[] = [];
  return (audio, options) => {
    const all = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of audio) everything.push(piece);
      yield* everything;
    };
    return recognise(all(), options);
  };
}

describe('the promises of recognisers are broken by an engine that', () => {
  let sound: RecognitionEngine;
  beforeAll(async () => {
    sound = await pocketSphinx();
  });
  afterAll(() => sound.close());

  test.each(breakages)('$fault', async ({ promise, breakIt }) => {
    const found = recognitionPromises.filter(({ name }) => promise.test(name));
    expect(found).toHaveLength(1);
    const recognise = breakIt((audio, options) => sound.recognise(audio, options));
    const broken: RecognitionEngine = { ...sound, recognise };
    await expect(found[0]!.check(broken)).rejects.toThrow();
  });

  test('there is a broken engine for every promise', () => {
    for (const { name } of recognitionPromises) {
      expect(breakages.some(({ promise }) => promise.test(name))).toBe(true);
    }
  });
});
