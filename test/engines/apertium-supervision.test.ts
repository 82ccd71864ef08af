import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { TranslationEngine } from '../../server/engines/engine.ts';
import { createApertium } from '../../server/engines/translation/apertium.ts';
import { englishToSpanish } from '../../server/engines/translation/english/spanish-grammars.ts';
import { Grammars } from '../../server/engines/translation/grammars.ts';
import { ServiceError } from '../../shared/errors.ts';
import { builtModule } from '../support/suite/built-product.ts';
import {
  apertium,
  containing,
  eventually,
  faultyModes,
  groupsStartedBy,
  leaveOutGroups,
  processes,
  recordingLog,
  temporaryFolder,
  translateTexts,
} from './apertium-support.ts';
import { failureOf } from './translation-conformance.ts';
import { randomSource } from './translation-texts.ts';

beforeAll(leaveOutGroups);

const signal = new AbortController().signal;
const toSpanish = { source: 'en', target: 'es', signal };
const toItalian = { source: 'en', target: 'it', signal };

/** Sentences that repeat no word, so that lost or swapped ones are noticed. */
const sentences = Array.from({ length: 200 }, (_, i) => {
  const things = ['house', 'book', 'river', 'city', 'table', 'friend', 'door', 'window', 'tree'];
  const qualities = ['new', 'old', 'big', 'red', 'white'];
  return `The ${qualities[i % 5]} ${things[i % 9]} number ${1000 + i} is here, and it is mine.`;
});

function translateEach(engine: TranslationEngine, onAnswer = () => {}): Promise<string[][]> {
  return Promise.all(
    sentences.slice(0, 30).map(async (text, i) => {
      const answer = await translateTexts(engine, [text], i % 4 === 0 ? toSpanish : toItalian);
      onAnswer();
      return answer;
    }),
  );
}

const translationFailed = expect.objectContaining({ code: 'translation_failed' }) as unknown;
const engineUnavailable = expect.objectContaining({ code: 'engine_unavailable' }) as unknown;

/** Kills a random process of the pipeline; returns false if none was running. */
async function killOne(random: () => number): Promise<boolean> {
  const group = (await groupsStartedBy()).flat();
  const victim = group[Math.floor(random() * group.length)];
  if (victim === undefined) return false;
  try {
    process.kill(victim.pid, 'SIGKILL');
    return true;
  } catch {
    return false; // The process has ended together with a killed neighbour.
  }
}

describe('killing processes of a pipeline', () => {
  test('at random neither loses nor swaps sentences', async () => {
    const engine = await apertium({ modesFolder: await faultyModes() });
    const undisturbed = await translateEach(engine);
    const random = randomSource(1);
    let killed = 0;
    // For a moment between two lives no process can be killed, so this takes as many rounds as needed.
    while (killed < 3) {
      let answered = 0;
      const kills: Promise<boolean>[] = [];
      const disturbed = await translateEach(engine, () => {
        if (++answered % 6 === 0) kills.push(killOne(random));
      });
      killed += (await Promise.all(kills)).filter(Boolean).length;
      expect(disturbed).toEqual(undisturbed);
    }
  });

  test('leaves the engine usable, whichever process it is', async () => {
    // The shell and two stages.
    const engine = await apertium({ modesFolder: await faultyModes() });
    const expected = await translateTexts(engine, [sentences[0]!], toSpanish);
    const [group] = await groupsStartedBy();
    for (let i = 0; i < group!.length; i++) {
      const [now] = await groupsStartedBy();
      const victim = now!.sort((a, b) => a.pid - b.pid)[i]!;
      const answers = Promise.all([
        translateTexts(engine, [sentences[0]!], toSpanish),
        translateTexts(engine, [sentences[0]!], toSpanish),
      ]);
      process.kill(victim.pid, 'SIGKILL');
      expect(await answers).toEqual([expected, expected]);
      await eventually(async () => !(await processes()).some(({ pid }) => pid === victim.pid), {
        what: 'the process is gone',
      });
      expect(await translateTexts(engine, [sentences[0]!], toSpanish)).toEqual(expected);
    }
    // Up to three of the shells and stages may still be exiting.
    await eventually(async () => (await groupsStartedBy()).length === 1, {
      what: 'only the last pipeline is left',
    });
  });
});

