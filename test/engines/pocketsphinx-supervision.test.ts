import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Recognition, RecognitionEngine } from '../../server/engines/engine.ts';
import {
  createPocketSphinx,
  type PocketSphinxOptions,
} from '../../server/engines/recognition/pocketsphinx.ts';
import { recordLog, type LogRecord } from '../support/log-record.ts';
import { wordErrorRate } from '../support/word-error-rate.ts';
import {
  finals,
  heard,
  IdleSource,
  isAlive,
  lengthMs,
  pieces,
  recogniserPids,
  silence,
  spoken,
  transcript,
  until,
} from './recognition-support.ts';

const HOUSE = 'she bought a new house near the river last summer';
const WEEK = 'we need to finish the report before the end of the week';

let log: LogRecord;
let engine: RecognitionEngine;

async function start(options: Partial<PocketSphinxOptions> = {}): Promise<void> {
  const created = await createPocketSphinx({ log, ...options });
  if ('reason' in created) throw new Error(created.reason);
  engine = created;
}

/** Processes that were given streams so far, in order. */
function busyPids(): number[] {
  return log.lines
    .filter(({ message }) => message === 'a recogniser process takes a stream')
    .map(({ fields }) => (fields as { pid: number }).pid);
}

async function busyPid(number: number): Promise<number> {
  await until(() => busyPids().length >= number, { what: `process ${number}` });
  return busyPids()[number - 1]!;
}

const kill = (pid: number): void => void process.kill(pid, 'SIGKILL');

async function twoSentences(): Promise<Buffer> {
  const first = await spoken({ text: HOUSE, voice: 'rms' });
  return Buffer.concat([first, await spoken({ text: WEEK, voice: 'kal16' })]);
}

/** Calls something once, in the middle of the second sentence. */
function inSecondSentence(act: () => void): (recognition: Recognition) => void {
  let finalCount = 0;
  let hasActed = false;
  return ({ kind, text }) => {
    if (kind === 'final') finalCount += 1;
    if (hasActed || finalCount !== 1 || kind !== 'partial' || text.split(' ').length < 3) return;
    hasActed = true;
    act();
  };
}

beforeEach(() => {
  log = recordLog();
});
afterEach(async () => {
  await engine.close();
  expect(recogniserPids().filter(isAlive)).toEqual([]);
});

describe('a recogniser process that is killed in mid sentence', () => {
  test('is replaced: no word is lost, none comes twice, and times stay on the clock', async () => {
    await start();
    const audio = await twoSentences();
    const undisturbed = await heard(engine, pieces(audio));
    const onRecognition = inSecondSentence(() => kill(busyPids()[1]!));
    const disturbed = await heard(engine, pieces(audio), { onRecognition });
    expect(busyPids()).toHaveLength(3);

    const [before, after] = [finals(undisturbed), finals(disturbed)];
    expect(after[0]).toEqual(before[0]);
    expect(after).toHaveLength(before.length);
    expect(wordErrorRate(WEEK, after[1]!.text), after[1]!.text).toBeLessThanOrEqual(0.25);
    expect(Math.abs(after[1]!.startMs - before[1]!.startMs)).toBeLessThanOrEqual(100);
    expect(Math.abs(after[1]!.endMs - before[1]!.endMs)).toBeLessThanOrEqual(100);
  });

  test('does not disturb its neighbour', async () => {
    await start();
    const audio = await twoSentences();
    const victim = new IdleSource(await spoken({ text: HOUSE, voice: 'rms' }));
    const controller = new AbortController();
    const { signal } = controller;
    const lost = heard(engine, victim, { signal });
    const neighbour = heard(engine, pieces(audio));
    kill(await busyPid(1));
    expect(wordErrorRate(`${HOUSE} ${WEEK}`, transcript(await neighbour))).toBeLessThanOrEqual(
      0.25,
    );
    // Two processes at the start, one in place of the one that was killed.
    await busyPid(3);
    expect(busyPids()).toHaveLength(3);
    controller.abort();
    await expect(lost).rejects.toThrow(/abort/);
  });

  test('ends the stream with a clear error the fourth time', async () => {
    await start();
    const source = new IdleSource(await spoken({ text: HOUSE, voice: 'rms' }));
    const listening = heard(engine, source);
    const failure = Promise.all([
      expect(listening).rejects.toMatchObject({ code: 'recognition_failed' }),
      expect(listening).rejects.toThrow(/several times/),
    ]);
    for (let death = 1; death <= 4; death += 1) kill(await busyPid(death));
    await failure;
    expect(source.isReleased).toBe(true);
    expect(busyPids()).toHaveLength(4);
  });
});

