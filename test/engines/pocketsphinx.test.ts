import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Recognition, RecognitionEngine, SpeechPiece } from '../../server/engines/engine.ts';
import {
  createPocketSphinx,
  type PocketSphinxOptions,
} from '../../server/engines/recognition/pocketsphinx.ts';
import { createSilentRecogniser } from '../../server/engines/recognition/silent.ts';
import { recordLog } from '../support/log-record.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wordErrorRate } from '../support/word-error-rate.ts';
import {
  asSpeech,
  finals,
  heard,
  IdleSource,
  lengthMs,
  recogniserPids,
  silence,
  spoken,
  telephoned,
  transcript,
} from './recognition-support.ts';

const AMERICANS = 'and so my fellow americans ask not what your country can do for you';

async function running(options: Partial<PocketSphinxOptions> = {}): Promise<RecognitionEngine> {
  const engine = await createPocketSphinx({ log: recordLog(), ...options });
  if ('reason' in engine) throw new Error(engine.reason);
  return engine;
}

let engine: RecognitionEngine;
beforeAll(async () => {
  engine = await running();
});
afterAll(() => engine.close());

describe('PocketSphinx', () => {
  const hearings = new Map<string, Promise<Recognition[]>>();

  /** What is heard of the sentence as said by a voice, which is found out once. */
  async function americans(voice: 'kal16' | 'rms'): Promise<Recognition[]> {
    const audio = await spoken({ text: AMERICANS, voice });
    const hearing = hearings.get(voice) ?? heard(engine, asSpeech(audio));
    hearings.set(voice, hearing);
    return await hearing;
  }

  test.each(['kal16', 'rms'] as const)('understands the voice %s', async (voice) => {
    const said = await americans(voice);
    expect(wordErrorRate(AMERICANS, transcript(said)), transcript(said)).toBeLessThanOrEqual(0.25);
  });

  test.each(['kal16', 'rms'] as const)('understands %s on the telephone', async (voice) => {
    const said = await heard(engine, asSpeech(await telephoned({ text: AMERICANS, voice })));
    expect(wordErrorRate(AMERICANS, transcript(said)), transcript(said)).toBeLessThanOrEqual(0.25);
  });

  test('hears the same in whatever pieces the audio comes', async () => {
    const audio = await spoken({ text: AMERICANS, voice: 'rms' });
    const inPieces = await americans('rms');
    const inBits = await heard(engine, asSpeech(audio, { sizes: [2, 6, 642, 5000] }));
    expect(finals(inBits)).toEqual(finals(inPieces));
  });

  test('shows a partial only when its words have changed, ten a second at most', async () => {
    const audio = await spoken({ text: AMERICANS, voice: 'rms' });
    const all = await americans('rms');
    const partials = all.filter(({ kind }) => kind === 'partial');
    expect(partials.length).toBeGreaterThan(5);
    expect(partials.length).toBeLessThanOrEqual(lengthMs(audio) / 100);
    partials.forEach(({ text }, index) => {
      expect(text).not.toBe(partials[index - 1]?.text);
    });
  });

  test('keeps the clock of the stream over many utterances', async () => {
    const said = await spoken({ text: 'good morning everyone', voice: 'rms', padEndS: 0.8 });
    const parts: Buffer[] = [];
    const startsMs: number[] = [];
    const endpointsMs: number[] = [];
    for (const pauseMs of [0, 130, 777, 345]) {
      parts.push(silence(pauseMs));
      startsMs.push(lengthMs(Buffer.concat(parts)));
      parts.push(said);
      endpointsMs.push(lengthMs(Buffer.concat(parts)) - 200);
    }
    const all = finals(await heard(engine, asSpeech(Buffer.concat(parts), { endpointsMs })));
    expect(all).toHaveLength(startsMs.length);
    const offsets = all.map(({ startMs }, index) => startMs - (startsMs[index] ?? 0));
    expect(Math.max(...offsets) - Math.min(...offsets)).toBeLessThanOrEqual(100);
  });
});

