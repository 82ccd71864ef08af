import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../shared/errors.ts';
import type { Recognition } from '../../server/engines/engine.ts';
import { conflateUpdates, type CaptionUpdate } from '../../server/voice/captions.ts';
import { createRealTimeMeter } from '../../server/voice/real-time-meter.ts';
import { segment } from '../../server/voice/segment.ts';
import { createSteady } from '../../server/voice/steady.ts';
import { createChannel } from '../../server/voice/streams.ts';
import { translate } from '../../server/voice/translate.ts';

async function* of<T>(...items: T[]): AsyncGenerator<T> {
  yield* items;
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

const partial = (text: string): Recognition => ({ kind: 'partial', text, startMs: 0, endMs: 900 });
const final = (text: string): Recognition => ({
  ...{ kind: 'final', text, startMs: 0, endMs: 1000, words: [] },
});
const update = (concluded: string[], tentative: string[] = []): CaptionUpdate => {
  const toSegment = (text: string) => ({ text, startMs: 0, endMs: 1, language: 'en' });
  return { concluded: concluded.map(toSegment), tentative: tentative.map(toSegment) };
};
const texts = (updates: CaptionUpdate[]) =>
  updates.map(({ concluded, tentative }) => [
    concluded.map(({ text }) => text).join('|'),
    tentative.map(({ text }) => text).join('|'),
  ]);

describe('steadied text', () => {
  const run = (...hypotheses: string[]) => {
    const steady = createSteady();
    return hypotheses.map((words) => steady.next(words.split(' ')).join(' '));
  };

  it('shows words once two successive hypotheses agree on them', () => {
    expect(run('and', 'and so', 'and so my', 'and so my')).toEqual([
      '',
      'and',
      'and so',
      'and so my',
    ]);
  });

  it('keeps what is shown when one hypothesis strays', () => {
    expect(run('ask not what', 'ask not what', 'asking', 'ask not what your')).toEqual([
      ...['', 'ask not what', 'ask not what', 'ask not what'],
    ]);
  });

  it('gives way when two hypotheses agree on something else', () => {
    expect(run('a tent', 'a tent', 'attend to', 'attend to')).toEqual([
      ...['', 'a tent', 'a tent', 'attend to'],
    ]);
  });
});

describe('segmenting', () => {
  const plain = { language: 'en', punctuates: false };

  it('turns growing words into tentative text and an utterance into a concluded sentence', async () => {
    const updates = await collect(
      segment(of(partial('good'), partial('good morning'), final('good morning')), plain),
    );
    expect(texts(updates)).toEqual([
      ['', 'Good'],
      ['Good morning.', ''],
    ]);
  });

  it('gives every segment but the first its leading blank, so that concatenation reads right', async () => {
    const updates = await collect(segment(of(final('good morning'), final('how are you')), plain));
    expect(updates.flatMap(({ concluded }) => concluded.map(({ text }) => text)).join('')).toBe(
      'Good morning. How are you?',
    );
  });

  it('takes back tentative text of an utterance that came to nothing', async () => {
    const updates = await collect(segment(of(partial('uh'), partial('uh'), final('')), plain));
    expect(texts(updates)).toEqual([
      ['', 'Uh'],
      ['', ''],
    ]);
  });

  it('takes back tentative text that the recogniser takes back', async () => {
    const updates = await collect(
      segment(of(partial('uh'), partial('uh'), partial(''), partial('we')), plain),
    );
    expect(texts(updates)).toEqual([
      ['', 'Uh'],
      ['', ''],
    ]);
  });

  it('leaves the text of a recogniser that punctuates as it is', async () => {
    const updates = await collect(
      segment(of(final('iPhone sales rose, he said')), { language: 'en', punctuates: true }),
    );
    expect(texts(updates)).toEqual([['iPhone sales rose, he said', '']]);
  });
});

describe('translating captions', () => {
  const signal = new AbortController().signal;
  const upper = async (text: string) => text.toUpperCase();

  it('translates each concluded segment once and in order', async () => {
    const source = of(update(['Good morning.', ' How are you?']), update([' Fine.']));
    const updates = await collect(
      translate(source, { target: 'es', translateText: upper, signal }),
    );
    expect(texts(updates)).toEqual([
      ['GOOD MORNING.', ''],
      [' HOW ARE YOU?', ''],
      [' FINE.', ''],
    ]);
  });

  it('goes on when tentative text cannot be translated, and fails when a concluded one cannot', async () => {
    const failing = async (text: string) => {
      if (text.includes('bad')) throw new ServiceError('translation_failed', 'no');
      return text;
    };
    const options = { target: 'es', translateText: failing, signal };
    expect(
      texts(await collect(translate(of(update([], ['bad']), update(['ok'])), options))),
    ).toEqual([['ok', '']]);
    await expect(collect(translate(of(update(['bad'])), options))).rejects.toThrow(ServiceError);
  });

  it('joins updates without losing concluded text', () => {
    const joined = conflateUpdates(
      update(['a'], ['x']),
      conflateUpdates(update(['b']), update([], ['y'])),
    );
    expect(texts([joined])).toEqual([['a|b', 'y']]);
    expect(texts([conflateUpdates(update([], ['x']), update([], ['y']))])).toEqual([['', 'y']]);
  });

  it('stops asking the engine when the session is aborted', async () => {
    const controller = new AbortController();
    const source = createChannel<CaptionUpdate>();
    const waiting = collect(
      translate(source, {
        target: 'es',
        signal: controller.signal,
        translateText: async () => {
          controller.abort(new Error('gone'));
          throw new Error('aborted');
        },
      }),
    );
    source.push(update([], ['hello']));
    await expect(waiting).rejects.toThrow('gone');
  });
});

describe('the real-time meter', () => {
  it('lets twice real time pass for ever and refuses more', () => {
    let nowMs = 0;
    const meter = createRealTimeMeter('too fast', () => nowMs);
    for (; nowMs < 600_000; nowMs += 100) meter(200);
    expect(() => {
      for (let chunk = 0; chunk < 100; chunk += 1) meter(200);
    }).toThrow(expect.objectContaining({ code: 'audio_too_fast' }) as Error);
  });

  it('lets audio through at once that a stalled network held back', () => {
    let nowMs = 0;
    const meter = createRealTimeMeter('too fast', () => nowMs);
    nowMs = 15_000;
    expect(() => {
      for (let chunk = 0; chunk < 150; chunk += 1) meter(100);
    }).not.toThrow();
  });

  it('notices ten times real time within half a second', () => {
    let nowMs = 0;
    const meter = createRealTimeMeter('too fast', () => nowMs);
    expect(() => {
      for (; nowMs < 500; nowMs += 10) meter(100);
    }).toThrow(expect.objectContaining({ code: 'audio_too_fast' }) as Error);
  });
});
