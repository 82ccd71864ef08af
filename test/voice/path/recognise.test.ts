import { expect, describe, it } from 'vitest';
import type {
  Detection,
  Recognition,
  RecognitionEngine,
  RecognitionOptions,
  SpeechPiece,
} from '../../../server/engines/engine.ts';
import type { HeardPiece } from '../../../server/voice/audio/endpointing.ts';
import {
  createSpokenTerms,
  recognise,
  type HeardText,
  type Pause,
  type RequestedSource,
} from '../../../server/voice/path/recognise.ts';
import { collect, of, unaborted } from './captions-support.ts';

const UTTERANCE_MS = 1_000;
const GAP_MS = 2_000;
const BYTES_PER_MS = 32;

/** Utterances of one second, two seconds apart. The value of their samples is their number. */
function utterances(count: number): SpeechPiece[] {
  return Array.from({ length: count }, (_, number) => {
    const startMs = number * (UTTERANCE_MS + GAP_MS);
    const piece = (offsetMs: number): SpeechPiece => ({
      kind: 'samples',
      samples: new Uint8Array((UTTERANCE_MS / 2) * BYTES_PER_MS).fill(number),
      startMs: startMs + offsetMs,
    });
    const endpoint: SpeechPiece = { kind: 'endpoint', atMs: startMs + UTTERANCE_MS };
    return [piece(0), piece(UTTERANCE_MS / 2), endpoint];
  }).flat();
}

interface Scripted extends RecognitionEngine {
  /** The options of each stream the engine heard, and the numbers of its utterances. */
  streams: { options: RecognitionOptions; utterances: number[] }[];
}

interface Script {
  name: string;
  languages: string[];
  detectsLanguage?: boolean;
  usesSpokenTerms?: boolean;
  punctuates?: boolean;
  /** What the engine recognises in an utterance, by its number. */
  hears: (utterance: number) => { text: string; language?: string };
  /** Number of utterances by which its finals are late. */
  behind?: number;
}

/** An engine that recognises what its script says, in time or some utterances late. */
function scripted({ hears, behind = 0, ...engine }: Script): Scripted {
  const streams: Scripted['streams'] = [];
  return {
    ...{ detectsLanguage: false, usesSpokenTerms: false, punctuates: true, ...engine, streams },
    async *recognise(speech, options) {
      const stream = { options, utterances: [] as number[] };
      streams.push(stream);
      const waiting: Recognition[] = [];
      let startMs: number | undefined;
      let number = 0;
      for await (const piece of speech) {
        options.signal.throwIfAborted();
        if (piece.kind === 'samples') {
          startMs ??= piece.startMs;
          number = piece.samples[0] ?? 0;
          continue;
        }
        stream.utterances.push(number);
        const endMs = piece.atMs;
        waiting.push({ kind: 'final', ...hears(number), startMs: startMs ?? 0, endMs, words: [] });
        startMs = undefined;
        if (waiting.length > behind) yield waiting.shift() as Recognition;
      }
      yield* waiting;
    },
    close: async () => undefined,
  };
}

const english = 'we would like to hear what you think about it';
const spanish = 'nos gustaría saber lo que usted piensa sobre esto';
/** Distinguishes the two languages with full confidence. */
function detectLanguage(text: string): Detection {
  if (text.startsWith('nos')) return { status: 'success', language: 'es' };
  if (text.startsWith('we')) return { status: 'success', language: 'en' };
  return { status: 'insufficient_confidence', candidates: [], language: 'es' };
}

async function heard(
  pieces: readonly HeardPiece[],
  recognisers: readonly RecognitionEngine[],
  source: Partial<RequestedSource> = {},
  spokenTerms: string[] = [],
): Promise<(HeardText | Pause)[]> {
  const recognised = recognise(of(...pieces), {
    ...{ recognisers, detectLanguage, signal: unaborted },
    source: { requested: source.tag, tag: undefined, mode: 'hint', ...source },
    spokenTerms: createSpokenTerms(spokenTerms),
  });
  return (await collect(recognised)).filter((event) => event.kind !== 'rest');
}

it('begins no utterance with a mark that stands alone, and keeps those of words', async () => {
  const said = [', and knock!', '... .5 percent', '¿Qué?', '...and then'];
  const engine = scripted({
    ...{ name: 'loose', languages: ['en'] },
    hears: (number) => ({ text: said[number] ?? '' }),
  });
  const events = await heard(utterances(said.length), [engine], { tag: 'en' });
  const texts = events.flatMap((event) => (event.kind === 'final' ? [event.text.trim()] : []));
  expect(texts).toEqual(['and knock!', '.5 percent', '¿Qué?', '...and then']);
});

const labels = (events: readonly (HeardText | Pause)[]) =>
  events.map((event) => (event.kind === 'pause' ? 'pause' : event.language));

