/** What one voice session adds to the server's measurements. */
import type { ServiceError } from '../../../shared/errors.ts';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import { createErasureMeter } from '../path/erasure-meter.ts';
import type { CaptionTrack, VoiceMeasures } from '../path/measures.ts';

/** The lag is looked at this often, in ms of audio. */
const LAG_EVERY_MS = 1_000;

/** Words of a track that were shown and taken back, and words that were concluded. */
export type CaptionWords = Record<CaptionTrack, { deleted: number; final: number }>;

export interface SessionMeasures {
  /** Of the captions so far. */
  readonly words: Readonly<CaptionWords>;
  /** Audio has arrived: so much now, so much in all, and so much is still to be heard (all in ms). */
  audio(durationMs: number, receivedMs: number, lagMs: number): void;
  /** The voice path says something, when so much audio has arrived in all. */
  message(message: ServerMessage, receivedMs: number): void;
  /** Why the session is over; undefined when its client has left. */
  ended(reason: ServiceError | undefined, isComplete: boolean): void;
}

export function createSessionMeasures(measures: VoiceMeasures): SessionMeasures {
  const erasure = createErasureMeter();
  const words: CaptionWords = {
    source: { deleted: 0, final: 0 },
    target: { deleted: 0, final: 0 },
  };
  let nextLagMs = LAG_EVERY_MS;
  measures.sessionOpened();

  function concluded(
    track: CaptionTrack,
    segments: readonly { end_time: number }[],
    nowMs: number,
  ) {
    for (const { end_time } of segments) measures.segmentConcluded(track, nowMs - end_time);
  }

  return {
    words,
    audio(durationMs, receivedMs, lagMs) {
      measures.audioReceived(durationMs);
      if (receivedMs < nextLagMs) return;
      nextLagMs = receivedMs + LAG_EVERY_MS;
      measures.recognitionLagged(lagMs);
    },
    message(message, receivedMs) {
      const change = erasure(message);
      if (change !== undefined) {
        measures.captionsChanged(change.track, change);
        const sums = words[change.track];
        sums.deleted += change.deleted;
        sums.final += change.final;
      }
      if (message.type === 'source_transcript_update') {
        concluded('source', message.concluded, receivedMs);
      } else if (message.type === 'target_transcript_update') {
        concluded('target', message.concluded, receivedMs);
      }
    },
    ended(reason, isComplete) {
      measures.sessionEnded(isComplete ? 'completed' : (reason?.code ?? 'abandoned'));
    },
  };
}
