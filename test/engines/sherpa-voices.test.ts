import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import type { SpokenSamples, SynthesisEngine } from '../../server/engines/engine.ts';
import { createSherpaVoices } from '../../server/engines/synthesis/sherpa-voices.ts';
import type { ModelDescription } from '../../server/models/local-model.ts';
import { recordLog } from '../support/product/log-record.ts';
import { letterHz, writeToneVoice } from '../support/models/tone-models.ts';
import { until } from './recognition-support.ts';
import {
  childPids,
  describeModel,
  modelsFolder,
  removeModelFolders,
  usableModels,
} from './sherpa-support.ts';

afterAll(removeModelFolders);

const LETTER_MS = 100;

interface VoiceSketch {
  name: string;
  sampleRateHz: number;
  description?: Partial<ModelDescription>;
}

/** Creates voices that speak each letter as a tone, in an engine that is closed when the test finishes. */
async function speaking(
  sketches: readonly VoiceSketch[],
  options: { idleMs?: number; hangTimeoutMs?: number } = {},
): Promise<{ engine: SynthesisEngine; folder: string }> {
  const folder = modelsFolder();
  for (const { name, sampleRateHz, description } of sketches) {
    const place = path.join(folder, name);
    writeToneVoice(place, { sampleRateHz, letterMs: LETTER_MS });
    describeModel(place, { kind: 'synthesis', family: 'vits', ...description });
  }
  const models = await usableModels(folder);
  const [engine] = await createSherpaVoices({ models, log: recordLog(), ...options });
  if (engine === undefined || 'reason' in engine) throw new Error(engine?.reason ?? 'No voice');
  onTestFinished(() => engine.close());
  return { engine, folder };
}

async function spokenBy(
  engine: SynthesisEngine,
  text: string,
  {
    language = 'en',
    gender,
    signal = new AbortController().signal,
  }: Partial<Parameters<SynthesisEngine['speak']>[1]> = {},
): Promise<SpokenSamples[]> {
  const all: SpokenSamples[] = [];
  for await (const samples of engine.speak(text, { language, gender, signal })) all.push(samples);
  return all;
}

/** Measures pitch by zero crossings. */
function pitchHz(samples: Int16Array, sampleRateHz: number): number {
  let crossings = 0;
  for (let index = 1; index < samples.length; index += 1) {
    if ((samples[index - 1] ?? 0) < 0 !== (samples[index] ?? 0) < 0) crossings += 1;
  }
  return (crossings * sampleRateHz) / (2 * samples.length);
}

it('speaks the output of the model sentence by sentence, ends with the reason of an abort, and can speak again', async () => {
  const { engine } = await speaking([{ name: 'tones', sampleRateHz: 16_000 }]);
  expect(engine.languages).toEqual(['en']);
  const spoken = await spokenBy(engine, 'ab. y');
  expect(spoken.length).toBeGreaterThan(1);
  const samples = Int16Array.from(spoken.flatMap((part) => [...part.samples]));
  expect(spoken.every(({ sampleRateHz }) => sampleRateHz === 16_000)).toBe(true);
  const letter = (LETTER_MS * 16_000) / 1000;
  expect(pitchHz(samples.subarray(0, letter), 16_000)).toBeCloseTo(letterHz(1), -2);
  expect(pitchHz(samples.subarray(letter, 2 * letter), 16_000)).toBeCloseTo(letterHz(2), -2);
  expect(pitchHz(samples.subarray(-letter), 16_000)).toBeCloseTo(letterHz(25), -2);

  const reason = new Error('enough');
  await expect(spokenBy(engine, 'abc', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const controller = new AbortController();
  const parts = engine.speak('ab. cd. ef. gh.', {
    language: 'en',
    gender: undefined,
    signal: controller.signal,
  });
  await expect(async () => {
    for await (const { samples } of parts) if (samples.length > 0) controller.abort(reason);
  }).rejects.toBe(reason);
  expect(await spokenBy(engine, 'abc')).not.toEqual([]);
});

it('chooses the voice by language, then by gender', async () => {
  const { engine } = await speaking([
    { name: 'a', sampleRateHz: 8_000, description: { voices: [{ speaker: 0, gender: 'male' }] } },
    {
      name: 'b',
      sampleRateHz: 16_000,
      description: { voices: [{ speaker: 0, gender: 'female' }] },
    },
    { name: 'c', sampleRateHz: 22_050, description: { languages: ['de'] } },
  ]);
  expect(engine.languages.toSorted()).toEqual(['de', 'en']);
  const rate = async (options: Parameters<typeof spokenBy>[2]) =>
    (await spokenBy(engine, 'abc', options))[0]?.sampleRateHz;
  expect(await rate({ gender: 'male' })).toBe(8_000);
  expect(await rate({ gender: 'female' })).toBe(16_000);
  expect(await rate({})).toBe(8_000);
  expect(await rate({ language: 'de-DE', gender: 'male' })).toBe(22_050);
  await expect(async () => spokenBy(engine, 'abc', { language: 'fr' })).rejects.toMatchObject({
    code: 'synthesis_failed',
  });
});

it('speaks after its process died, hung or ended idle', async () => {
  const { engine } = await speaking([{ name: 'tones', sampleRateHz: 16_000 }], {
    idleMs: 300,
    hangTimeoutMs: 10_000,
  });
  const lengthOf = async () =>
    (await spokenBy(engine, 'abc')).reduce((sum, { samples }) => sum + samples.length, 0);
  const expected = 3 * LETTER_MS * 16;
  expect(await lengthOf()).toBe(expected);
  await until(() => childPids('sherpa-voice-child').length === 0, { what: 'an idle voice to end' });
  expect(await lengthOf()).toBe(expected);
  for (const pid of childPids('sherpa-voice-child')) process.kill(pid, 'SIGSTOP');
  expect(await lengthOf()).toBe(expected);
});

it('reports which model cannot speak, and why', async () => {
  const folder = modelsFolder();
  const place = path.join(folder, 'broken');
  writeToneVoice(place, { sampleRateHz: 16_000, letterMs: LETTER_MS });
  describeModel(place, { kind: 'synthesis', family: 'vits' });
  const models = await usableModels(folder);
  rmSync(path.join(place, 'model.onnx'));
  const engines = await createSherpaVoices({ models, log: recordLog() });
  expect(engines).toEqual([
    { name: 'broken', reason: expect.stringMatching(/voice broken cannot be used: ./) as string },
  ]);
  expect(childPids('sherpa-voice-child')).toEqual([]);
});
