/**
 * Measurements that the voice path reports. Every method costs a few additions and never throws, so it
 * can be called for each chunk and each message.
 */
import type { Hearing } from '../../../shared/schemas/health.ts';
import type { ErrorCode } from '../../../shared/errors.ts';

/** How a session ended: concluded, left by its client for good, handed over to another server, or failed. */
export type SessionEnd = 'completed' | 'abandoned' | 'handed_over' | ErrorCode;

/** Captions of the spoken language or of a translation. */
export type CaptionTrack = 'source' | 'target';

/** Queues: audio that waits for a recogniser, and messages that wait for a client. */
export type QueueName = 'source_media' | 'outbox';

export interface VoiceMeasures {
  sessionOpened(): void;
  sessionEnded(how: SessionEnd): void;
  /** A session continues without its connection. */
  connectionDropped(): void;
  /** A session has a new connection after losing or leaving the previous one. */
  connectionResumed(): void;
  /** Audio has arrived. */
  audioReceived(durationMs: number): void;
  /** Lag of a recogniser behind the received audio, in ms; reported about once a second. */
  recognitionLagged(lagMs: number): void;
  /** Words that were shown and then deleted, and words that were concluded, since the last call. */
  captionsChanged(track: CaptionTrack, words: { deleted: number; final: number }): void;
  /** A segment was concluded; `lagMs` is the time since its last word was spoken. */
  segmentConcluded(track: CaptionTrack, lagMs: number): void;
  /** Tentative updates that a slow connection skipped. */
  updatesDropped(count: number): void;
  /**
   * Adds a queue to the gauge of its name, which shows the sum of all such queues.
   *
   * @param depth returns the number of waiting items; called when metrics are read
   * @returns removes the queue from the gauge; must be called when the queue is gone
   */
  watchQueue(name: QueueName, depth: () => number): () => void;
  /** Sets the gauge of the recognisers' load; called when metrics are read. */
  watchHearing(hearing: () => Hearing): void;
  /** Sets the gauges of the cluster; read when metrics are read. */
  watchCluster(cluster: { readonly serverCount: number; readonly sessionCount: number }): void;
  /** A session was refused because the machine cannot hear more speakers. */
  sessionRefused(): void;
}
