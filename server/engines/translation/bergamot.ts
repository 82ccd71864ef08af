/**
 * The runtime of Firefox's translation models: bergamot-translator, compiled to WebAssembly. Works in
 * the thread that calls it, and keeps what it takes: for a process of its own. What it cannot do ends
 * it (`abort`), and it is of no use afterwards.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import {
  makeMovable,
  webAssembly,
  type MovableInstance,
  type Wasm,
  type WasmFunctions,
  type WasmImports,
  type WasmMemory,
} from './movable-instance.ts';

/** The files of a model, in memory. */
export interface BergamotModel {
  model: Uint8Array;
  shortlist: Uint8Array | undefined;
  /** Of the source and the target; the same array where they share one. */
  sourceVocabulary: Uint8Array;
  targetVocabulary: Uint8Array;
  precision: 'int8shiftAlphaAll' | 'int8shiftAll';
}

/** A sentence. As HTML its tags come back around what the words in them were translated to. */
export interface BergamotSentence {
  text: string;
  isHtml: boolean;
}

export interface BergamotTranslator {
  /** Translates sentences of one line each; order kept. @throws Error after which it is of no use */
  translate(sentences: readonly BergamotSentence[]): string[];
  /**
   * Gives back what memory is free: much, after the first sentence, with which most is loaded. For some
   * tenths of a second it takes more. Needs `--expose-gc`.
   *
   * @returns false when it cannot, or the system has too little memory for it; all goes on as it was
   */
  compact(): boolean;
}

/** Objects of C++, which have to be freed. */
interface Owned {
  delete(): void;
}
interface AlignedMemory extends Owned {
  getByteArrayView(): Int8Array;
}
interface Vector<Item> extends Owned {
  push_back(item: Item): void;
  get(index: number): Item;
}
interface Response extends Owned {
  getTranslatedText(): string;
}
interface ResponseOptions {
  alignment: boolean;
  html: boolean;
  qualityScores: boolean;
}

/** What of the runtime's interface is used here. */
interface Runtime {
  AlignedMemory: new (bytes: number, alignment: number) => AlignedMemory;
  AlignedMemoryList: new () => Vector<AlignedMemory>;
  TranslationModel: new (
    settings: string,
    model: AlignedMemory,
    shortlist: AlignedMemory | null,
    vocabularies: Vector<AlignedMemory>,
    quality: null,
  ) => Owned;
  BlockingService: new (options: { cacheSize: number }) => {
    translate(
      model: Owned,
      texts: Vector<string>,
      options: Vector<ResponseOptions>,
    ): Vector<Response>;
  };
  VectorString: new () => Vector<string>;
  VectorResponseOptions: new () => Vector<ResponseOptions>;
}

/** Multiplication of 8-bit matrices: Firefox brings its own, elsewhere the runtime's are to be named. */
const kernels = {
  int8_prepare_a: 'int8PrepareAFallback',
  int8_prepare_b: 'int8PrepareBFallback',
  int8_prepare_b_from_transposed: 'int8PrepareBFromTransposedFallback',
  int8_prepare_b_from_quantized_transposed: 'int8PrepareBFromQuantizedTransposedFallback',
  int8_prepare_bias: 'int8PrepareBiasFallback',
  int8_multiply_and_add_bias: 'int8MultiplyAndAddBiasFallback',
  int8_select_columns_of_b: 'int8SelectColumnsOfBFallback',
};

/** Alignments of memory in bytes, as the runtime wants them. */
const MODEL_ALIGNMENT = 256;
const LIST_ALIGNMENT = 64;

/** A module with one SIMD instruction: `(func (result v128) i32.const 0 i8x16.splat)`. */
const SIMD_PROBE = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3],
  ...[2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11],
);

/** Whether this processor has the vector instructions without which the runtime does not start. */
export function hasSimd(): boolean {
  return webAssembly.validate(SIMD_PROBE);
}

/** Half a character and what stands for one that was lost end the runtime, and a NUL the text. */
const UNBEARABLE = /[\0\p{Surrogate}\ufffd]/gu;

/** What the network does, as Firefox has it. */
function settingsFor(precision: BergamotModel['precision']): string {
  return [
    ...['beam-size: 1', 'normalize: 1.0', 'word-penalty: 0', 'max-length-factor: 2.0'],
    ...['cpu-threads: 0', 'skip-cost: true', 'quiet: true', 'quiet-translation: true'],
    // Longer sentences are cut there, be it in a word, and come back without the blank: a last resort.
    ...['max-length-break: 256', 'mini-batch-words: 1024', 'workspace: 16'],
    // Where words of the translation come from, by which tags find their place.
    'alignment: soft',
    // Each text is one sentence: they have been cut before.
    'ssplit-mode: sentence',
    `gemm-precision: ${precision}\n`,
  ].join('\n');
}

