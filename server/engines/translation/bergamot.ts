/**
 * The runtime of Firefox's translation models: bergamot-translator, compiled to WebAssembly. It runs in the
 * calling thread and keeps the memory it takes, so it belongs in a process of its own. An error aborts the
 * runtime, which is unusable afterwards.
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
  /** Vocabularies of source and target; the same array where both share one. */
  sourceVocabulary: Uint8Array;
  targetVocabulary: Uint8Array;
  precision: 'int8shiftAlphaAll' | 'int8shiftAll';
}

/** A sentence. In HTML, tags return around the translation of the words inside them. */
export interface BergamotSentence {
  text: string;
  isHtml: boolean;
}

export interface BergamotTranslator {
  /** Translates sentences of one line each, in order. @throws Error after which the translator is unusable */
  translate(sentences: readonly BergamotSentence[]): string[];
  /**
   * Frees unused memory. This frees much after the first sentence, by which time most is loaded. Takes more
   * memory for some tenths of a second. Needs `--expose-gc`.
   *
   * @returns false when that is not possible or the system has too little memory; nothing has changed then
   */
  compact(): boolean;
}

/** C++ objects, which must be freed explicitly. */
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

/** The part of the runtime's interface in use. */
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

/** 8-bit matrix multiplication: Firefox provides its own; elsewhere the runtime's fallbacks must be named. */
const kernels = {
  int8_prepare_a: 'int8PrepareAFallback',
  int8_prepare_b: 'int8PrepareBFallback',
  int8_prepare_b_from_transposed: 'int8PrepareBFromTransposedFallback',
  int8_prepare_b_from_quantized_transposed: 'int8PrepareBFromQuantizedTransposedFallback',
  int8_prepare_bias: 'int8PrepareBiasFallback',
  int8_multiply_and_add_bias: 'int8MultiplyAndAddBiasFallback',
  int8_select_columns_of_b: 'int8SelectColumnsOfBFallback',
};

/** Memory alignments that the runtime requires, in bytes. */
const MODEL_ALIGNMENT = 256;
const LIST_ALIGNMENT = 64;

/** A module with one SIMD instruction: `(func (result v128) i32.const 0 i8x16.splat)`. */
const SIMD_PROBE = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3],
  ...[2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11],
);

/** Whether this processor has the vector instructions that the runtime requires. */
export function hasSimd(): boolean {
  return webAssembly.validate(SIMD_PROBE);
}

/** Lone surrogates and replacement characters crash the runtime, and a NUL ends the text. */
const CRASHING_CHARACTERS = /[\0\p{Surrogate}\ufffd]/gu;

/** Returns the network's settings, as in Firefox. */
function settingsFor(precision: BergamotModel['precision']): string {
  return [
    ...['beam-size: 1', 'normalize: 1.0', 'word-penalty: 0', 'max-length-factor: 2.0'],
    ...['cpu-threads: 0', 'skip-cost: true', 'quiet: true', 'quiet-translation: true'],
    // A last resort: longer sentences are cut there, even within a word, and lose the blank.
    ...['max-length-break: 256', 'mini-batch-words: 1024', 'workspace: 16'],
    // Word alignment, by which tags find their place.
    'alignment: soft',
    // Each text is one sentence, since texts are already split.
    'ssplit-mode: sentence',
    `gemm-precision: ${precision}\n`,
  ].join('\n');
}

/**
 * Loads a model.
 *
 * @param onComplaint receives the runtime's error output, line by line
 * @throws Error when loading fails; it may also never settle, and the last complaint then tells why
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
        texts.push_back(text.replace(CRASHING_CHARACTERS, ' '));
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

/** Global variables that the runtime's script declares. */
interface ScriptVariables {
  BERGAMOT_VERSION_FULL: string;
  wasmMemory: WasmMemory;
  updateGlobalBufferAndViews(buffer: ArrayBuffer): void;
}

/** Version whose script and binary are known to tolerate a new memory; see movable-instance.ts. */
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
  // Both memories exist for a moment.
  if (process.availableMemory() < process.memoryUsage.rss()) return false;
  let memory: WasmMemory;
  try {
    memory = instance.move();
  } catch {
    return false;
  }
  script.wasmMemory = memory;
  script.updateGlobalBufferAndViews(memory.buffer);
  // Left to itself, collection would come late or never, because JavaScript has little to collect.
  collectGarbage();
  return true;
}
