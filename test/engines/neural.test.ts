/** Neural translation with generated models, in processes that may fail. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { TranslationEngine } from '../../server/engines/engine.ts';
import { createNeural, type NeuralOptions } from '../../server/engines/translation/neural.ts';
import { findModels } from '../../server/models/find-models.ts';
import { isAlive } from '../support/machine/processes.ts';
import { quickStart, writeTranslationModels } from '../support/models/translation-models.ts';
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
    compilerFlags: quickStart,
    ...options,
  });
  assert.ok(engine !== undefined && 'translate' in engine, JSON.stringify(engine));
  return engine;
}

/** Creates an engine that is closed when the test finishes. */
async function neural(options: Partial<NeuralOptions> = {}): Promise<TranslationEngine> {
  const engine = await create(options);
  onTestFinished(() => engine.close());
  return engine;
}

const translated = async (engine: TranslationEngine, texts: readonly string[], pair = toSpanish) =>
  textsOf(await engine.translate(plain(texts), pair));

/** Returns the ids of the started processes, from the log. */
const startedBy = ({ lines }: Log): number[] =>
  lines.flatMap(({ fields, message }) =>
    message === 'neural model loaded' && 'childPid' in fields ? [Number(fields.childPid)] : [],
  );

// One engine for all tests that keep it running: each process takes more than half a second of CPU time to
// start.
const sharedLog = recordingLog();
const engine = await create({ log: sharedLog });
afterAll(() => engine.close());

test('neural translation offers the pairs of its models, and pivot pairs through English', () => {
  const pairs = engine.pairs.map(({ source, target }) => `${source}-${target}`);
  expect(pairs.sort()).toEqual(['de-en', 'de-es', 'en-es']);
  expect(startedBy(sharedLog)).toEqual([]);
});

describeTranslationConformance({
  name: 'neural translation keeps its promises',
  engine,
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

  test('translates sentence by sentence, and keeps line breaks within a sentence in place', async () => {
    const texts = [
      'The house\nis red. The red\nriver is new.\n\nThe city',
      'Mr. Smith is the friend.',
    ];
    expect(await translated(engine, texts)).toEqual([
      'La casa\nes roja. La\nría roja es nueva.\n\nLa ciudad',
      'Mr. Smith es la amigo.',
    ]);
  });

  test('pivots through English, with marks, where a pair has no model', async () => {
    const pair = { source: 'de', target: 'es', signal };
    const [answer] = await engine.translate([marked('Das <1>rote</1> Haus ist neu.')], pair);
    expect(written(answer!)).toBe('La casa <1>roja</1> es nueva.');
  });

  test('translates sentences of any length', async () => {
    const words = Array.from({ length: 120 }, (_, i) => ['the', 'house', 'and'][i % 3]);
    const [answer] = await translated(engine, [words.join(' ')]);
    expect(answer!.split(' ')).toHaveLength(120);
    expect(answer).toBe(
      words.map((word) => ({ the: 'la', house: 'casa', and: 'y' })[word!]).join(' '),
    );
    const [letters] = await translated(engine, ['x'.repeat(420)]);
    expect(letters!.replaceAll(/\s/g, '')).toBe('x'.repeat(420));
  });

  test('answers a caption during the translation of a book', async () => {
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

  test('delays an account only a little when another has many calls', async () => {
    const before = await answeredBefore(async (texts, account) =>
      engine.translate(
        texts.map((text) => [text]),
        { source: 'en', target: 'es', signal: new AbortController().signal, account },
      ),
    );
    expect(before).toBeLessThan(3);
  });

  test('serves all callers from one process per model, and logs no text', () => {
    expect(new Set(startedBy(sharedLog)).size).toBe(2);
    expect(JSON.stringify(sharedLog.lines)).not.toMatch(/house|casa|Haus/);
  });
});

describe('the process of a model', () => {
  test('is restarted once for a sentence that ends it; loses no other when it is killed at work, and is replaced when it hangs; has a limit of waiting text, and has ended when the engine has closed', async () => {
    const log = recordingLog();
    const engine = await neural({ log, answerTimeoutMs: 4_000, maxWaitingLength: 2_000 });
    const debug = log.debug.bind(log);
    log.debug = (fields, message) => {
      // Killed before its first request, the process ends at whatever it is asked first.
      if (message === 'neural model loaded')
        process.kill((fields as { childPid: number }).childPid, 'SIGKILL');
    };
    await expect(translated(engine, ['The house.'])).rejects.toEqual(translationFailed);
    log.debug = debug;

    const expected = await translated(engine, sentences(45));
    const parts = [0, 15, 30].map((start) => sentences(45).slice(start, start + 15));
    const callers = parts.map((part) => translated(engine, part));
    // The short text is among the first in the rotation; behind it the next batch is in progress.
    await translated(engine, ['The house.']);
    await turn();
    const before = startedBy(log).length;
    const endings = () =>
      log.lines.filter(({ message }) => message === 'neural model ended').length;
    const endedBefore = endings();
    process.kill(startedBy(log).at(-1)!, 'SIGKILL');
    expect((await Promise.all(callers)).flat()).toEqual(expected);
    expect(startedBy(log)).toHaveLength(before + 1);
    expect(endings()).toBe(endedBefore + 1);

    process.kill(startedBy(log).at(-1)!, 'SIGSTOP');
    expect(await translated(engine, ['The red house.'])).toEqual(['La casa roja.']);
    expect(
      startedBy(log)
        .slice(before - 1)
        .map(isAlive),
    ).toEqual([false, false, true]);
    await expectLimit(engine);

    const pending = expect(translated(engine, sentences(500))).rejects.toEqual(engineUnavailable);
    await engine.close();
    await pending;
    expect(startedBy(log).some(isAlive)).toBe(false);
    await expect(translated(engine, ['The house.'])).rejects.toEqual(engineUnavailable);
    await engine.close();
  });

  /** Expects a limit of waiting text, beyond which texts are refused. */
  async function expectLimit(engine: TranslationEngine): Promise<void> {
    const asked = Array.from({ length: 40 }, (_, i) => translated(engine, sentences(4, 1000 + i)));
    const answers = await Promise.allSettled(asked);
    const refused = answers.filter((each) => each.status === 'rejected');
    expect(refused.length).toBeGreaterThan(5);
    for (const { reason } of refused) expect(reason).toEqual(engineUnavailable);
    expect(answers.length - refused.length).toBeGreaterThan(5);
  }

  test('ends when it is idle or when others need the room, and starts again when needed', async () => {
    const log = recordingLog();
    const engine = await neural({ log, idleMs: 60_000, maxLoaded: 1 });
    engine.prepare({ source: 'de', target: 'en' });
    await eventually(() => startedBy(log).length === 1, { what: 'the first model' });
    expect(await translated(engine, ['The house.'])).toEqual(['La casa.']);
    await eventually(() => startedBy(log).filter(isAlive).length === 1, { what: 'one model' });
    expect(isAlive(startedBy(log)[1]!)).toBe(true);

    const brief = await neural({ log, idleMs: 50 });
    brief.prepare(toSpanish);
    await eventually(() => startedBy(log).length === 3, { what: 'another process' });
    await eventually(() => !isAlive(startedBy(log)[2]!), { what: 'no process' });
    expect(await translated(brief, ['The house.'])).toEqual(['La casa.']);
    await eventually(() => !isAlive(startedBy(log)[3]!), { what: 'no process after work' });
  });
});
