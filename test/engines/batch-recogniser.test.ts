import { describe, expect, test } from 'vitest';
import type { Recognition, RecognitionOptions, SpeechPiece } from '../../server/engines/engine.ts';
import {
  createBatchRecogniser,
  type BatchRecogniserOptions,
  type Transcript,
  type TranscriptionRequest,
} from '../../server/engines/recognition/batch-recogniser.ts';
import { wordsOfText } from '../../server/engines/recognition/utterance.ts';
import type { HeardText } from '../../server/voice/path/recognise.ts';
import { segment } from '../../server/voice/path/segment.ts';
import { GARBLED, hearTones, textOf } from '../support/audio/tone-speech.ts';
import { finals, heard, until } from './recognition-support.ts';
import { utterances } from './remote-recognition-support.ts';

interface Call extends TranscriptionRequest {
  lengthMs: number;
}

/** Transcribes tones. */
function hearRecording(samples: Int16Array): Transcript {
  const words = hearTones(Float32Array.from(samples, (sample) => sample / 32_768));
  return { text: textOf(words), words };
}

function recogniser(options: Partial<BatchRecogniserOptions> = {}) {
  const calls: Call[] = [];
  const { transcribe = async (samples: Int16Array) => hearRecording(samples) } = options;
  const engine = createBatchRecogniser({
    name: 'tones',
    languages: ['en', 'de'],
    detectsLanguage: false,
    usesSpokenTerms: true,
    punctuates: false,
    ...options,
    transcribe: (samples, request) => {
      calls.push({ ...request, lengthMs: samples.length / 16 });
      return transcribe(samples, request);
    },
  });
  return { engine, calls };
}

async function* labelled(recognitions: readonly Recognition[]): AsyncGenerator<HeardText> {
  for (const recognition of recognitions) {
    yield { ...recognition, language: 'en', punctuated: false };
  }
}

const SENTENCE = 'alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima';
/** Lets pending work proceed. */
const settle = () => new Promise((resolve) => setImmediate(resolve));
const never = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

/** Yields speech with time for work between its pieces, as live speech does. */
async function* unhurried(speech: AsyncIterable<SpeechPiece>): AsyncGenerator<SpeechPiece> {
  for await (const piece of speech) {
    yield piece;
    await settle();
    await settle();
  }
}

