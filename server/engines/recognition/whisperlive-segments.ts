/** What a WhisperLive server tells of one utterance, put together. Pure. */
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { RecogniserMessage } from './recogniser-socket.ts';
import type { HeardUtterance } from './utterance-stream.ts';

/** Seconds come as text. */
const Seconds = Type.Union([Type.String({ pattern: '^\\d+(?:\\.\\d+)?$' }), Type.Number()]);
const Segment = Type.Object({
  start: Seconds,
  end: Seconds,
  text: Type.String(),
  completed: Type.Optional(Type.Boolean()),
});
const segments = Compile(Type.Object({ segments: Type.Array(Segment) }));

interface TimedText {
  startMs: number;
  endMs: number;
  text: string;
}

/**
 * The segments of an utterance. Each message repeats the last segments of the connection, whole ones
 * and one that still changes; only some of them are of this utterance.
 */
export class UtteranceSegments {
  readonly #fromMs: number;
  /** Whole ones by where they end. */
  readonly #completed = new Map<number, TimedText>();
  #growing: TimedText | undefined;

  /** @param fromMs where the utterance begins on the clock of the connection */
  constructor(fromMs: number) {
    this.#fromMs = fromMs;
  }

  get isEmpty(): boolean {
    return this.#completed.size === 0 && this.#growing === undefined;
  }

  /** Whether there is one that still changes. */
  get isGrowing(): boolean {
    return this.#growing !== undefined;
  }

  /** Takes in a message; returns whether it tells of segments. */
  add(message: RecogniserMessage): boolean {
    if (!segments.Check(message)) return false;
    const before = this.#growing;
    this.#growing = undefined;
    for (const segment of message.segments) {
      const timed = this.#timed(segment);
      if (timed === undefined) continue;
      if (segment.completed !== true) this.#growing = timed;
      else if (!this.#completed.has(timed.endMs)) {
        // What stayed the same until it was whole is said to begin where hearing did.
        const startMs = before?.text === timed.text ? before.startMs : timed.startMs;
        this.#completed.set(timed.endMs, { ...timed, startMs });
      }
    }
    // The server drops a sentence that repeats the one before: what it showed of it still was said.
    const isGone = before !== undefined && this.#growing === undefined && !this.#covers(before);
    if (isGone) this.#completed.set(before.endMs, before);
    return true;
  }

  /** @param lengthMs how much of the utterance was heard */
  heard(lengthMs: number): HeardUtterance {
    const growing = this.#growing === undefined ? [] : [this.#growing];
    const all = [...this.#completed.values(), ...growing].sort((a, b) => a.startMs - b.startMs);
    const [first, last] = [all[0], all.at(-1)];
    return {
      text: all.map(({ text }) => text.trim()).join(' '),
      lengthMs,
      ...(first !== undefined && { startMs: first.startMs }),
      ...(last !== undefined && { endMs: Math.min(last.endMs, lengthMs) }),
    };
  }

  /** On the clock of the utterance; undefined when it is of one before. */
  #timed({ start, end, text }: Static<typeof Segment>): TimedText | undefined {
    const startMs = Math.max(0, Number(start) * 1000 - this.#fromMs);
    const endMs = Number(end) * 1000 - this.#fromMs;
    return endMs <= 0 || text.trim() === '' ? undefined : { startMs, endMs, text };
  }

  #covers({ startMs, endMs }: TimedText): boolean {
    const middleMs = (startMs + endMs) / 2;
    return [...this.#completed.values()].some(
      (whole) => whole.startMs <= middleMs && middleMs <= whole.endMs,
    );
  }
}