const both = { languages: ['en', 'es'] };

describe('the chosen recogniser', () => {
  it('is the first that supports the requested language or a variant of it', async () => {
    const [en, zh] = [
      scripted({ name: 'a', languages: ['en'], hears: () => ({ text: 'hello' }) }),
      scripted({ name: 'b', languages: ['zh', 'en'], hears: () => ({ text: '你好' }) }),
    ];
    expect(labels(await heard(utterances(1), [en, zh], { tag: 'zh-Hans' }))).toEqual(['zh-Hans']);
    expect(zh.streams[0]?.options).toMatchObject({ language: 'zh', languageMode: 'hint' });
    expect(en.streams).toEqual([]);
    await heard(utterances(1), [en, zh], { tag: 'en-US', mode: 'fixed' });
    expect(en.streams[0]?.options).toMatchObject({ language: 'en', languageMode: 'fixed' });
  });

  it('is one that detects the language when none is requested', async () => {
    const en = scripted({ name: 'a', languages: ['en'], hears: () => ({ text: 'hello' }) });
    const detecting = scripted({
      ...{ name: 'b', languages: ['en', 'es', 'pt'], detectsLanguage: true },
      hears: (number) => (number === 0 ? { text: 'hola', language: 'es' } : { text: 'sim' }),
    });
    expect(labels(await heard(utterances(2), [en, detecting]))).toEqual(['es', 'es']);
    expect(detecting.streams[0]?.options.language).toBeUndefined();
  });

  it('is otherwise the first one, with its first language', async () => {
    const en = scripted({ name: 'a', languages: ['en'], hears: () => ({ text: 'hello' }) });
    expect(labels(await heard(utterances(1), [en]))).toEqual(['en']);
    expect(en.streams[0]?.options.language).toBe('en');
  });

  it('gets spoken terms only if it supports them', async () => {
    const hears = () => ({ text: 'hello' });
    const [without, using] = [
      scripted({ name: 'a', languages: ['en'], hears }),
      scripted({ name: 'b', languages: ['es'], hears, usesSpokenTerms: true }),
    ];
    await heard(utterances(1), [without, using], { tag: 'en' }, ['Dragoman']);
    await heard(utterances(1), [without, using], { tag: 'es' }, ['Dragoman']);
    expect(without.streams[0]?.options.spokenTerms).toEqual([]);
    expect(using.streams[0]?.options.spokenTerms).toEqual(['Dragoman']);
  });

  it.each([
    ['that knows its language', 'en', 'fixed' as const],
    ['beside others, for it may be another language', 'en', 'hint' as const],
    ['that finds it out', undefined, 'hint' as const],
  ])('hears the next utterance with changed terms: one %s', async (_, tag, mode) => {
    const traits = { detectsLanguage: tag === undefined };
    const engine = scripted({
      ...{ name: 'a', languages: ['en'], usesSpokenTerms: true, ...traits },
      hears: (number) => ({ text: `we ${number}` }),
    });
    const other = scripted({ name: 'b', languages: ['es'], hears: () => ({ text: 'nos' }) });
    const terms = createSpokenTerms(['one']);
    const pieces = utterances(5);
    async function* changing() {
      for (const [index, piece] of pieces.entries()) {
        // In the middle of the second utterance, in the pause after the third, and at once again.
        if (index === 4) terms.change(['two']);
        if (index === 9) for (const term of ['three', 'four']) terms.change([term]);
        yield piece;
      }
    }
    const source = { requested: tag, tag, mode };
    const options = { detectLanguage, signal: unaborted, spokenTerms: terms, source };
    const heard = recognise(changing(), { ...options, recognisers: [engine, other] });
    const events = await collect(heard);
    expect(events.map((event) => 'text' in event && event.text)).toEqual(
      pieces.flatMap((piece, index) => (piece.kind === 'endpoint' ? `we ${(index - 2) / 3}` : [])),
    );
    const times = engine.streams.map((stream) => [
      stream.options.spokenTerms[0],
      stream.utterances,
    ]);
    expect(Object.fromEntries(times)).toEqual({ one: [0, 1], two: [2], four: [3, 4] });
    expect(other.streams).toEqual([]);
  });

  it('is missing when no engine supports the language, which is an error', async () => {
    const en = scripted({ name: 'a', languages: ['en'], hears: () => ({ text: 'hello' }) });
    await expect(heard(utterances(1), [en], { tag: 'ja' })).rejects.toMatchObject({
      code: 'engine_unavailable',
    });
  });
});

