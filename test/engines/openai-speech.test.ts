import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SynthesisEngine } from '../../server/engines/engine.ts';
import {
  createOpenAiSpeech,
  type OpenAiSpeechOptions,
} from '../../server/engines/synthesis/openai-speech.ts';
import { recordLog } from '../support/product/log-record.ts';
import {
  startOpenAiSpeechServer,
  type OpenAiSpeechServer,
} from '../support/services/openai-speech-server.ts';
import {
  describeSynthesisEngine,
  english,
  isSame,
  loudness,
  say,
} from './synthesis-conformance.ts';

const KEY = 'sk-of-the-speech-server';
const SENTENCE = 'The meeting begins at three in the big room.';
const log = recordLog();
let server: OpenAiSpeechServer;

async function create(options: Partial<OpenAiSpeechOptions> = {}): Promise<SynthesisEngine> {
  const engine = await createOpenAiSpeech({
    log,
    url: server.apiUrl,
    model: 'tts-1',
    key: KEY,
    ...options,
  });
  if ('reason' in engine) throw new Error(engine.reason);
  return engine;
}

beforeAll(async () => {
  server = await startOpenAiSpeechServer({ key: KEY });
});
afterAll(() => server.close());
afterEach(() => {
  server.next.length = 0;
  server.questions.length = 0;
  server.sampleRateHz = 24_000;
  server.isBrief = server.hasTags = false;
});

describeSynthesisEngine('openai-speech', () => create({ languages: ['en'] }), english);

