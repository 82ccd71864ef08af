/**
 * Captions in flight: what is said in rooms, appended once and followed by whoever reads along. A port, so
 * that a broker can take the place of this process.
 */
import type { Caption, CaptionTrack } from './captions-store.ts';

export type { Caption, CaptionTrack };

export type NewCaption = Omit<Caption, 'sequence'>;

export interface RecentCaptions {
  captions: readonly Caption[];
  /** Whether nothing that came after that sequence is missing, or was deleted. */
  isWhole: boolean;
  /** Whoever has these captions has everything up to this sequence. */
  upTo: number;
}

export interface AppendOptions {
  isKept: boolean;
  isLate?: boolean;
  /** Of whoever wished for it, and asks again when no answer comes. */
  wish?: string;
  /** Up to where it is what a session has said, in ms of its audio. */
  heard?: { sessionId: string; upToMs: number };
}

export interface CaptionFollower {
  /** A caption that must not be lost. */
  onCaption(caption: Caption): void;
  /** What is being said and may still change; each replaces the one before, and a caption takes it away. */
  onTentative(text: string): void;
}

export interface CaptionLog {
  /**
   * Appends a caption, in the order of the calls, and tells its followers once it is kept. One that cannot
   * be written within a second is told all the same, and written as soon as it can be.
   *
   * @param options.isKept whether it may be written to disk
   * @param options.isLate whether it renders what was said before: followers are told of the last lines, and
   *   of those that they have
   */
  append(track: CaptionTrack, caption: NewCaption, options: AppendOptions): Promise<Caption>;
  /** A new number for a line, later than all there are. */
  nextLine(): number;
  /** Tells followers what is being said; kept nowhere. */
  tell(track: CaptionTrack, tentative: string): void;
  /**
   * Those of the last lines that came after a sequence, in their order; at most {@link MAX_HELD}.
   *
   * @param options.isUrgent answers from memory where the database would be asked for what was before
   */
  read(
    track: CaptionTrack,
    after: number,
    options?: { isUrgent: boolean },
  ): Promise<RecentCaptions>;
  /**
   * What came last in the place of a line, however long ago.
   *
   * @param options.isUrgent answers from memory where the database does not
   */
  find(
    track: CaptionTrack,
    line: number,
    options?: { isUrgent: boolean },
  ): Promise<Caption | undefined>;
  /** All there is, in its order, a page at a time: nothing else has to wait for the whole of it. */
  transcript(track: CaptionTrack): AsyncIterable<readonly Caption[]>;
  /** @returns ends it */
  follow(track: CaptionTrack, follower: CaptionFollower): () => void;
  /**
   * Deletes what was said in a room before, wherever it is kept; followers stay, and what is appended
   * meanwhile.
   *
   * @param onGone called when nothing of it can be read any more: of all up to that sequence, and what
   *   renders it
   */
  forget(roomId: string, onGone?: (upTo: number) => void): Promise<void>;
  /** Deletes what was written before; those who follow can still read it. */
  erase(roomId: string): Promise<void>;
  /** Lets go of what is in memory and ended before a moment, ms since the epoch. */
  expire(roomId: string, beforeMs: number): void;
  /** Lets go of what is only in memory, where nobody follows any more, once all that is kept is written. */
  release(roomId: string): void;
  /** Writes what was not written yet, as far as that is possible within seconds. */
  flush(): Promise<void>;
}

/** Captions of a track that are held in memory: an hour of speech, for everybody who comes late or back. */
export const MAX_HELD = 500;
/** Lines that whoever comes is given; of what was said before those, nothing is news but what changes. */
export const LAST_LINES = 100;
