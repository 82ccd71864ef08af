/** What one voice session adds to the server's measurements, and how its client learns that it is heard late. */
import type { ServiceError } from '../../../shared/errors.ts';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import { captionTokens } from '../path/captions.ts';
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
  /** It goes on at another server. */
  moved(): void;
}

export function createSessionMeasures(measures: VoiceMeasures): SessionMeasures {
  const erasure = createErasureMeter();
  const words: CaptionWords = {
    source: { deleted: 0, final: 0 },
    target: { deleted: 0, final: 0 },
  };
  let nextLagMs = LAG_EVERY_MS;
  /** Not yet passed on: once a second is often enough. */
  let unreportedMs = 0;
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
      unreportedMs += durationMs;
      if (receivedMs < nextLagMs) return;
      measures.audioReceived(unreportedMs);
      unreportedMs = 0;
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
    moved() {
      measures.audioReceived(unreportedMs);
      measures.sessionEnded('handed_over');
    },
    ended(reason, isComplete) {
      measures.audioReceived(unreportedMs);
      measures.sessionEnded(isComplete ? 'completed' : (reason?.code ?? 'abandoned'));
    },
  };
}

// How much of what captions show is taken back: normalised erasure is deleted ÷ final words.

/** Words of one message. */
interface CaptionChange {
  track: CaptionTrack;
  /** Words that were on the screen and are there no more; a word that changes counts once. */
  deleted: number;
  /** Words that will stay. */
  final: number;
}

/** Reads the messages of one session in their order; undefined for those without captions. */
type ErasureMeter = (message: ServerMessage) => CaptionChange | undefined;

/**
 * Makes the meter of a session. Words are compared from the left: once one differs, it and all that
 * followed it were deleted. Punctuation counts by itself, scripts without blanks by character.
 */
export function createErasureMeter(): ErasureMeter {
  /** Tentative words on the screen, by target language; '' for the source. */
  const shown = new Map<string, readonly string[]>();

  function change(
    key: string,
    { concluded, tentative }: { concluded: readonly Piece[]; tentative: readonly Piece[] },
  ): Omit<CaptionChange, 'track'> {
    const before = shown.get(key) ?? [];
    const final = wordsOf(concluded, key);
    const growing = wordsOf(tentative, key);
    shown.set(key, growing);
    return { deleted: before.length - commonPrefix(before, final, growing), final: final.length };
  }

  return (message) => {
    if (message.type === 'source_transcript_update') {
      return { track: 'source', ...change('', message) };
    }
    if (message.type === 'target_transcript_update') {
      const { language } = message;
      return { track: 'target', ...change(language, message) };
    }
    if (message.type === 'end_of_target_transcript') {
      shown.delete(message.language);
    }
    return undefined;
  };
}

interface Piece {
  text: string;
  /** Of source segments. */
  language?: string;
}

function wordsOf(pieces: readonly Piece[], language: string): string[] {
  return pieces.flatMap(({ text, language: own = language }) => captionTokens(text, own));
}

/** How many words at the start of `before` are still there in `final` followed by `growing`. */
function commonPrefix(
  before: readonly string[],
  final: readonly string[],
  growing: readonly string[],
): number {
  let length = 0;
  while (length < before.length) {
    const now = length < final.length ? final[length] : growing[length - final.length];
    if (before[length] !== now) break;
    length += 1;
  }
  return length;
}

// When a recogniser falls behind the audio, and when it has caught up.

/** Behind by less, nobody notices. */
const NOTICED_MS = 1_000;
/** Told again once the lag differs by so much. */
const STEP_MS = 1_000;
const CAUGHT_UP_MS = 500;

/**
 * @param report called with the lag in ms when it is worth a message; 0 once it is made up
 * @returns a function that takes the lag whenever it may have changed, in ms
 */
export function createLagWatch(report: (lagMs: number) => void): (lagMs: number) => void {
  let reportedMs = 0;
  return (lagMs) => {
    if (reportedMs === 0 && lagMs < NOTICED_MS) return;
    if (reportedMs > 0 && lagMs <= CAUGHT_UP_MS) report((reportedMs = 0));
    else if (Math.abs(lagMs - reportedMs) >= STEP_MS) report((reportedMs = lagMs));
  };
}