describe('the language of a recognition', () => {
  const speaksSpanish = { hears: () => ({ text: spanish }) };

  it('is the fixed one, whatever is heard or detected', async () => {
    const detecting = scripted({
      ...{ name: 'a', ...both, detectsLanguage: true },
      hears: () => ({ text: spanish, language: 'es' }),
    });
    const plain = scripted({ name: 'b', ...both, ...speaksSpanish });
    for (const engine of [detecting, plain]) {
      const events = await heard(utterances(4), [engine], { tag: 'en', mode: 'fixed' });
      expect(labels(events)).toEqual(['en', 'en', 'en', 'en']);
      expect(engine.streams).toHaveLength(1);
    }
  });

  it('is the one a detecting engine reports when the request is a hint', async () => {
    const detecting = scripted({
      ...{ name: 'a', ...both, detectsLanguage: true },
      hears: (number) => ({ text: 'x', language: number === 1 ? 'es' : 'en' }),
    });
    const events = await heard(utterances(3), [detecting], { tag: 'en-GB' });
    expect(labels(events)).toEqual(['en-GB', 'es', 'en-GB']);
  });

  it('is detected from the text when no engine detects it, at once if the engine supports it', async () => {
    const engine = scripted({
      ...{ name: 'a', ...both },
      hears: (number) => ({ text: number === 1 ? spanish : english }),
    });
    expect(labels(await heard(utterances(3), [engine]))).toEqual(['en', 'es', 'en']);
    expect(engine.streams).toHaveLength(1);
  });

  it('deviates from a hint only when two successive finals agree', async () => {
    const engine = scripted({
      ...{ name: 'a', ...both },
      hears: (number) => ({ text: number === 0 || number > 1 ? spanish : english }),
    });
    const events = await heard(utterances(5), [engine], { tag: 'en' });
    expect(labels(events)).toEqual(['en', 'en', 'en', 'es', 'es']);
  });

  it('does not follow short or doubtful texts, or languages without a recogniser', async () => {
    const heardTexts = ['nos vemos', 'quizá algo así se dice en otro lugar', 'nos vemos luego'];
    const engine = scripted({
      ...{ name: 'a', ...both },
      hears: (number) => ({ text: heardTexts[number] ?? '' }),
    });
    expect(labels(await heard(utterances(3), [engine]))).toEqual(['en', 'en', 'en']);
    const germanEnglish = scripted({
      ...{ name: 'b', languages: ['en', 'de'] },
      ...speaksSpanish,
    });
    expect(labels(await heard(utterances(3), [germanEnglish]))).toEqual(['en', 'en', 'en']);
  });
});

describe('the words of a recognition without punctuation', () => {
  it.each([
    ['zh', '今天 天气 很 好 我 用 iPhone 13', '今天天气很好我用 iPhone 13'],
    ['ja', 'コーヒー を 飲み ます', 'コーヒーを飲みます'],
    ['ko', '오늘 날씨가 좋다', '오늘 날씨가 좋다'],
  ])('are written together where %s has no blanks', async (language, text, written) => {
    const words = { languages: [language], hears: () => ({ text }) };
    const texts = async (punctuates: boolean) => {
      const engine = scripted({ name: 'a', ...words, punctuates });
      const events = await heard(utterances(1), [engine], { tag: language, mode: 'fixed' });
      return events.map((event) => 'text' in event && event.text);
    };
    expect(await texts(false)).toEqual([written]);
    // There, a blank separates clauses.
    expect(await texts(true)).toEqual([text]);
  });
});

