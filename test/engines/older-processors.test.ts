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

describe('a processor without AVX', () => {
  // Tests the parts of the recogniser's process, because the whole decodes each utterance several times.
  // Nehalem (2008) has no AVX; emulation slows everything down some thirty times.
  test.skipIf(!isEmulated)(
    'recognises speech with the default recogniser',
    { timeout: 900_000 },
    async () => {
      const { files } = await moonshineModel();
      const script = `
      import { readFileSync } from 'node:fs';
      import { MoonshineModel } from ${built('server/engines/recognition/moonshine-model.ts')};
      import { loadSileroVad } from ${built('server/engines/recognition/speech-track.ts')};
      const files = ${JSON.stringify(files)};
      const wav = readFileSync(${JSON.stringify(await speech(clip))}).subarray(44);
      const samples = Float32Array.from({ length: wav.length / 2 }, (_, at) => wav.readInt16LE(at * 2) / 32_768);
      const detector = (await loadSileroVad(files.vad)).open();
      const chances = [];
      for (let at = 0; at < 5_120; at += 512) chances.push(await detector.judge(samples.slice(at, at + 512)));
      const model = await MoonshineModel.load(files);
      const { tokens } = await model.decode({ samples });
      console.log(JSON.stringify({ text: model.text(tokens), speech: Math.max(...chances) }));`;
      const node = [process.execPath, ...PLAINLY, '--input-type=module', '-e', script];
      const emulated = ['-cpu', 'Nehalem', ...node];
      const { stdout } = await run(QEMU, emulated);
      const { text, speech: chance } = JSON.parse(stdout) as { text: string; speech: number };
      expect(text).toBe('Yes.');
      expect(chance).toBeGreaterThan(0.5);
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
