/**
 * Supervision of Hunspell: what happens to texts when dictionary processes die, hang or flood their output.
 * Uses real processes, some of them faulty.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ImprovementEngine } from '../../server/engines/engine.ts';
import { createHunspell, type HunspellOptions } from '../../server/engines/improvement/hunspell.ts';
import { processTree } from '../../server/process/supervision.ts';
import { recordLog } from '../support/product/log-record.ts';
import { until } from '../support/product/server.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { improveTexts, runningImprover } from './improvement-conformance.ts';

const engines: ImprovementEngine[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

async function create(options: Partial<HunspellOptions> = {}): Promise<ImprovementEngine> {
  const engine = runningImprover(await createHunspell({ log: recordLog(), ...options }));
  engines.push(engine);
  return engine;
}

/** Creates a program in place of Hunspell, which may call the real one. */
function program(script: string): string {
  const file = path.join(temporaryFolder(), 'hunspell');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Dictionary processes that this process has started. */
function dictionaryPids(): number[] {
  return processTree(process.pid).filter((pid) => {
    try {
      return /hunspell\0-a\0.*de_DE/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
    } catch {
      return false; // The process has ended in the meantime.
    }
  });
}

/** Returns whether the process still ran. */
function killSilently(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

const wrong = 'Das ist nciht gut, villeicht aber doch.';
const right = 'Das ist nicht gut, vielleicht aber doch.';
const correct = (engine: ImprovementEngine, texts = [wrong]) =>
  improveTexts(engine, texts, { language: 'de' });

describe('a dictionary process', () => {
  it('that is killed repeatedly costs no text its answer, and ends when the engine is closed', async () => {
    const engine = await create();
    const texts = Array.from({ length: 10 }, (_, i) => `${wrong} Wort${'abcde'[i % 5]}x hier.`);
    const work = texts.map((text) => correct(engine, [text]));
    const killed = new Set<number>();
    const killer = until(() => {
      for (const pid of dictionaryPids()) {
        if (killSilently(pid)) killed.add(pid);
      }
      return killed.size >= 2;
    });
    const answers = await Promise.all(work);
    for (const [text = ''] of answers) expect(text.startsWith(right)).toBe(true);
    // Whatever happened before, the next text starts a dictionary again.
    await correct(engine, ['Noch ein unbekantes Wort.']);
    await killer;
    expect(await correct(engine, ['Danach geht es weiiter.'])).toEqual(['Danach geht es weiter.']);
    expect(dictionaryPids()).toHaveLength(1);
    await engine.close();
    expect(dictionaryPids()).toEqual([]);
  });

  it('that hangs at a word is replaced, leaving the word unchanged', async () => {
    // Answers like the real one until the word at which it hangs.
    const file = program(
      `exec awk 'BEGIN { print "@(#) stub"; fflush() } /schlimm/ { next }
        /nciht/ { print "& nciht 1 0: nicht\\n"; fflush(); next } { print "*\\n"; fflush() }'`,
    );
    const engine = await create({ program: file, answerTimeoutMs: 1_000 });
    expect(await correct(engine, ['Das ist nciht schlimm.'])).toEqual(['Das ist nicht schlimm.']);
  });

  it('that floods its output is ended', async () => {
    const engine = await create({ program: program('exec yes'), answerTimeoutMs: 100 });
    await expect(correct(engine)).rejects.toMatchObject({ code: 'engine_unavailable' });
    expect(dictionaryPids()).toEqual([]);
  });

  it('that does not start is reported at once from then on', async () => {
    const engine = await create({ program: program('exit 1') });
    const failure = {
      code: 'engine_unavailable',
      message: expect.stringMatching(/hunspell/) as unknown,
    };
    await expect(correct(engine)).rejects.toMatchObject(failure);
    await expect(correct(engine)).rejects.toMatchObject(failure);
  });

  it('that was prepared serves the first word, and stays as long as permitted; then it stops when idle, and starts again when needed', async () => {
    const engine = await create({ idleMs: 50 });
    let timesAsked = 0;
    let mayStay = true;
    await engine.prepare?.(() => {
      timesAsked += 1;
      return mayStay;
    });
    const prepared = dictionaryPids();
    expect(prepared).toHaveLength(1);
    await until(() => timesAsked >= 30);
    expect(await correct(engine)).toEqual([right]);
    expect(dictionaryPids()).toEqual(prepared);
    mayStay = false;
    await until(() => dictionaryPids().length === 0);
    expect(await correct(engine, ['Es ist warscheinlich neu.'])).toEqual([
      'Es ist wahrscheinlich neu.',
    ]);
  });
});

describe('without installed dictionaries', () => {
  it('the engine reports what to install', async () => {
    const missing = await createHunspell({ log: recordLog(), dictionaryFolder: temporaryFolder() });
    expect(missing).toMatchObject({ reason: expect.stringMatching(/install hunspell/) as unknown });
  });
});
