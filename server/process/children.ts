/**
 * Our own modules in worker threads and child processes: how they are started, from the built
 * JavaScript as well as from TypeScript sources (development and tests, where tsx is there to read
 * them), what goes over their pipes, and where their temporary files are.
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

/** A child with pipes for input, output and errors. */
export type PipedChild = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Finds a module; for modules by themselves that of the bundle too, which loads in a third of the time.
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

/** Node 20 ignores `--import tsx` in worker threads: there tsx has to be registered by the worker itself. */
function typescriptEntry(url: URL): URL {
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const script = `import { register } from ${tsx}; register(); await import(${JSON.stringify(url)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(script)}`);
}

/**
 * Flags of Node for a child that its parent ends: Ctrl+C in a terminal and a service manager's stop
 * signal reach every process of the group, and the parent still needs its children to bring what is
 * under way to a good end. Heeded before the child loads anything.
 */
export const OUTLIVE_SIGNALS: readonly string[] = [
  '--import',
  `data:text/javascript,${encodeURIComponent(
    "for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});",
  )}`,
];

/**
 * Starts a module in a child process with piped stdio, which outlives signals: it has to end when its
 * input does. Arguments as in {@link resolveModule}.
 */
export function startChild(importMetaUrl: string, name: string, args: string[] = []): PipedChild {
  const { url, execArgv } = resolveModule(importMetaUrl, name);
  const flags = [...execArgv, ...OUTLIVE_SIGNALS];
  return spawn(process.execPath, [...flags, fileURLToPath(url), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/**
 * Starts a module in a child process that gets messages and nothing else: none of our environment but
 * what `options.env` says. Arguments as in {@link resolveModule}; `options.stdio` has a channel.
 *
 * @param options.wrap makes the command one that contains it
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
 * What Node reads when it runs a module of ours: itself, our code, packages, and the files that say what
 * kind of modules these are.
 *
 * @param importMetaUrl of a module of the same product
 */
export function runtimeFiles(importMetaUrl: string): string[] {
  const above = foldersAbove(fileURLToPath(importMetaUrl));
  const server = above.find((folder) => ['server', 'bundle'].includes(path.basename(folder)));
  const ours =
    server === undefined
      ? []
      : [server, ...['shared', 'bundle'].map((name) => path.join(server, '..', name))];
  const beside = above.flatMap((folder) =>
    ['node_modules', 'package.json', 'tsconfig.json'].map((name) => path.join(folder, name)),
  );
  return [process.execPath, ...[...ours, ...beside].filter((file) => existsSync(file))];
}

/** Starts a module in a child process with our environment, which gets messages. Arguments as in {@link resolveModule}. */
export function forkSibling(importMetaUrl: string, name: string, args: string[]): ChildProcess {
  const { url, execArgv } = resolveModule(importMetaUrl, name);
  // Standard output is for people; what it logs goes where ours goes.
  return fork(fileURLToPath(url), args, {
    execArgv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/*
 * Frames over a pipe: four bytes length of the payload (little endian), one byte kind, the payload.
 * Neither side parses more than five bytes to know what it has, and audio stays as it is.
 */

/** Bytes before the payload. */
export const FRAME_HEADER_BYTES = 5;
/** A longer payload is a broken stream, not a message. */
export const MAX_PAYLOAD_BYTES = 1_048_576;

const EMPTY = Buffer.alloc(0);

function writeHeader(target: Buffer, kind: number, payloadBytes: number, at = 0): void {
  if (payloadBytes > MAX_PAYLOAD_BYTES) {
    throw new RangeError(`A frame carries at most ${MAX_PAYLOAD_BYTES} bytes`);
  }
  target.writeUInt32LE(payloadBytes, at);
  target.writeUInt8(kind, at + 4);
}

/** A frame as one buffer, for small messages. Throws RangeError over {@link MAX_PAYLOAD_BYTES}. */
export function encodeFrame(kind: number, payload: Uint8Array = EMPTY): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.byteLength);
  writeHeader(frame, kind, payload.byteLength);
  frame.set(payload, FRAME_HEADER_BYTES);
  return frame;
}

/**
 * Writes frames, one at a time: the header is always the same five bytes, and the payload goes into
 * the pipe from where it lies.
 */
export class FrameWriter {
  readonly #stream: Writable;
  readonly #header = Buffer.alloc(FRAME_HEADER_BYTES);
  #isWriting = false;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /**
   * Resolves when the pipe has taken the frame, and not before: until then neither the payload may
   * change nor another frame be written (throws Error). Rejects when the pipe is broken.
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
      // Corked, header and payload leave in one system call.
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

/** Frames that leave together: larger ones get a buffer of their own. */
const BATCH_BYTES = 128 * 1024;
/** Buffers that are kept to be filled again: as many may be on their way while a busy child reads slowly. */
const MOST_SPARES = 8;

/**
 * Gathers frames for a pipe, so that those of a moment leave in one system call: with a hundred
 * streams, calls of their own would cost more than all the rest.
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
   * Those that have left, to be filled again: made anew, they would be as much to collect as all that is sent,
   * and have V8 look through its whole heap every second.
   */
  readonly #spares: Buffer[] = [];
  #isDue = false;

  /** @param schedule until when frames that leave together are gathered: `setImmediate`, `queueMicrotask` */
  constructor(stream: Writable, schedule: (leave: () => void) => void) {
    this.#stream = stream;
    this.#schedule = schedule;
  }

  /** Room for the payload of the next frame, to be filled at once. @throws RangeError over {@link MAX_PAYLOAD_BYTES} */
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
    // A pipe that breaks shows as the end of the process.
    this.#stream.write(buffer.subarray(0, this.#usedBytes), () => {
      const isOfUse = buffer.length === BATCH_BYTES && this.#spares.length < MOST_SPARES;
      if (isOfUse) this.#spares.push(buffer);
    });
    this.#usedBytes = 0;
    this.#buffer = this.#spares.pop() ?? Buffer.allocUnsafeSlow(BATCH_BYTES);
  }
}

/**
 * Puts frames together from chunks of any size. A payload that lies within one chunk is handed on as
 * a view of that chunk, any other is copied once.
 */
export class FrameReader {
  readonly #onFrame: (kind: number, payload: Buffer) => void;
  readonly #header = Buffer.alloc(FRAME_HEADER_BYTES);
  #headerBytes = 0;
  /** The payload being put together; undefined between frames. */
  #payload: Buffer | undefined;
  #payloadBytes = 0;

  constructor(onFrame: (kind: number, payload: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  /** Takes a chunk. Throws RangeError when a length cannot be right: the stream is then lost. */
  push(chunk: Buffer): void {
    let offset = this.#readWhole(chunk);
    while (offset < chunk.byteLength) {
      offset += this.#payload === undefined ? this.#readHeader(chunk, offset) : 0;
      if (this.#headerBytes === FRAME_HEADER_BYTES) offset += this.#readPayload(chunk, offset);
    }
  }

  /** The usual frames, whole and one after the other; returns where they end. */
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

// Folders for files of programs, in the system's temporary folder, which outlive no process for long.

const PREFIXES = {
  document: 'dragoman-document-',
  grammars: 'dragoman-grammars-',
  speech: 'dragoman-speech-',
};
/** That of a recogniser is there while it starts. */
const SWEPT = [...Object.values(PREFIXES), 'dragoman-pieces-'];
/** How often folders that are in use are marked as such, in ms. */
const MARK_PERIOD_MS = 1_000;
/** How often those of others are looked at, in ms. */
const SWEEP_PERIOD_MS = 60_000;

const inUse = new Set<string>();
let isKept = false;

/**
 * Makes a folder of one's own, and sees to those that processes before this one have left.
 *
 * @throws the system's error when there is no room, for one
 */
export async function createTemporaryFolder(purpose: keyof typeof PREFIXES): Promise<string> {
  keep();
  const folder = await mkdtemp(path.join(tmpdir(), PREFIXES[purpose]));
  inUse.add(folder);
  return folder;
}

/** Removes a folder with what is in it. */
export async function removeTemporaryFolder(folder: string): Promise<void> {
  inUse.delete(folder);
  await rm(folder, { recursive: true, force: true });
}

/** From the first folder to the end of the process. */
function keep(): void {
  if (isKept) return;
  isKept = true;
  const sweep = temporaryFolderSweep();
  void sweep();
  setInterval(() => void sweep(), SWEEP_PERIOD_MS).unref();
  setInterval(() => {
    const now = new Date();
    // It may be on its way out.
    for (const folder of inUse) utimes(folder, now, now).catch(() => undefined);
  }, MARK_PERIOD_MS).unref();
}

/**
 * Makes a sweep, to be called from time to time: it removes the folders of processes that were killed,
 * which nobody has marked since it was called before. Clocks of other machines do not matter, nor do ids
 * of processes, which are others in each container.
 */
export function temporaryFolderSweep(): () => Promise<void> {
  let marks = new Map<string, number>();
  return async () => {
    const found = new Map<string, number>();
    // Without a temporary folder there is nothing in it.
    for (const name of await readdir(tmpdir()).catch(() => [])) {
      if (!SWEPT.some((prefix) => name.startsWith(prefix))) continue;
      const folder = path.join(tmpdir(), name);
      try {
        const { mtimeMs } = await stat(folder);
        found.set(folder, mtimeMs);
        if (marks.get(folder) === mtimeMs) await rm(folder, { recursive: true, force: true });
      } catch {
        // It is somebody else's, or has gone meanwhile.
      }
    }
    marks = found;
  };
}
