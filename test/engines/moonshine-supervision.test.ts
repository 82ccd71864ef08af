import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Recognition, RecognitionEngine, SpeechPiece } from '../../server/engines/engine.ts';
import type { MoonshineOptions } from '../../server/engines/recognition/moonshine.ts';
import { wordErrorRate } from '../support/audio/word-error-rate.ts';
import { recordLog } from '../support/product/log-record.ts';
import { isAlive } from '../support/machine/processes.ts';
import { builtModule } from '../support/suite/built-product.ts';
import { counted, countingEar, deadly, startEar } from './counting-ear.ts';
import { moonshine, moonshineModel } from './moonshine-support.ts';
import {
  asSpeech,
  finals,
  heard,
  IdleSource,
  lengthMs,
  recogniserPids,
  recognitionOptions,
  spoken,
  transcript,
  until,
} from './recognition-support.ts';
import { silence } from '../support/audio/speech.ts';

const WEEK = 'we need to finish the report before the end of the week';

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
  test('between two parts of one sentence loses and repeats no word, and ignores terminal and service-manager signals', async () => {
    await start();
    const part = `the weather will be cold and wet in the northern part of the country and ${WEEK}`;
    const long = `${part} and ${part}`;
    const [only] = pids();
    const signal = async (soFar: Recognition[]): Promise<void> => {
      await partialAfter(soFar, 0);
      signalled('SIGINT');
      signalled('SIGTERM');
    };
    const audio = await spoken({ text: long, voice: 'rms' });
    const { whole } = hearing((soFar) => {
      const kill = async (): Promise<void> => {
        // One part is concluded, and the next is in progress.
        await until(() => finals(soFar).length === 1, { what: 'the first part' });
        await partialAfter(soFar);
        expect(pids()).toEqual([only]);
        signalled('SIGKILL');
      };
      return stopping(audio, [
        { atMs: 2_000, wait: () => signal(soFar) },
        { atMs: lengthMs(audio) - 2_500, wait: kill },
      ]);
    });
    const parts = finals(await whole);
    expect(parts.length).toBeGreaterThanOrEqual(2);
    expect(wordErrorRate(long, transcript(parts)), transcript(parts)).toBeLessThanOrEqual(0.04);
    expect(transcript(parts).split(' ')).toHaveLength(long.split(' ').length);
    // It is one sentence: a capital at its beginning, a full stop at its end.
    expect(transcript(parts)).toMatch(/^The [^.A-Z]*\.$/);
    parts.reduce((beforeMs, { startMs, endMs }) => {
      expect(startMs).toBeGreaterThanOrEqual(beforeMs);
      expect(endMs - startMs).toBeLessThan(13_000);
      return endMs;
    }, 0);
  });

  test('is replaced up to six times within one part; the seventh death is an error', async () => {
    await count();
    const { audio, text } = counted(5);
    const pieceOf = (fromMs: number, toMs: number, utteranceMs: number): SpeechPiece => ({
      kind: 'samples',
      samples: audio.subarray(fromMs * 32, toMs * 32),
      startMs: utteranceMs + fromMs,
    });
    let deaths = 0;
    /** The first word, with deaths: so short that each process decodes it once and identically. */
    async function* dying(soFar: Recognition[], utteranceMs: number, count: number) {
      let untilMs = 550;
      let before = soFar.length;
      yield pieceOf(0, untilMs, utteranceMs);
      for (let death = 0; death < count; death += 1) {
        await partialAfter(soFar, before);
        const [pid] = pids();
        signalled('SIGKILL');
        await until(() => !existsSync(`/proc/${pid}`), { what: 'a death' });
        deaths += 1;
        // Lets the pipe drain; the end of the process is noticed when a write of audio fails.
        for (let turns = 0; turns < 20; turns += 1) await turn();
        before = soFar.length;
        yield pieceOf(untilMs, untilMs + 45, utteranceMs);
        untilMs += 45;
      }
      return untilMs;
    }
    const { whole, soFar } = hearing(async function* (soFar) {
      const heardMs = yield* dying(soFar, 0, 1);
      yield pieceOf(heardMs, lengthMs(audio), 0);
      yield { kind: 'endpoint', atMs: lengthMs(audio) };
      await until(() => finals(soFar).length === 1, { what: 'the first utterance' });
      yield* dying(soFar, lengthMs(audio), 7);
      await new Promise<never>(() => {});
    });
    await expect(whole).rejects.toMatchObject({
      code: 'recognition_failed',
      message: expect.stringMatching(/several times/) as string,
    });
    expect(deaths).toBe(8);
    expect(transcript(soFar)).toBe(text);
    // A process is ready for the next speaker.
    expect(transcript(await heard(engine!, asSpeech(audio)))).toBe(text);
  });

  test('because of the audio of one session ends no other session', async () => {
    await count({ maxProcesses: 4 });
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
    expect(transcript(await victim.whole)).toBe(text);
    expect(transcript(await heard(engine!, asSpeech(counted(5).audio)))).toBe(counted(5).text);
    await until(() => pids().length === 1, { what: 'the end of the processes for one session' });
  });

  test('while loading is restarted, both the first one and a replacement in mid-sentence', async () => {
    const killNext = async (before: readonly number[]): Promise<void> => {
      await until(() => pids().some((pid) => !before.includes(pid)), { what: 'a process' });
      signalled('SIGKILL');
    };
    await Promise.all([count(), killNext([])]);
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
    });
    const [told] = log.lines.filter(({ level }) => level === 'error');
    expect(told?.message).toMatch(/^The model moonshine-tiny-en cannot be used: It is no model\./);
  });

  test('without a replacement that starts is reported to the session', async () => {
    let isWell = true;
    const failing = () => spawn('false', { stdio: ['pipe', 'pipe', 'pipe'] });
    await start({ startProcess: () => (isWell ? startEar() : failing()) });
    isWell = false;
    signalled('SIGKILL');
    await expect(hearing(() => asSpeech(counted(1).audio)).whole).rejects.toMatchObject({
      code: 'recognition_failed',
      message: 'The recogniser does not start.',
    });
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
    await count({ hangTimeoutMs: 4_000 });
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

  test('end when their parent is killed', async () => {
    const quiet = '() => {}';
    const script = `
      import { createMoonshineRecognisers } from ${JSON.stringify(builtModule('server/engines/recognition/moonshine.ts'))};
      const models = ${JSON.stringify([await moonshineModel()])};
      const log = { debug: ${quiet}, info: ${quiet}, warn: ${quiet}, error: ${quiet} };
      const [engine] = await createMoonshineRecognisers({ models, log });
      if (!('recognise' in engine)) throw new Error(JSON.stringify(engine));
      let pieces = 0;
      async function* speech() {
        for (;;) {
          yield { kind: 'samples', samples: new Uint8Array(3200), startMs: pieces * 100 };
          pieces += 1;
          // More than the pipe holds: a process is at work.
          if (pieces === 60) process.stdout.write('hearing');
        }
      }
      const { signal } = new AbortController();
      const options = { language: 'en', languageMode: 'fixed', spokenTerms: [], signal };
      for await (const each of engine.recognise(speech(), options)) void each;`;
    const args = ['--input-type=module', '-e', script];
    const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const crashed = once(parent, 'exit').then(([code]) =>
      Promise.reject(new Error(`exit ${code}`)),
    );
    await Promise.race([once(parent.stdout, 'data'), crashed]);
    crashed.catch(() => undefined);
    const children = recogniserPids(parent.pid);
    expect(children.length).toBeGreaterThan(0);
    parent.kill('SIGKILL');
    await until(() => !children.some(isAlive), { what: 'the end of the children' });
  });
});
