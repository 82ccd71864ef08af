/** Writes the captions of a track to the database, in order, retrying until they are stored. */
import type { Logger } from '../process/log.ts';
import type { Caption, CaptionStore, CaptionTrack } from './captions-store.ts';

/** Maximum number of captions per write: SQLite accepts 32,766 bound values. */
const MOST_AT_ONCE = 500;
/** Maximum number of captions of a track that may wait: hours of speech. */
const MOST_WAITING = 5_000;
/** Failed attempts after which the captions of a released room are given up: an hour's worth. */
const LAST_TRIES = 720;

export interface CaptionWriterOptions {
  track: CaptionTrack;
  store: Pick<CaptionStore, 'append'>;
  log: Logger;
  mayWrite: (caption: Caption) => boolean;
  /** Returns what must be over before anything is written. */
  heldUp: () => Promise<unknown> | undefined;
  /** Delay before a failed write is retried, in ms. */
  retryMs: number;
  onWritten: () => void;
  /** Called when nothing is left to write. */
  onIdle: () => void;
}

export class CaptionWriter {
  readonly #options: CaptionWriterOptions;
  /** Whether the room is released: its writes are then not retried for ever. */
  #isLeft = false;
  #waiting: Caption[] = [];
  #batch: Promise<boolean> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;

  constructor(options: CaptionWriterOptions) {
    this.#options = options;
  }

  leave(isLeft: boolean): void {
    this.#isLeft = isLeft;
    this.#failures = 0;
  }

  /** Captions not written yet, by sequence. */
  get waiting(): readonly Caption[] {
    return this.#waiting;
  }

  /** Resolves when the current write is over. */
  get underWay(): Promise<unknown> {
    return this.#batch ?? Promise.resolve();
  }

  /** Resolves when the caption is written, or cannot or must not be written for now. */
  add(caption: Caption): Promise<void> {
    this.#waiting.push(caption);
    if (this.#waiting.length > MOST_WAITING) {
      this.#waiting.shift();
      const { log, track } = this.#options;
      log.error(track, 'a transcript line is lost: too many lines wait for the database');
    }
    return this.write();
  }

  /** Writes the waiting captions that may be written, as far as possible now. */
  async write(): Promise<void> {
    while (this.#waiting.some(this.#options.mayWrite)) {
      const heldUp = this.#options.heldUp();
      if (heldUp !== undefined) await heldUp;
      else {
        this.#batch ??= this.#writeBatch().finally(() => (this.#batch = undefined));
        if (!(await this.#batch)) return;
      }
    }
  }

  async #writeBatch(): Promise<boolean> {
    const { store, track, log, onWritten, mayWrite } = this.#options;
    const batch = new Set(this.#waiting.filter(mayWrite).slice(0, MOST_AT_ONCE));
    try {
      await store.append(track, [...batch]);
    } catch (error) {
      log.error({ err: error }, 'captions of a room cannot be stored at the moment');
      this.#tryAgain();
      return false;
    }
    this.#failures = 0;
    onWritten();
    this.drop((caption) => batch.has(caption));
    return true;
  }

  #tryAgain(): void {
    const { log, track, retryMs } = this.#options;
    this.#failures += 1;
    if (this.#isLeft && this.#failures > LAST_TRIES) {
      log.error(
        { ...track, lines: this.#waiting.length },
        'the last lines of a transcript are lost',
      );
      this.drop(() => true);
    }
    if (this.#retry !== undefined || this.#waiting.length === 0) return;
    const again = () => {
      this.#retry = undefined;
      void this.write();
    };
    this.#retry = setTimeout(again, retryMs).unref();
  }

  /** Drops waiting captions that must not be written any more. */
  drop(which: (caption: Caption) => boolean): void {
    this.#waiting = this.#waiting.filter((caption) => !which(caption));
    if (this.#waiting.length === 0) this.#options.onIdle();
  }
}
