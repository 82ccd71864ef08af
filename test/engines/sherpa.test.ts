import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Recognition, RecognitionEngine, SpeechPiece } from '../../server/engines/engine.ts';
import { createSherpaRecognisers } from '../../server/engines/recognition/sherpa.ts';
import { recordLog } from '../support/product/log-record.ts';
import {
  encodeSentencePieces,
  saidInTones,
  writePunctuation,
  writeToneCtc,
} from '../support/models/tone-models.ts';
import { describeRecognitionEngine, type RecognitionMaterial } from './recognition-conformance.ts';
import { asSpeech, finals, heard, transcript, until } from './recognition-support.ts';
import {
  childPids,
  describeModel,
  modelsFolder,
  removeModelFolders,
  sherpaEngine,
  toneModels,
  toneTransducer,
  usableModels,
} from './sherpa-support.ts';

afterAll(removeModelFolders);

const FIRST = 'one three five seven';
const SECOND = 'eight six four two';

const tones: RecognitionMaterial = {
  language: 'en',
  first: { text: FIRST, audio: async () => saidInTones(FIRST) },
  second: { text: SECOND, audio: async () => saidInTones(SECOND) },
  hasPartials: true,
  hasWordTimes: true,
  errorRate: 0,
  toleranceMs: 300,
  patienceMs: 15_000,
};

describeRecognitionEngine(
  'sherpa-onnx, streaming',
  () => sherpaEngine(toneModels('streaming')),
  tones,
);
describeRecognitionEngine(
  'sherpa-onnx, whole utterances',
  () => sherpaEngine(toneModels('whole')),
  {
    ...tones,
    hasPartials: false,
  },
);

/** Creates an engine that is closed when the running test finishes. */
async function started(...args: Parameters<typeof sherpaEngine>): Promise<RecognitionEngine> {
  const engine = await sherpaEngine(...args);
  onTestFinished(() => engine.close());
  return engine;
}

/** Yields speech that pauses after some of its audio until a promise settles. */
async function* interrupted(
  audio: Buffer,
  afterMs: number,
  wait: () => Promise<void>,
): AsyncGenerator<SpeechPiece, undefined> {
  let isInterrupted = false;
  for await (const piece of asSpeech(audio)) {
    if (!isInterrupted && piece.kind === 'samples' && piece.startMs >= afterMs) {
      isInterrupted = true;
      await wait();
    }
    yield piece;
  }
}

function kill(signal: NodeJS.Signals): void {
  const pids = childPids('sherpa-child');
  expect(pids).not.toEqual([]);
  for (const pid of pids) process.kill(pid, signal);
}

describe('a recogniser process that dies', () => {
  it("in mid-utterance is replaced by one that starts from the utterance's beginning", async () => {
    const engine = await started(toneModels('streaming'));
    const recognitions: Recognition[] = [];
    const speech = interrupted(saidInTones(`${FIRST} ${SECOND}`), 1900, async () => {
      await until(() => /^one three five/.test(recognitions.at(-1)?.text ?? ''), {
        what: 'a partial',
      });
      kill('SIGSEGV');
    });
    await heard(engine, speech, { onRecognition: (each) => recognitions.push(each) });
    expect(finals(recognitions).map(({ text }) => text)).toEqual([`${FIRST} ${SECOND}`]);
    const texts = recognitions.map(({ text }) => text);
    expect(texts.every((text, index) => text.startsWith(texts[index - 1] ?? ''))).toBe(true);
    expect(finals(recognitions)[0]?.startMs).toBeLessThan(700);
  });

  it('while it decodes a whole utterance is replaced', async () => {
    const engine = await started(toneModels('whole'));
    kill('SIGSTOP');
    const hearing = heard(engine, asSpeech(saidInTones(FIRST)));
    kill('SIGKILL');
    expect(transcript(await hearing)).toBe(FIRST);
  });
});