describe('a text that ends the pipeline', () => {
  for (const poison of ['HALF', 'SWALLOW', 'FLOOD']) {
    test(`(${poison}) is refused, and the others are answered`, async () => {
      const log = recordingLog();
      const engine = await apertium({
        log,
        modesFolder: await faultyModes(),
        answerTimeoutMs: 1_000,
      });
      const before = sentences
        .slice(0, 20)
        .map((text) => translateTexts(engine, [text], toSpanish));
      const refused = failureOf(translateTexts(engine, [`A ${poison} sentence.`], toSpanish));
      const after = sentences
        .slice(20, 40)
        .map((text) => translateTexts(engine, [text], toSpanish));
      expect(await refused).toEqual(translationFailed);
      expect((await Promise.all([...before, ...after])).flat()).toEqual(sentences.slice(0, 40));
      expect(await translateTexts(engine, [sentences[0]!], toSpanish)).toEqual([sentences[0]]);
      expect(JSON.stringify(log.lines)).not.toMatch(/sentence\.|house/);
    });
  }

  test('after its answer harms no other text', async () => {
    const engine = await apertium({ modesFolder: await faultyModes() });
    const texts = [...sentences.slice(0, 20), 'A TWICE sentence.', ...sentences.slice(20)];
    expect(await translateTexts(engine, texts, toSpanish)).toEqual(texts);
  });

  test('by hanging is refused after three timeouts', async () => {
    const engine = await apertium({ modesFolder: await faultyModes(), answerTimeoutMs: 1_000 });
    await translateTexts(engine, ['Ready.'], toSpanish);
    const startMs = performance.now();
    const refused = failureOf(translateTexts(engine, ['A HANG sentence.'], toSpanish));
    const other = translateTexts(engine, [sentences[0]!], toSpanish);
    expect(await other).toEqual([sentences[0]]);
    expect(await refused).toEqual(translationFailed);
    expect(performance.now() - startMs).toBeGreaterThan(3_000);
  });

  test('does no more harm after its caller aborts', async () => {
    const log = recordingLog();
    const engine = await apertium({ log, modesFolder: await faultyModes() });
    await translateTexts(engine, ['Ready.'], toSpanish);
    const aborter = new AbortController();
    const aborted = failureOf(
      translateTexts(engine, ['A CRASH.'], { ...toSpanish, signal: aborter.signal }),
    );
    const other = translateTexts(engine, [sentences[0]!], toSpanish);
    aborter.abort(new Error('gone'));
    expect(await aborted).toEqual(new Error('gone'));
    expect(await other).toEqual([sentences[0]]);
    expect(log.lines.filter(({ message }) => message === 'translator ended')).toHaveLength(1);
  });
});

describe('text beyond the waiting limit', () => {
  test('is refused at once, while waiting text is still answered', async () => {
    const engine = await apertium({ modesFolder: await faultyModes(), maxWaitingLength: 5_000 });
    const accepted: Promise<string[]>[] = [];
    const refused: Promise<unknown>[] = [];
    const text = 'word '.repeat(70).trim();
    // At most 2,000 units are in progress, so 5,000 more can wait.
    for (let i = 0; i < 40; i++) {
      const answer = translateTexts(engine, [text], toSpanish);
      if (i < 10) accepted.push(answer);
      else refused.push(failureOf(answer.then(() => Promise.reject(new Error('answered')))));
    }
    const failures = await Promise.all(refused);
    expect(failures.filter((each) => each instanceof ServiceError).length).toBeGreaterThan(20);
    for (const each of failures) {
      if (each instanceof ServiceError) expect(each).toEqual(engineUnavailable);
    }
    for (const answer of accepted) expect(await answer).toEqual([text]);
    expect(await translateTexts(engine, [text], toSpanish)).toEqual([text]);
  });

  test('does not include a single long text', async () => {
    const engine = await apertium({ modesFolder: await faultyModes(), maxWaitingLength: 20_000 });
    const text = 'One two three. '.repeat(3_000);
    expect(await translateTexts(engine, [text], toSpanish)).toEqual([text]);
  });
});