describe('openai-speech', () => {
  let engine: SynthesisEngine;
  beforeAll(async () => {
    engine = await create();
  });
  afterAll(() => engine.close());

  it('sends the documented request, with the voice for the gender', async () => {
    await say(engine, SENTENCE, { language: 'en' });
    await say(engine, SENTENCE, { language: 'en', gender: 'male' });
    const question = { model: 'tts-1', input: SENTENCE, response_format: 'pcm' };
    expect(server.questions).toEqual([
      { ...question, voice: 'nova' },
      { ...question, voice: 'onyx' },
    ]);
  });

  it('accepts WAV at any rate, whether requested or not', async () => {
    server.sampleRateHz = 22_050;
    const wav = await create({ format: 'wav' });
    const said = await say(wav, SENTENCE, { language: 'en' });
    expect(said.sampleRateHz).toBe(22_050);
    expect(loudness(said.samples)).toBeGreaterThan(100);
    const pcm = await say(engine, SENTENCE, { language: 'en' });
    expect(pcm.sampleRateHz).toBe(22_050);
    expect(isSame(pcm.samples, said.samples)).toBe(true);
    server.hasTags = true;
    const tagged = await say(wav, SENTENCE, { language: 'en' });
    expect(isSame(tagged.samples, said.samples)).toBe(true);
  });

  it('splits a text beyond the request limit between sentences, and speaks all of it', async () => {
    server.isBrief = true;
    const long = `${SENTENCE} `.repeat(120);
    const said = await say(engine, long, { language: 'en' });
    const inputs = server.questions.map(({ input }) => input);
    expect(inputs.length).toBe(2);
    expect(inputs.join(' ')).toBe(long.trim());
    const once = await say(engine, SENTENCE, { language: 'en' });
    expect(said.durationMs).toBeCloseTo(2 * once.durationMs, 0);
  });

  it('passes speech on before it is complete', async () => {
    server.next.push('stall');
    const { signal } = new AbortController();
    const speaking = engine.speak(SENTENCE, { language: 'en', gender: undefined, signal });
    for await (const { samples } of speaking) if (samples.length > 100) break;
    await expect.poll(() => server.openAnswers).toBe(0);
  });

  it.each([
    [{ status: 401 }, /check its address, model and key/],
    [{ status: 400 }, /refuses this text/],
    [{ status: 429 }, /overloaded/],
    [{ status: 500 }, /overloaded or out of order/],
    [{ contentType: 'audio/mpeg' }, /PCM or WAV/],
    [{ contentType: 'application/json' }, /PCM or WAV/],
    ['cut' as const, /cannot be reached/],
  ])('fails with a clear error at %o', async (mishap, problem) => {
    server.next.push(mishap);
    await expect(say(engine, SENTENCE, { language: 'en' })).rejects.toMatchObject({
      code: 'synthesis_failed',
      message: expect.stringMatching(problem) as string,
    });
    const said = await say(engine, SENTENCE, { language: 'en' });
    expect(said.durationMs).toBeGreaterThan(1000);
  });

  it('asks a busy server again when it wants to be asked', async () => {
    const askedMs = performance.now();
    server.next.push({ status: 429, retryAfter: '0.4' });
    const said = await say(engine, SENTENCE, { language: 'en' });
    expect(performance.now() - askedMs).toBeGreaterThanOrEqual(399);
    expect(loudness(said.samples)).toBeGreaterThan(100);
    for (const retryAfter of ['3600', 'soon']) {
      server.next.push({ status: 503, retryAfter });
      const speaking = say(engine, SENTENCE, { language: 'en' });
      await expect(speaking).rejects.toMatchObject({ code: 'synthesis_failed' });
    }
  });

  it.each(['hang', 'stall'] as const)('gives up after the time limit at %s', async (mishap) => {
    const hasty = await create({ timeoutMs: 700 });
    server.next.push(mishap);
    await expect(say(hasty, SENTENCE, { language: 'en' })).rejects.toMatchObject({
      code: 'synthesis_failed',
      message: expect.stringContaining('too long') as string,
    });
    await expect.poll(() => server.openAnswers).toBe(0);
  });

  it("does not count a slow consumer's time against the time limit", async () => {
    const hasty = await create({ timeoutMs: 3_000 });
    const { signal } = new AbortController();
    const said: number[] = [];
    const options = { language: 'en', gender: undefined, signal };
    for await (const { samples } of hasty.speak(SENTENCE, options)) {
      said.push(samples.length);
      if (said.length === 1) await new Promise((resolve) => setTimeout(resolve, 3_300));
    }
    expect(said.length).toBeGreaterThan(1);
  });

  it('stops endless speech', async () => {
    server.next.push('endless');
    await expect(say(engine, 'Yes.', { language: 'en' })).rejects.toMatchObject({
      code: 'synthesis_failed',
      message: expect.stringContaining('come to an end') as string,
    });
    await expect.poll(() => server.openAnswers).toBe(0);
  });

  it('aborts requests in progress on close', async () => {
    const closed = await create();
    server.next.push('hang');
    const speaking = say(closed, SENTENCE, { language: 'en' });
    await expect.poll(() => server.openAnswers).toBe(1);
    await closed.close();
    await expect(speaking).rejects.toMatchObject({ code: 'synthesis_failed' });
  });

  it('fails with synthesis_failed when its server is down', async () => {
    const alone = await create({ url: 'http://127.0.0.1:9/v1' });
    await expect(say(alone, SENTENCE, { language: 'en' })).rejects.toMatchObject({
      code: 'synthesis_failed',
    });
  });

  it('logs neither key nor text', async () => {
    server.next.push({ status: 401 }, { status: 400 }, 'cut');
    for (let tries = 0; tries < 3; tries += 1) {
      await say(engine, SENTENCE, { language: 'en' }).catch(() => undefined);
    }
    const logged = JSON.stringify(log.lines);
    expect(logged).toContain('speech engine');
    expect(logged).not.toContain(KEY);
    expect(logged).not.toContain(SENTENCE);
  });
});

describe('the settings of openai-speech', () => {
  it.each([
    [{ model: undefined }, 'SPEECH_MODEL'],
    [{ url: 'no address' }, 'SPEECH_URL'],
    [{ url: 'http://user:pass@127.0.0.1/v1' }, 'SPEECH_URL'],
    [{ languages: ['en', 'no-language'] }, 'no-language'],
    [{ voices: 'nova' }, 'SPEECH_VOICES'],
    [{ voices: 'de=nova', languages: ['fr'] }, 'SPEECH_VOICES'],
  ])('are reported when insufficient: %o', async (settings, reason) => {
    const made = await createOpenAiSpeech({ log, url: server.apiUrl, model: 'm', ...settings });
    expect('reason' in made && made.reason).toContain(reason);
  });

  it('map languages, variants and genders to voices', async () => {
    const own = await create({ voices: 'en=alloy/onyx, en-GB=nova, de=nova/onyx' });
    expect(own.languages).toEqual(['de', 'en']);
    const voiceOf = async (language: string, gender?: 'male' | 'female') => {
      await say(own, 'Yes.', { language, gender });
      return server.questions.at(-1)?.voice;
    };
    expect(await voiceOf('en')).toBe('alloy');
    expect(await voiceOf('en-US', 'male')).toBe('onyx');
    expect(await voiceOf('en-GB', 'male')).toBe('nova');
    expect(await voiceOf('de', 'male')).toBe('onyx');
  });
});
