/** Neural translation with models that are made on the spot, in processes that may fail. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { TranslationEngine } from '../../server/engines/engine.ts';
import { createNeural, type NeuralOptions } from '../../server/engines/translation/neural.ts';
import { findModels } from '../../server/models/find-models.ts';
import { quickCompiler, writeTranslationModels } from '../support/models/translation-models.ts';
import { eventually, recordingLog } from './apertium-support.ts';
import { marked, plain, textsOf, written } from './marked-segments.ts';
import { describeTranslationConformance } from './translation-conformance.ts';
import { answeredBefore, sentences } from './translation-texts.ts';

const signal = new AbortController().signal;
const toSpanish = { source: 'en', target: 'es', signal };
const engineUnavailable = expect.objectContaining({ code: 'engine_unavailable' }) as unknown;
const translationFailed = expect.objectContaining({ code: 'translation_failed' }) as unknown;

const folder = mkdtempSync(path.join(tmpdir(), 'dragoman-models-'));
writeTranslationModels(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Log = ReturnType<typeof recordingLog>;

async function create(options: Partial<NeuralOptions> = {}): Promise<TranslationEngine> {
  const { models } = await findModels(folder);
  const [engine] = await createNeural({
    log: recordingLog(),
    models,
    compilerFlags: quickCompiler,
    ...options,
  });
  assert.ok(engine !== undefined && 'translate' in engine, JSON.stringify(engine));
  return engine;
}

/** An engine that the test, once finished, closes. */
async function neural(options: Partial<NeuralOptions> = {}): Promise<TranslationEngine> {
  const engine = await create(options);
  onTestFinished(() => engine.close());
  return engine;
}

const translated = async (engine: TranslationEngine, texts: readonly string[], pair = toSpanish) =>
  textsOf(await engine.translate(plain(texts), pair));

/** Processes that were started, by what was logged. */
const startedBy = ({ lines }: Log): number[] =>
  lines.flatMap(({ fields, message }) =>
    message === 'neural model loaded' && 'childPid' in fields ? [Number(fields.childPid)] : [],
  );

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

// One for all that leave it running: each process takes more than half a second of a processor to start.
const sharedLog = recordingLog();
const engine = await create({ log: sharedLog });
afterAll(() => engine.close());

test('neural translation offers what there are models for, and what they lead to through English', () => {
  const pairs = engine.pairs.map(({ source, target }) => `${source}-${target}`);
  expect(pairs.sort()).toEqual(['de-en', 'de-es', 'en-es']);
  expect(startedBy(sharedLog)).toEqual([]);
});

describeTranslationConformance({
  name: 'neural translation keeps its promises',
  create,
  running: engine,
  pair: { source: 'en', target: 'es' },
});

describe('neural translation', () => {
  const examples: [why: string, source: string, target: string][] = [
    ['follow a word that moves', 'The <1>red</1> house.', 'La casa <1>roja</1>.'],
    ['change places', 'The <1>red</1> <2>house</2> is.', 'La <2>casa</2> <1>roja</1> es.'],
    ['stay nested', '<1>The <2>red</2> house</1> is.', '<1>La casa <2>roja</2></1> es.'],
    [
      'stand alone beside their words',
      'The <1/>red house<2/> is <3>new<4/></3>.',
      'La casa<2/> <1/>roja es <3>nueva<4/></3>.',
    ],
    [
      'have signs at their edges',
      'The <1>“house”</1> (<2>old</2>), <3>new!</3>',
      'La <1>“house”</1> (<2>old</2>), <3>nueva!</3>',
    ],
    ['are within a word take it whole', 'x<1>y</1>z is new', '<1>xyz</1> es nueva'],
    [
      'reach over sentences',
      'A <1>house. The red river</1> is.',
      'Una <1>casa. La ría roja</1> es.',
    ],
    ['are between signs of a script without blanks', '<1>日本</1>語 is', '<1>日本</1> 語 es'],
  ];
  test.each(examples)('lets marks that %s', async (_why, source, target) => {
    const [answer] = await engine.translate([marked(source)], toSpanish);
    expect(written(answer!)).toBe(target);
  });

  test('translates sentence by sentence, and keeps line breaks within one where they were', async () => {
    const texts = [
      'The house\nis red. The red\nriver is new.\n\nThe city',
      'Mr. Smith is the friend.',
    ];
    expect(await translated(engine, texts)).toEqual([
      'La casa\nes roja. La\nría roja es nueva.\n\nLa ciudad',
      'Mr. Smith es la amigo.',
    ]);
  });

  test('goes through English, with marks, where there is no model of the pair', async () => {
    const pair = { source: 'de', target: 'es', signal };
    const [answer] = await engine.translate([marked('Das <1>rote</1> Haus ist neu.')], pair);
    expect(written(answer!)).toBe('La casa <1>roja</1> es nueva.');
  });

  test('takes sentences of any length', async () => {
    const words = Array.from({ length: 120 }, (_, i) => ['the', 'house', 'and'][i % 3]);
    const [answer] = await translated(engine, [words.join(' ')]);
    expect(answer!.split(' ')).toHaveLength(120);
    expect(answer).toBe(
      words.map((word) => ({ the: 'la', house: 'casa', and: 'y' })[word!]).join(' '),
    );
    const [letters] = await translated(engine, ['x'.repeat(420)]);
    expect(letters!.replaceAll(/\s/g, '')).toBe('x'.repeat(420));
  });

  test('answers a caption while somebody else has a book translated', async () => {
    let isBookDone = false;
    const book = translated(engine, sentences(60)).then((answers) => {
      isBookDone = true;
      return answers;
    });
    const captions = await translated(engine, ['The house is red.']);
    expect(captions).toEqual(['La casa es roja.']);
    expect(isBookDone).toBe(false);
    expect(await book).toHaveLength(60);
  });

  test('an account with many calls delays another by little', async () => {
    const before = await answeredBefore(async (texts, account) =>
      engine.translate(
        texts.map((text) => [text]),
        { source: 'en', target: 'es', signal: new AbortController().signal, account },
      ),
    );
    expect(before).toBeLessThan(3);
  });

  test('one process serves all callers, and nothing that they said is logged', () => {
    expect(new Set(startedBy(sharedLog)).size).toBe(2);
    expect(JSON.stringify(sharedLog.lines)).not.toMatch(/house|casa|Haus/);
  });
});

