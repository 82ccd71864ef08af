import fc from '../../support/suite/properties.ts';
import { expect, it } from 'vitest';
import { captionModes } from '../../../server/voice/path/captions.ts';
import { translate } from '../../../server/voice/path/translate.ts';
import {
  collect,
  concludedTexts,
  conflatedAt,
  heardStreams,
  of,
  segmented,
  sentenceTexts,
  unaborted,
  withLateRecogniser,
  type Heard,
} from './captions-support.ts';

const modes = fc.constantFrom(...captionModes);
const joins = fc.array(fc.boolean(), { maxLength: 60 });

/** The words alone, without the capital and the full stop that complete a sentence. */
const bare = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
const finalTexts = (heard: Heard[]) =>
  heard.map((event) => (event.kind === 'final' ? event.text : '')).join('');

it('emits every final exactly once in every mode, in the source and as sentences', async () => {
  await fc.assert(
    fc.asyncProperty(heardStreams, modes, async (heard, mode) => {
      const updates = await segmented(mode, ...heard);
      expect(bare(concludedTexts(updates).join(''))).toBe(bare(finalTexts(heard)));
      expect(sentenceTexts(updates).join('')).toBe(concludedTexts(updates).join(''));
    }),
  );
});

it('concludes the same text for any mode and any hypotheses', async () => {
  await fc.assert(
    fc.asyncProperty(heardStreams, async (heard) => {
      const quiet = heard.filter(({ kind }) => kind !== 'partial');
      const expected = await segmented('settled', ...quiet);
      for (const mode of captionModes) {
        const updates = await segmented(mode, ...heard);
        expect(concludedTexts(updates)).toEqual(concludedTexts(expected));
        expect(sentenceTexts(updates)).toEqual(sentenceTexts(expected));
      }
    }),
  );
});

it('concludes the same text however late the recogniser is', async () => {
  const leads = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(heardStreams, leads, modes, async (heard, ahead, mode) => {
      const inTime = await segmented(mode, ...heard);
      const late = await segmented(mode, ...withLateRecogniser(heard, ahead));
      expect(concludedTexts(late)).toEqual(concludedTexts(inTime));
      expect(sentenceTexts(late)).toEqual(sentenceTexts(inTime));
    }),
  );
});

it('translates every sentence exactly once and in order, however updates are conflated', async () => {
  await fc.assert(
    fc.asyncProperty(heardStreams, joins, modes, async (heard, joined, mode) => {
      const updates = await segmented(mode, ...heard);
      const marked = 'translated';
      const asked: string[] = [];
      const translated = await collect(
        translate(of(...conflatedAt(updates, joined)), {
          ...{ mode, target: 'es', signal: unaborted },
          translateText: async (text) => {
            asked.push(text);
            return `${marked} ${text}`;
          },
        }),
      );
      const expected = sentenceTexts(updates).map((text) => `${marked} ${text.trim()}`);
      expect(concludedTexts(translated).map((text) => text.trim())).toEqual(expected);
      expect(concludedTexts(translated).join('')).toBe(expected.join(' '));
      if (mode === 'settled') expect(asked).toHaveLength(expected.length);
    }),
  );
});

it('shows no tentative text in settled mode', async () => {
  await fc.assert(
    fc.asyncProperty(heardStreams, joins, async (heard, joined) => {
      const updates = await segmented('settled', ...heard);
      const translated = await collect(
        translate(of(...conflatedAt(updates, joined)), {
          ...{ mode: 'settled', target: 'es', signal: unaborted },
          translateText: async (text) => text,
        }),
      );
      for (const { tentative } of [...updates, ...translated]) expect(tentative).toEqual([]);
    }),
  );
});

it('conflates any run of updates to the same concluded text and the same last tentative text', async () => {
  await fc.assert(
    fc.asyncProperty(heardStreams, joins, modes, async (heard, joined, mode) => {
      const updates = await segmented(mode, ...heard);
      const conflated = conflatedAt(updates, joined);
      expect(concludedTexts(conflated)).toEqual(concludedTexts(updates));
      expect(sentenceTexts(conflated)).toEqual(sentenceTexts(updates));
      expect(conflated.at(-1)?.tentative).toEqual(updates.at(-1)?.tentative);
      expect(conflated.at(-1)?.sentences?.growing).toEqual(updates.at(-1)?.sentences?.growing);
    }),
  );
});

it('emits segments whose times never run backwards', async () => {
  await fc.assert(
    fc.asyncProperty(heardStreams, async (heard) => {
      const segments = (await segmented('balanced', ...heard)).flatMap(
        ({ concluded }) => concluded,
      );
      let floorMs = 0;
      for (const { startMs, endMs } of segments) {
        expect(startMs).toBeGreaterThanOrEqual(floorMs);
        expect(endMs).toBeGreaterThanOrEqual(startMs);
        floorMs = endMs;
      }
    }),
  );
});