/**
 * Loads a model.
 *
 * @param onComplaint called with what the runtime says on its error output
 * @throws Error when it cannot, or never answers: what it complained of last says why
 */
export async function loadBergamot(
  files: BergamotModel,
  onComplaint: (line: string) => void,
): Promise<BergamotTranslator> {
  const { runtime, compact } = await startRuntime(onComplaint);
  const aligned = (bytes: Uint8Array, alignment: number) => {
    const memory = new runtime.AlignedMemory(bytes.byteLength, alignment);
    memory.getByteArrayView().set(bytes);
    return memory;
  };
  const vocabularies = new runtime.AlignedMemoryList();
  const isShared = files.sourceVocabulary === files.targetVocabulary;
  for (const each of [files.sourceVocabulary, ...(isShared ? [] : [files.targetVocabulary])]) {
    vocabularies.push_back(aligned(each, LIST_ALIGNMENT));
  }
  const model = new runtime.TranslationModel(
    settingsFor(files.precision),
    aligned(files.model, MODEL_ALIGNMENT),
    files.shortlist === undefined ? null : aligned(files.shortlist, LIST_ALIGNMENT),
    vocabularies,
    null,
  );
  const service = new runtime.BlockingService({ cacheSize: 0 });
  return {
    compact,
    translate(sentences) {
      const texts = new runtime.VectorString();
      const options = new runtime.VectorResponseOptions();
      for (const { text, isHtml } of sentences) {
        texts.push_back(text.replace(UNBEARABLE, ' '));
        options.push_back({ alignment: isHtml, html: isHtml, qualityScores: false });
      }
      const responses = service.translate(model, texts, options);
      const translated = sentences.map((_, index) => {
        const response = responses.get(index);
        const text = response.getTranslatedText();
        response.delete();
        return text;
      });
      for (const each of [texts, options, responses]) each.delete();
      return translated;
    },
  };
}

/** What the runtime's script declares: variables of the whole process. */
interface ScriptVariables {
  BERGAMOT_VERSION_FULL: string;
  wasmMemory: WasmMemory;
  updateGlobalBufferAndViews(buffer: ArrayBuffer): void;
}

/** Of its script and binary it is known that they bear a new memory; see movable-instance.ts. */
const MOVABLE_VERSION = 'v0.4.5+4917c11';

/** Compiles the runtime. Its script reads the global `Module`, fills it, and calls it back. */
async function startRuntime(
  onComplaint: (line: string) => void,
): Promise<{ runtime: Runtime; compact: () => boolean }> {
  const script = createRequire(import.meta.url).resolve(
    '@browsermt/bergamot-translator/worker/bergamot-translator-worker.js',
  );
  const binary = readFileSync(path.join(path.dirname(script), 'bergamot-translator-worker.wasm'));
  return new Promise((resolve, reject) => {
    const runtime: Partial<Runtime> = {};
    let compact = () => false;
    Object.assign(runtime, {
      print: onComplaint,
      printErr: onComplaint,
      instantiateWasm(imports: WasmImports, accept: (instance: object) => void) {
        makeMovable(binary, imports, linkKernels).then((instance) => {
          compact = () => moveToNewMemory(instance);
          accept(instance);
        }, reject);
        return {};
      },
      onRuntimeInitialized: () => resolve({ runtime: runtime as Runtime, compact }),
    });
    Object.assign(globalThis, { Module: runtime });
    vm.runInThisContext(readFileSync(script, 'utf8'), { filename: script });
  });
}

function linkKernels(own: () => WasmFunctions): Record<string, WasmFunctions> {
  const linked = Object.entries(kernels).map(([name, fallback]): [string, Wasm] => [
    name,
    (...args) => own()[fallback]?.(...args) ?? 0,
  ]);
  return { wasm_gemm: Object.fromEntries(linked) };
}

function moveToNewMemory(instance: MovableInstance): boolean {
  const script = globalThis as unknown as ScriptVariables;
  const { gc: collectGarbage } = globalThis;
  const isKnown = script.BERGAMOT_VERSION_FULL === MOVABLE_VERSION;
  if (!isKnown || collectGarbage === undefined) return false;
  // For a moment both memories are there.
  if (process.availableMemory() < process.memoryUsage.rss()) return false;
  let memory: WasmMemory;
  try {
    memory = instance.move();
  } catch {
    return false;
  }
  script.wasmMemory = memory;
  script.updateGlobalBufferAndViews(memory.buffer);
  // By itself that would come late, if ever: for JavaScript there is little to collect.
  collectGarbage();
  return true;
}
