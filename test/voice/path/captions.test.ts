import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../shared/errors.ts';
import {
  captionUnits,
  type CaptionUpdate,
  conflateUpdates,
} from '../../../server/voice/path/captions.ts';
import { createRevisionMeter, createSteady } from '../../../server/voice/path/steady.ts';
import { createChannel } from '../../../server/voice/path/streams.ts';
import {
  createTargetDisplay,
  translate,
  type TranslateText,
} from '../../../server/voice/path/translate.ts';
import {
  collect,
  concludedTexts,
  final,
  of,
  partial,
  said,
  segmented,
  texts,
  translatedCalmly,
  unaborted as signal,
  type Heard,
} from './captions-support.ts';

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

  it('keeps the shown text when one hypothesis strays', () => {
    expect(run('ask not what', 'ask not what', 'asking', 'ask not what your')).toEqual([
      ...['', 'ask not what', 'ask not what', 'ask not what'],
    ]);
  });

  it('replaces the shown text when two hypotheses agree on something else', () => {
    expect(run('a tent', 'a tent', 'attend to', 'attend to')).toEqual([
      ...['', 'a tent', 'a tent', 'attend to'],
    ]);
  });

  it('waits for three agreeing hypotheses on request, to show text and to take it back', () => {
    const steady = createSteady();
    const shown = ['a', 'a tent', 'a tent to', 'a tent to', 'attend', 'attend', 'attend'].map(
      (words) => steady.next(words.split(' '), 3).join(' '),
    );
    expect(shown).toEqual(['', '', 'a', 'a tent', 'a tent', 'a tent', 'attend']);
  });

  it('grows by words, and by characters in scripts without blanks', () => {
    expect(captionUnits('we said: no', 'en')).toEqual(['we', ' said:', ' no']);
    expect(captionUnits('今日はiPhone 15を', 'ja')).toEqual([
      ...['今', '日', 'は', 'iPhone', ' 15', 'を'],
    ]);
    expect(captionUnits('ที่นี่', 'th').join('')).toBe('ที่นี่');
  });
});

describe('the revision meter', () => {
  const meterAfter = (...utterances: string[][]) => {
    const meter = createRevisionMeter();
    for (const hypotheses of utterances) {
      for (const text of hypotheses) meter.grow(text, 'en');
      meter.conclude(hypotheses.at(-1) ?? '', 'en');
    }
    return meter;
  };
  const sure = ['we', 'we are', 'we are going', 'we are going home now', 'We are going home now.'];
  const unsure = ['where', 'where are', 'where are', 'we are', 'we are', 'weird going home'];

  it('reports few revisions at first, when only the newest word changes, and when punctuation comes late', () => {
    expect(meterAfter().areFrequent).toBe(false);
    expect(meterAfter(sure, ['a', 'a tent', 'attend', 'attend a meeting']).areFrequent).toBe(false);
  });

  it('reports frequent revisions once agreed words are taken back, until the recogniser is steady again', () => {
    expect(meterAfter(unsure).areFrequent).toBe(true);
    expect(meterAfter(sure, sure, unsure).areFrequent).toBe(true);
    const calm = Array.from({ length: 6 }, () => sure);
    expect(meterAfter(unsure, ...calm).areFrequent).toBe(false);
  });
});

