import { spawn } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import type { Recognition, RecognitionEngine, SpeechPiece } from '../../server/engines/engine.ts';
import type { MoonshineOptions } from '../../server/engines/recognition/moonshine.ts';
import { recordLog } from '../support/product/log-record.ts';
import { isAlive } from '../support/machine/processes.ts';
import { counted, countingEar, deadly, startEar } from './counting-ear.ts';
import { moonshine } from './moonshine-support.ts';
import {
  asSpeech,
  heard,
  IdleSource,
  recogniserPids,
  recognitionOptions,
  transcript,
  until,
} from './recognition-support.ts';
import { silence } from '../support/audio/speech.ts';

let engine: RecognitionEngine | undefined;

async function start(options: Partial<MoonshineOptions> = {}): Promise<RecognitionEngine> {
  engine = await moonshine(options);
  return engine;
}

/** Creates the same recogniser with stand-in processes. */
async function count(options: Partial<MoonshineOptions> = {}): Promise<RecognitionEngine> {
  engine = await countingEar(options);
  return engine;
}

/** Running recogniser processes, in the order of their start. */
const pids = (): number[] => recogniserPids().filter(isAlive);
const signalled = (signal: NodeJS.Signals): void => {
  for (const pid of pids()) process.kill(pid, signal);
};

/** Speech that pauses at certain places until a promise settles. */
async function* stopping(
  audio: Buffer,
  stops: readonly { atMs: number; wait: () => Promise<void> }[],
): AsyncGenerator<SpeechPiece, undefined> {
  const left = [...stops];
  for await (const piece of asSpeech(audio)) {
    const [stop] = left;
    if (stop !== undefined && piece.kind === 'samples' && piece.startMs >= stop.atMs) {
      left.shift();
      await stop.wait();
    }
    yield piece;
  }
}

/** Collects the recognitions of some speech, with those received so far. */
function hearing(speech: (soFar: Recognition[]) => AsyncIterable<SpeechPiece>) {
  const soFar: Recognition[] = [];
  const onRecognition = (each: Recognition) => void soFar.push(each);
  const whole = heard(engine!, speech(soFar), { onRecognition });
  // A failure before the caller awaits the promise must not count as unhandled.
  whole.catch(() => {});
  return { soFar, whole };
}

/** Waits for a new partial. */
async function partialAfter(soFar: readonly Recognition[], count = soFar.length): Promise<void> {
  const isThere = () => soFar.slice(count).some(({ kind }) => kind === 'partial');
  await until(isThere, { what: 'a partial' });
}

afterEach(async () => {
  await engine?.close();
  engine = undefined;
  expect(pids()).toEqual([]);
});

// A busy machine takes its time to start processes.
describe('a recogniser process that dies', () => {
  test('because of the audio of one session is replaced up to six times, and ends no other session', async () => {
    const log = recordLog();
    await count({ log, maxProcesses: 4 });
    const { audio, text } = counted(40);
    let isOver = false;
    const victim = hearing(async function* () {
      const begunMs = performance.now();
      for await (const piece of asSpeech(audio)) {
        const isDue = () =>
          isOver || piece.kind !== 'samples' || performance.now() - begunMs >= piece.startMs;
        await until(isDue, { what: 'the pace of speech' });
        yield piece;
      }
    });
    await partialAfter(victim.soFar, 0);
    const culprit = hearing(() => asSpeech(deadly()));
    await expect(culprit.whole).rejects.toMatchObject({
      code: 'recognition_failed',
      message: expect.stringMatching(/several times/) as string,
    });
    isOver = true;
    const deaths = log.lines.filter(({ message }) => message.includes('died'));
    expect(deaths).toHaveLength(7);
    expect(transcript(await victim.whole)).toBe(text);
    expect(transcript(await heard(engine!, asSpeech(counted(5).audio)))).toBe(counted(5).text);
    await until(() => pids().length === 1, { what: 'the end of the processes for one session' });
  });

  test('while loading is restarted, both the first one and a replacement in mid-sentence', async () => {
    const killNext = async (before: readonly number[]): Promise<void> => {
      await until(() => pids().some((pid) => !before.includes(pid)), { what: 'a process' });
      signalled('SIGKILL');
    };
    let starts = 0;
    const startProcess = () => startEar({ loadsForever: [1, 3, 4, 5].includes((starts += 1)) });
    await Promise.all([count({ startProcess }), killNext([])]);
    let kills: Promise<void> | undefined;
    const killThree = async (): Promise<void> => {
      for (let count = 0; count < 3; count += 1) {
        const before = pids();
        if (count === 0) signalled('SIGKILL');
        await killNext(before);
      }
    };
    const { audio, text } = counted(8);
    const { whole, soFar } = hearing(async function* (soFar) {
      for await (const piece of asSpeech(audio)) {
        if (kills === undefined && piece.kind === 'samples' && piece.startMs >= 2_000) {
          await partialAfter(soFar, 0);
          kills = killThree();
        }
        yield piece;
      }
    });
    await whole;
    await kills;
    expect(transcript(soFar)).toBe(text);
  });

  test('from an illegal instruction while loading is not restarted, and the failure is reported', async () => {
    const starting = start();
    await until(() => pids().length === 1, { what: 'a process' });
    signalled('SIGILL');
    await expect(starting).rejects.toThrow(
      /^The model moonshine-tiny-en cannot be used: The processor .* lacks instructions .*recognisers\.md\.$/,
    );
  });

  test('while it preloads a model is reported to the log and to sessions that start meanwhile', async () => {
    const log = recordLog();
    const startProcess = () =>
      spawn('sh', ['-c', 'echo It is no model. >&2; exit 1'], { stdio: ['pipe', 'pipe', 'pipe'] });
    await start({ log, startProcess, isProven: () => true });
    const { audio } = counted(1);
    await expect(hearing(() => asSpeech(audio)).whole).rejects.toMatchObject({
      code: 'recognition_failed',
      message: 'The recogniser does not start.',
    });
    const [told] = log.lines.filter(({ level }) => level === 'error');
    expect(told?.message).toMatch(/^The model moonshine-tiny-en cannot be used: It is no model\./);
  });

  test('because the engine closes while it loads is not replaced', async () => {
    await start({ isProven: () => true });
    await until(() => pids().length === 1, { what: 'a process' });
    await engine?.close();
    expect(pids()).toEqual([]);
  });

  test('while idle costs nothing', async () => {
    await count();
    const [before] = pids();
    process.kill(before!, 'SIGKILL');
    const { audio, text } = counted(6);
    expect(transcript(await heard(engine!, asSpeech(audio)))).toBe(text);
  });
});