describe('the process of a model', () => {
  test('costs nobody a sentence when it is killed at its work, and is replaced when it hangs', async () => {
    const log = recordingLog();
    const engine = await neural({ log, answerTimeoutMs: 4_000 });
    const expected = await translated(engine, sentences(60));
    const parts = [0, 20, 40].map((start) => sentences(60).slice(start, start + 20));
    const callers = parts.map((part) => translated(engine, part));
    // In turn with the others, it is among the first; behind it the next batch is under way.
    await translated(engine, ['The house.']);
    await turn();
    process.kill(startedBy(log)[0]!, 'SIGKILL');
    expect((await Promise.all(callers)).flat()).toEqual(expected);
    expect(startedBy(log)).toHaveLength(2);
    expect(log.lines.filter(({ message }) => message === 'neural model ended')).toHaveLength(1);

    process.kill(startedBy(log)[1]!, 'SIGSTOP');
    expect(await translated(engine, ['The red house.'])).toEqual(['La casa roja.']);
    expect(startedBy(log).map(isAlive)).toEqual([false, false, true]);
  });

  test('ends at a sentence twice and no third time: the sentence is refused', async () => {
    const log = recordingLog();
    const engine = await neural({ log });
    const debug = log.debug.bind(log);
    log.debug = (fields, message) => {
      // Before it has been asked anything; what it is asked then is what it ends at.
      if (message === 'neural model loaded')
        process.kill((fields as { childPid: number }).childPid, 'SIGKILL');
    };
    await expect(translated(engine, ['The house.'])).rejects.toEqual(translationFailed);
    log.debug = debug;
    expect(await translated(engine, ['The house.'])).toEqual(['La casa.']);
  });

  test('leaves when it is idle, or when others need the room, and comes back', async () => {
    const log = recordingLog();
    const engine = await neural({ log, idleMs: 60_000, maxLoaded: 1 });
    engine.prepare({ source: 'de', target: 'en' });
    await eventually(() => startedBy(log).length === 1, { what: 'the first model' });
    expect(await translated(engine, ['The house.'])).toEqual(['La casa.']);
    await eventually(() => startedBy(log).filter(isAlive).length === 1, { what: 'one model' });
    expect(isAlive(startedBy(log)[1]!)).toBe(true);

    const brief = await neural({ log, idleMs: 50 });
    const before = startedBy(log).length;
    await translated(brief, ['The house.']);
    await eventually(() => !isAlive(startedBy(log)[before]!), { what: 'no process' });
    expect(await translated(brief, ['The house.'])).toEqual(['La casa.']);
  });

  test('is not asked for more text than may wait, and is gone when the engine has closed', async () => {
    const log = recordingLog();
    const engine = await create({ log, maxWaitingLength: 2_000 });
    await translated(engine, ['The house.']);
    const asked = Array.from({ length: 40 }, (_, i) => translated(engine, sentences(4, 1000 + i)));
    const answers = await Promise.allSettled(asked);
    const refused = answers.filter((each) => each.status === 'rejected');
    expect(refused.length).toBeGreaterThan(5);
    for (const { reason } of refused) expect(reason).toEqual(engineUnavailable);
    expect(answers.length - refused.length).toBeGreaterThan(5);

    const pending = expect(translated(engine, sentences(500))).rejects.toEqual(engineUnavailable);
    await engine.close();
    await pending;
    expect(startedBy(log).some(isAlive)).toBe(false);
  });
});
