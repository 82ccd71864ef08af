/** Buffers recent speech, so that a recogniser can take over from another one at an utterance boundary. */
import type { SpeechPiece } from '../../engines/engine.ts';
import { RECOGNITION_RATE_HZ } from '../audio/endpointing.ts';
import { createSignal } from './streams.ts';

/** Most speech to keep for finals still awaited, in ms: two of the longest utterances. */
const MOST_KEPT_MS = 30_000;

interface Utterance {
  number: number;
  /** Infinity while the utterance continues. */
  endMs: number;
  pieces: SpeechPiece[];
}

/** Speech played to one recogniser. */
export interface Playback {
  readonly speech: AsyncIterable<SpeechPiece>;
  /** Ends the playback after this utterance, at once if the utterance is over. */
  stopAfter(utterance: number): void;
}

export interface SpeechTape {
  /** Number of utterances that have begun. */
  readonly count: number;
  /** Returns the number of the utterance at a position in the stream. */
  utteranceAt(positionMs: number): number;
  /** Discards the utterances before this one. */
  forgetBefore(utterance: number): void;
  /** Plays from this utterance on, or from the oldest one kept; supports one playback at a time. */
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

  /** Reads the next piece of the source; a playback that stops meanwhile leaves the piece to the next one. */
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

/** Position of a playback: the next piece, and the last utterance to play. */
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
      // The recogniser has already received these pieces; a final this late cannot replay them.
      while (keptMs > MOST_KEPT_MS && utterances.length > 1) drop();
    },
    /** Returns the piece at a place and advances the place; undefined when no piece is available yet. */
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
