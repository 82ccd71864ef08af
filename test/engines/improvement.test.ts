/** The real Harper and Hunspell: correct text stays unchanged, and many mistakes are corrected. */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type HarperAnswer,
  type HarperRequest,
  harperRules,
} from '../../server/engines/improvement/harper-protocol.ts';
import { createHarper } from '../../server/engines/improvement/harper.ts';
import { createHunspell } from '../../server/engines/improvement/hunspell.ts';
import {
  type FreeRequest,
  type PoolWorker,
  type ReadyNotice,
  startWorkerProcess,
} from '../../server/process/worker-pool.ts';
import { recordLog } from '../support/product/log-record.ts';
import { until } from '../support/product/server.ts';
import { builtModule } from '../support/suite/built-product.ts';
import { correctSentences } from './correct-sentences.ts';
import {
  describeImprovementConformance,
  improveTexts,
  runningImprover,
} from './improvement-conformance.ts';
import { trickySentences } from './tricky-sentences.ts';
import { wrongSentences } from './wrong-sentences.ts';

const hunspell = async () => runningImprover(await createHunspell({ log: recordLog() }));
/** Processes of Harper: each takes seconds of processor time to start. */
const workers: PoolWorker[] = [];
const startWorker = () => {
  const harper = builtModule('server/engines/improvement/harper.ts');
  const worker = startWorkerProcess(harper, './harper-child', { execArgv: ['--liftoff-only'] });
  workers.push(worker);
  return worker;
};
const harper = () => createHarper({ log: recordLog(), startWorker });

const [english, others] = await Promise.all([harper(), hunspell()]);
afterAll(() => Promise.all([english.close(), others.close()]));

describeImprovementConformance({
  name: 'the engine Harper',
  create: harper,
  running: english,
  language: 'en',
  sentences: correctSentences['en'] ?? [],
});
describeImprovementConformance({
  name: 'the engine Hunspell',
  create: hunspell,
  running: others,
  language: 'de',
  sentences: correctSentences['de'] ?? [],
});

const engineFor = (language: string) => (language === 'en' ? english : others);
const correct = (language: string, texts: readonly string[]) =>
  improveTexts(engineFor(language), texts, { language });

describe('correct sentences', () => {
  it.each(Object.entries(correctSentences))('stay unchanged in %s', async (language, sentences) => {
    const corrected = await correct(language, sentences);
    const changed = corrected.filter((text, i) => text !== sentences[i]);
    // At most 2 % of the sentences.
    expect(changed.length, changed.join('\n')).toBeLessThanOrEqual(sentences.length * 0.02);
  });

  it.each(['en', 'en-GB', 'en-US'])(
    'that invite changes stay unchanged in %s',
    async (language) => {
      const corrected = await improveTexts(english, trickySentences, { language });
      const changed = corrected.filter((text, i) => text !== trickySentences[i]);
      expect(changed.length, changed.join('\n')).toBeLessThanOrEqual(2);
    },
  );

  it.each([
    ['fr', 'Mon adresse email est dans la lettre, avec une story.'],
    ['de', 'Er postete ein Bild und likte den Beitrag.'],
    ['it', 'Ho visto il feed e il post di Anna.'],
    ['es', 'Le mandé un email con el link del blog.'],
    ['pt-PT', 'A acção foi directa e óptima para todos.'],
  ])('with borrowed and older words stay unchanged in %s', async (language, text) => {
    expect(await improveTexts(others, [text], { language })).toEqual([text]);
  });

  it('stay unchanged in either spelling of English', async () => {
    const british = ['She organised the colours of the theatre programme.', 'The centre is grey.'];
    const american = ['She organized the colors of the theater program.', 'The center is gray.'];
    expect(await correct('en', [...british, ...american])).toEqual([...british, ...american]);
    expect(await improveTexts(english, british, { language: 'en-GB' })).toEqual(british);
    expect(await improveTexts(english, american, { language: 'en-US' })).toEqual(american);
  });
});

/** Minimum share of sentences with one mistake that are corrected, in %. */
const leastMended: Record<string, number> = { en: 75, de: 80, fr: 70, es: 65, it: 65, pt: 50 };

describe('mistakes', () => {
  it.each(Object.entries(wrongSentences))('are corrected in %s', async (language, sentences) => {
    const corrected = await correct(
      language,
      sentences.map(({ wrong }) => wrong),
    );
    const left = sentences.filter(({ right }, i) => corrected[i] !== right);
    const mended = 100 * (1 - left.length / sentences.length);
    expect(mended, left.map(({ wrong }) => wrong).join('\n')).toBeGreaterThanOrEqual(
      leastMended[language] ?? 100,
    );
  });

  it('are corrected in English texts with omitted letters and with blanks of typography', async () => {
    const mended = [
      ['She\u00a0go to school.', 'She\u00a0goes to school.'],
      ['She\u2009go to\u00a0\u2028school.', 'She\u2009goes to\u00a0\u2028school.'],
      ["There was somethin' in the garden.", 'There was something in the garden.'],
      ['“We saw somethin’,” she said.', '“We saw something,” she said.'],
      ["They wrote 'we saw somethin' on the door.", "They wrote 'we saw something' on the door."],
      ["We kept walkin' an' singing.", "We kept walkin' an' singing."],
      ["The freinds' garden is large.", "The friends' garden is large."],
    ] as const;
    const wrong = mended.map(([text]) => text);
    expect(await correct('en', wrong)).toEqual(mended.map(([, right]) => right));
  });

  it('do not include German without umlauts, which are restored', async () => {
    const text = 'Koennen wir das fuer dich machen? Er heisst Paul, wir moechten gehen.';
    expect(await correct('de', [text])).toEqual([
      'Können wir das für dich machen? Er heißt Paul, wir möchten gehen.',
    ]);
  });

  it('are corrected in both variants of Portuguese', async () => {
    for (const language of ['pt-PT', 'pt-BR']) {
      expect(await improveTexts(others, ['Eu tambem vou.'], { language })).toEqual([
        'Eu também vou.',
      ]);
    }
  });
});

