/** Processors without AVX or SSE4: what runs on them, and which errors report what does not. */
import assert from 'node:assert/strict';
import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type {
  NeuralAnswer,
  NeuralOpening,
  NeuralQuestion,
} from '../../server/engines/translation/neural-model.ts';
import type { LocalModel } from '../../server/models/local-model.ts';
import { findProgram } from '../../server/setup/command.mjs';
import { builtModule } from '../support/suite/built-product.ts';
import { speech } from '../support/audio/speech.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { writeTranslationModels } from '../support/models/translation-models.ts';
import { moonshineModel } from './moonshine-support.ts';

const run = promisify(execFile);

const QEMU = 'qemu-x86_64';
const isEmulated =
  process.arch === 'x64' && findProgram(QEMU, process.env['PATH'] ?? '') !== undefined;

const built = (source: string) => JSON.stringify(builtModule(source));

/** What V8 compiles or does on threads beside is emulated as well: a quarter of the processor time without. */
const PLAINLY = ['--no-opt', '--no-sparkplug', '--single-threaded'];

const clip = { text: 'yes', voice: 'rms', padStartS: 0, padEndS: 0 } as const;

/** Runs the encoder of the default recogniser, and its detector of speech. */
const hearing = ({ encoder, vad }: LocalModel['files'], wav: string) => `
  import { readFileSync } from 'node:fs';
  import { InferenceSession, Tensor } from 'onnxruntime-node';
  import { loadSileroVad } from ${built('server/engines/recognition/speech-track.ts')};
  const wav = readFileSync(${JSON.stringify(wav)}).subarray(44);
  const samples = Float32Array.from({ length: 5_120 }, (_, at) => wav.readInt16LE(2 * at) / 32_768);
  const detector = (await loadSileroVad(${JSON.stringify(vad)})).open();
  const chances = [];
  for (let at = 0; at < 5_120; at += 512) chances.push(await detector.judge(samples.slice(at, at + 512)));
  const session = await InferenceSession.create(${JSON.stringify(encoder)}, { intraOpNumThreads: 1 });
  const input = new Tensor('float32', samples.subarray(0, 1_600), [1, 1_600]);
  const [states] = Object.values(await session.run({ [session.inputNames[0]]: input }));
  console.log(JSON.stringify({ speech: Math.max(...chances), states: [...states.data.slice(0, 200)] }));`;

interface Heard {
  speech: number;
  states: number[];
}

describe('a processor without AVX', () => {
  // The decoder consists of the same operations as the encoder, at thrice the price. Nehalem (2008) has no
  // AVX; emulation slows everything down some thirty times.
  test.skipIf(!isEmulated)(
    'runs the models of the default recogniser, to the same result',
    { timeout: 900_000 },
    async () => {
      const script = hearing((await moonshineModel()).files, await speech(clip));
      const node = [...PLAINLY, '--input-type=module', '-e', script];
      const heard = async (program: string, ...args: string[]) =>
        JSON.parse((await run(program, [...args, ...node])).stdout) as Heard;
      const here = await heard(process.execPath);
      const emulated = await heard(QEMU, '-cpu', 'Nehalem', process.execPath);
      expect(emulated.speech).toBeGreaterThan(0.5);
      expect(here.states).toHaveLength(200);
      for (const [at, state] of emulated.states.entries()) {
        expect(Math.abs(state - here.states[at]!)).toBeLessThan(0.01);
      }
    },
  );

  // The flag makes Node's WebAssembly behave as on such a processor.
  test.skipIf(process.arch !== 'x64')('translates with a neural model', async () => {
    const folder = temporaryFolder();
    writeTranslationModels(folder);
    const file = (name: string) => path.join(folder, 'translation-en-es', name);
    const opening: NeuralOpening = {
      files: {
        model: file('model.enes.intgemm.alphas.bin'),
        shortlist: file('lex.50.50.enes.s2t.bin'),
        vocab: file('vocab.enes.spm'),
      },
      hasAlphas: true,
    };
    const child = fork(
      new URL(builtModule('server/engines/translation/neural-child.ts')),
      [JSON.stringify(opening)],
      // Compiled as in the product.
      { execArgv: ['--no-enable-avx', '--no-liftoff', '--wasm-lazy-compilation'] },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await answerOf(child)).toEqual({ kind: 'ready' });
    const sentences = [{ text: 'The red house is new.', isHtml: false }];
    child.send({ sentences } satisfies NeuralQuestion);
    expect(await answerOf(child)).toEqual({
      kind: 'translated',
      texts: ['La casa roja es nueva.'],
    });
  });
});

async function answerOf(child: ChildProcess): Promise<NeuralAnswer> {
  const ended = once(child, 'exit').then(() => assert.fail('it has ended.'));
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [NeuralAnswer];
  return answer;
}

// This flag does the same for SSE4. Without neural translation a server has that of Apertium, which needs none.
test.skipIf(process.arch !== 'x64')(
  'a processor without SSE4 has no neural translation, and the reason names what serves instead',
  async () => {
    const folder = temporaryFolder();
    writeTranslationModels(folder);
    const script = `
    import { createNeural } from ${built('server/engines/translation/neural.ts')};
    import { findModels } from ${built('server/models/find-models.ts')};
    const { models } = await findModels(${JSON.stringify(folder)});
    console.log(JSON.stringify(await createNeural({ log: console, models })));`;
    const node = ['--no-enable-sse4-1', '--input-type=module', '-e', script];
    const { stdout } = await run(process.execPath, node);
    expect(JSON.parse(stdout)).toEqual([
      {
        name: 'neural',
        reason: expect.stringMatching(/^Neural .*SSE4\.1.* LIBRETRANSLATE_URL/) as string,
      },
    ]);
  },
);
