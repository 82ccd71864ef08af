/**
 * A WebAssembly instance that can move to a new memory. Memory freed by C++ stays with the process, because a
 * WebAssembly memory never shrinks and none of its pages can be returned. In a new memory of the same size, a
 * page costs nothing until it is written to, and free blocks are not copied.
 *
 * Works for modules built by Emscripten. Function pointers stay valid, because each instance has the module's
 * table. The only state outside of the memory may be the stack pointer, which has its initial value whenever
 * no function runs: other state could not be detected.
 */

export type Wasm = (...args: number[]) => number;

/** Functions by their pointers. */
interface Table {
  get(pointer: number): Wasm | null;
}

/** Exports of an instance. */
interface Exports {
  functions: WasmFunctions;
  table: Table;
}
export type WasmFunctions = Readonly<Record<string, Wasm>>;

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/** Imports of the module, by module and name. */
export type WasmImports = Record<string, Record<string, unknown>> & {
  env: { memory: WasmMemory; emscripten_resize_heap: Wasm };
};

interface Declared {
  module?: string;
  name: string;
  kind: string;
}

/** Parts of the API that Node's types leave out. */
export const { WebAssembly: webAssembly } = globalThis as unknown as {
  WebAssembly: {
    validate(binary: Uint8Array): boolean;
    compile(binary: Uint8Array): Promise<object>;
    Instance: new (module: object, imports: WasmImports) => { exports: object };
    Memory: new (pages: { initial: number; maximum: number }) => WasmMemory;
    Module: { imports(module: object): Declared[]; exports(module: object): Declared[] };
  };
};

const WASM_PAGE = 65_536;
/** Minimum page size of operating systems, in bytes. */
const SYSTEM_PAGE = 4_096;
/** Emscripten's limit for a growing memory. */
const MAX_PAGES = 2 ** 31 / WASM_PAGE;
/** Sizes of free blocks to search for, in bytes; each is half the previous one. */
const FREE_BLOCKS = { largest: 2 ** 26, smallest: 2 ** 14 };
const TABLE = '__indirect_function_table';

/** An allocated range of a memory, in bytes. */
interface Block {
  start: number;
  end: number;
}

export interface MovableInstance {
  /** Exports that always call the current instance. */
  exports: object;
  /**
   * Moves to a new memory; no function of the module may be running. The old memory is freed by the next
   * garbage collection, provided no other reference to it or its buffer exists.
   *
   * @returns the new memory, which is `env.memory` of the imports from now on
   * @throws Error when the move fails; nothing has changed then
   */
  move: () => WasmMemory;
}

/**
 * Creates an instance.
 *
 * @param imports imports; their `env.memory` and `env.emscripten_resize_heap` are replaced
 * @param importsOf returns further imports built from the exports of the same instance
 * @throws Error when the module does not compile, or an import is missing
 */
export async function makeMovable(
  binary: Uint8Array,
  imports: WasmImports,
  importsOf: (own: () => WasmFunctions) => Record<string, WasmFunctions> = () => ({}),
): Promise<MovableInstance> {
  const module = await webAssembly.compile(binary);
  const { env } = imports;
  const resizeHeap = env.emscripten_resize_heap;
  // What the module initialises lies within; the rest of a new memory is empty.
  const initialBytes = env.memory.buffer.byteLength;
  let mayGrow = true;
  env.emscripten_resize_heap = (bytes) => (mayGrow ? resizeHeap(bytes) : 0);
  let current = instantiate(module, imports, importsOf);

  const move = () => {
    assertMovable(module);
    const [from, old] = [env.memory, current];
    let blocks: readonly Block[] = [];
    mayGrow = false;
    try {
      blocks = takeFreeBlocks(old);
      const pages = from.buffer.byteLength / WASM_PAGE;
      env.memory = new webAssembly.Memory({ initial: pages, maximum: MAX_PAGES });
      const next = instantiate(module, imports, importsOf);
      copyAround({ blocks, from, to: env.memory, initialBytes });
      current = next;
    } catch (error) {
      env.memory = from;
      throw error;
    } finally {
      for (const { start } of blocks) current.functions['free']?.(start);
      mayGrow = true;
    }
    return env.memory;
  };
  return { exports: forwardTo(() => current), move };
}

function instantiate(
  module: object,
  imports: WasmImports,
  importsOf: (own: () => WasmFunctions) => Record<string, WasmFunctions>,
): Exports {
  let own: WasmFunctions = {};
  const all = { ...imports, ...importsOf(() => own) };
  const { exports } = new webAssembly.Instance(module, all);
  const { [TABLE]: table, ...functions } = exports as Record<string, unknown>;
  own = functions as WasmFunctions;
  return { functions: own, table: table as Table };
}

/** Returns the same exports, each forwarding to the instance current at the time of the call. */
function forwardTo(current: () => Exports): object {
  const table: Table = {
    get: (pointer) =>
      current().table.get(pointer) === null
        ? null
        : (...args) => current().table.get(pointer)?.(...args) ?? 0,
  };
  const functions = Object.keys(current().functions).map((name): [string, Wasm] => [
    name,
    (...args) => current().functions[name]?.(...args) ?? 0,
  ]);
  return { ...Object.fromEntries(functions), [TABLE]: table };
}

/** @throws Error when the module has state beyond a memory, or no allocator */
function assertMovable(module: object): void {
  const [imports, exports] = [
    webAssembly.Module.imports(module),
    webAssembly.Module.exports(module),
  ];
  const state = [...imports, ...exports].filter(({ kind }) => kind !== 'function');
  const named = new Set(exports.map(({ name }) => name));
  const isMovable =
    state.map(({ name }) => name).join() === `memory,${TABLE}` &&
    imports.some(({ name }) => name === 'emscripten_resize_heap') &&
    ['malloc', 'free'].every((name) => named.has(name));
  if (!isMovable) throw new Error('This module cannot move to another memory.');
}

/** Allocates all blocks available without growing: their content is unused. */
function takeFreeBlocks({ functions: { malloc } }: Exports): Block[] {
  const blocks: Block[] = [];
  for (let size = FREE_BLOCKS.largest; size >= FREE_BLOCKS.smallest; size /= 2) {
    for (let start = malloc?.(size) ?? 0; start !== 0; start = malloc?.(size) ?? 0) {
      blocks.push({ start, end: start + size });
    }
  }
  return blocks.sort((one, other) => one.start - other.start);
}

const EMPTY_PAGE = Buffer.alloc(SYSTEM_PAGE);

/**
 * Copies the pages that do not lie wholly in a block. Equal pages are not written; those of an empty memory are
 * not even read, because some kernels then give them memory.
 */
function copyAround({
  blocks,
  from,
  to,
  initialBytes,
}: {
  blocks: readonly Block[];
  from: WasmMemory;
  to: WasmMemory;
  initialBytes: number;
}): void {
  const [source, target] = [Buffer.from(from.buffer), Buffer.from(to.buffer)];
  const left = [...blocks];
  for (let start = 0; start < source.length; start += SYSTEM_PAGE) {
    const end = start + SYSTEM_PAGE;
    while (left[0] !== undefined && left[0].end < end) left.shift();
    if (left[0] !== undefined && left[0].start <= start) continue;
    const isSame =
      start < initialBytes
        ? source.compare(target, start, end, start, end) === 0
        : source.compare(EMPTY_PAGE, 0, SYSTEM_PAGE, start, end) === 0;
    if (!isSame) source.copy(target, start, start, end);
  }
}