describe('a recogniser process that hangs', () => {
  test('holds its source back, is killed after a while and replaced', async () => {
    await start({ hangTimeoutMs: 5_000 });
    const audio = await twoSentences();
    let pulledMs = 0;
    let stoppedAtMs = Infinity;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces(audio)) {
        pulledMs += lengthMs(piece);
        yield piece;
      }
    };
    const onRecognition = inSecondSentence(() => {
      const [pid] = busyPids();
      stoppedAtMs = pulledMs;
      process.kill(pid!, 'SIGSTOP');
      void until(() => !isAlive(pid!)).then(() => {
        pulledWhileStoppedMs = pulledMs - stoppedAtMs;
      });
    });
    let pulledWhileStoppedMs = Infinity;
    const said = await heard(engine, counted(), { onRecognition });
    expect(busyPids()).toHaveLength(2);
    expect(wordErrorRate(`${HOUSE} ${WEEK}`, transcript(said))).toBeLessThanOrEqual(0.25);
    // Two seconds on their way and a piece in hand.
    expect(pulledWhileStoppedMs).toBeLessThanOrEqual(2_200);
  });
});

describe('the processes of an engine', () => {
  test('outlive the signals of a terminal and a service manager', async () => {
    await start({ spareCount: 0 });
    const onRecognition = inSecondSentence(() => {
      process.kill(busyPids()[0]!, 'SIGINT');
      process.kill(busyPids()[0]!, 'SIGTERM');
    });
    const said = await heard(engine, pieces(await twoSentences()), { onRecognition });
    expect(finals(said)).toHaveLength(2);
    expect(busyPids()).toHaveLength(1);
  });

  test('end at once when their stream is aborted or left', async () => {
    await start();
    const audio = await spoken({ text: HOUSE, voice: 'rms' });
    const controller = new AbortController();
    const { signal } = controller;
    const aborted = heard(engine, new IdleSource(audio), { signal });
    const first = await busyPid(1);
    controller.abort();
    await expect(aborted).rejects.toThrow(/abort/);
    await until(() => !isAlive(first), { what: 'the end of the aborted process' });

    for await (const recognition of engine.recognise(new IdleSource(audio), {
      language: 'en',
      signal: new AbortController().signal,
    })) {
      expect(recognition.kind).toBe('partial');
      break;
    }
    const second = await busyPid(2);
    await until(() => !isAlive(second), { what: 'the end of the process that was left' });
  });

  test('end when the engine is closed, and their streams fail', async () => {
    await start();
    const listening = heard(engine, new IdleSource(silence(1_000)));
    const failure = expect(listening).rejects.toMatchObject({ code: 'recognition_failed' });
    await busyPid(1);
    await engine.close();
    await failure;
    expect(recogniserPids().filter(isAlive)).toEqual([]);
    await expect(heard(engine, pieces(silence(100)))).rejects.toMatchObject({
      code: 'recognition_failed',
    });
  });

  test('are few even when many streams begin at once', async () => {
    await start();
    const controller = new AbortController();
    const { signal } = controller;
    const streams = Array.from({ length: 4 }, () =>
      heard(engine, new IdleSource(silence(500)), { signal }),
    );
    const ends = Promise.allSettled(streams);
    let most = 0;
    await until(() => {
      const waiting = recogniserPids().filter(isAlive).length - busyPids().length;
      most = Math.max(most, waiting);
      return busyPids().length === streams.length;
    });
    // Two that load and one that waits, at most.
    expect(most).toBeLessThanOrEqual(3);
    controller.abort();
    for (const { status } of await ends) expect(status).toBe('rejected');
  });

  test('are replaced when they die while they wait', async () => {
    await start();
    const [spare] = recogniserPids();
    kill(spare!);
    await until(() => recogniserPids().some((pid) => pid !== spare && isAlive(pid)));
    const said = await heard(engine, pieces(await spoken({ text: HOUSE, voice: 'rms' })));
    expect(wordErrorRate(HOUSE, transcript(said))).toBeLessThanOrEqual(0.25);
  });

  test('end when their parent is killed', async () => {
    await start({ spareCount: 0 });
    const script = fileURLToPath(new URL('./recognition-parent.ts', import.meta.url));
    const args = ['--import', import.meta.resolve('tsx'), script];
    const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(parent.stdout, 'data');
    const children = recogniserPids(parent.pid);
    expect(children.length).toBeGreaterThan(0);
    parent.kill('SIGKILL');
    await until(() => !children.some(isAlive), { what: 'the end of the children' });
  });
});
