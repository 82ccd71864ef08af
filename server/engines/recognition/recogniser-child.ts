/** The parent's end of one recogniser process: frames in, frames out, and how it went. */
import { FrameReader, FrameWriter, type PipedChild } from '../../process/index.ts';
import type { Logger } from '../../process/log.ts';
import { fromHearing } from './hearing-protocol.ts';

/** Native libraries can be talkative; what they say beyond this is read and thrown away. */
const MAX_LOGGED_BYTES = 4_096;

/** It ended before it was ready, and did not say why. */
export class EndedEarly extends Error {
  constructor() {
    super('The recogniser process ended before it was ready.');
    this.name = 'EndedEarly';
  }
}

/** The processor of this machine lacks instructions that the recogniser is made of. */
export class UnfitProcessor extends Error {
  constructor() {
    super(
      'The processor of this machine lacks instructions that the recogniser is made of. Let a server elsewhere hear: server/docs/recognisers.md.',
    );
    this.name = 'UnfitProcessor';
  }
}

export class RecogniserChild {
  readonly #process: PipedChild;
  readonly #log: Logger;
  readonly #writer: FrameWriter;
  /** Settles when the model is loaded; rejects with Error when it will not be. */
  readonly ready: Promise<void>;
  /** Resolves when the process is gone and all it said was read. */
  readonly gone: Promise<void>;
  /** Takes the frames after `ready`; the payload is valid during the call only. */
  onFrame: (kind: number, payload: Buffer) => void = () => {};
  #isGone = false;
  #onReady: (failure?: Error) => void = () => {};

  constructor({ process, log }: { process: PipedChild; log: Logger }) {
    this.#process = process;
    this.#log = log;
    this.#writer = new FrameWriter(process.stdin);
    this.ready = new Promise((resolve, reject) => {
      this.#onReady = (failure) => {
        if (failure === undefined) resolve();
        else reject(failure);
      };
    });
    // A child that dies while nobody waits for it is no unhandled rejection.
    this.ready.catch(() => {});
    this.gone = this.#watch();
    this.#readFrames();
    this.#logErrors();
    // A broken pipe shows as the end of the process; without a listener it would end our own.
    process.stdin.on('error', () => {});
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Writes a frame; resolves when the pipe has taken it, or when there is no pipe any more. */
  async send(kind: number, payload?: Uint8Array): Promise<void> {
    try {
      await this.#writer.write(kind, payload);
    } catch {
      // The process is gone or about to be, and `gone` tells.
    }
  }

  /** Ends the process at once. Safe to call again. */
  kill(): void {
    this.#process.kill('SIGKILL');
  }

  async #watch(): Promise<void> {
    const child = this.#process;
    const signal = await new Promise<NodeJS.Signals | null>((resolve) => {
      // After the end of its output, not at its exit: what it said last may still lie in the pipe.
      child.once('close', (_code, endedBy) => resolve(endedBy));
      child.once('error', () => resolve(null));
    });
    this.#isGone = true;
    this.#onReady(signal === 'SIGILL' ? new UnfitProcessor() : new EndedEarly());
  }

  #readFrames(): void {
    const reader = new FrameReader((kind, payload) => {
      if (kind === fromHearing.ready) this.#onReady();
      else if (kind !== fromHearing.failed) this.onFrame(kind, payload);
      else {
        // Without the place in the source of a library.
        const reason = payload.toString('utf8').replace(/\/\S+\.(?:cc|h):\d+ [^)]*\)/u, '');
        this.#log.warn({ pid: this.pid, reason }, 'a recogniser process has failed');
        this.#onReady(new Error(reason));
      }
    });
    this.#process.stdout.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch {
        // Not the error: its message may quote what was recognised.
        this.#log.warn({ pid: this.pid }, 'a recogniser process speaks nonsense');
        this.kill();
      }
    });
  }

  #logErrors(): void {
    let bytesLeft = MAX_LOGGED_BYTES;
    this.#process.stderr.on('data', (chunk: Buffer) => {
      if (bytesLeft <= 0) return;
      const text = chunk.subarray(0, bytesLeft).toString('utf8').trim();
      bytesLeft -= chunk.byteLength;
      this.#log.debug({ pid: this.pid, text }, 'recogniser process, stderr');
    });
  }
}
