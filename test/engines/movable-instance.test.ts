/**
 * Compaction of a neural translator's memory: the translator moves to a new memory that omits the free part.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { makeMovable, type WasmMemory } from '../../server/engines/translation/movable-instance.ts';
import { createNeural } from '../../server/engines/translation/neural.ts';
import { findModels } from '../../server/models/find-models.ts';
import { builtModule } from '../support/suite/built-product.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { quickCompiler, writeTranslationModels } from '../support/models/translation-models.ts';
import { tinySize, writeWordTranslator } from '../support/models/word-translator.ts';
import { eventually, recordingLog } from './apertium-support.ts';
import { plain, textsOf } from './marked-segments.ts';
import { hostileTexts } from './translation-texts.ts';

const run = promisify(execFile);
const linux = process.platform === 'linux';

/** Runs a script in a process with the small model from English to Spanish, and returns its output. */
async function withTranslator(script: string): Promise<unknown> {
  const folder = temporaryFolder();
  writeTranslationModels(folder);
  const file = (name: string) => path.join(folder, 'translation-en-es', name);
  const texts = [...hostileTexts(6).map(({ text }) => text), 'The red house', 'Two old rivers.'];
  const { stdout } = await run(process.execPath, [
    ...['--expose-gc', ...quickCompiler, '--input-type=module', '-e'],
    `import { readFileSync } from 'node:fs';
    import { loadBergamot } from '${builtModule('server/engines/translation/bergamot.ts')}';
    const vocabulary = readFileSync('${file('vocab.enes.spm')}');
    const translator = await loadBergamot(
      {
        model: readFileSync('${file('model.enes.intgemm.alphas.bin')}'),
        shortlist: readFileSync('${file('lex.50.50.enes.s2t.bin')}'),
        sourceVocabulary: vocabulary,
        targetVocabulary: vocabulary,
        precision: 'int8shiftAlphaAll',
      },
      () => undefined,
    );
    const texts = ${JSON.stringify(texts.map((text) => text.replaceAll(/\s/g, ' ')))};
    const translate = () =>
      JSON.stringify([
        translator.translate(texts.map((text) => ({ text, isHtml: false }))),
        translator.translate([{ text: '<b>A red</b> house is <i>new</i>.', isHtml: true }]),
      ]);
    const before = translate();
    const isSame = () => translate() === before;
    ${script}`,
  ]);
  return JSON.parse(stdout);
}

test('a translator moves only with room, a collector and a known version; moved twice, it translates the same', async () => {
  const seen = await withTranslator(
    `const { availableMemory } = process;
    process.availableMemory = () => 2 ** 20;
    const early = [translator.compact()];
    Object.assign(process, { availableMemory });
    const { gc } = globalThis;
    globalThis.gc = undefined;
    early.push(translator.compact());
    globalThis.gc = gc;
    const version = globalThis.BERGAMOT_VERSION_FULL;
    globalThis.BERGAMOT_VERSION_FULL = 'v0.5.0';
    early.push(translator.compact(), isSame());
    globalThis.BERGAMOT_VERSION_FULL = version;
    const moves = [1, 2].map(() => ({ hasMoved: translator.compact(), isSame: isSame() }));
    const sizes = [Module.HEAPU8.length];
    const taken = Module._malloc(2 ** 28);
    sizes.push(Module.HEAPU8.length);
    Module.HEAPU8.fill(1, taken, taken + 2 ** 28);
    Module._free(taken);
    console.log(JSON.stringify({ early, moves, grown: sizes[1] - sizes[0] >= 2 ** 26, isSame: isSame() }));`,
  );
  const moved = { hasMoved: true, isSame: true };
  const early = [false, false, false, true];
  expect(seen).toEqual({ early, moves: [moved, moved], grown: true, isSame: true });
});

test.skipIf(!linux)('the process of a model frees the memory that loading needed', async () => {
  const folder = temporaryFolder();
  const words = { The: 'La', house: 'casa', is: 'es', new: 'nueva' };
  const model = path.join(folder, 'translation-en-es');
  writeWordTranslator(model, { source: 'en', target: 'es', words, ...tinySize });
  const { models } = await findModels(folder);
  const log = recordingLog();
  const [engine] = await createNeural({ log, models, compilerFlags: quickCompiler });
  assert.ok(engine !== undefined && 'translate' in engine);
  onTestFinished(() => engine.close());
  const { signal } = new AbortController();
  const translate = async () =>
    textsOf(
      await engine.translate(plain(['The house is new.']), { source: 'en', target: 'es', signal }),
    );
  expect(await translate()).toEqual(['La casa es nueva.']);
  const pid = log.lines.flatMap(({ fields }) => ('childPid' in fields ? [fields.childPid] : []))[0];
  const megabytes = (name: string) => {
    const status = readFileSync(`/proc/${Number(pid)}/status`, 'utf8');
    return (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / 1e6;
  };
  // The system reclaims the old memory in its own time.
  await eventually(() => megabytes('VmRSS') < megabytes('VmHWM') - 100, { what: 'less memory' });
  expect(await translate()).toEqual(['La casa es nueva.']);
});

/** `(import "env" "memory" (memory 1)) (func (export "seven") (result i32) i32.const 7)` */
const WITHOUT_ALLOCATOR = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127],
  ...[2, 15, 1, 3, 101, 110, 118, 6, 109, 101, 109, 111, 114, 121, 2, 0, 1],
  ...[3, 2, 1, 0, 7, 9, 1, 5, 115, 101, 118, 101, 110, 0, 0, 10, 6, 1, 4, 0, 65, 7, 11],
);

test('a module of another kind does not move, and keeps working', async () => {
  const memory: WasmMemory = new WebAssembly.Memory({ initial: 1 });
  const imports = { env: { memory, emscripten_resize_heap: () => 0 } };
  const { exports, move } = await makeMovable(WITHOUT_ALLOCATOR, imports);
  expect(move).toThrow(/cannot move/);
  expect(imports.env.memory).toBe(memory);
  expect((exports as { seven: () => number }).seven()).toBe(7);
});
