import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createVosk, type VoskOptions } from '../../server/engines/recognition/vosk.ts';
import { recordLog } from '../support/product/log-record.ts';
import { toneSpeech } from '../support/audio/tone-speech.ts';
import { startVoskServer, type VoskServer } from '../support/services/vosk-server.ts';
import { asSpeech, finals, heard, transcript } from './recognition-support.ts';
import { hearing, QUICK, utterances } from './remote-recognition-support.ts';

let server: VoskServer;
const log = recordLog();
beforeAll(async () => {
  server = await startVoskServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.next.length = server.configurations.length = server.requests.length = 0;
});

const recogniser = async (options: Partial<VoskOptions> = {}) =>
  hearing(await createVosk({ ...QUICK, log, url: server.url, ...options }));

describe('a Vosk server', () => {
  test('receives the sample rate, a request for word times, and one connection for each utterance', async () => {
    const engine = await recogniser();
    const texts = ['alpha bravo', 'charlie', 'delta echo'];
    expect(transcript(await heard(engine, utterances(texts)))).toBe(texts.join(' '));
    const config = { sample_rate: 16_000, words: true, max_alternatives: 0 };
    expect(server.configurations).toEqual([config, config, config]);
    expect(server.requests).toHaveLength(3);
  });

  test('may end utterances anywhere without splitting or shifting ours', async () => {
    const pause = Buffer.alloc(32 * 900);
    const part = (text: string) => toneSpeech(text, { padStartMs: 0, padEndMs: 0 });
    const parts = [part('alpha bravo'), pause, part('charlie'), pause, part('delta'), pause];
    const audio = Buffer.concat([Buffer.alloc(32 * 200), ...parts]);
    const recognitions = await heard(await recogniser(), asSpeech(audio));
    expect(finals(recognitions)).toHaveLength(1);
    const [final] = finals(recognitions);
    expect(final).toMatchObject({ text: 'alpha bravo charlie delta', startMs: 200 });
    expect(final?.words.map(({ startMs }) => startMs)).toEqual([200, 450, 1_530, 2_610]);
    // Text that the server has concluded stays in the following partials.
    const texts = recognitions.map(({ text }) => text);
    expect(texts).toContain('alpha bravo');
    expect(texts).toContain('alpha bravo charlie');
    expect(texts.indexOf('alpha bravo charlie')).toBeGreaterThan(texts.indexOf('alpha bravo'));
  });

  test('may be one of several, each with a language', async () => {
    const german = await startVoskServer();
    try {
      const engine = await recogniser({ url: `en=${server.url}, de=${german.url}` });
      expect(engine.languages).toEqual(['en', 'de']);
      await heard(engine, utterances(['alpha']), { language: 'de' });
      await heard(engine, utterances(['alpha']), { language: 'en' });
      expect([server.requests.length, german.requests.length]).toEqual([1, 1]);
    } finally {
      await german.close();
    }
  });

  test('setup reports which setting is invalid', async () => {
    const reason = async (options: Partial<VoskOptions>) => {
      const engine = await createVosk({ log, url: server.url, ...options });
      return 'reason' in engine ? engine.reason : engine.languages;
    };
    expect(await reason({ url: 'localhost:2700' })).toContain('VOSK_URL');
    expect(await reason({ url: 'tlh=ws://localhost' })).toContain('VOSK_URL');
    for (const url of ['ws://a:2700,ws://b:2700', 'en=ws://a:2700 en-GB=ws://b:2700']) {
      expect(await reason({ url })).toContain('VOSK_URL names two servers for en');
    }
    expect(await reason({ languages: ['tlh'] })).toContain('VOSK_LANGUAGES');
    expect(await reason({})).toEqual(['en']);
    expect(await reason({ languages: ['de'] })).toEqual(['de']);
  });
});
