/** Facts about a room, besides its captions, that a node learns from the entries of its stream. */
import type { AppendOptions, Caption } from '../caption-log.ts';
import type { SharedCaption } from '../embedded-caption-log.ts';
import type { PauseTimes } from '../speaker.ts';
import type { Entry } from './room-entry.ts';

type Pause = NonNullable<Entry['pause']>;
type Fulfilled = Pick<Caption, 'line' | 'sequence'>;

export class RoomNotes {
  readonly #details = new WeakMap<Caption, AppendOptions>();
  /** Lines, by the requests they fulfil. */
  readonly #fulfilled = new Remembered<Fulfilled>();
  readonly #heardUpTo = new Remembered<number>();
  readonly #pauses = new Remembered<Pause>();
  readonly #sharedUpTo = new Map<string, number>();

  describe(caption: Caption, details: AppendOptions): void {
    this.#details.set(caption, details);
  }

  /** Returns undefined for a caption loaded from the database. */
  detailsOf(caption: Caption): AppendOptions | undefined {
    return this.#details.get(caption);
  }

  /** Records that all nodes have a caption, or will. */
  told({ track: { name }, caption }: SharedCaption): void {
    const { sequence, line } = caption;
    this.#sharedUpTo.set(name, Math.max(sequence, this.sharedUpTo(name)));
    const { wish, heard } = this.#details.get(caption) ?? {};
    if (wish !== undefined) this.#fulfilled.set(wish, { line, sequence });
    if (heard !== undefined) this.#heardUpTo.set(heard.sessionId, heard.upToMs);
  }

  isTold({ track, caption }: Pick<SharedCaption, 'track' | 'caption'>): boolean {
    return caption.sequence <= this.sharedUpTo(track.name);
  }

  /** Returns the sequence of the last caption of a track that all nodes have. */
  sharedUpTo(name: string): number {
    return this.#sharedUpTo.get(name) ?? 0;
  }

  /**
   * Returns the sequence of the last caption that is not kept, and whose translations are not kept either; 0:
   * none.
   */
  unkeptUpTo(held: readonly SharedCaption[]): number {
    const isUnkept = ({ caption }: SharedCaption) =>
      caption.renders === null && this.detailsOf(caption)?.isKept === false;
    return held.findLast(isUnkept)?.caption.sequence ?? 0;
  }

  /** Returns the line that fulfilled a request. */
  fulfilled(wish: string): Fulfilled | undefined {
    return this.#fulfilled.get(wish);
  }

  /** Returns how far a session's speech has been appended, in ms of its audio. */
  heardUpTo(sessionId: string): number {
    return this.#heardUpTo.get(sessionId) ?? 0;
  }

  paused(pause: Pause): void {
    this.#pauses.set(pause.sessionId, pause);
  }

  get pauses(): Iterable<Pause> {
    return this.#pauses.values();
  }

  /** Returns the last pause of a session. */
  pauseOf(sessionId: string): PauseTimes | undefined {
    return this.#pauses.get(sessionId);
  }
}

/** A map of limited size: beyond it, the entry that was set longest ago is dropped. */
export class Remembered<Value> extends Map<string, Value> {
  readonly #most: number;

  constructor(most = 1_000) {
    super();
    this.#most = most;
  }

  override set(name: string, value: Value): this {
    this.delete(name);
    super.set(name, value);
    const [oldest] = this.keys();
    if (this.size > this.#most && oldest !== undefined) this.delete(oldest);
    return this;
  }
}