describe('spoken terms', () => {
  const PRODUCT = 'please install zorbatex on the new computer';
  const NUMBERS = 'we need to finish the report before the end of the week';
  const spokenTerms = ['Zorbatex', 'Quibblo Cloud', 'Acme Turbo Drive', '…', '漢字'];

  test('let a made-up name be heard, as it is written, only when they are told', async () => {
    const audio = await spoken({ text: PRODUCT, voice: 'rms' });
    const [without, told] = await Promise.all([
      heard(engine, asSpeech(audio)),
      heard(engine, asSpeech(audio), { spokenTerms }),
    ]);
    expect(transcript(without)).not.toMatch(/zorbatex/i);
    expect(transcript(told)).toMatch(/\binstall Zorbatex on\b/);
  });

  test('may be phrases, whose words have times of their own', async () => {
    const text = 'our team moved everything to quibblo cloud last year';
    const audio = await spoken({ text, voice: 'rms' });
    const [final] = finals(await heard(engine, asSpeech(audio), { spokenTerms }));
    expect(final?.text).toMatch(/\bto Quibblo Cloud last\b/);
    const words = final!.words.filter(({ text }) => /^(Quibblo|Cloud)$/.test(text));
    expect(words).toHaveLength(2);
    expect(words[0]!.endMs).toBe(words[1]!.startMs);
    for (const { startMs, endMs } of words) expect(endMs - startMs).toBeGreaterThan(150);
  });

  test('are not heard where nobody says them', async () => {
    const audio = await spoken({ text: NUMBERS, voice: 'kal16' });
    const [without, told] = await Promise.all([
      heard(engine, asSpeech(audio)),
      heard(engine, asSpeech(audio), { spokenTerms }),
    ]);
    expect(transcript(told)).toBe(transcript(without));
  });
});

describe('an utterance without a pause', () => {
  const LONG =
    'the weather will be cold and wet in the northern part of the country and we need to finish ' +
    'the report before the end of the week and then she bought a new house near the river';

  test('is cut between two words, and none is lost or heard twice', async () => {
    const engine = await running({ maxUtteranceMs: 5_000, spareCount: 0 });
    try {
      const audio = await spoken({ text: LONG, voice: 'rms' });
      expect(lengthMs(audio)).toBeGreaterThan(10_000);
      const all = finals(await heard(engine, asSpeech(audio)));
      expect(all.length).toBeGreaterThanOrEqual(2);
      for (const { startMs, endMs } of all) expect(endMs - startMs).toBeLessThan(5_500);
      expect(wordErrorRate(LONG, transcript(all)), transcript(all)).toBeLessThanOrEqual(0.25);
    } finally {
      await engine.close();
    }
  });
});

describe('an installation that is not whole', () => {
  const packages = /libpocketsphinx3.*libsphinxbase3.*pocketsphinx-en-us/;

  async function reason(options: Partial<PocketSphinxOptions> = {}): Promise<string> {
    const created = await createPocketSphinx({ log: recordLog(), ...options });
    if ('reason' in created) return created.reason;
    await created.close();
    return 'none: it runs';
  }

  test('is told from a whole one by its model', async () => {
    const modelFolder = path.join(temporaryFolder(), 'nowhere');
    const text = await reason({ modelFolder });
    expect(text).toMatch(packages);
    expect(text).toContain(modelFolder);
  });

  test('is told when the model does not load', async () => {
    const modelFolder = temporaryFolder();
    const before = recogniserPids();
    mkdirSync(path.join(modelFolder, 'en-us'));
    for (const file of ['en-us/mdef', 'en-us.lm.bin', 'cmudict-en-us.dict']) {
      writeFileSync(path.join(modelFolder, file), 'no model');
    }
    expect(await reason({ modelFolder })).toMatch(packages);
    expect(recogniserPids().filter((pid) => !before.includes(pid))).toEqual([]);
  });

  test('is told when the library does not load', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'libpocketsphinx.so.3'), 'no library');
    vi.stubEnv('LD_LIBRARY_PATH', folder);
    try {
      const text = await reason();
      expect(text).toMatch(packages);
      expect(text).toContain('libpocketsphinx.so.3');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe('the silent recogniser', () => {
  const engine = createSilentRecogniser();

  test('takes in all audio and reports nothing', async () => {
    let pulled = 0;
    const audio = async function* (): AsyncGenerator<SpeechPiece> {
      for await (const piece of asSpeech(silence(5_000))) {
        if (piece.kind === 'samples') pulled += piece.samples.byteLength;
        yield piece;
      }
    };
    expect(await heard(engine, audio(), { language: 'ja' })).toEqual([]);
    expect(pulled).toBe(5_000 * 32);
  });

  test('ends with the reason of an abort while it waits for audio', async () => {
    const source = new IdleSource(silence(500));
    const signal = AbortSignal.timeout(100);
    await expect(heard(engine, source, { signal })).rejects.toThrow(/timeout/);
    expect(source.isReleased).toBe(true);
  });
});
