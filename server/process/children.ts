/**
 * Worker threads and child processes that run modules of this server: how they are started (from
 * the built JavaScript, or from TypeScript through tsx in development and tests), the framing on
 * their pipes, and their temporary folders.
 */
import {
  fork,
  spawn,
  type ChildProcess,
  type ChildProcessByStdio,
  type SpawnOptions,
} from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { foldersAbove, type Command } from './containment.ts';

/** A child process with pipes for stdin, stdout and stderr. */
export type PipedChild = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Resolves a module to a file. Entry points resolve to their bundled version, which loads in a
 * third of the time.
 *
 * @param importMetaUrl `import.meta.url` of the caller
 * @param name path of the module relative to the caller, without extension: `./decode-worker`
 */
function resolveModule(importMetaUrl: string, name: string): { url: URL; execArgv: string[] } {
  if (importMetaUrl.endsWith('.ts')) {
    const url = new URL(`${name}.ts`, importMetaUrl);
    return { url, execArgv: ['--import', import.meta.resolve('tsx')] };
  }
  const url = new URL(`${name}.js`, importMetaUrl);
  const bundled = new URL(url.href.replace('/dist/server/', '/dist/bundle/'));
  return { url: existsSync(bundled) ? bundled : url, execArgv: [] };
}

/** Starts a module in a worker thread. Arguments as in {@link resolveModule}. */
export function startWorker(importMetaUrl: string, name: string, options?: WorkerOptions): Worker {
  const { url, execArgv } = resolveModule(importMetaUrl, name);
  const entry = execArgv.length > 0 ? typescriptEntry(url) : url;
  return new Worker(entry, { ...options, execArgv: [] });
}

/** Node 20 ignores `--import tsx` in worker threads, so the worker registers tsx itself. */
function typescriptEntry(url: URL): URL {
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const script = `import { register } from ${tsx}; register(); await import(${JSON.stringify(url)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(script)}`);
}

/**
 * Node flags for a child whose end is controlled by its parent: Ctrl+C and the stop signal of a
 * service manager reach the whole process group, but the parent still needs its children to finish
 * their work. Takes effect before the child loads any module.
 */
export const OUTLIVE_SIGNALS: readonly string[] = [
  '--import',
  `data:text/javascript,${encodeURIComponent(
    "for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});",
  )}`,
];

/**
 * Starts a module in a child process with piped stdio. The child ignores signals and must end when
 * its input ends. Arguments as in {@link resolveModule}.
 */