describe('the rules of Harper', () => {
  // To ask Harper itself takes three seconds of processor time.
  it('all exist', () => {
    const program = readFileSync('node_modules/harper.js/dist/harper_wasm_slim_bg.wasm');
    expect([...harperRules].filter((name) => !program.includes(name))).toEqual([]);
    expect(program.includes('NoSuchRule')).toBe(false);
  });
});

it('the process of Harper skips abandoned requests', async () => {
  await correct('en', ['We recieve it.']);
  const child = workers.at(-1)!;
  const answers: HarperAnswer[] = [];
  // Sent beside the engine's own requests.
  const [first, second, last] = [1_000_001, 1_000_002, 1_000_003] as const;
  child.on('message', (answer: HarperAnswer | ReadyNotice) => {
    if ('streamId' in answer && answer.streamId >= first) answers.push(answer);
  });
  const texts = ['We recieve it.', 'We recieve them.'];
  // The process finds all of them at once.
  process.kill(child.pid!, 'SIGSTOP');
  for (const streamId of [first, second, last]) {
    child.postMessage({ kind: 'lint', streamId, texts, variant: 'en-US' } satisfies HarperRequest);
  }
  for (const streamId of [first, second]) {
    child.postMessage({ kind: 'free', streamId } satisfies FreeRequest);
  }
  process.kill(child.pid!, 'SIGCONT');
  await until(() => answers.length === 3);
  expect(answers.map(({ lints }) => lints.length)).toEqual([0, 0, 2]);
});

describe('names, addresses and code', () => {
  const parts = [
    'https://exmaple.org/teh?a=recieve',
    'teh_file.txt',
    '`recieve alot`',
    'max@recieve.de',
  ];
  const names = ['Søren', 'Nguyen', 'Abernathy', 'Yılmaz', 'McRecieve', 'Wroclav', 'GitHub'];

  // Suggesting words takes time for each mistake, so one mistake serves several names.
  it('stay unchanged among corrected mistakes', async () => {
    const each = (around: (several: string) => string) =>
      [parts, names.slice(0, 4), names.slice(4)].map((several) => around(several.join(', ')));
    expect(
      await correct(
        'en',
        each((several) => `We recieve ${several} in the evening.`),
      ),
    ).toEqual(each((several) => `We receive ${several} in the evening.`));
    expect(
      await correct(
        'de',
        each((several) => `Wir haben ${several} gestern nciht gesehen.`),
      ),
    ).toEqual(each((several) => `Wir haben ${several} gestern nicht gesehen.`));
  });
});

it('mistakes among emoji and letters of two code units are found', async () => {
  expect(
    await correct('en', [
      '😀 I recieve teh letter.',
      'We won 🎉! He go to teh garden 🚢 tomorrow.',
      '👨‍👩‍👧 We recieve teh 😀 letter, 𝔘 too.',
    ]),
  ).toEqual([
    '😀 I receive the letter.',
    'We won 🎉! He goes to the garden 🚢 tomorrow.',
    '👨‍👩‍👧 We receive the 😀 letter, 𝔘 too.',
  ]);
});

describe('a text in another language', () => {
  it('stays unchanged', async () => {
    const polish = 'Dzieci bawią się w ogrodzie, a potem wracają powoli do domu na kolację.';
    // German also checks for missing umlauts.
    for (const language of ['de', 'it']) {
      expect(await correct(language, [polish])).toEqual([polish]);
    }
  });

  it.each(['a', 'the ', '3rd ', '"', '😀', 'It is 3rd, teh '])(
    'is checked in English in bounded time: %j',
    async (part) => {
      const text = part.repeat(Math.floor(10_000 / part.length));
      const startMs = performance.now();
      expect(await correct('en', [text, 'We recieve it.'])).toHaveLength(2);
      // Checked at once rather than by sentence, this took a quarter of a minute instead of a hundredth of a
      // second.
      expect(performance.now() - startMs).toBeLessThan(10_000);
    },
  );

  it('takes little time even if it consists of mistakes only', async () => {
    const noise = Array.from({ length: 1500 }, (_, i) => `qwzx${'abcdefghij'[i % 10]}pl`).join(' ');
    const startMs = performance.now();
    expect(await correct('fr', [noise])).toEqual([noise]);
    expect(performance.now() - startMs).toBeLessThan(30_000);
  });
});