describe('a batch recogniser on a stream', () => {
  test('updates its partials about once a second while an utterance grows', async () => {
    const { engine, calls } = recogniser();
    const recognitions = await heard(engine, unhurried(utterances([SENTENCE, 'kilo lima'])));
    const texts = recognitions.map(({ kind, text }) => `${kind} ${text}`);
    expect(texts).toHaveLength(5);
    for (const [index, text] of texts.slice(0, 3).entries()) {
      // The last word of a partial may be cut in two.
      const sure = text.replace(` ${GARBLED}`, '');
      expect(`partial ${SENTENCE}`).toContain(sure);
      expect(sure.length).toBeGreaterThan(texts[index - 1]?.length ?? 0);
    }
    expect(texts.slice(3)).toEqual([`final ${SENTENCE}`, 'final kilo lima']);
    expect(calls.map(({ purpose, lengthMs }) => [purpose, lengthMs])).toEqual([
      ['partial', 1_000],
      ['partial', 2_000],
      ['partial', 3_000],
      ['final', 3_430],
      ['final', 930],
    ]);
  });

  test('repeats an unchanged partial, so that two hypotheses agree on it before the end', async () => {
    const { engine } = recogniser({ transcribe: async () => ({ text: 'good morning' }) });
    const recognitions = await heard(engine, unhurried(utterances([SENTENCE])));
    expect(recognitions.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      ...Array<string>(3).fill('partial good morning'),
      'final good morning',
    ]);
    const captions = segment(labelled(recognitions), { mode: 'balanced' });
    const shown: string[] = [];
    for await (const { concluded, tentative } of captions) {
      shown.push(concluded.length > 0 ? 'concluded' : tentative.map(({ text }) => text).join(''));
    }
    expect(shown).toEqual(['Good morning', 'concluded']);
  });

  test('has at most one partial in progress and covers all waiting audio with the next', async () => {
    let release = () => {};
    let running = 0;
    let most = 0;
    const { engine, calls } = recogniser({
      async transcribe(samples, { purpose }) {
        running += 1;
        most = Math.max(most, running);
        if (purpose === 'partial') await new Promise<void>((resolve) => (release = resolve));
        running -= 1;
        return hearRecording(samples);
      },
    });
    const pieces = unhurried(utterances([SENTENCE]));
    async function* slowPartials() {
      let sentMs = 0;
      for await (const piece of pieces) {
        yield piece;
        sentMs += 100;
        if (sentMs === 2_500) release();
      }
      release();
    }
    const recognitions = await heard(engine, slowPartials());
    expect(most).toBe(1);
    expect(calls.map(({ lengthMs }) => lengthMs)).toEqual([1_000, 2_500, 3_430]);
    expect(finals(recognitions).map(({ text }) => text)).toEqual([SENTENCE]);
  });

  test('aborts a partial for the final, and yields the same finals as an engine without partials', async () => {
    const texts = [SENTENCE, 'mike november oscar papa quebec', 'alpha bravo charlie delta echo'];
    const aborted: boolean[] = [];
    const partialsThat = {
      hang: (signal: AbortSignal) => never(signal).finally(() => aborted.push(signal.aborted)),
      fail: () => Promise.reject(new Error('no')),
      mislead: () => Promise.resolve({ text: 'something else', language: 'de' }),
    };
    const { engine } = recogniser({ partialEveryMs: 0 });
    const expected = finals(await heard(engine, utterances(texts)));
    expect(expected.map(({ text }) => text)).toEqual(texts);
    for (const partial of Object.values(partialsThat)) {
      const { engine: other } = recogniser({
        transcribe: async (samples, { purpose, signal }) =>
          purpose === 'final' ? hearRecording(samples) : partial(signal),
      });
      expect(finals(await heard(other, unhurried(utterances(texts))))).toEqual(expected);
    }
    expect(aborted).toEqual([true, true, true]);
  });

  test('accepts the next utterance, and no further one, while a final is pending', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { engine } = recogniser({
      partialEveryMs: 0,
      async transcribe(samples) {
        await held;
        return hearRecording(samples);
      },
    });
    const texts = ['alpha', 'bravo', 'charlie', 'delta', 'echo'];
    let begun = 0;
    const speech = utterances(texts, { before: async (index) => void (begun = index + 1) });
    const listening = heard(engine, speech);
    await until(() => begun === 2);
    for (let turn = 0; turn < 50; turn += 1) await settle();
    expect(begun).toBe(2);
    release();
    const said = finals(await listening);
    expect(said.map(({ text }) => text)).toEqual(texts);
    expect(said.map(({ startMs }) => startMs)).toEqual([200, 2_880, 5_560, 8_240, 10_920]);
  });

  test('transcribes an endless utterance completely, in parts', async () => {
    const { engine, calls } = recogniser({ partialEveryMs: 0, maxUtteranceMs: 1_000 });
    const said = finals(await heard(engine, utterances([SENTENCE], { pieceMs: 330 })));
    expect(calls.map(({ lengthMs }) => lengthMs)).toEqual([1_000, 1_000, 1_000, 430]);
    // Each part has whole words, except at a seam.
    const words = said.flatMap((final) => final.words);
    const whole = words.filter(({ text }) => text !== GARBLED);
    for (const { text, startMs } of whole) {
      expect(startMs).toBe(200 + SENTENCE.split(' ').indexOf(text) * 250);
    }
    expect(whole.length).toBeGreaterThanOrEqual(9);
  });

  test('lets the engine detect the language only where permitted and with enough speech', async () => {
    const long = SENTENCE;
    const languagesAsked = async (options: Partial<RecognitionOptions>, detectsLanguage = true) => {
      const { engine, calls } = recogniser({
        detectsLanguage,
        partialEveryMs: 0,
        transcribe: async (samples) => ({ ...hearRecording(samples), language: 'de' }),
      });
      const recognitions = await heard(engine, utterances(['alpha', long, 'bravo']), options);
      expect(recognitions.every(({ language }) => language === 'de')).toBe(true);
      return calls.map(({ language }) => language);
    };
    expect(await languagesAsked({ languageMode: 'fixed' })).toEqual(['en', 'en', 'en']);
    expect(await languagesAsked({ languageMode: 'hint' })).toEqual(['en', undefined, 'de']);
    expect(await languagesAsked({ language: undefined })).toEqual([undefined, undefined, 'de']);
    expect(await languagesAsked({ languageMode: 'hint' }, false)).toEqual(['en', 'en', 'en']);
  });

  test('passes on the failure of a final, and stops', async () => {
    const broken = new Error('out of order');
    const { engine, calls } = recogniser({
      partialEveryMs: 0,
      transcribe: () => Promise.reject(broken),
    });
    await expect(heard(engine, utterances(['alpha', 'bravo']))).rejects.toBe(broken);
    expect(calls).toHaveLength(1);
  });

  test('ends its streams on close', async () => {
    const { engine } = recogniser({ transcribe: (_samples, { signal }) => never(signal) });
    const listening = heard(engine, utterances(['alpha']));
    const failure = expect(listening).rejects.toMatchObject({ code: 'recognition_failed' });
    await settle();
    await engine.close();
    await failure;
  });
});

describe('word times of a text', () => {
  const at = (text: string, startMs: number) => ({ text, startMs, endMs: startMs + 100 });

  test('come from an engine whose words differ in capitals, punctuation and seams', () => {
    const timed = [at(' He', 0), at('llo', 100), at('wor', 300), at('ld', 400), at(" it's", 500)];
    expect(wordsOfText('Hello, world! – It’s', timed)).toEqual([
      { text: 'Hello,', startMs: 0, endMs: 200 },
      { text: 'world!', startMs: 300, endMs: 500 },
      { text: '–', startMs: 500, endMs: 500 },
      { text: 'It’s', startMs: 500, endMs: 600 },
    ]);
  });

  test('are missing when the engine returns different words', () => {
    expect(wordsOfText('one two', [at('one', 0), at('three', 100)])).toEqual([]);
    expect(wordsOfText('one two', [])).toEqual([]);
  });

  test('cover a single word in a script without blanks', () => {
    expect(wordsOfText('你好。', [at('你', 0), at('好', 100)])).toEqual([
      { text: '你好。', startMs: 0, endMs: 200 },
    ]);
  });
});