/** Returns a promise and the function that resolves it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('recogniser processes', () => {
  it('serve several speakers each, grow in number when full, and then queue the next speaker', async () => {
    const options = { linesPerProcess: 2, maxProcesses: 2, idleMs: 200 };
    const engine = await started(toneModels('streaming'), options);
    const gates = Array.from({ length: 5 }, gate);
    const begun = new Set<number>();
    const said = gates.map(({ opened }, index) =>
      heard(
        engine,
        interrupted(saidInTones(FIRST), 1500, () => opened),
        {
          onRecognition: () => begun.add(index),
        },
      ),
    );
    await until(() => begun.size === 4, { what: 'four speakers', withinMs: 45_000 });
    expect(childPids('sherpa-child')).toHaveLength(2);
    const waiting = [0, 1, 2, 3, 4].find((index) => !begun.has(index));
    gates[begun.has(0) ? 0 : 1]?.open();
    await until(() => begun.size === 5, { what: `speaker ${waiting} to be heard` });
    expect(childPids('sherpa-child')).toHaveLength(2);
    for (const { open } of gates) open();
    expect((await Promise.all(said)).map(transcript)).toEqual(gates.map(() => FIRST));
    // One stays for the next speaker.
    await until(() => childPids('sherpa-child').length <= 1, {
      what: 'an idle process to end',
      withinMs: 45_000,
    });
    const stayed = childPids('sherpa-child');
    expect(stayed).toHaveLength(1);
    expect(transcript(await heard(engine, asSpeech(saidInTones(SECOND))))).toBe(SECOND);
    expect(childPids('sherpa-child')).toEqual(stayed);
  });
});

/** An invented name that sounds like two common words. */
const pieces = [
  { piece: '▁one', hz: 320 },
  { piece: '▁car', hz: 660 },
  { piece: '▁four', hz: 1250 },
  { piece: '▁ka', hz: 660, bonus: -0.8 },
  { piece: 'vora', hz: 1250, bonus: -0.8 },
];
const scored = pieces.map(({ piece }, index) => ({ piece, score: -index - 1 }));

describe('spoken terms', () => {
  const vocabulary = scored.map(({ piece, score }) => `${piece}\t${score}\n`).join('');
  it.each([
    { file: 'bpe.vocab', content: vocabulary },
    { file: 'bpe.model', content: encodeSentencePieces(scored) },
  ])('are recognised by a transducer that has $file', async ({ file, content }) => {
    const engine = await started(toneTransducer(pieces, { file, content }));
    expect(engine.usesSpokenTerms).toBe(true);
    const audio = saidInTones('one car four one', { pitches: { one: 320, car: 660, four: 1250 } });
    const plain = await heard(engine, asSpeech(audio));
    const withTerms = await heard(engine, asSpeech(audio), { spokenTerms: ['Kavora'] });
    expect(transcript(plain)).toBe('one car four one');
    expect(transcript(withTerms)).toBe('one kavora one');
  });
});

it("finals are punctuated by a model for their language, and an unusable model is reported with sherpa-onnx's reason", async () => {
  const folder = toneModels('streaming');
  const place = path.join(folder, 'commas');
  writePunctuation(place, ['three']);
  describeModel(place, { kind: 'punctuation', family: 'punctuation', languages: ['zh', 'en'] });
  const broken = path.join(folder, 'broken');
  writeToneCtc(broken, { isStreaming: false });
  describeModel(broken, { family: 'streaming-nemo-ctc' });
  const [bad, engine] = await createSherpaRecognisers({
    models: await usableModels(folder),
    log: recordLog(),
  });
  expect(bad).toEqual({
    name: 'broken',
    reason: expect.stringMatching(/broken cannot be used: .*window_size/) as string,
  });
  if (engine === undefined || 'reason' in engine) throw new Error('The good one does not run');
  onTestFinished(() => engine.close());
  expect(engine.punctuates).toBe(true);
  const recognitions = await heard(engine, asSpeech(saidInTones(FIRST)));
  const final = finals(recognitions)[0];
  expect(final?.text).toMatch(/^one three[,，] ?five seven[.。]$/);
  expect(recognitions.filter(({ kind }) => kind === 'partial').at(-1)?.text).toBe(FIRST);
  expect(final?.words.map(({ text }) => text).join(' ')).toBe(final?.text);
});

it('the recogniser follows its description, lower-cases all-capital output, and ignores terms without a beam search', async () => {
  const folder = modelsFolder();
  const place = path.join(folder, 'tones');
  writeToneCtc(place, { isStreaming: true });
  const words = ['ONE', 'TWO', 'THREE', 'FOUR', 'FIVE', 'SIX', 'SEVEN', 'EIGHT'];
  const lines = [...words.map((word) => `▁${word}`), '<blk>'].map((token, n) => `${token} ${n}`);
  writeFileSync(path.join(place, 'tokens.txt'), `${lines.join('\n')}\n`);
  describeModel(place, { family: 'streaming-nemo-ctc', languages: ['en', 'PT-br'] });
  const engine = await started(folder);
  expect(engine).toMatchObject({
    ...{ name: 'tones', languages: ['en', 'pt'], punctuates: false, usesSpokenTerms: false },
  });
  const options = { language: 'pt-BR', spokenTerms: ['Kavora: 3.0 #1 @x'] };
  expect(transcript(await heard(engine, asSpeech(saidInTones(FIRST)), options))).toBe(FIRST);
});
