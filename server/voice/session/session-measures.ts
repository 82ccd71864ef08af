/** Measurements of one voice session, and the watch that tells its client when recognition lags. */
import type { ServiceError } from '../../../shared/errors.ts';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import { captionTokens } from '../path/captions.ts';
import type { CaptionTrack, VoiceMeasures } from '../path/measures.ts';

/** Interval at which the lag is measured, in ms of audio. */
const LAG_EVERY_MS = 1_000;

/** Words of a track that were shown and then deleted, and words that were concluded. */
export type CaptionWords = Record<CaptionTrack, { deleted: number; final: number }>;

/** Current state of a session. */
export interface SessionCondition {
  isConnected: boolean;
  /** As requested. */
  targetLanguages: readonly string[];
  /** Received audio. */
  receivedMs: number;
  /** Received audio that has not been recognised yet. */
  lagMs: number;
  /** Time since captions were last sent. */
  quietMs: number;
  words: Readonly<CaptionWords>;
}

/** Measurements of one session, which counts as opened from then on. */
export class SessionMeasures {
  /** Words of the captions so far. */
  readonly words: Readonly<CaptionWords> = {
    source: { deleted: 0, final: 0 },
    target: { deleted: 0, final: 0 },
  };
  readonly #measures: VoiceMeasures;
  readonly #erasure = createErasureMeter();
  #nextLagMs = LAG_EVERY_MS;
  /** Audio not reported yet; one report a second is enough. */
  #unreportedMs = 0;

  constructor(measures: VoiceMeasures) {
    this.#measures = measures;
    measures.sessionOpened();
  }

  /** Records audio: its duration, the total received so far, and the part yet to be recognised, in ms. */
  audio(durationMs: number, receivedMs: number, lagMs: number): void {
    this.#unreportedMs += durationMs;
    if (receivedMs < this.#nextLagMs) return;
    this.#reportAudio();
    this.#nextLagMs = receivedMs + LAG_EVERY_MS;
    this.#measures.recognitionLagged(lagMs);
  }

  /** Records a message of the voice path, with all audio received so far, in ms. */
  message(message: ServerMessage, receivedMs: number): void {
    const change = this.#erasure(message);
    if (change !== undefined) {
      this.#measures.captionsChanged(change.track, change);
      const sums = this.words[change.track];
      sums.deleted += change.deleted;
      sums.final += change.final;
    }
    if (message.type === 'source_transcript_update') {
      this.#concluded('source', message.concluded, receivedMs);
    } else if (message.type === 'target_transcript_update') {
      this.#concluded('target', message.concluded, receivedMs);
    }
  }

  /** Records the end of the session; `reason` is undefined when the client has left. */
  ended(reason: ServiceError | undefined, isComplete: boolean): void {
    this.#reportAudio();
    this.#measures.sessionEnded(isComplete ? 'completed' : (reason?.code ?? 'abandoned'));
  }

  /** Records that another server has taken the session. */
  moved(): void {
    this.#reportAudio();
    this.#measures.sessionEnded('handed_over');
  }

  #reportAudio(): void {
    this.#measures.audioReceived(this.#unreportedMs);
    this.#unreportedMs = 0;
  }

  #concluded(track: CaptionTrack, segments: readonly { end_time: number }[], nowMs: number): void {
    for (const { end_time } of segments) this.#measures.segmentConcluded(track, nowMs - end_time);
  }
}

// Erasure: how much of the shown captions is deleted. Normalised erasure is deleted ÷ final words.

/** Words of one message. */
interface CaptionChange {
  track: CaptionTrack;
  /** Words that have disappeared from the screen; a changed word counts once. */
  deleted: number;
  /** Words that will stay. */
  final: number;
}

/** Reads a session's messages in order; returns undefined for messages without captions. */
type ErasureMeter = (message: ServerMessage) => CaptionChange | undefined;

/**
 * Creates the erasure meter of a session. Words are compared from the left: from the first difference on,
 * all words count as deleted. Punctuation marks count separately; scripts without spaces count by
 * character.
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
  /** Language of a source segment. */
  language?: string;
}

function wordsOf(pieces: readonly Piece[], language: string): string[] {
  return pieces.flatMap(({ text, language: own = language }) => captionTokens(text, own));
}

/** Counts the leading words of `before` that are unchanged in `final` followed by `growing`. */
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

// Lag: when recognition falls behind the audio, and when it has caught up.

/** Lag below which users notice nothing, in ms. */
const NOTICED_MS = 1_000;
/** Change of the lag that is worth another report, in ms. */
const STEP_MS = 1_000;
const CAUGHT_UP_MS = 500;

/**
 * @param report called with a lag worth reporting, in ms; with 0 once recognition has caught up
 * @returns a function that takes the current lag, in ms, whenever it may have changed
 */
export function createLagWatch(report: (lagMs: number) => void): (lagMs: number) => void {
  let reportedMs = 0;
  return (lagMs) => {
    if (reportedMs === 0 && lagMs < NOTICED_MS) return;
    if (reportedMs > 0 && lagMs <= CAUGHT_UP_MS) report((reportedMs = 0));
    else if (Math.abs(lagMs - reportedMs) >= STEP_MS) report((reportedMs = lagMs));
  };
}
