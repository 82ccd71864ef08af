/** Keeps the latest speech, so that another recogniser can go on where one is stopped. */
import type { SpeechPiece } from '../../engines/engine.ts';
import { RECOGNITION_RATE_HZ } from '../audio/endpointing.ts';
import { createSignal } from './streams.ts';

/** Speech kept for finals that are still awaited, in ms: two of the longest utterances. */
const MOST_KEPT_MS = 30_000;

interface Utterance {
  number: number;
  /** Infinity while it is going on. */
  endMs: number;
  pieces: SpeechPiece[];
}

/** Speech for one recogniser. */
export interface Playback {
  readonly speech: AsyncIterable<SpeechPiece>;
  /** Ends the speech with that utterance, at once if it is over. */
  stopAfter(utterance: number): void;
}

export interface SpeechTape {
  /** Utterances that have begun. */
  readonly count: number;
  /** Number of the utterance in which something at a position was said. */
  utteranceAt(positionMs: number): number;
  /** Lets go of the utterances before that one. */
  forgetBefore(utterance: number): void;
  /** Plays from that utterance on, or from the oldest that is kept; one playback at a time. */
  play(fromUtterance: number): Playback;
  close(): void;
}

export function createSpeechTape(speech: AsyncIterable<SpeechPiece>): SpeechTape {
  const source = speech[Symbol.asyncIterator]();
  const kept = createKeptSpeech();
  const signal = createSignal();
  let isPulling = false;
  let isDone = false;
  let failure: { error: unknown } | undefined;

  /** Takes the next piece from the source; a playback that is stopped meanwhile leaves it to the next. */
  async function pull(): Promise<void> {
    if (isPulling) return;
    isPulling = true;
    try {
      const step = await source.next();
      if (step.done === true) isDone = true;
      else kept.add(step.value);
    } catch (error) {
      failure = { error };
    } finally {
      isPulling = false;
      signal.raise();
    }
  }

  async function* played(place: Place): AsyncGenerator<SpeechPiece> {
    while (place.utterance <= place.last) {
      const piece = kept.next(place);
      if (piece !== undefined) yield piece;
      else if (failure !== undefined) throw failure.error;
      else if (isDone) return;
      else {
        void pull();
        await signal.raised();
      }
    }
  }

  return {
    get count() {
      return kept.count;
    },
    utteranceAt: (positionMs) => kept.utteranceAt(positionMs),
    forgetBefore: (utterance) => kept.forgetBefore(utterance),
    play(fromUtterance) {
      const place = { utterance: fromUtterance, index: 0, last: Infinity };
      return {
        speech: played(place),
        stopAfter(utterance) {
          place.last = utterance;
          signal.raise();
        },
      };
    },
    close() {
      void source.return?.().catch(() => undefined);
    },
  };
}

/** The next piece of a playback, and its last utterance. */
interface Place {
  utterance: number;
  index: number;
  last: number;
}

function createKeptSpeech() {
  const utterances: Utterance[] = [];
  let count = 0;
  let keptMs = 0;

  function drop(): void {
    const dropped = utterances.shift();
    keptMs -= dropped?.pieces.reduce((sum, piece) => sum + lengthMs(piece), 0) ?? 0;
  }

  return {
    get count() {
      return count;
    },
    add(piece: SpeechPiece): void {
      let current = utterances.at(-1);
      if (current?.endMs !== Infinity) {
        current = { number: count, endMs: Infinity, pieces: [] };
        count += 1;
        utterances.push(current);
      }
      current.pieces.push(piece);
      if (piece.kind === 'endpoint') current.endMs = piece.atMs;
      keptMs += lengthMs(piece);
      // The recogniser has taken them: a final that is later than that cannot bring them back.
      while (keptMs > MOST_KEPT_MS && utterances.length > 1) drop();
    },
    /** The piece at a place, which is moved behind it; undefined when there is none yet. */
    next(place: Place): SpeechPiece | undefined {
      const utterance = utterances.find(({ number }) => number >= place.utterance);
      if (utterance === undefined) return undefined;
      if (utterance.number > place.utterance) {
        place.utterance = utterance.number;
        place.index = 0;
        if (place.utterance > place.last) return undefined;
      }
      const piece = utterance.pieces[place.index];
      if (piece?.kind === 'endpoint') {
        place.utterance += 1;
        place.index = 0;
      } else if (piece !== undefined) place.index += 1;
      return piece;
    },
    utteranceAt(positionMs: number): number {
      const found = utterances.find(({ endMs }) => positionMs < endMs);
      return found?.number ?? Math.max(count - 1, 0);
    },
    forgetBefore(utterance: number): void {
      while ((utterances[0]?.number ?? utterance) < utterance) drop();
    },
  };
}

function lengthMs(piece: SpeechPiece): number {
  return piece.kind === 'samples' ? piece.samples.length / (RECOGNITION_RATE_HZ / 500) : 0;
}
