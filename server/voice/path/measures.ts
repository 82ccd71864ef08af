/**
 * What the voice path reports while it works. Every method is a few additions, so it may be
 * called for each chunk and each message; none throws.
 */
import type { Hearing } from '../../../shared/schemas/health.ts';
import type { ErrorCode } from '../../../shared/errors.ts';

/** How a session was over: concluded, left by its client for good, gone to another server, or failed. */
export type SessionEnd = 'completed' | 'abandoned' | 'handed_over' | ErrorCode;

/** Captions of what was said, or of a translation of it. */
export type CaptionTrack = 'source' | 'target';

/** What waits: audio for a recogniser, messages for a client. */
export type QueueName = 'source_media' | 'outbox';

export interface VoiceMeasures {
  sessionOpened(): void;
  sessionEnded(how: SessionEnd): void;
  /** A session goes on without its connection. */
  connectionDropped(): void;
  /** A session that had lost its connection, or left it, has another one. */
  connectionResumed(): void;
  /** Audio has arrived. */
  audioReceived(durationMs: number): void;
  /** How far a recogniser is behind the audio that has arrived; reported about once a second. */
  recognitionLagged(lagMs: number): void;
  /** Words that were shown and taken back, and words that were concluded, since the last call. */
  captionsChanged(track: CaptionTrack, words: { deleted: number; final: number }): void;
  /** A segment was concluded this long after its last word was spoken. */
  segmentConcluded(track: CaptionTrack, lagMs: number): void;
  /** Tentative updates that a slow connection was spared. */
  updatesDropped(count: number): void;
  /**
   * Adds a queue to the gauge of its name, which shows the sum of all.
   *
   * @param depth answers how many things wait; asked when somebody reads the metrics
   * @returns takes the queue out again; to be called when it is gone
   */
  watchQueue(name: QueueName, depth: () => number): () => void;
  /** Takes the gauge of how busy recognisers are; asked when somebody reads the metrics. */
  watchHearing(hearing: () => Hearing): void;
  /** Takes the gauges of a cluster; asked when somebody reads the metrics. */
  watchCluster(cluster: { readonly serverCount: number; readonly sessionCount: number }): void;
  /** A session was refused because too many are heard already. */
  sessionRefused(): void;
}

/** Measures nothing: for tests and benchmarks. */
export const noMeasures: VoiceMeasures = {
  sessionOpened: () => undefined,
  sessionEnded: () => undefined,
  connectionDropped: () => undefined,
  connectionResumed: () => undefined,
  audioReceived: () => undefined,
  recognitionLagged: () => undefined,
  captionsChanged: () => undefined,
  segmentConcluded: () => undefined,
  updatesDropped: () => undefined,
  watchQueue: () => () => undefined,
  watchHearing: () => undefined,
  watchCluster: () => undefined,
  sessionRefused: () => undefined,
};
