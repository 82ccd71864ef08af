import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createWhisperLive,
  type WhisperLiveOptions,
} from '../../server/engines/recognition/whisperlive.ts';
import { recordLog, type LogRecord } from '../support/product/log-record.ts';
import { MISHEARD_WORD, RARE_WORD } from '../support/audio/tone-speech.ts';
import {
  startWhisperLiveServer,
  type WhisperLiveServer,
} from '../support/services/whisperlive-server.ts';
import { finals, heard, transcript } from './recognition-support.ts';
import { hearing, hearRareWord, QUICK, utterances } from './remote-recognition-support.ts';

let server: WhisperLiveServer;
let log: LogRecord;
beforeAll(async () => {
  server = await startWhisperLiveServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.reset();
  log = recordLog();
});

const recogniser = async (options: Partial<WhisperLiveOptions> = {}) =>
  hearing(await createWhisperLive({ ...QUICK, log, url: server.url, ...options }));

describe('a WhisperLive server', () => {
  test('gets one connection for a session, with model, language and terms', async () => {
    const engine = await recogniser({ model: 'large-v3' });
    const texts = ['alpha bravo', 'charlie', 'delta echo'];
    const said = await heard(engine, utterances(texts), { language: 'nb', spokenTerms: ['Hora'] });
    expect(transcript(said)).toBe(texts.join(' '));
    expect(server.options).toHaveLength(1);
    expect(server.options[0]).toMatchObject({
      model: 'large-v3',
      language: 'no',
      task: 'transcribe',
      initial_prompt: 'Hora.',
    });
  });

  test('recognises a single short word, and a repeated sentence', async () => {
    const texts = ['alpha', 'bravo charlie', 'bravo charlie', 'alpha', 'alpha', 'alpha'];
    const said = finals(await heard(await recogniser(), utterances(texts)));
    expect(said.map(({ text }) => text)).toEqual(texts);
    let startMs = 200;
    for (const [index, final] of said.entries()) {
      expect(Math.abs(final.startMs - startMs), `utterance ${index}`).toBeLessThanOrEqual(60);
      const count = texts[index]!.split(' ').length;
      startMs += count * 250 - 70 + 500 + 2_000;
    }
  });

  test('causes no loss where it forgets earlier audio, or would exceed its buffer', async () => {
    const words = 'alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima';
    // Some 3, 6, 21, 9 and 36 seconds: the server keeps 45.
    const texts = [1, 2, 7, 3, 12, 1].map((times) => Array<string>(times).fill(words).join(' '));
    const recognitions = await heard(await recogniser(), utterances(texts, { pieceMs: 500 }));
    expect(finals(recognitions).map(({ text }) => text)).toEqual(texts);
    expect(server.forgottenS).toBe(0);
    expect(server.options.length).toBeGreaterThan(1);
    expect(log.lines).toEqual([]);
  });

  test('may be slow without losing the rest', async () => {
    server.roundMs = 400;
    const texts = ['alpha bravo charlie', 'delta'];
    const said = finals(await heard(await recogniser(), utterances(texts)));
    expect(said.map(({ text }) => text)).toEqual(texts);
  });

  test('reports the language when none is given', async () => {
    server.detected = 'de';
    const engine = await recogniser();
    const recognitions = await heard(engine, utterances(['alpha']), { language: undefined });
    expect(finals(recognitions)).toMatchObject([{ text: 'alpha', language: 'de' }]);
    expect(server.options[0]?.language).toBeNull();
  });

  test('recognises an invented name only as a spoken term', async () => {
    const engine = await recogniser();
    expect(await hearRareWord(engine, [])).toBe(`alpha ${MISHEARD_WORD}`);
    expect(await hearRareWord(engine, [RARE_WORD])).toBe(`alpha ${RARE_WORD}`);
  });

  test('that reaches its session limit gets a new connection', async () => {
    const texts = ['alpha bravo', 'charlie delta', 'echo'];
    const before = async (index: number) => {
      if (index > 0) server.disconnect();
    };
    const said = await heard(await recogniser(), utterances(texts, { before }));
    expect(transcript(said)).toBe(texts.join(' '));
    expect(server.options.length).toBeGreaterThan(1);
  });

  test('without a free slot is retried, then given up', async () => {
    server.maxClients = 0;
    const engine = await recogniser({ tries: 3 });
    await expect(heard(engine, utterances(['alpha']))).rejects.toMatchObject({
      code: 'recognition_failed',
      message: 'The recogniser whisperlive has no free place.',
    });
    expect(server.options).toHaveLength(3);
  });

  test('that cannot load its model is not retried', async () => {
    server.greetings.push({ status: 'ERROR', message: 'Failed to load model: large-v9' });
    await expect(heard(await recogniser(), utterances(['alpha']))).rejects.toMatchObject({
      code: 'recognition_failed',
    });
    expect(server.options).toHaveLength(1);
  });

  test('setup reports which setting is invalid', async () => {
    const reason = async (options: Partial<WhisperLiveOptions>) => {
      const engine = await createWhisperLive({ log, url: server.url, ...options });
      return 'reason' in engine ? engine.reason : engine.languages;
    };
    expect(await reason({ url: 'x' })).toContain('WHISPERLIVE_URL');
    expect(await reason({ languages: ['tlh'] })).toContain('WHISPERLIVE_LANGUAGES');
    expect(await reason({})).toHaveLength(35);
  });
});
