/**
 * The speaker of a room: decides which recognised sentences of a voice session become lines, and what is
 * shown meanwhile. Pauses are measured in the session's audio time, which stands still when no audio arrives.
 */
import type { LanguageTag } from '../../shared/language.ts';
import type { ServiceError } from '../../shared/errors.ts';
import type { Logger } from '../process/log.ts';
import type { CaptionUpdate, SessionRoom } from '../voice/index.ts';
import type { Growing } from './interpreter.ts';

export type Speech = Parameters<SessionRoom['hear']>[0];
type Segment = NonNullable<CaptionUpdate['sentences']>['concluded'][number];

/** A sentence to append. Times are in ms since the epoch. */
export interface Sentence {
  text: string;
  language: LanguageTag;
  startMs: number;
  endMs: number;
  /** Where the sentence ends in the session's audio, in ms. */
  heardUpToMs: number;
}

export interface SpeakerOptions {
  isPaused: boolean;
  /** Appends a line. */
  say: (sentence: Sentence) => Promise<unknown>;
  /** Passes on the text being spoken; undefined: none. */
  grow: (growing: Growing | undefined) => void;
  /** Called when a pause begins or ends. */
  onPause?: (pause: PauseTimes) => void;
  log: Logger;
}

/** Bounds of a pause, in ms of the audio; Infinity: not begun, or not over. */
export interface PauseTimes {
  fromMs: number;
  toMs: number;
}

interface Pause extends PauseTimes {
  /**
   * The unfinished segment at the start of the pause. It becomes a line as it stands if its end does not
   * arrive.
   */
  owed: Segment | undefined;
  /** Times of the segment that has already become a line without its end. */
  settled: Pick<Segment, 'startMs' | 'endMs'> | undefined;
  /** Segments that began earlier fall into the previous pause, or precede it. */
  notBeforeMs: number;
}

/**
 * A sentence is still taken if it ends this long after a pause begins, in ms: the hand was already moving.
 */
const END_MS = 1_000;
/**
 * A sentence is taken if it begins this long before a pause ends, in ms: recognisers start a little before
 * the first word.
 */
const BEGIN_MS = 500;
/** A pause shorter than this, both in audio and on the clock, is a slip of the hand and is ignored; in ms. */
const SHORTEST_MS = 1_000;
/** How long the end of an unfinished segment is awaited, in ms. */
const OWED_MS = 3_000;

export class Speaker {
  readonly #speech: Speech;
  readonly #options: SpeakerOptions;
  #pause = noPause();
  /** The previous pause: the end of a segment may still be on its way. */
  #pauseBefore = noPause();
  #isPaused: boolean;
  /** On the clock of `performance.now()`. */
  #pausedAtMs = 0;
  /** The segment being spoken. */
  #unfinished: Segment | undefined;
  #owedTimer: NodeJS.Timeout | undefined;
  #hasLeft = false;
  #isAbandoned = false;

  constructor(speech: Speech, options: SpeakerOptions) {
    this.#speech = speech;
    this.#options = options;
    this.#isPaused = options.isPaused;
    if (options.isPaused) this.#pause.fromMs = 0;
  }

  get sessionId(): string {
    return this.#speech.sessionId;
  }