export function startChild(importMetaUrl: string, name: string, args: string[] = []): PipedChild {
  const { url, execArgv } = resolveModule(importMetaUrl, name);
  const flags = [...execArgv, ...OUTLIVE_SIGNALS];
  return spawn(process.execPath, [...flags, fileURLToPath(url), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/**
 * Starts a module in a child process that inherits nothing: its environment is exactly
 * `options.env`. Arguments as in {@link resolveModule}; `options.stdio` includes the channel or
 * pipes.
 *
 * @param options.wrap turns the command into one that runs it contained
 */
export function forkChild(
  importMetaUrl: string,
  name: string,
  {
    args = [],
    execArgv = [],
    wrap = (command) => command,
    ...options
  }: SpawnOptions & {
    args?: readonly string[];
    execArgv?: readonly string[];
    wrap?: (command: Command) => Command;
    env: Record<string, string>;
  },
): ChildProcess {
  const { url, execArgv: ours } = resolveModule(importMetaUrl, name);
  const [program, ...all] = wrap([
    process.execPath,
    ...[...ours, ...execArgv, fileURLToPath(url), ...args],
  ]);
  return spawn(program, all, options);
}

/**
 * Lists the files that Node reads to run a module of this server: Node itself, the server's code,
 * its packages, and the files that define module types.
 *
 * @param importMetaUrl of any module of the server
 */
export function runtimeFiles(importMetaUrl: string): string[] {
  const above = foldersAbove(fileURLToPath(importMetaUrl));
  const server = above.find((folder) => ['server', 'bundle'].includes(path.basename(folder)));
  const ours =
    server === undefined
      ? []
      : [server, ...['shared', 'bundle', 'tables'].map((name) => path.join(server, '..', name))];
  const beside = above.flatMap((folder) =>
    ['node_modules', 'package.json', 'tsconfig.json'].map((name) => path.join(folder, name)),
  );
  return [process.execPath, ...[...ours, ...beside].filter((file) => existsSync(file))];
}

/**
 * Starts a module in a child process that inherits the environment and has a message channel.
 * Arguments as in {@link resolveModule}.
 */
export function forkSibling(importMetaUrl: string, name: string, args: string[]): ChildProcess {
  const { url, execArgv } = resolveModule(importMetaUrl, name);
  // Standard output is reserved for messages to people; the child logs to this process's standard error.
  return fork(fileURLToPath(url), args, {
    execArgv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/*
 * Frames on a pipe: four bytes payload length (little endian), one byte kind, then the payload.
 *
 * A reader parses only these five bytes, and audio is never re-encoded.
 */

/** Size of the header before the payload, in bytes. */
const FRAME_HEADER_BYTES = 5;
/** Largest payload, in bytes; a greater length means that the stream is corrupt. */
export const MAX_PAYLOAD_BYTES = 1_048_576;

const EMPTY = Buffer.alloc(0);

function writeHeader(target: Buffer, kind: number, payloadBytes: number, at = 0): void {
  if (payloadBytes > MAX_PAYLOAD_BYTES) {
    throw new RangeError(`A frame carries at most ${MAX_PAYLOAD_BYTES} bytes`);
  }
  target.writeUInt32LE(payloadBytes, at);
  target.writeUInt8(kind, at + 4);
}

/**
 * Encodes a frame into one buffer, for small messages. Throws RangeError over {@link
 * MAX_PAYLOAD_BYTES}.
 */
export function encodeFrame(kind: number, payload: Uint8Array = EMPTY): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.byteLength);
  writeHeader(frame, kind, payload.byteLength);
  frame.set(payload, FRAME_HEADER_BYTES);
  return frame;
}

/**
 * Writes frames one at a time without copying: the header buffer is reused, and the payload is
 * written from where it is.
 */
export class FrameWriter {
  readonly #stream: Writable;
  readonly #header = Buffer.alloc(FRAME_HEADER_BYTES);
  #isWriting = false;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /**
   * Resolves when the pipe has taken the frame. Until then the payload must not change and no other
   * frame may be written (throws Error). Rejects when the pipe is broken.
   */
  write(kind: number, payload: Uint8Array = EMPTY): Promise<void> {
    if (this.#isWriting) throw new Error('The frame before is still being written');
    writeHeader(this.#header, kind, payload.byteLength);
    this.#isWriting = true;
    return new Promise((resolve, reject) => {
      const done = (error?: Error | null): void => {
        this.#isWriting = false;
        if (error) reject(error);
        else resolve();
      };
      // Corking sends header and payload in one system call.
      this.#stream.cork();
      if (payload.byteLength === 0) {
        this.#stream.write(this.#header, done);
      } else {
        this.#stream.write(this.#header);
        this.#stream.write(payload, done);
      }
      this.#stream.uncork();
    });
  }
}

/** Size of a batch buffer, in bytes; a larger frame gets a buffer of its own. */
const BATCH_BYTES = 128 * 1024;
/** Number of buffers kept for reuse: as many may be in flight while a busy child reads slowly. */
const MOST_SPARES = 8;

/**
 * Batches frames for a pipe, so that frames of the same moment leave in one system call: with a
 * hundred streams, one call per frame would cost more than everything else.
 */
export class FrameBatch {
  readonly #stream: Writable;
  readonly #schedule: (leave: () => void) => void;
  readonly #flush = () => {
    this.#isDue = false;
    this.#leave();
  };
  #buffer: Buffer = Buffer.allocUnsafeSlow(BATCH_BYTES);
  #usedBytes = 0;
  /**
   * Sent buffers, kept for reuse. Fresh allocations would create as much garbage as all traffic and
   * force V8 into a full collection every second.
   */
  readonly #spares: Buffer[] = [];
  #isDue = false;

  /**
   * @param schedule defers the flush, which defines how long frames are gathered: `setImmediate`,
   *   `queueMicrotask`
   */
  constructor(stream: Writable, schedule: (leave: () => void) => void) {
    this.#stream = stream;
    this.#schedule = schedule;
  }

  /**
   * Returns room for the payload of the next frame, to be filled at once.
   *
   * @throws RangeError over {@link MAX_PAYLOAD_BYTES}
   */
  add(kind: number, payloadBytes: number): Buffer {
    const sizeBytes = FRAME_HEADER_BYTES + payloadBytes;
    if (this.#usedBytes + sizeBytes > this.#buffer.length) {
      this.#leave();
      if (sizeBytes > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(sizeBytes);
    }
    const start = this.#usedBytes;
    this.#usedBytes += sizeBytes;
    writeHeader(this.#buffer, kind, payloadBytes, start);
    if (!this.#isDue) {
      this.#isDue = true;
      this.#schedule(this.#flush);
    }
    return this.#buffer.subarray(start + FRAME_HEADER_BYTES, this.#usedBytes);
  }

  #leave(): void {
    if (this.#usedBytes === 0) return;
    const buffer = this.#buffer;
    // A broken pipe shows as the exit of the process.
    this.#stream.write(buffer.subarray(0, this.#usedBytes), () => {
      const isOfUse = buffer.length === BATCH_BYTES && this.#spares.length < MOST_SPARES;
      if (isOfUse) this.#spares.push(buffer);
    });
    this.#usedBytes = 0;
    this.#buffer = this.#spares.pop() ?? Buffer.allocUnsafeSlow(BATCH_BYTES);
  }
}

/**
 * Reassembles frames from chunks of any size. A payload within one chunk is passed on as a view of
 * the chunk; any other is copied once.
 */
export class FrameReader {
  readonly #onFrame: (kind: number, payload: Buffer) => void;
  readonly #header = Buffer.alloc(FRAME_HEADER_BYTES);
  #headerBytes = 0;
  /** The partial payload; undefined between frames. */
  #payload: Buffer | undefined;
  #payloadBytes = 0;

  constructor(onFrame: (kind: number, payload: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  /** Takes a chunk. Throws RangeError on an impossible length: the stream is then lost. */
  push(chunk: Buffer): void {
    let offset = this.#readWhole(chunk);
    while (offset < chunk.byteLength) {
      offset += this.#payload === undefined ? this.#readHeader(chunk, offset) : 0;
      if (this.#headerBytes === FRAME_HEADER_BYTES) offset += this.#readPayload(chunk, offset);
    }
  }

  /** Fast path: delivers frames that lie whole within the chunk and returns where they end. */
  #readWhole(chunk: Buffer): number {
    let offset = 0;
    if (this.#headerBytes > 0) return offset;
    while (offset + FRAME_HEADER_BYTES <= chunk.byteLength) {
      const start = offset + FRAME_HEADER_BYTES;
      const end = start + chunk.readUInt32LE(offset);
      if (end > chunk.byteLength) break;
      this.#onFrame(chunk.readUInt8(offset + 4), chunk.subarray(start, end));
      offset = end;
    }
    return offset;
  }

  #readHeader(chunk: Buffer, offset: number): number {
    const taken = chunk.copy(this.#header, this.#headerBytes, offset);
    this.#headerBytes += taken;
    return taken;
  }

  #readPayload(chunk: Buffer, offset: number): number {
    const length = this.#header.readUInt32LE(0);
    if (length > MAX_PAYLOAD_BYTES) throw new RangeError('A frame is longer than frames can be');
    if (this.#payload === undefined && chunk.byteLength - offset >= length) {
      this.#deliver(chunk.subarray(offset, offset + length));
      return length;
    }
    this.#payload ??= Buffer.allocUnsafe(length);
    const taken = chunk.copy(this.#payload, this.#payloadBytes, offset);
    this.#payloadBytes += taken;
    if (this.#payloadBytes === length) this.#deliver(this.#payload);
    return taken;
  }

  #deliver(payload: Buffer): void {
    this.#headerBytes = 0;
    this.#payload = undefined;
    this.#payloadBytes = 0;
    this.#onFrame(this.#header.readUInt8(4), payload);
  }
}

// Temporary folders: placed in the system's temporary folder, marked while in use, and removed by
// another process soon after their owner was killed.

const PREFIXES = {
  document: 'dragoman-document-',
  grammars: 'dragoman-grammars-',
  speech: 'dragoman-speech-',
};
/** Includes the folder of a recogniser, which exists while it starts. */
const SWEPT = [...Object.values(PREFIXES), 'dragoman-pieces-'];
/** Interval at which folders in use are marked, in ms. */
const MARK_PERIOD_MS = 1_000;
/** Interval at which folders of other processes are checked, in ms. */
const SWEEP_PERIOD_MS = 60_000;

const inUse = new Set<string>();
let isKept = false;

/**
 * Makes a new temporary folder and starts removing those that dead processes left behind.
 *
 * @throws the system's error, for instance when the disk is full
 */
export async function createTemporaryFolder(purpose: keyof typeof PREFIXES): Promise<string> {
  keep();
  const folder = await mkdtemp(path.join(tmpdir(), PREFIXES[purpose]));
  inUse.add(folder);
  return folder;
}

/** Removes a folder with its content. */
export async function removeTemporaryFolder(folder: string): Promise<void> {
  inUse.delete(folder);
  await rm(folder, { recursive: true, force: true });
}

/** Marks and sweeps folders from the first use until the process ends. */
function keep(): void {
  if (isKept) return;
  isKept = true;
  const sweep = temporaryFolderSweep();
  void sweep();
  setInterval(() => void sweep(), SWEEP_PERIOD_MS).unref();
  setInterval(() => {
    const now = new Date();
    // The folder may be about to be removed.
    for (const folder of inUse) utimes(folder, now, now).catch(() => undefined);
  }, MARK_PERIOD_MS).unref();
}

/**
 * Makes a sweep, to be called repeatedly. It removes folders of killed processes: those that were
 * not marked since the previous call. It compares only marks, so the clocks of other machines do
 * not matter; process ids would not do, as they differ between containers.
 */
export function temporaryFolderSweep(): () => Promise<void> {
  let marks = new Map<string, number>();
  return async () => {
    const found = new Map<string, number>();
    // Without a temporary folder there is nothing to sweep.
    for (const name of await readdir(tmpdir()).catch(() => [])) {
      if (!SWEPT.some((prefix) => name.startsWith(prefix))) continue;
      const folder = path.join(tmpdir(), name);
      try {
        const { mtimeMs } = await stat(folder);
        found.set(folder, mtimeMs);
        if (marks.get(folder) === mtimeMs) await rm(folder, { recursive: true, force: true });
      } catch {
        // The folder belongs to another user, or has gone meanwhile.
      }
    }
    marks = found;
  };
}
