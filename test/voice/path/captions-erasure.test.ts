import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TranslationEngine } from '../../../server/engines/engine.ts';
import { createApertium } from '../../../server/engines/translation/apertium.ts';
import { plainText } from '../../../server/text/text-segment.ts';
import type { CaptionMode, CaptionUpdate } from '../../../server/voice/path/captions.ts';
import type { TranslateText } from '../../../server/voice/path/translate.ts';
import { quietLog } from '../../bench/built.ts';
import {
  measureCaptions,
  type CaptionMeasures,
  type Sight,
} from '../../bench/captions-measures.ts';
import { segmented, translatedCalmly, type Heard } from './captions-support.ts';

const recorded = (name: string) =>
  JSON.parse(
    readFileSync(path.join(import.meta.dirname, `../../fixtures/${name}.json`), 'utf8'),
  ) as Heard[][];
/** What Moonshine recognised in two recordings of people: a speech with echo, and numbers on a telephone. */
const people = recorded('people-heard-by-moonshine');
/** What a recogniser that emits every hypothesis misrecognised in the same recordings. */
const misheard = recorded('misheard');

const sight = ({ concluded, tentative }: CaptionUpdate): Sight => ({
  ...{ atMs: 0, concluded, tentative },
});
const erasure = (all: CaptionMeasures[]) =>
  all.reduce((sum, { deleted }) => sum + deleted, 0) /
  all.reduce((sum, { final }) => sum + final, 0);

describe('the erasure measure', () => {
  const seen = (...shown: [string, string][]) =>
    measureCaptions(
      shown.map(([concluded, tentative], index) => ({
        atMs: (index + 1) * 1000,
        concluded: concluded === '' ? [] : [{ text: concluded, startMs: 500, endMs: 2500 }],
        tentative: tentative === '' ? [] : [{ text: tentative }],
      })),
    );

  it('counts words that are removed or changed, and all words after a change', () => {
    expect(seen(['', 'a tent on'], ['', 'attend to'], ['Attend to.', ''])).toMatchObject({
      ...{ deleted: 3 + 2, final: 3 },
    });
    expect(seen(['', 'we'], ['', 'we go'], ['we go.', ''])).toMatchObject({ deleted: 0, final: 3 });
  });

  it('reports the lag of the first word, of the conclusion and of the words in between', () => {
    const measures = seen(['', 'we'], ['', 'we go'], ['we go.', '']);
    expect(measures.firstWordLagsMs).toEqual([500]);
    expect(measures.conclusionLagsMs).toEqual([500]);
    // Tokens appear after 500, 1500 and 2500 ms; ideally after 0, 667 and 1333 ms.
    expect(measures.averageLagsMs[0]).toBeCloseTo((500 + 833.3 + 1166.7) / 3, 0);
  });
});

describe('captions of recorded hypotheses', () => {
  let engine: TranslationEngine;
  const translateText: TranslateText = async (text, options) =>
    plainText((await engine.translate([[text]], options))[0] ?? []);

  beforeAll(async () => {
    const created = await createApertium({ log: quietLog });
    if ('reason' in created) throw new Error(created.reason);
    engine = created;
  });
  afterAll(() => engine.close());

  async function measured(
    streams: Heard[][],
    mode: CaptionMode,
  ): Promise<{ source: number; target: number }> {
    const source: CaptionMeasures[] = [];
    const target: CaptionMeasures[] = [];
    for (const heard of streams) {
      const updates = await segmented(mode, ...heard);
      source.push(measureCaptions(updates.map(sight)));
      const translated = await translatedCalmly(updates, { mode, translateText });
      target.push(measureCaptions(translated.map(sight)));
    }
    return { source: erasure(source), target: erasure(target) };
  }

  it.each([
    ['from people', people, 0.1],
    // Nothing can be improved when a recogniser revises the first word at the end.
    ['badly', misheard.slice(0, 1), 0.45],
  ])(
    'erase at most 0.2 words per word in balanced mode and none in settled mode, when heard %s',
    async (_, streams, mostAtSource) => {
      const [instant, balanced, settled] = [
        await measured(streams, 'instant'),
        await measured(streams, 'balanced'),
        await measured(streams, 'settled'),
      ];
      expect(balanced.target).toBeLessThanOrEqual(0.2);
      expect(balanced.source).toBeLessThanOrEqual(mostAtSource);
      expect(settled).toEqual({ source: 0, target: 0 });
      expect(instant.target).toBeGreaterThan(2 * balanced.target);
      expect(instant.source).toBeGreaterThan(2 * balanced.source);
    },
  );
});
