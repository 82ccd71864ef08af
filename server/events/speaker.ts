/**
 * Whoever speaks into a room: which of what is heard of a session becomes lines, and what is shown of it
 * meanwhile. Pauses are in the time of its audio, which stands still when none comes.
 */
import type { LanguageTag } from '../../shared/language.ts';
import type { ServiceError } from '../../shared/errors.ts';
import type { Logger } from '../process/log.ts';
import type { CaptionUpdate, SessionRoom } from '../voice/index.ts';
import type { Growing } from './interpreter.ts';

export type Speech = Parameters<SessionRoom['hear']>[0];
type Segment = NonNullable<CaptionUpdate['sentences']>['concluded'][number];

/** Times in ms since the epoch. */
export interface Sentence {
  text: string;
  language: LanguageTag;
  startMs: number;
  endMs: number;
  /** Up to where this is what the session has said, in ms of its audio. */
  heardUpToMs: number;
}

export interface SpeakerOptions {
  isPaused: boolean;
  /** A line. */
  say: (sentence: Sentence) => Promise<unknown>;
  /** What is being said; undefined: nothing. */
  grow: (growing: Growing | undefined) => void;
  /** A pause has begun, or is over. */
  onPause?: (pause: PauseTimes) => void;
  log: Logger;
  now?: () => number;
}

/** When a pause was, in ms of the audio; Infinity: it has not begun, or is not over. */
export interface PauseTimes {
  fromMs: number;
  toMs: number;
}

interface Pause extends PauseTimes {
  /** What was being said when it began, as far as it was heard: a line, if its end does not come. */
  owed: Segment | undefined;
  /** When it was said what is a line already. */
  settled: Pick<Segment, 'startMs' | 'endMs'> | undefined;
  /** What began earlier was said in a pause before this one, or before that. */
  notBeforeMs: number;
}

/** How much later than a pause begins a sentence may end that is still taken: a hand on its way. */
const END_MS = 1_000;
/** How much earlier than a pause ends one may begin: a recogniser begins a little before the first word. */
const BEGIN_MS = 500;
/** A shorter pause, of the audio and on the clock, is a slip of the hand, and none. */
const SHORTEST_MS = 1_000;
/** How long the end of what was being said is waited for. */
const OWED_MS = 3_000;

export class Speaker {
  readonly #speech: Speech;
  readonly #options: SpeakerOptions;
  #pause = noPause();
  /** The one before, of which the end of something may be on its way. */
  #pauseBefore = noPause();
  #isPaused: boolean;
  /** On the clock of `performance.now()`. */
  #pausedAtMs = 0;
  /** What is growing. */
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

  /** Goes on where another server has heard the session, which knew of this pause. */
  inherit({ fromMs, toMs }: PauseTimes): void {
    const times = { fromMs, toMs: Math.min(toMs, this.#speech.receivedMs()) };
    if (!this.#isPaused) this.#pause = { ...noPause(), ...times };
    else if (toMs === Infinity) this.#pause.fromMs = fromMs;
  }

  /** Takes what is said, until the session ends or somebody else has the floor. */
  async listen(): Promise<void> {
    const { log } = this.#options;
    try {
      for await (const update of this.#speech.captions) {
        if (this.#hasLeft) return;
        await this.#take(update).catch((error: unknown) => {
          log.error({ err: error }, 'something said in a room was lost');
        });
      }
    } catch (error) {
      log.info({ err: error, sessionId: this.sessionId }, 'a speaker of a room left');
    } finally {
      if (this.#speech.isMoved?.() === true) this.abandon();
      else this.leave();
    }
  }

  /** Nothing that is said from now on is taken. */
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

  /** What was being said stays as far as it was heard; nothing more is taken. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#settle();
    const unfinished = this.#unfinished;
    this.#unfinished = undefined;
    this.#options.grow(undefined);
    if (unfinished !== undefined) this.#say(unfinished);
  }

  /** Whether nothing of it is to be said here any more, as it is heard elsewhere. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Nothing more is taken, nor what was being said: it is heard elsewhere. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#pause.owed = undefined;
    this.#unfinished = undefined;
    this.leave();
  }

  /** Ends the session. */
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
    // Somebody may have paused meanwhile, or taken the floor.
    if (this.#hasLeft || this.#unfinished !== unfinished) return;
    const shown = unfinished && { text: unfinished.text.trim(), language: unfinished.language };
    this.#options.grow(shown && { ...shown, isUnsure });
  }

  #isOutside({ startMs }: Segment): boolean {
    const { fromMs, toMs } = this.#pause;
    return !this.#isPaused && (fromMs === Infinity || startMs >= toMs - BEGIN_MS);
  }

  /** Whether nothing of a sentence was said in a pause. */
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

  /** The end of what was being said when a pause began is not waited for any more. */
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
      this.#options.log.error({ err: error }, 'something said in a room was lost');
    });
  }

  /** When it was said: so long before the audio that has come just now. */
  #placed({ text, language, startMs, endMs }: Segment): Sentence {
    const { now = Date.now } = this.#options;
    const { beganAtMs } = this.#speech;
    const originMs = Math.max(beganAtMs, now() - this.#speech.receivedMs());
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

/** What is left of what grows when its first sentence has become a line. */
function remainder(growing: Segment | undefined, sentence: Segment): Segment | undefined {
  if (growing === undefined || sentence.endMs <= growing.startMs) return growing;
  const [all, first] = [growing.text.trim(), sentence.text.trim()];
  const text = all.startsWith(first) ? all.slice(first.length).trim() : '';
  return text === '' ? undefined : { ...growing, text, startMs: sentence.endMs };
}
