/** How calm and how late captions are, in each mode. */
import { listen } from '../support/audio/heard.ts';
import type * as Apertium from '../../server/engines/translation/apertium.ts';
import type { RecognitionEngine, TranslationEngine } from '../../server/engines/engine.ts';
import { plainText } from '../../server/text/text-segment.ts';
import type { CaptionMode, CaptionUpdate } from '../../server/voice/path/captions.ts';
import type * as Captions from '../../server/voice/path/captions.ts';
import type * as Listen from '../../server/voice/audio/listen.ts';
import type * as Recognise from '../../server/voice/path/recognise.ts';
import type * as Segment from '../../server/voice/path/segment.ts';
import type * as Streams from '../../server/voice/path/streams.ts';
import type * as Translate from '../../server/voice/path/translate.ts';
import type { Print } from './benchmarks.ts';
import { importBuilt, quietLog } from './built.ts';
import { recordedClips, spokenClips, type Clip } from './captions-clips.ts';
import { createHearingClock } from './captions-clock.ts';
import {
  measureCaptions,
  together,
  type CaptionMeasures,
  type Sight,
} from './captions-measures.ts';
import { createReplay, type TimedEvent } from './captions-replay.ts';
import { figure, median, printTable, quantile, verdict } from './figures.ts';
import { startMoonshine } from './moonshine.ts';

export const name = 'captions';
export const description =
  'erasure and lag of captions in each mode, on a clock that a busy machine does not change';

const TARGETS = ['es', 'fr'] as const;
const CHUNK_MS = 100;
const BYTES_PER_MS = 32;
const ENDPOINTING = { silenceMs: 600, longestMs: 15_000 };
/** Translations of which the quickest counts. */
const TRIALS = 20;
const TRIED = 'Last year the city bought the land and asked five architects for their plans.';
/** What is wished for in balanced mode, lags in ms as medians: a translation begins with more than a word. */
const AIMS = {
  source: { erasure: 0.1, firstWordMs: 1_000, conclusionMs: 900 },
  target: { erasure: 0.2, conclusionMs: 900 },
};

/** The stages under measurement. */
export interface VoiceStages {
  captionModes: typeof Captions.captionModes;
  conflateUpdates: typeof Captions.conflateUpdates;
  createListener: typeof Listen.createListener;
  recognise: typeof Recognise.recognise;
  createSpokenTerms: typeof Recognise.createSpokenTerms;
  segment: typeof Segment.segment;
  broadcast: typeof Streams.broadcast;
  translate: typeof Translate.translate;
}

export async function run(print: Print): Promise<void> {
  const { createApertium } = await importBuilt<typeof Apertium>(
    'server/engines/translation/apertium.ts',
  );
  const recogniser = await startMoonshine();
  const translator = await createApertium({ log: quietLog });
  try {
    if ('reason' in translator) throw new Error(translator.reason);
    await runWith({ stages: await builtStages(), recogniser, translator }, print);
  } finally {
    await recogniser.close();
    if (!('reason' in translator)) await translator.close();
  }
}

async function builtStages(): Promise<VoiceStages> {
  const stage = <Module>(file: string) => importBuilt<Module>(`server/voice/${file}.ts`);
  const { captionModes, conflateUpdates } = await stage<typeof Captions>('captions');
  const { createListener } = await stage<typeof Listen>('listen');
  const { recognise, createSpokenTerms } = await stage<typeof Recognise>('recognise');
  const { segment } = await stage<typeof Segment>('segment');
  const { broadcast } = await stage<typeof Streams>('streams');
  const { translate } = await stage<typeof Translate>('translate');
  return {
    ...{
      captionModes,
      conflateUpdates,
      createListener,
      recognise,
      createSpokenTerms,
      segment,
      broadcast,
    },
    translate,
  };
}

export interface CaptionParts {
  stages: VoiceStages;
  recogniser: RecognitionEngine;
  translator: TranslationEngine;
}

/** Measures with these parts; takes about as long as the speech does. */
export async function runWith(parts: CaptionParts, print: Print): Promise<void> {
  const groups: [string, Clip[]][] = [['speech made with Flite', await spokenClips()]];
  const recordings = recordedClips();
  if (recordings === undefined) print('SKIPPED: no recordings beside the project.');
  else groups.push(['recordings of people', recordings]);
  const translationMs = await usualTranslationMs(parts.translator);
  print(`A translation takes ${figure(translationMs)} ms.`);
  for (const [label, clips] of groups) {
    const measured: Measured[] = [];
    for (const clip of clips) {
      const heard = await hear(parts, clip);
      for (const mode of parts.stages.captionModes) {
        measured.push(...(await measureMode(parts, { heard, mode, translationMs })));
      }
    }
    print('');
    print(label);
    printTable(print, table(parts.stages.captionModes, measured));
    printTable(print, verdicts(measured));
  }
}