describe('a recogniser switch', () => {
  const confusedBy = (from: number, behind = 0) =>
    scripted({
      ...{ name: 'english', languages: ['en'], behind },
      hears: (number) => ({ text: number >= from ? `${spanish} ${number}` : english }),
    });
  const hearsSpanish = (behind = 0) =>
    scripted({
      ...{ name: 'spanish', languages: ['es'], behind },
      hears: (number) => ({ text: `${spanish}, ${number}` }),
    });

  it('continues with the recogniser of the new language from the next utterance on', async () => {
    const [first, second] = [confusedBy(1), hearsSpanish()];
    const events = await heard(utterances(6), [first, second]);
    expect(labels(events)).toEqual(['en', 'en', 'es', 'es', 'es', 'es']);
    expect(second.streams).toMatchObject([{ options: { language: 'es' }, utterances: [3, 4, 5] }]);
  });

  it('neither loses nor repeats an utterance when finals come late', async () => {
    for (const behind of [1, 2, 3]) {
      const [first, second] = [confusedBy(1, behind), hearsSpanish(behind)];
      const events = await heard(utterances(8), [first, second]);
      expect(events.map((event) => (event.kind === 'final' ? event.startMs : -1))).toEqual(
        Array.from({ length: 8 }, (_, number) => number * (UTTERANCE_MS + GAP_MS)),
      );
      expect(second.streams[0]?.utterances).toEqual([3, 4, 5, 6, 7]);
    }
  });

  it('restarts the same engine for the new language when it supports both', async () => {
    const engine = scripted({
      ...{ name: 'a', ...both },
      hears: () => ({ text: spanish }),
    });
    const events = await heard(utterances(4), [engine, hearsSpanish()]);
    expect(labels(events)).toEqual(['es', 'es', 'es', 'es']);
    expect(engine.streams.map(({ options, utterances }) => [options.language, utterances])).toEqual(
      [
        ['en', [0, 1]],
        ['es', [2, 3]],
      ],
    );
  });

  it('switches back when the language changes back', async () => {
    const en = scripted({
      ...{ name: 'english', languages: ['en'] },
      hears: (number) => ({ text: number < 2 ? spanish : english }),
    });
    const es = scripted({
      ...{ name: 'spanish', languages: ['es'] },
      hears: (number) => ({ text: number < 4 ? spanish : english }),
    });
    const events = await heard(utterances(8), [en, es]);
    expect(events).toHaveLength(8);
    expect(labels(events).slice(-2)).toEqual(['en', 'en']);
    expect(en.streams.map((stream) => stream.utterances)).toEqual([
      [0, 1],
      [6, 7],
    ]);
  });

  it('loses nothing when finals are later than the half minute of speech that is kept', async () => {
    const [first, second] = [confusedBy(0, 50), hearsSpanish()];
    const events = await heard(utterances(60), [first, second]);
    expect(events.map((event) => (event.kind === 'final' ? event.startMs : -1))).toEqual(
      Array.from({ length: 60 }, (_, number) => number * (UTTERANCE_MS + GAP_MS)),
    );
    const kept = 51 - (second.streams[0]?.utterances[0] ?? 0);
    expect(kept).toBeGreaterThan(20);
    expect(kept).toBeLessThanOrEqual(30);
    expect(second.streams[0]?.utterances.at(-1)).toBe(59);
  });
});

describe('pauses', () => {
  const marked: HeardPiece[] = utterances(2).flatMap<HeardPiece>((piece) =>
    piece.kind === 'endpoint'
      ? [piece, { kind: 'silence' as const, atMs: piece.atMs + 1500 }]
      : [piece],
  );

  it('follow the final of their utterance, and never reach a recogniser', async () => {
    const engine = scripted({
      ...{ name: 'a', languages: ['en'] },
      hears: () => ({ text: english }),
    });
    const events = await heard(marked, [engine], { tag: 'en' });
    expect(events.map(({ kind }) => kind)).toEqual(['final', 'pause', 'final', 'pause']);
    expect(events[1]).toEqual({
      ...{ kind: 'pause', utteranceStartMs: 0, endpointMs: 1000, atMs: 2500 },
    });
  });

  it('precede the next utterance even if the recogniser is late', async () => {
    const engine = scripted({
      ...{ name: 'a', languages: ['en'], behind: 1 },
      hears: () => ({ text: english }),
    });
    const events = await heard(marked, [engine], { tag: 'en' });
    expect(events.map(({ kind }) => kind)).toEqual(['pause', 'final', 'pause', 'final']);
  });
});

describe('the end of recognition', () => {
  it('is an error when the recogniser or its source fails', async () => {
    const failing = scripted({ name: 'a', ...both, hears: () => ({ text: english }) });
    failing.recognise = async function* () {
      yield* [];
      throw new Error('deaf');
    };
    await expect(heard(utterances(1), [failing])).rejects.toThrow('deaf');
    const fine = scripted({ name: 'b', ...both, hears: () => ({ text: english }) });
    async function* broken(): AsyncGenerator<HeardPiece> {
      yield* utterances(1);
      throw new Error('no more audio');
    }
    for (const tag of ['en', undefined]) {
      const source = { requested: tag, tag, mode: 'hint' as const };
      const options = {
        recognisers: [fine],
        source,
        spokenTerms: createSpokenTerms([]),
        detectLanguage,
      };
      await expect(collect(recognise(broken(), { ...options, signal: unaborted }))).rejects.toThrow(
        'no more audio',
      );
    }
  });

  it('aborts the recogniser when its reader leaves', async () => {
    let aborted: Promise<void> | undefined;
    const engine = scripted({ name: 'a', languages: ['en'], hears: () => ({ text: english }) });
    const hearsOn = engine.recognise.bind(engine);
    engine.recognise = (speech, options) => {
      aborted = new Promise((resolve) => options.signal.addEventListener('abort', () => resolve()));
      return hearsOn(speech, options);
    };
    async function* endless(): AsyncGenerator<HeardPiece> {
      yield* utterances(1);
      await new Promise(() => undefined);
    }
    const source = { requested: 'en', tag: 'en', mode: 'hint' as const };
    const options = {
      recognisers: [engine],
      source,
      spokenTerms: createSpokenTerms([]),
      detectLanguage,
    };
    for await (const event of recognise(endless(), { ...options, signal: unaborted })) {
      expect(event.kind).toBe('final');
      break;
    }
    await aborted;
  });
});