describe('source captions', () => {
  const growing = [partial('good'), partial('good mourning'), partial('good morning')];

  it('show every word at once in instant mode', async () => {
    expect(texts(await segmented('instant', ...growing, final('good morning')))).toEqual([
      ['', 'Good'],
      ['', 'Good mourning'],
      ['', 'Good morning'],
      ['Good morning.', ''],
    ]);
  });

  it('show what two successive hypotheses agree on in balanced mode', async () => {
    expect(texts(await segmented('balanced', ...growing, final('good morning')))).toEqual([
      ['', 'Good'],
      ['Good morning.', ''],
    ]);
  });

  it('show what three hypotheses agree on in balanced mode while revisions are frequent', async () => {
    const astray = ['why yong', 'why yong', 'why your', 'why your', 'while you', 'while you'];
    const hypotheses = [...astray.map((text) => partial(text)), final('when you can')];
    const next = [partial('now'), partial('now we'), partial('now we go')];
    const shownOf = async (...heard: Heard[]) => texts(await segmented('balanced', ...heard));
    expect(await shownOf(...hypotheses, ...next.slice(0, 2))).not.toContainEqual(['', ' Now']);
    expect(await shownOf(...hypotheses, ...next)).toContainEqual(['', ' Now']);
    const [{ sentences } = {}] = (await segmented('balanced', ...hypotheses)).slice(-1);
    expect(sentences?.isUnsure).toBe(true);
  });

  it('show nothing that can change in settled mode', async () => {
    expect(texts(await segmented('settled', ...growing, final('good morning')))).toEqual([
      ['Good morning.', ''],
    ]);
  });

  it('carry their leading blank, so that they can be concatenated', async () => {
    const updates = await segmented('balanced', final('good morning'), final('how are you'));
    expect(concludedTexts(updates).join('')).toBe('Good morning. How are you?');
    const chinese = { language: 'zh', punctuated: true };
    const joined = await segmented(
      'balanced',
      final('你好。再见。', chinese),
      final('好。', chinese),
    );
    expect(concludedTexts(joined)).toEqual(['你好。', '再见。', '好。']);
  });

  it('remove tentative text when its utterance turns out empty', async () => {
    const updates = await segmented('balanced', partial('uh'), partial('uh'), final(''));
    expect(texts(updates)).toEqual([
      ['', 'Uh'],
      ['', ''],
    ]);
  });

  it('remove tentative text that the recogniser takes back', async () => {
    const noise = [partial('uh'), partial('uh'), partial('')];
    for (const mode of ['instant', 'balanced'] as const) {
      expect(texts(await segmented(mode, ...noise, partial('we')))[1]).toEqual(['', '']);
    }
  });

  it('keep the text of a recogniser that punctuates unchanged', async () => {
    const updates = await segmented(
      'balanced',
      final('iPhone sales rose, he said', { punctuated: true }),
    );
    expect(texts(updates)[0]).toEqual(['iPhone sales rose, he said', '']);
  });
});