  /** Continues a session from another server, which knew of this pause. */
  inherit({ fromMs, toMs }: PauseTimes): void {
    const times = { fromMs, toMs: Math.min(toMs, this.#speech.receivedMs()) };
    if (!this.#isPaused) this.#pause = { ...noPause(), ...times };
    else if (toMs === Infinity) this.#pause.fromMs = fromMs;
  }

  /** Takes captions until the session ends or another speaker has the floor. */
  async listen(): Promise<void> {
    const { log } = this.#options;
    try {
      for await (const update of this.#speech.captions) {
        if (this.#hasLeft) return;
        await this.#take(update).catch((error: unknown) => {
          log.error({ err: error }, 'captions of a room were lost');
        });
      }
    } catch (error) {
      log.info({ err: error, sessionId: this.sessionId }, 'a speaker of a room left');
    } finally {
      if (this.#speech.isMoved?.() === true) this.abandon();
      else this.leave();
    }
  }

  /** Takes nothing that is spoken from now on. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#pausedAtMs = performance.now();
    this.#settle();
    const { toMs } = (this.#pauseBefore = this.#pause);
    this.#pause = {
      ...noPause(),
      fromMs: this.#speech.receivedMs(),
      owed: this.#unfinished,
      notBeforeMs: toMs === Infinity ? 0 : toMs - BEGIN_MS,
    };
    this.#unfinished = undefined;
    this.#options.grow(undefined);
    if (this.#pause.owed !== undefined) {
      this.#owedTimer = setTimeout(() => this.#settle(), OWED_MS).unref();
    }
    this.#options.onPause?.(this.#pause);
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    const toMs = this.#speech.receivedMs();
    const lengthMs = Math.max(toMs - this.#pause.fromMs, performance.now() - this.#pausedAtMs);
    if (lengthMs >= SHORTEST_MS || this.#pause.fromMs === 0) {
      this.#settle();
      this.#pause.toMs = toMs;
    } else {
      clearTimeout(this.#owedTimer);
      this.#unfinished = this.#pause.owed;
      this.#pause = this.#pauseBefore;
    }
    this.#options.onPause?.(this.#pause);
  }

  /** Stops taking captions; the unfinished segment becomes a line as far as it was heard. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#settle();
    const unfinished = this.#unfinished;
    this.#unfinished = undefined;
    this.#options.grow(undefined);
    if (unfinished !== undefined) this.#say(unfinished);
  }

  /** Whether another server hears the session, so that nothing more of it is appended here. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Stops taking captions and drops the unfinished segment, as another server hears the session. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#pause.owed = undefined;
    this.#unfinished = undefined;
    this.leave();
  }

  /** Ends the voice session. */
  end(reason: ServiceError): void {
    this.#speech.end(reason);
  }

  async #take({ sentences }: CaptionUpdate): Promise<void> {
    if (sentences === undefined) return;
    const { growing, isUnsure } = sentences;
    const lines = sentences.concluded.filter((each) => this.#isTaken(each));
    const unfinished = growing !== undefined && this.#isOutside(growing) ? growing : undefined;
    this.#unfinished = unfinished;
    await Promise.all(lines.map((each) => this.#options.say(this.#placed(each))));
    // Meanwhile the room may have been paused, or the floor taken.
    if (this.#hasLeft || this.#unfinished !== unfinished) return;
    const shown = unfinished && { text: unfinished.text.trim(), language: unfinished.language };
    this.#options.grow(shown && { ...shown, isUnsure });
  }

  #isOutside({ startMs }: Segment): boolean {
    const { fromMs, toMs } = this.#pause;
    return !this.#isPaused && (fromMs === Infinity || startMs >= toMs - BEGIN_MS);
  }

  /** Whether no part of a sentence was spoken in a pause. */
  #isTaken(sentence: Segment): boolean {
    const { startMs, endMs } = sentence;
    const { fromMs, toMs, settled, notBeforeMs } = this.#pause;
    if (startMs < notBeforeMs) return false;
    if (fromMs === Infinity || startMs >= toMs - BEGIN_MS) return true;
    if (startMs >= fromMs) return false;
    if (settled !== undefined && startMs < settled.endMs && endMs > settled.startMs) return false;
    if (endMs > fromMs + END_MS) {
      this.#settle();
      return false;
    }
    this.#pause.owed = remainder(this.#pause.owed, sentence);
    if (this.#pause.owed === undefined) clearTimeout(this.#owedTimer);
    return true;
  }

  /**
   * Stops awaiting the end of the segment that was unfinished when a pause began, and appends it as it
   * stands.
   */
  #settle(): void {
    clearTimeout(this.#owedTimer);
    const { owed } = this.#pause;
    if (owed === undefined) return;
    this.#pause.owed = undefined;
    this.#pause.settled = owed;
    this.#say(owed);
  }

  #say(segment: Segment): void {
    if (segment.text.trim() === '') return;
    this.#options.say(this.#placed(segment)).catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'captions of a room were lost');
    });
  }

  /** Converts audio times into clock times. */
  #placed({ text, language, startMs, endMs }: Segment): Sentence {
    const originMs = this.#speech.originMs();
    return {
      text: text.trim(),
      language,
      startMs: Math.round(originMs + startMs),
      endMs: Math.round(originMs + endMs),
      heardUpToMs: Math.round(endMs),
    };
  }
}

function noPause(): Pause {
  return { fromMs: Infinity, toMs: Infinity, owed: undefined, settled: undefined, notBeforeMs: 0 };
}

/** Returns what remains of an unfinished segment once its first sentence has become a line. */
function remainder(growing: Segment | undefined, sentence: Segment): Segment | undefined {
  if (growing === undefined || sentence.endMs <= growing.startMs) return growing;
  const [all, first] = [growing.text.trim(), sentence.text.trim()];
  const text = all.startsWith(first) ? all.slice(first.length).trim() : '';
  return text === '' ? undefined : { ...growing, text, startMs: sentence.endMs };
}