describe('a recogniser process that hangs', () => {
  test('exerts back-pressure on its source, and is killed and replaced after the time limit', async () => {
    await count({ hangTimeoutMs: 2_000 });
    const { audio, text } = counted(12);
    const [stopped] = pids();
    signalled('SIGSTOP');
    let pulledMs = 0;
    const { whole } = hearing(async function* () {
      for await (const piece of asSpeech(audio)) {
        if (piece.kind === 'samples' && isAlive(stopped!)) pulledMs = piece.startMs;
        yield piece;
      }
    });
    expect(transcript(await whole)).toBe(text);
    expect(isAlive(stopped!)).toBe(false);
    // Two seconds in flight, one waiting, and the pieces in hand.
    expect(pulledMs).toBeGreaterThan(2_000);
    expect(pulledMs).toBeLessThan(4_500);
  });
});

describe('the processes of an engine', () => {
  test('are one for twelve streams, and a second under load, which ends when it is idle', async () => {
    await count({ maxProcesses: 2, idleMs: 500 });
    const { audio, text } = counted(5);
    const [first] = pids();
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const speak = (count: number) =>
      Array.from({ length: count }, () =>
        hearing(() => stopping(audio, [{ atMs: 1_500, wait: () => released }])),
      );
    const twelve = speak(12);
    await Promise.all(twelve.map(({ soFar }) => partialAfter(soFar, 0)));
    expect(pids()).toEqual([first]);
    const two = speak(2);
    await until(() => pids().length === 2, { what: 'a second process' });
    await Promise.all(two.map(({ soFar }) => partialAfter(soFar, 0)));
    release();
    for (const { whole } of [...twelve, ...two]) {
      expect(transcript(await whole)).toBe(text);
    }
    await until(() => pids().length === 1, { what: 'the end of the second process' });
  });

  test('drop aborted and abandoned streams', async () => {
    await count();
    const { audio, text } = counted(5);
    const before = pids();
    const controller = new AbortController();
    const { signal } = controller;
    const aborted = heard(engine!, new IdleSource(audio), {
      signal,
      onRecognition: () => controller.abort(),
    });
    await expect(aborted).rejects.toThrow(/abort/);
    const left = new IdleSource(audio);
    for await (const { kind } of engine!.recognise(left, recognitionOptions())) {
      expect(kind).toBeDefined();
      break;
    }
    expect(left.isReleased).toBe(true);
    expect(transcript(await heard(engine!, asSpeech(audio)))).toBe(text);
    expect(pids()).toEqual(before);
  });

  test('end when the engine is closed, and their streams fail', async () => {
    const engine = await count();
    const source = new IdleSource(counted(5).audio);
    const listening = heard(engine, source, { onRecognition: () => void engine.close() });
    await expect(listening).rejects.toMatchObject({ code: 'recognition_failed' });
    await until(() => pids().length === 0, { what: 'the end of the process' });
    await expect(heard(engine, asSpeech(silence(100)))).rejects.toMatchObject({
      code: 'recognition_failed',
    });
  });
});
