import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Recognition, RecognitionEngine, SpeechPiece } from '../../server/engines/engine.ts';
import {
  createPocketSphinx,
  type PocketSphinxOptions,
} from '../../server/engines/recognition/pocketsphinx.ts';
import { recordLog, type LogRecord } from '../support/log-record.ts';
import { wordErrorRate } from '../support/word-error-rate.ts';
import {
  asSpeech,
  finals,
  heard,
  IdleSource,
  isAlive,
  lengthMs,
  recogniserPids,
  recognitionOptions,
  silence,
  spoken,
  transcript,
  until,
  type SpeechLayout,
} from './recognition-support.ts';

const HOUSE = 'she bought a new house near the river last summer';
const WEEK = 'we need to finish the report before the end of the week';

let log: LogRecord;
let engine: RecognitionEngine | undefined;

async function start(options: Partial<PocketSphinxOptions> = {}): Promise<RecognitionEngine> {
  const created = await createPocketSphinx({ log, ...options });
  if ('reason' in created) throw new Error(created.reason);
  engine = created;
  return created;
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

/** Two utterances, with silence between them of which most is left out. */
async function twoSentences(): Promise<[audio: Buffer, layout: SpeechLayout]> {
  const first = await spoken({ text: HOUSE, voice: 'rms' });
  const audio = Buffer.concat([
    first,
    silence(2_000),
    await spoken({ text: WEEK, voice: 'kal16' }),
  ]);
  const endpointMs = lengthMs(first) - 400;
  const layout = {
    endpointsMs: [endpointMs],
    leftOutMs: [[endpointMs, endpointMs + 2_500]],
  } as const;
  return [audio, layout];
}

/** Calls something once, in the middle of a sentence, counted from 1. */
function inSentence(number: number, act: () => void): (recognition: Recognition) => void {
  let finalCount = 0;
  let hasActed = false;
  return ({ kind, text }) => {
    if (kind === 'final') finalCount += 1;
    if (hasActed || finalCount !== number - 1) return;
    if (kind !== 'partial' || text.split(' ').length < 3) return;
    hasActed = true;
    act();
  };
}

beforeEach(() => {
  log = recordLog();
  engine = undefined;
});
afterEach(async () => {
  await engine?.close();
  expect(recogniserPids().filter(isAlive)).toEqual([]);
});

// Streams run at once, and a busy machine hears far slower than people speak.
describe('a recogniser process that is killed in mid sentence', { timeout: 180_000 }, () => {
  test('is replaced: no word is lost or comes twice, times stay, the neighbour is undisturbed', async () => {
    const engine = await start();
    const [speech, layout] = await twoSentences();
    const onRecognition = inSentence(2, () => kill(busyPids()[0]!));
    const disturbed = heard(engine, asSpeech(speech, layout), { onRecognition });
    await busyPid(1);
    const neighbour = heard(engine, asSpeech(speech, layout));
    const [after, before] = [finals(await disturbed), finals(await neighbour)];
    // Two processes at the start, one in place of the one that was killed.
    expect(busyPids()).toHaveLength(3);

    expect(wordErrorRate(`${HOUSE} ${WEEK}`, transcript(before))).toBeLessThanOrEqual(0.25);
    expect(after[0]).toEqual(before[0]);
    expect(after).toHaveLength(before.length);
    expect(wordErrorRate(WEEK, after[1]!.text), after[1]!.text).toBeLessThanOrEqual(0.25);
    expect(Math.abs(after[1]!.startMs - before[1]!.startMs)).toBeLessThanOrEqual(100);
    expect(Math.abs(after[1]!.endMs - before[1]!.endMs)).toBeLessThanOrEqual(100);
  });

  test('ends the stream with a clear error the fourth time', async () => {
    const engine = await start();
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

describe('a recogniser process that hangs', { timeout: 180_000 }, () => {
  test('holds its source back, is killed after a while and replaced', async () => {
    const engine = await start({ hangTimeoutMs: 5_000 });
    const [speech, layout] = await twoSentences();
    let pulledMs = 0;
    let stoppedAtMs = Infinity;
    const counted = async function* (): AsyncGenerator<SpeechPiece> {
      for await (const piece of asSpeech(speech, layout)) {
        if (piece.kind === 'samples') pulledMs += lengthMs(piece.samples);
        yield piece;
      }
    };
    const onRecognition = inSentence(2, () => {
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
    const engine = await start({ spareCount: 0 });
    const onRecognition = inSentence(1, () => {
      process.kill(busyPids()[0]!, 'SIGINT');
      process.kill(busyPids()[0]!, 'SIGTERM');
    });
    const audio = await spoken({ text: HOUSE, voice: 'rms' });
    const said = await heard(engine, asSpeech(audio), { onRecognition });
    expect(wordErrorRate(HOUSE, transcript(said))).toBeLessThanOrEqual(0.25);
    expect(busyPids()).toHaveLength(1);
  });

  test('end at once when their stream is aborted or left', async () => {
    const engine = await start();
    const audio = await spoken({ text: HOUSE, voice: 'rms' });
    const controller = new AbortController();
    const { signal } = controller;
    const aborted = heard(engine, new IdleSource(audio), { signal });
    const first = await busyPid(1);
    controller.abort();
    await expect(aborted).rejects.toThrow(/abort/);
    await until(() => !isAlive(first), { what: 'the end of the aborted process' });

    const idle = new IdleSource(audio);
    for await (const recognition of engine.recognise(idle, recognitionOptions())) {
      expect(recognition.kind).toBe('partial');
      break;
    }
    const second = await busyPid(2);
    await until(() => !isAlive(second), { what: 'the end of the process that was left' });
  });

  test('end when the engine is closed, and their streams fail', async () => {
    const engine = await start();
    const listening = heard(engine, new IdleSource(silence(1_000)));
    const failure = expect(listening).rejects.toMatchObject({ code: 'recognition_failed' });
    await busyPid(1);
    await engine.close();
    await failure;
    expect(recogniserPids().filter(isAlive)).toEqual([]);
    await expect(heard(engine, asSpeech(silence(100)))).rejects.toMatchObject({
      code: 'recognition_failed',
    });
  });

  test('are few even when many streams begin at once', async () => {
    const engine = await start();
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
    const engine = await start();
    const [spare] = recogniserPids();
    kill(spare!);
    await until(() => recogniserPids().some((pid) => pid !== spare && isAlive(pid)));
    const said = await heard(engine, asSpeech(await spoken({ text: HOUSE, voice: 'rms' })));
    expect(wordErrorRate(HOUSE, transcript(said))).toBeLessThanOrEqual(0.25);
  });

  test('end when their parent is killed', async () => {
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
