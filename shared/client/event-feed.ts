import type { VoiceEvent } from './events.ts';

/** The events of a session for one `for await`: kept while nobody reads, what is outdated left out. */
export class EventFeed implements AsyncIterableIterator<VoiceEvent> {
  readonly #waiting: VoiceEvent[] = [];
  readonly #onReturn: () => void;
  /** Callers of {@link next} that wait; several may, one event each. */
  #readers: (() => void)[] = [];
  #isOver = false;
  #failure: Error | undefined;

  /** @param onReturn the reader has left */
  constructor(onReturn: () => void) {
    this.#onReturn = onReturn;
  }

  push(event: VoiceEvent): void {
    const last = this.#waiting.at(-1);
    // A slow reader must not make memory grow with what is not true any more.
    if (last !== undefined && replaces(event, last)) this.#waiting.pop();
    this.#waiting.push(event);
    this.#readers.shift()?.();
  }

  /** Nothing more comes. With an error the reader is thrown it after the last event. */
  end(failure?: Error): void {
    this.#isOver = true;
    this.#failure = failure;
    this.#wakeAll();
  }

  async next(): Promise<IteratorResult<VoiceEvent, undefined>> {
    for (;;) {
      const value = this.#waiting.shift();
      if (value !== undefined) return { done: false, value };
      if (this.#isOver) {
        const failure = this.#failure;
        this.#failure = undefined;
        if (failure !== undefined) throw failure;
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => this.#readers.push(resolve));
    }
  }

  async return(): Promise<IteratorResult<VoiceEvent, undefined>> {
    this.#waiting.length = 0;
    this.#isOver = true;
    this.#failure = undefined;
    this.#wakeAll();
    this.#onReturn();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wakeAll(): void {
    const readers = this.#readers;
    this.#readers = [];
    for (const wake of readers) wake();
  }
}

function replaces(event: VoiceEvent, before: VoiceEvent): boolean {
  if (event.type === 'acknowledgement' || event.type === 'lag') return event.type === before.type;
  if (event.type !== 'caption' || before.type !== 'caption') return false;
  const isSameTrack =
    event.kind === before.kind && (event.kind === 'source' || event.language === before.language);
  return isSameTrack && before.concluded.length === 0;
}