/** The measures of one transcript of a clip. */
interface Measured extends CaptionMeasures {
  mode: CaptionMode;
  track: 'source' | 'target';
}

/** The quickest of several translations: what a sentence takes when nobody else wants the processor. */
async function usualTranslationMs(translator: TranslationEngine): Promise<number> {
  const { signal } = new AbortController();
  const timesMs: number[] = [];
  for (let count = 0; count < TRIALS; count += 1) {
    for (const target of TARGETS) {
      const startedAt = performance.now();
      await translator.translate([[TRIED]], { source: 'en', target, signal });
      timesMs.push(performance.now() - startedAt);
    }
  }
  return Math.min(...timesMs);
}

/** What is heard of a clip, and when: once for all modes, so that they differ in nothing else. */
async function hear({ stages, recogniser }: CaptionParts, { audio }: Clip): Promise<TimedEvent[]> {
  const { signal } = new AbortController();
  const clock = createHearingClock();
  const paced = clock.pace(audio, CHUNK_MS * BYTES_PER_MS, BYTES_PER_MS);
  const events = stages.recognise(listen(paced, ENDPOINTING, stages.createListener), {
    ...{ recognisers: [recogniser], spokenTerms: stages.createSpokenTerms([]), signal },
    source: { requested: 'en', tag: 'en', mode: 'fixed' },
    detectLanguage: () => ({ status: 'no_language_detected' }),
  });
  const heard: TimedEvent[] = [];
  for await (const event of events) {
    if (event.kind !== 'rest') heard.push({ atMs: clock.now(), event });
  }
  return heard;
}

async function measureMode(
  { stages, translator }: CaptionParts,
  { heard, mode, translationMs }: { heard: TimedEvent[]; mode: CaptionMode; translationMs: number },
): Promise<Measured[]> {
  const { signal } = new AbortController();
  const replay = createReplay(heard);
  const updates = stages.segment(replay.events(), { mode });
  const captions = stages.broadcast(updates, stages.conflateUpdates);
  const source = watch(captions.subscribe(), replay.now);
  const targets = TARGETS.map((target) => {
    const translateText: Translate.TranslateText = (text, options) =>
      replay.taking(
        translationMs,
        translator.translate([[text]], options).then(([translated = []]) => plainText(translated)),
        options.signal,
      );
    const translated = stages.translate(captions.subscribe(), {
      ...{ target, mode, translateText, signal },
    });
    return watch(translated, replay.now);
  });
  const [said, ...sights] = await Promise.all([source, ...targets]);
  return [
    { mode, track: 'source', ...measureCaptions(said) },
    ...sights.map((seen) => ({ mode, track: 'target' as const, ...measureCaptions(seen) })),
  ];
}

async function watch(updates: AsyncIterable<CaptionUpdate>, now: () => number): Promise<Sight[]> {
  const sights: Sight[] = [];
  for await (const { concluded, tentative } of updates) {
    sights.push({ atMs: now(), concluded, tentative });
  }
  return sights;
}

function table(modes: readonly CaptionMode[], measured: readonly Measured[]): string[][] {
  const head = ['', 'erasure', 'first word', 'conclusion', 'p95', 'average lagging', 'early'];
  const rows = (['source', 'target'] as const).flatMap((track) =>
    modes.map((mode) => {
      const all = together(measured.filter((each) => each.mode === mode && each.track === track));
      const erasure = all.deleted / all.final;
      return [
        `${track}, ${mode}`,
        erasure.toFixed(2),
        seconds(median(all.firstWordLagsMs)),
        seconds(median(all.conclusionLagsMs)),
        seconds(quantile(all.conclusionLagsMs, 0.95)),
        seconds(median(all.averageLagsMs)),
        `${((100 * all.early) / all.final).toFixed(0)} %`,
      ];
    }),
  );
  return [head, ...rows];
}

/** Aims are those of balanced mode, in which people read along. */
function verdicts(measured: readonly Measured[]): string[][] {
  const rows = (['source', 'target'] as const).flatMap((track) => {
    const { deleted, final, firstWordLagsMs, conclusionLagsMs } = together(
      measured.filter((each) => each.mode === 'balanced' && each.track === track),
    );
    const rounded = (value: number) => Number(value.toFixed(2));
    const of = (figures: string, value: number, aim: number): string[] => [
      `${track}, balanced: ${figures}`,
      verdict(rounded(value), aim),
    ];
    const aims = AIMS[track];
    return [
      of('erasure', deleted / final, aims.erasure),
      ...(track === 'source'
        ? [of('first word, s', median(firstWordLagsMs) / 1000, AIMS.source.firstWordMs / 1000)]
        : []),
      of('conclusion, s', median(conclusionLagsMs) / 1000, aims.conclusionMs / 1000),
    ];
  });
  return [['aims', ''], ...rows];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