describe('a broken installation', () => {
  test('is logged with the packages to install, without restarting in a loop', async () => {
    const modesFolder = await temporaryFolder();
    const data = join(modesFolder, 'eng-spa.bin');
    await writeFile(data, '');
    await writeFile(join(modesFolder, 'eng-spa.mode'), `lt-proc '${data}'`);
    await writeFile(join(modesFolder, 'eng-cat.mode'), `lt-proc '/nowhere/eng-cat.bin'`);
    const log = recordingLog();
    const engine = await apertium({ log, modesFolder });
    // A mode without its data is not offered.
    expect(engine.pairs).toEqual([{ source: 'en', target: 'es' }]);
    expect(JSON.stringify(log.lines)).toContain('/nowhere/eng-cat.bin');
    await rm(data);
    const starts = () => log.lines.filter(({ message }) => message === 'translator ended').length;
    expect(await failureOf(translateTexts(engine, ['Hello'], toSpanish))).toEqual(
      expect.objectContaining({
        code: 'engine_unavailable',
        message: containing('apt install --reinstall apertium apertium-eng-spa'),
      }),
    );
    const startsUntilTold = starts();
    expect(startsUntilTold).toBeLessThan(10);
    const more = Array.from({ length: 50 }, () =>
      failureOf(translateTexts(engine, ['Hi'], toSpanish)),
    );
    for (const each of await Promise.all(more)) expect(each).toEqual(engineUnavailable);
    expect(starts()).toBe(startsUntilTold);
    expect(JSON.stringify(log.lines)).toContain('eng-spa.bin');
  });

  test('is used again after its repair', async () => {
    const modesFolder = await faultyModes();
    const stage = join(modesFolder, 'stage');
    await chmod(stage, 0o600);
    const engine = await apertium({ modesFolder });
    await failureOf(translateTexts(engine, ['Hello'], toSpanish));
    await chmod(stage, 0o755);
    await eventually(
      () =>
        translateTexts(engine, ['Hello'], toSpanish).then(
          () => true,
          () => false,
        ),
      { what: 'the engine translates' },
    );
  });
});

describe('Apertium processes', () => {
  test('stop when idle and start again when needed', async () => {
    const engine = await apertium({ modesFolder: await faultyModes(), idleMs: 50 });
    const expected = await translateTexts(engine, [sentences[0]!], toSpanish);
    await eventually(async () => (await groupsStartedBy()).length === 0, { what: 'no group' });
    expect(await translateTexts(engine, [sentences[0]!], toSpanish)).toEqual(expected);
  });

  test('start on prepare for both steps of a route, and have ended when close resolves', async () => {
    const modesFolder = await faultyModes();
    const engine = await createApertium({ log: recordingLog(), modesFolder });
    assert.ok('translate' in engine);
    expect(await groupsStartedBy()).toEqual([]);
    engine.prepare({ source: 'en', target: 'it' });
    const pending = failureOf(translateTexts(engine, ['A HANG sentence.'], toSpanish));
    let groups = await groupsStartedBy();
    await eventually(
      async () => {
        groups = await groupsStartedBy();
        return groups.length === 2 && groups.flat().length === 6;
      },
      { what: 'two groups with their stages' },
    );
    await engine.close();
    expect(await groupsStartedBy()).toEqual([]);
    const ids = new Set(groups.flat().map(({ groupId }) => groupId));
    expect((await processes()).filter(({ groupId }) => ids.has(groupId))).toEqual([]);
    expect(await pending).toEqual(engineUnavailable);
    const later = translateTexts(engine, ['The house.'], toSpanish);
    expect(await failureOf(later)).toEqual(engineUnavailable);
    await engine.close();
  });

  test('have ended when close resolves, even if they were stopped by a signal', async () => {
    const modesFolder = await faultyModes();
    const engine = await createApertium({ log: recordingLog(), modesFolder });
    assert.ok('translate' in engine);
    await translateTexts(engine, [sentences[0]!], toSpanish);
    const [group] = await groupsStartedBy();
    for (const { pid } of group!) process.kill(pid, 'SIGSTOP');
    await engine.close();
    expect(await groupsStartedBy()).toEqual([]);
  });

  test('end by themselves after the server is killed with SIGKILL', async () => {
    const folder = await temporaryFolder();
    const script = join(folder, 'server.mjs');
    const engine = builtModule('server/engines/translation/apertium.ts');
    await writeFile(
      script,
      `import { createApertium } from ${JSON.stringify(engine)};
       const quiet = () => {};
       const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
       const modesFolder = ${JSON.stringify(await faultyModes())};
       void createApertium({ log, modesFolder }).then(async (engine) => {
         const options = { source: 'en', target: 'es', signal: new AbortController().signal };
         await engine.translate([['The house.']], options);
         console.log('ready');
       });`,
    );
    const server = spawn(process.execPath, [script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(server.stdout, 'data');
    const groups = await groupsStartedBy(server.pid);
    expect(groups).toHaveLength(1);
    server.kill('SIGKILL');
    await once(server, 'exit');
    const ids = new Set(groups.flat().map(({ groupId }) => groupId));
    await eventually(async () => !(await processes()).some(({ groupId }) => ids.has(groupId)), {
      what: 'no process is left',
    });
  });
});

test('a mode of other stages stays as it is, for one grammar says what the other reads', async () => {
  const grammars = new Grammars('eng-spa', englishToSpanish, { PATH: '/usr/bin:/bin' });
  const command = "lt-proc -z 'a.bin' | apertium-tagger -z -g $2 'b.prob' | lt-proc -z $1 'c.bin'";
  expect(await grammars.into(command)).toBe(command);
});

test('grammars are compiled once for all processes, and again when what is kept is damaged', async () => {
  const env = { PATH: '/usr/bin:/bin' };
  const command =
    "lt-proc -z 'a.bin' | apertium-wblank-attach | lrx-proc -z -m 'b.bin' | lt-proc -z 'c.bin'";
  const texts = () => ({ source: 'SELECT (n) ;\n', target: 'SELECT (vblex) ;\n' });
  const sourceOf = async () => {
    const grammars = new Grammars('kept-for-a-test', texts, env);
    const [, file = ''] = /cg-proc -z '([^']+)'/.exec(await grammars.into(command)) ?? [];
    await grammars.close();
    return file;
  };
  const tables = resolve('dist/tables');
  const isKept = (file: string) => file.startsWith(tables);
  onTestFinished(async () => {
    const names = await readdir(tables);
    const own = names.filter((name) => name.startsWith('kept-for-a-test'));
    await Promise.all(own.map((name) => rm(join(tables, name))));
  });
  expect(isKept(await sourceOf())).toBe(false);
  const kept = await sourceOf();
  expect(isKept(kept)).toBe(true);
  await writeFile(kept, 'damaged');
  expect(isKept(await sourceOf())).toBe(false);
  expect(await sourceOf()).toBe(kept);
  // A server that runs while the next one is built keeps what the next one does not read.
  expect(basename(kept)).toContain(
    `.${Math.trunc(statSync('dist/bundle/main.js').mtimeMs / 1000)}`,
  );
});

