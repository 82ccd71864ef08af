/** Helpers shared by the tests of translated speech. */
import { readFileSync } from 'node:fs';
import type { SpokenSamples, SynthesisEngine } from '../../../server/engines/engine.ts';
import { createEspeakNg } from '../../../server/engines/synthesis/espeak-ng.ts';
import type { CaptionUpdate } from '../../../server/voice/path/captions.ts';
import { synthesise, type MediaChunk } from '../../../server/voice/path/synthesise.ts';
import type { SynthesiseOptions } from '../../../server/voice/path/synthesise.ts';
import { parseTargetMediaType, type TargetMediaFormat } from '../../../shared/target-media-type.ts';
import { processTree } from '../../../server/process/supervision.ts';
import { recordLog } from '../../support/product/log-record.ts';

export const SENTENCES = ['Good morning, how are you today?', ' We meet at three.'];

/** The format of a supported content type. */
export function formatOf(contentType: string): TargetMediaFormat {
  return parseTargetMediaType(contentType)!;
}

/** Yields concluded texts, some of them in the same update. */
export async function* concluded(
  ...updates: readonly (string | readonly string[])[]
): AsyncGenerator<CaptionUpdate> {
  for (const update of updates) {
    const texts = typeof update === 'string' ? [update] : update;
    yield {
      concluded: texts.map((text) => ({ text, startMs: 0, endMs: 1, language: 'en' })),
      tentative: [{ text: ' and what', startMs: 1, endMs: 2, language: 'en' }],
    };
  }
}

export async function espeakNg(): Promise<SynthesisEngine> {
  const engine = await createEspeakNg({ log: recordLog() });
  if ('reason' in engine) throw new Error(engine.reason);
  return engine;
}

/** Wraps an engine so that it speaks each text once and replays it afterwards. */
export function replaying(engine: SynthesisEngine): SynthesisEngine {
  const said = new Map<string, SpokenSamples[]>();
  return {
    ...engine,
    async *speak(text, options) {
      const known = said.get(text);
      if (known !== undefined) {
        yield* known;
        return;
      }
      const all: SpokenSamples[] = [];
      for await (const samples of engine.speak(text, options)) {
        all.push({ ...samples, samples: samples.samples.slice() });
        yield samples;
      }
      said.set(text, all);
    },
  };
}

/** An engine that hums for a time proportional to its text, and that a test can make fail. */
export function hummingEngine(
  onSpeak: (text: string, tries: number) => void | Promise<void> = () => undefined,
): SynthesisEngine & { spoken: string[] } {
  const spoken: string[] = [];
  return {
    name: 'humming',
    describedAs: 'somebody who hums',
    languages: ['en'],
    spoken,
    async *speak(text, { signal }) {
      spoken.push(text);
      const tries = spoken.filter((each) => each === text).length;
      for (let piece = 0; piece < 5; piece += 1) {
        signal.throwIfAborted();
        if (piece === 2) await onSpeak(text, tries);
        yield hum(text.length * 4);
      }
    },
    close: async () => undefined,
  };
}

/** A hum of the given duration at 16 kHz. */
export function hum(durationMs: number): SpokenSamples {
  const samples = Int16Array.from(
    { length: durationMs * 16 },
    (_, index) => 8_000 * Math.sin((index * 2 * Math.PI * 200) / 16_000),
  );
  return { samples, sampleRateHz: 16_000 };
}

export async function allChunks(
  updates: AsyncIterable<CaptionUpdate>,
  options: Omit<SynthesiseOptions, 'language' | 'gender' | 'signal'> & { signal?: AbortSignal },
): Promise<MediaChunk[]> {
  const chunks: MediaChunk[] = [];
  const { signal } = new AbortController();
  const speaking = { language: 'en', gender: undefined, signal, ...options };
  for await (const chunk of synthesise(updates, speaking)) chunks.push(chunk);
  return chunks;
}

/** Program names of descendant espeak and ffmpeg processes, contained or not. */
export function childProcesses(): string[] {
  return processTree(process.pid).flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [, command = '', state = ''] = /\((.*)\) (\S)/.exec(stat) ?? [];
      return state !== 'Z' && /^(espeak|ffmpeg)/.test(command) ? [command] : [];
    } catch {
      return [];
    }
  });
}
