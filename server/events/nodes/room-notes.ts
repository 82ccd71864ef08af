/** What a node knows of a room besides its lines, from what was appended to its stream. */
import type { AppendOptions, Caption } from '../caption-log.ts';
import type { SharedCaption } from '../embedded-caption-log.ts';
import type { PauseTimes } from '../speaker.ts';
import { Remembered } from './remembered.ts';
import type { Entry } from './room-entry.ts';

type Pause = NonNullable<Entry['pause']>;
type Fulfilled = Pick<Caption, 'line' | 'sequence'>;

export class RoomNotes {
  readonly #details = new WeakMap<Caption, AppendOptions>();
  /** Lines by the wishes they fulfil. */
  readonly #fulfilled = new Remembered<Fulfilled>();
  readonly #heardUpTo = new Remembered<number>();
  readonly #pauses = new Remembered<Pause>();
  readonly #toldUpTo = new Map<string, number>();

  describe(caption: Caption, details: AppendOptions): void {
    this.#details.set(caption, details);
  }

  /** Undefined for what was read from the database. */
  detailsOf(caption: Caption): AppendOptions | undefined {
    return this.#details.get(caption);
  }

  /** All nodes have a caption, or will. */
  told({ track: { name }, caption }: SharedCaption): void {
    const { sequence, line } = caption;
    this.#toldUpTo.set(name, Math.max(sequence, this.toldUpTo(name)));
    const { wish, heard } = this.#details.get(caption) ?? {};
    if (wish !== undefined) this.#fulfilled.set(wish, { line, sequence });
    if (heard !== undefined) this.#heardUpTo.set(heard.sessionId, heard.upToMs);
  }

  isTold({ track, caption }: Pick<SharedCaption, 'track' | 'caption'>): boolean {
    return caption.sequence <= this.toldUpTo(track.name);
  }

  /** The sequence of the last caption of a track that all nodes have. */
  toldUpTo(name: string): number {
    return this.#toldUpTo.get(name) ?? 0;
  }

  /** The sequence of the last of these that is not to be kept, nor what renders it; 0: there is none. */
  unkeptUpTo(held: readonly SharedCaption[]): number {
    const isUnkept = ({ caption }: SharedCaption) =>
      caption.renders === null && this.detailsOf(caption)?.isKept === false;
    return held.findLast(isUnkept)?.caption.sequence ?? 0;
  }

  /** The line that a wish was fulfilled by. */
  fulfilled(wish: string): Fulfilled | undefined {
    return this.#fulfilled.get(wish);
  }

  /** Up to where what a session said has been appended, in ms of its audio. */
  heardUpTo(sessionId: string): number {
    return this.#heardUpTo.get(sessionId) ?? 0;
  }

  paused(pause: Pause): void {
    this.#pauses.set(pause.sessionId, pause);
  }

  get pauses(): Iterable<Pause> {
    return this.#pauses.values();
  }

  /** The last pause of a session. */
  pauseOf(sessionId: string): PauseTimes | undefined {
    return this.#pauses.get(sessionId);
  }
}