describe('caption translation', () => {
  const upper: TranslateText = async (text) => text.toUpperCase();

  it('translates each sentence once and in order', async () => {
    const source = of(said(['Good morning.', ' How are you?']), said([' Fine.']));
    const options = { target: 'es', mode: 'balanced', translateText: upper, signal } as const;
    expect(texts(await collect(translate(source, options)))).toEqual([
      ['GOOD MORNING.', ''],
      [' HOW ARE YOU?', ''],
      [' FINE.', ''],
    ]);
  });

  it('skips tentative text that fails to translate, and fails when the session cannot go on', async () => {
    const translateText: TranslateText = async (text) => {
      if (text.includes('bad')) throw new ServiceError('quota_exceeded', 'no');
      return text;
    };
    const options = { mode: 'balanced', translateText } as const;
    const updates = await translatedCalmly([said([], 'bad'), said(['ok'])], options);
    expect(texts(updates)).toEqual([['ok', '']]);
    await expect(translatedCalmly([said(['bad'])], options)).rejects.toThrow(ServiceError);
  });

  it.each([
    ['no engine translates its language', 'engine_unavailable'],
    ['every engine refuses it', 'translation_failed'],
    ['an engine answers nothing', undefined],
  ] as const)('passes a sentence on untranslated when %s', async (_, code) => {
    const translateText: TranslateText = async (text, { source }) => {
      if (source !== 'fi') return text.toUpperCase();
      if (code === undefined) return ' ';
      throw new ServiceError(code, 'Nobody translates it.');
    };
    const heard = [said(['Hello.']), said([' Hyvää päivää.'], undefined, 'fi'), said([' Bye.'])];
    const updates = await translatedCalmly(heard, { mode: 'instant', translateText });
    expect(concludedTexts(updates).join('')).toBe('HELLO. Hyvää päivää. BYE.');
  });

  it('masks the last words of a growing translation, fewer of them while it is short', () => {
    const display = createTargetDisplay({ mode: 'balanced', target: 'es' });
    const shown = (text: string) => [display.next(text), display.next(text)][1];
    expect(shown('uno dos')).toBe('uno dos');
    expect(shown('uno dos tres cuatro')).toBe('uno dos tres');
    expect(shown('uno dos tres cuatro cinco seis')).toBe('uno dos tres cuatro cinco');
  });

  it('masks more words while the recogniser revises often', () => {
    const display = createTargetDisplay({ mode: 'balanced', target: 'es' });
    const unsure = { isUnsure: true };
    const shown = (text: string) => [display.next(text, unsure), display.next(text, unsure)][1];
    expect(shown('uno dos tres cuatro')).toBe('uno dos');
    const twelve = 'uno dos tres cuatro cinco seis siete ocho nueve diez once doce';
    expect(shown(twelve)).toBe('uno dos tres cuatro cinco seis siete');
  });

  it('shows whole translations in instant mode and no growing ones in settled mode', async () => {
    const heard = [said([], 'we'), said([], 'we go'), said(['We go.'])];
    const instant = await translatedCalmly(heard, { mode: 'instant', translateText: upper });
    expect(texts(instant)).toEqual([
      ['', 'WE'],
      ['', 'WE GO'],
      ['WE GO.', ''],
    ]);
    let asked = 0;
    const counted: TranslateText = async (text) => {
      asked += 1;
      return text;
    };
    const settled = await translatedCalmly(heard, { mode: 'settled', translateText: counted });
    expect(texts(settled)).toEqual([['We go.', '']]);
    expect(asked).toBe(1);
  });

  it('runs one translation at a time, then continues with the newest state', async () => {
    const source = createChannel<CaptionUpdate>();
    const asked: string[] = [];
    let underWay = 0;
    let release = (): void => undefined;
    const translateText: TranslateText = async (text) => {
      asked.push(text);
      underWay += 1;
      expect(underWay).toBe(1);
      await new Promise<void>((resolve) => (release = resolve));
      underWay -= 1;
      return text;
    };
    const options = { target: 'es', mode: 'instant', translateText, signal } as const;
    const translating = collect(translate(source, options));
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    source.push(said([], 'a'));
    await turn();
    for (const text of ['a b', 'a b c', 'a b c d']) source.push(said([], text));
    await turn();
    release();
    await turn();
    expect(asked).toEqual(['a', 'a b c d']);
    source.end();
    release();
    expect(texts(await translating)).toEqual([
      ['', 'a'],
      ['', 'a b c d'],
    ]);
  });

  it('aborts a tentative translation when a whole sentence arrives', async () => {
    const source = createChannel<CaptionUpdate>();
    const translateText: TranslateText = (text, { signal: asked }) =>
      text === 'we'
        ? new Promise((_, reject) => {
            asked.addEventListener('abort', () => reject(new Error('let go')));
            source.push(said(['We went.']));
            source.end();
          })
        : Promise.resolve(text);
    const options = { target: 'es', mode: 'instant', translateText, signal } as const;
    source.push(said([], 'we'));
    expect(texts(await collect(translate(source, options)))).toEqual([['We went.', '']]);
  });

  it('conflates updates without losing concluded text', () => {
    const joined = conflateUpdates(said(['a'], 'x'), conflateUpdates(said(['b']), said([], 'y')));
    expect(texts([joined])).toEqual([['a|b', 'y']]);
    expect(joined.sentences?.concluded.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(joined.sentences?.growing?.text).toBe('y');
    expect(texts([conflateUpdates(said([], 'x'), said([], 'y'))])).toEqual([['', 'y']]);
  });

  it('stops asking the engine when the session is aborted', async () => {
    const controller = new AbortController();
    const source = createChannel<CaptionUpdate>();
    const waiting = collect(
      translate(source, {
        ...{ target: 'es', mode: 'balanced', signal: controller.signal },
        translateText: async () => {
          controller.abort(new Error('gone'));
          throw new Error('aborted');
        },
      }),
    );
    source.push(said([], 'hello'));
    await expect(waiting).rejects.toThrow('gone');
  });
});
