/** Connection failures, the same for every recogniser that uses a connection. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RecognitionEngine, SpeechPiece, Unavailable } from '../../server/engines/engine.ts';
import { createOpenAiRealtime } from '../../server/engines/recognition/openai-realtime.ts';
import { createVosk } from '../../server/engines/recognition/vosk.ts';
import { createWhisperLive } from '../../server/engines/recognition/whisperlive.ts';
import { seededRandom } from '../support/audio/audio-files.ts';
import { recordLog, type LogRecord } from '../support/product/log-record.ts';
import { startRealtimeServer } from '../support/services/openai-realtime-server.ts';
import type { ConnectionFailure, SpeechSockets } from '../support/services/speech-sockets.ts';
import { startVoskServer } from '../support/services/vosk-server.ts';
import { startWhisperLiveServer } from '../support/services/whisperlive-server.ts';
import { finals, heard, IdleSource, transcript, until } from './recognition-support.ts';
import { disclosed, hearing, KEY, utterances } from './remote-recognition-support.ts';

interface Options {
  log: LogRecord;
  url: string;
  timeoutMs: number;
  firstDelayMs: number;
  tries?: number;
}

const engines: {
  name: string;
  start: () => Promise<SpeechSockets>;
  create: (options: Options) => Promise<RecognitionEngine | Unavailable>;
}[] = [
  {
    name: 'vosk',
    start: () => startVoskServer(),
    create: (options) => createVosk(options),
  },
  {
    name: 'openai-realtime',
    start: () => startRealtimeServer({ key: KEY }),
    create: ({ url, ...options }) =>
      createOpenAiRealtime({ ...options, url: `${url}/v1`, model: 'whisper-1', key: KEY }),
  },
  {
    name: 'whisperlive',
    start: () => startWhisperLiveServer(),
    create: (options) => createWhisperLive({ ...options, readyTimeoutMs: options.timeoutMs }),
  },
];

const TEXTS = [
  'alpha bravo charlie delta echo foxtrot',
  'golf hotel india',
  'juliett kilo lima mike november',
  'oscar papa quebec romeo',
];

describe.each(engines)('a connection to $name', ({ name, start, create }) => {
  let server: SpeechSockets;
  let log: LogRecord;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.next.length = server.requests.length = 0;
    server.always = undefined;
    log = recordLog();
  });

  async function recogniser(options: Partial<Options> = {}): Promise<RecognitionEngine> {
    const settings = { log, url: server.url, timeoutMs: 20_000, firstDelayMs: 5 };
    return hearing(await create({ ...settings, ...options }));
  }

  async function failure(options: Partial<Options> = {}): Promise<unknown> {
    return await heard(await recogniser(options), utterances(TEXTS)).then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  test('that breaks in mid-utterance loses and repeats no final', async () => {
    const undisturbed = finals(await heard(await recogniser(), utterances(TEXTS)));
    expect(undisturbed.map(({ text }) => text)).toEqual(TEXTS);
    const random = seededRandom(7);
    for (let run = 0; run < 2; run += 1) {
      // Three failures in a row are tolerated; results on a connection after its break are not needed.
      const cuts = Array.from({ length: 3 }, (): ConnectionFailure => ({
        kind: 'cut',
        afterMs: 50 + random() * 1_500,
      }));
      server.next.push(...cuts);
      const recognitions = await heard(await recogniser(), utterances(TEXTS));
      expect(finals(recognitions)).toEqual(undisturbed);
      expect(server.next).toEqual([]);
      const last = recognitions.at(-1);
      expect(last?.kind).toBe('final');
    }
  });

  test('that breaks between utterances is re-established silently', async () => {
    const engine = await recogniser({ tries: 1 });
    const before = async (index: number) => {
      if (index === 0) return;
      await until(() => concluded === index);
      server.cut();
      await until(() => server.openCount === 0);
    };
    let concluded = 0;
    const recognitions = await heard(engine, utterances(TEXTS, { before }), {
      onRecognition: ({ kind }) => void (concluded += kind === 'final' ? 1 : 0),
    });
    expect(finals(recognitions).map(({ text }) => text)).toEqual(TEXTS);
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('shows no partial again after a break', async () => {
    const seen: string[] = [];
    server.next.push({ kind: 'cut', afterMs: 1_400 });
    await heard(await recogniser(), utterances([TEXTS[0] ?? '']), {
      onRecognition: ({ kind, text }) => {
        if (kind === 'partial') seen.push(text);
      },
    });
    const lengths = seen.map((text) => text.length);
    expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
  });

  const lasting: [string, ConnectionFailure][] = [
    ['is refused as overloaded', { kind: 'status', status: 503 }],
    ['breaks every time', { kind: 'cut', afterMs: 100 }],
    ['says nothing', { kind: 'mute' }],
    ['is not read from', { kind: 'frozen', afterMs: 50 }],
    ['says what is no JSON', { kind: 'says', afterMs: 50, data: '{"text": "al' }],
    ['says what is no object', { kind: 'says', afterMs: 50, data: '[1]' }],
    ['sends bytes', { kind: 'says', afterMs: 50, data: Buffer.alloc(100) }],
    ['sends a message without measure', { kind: 'says', afterMs: 50, data: 'a'.repeat(2 ** 21) }],
  ];
  test.each(lasting)('that %s is retried, then given up', async (_what, always) => {
    server.always = always;
    const isSilent = always.kind === 'mute' || always.kind === 'frozen';
    const error = await failure({ tries: 2, timeoutMs: isSilent ? 250 : 20_000 });
    expect(error).toMatchObject({ code: 'recognition_failed' });
    expect((error as Error).message).toMatch(new RegExp(`^The recogniser ${name} .+\\.$`));
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(2);
    await until(() => server.openCount === 0 || always.kind === 'frozen');
    server.cut();
  });

  test.each(lasting.slice(0, 4))('that %s once is replaced', async (_what, once) => {
    server.next.push(once);
    const isSilent = once.kind === 'mute' || once.kind === 'frozen';
    const engine = await recogniser({ timeoutMs: isSilent ? 400 : 20_000 });
    expect(transcript(await heard(engine, utterances(TEXTS)))).toBe(TEXTS.join(' '));
    server.cut();
  });

  test('that is refused for its key is not retried, and its reason goes only to the log', async () => {
    server.always = { kind: 'status', status: 401 };
    const error = await failure();
    expect(error).toMatchObject({ code: 'recognition_failed' });
    expect(log.lines).toHaveLength(1);
    expect(disclosed(log, error)).toContain('401');
    const { host } = new URL(server.url);
    for (const secret of [KEY, host]) expect(disclosed(log, error)).not.toContain(secret);
  });

  test('opens with the first speech, so a server may start later, and its absence is reported', async () => {
    const other = await start();
    await other.close();
    const error = await failure({ url: other.url, tries: 2 });
    expect(error).toMatchObject({
      code: 'recognition_failed',
      message: `The recogniser ${name} cannot be reached.`,
    });
  });

  test('ends with the session, however the session ends', async () => {
    const engine = await recogniser();
    const enough = new Error('enough');
    const controller = new AbortController();
    const idle = () => new IdleSource(audioOf(TEXTS[0] ?? ''));
    const { signal } = controller;
    const aborted = heard(engine, idle(), { signal });
    const abortion = expect(aborted).rejects.toBe(enough);
    await until(() => server.openCount === 1);
    controller.abort(enough);
    await abortion;
    await until(() => server.openCount === 0);

    // The session also leaves a server that has not answered the first message.
    server.always = { kind: 'mute' };
    const waiting = new AbortController();
    const unanswered = heard(engine, idle(), { signal: waiting.signal });
    const end = expect(unanswered).rejects.toBe(enough);
    await until(() => server.openCount === 1);
    waiting.abort(enough);
    await end;
    await until(() => server.openCount === 0);
    server.always = undefined;

    const closed = heard(engine, idle());
    const closure = expect(closed).rejects.toMatchObject({ code: 'recognition_failed' });
    await until(() => server.openCount === 1);
    await engine.close();
    await closure;
    await until(() => server.openCount === 0);
  });
});

async function* audioOf(text: string): AsyncGenerator<SpeechPiece, undefined> {
  for await (const piece of utterances([text])) if (piece.kind === 'samples') yield piece;
}
