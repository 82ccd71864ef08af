import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createOpenAiTranscription,
  type OpenAiTranscriptionOptions,
} from '../../server/engines/recognition/openai-transcription.ts';
import { recordLog, type LogRecord } from '../support/product/log-record.ts';
import {
  startSpeechToTextServer,
  type Failure,
  type SpeechToTextServer,
} from '../support/services/openai-speech-to-text-server.ts';
import { MISHEARD_WORD, RARE_WORD } from '../support/audio/tone-speech.ts';
import { finals, heard, transcript, until } from './recognition-support.ts';
import {
  disclosed,
  hearing,
  hearRareWord,
  KEY,
  QUICK,
  utterances,
} from './remote-recognition-support.ts';

let server: SpeechToTextServer;
let log: LogRecord;
beforeAll(async () => {
  server = await startSpeechToTextServer({ key: KEY });
});
afterAll(() => server.close());
beforeEach(() => {
  server.reset();
  log = recordLog();
});

async function recogniser(options: Partial<OpenAiTranscriptionOptions> = {}) {
  const settings = { ...QUICK, log, url: server.url, model: 'whisper-1', key: KEY };
  return hearing(await createOpenAiTranscription({ ...settings, ...options }));
}

/** Returns the failure of a session with two utterances. */
async function failure(options: Partial<OpenAiTranscriptionOptions> = {}): Promise<unknown> {
  const engine = await recogniser(options);
  return await heard(engine, utterances(['alpha bravo', 'charlie'])).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('OpenAI-compatible transcription', () => {
  test('uploads a WAV file with model and language, and receives timed words', async () => {
    const engine = await recogniser();
    const recognitions = await heard(engine, utterances(['alpha bravo', 'charlie']), {
      language: 'nb',
    });
    const words = (text: string, startMs: number) => ({ text, startMs, endMs: startMs + 180 });
    expect(recognitions).toEqual([
      {
        kind: 'final',
        text: 'Alpha bravo.',
        startMs: 200,
        endMs: 630,
        words: [words('Alpha', 200), words('bravo.', 450)],
        language: 'nb',
      },
      {
        kind: 'final',
        text: 'Charlie.',
        startMs: 3_130,
        endMs: 3_310,
        words: [words('Charlie.', 3_130)],
        language: 'nb',
      },
    ]);
    expect(server.uploads).toHaveLength(2);
    expect(server.uploads[0]?.fileName).toBe('speech.wav');
    expect(server.uploads[0]?.fields).toEqual({
      model: ['whisper-1'],
      language: ['no'],
      temperature: ['0'],
      response_format: ['verbose_json'],
      'timestamp_granularities[]': ['word', 'segment'],
    });
  });

  test.each(['openai', 'whisper.cpp', 'wordless', 'json-only'] as const)(
    'works with a server like %s',
    async (manners) => {
      server.manners = manners;
      server.detected = { name: 'German', code: 'de' };
      const engine = await recogniser({ partialEveryMs: 0 });
      const texts = ['alpha bravo charlie delta echo foxtrot golf hotel india juliett', 'kilo'];
      const said = finals(await heard(engine, utterances(texts), { language: undefined }));
      expect(said.map(({ text }) => text.toLowerCase())).toEqual(texts.map((text) => `${text}.`));
      const hasTimes = manners === 'openai' || manners === 'whisper.cpp';
      expect(said.map(({ words }) => words.length)).toEqual(hasTimes ? [10, 1] : [0, 0]);
      if (hasTimes) expect(said[1]?.words[0]).toMatchObject({ startMs: 5_130, endMs: 5_310 });
      const language = manners === 'json-only' ? undefined : 'de';
      expect(said.map((final) => final.language)).toEqual([language, language]);
      // A format that the server refuses is requested only once.
      const formats = server.uploads.map(({ fields }) => fields['response_format']?.[0]);
      expect(formats.filter((format) => format === 'verbose_json')).toHaveLength(2);
      expect(server.uploads.at(-1)?.fields['language']?.[0]).toBe(language);
    },
  );

  test('recognises an invented name only as a spoken term', async () => {
    const engine = await recogniser();
    expect(await hearRareWord(engine, [])).toBe(`Alpha ${MISHEARD_WORD}.`);
    const spokenTerms = ['Lake Hora', `${RARE_WORD} `];
    expect(await hearRareWord(engine, spokenTerms)).toBe(`Alpha ${RARE_WORD}.`);
    expect(server.uploads.map(({ fields }) => fields['prompt'])).toEqual([
      undefined,
      [`Lake Hora, ${RARE_WORD}.`],
    ]);
  });

  test('shows partials during speech, and none without an interval', async () => {
    const text = 'alpha bravo charlie delta echo foxtrot golf hotel india';
    for (const [partialEveryMs, atLeast, atMost] of [
      [400, 3, 8],
      [0, 0, 0],
    ] as const) {
      const engine = await recogniser({ partialEveryMs });
      let count = 0;
      async function* spoken() {
        let pieces = 0;
        for await (const piece of utterances([text])) {
          yield piece;
          pieces += 1;
          const due = partialEveryMs > 0 && pieces < 24 && Math.floor(pieces / 4);
          if (due !== false) await until(() => count >= due);
        }
      }
      const recognitions = await heard(engine, spoken(), {
        onRecognition: ({ kind }) => void (count += kind === 'partial' ? 1 : 0),
      });
      const partials = recognitions.filter(({ kind }) => kind === 'partial');
      expect(partials.length).toBeGreaterThanOrEqual(atLeast);
      expect(partials.length).toBeLessThanOrEqual(atMost);
      expect(transcript(recognitions).toLowerCase()).toBe(`${text}.`);
    }
    expect(server.mostAtOnce).toBeLessThanOrEqual(2);
  });

  test('retries after a lost connection, 429 and 503, and honours Retry-After', async () => {
    server.next.push('cut', { status: 429, headers: { 'retry-after': '1' } });
    const beganMs = performance.now();
    const engine = await recogniser();
    expect(transcript(await heard(engine, utterances(['alpha'])))).toBe('Alpha.');
    expect(performance.now() - beganMs).toBeGreaterThan(950);
    server.next.push({ status: 503 }, { status: 500 });
    expect(transcript(await heard(engine, utterances(['bravo'])))).toBe('Bravo.');
    expect(server.uploads).toHaveLength(6);
  });

  test.each([
    [400, 3],
    [500, 5],
  ])('takes a recording that is refused with %i for one without words', async (status, count) => {
    const engine = await recogniser({ partialEveryMs: 0 });
    const said = async (...texts: string[]) => transcript(await heard(engine, utterances(texts)));
    expect(await said('alpha')).toBe('Alpha.');
    server.next.push(...Array.from({ length: count }, () => ({ status })));
    expect(await said('bravo', 'charlie')).toBe('Charlie.');
    expect(server.uploads).toHaveLength(2 + count);
    // Not for ever: then the server is out of order.
    server.always = { status };
    const listening = said('alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot');
    await expect(listening).rejects.toMatchObject({ code: 'recognition_failed' });
  });

  test('finds another format when the server no longer accepts the known one', async () => {
    const engine = await recogniser({ partialEveryMs: 0 });
    const said = async (text: string) => transcript(await heard(engine, utterances([text])));
    expect(await said('alpha')).toBe('Alpha.');
    server.manners = 'json-only';
    for (const text of ['bravo', 'charlie', 'delta', 'echo']) {
      expect((await said(text)).toLowerCase()).toBe(`${text}.`);
    }
    const formats = server.uploads.map(({ fields }) => fields['response_format']?.[0]);
    expect(formats.slice(-2)).toEqual(['json', 'json']);
  });

  const lasting: [string, Failure, number][] = [
    ['stays out of order', { status: 503 }, 3],
    ['asks for more patience than captions have', { status: 429, headers: retryAfter(60) }, 1],
    ['refuses the recording', { status: 400 }, 3],
    ['knows no such model', { status: 404 }, 1],
    ['breaks every connection', 'cut', 3],
    ['never answers', 'hang', 1],
    ['answers without an end', 'endless', 1],
    ['answers with a page', { status: 200, body: '<!doctype html>' }, 1],
    [
      'answers with an error and 200, as whisper.cpp does',
      { status: 200, body: '{"error":"x"}' },
      1,
    ],
  ];
  test.each(lasting)(
    'fails with one clear error when the server %s',
    async (_name, always, count) => {
      server.always = always;
      const timeoutMs = always === 'hang' ? 300 : 20_000;
      const error = await failure({ timeoutMs });
      expect(error).toMatchObject({ code: 'recognition_failed' });
      expect((error as Error).message).toContain('openai-transcription');
      expect(server.uploads).toHaveLength(count);
    },
  );

  test('fails at once with a wrong key, without disclosing it', async () => {
    const key = 'wrong-key-1f4e';
    const error = await failure({ key });
    expect(error).toMatchObject({ code: 'recognition_failed' });
    expect(disclosed(log, error)).toContain('401');
    for (const secret of [key, KEY, server.url])
      expect(disclosed(log, error)).not.toContain(secret);
  });

  test('is offered while its server is down; a session then fails with a clear error', async () => {
    const other = await startSpeechToTextServer();
    await other.close();
    const error = await failure({ url: other.url });
    expect(error).toMatchObject({
      code: 'recognition_failed',
      message: 'The recogniser openai-transcription cannot be reached.',
    });
    expect(disclosed(log, error)).not.toContain(new URL(other.url).port);
  });

  test('aborts the upload in progress', async () => {
    server.always = 'hang';
    const controller = new AbortController();
    const engine = await recogniser();
    const listening = heard(engine, utterances(['alpha']), { signal: controller.signal });
    const failed = expect(listening).rejects.toThrow('enough');
    await until(() => server.uploads.length === 1);
    controller.abort(new Error('enough'));
    await failed;
    await until(() => server.uploads[0]?.isAbandoned === true);
  });

  test('omits partials, but never finals, when the server is busy', async () => {
    let release = () => {};
    server.hold = new Promise<void>((resolve) => (release = resolve));
    const engine = await recogniser({ maxParallel: 2, partialEveryMs: 300 });
    const text = 'alpha bravo charlie delta echo';
    const listening = Promise.all(
      Array.from({ length: 5 }, () => heard(engine, utterances([text]))),
    );
    await until(() => server.uploads.length >= 5);
    release();
    for (const recognitions of await listening) {
      expect(transcript(recognitions).toLowerCase()).toBe(`${text}.`);
    }
  });

  test('reports which setting is invalid', async () => {
    const reason = async (options: Partial<OpenAiTranscriptionOptions>) => {
      const settings = { log, url: server.url, model: 'whisper-1' };
      const engine = await createOpenAiTranscription({ ...settings, ...options });
      return 'reason' in engine ? engine.reason : engine.languages;
    };
    expect(await reason({ url: 'ftp://x' })).toContain('OPENAI_TRANSCRIPTION_URL');
    expect(await reason({ url: `http://user:${KEY}@x/` })).not.toContain(KEY);
    expect(await reason({ model: undefined })).toContain('OPENAI_TRANSCRIPTION_MODEL');
    expect(await reason({ languages: ['de', 'xx'] })).toContain('OPENAI_TRANSCRIPTION_LANGUAGES');
    expect(await reason({ languages: ['de', 'no', 'en-GB', 'german'] })).toEqual([
      'de',
      'nb',
      'en',
    ]);
    const byDefault = await reason({});
    expect(byDefault).toHaveLength(35);
    expect(byDefault).not.toContain('ga');
  });
});

function retryAfter(seconds: number): Record<string, string> {
  return { 'retry-after': `${seconds}` };
}
