import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createOpenAiRealtime,
  type OpenAiRealtimeOptions,
} from '../../server/engines/recognition/openai-realtime.ts';
import { recordLog, type LogRecord } from '../support/product/log-record.ts';
import {
  startRealtimeServer,
  type RealtimeServer,
} from '../support/services/openai-realtime-server.ts';
import { MISHEARD_WORD, RARE_WORD } from '../support/audio/tone-speech.ts';
import { finals, heard, transcript } from './recognition-support.ts';
import {
  disclosed,
  hearing,
  hearRareWord,
  KEY,
  QUICK,
  utterances,
} from './remote-recognition-support.ts';

let server: RealtimeServer;
let log: LogRecord;
beforeAll(async () => {
  server = await startRealtimeServer({ key: KEY });
});
afterAll(() => server.close());
beforeEach(() => {
  server.reset();
  log = recordLog();
});

async function recogniser(options: Partial<OpenAiRealtimeOptions> = {}) {
  const settings = { ...QUICK, log, url: server.apiUrl, model: 'gpt-4o-transcribe', key: KEY };
  return hearing(await createOpenAiRealtime({ ...settings, ...options }));
}

const TEXTS = ['alpha bravo charlie', 'delta echo'];

describe('OpenAI-compatible realtime transcription', () => {
  test.each(['ga', 'beta', 'speaches'] as const)(
    'configures the session for a server like %s',
    async (manners) => {
      server.manners = manners;
      const url = `${server.apiUrl.replace('ws', 'http')}${manners === 'speaches' ? '?model=x' : '/'}`;
      const engine = await recogniser({ url });
      const options = { language: 'nb', spokenTerms: ['Lake Hora'] };
      const recognitions = await heard(engine, utterances(TEXTS), options);
      expect(transcript(recognitions)).toBe(TEXTS.join(' '));
      const partials = recognitions.filter(({ kind }) => kind === 'partial');
      expect(partials.map(({ text }) => text)).toContain('alpha bravo');
      // One connection and one set-up; audio follows.
      expect(server.updates).toHaveLength(1);
      expect(JSON.stringify(server.updates)).toContain(
        '{"model":"gpt-4o-transcribe","language":"no","prompt":"Lake Hora."}',
      );
      expect(server.requests).toHaveLength(1);
      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    },
  );

  test('recognises an invented name only as a spoken term', async () => {
    const engine = await recogniser();
    expect(await hearRareWord(engine, [])).toBe(`alpha ${MISHEARD_WORD}`);
    expect(await hearRareWord(engine, [RARE_WORD])).toBe(`alpha ${RARE_WORD}`);
  });

  test('ignores foreign items and unknown events', async () => {
    const type = 'conversation.item.input_audio_transcription';
    const strange = [
      { type: 'rate_limits.updated', rate_limits: [] },
      { type: `${type}.delta`, item_id: 'item_other', delta: 'something else' },
      { type: `${type}.completed`, item_id: 'item_other', transcript: 'something else' },
    ];
    const engine = await recogniser();
    for (const event of strange) {
      // The transcript itself does not arrive: after the time limit the utterance is sent again.
      server.sayAtCommit.push(() => event);
      const quick = await recogniser({ timeoutMs: 300 });
      expect(transcript(await heard(quick, utterances(['kilo lima'])))).toBe('kilo lima');
    }
    expect(transcript(await heard(engine, utterances(TEXTS)))).toBe(TEXTS.join(' '));
  });

  test('sends an utterance again after a failed transcription or an error', async () => {
    const type = 'conversation.item.input_audio_transcription.failed';
    server.sayAtCommit.push(
      (item_id) => ({ type, item_id, error: { code: 'server_error' } }),
      () => ({ type: 'error', error: { type: 'server_error', message: 'Oops' } }),
    );
    const engine = await recogniser();
    expect(transcript(await heard(engine, utterances(TEXTS)))).toBe(TEXTS.join(' '));
    expect(server.completedCount).toBe(2);
    expect(server.requests).toHaveLength(3);
  });

  test('takes unintelligible audio for an utterance without words', async () => {
    const type = 'conversation.item.input_audio_transcription.failed';
    const error = { type: 'transcription_error', code: 'audio_unintelligible' };
    for (let tries = 0; tries < 4; tries += 1) {
      server.sayAtCommit.push((item_id) => ({ type, item_id, error }));
    }
    const noises = ['alpha', 'bravo', 'charlie', 'delta'];
    const engine = await recogniser();
    expect(transcript(await heard(engine, utterances([...noises, 'echo'])))).toBe('echo');
    expect(server.requests).toHaveLength(1);
  });

  test('joins the turns of a server that goes on to detect turns', async () => {
    server.wordsPerTurn = 1;
    const engine = await recogniser();
    const texts = ['alpha bravo charlie', 'delta', 'echo foxtrot'];
    const recognitions = await heard(engine, utterances(texts));
    expect(finals(recognitions).map(({ text }) => text)).toEqual(texts);
    expect(server.requests).toHaveLength(1);
  });

  test('gives up at once when a transcription fails for want of credit', async () => {
    const type = 'conversation.item.input_audio_transcription.failed';
    server.sayAtCommit.push((item_id) => ({
      type,
      item_id,
      error: { code: 'insufficient_quota' },
    }));
    const engine = await recogniser();
    const listening = heard(engine, utterances(TEXTS));
    await expect(listening).rejects.toMatchObject({ code: 'recognition_failed' });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    { type: 'invalid_request_error', code: 'invalid_api_key', message: `no ${KEY}` },
    { type: 'invalid_request_error', code: null, message: 'no such model' },
    { type: 'insufficient_quota', code: 'insufficient_quota', message: 'pay' },
  ])('gives up at once when the session is refused: $code', async (error) => {
    server.sayAtBeginning.push({ type: 'error', error });
    const engine = await recogniser();
    const failure: unknown = await heard(engine, utterances(TEXTS)).catch((e: unknown) => e);
    expect(failure).toMatchObject({ code: 'recognition_failed' });
    expect(server.requests).toHaveLength(1);
    expect(disclosed(log, failure)).not.toContain(KEY);
  });

  test('gives up on a server that does not accept the model in its address', async () => {
    const engine = await recogniser({ url: `${server.apiUrl}?model=x` });
    const listening = heard(engine, utterances(TEXTS));
    await expect(listening).rejects.toMatchObject({ code: 'recognition_failed' });
  });

  test("returns nothing for an utterance below the servers' minimum length", async () => {
    const engine = await recogniser();
    async function* click() {
      yield { kind: 'samples', samples: new Uint8Array(64), startMs: 0 } as const;
      yield { kind: 'endpoint', atMs: 2 } as const;
      yield* utterances(['alpha']);
    }
    expect(transcript(await heard(engine, click()))).toBe('alpha');
    expect(log.lines).toEqual([]);
  });

  test('reports which setting is invalid', async () => {
    const reason = async (options: Partial<OpenAiRealtimeOptions>) => {
      const settings = { log, url: server.apiUrl, model: 'whisper-1' };
      const engine = await createOpenAiRealtime({ ...settings, ...options });
      return 'reason' in engine ? engine.reason : engine.languages;
    };
    expect(await reason({ url: 'ftp://x' })).toContain('OPENAI_REALTIME_URL');
    expect(await reason({ model: undefined })).toContain('OPENAI_REALTIME_MODEL');
    expect(await reason({ languages: [] })).toContain('OPENAI_REALTIME_LANGUAGES');
    expect(await reason({ languages: ['fr-CA'] })).toEqual(['fr']);
  });
});
