/**
 * The caption log: captions of live rooms, appended once and followed by every reader. It is an interface, so
 * that a broker can replace the in-process implementation.
 */
import type { Caption, CaptionTrack } from './captions-store.ts';

export type { Caption, CaptionTrack };

export type NewCaption = Omit<Caption, 'sequence'>;

export interface RecentCaptions {
  captions: readonly Caption[];
  /** Whether no caption after the requested sequence is missing or was deleted. */
  isWhole: boolean;
  /** A reader that holds these captions has everything up to this sequence. */
  upTo: number;
}

export interface AppendOptions {
  isKept: boolean;
  isLate?: boolean;
  /** Id of the request that this caption fulfils; the requester repeats it until it is answered. */
  wish?: string;
  /** Session that spoke the caption, and the end of the caption in ms of the session's audio. */
  heard?: { sessionId: string; upToMs: number };
}

export interface CaptionFollower {
  /** Called for a caption, which must not be lost. */
  onCaption(caption: Caption): void;
  /** Called for tentative text. Each text replaces the one before, and a caption clears it. */
  onTentative(text: string): void;
}

export interface CaptionLog {
  /**
   * Appends a caption, in call order, and tells followers once it is stored. A caption that cannot be written
   * within a second is told regardless, and written as soon as possible.
   *
   * @param options.isKept whether it may be written to disk
   * @param options.isLate whether it renders something said earlier: followers are then told only if the line
   *   is among the last lines, or was told to them before
   */
  append(track: CaptionTrack, caption: NewCaption, options: AppendOptions): Promise<Caption>;
  /** Returns a new line number, greater than all existing ones. */
  nextLine(): number;
  /** Tells followers the tentative text, which is not stored. */
  tell(track: CaptionTrack, tentative: string): void;
  /**
   * Returns the captions of the last lines after a sequence, in order; at most {@link MAX_HELD}.
   *
   * @param options.isUrgent answers from memory instead of asking the database for earlier captions
   */
  read(
    track: CaptionTrack,
    after: number,
    options?: { isUrgent: boolean },
  ): Promise<RecentCaptions>;
  /**
   * Returns the newest caption of a line, however old.
   *
   * @param options.isUrgent answers from memory if the database does not respond
   */
  find(
    track: CaptionTrack,
    line: number,
    options?: { isUrgent: boolean },
  ): Promise<Caption | undefined>;
  /** Yields all captions in order, in pages, so that other work need not wait for the whole transcript. */
  transcript(track: CaptionTrack): AsyncIterable<readonly Caption[]>;
  /** @returns a function that stops following */
  follow(track: CaptionTrack, follower: CaptionFollower): () => void;
  /**
   * Deletes all captions of a room wherever they are stored. Followers stay, and so do captions appended
   * meanwhile.
   *
   * @param onGone called when the deleted captions can no longer be read: those up to the given sequence and
   *   their translations
   */
  forget(roomId: string, onGone?: (upTo: number) => void): Promise<void>;
  /** Deletes the captions written so far from the database; current followers can still read them. */
  erase(roomId: string): Promise<void>;
  /** Drops captions from memory that ended before a moment, in ms since the epoch. */
  expire(roomId: string, beforeMs: number): void;
  /** Drops a room without followers from memory, once every caption to be kept is written. */
  release(roomId: string): void;
  /** Writes outstanding captions, as far as possible within seconds. */
  flush(): Promise<void>;
}

/** Captions of a track held in memory: an hour of speech, for readers who join late or reconnect. */
export const MAX_HELD = 500;
/** Lines that a joining reader receives. Followers hear of earlier lines only when those change. */
export const LAST_LINES = 100;