test('grammars work in a folder of any name', async () => {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = join(await temporaryFolder(), "Bob's $' & more");
  onTestFinished(async () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    const names = await readdir('dist/tables');
    const own = names.filter((name) => name.startsWith('quoted-for-a-test'));
    await Promise.all(own.map((name) => rm(join('dist/tables', name))));
  });
  await mkdir(process.env['TMPDIR']);
  const texts = () => ({ source: 'SELECT (n) ;\n', target: 'SELECT (vblex) ;\n' });
  const grammars = new Grammars('quoted-for-a-test', texts, { PATH: '/usr/bin:/bin' });
  const stages = await grammars.into(
    "lt-proc -z 'a.bin' | apertium-wblank-attach | lrx-proc -z -m 'b.bin' | lt-proc -z 'c.bin'",
  );
  const files = [...stages.matchAll(/cg-proc -z (?:-1 )?(.*?) \|/g)].map(([, file]) => file);
  expect(files).toHaveLength(2);
  execFileSync('/bin/sh', ['-c', `test -f ${files[0]} && test -f ${files[1]}`]);
  await grammars.close();
});

test('without a compiler of grammars the mode translates as it is', async () => {
  const folder = await temporaryFolder();
  const compiler = join(folder, 'cg-comp');
  await writeFile(compiler, '#!/bin/sh\necho refused >&2\nexit 1\n');
  await chmod(compiler, 0o755);
  const log = recordingLog();
  const plain = await apertium({ log, programFolders: `${folder}:/usr/local/bin:/usr/bin:/bin` });
  const [answer] = await translateTexts(plain, ['The house is red.'], toSpanish);
  assert.equal(answer, 'La casa es roja.');
  expect(log.lines.map(({ message }) => message)).toContain(
    'grammars cannot be compiled: apt install cg3',
  );
});
