/** A voice session for programs: audio in, events out, independent of individual connections. */
import type { LanguageTag } from '../language.ts';
import type { sourceMediaTypes } from '../media-type.ts';
import type { MessageFormat } from '../protocol/messages.ts';
import type { targetMediaTypes } from '../target-media-type.ts';
import { eventOf, type StatusEvent, type VoiceEvent } from './events.ts';
import type { SessionChanges } from './session-updates.ts';
import { globalSocketClass, type SocketClass } from './socket.ts';
import type { SessionRequest, TokenProvider } from './token-provider.ts';
import { toVoiceError, VoiceError } from './voice-error.ts';
import { VoiceLink } from './voice-link.ts';

/** Options of a session. Languages, glossaries and lists of spoken terms are those of the server. */
export interface VoiceSessionOptions {
  /** Format of the audio, one channel. `audio/auto` detects the container. */
  contentType: (typeof sourceMediaTypes)[number] | (string & {});
  /** Spoken language; detected if omitted and supported by the recogniser. */
  sourceLanguage?: LanguageTag;
  /** `auto` (default) takes the source language as a hint, `fixed` as mandatory. */
  sourceLanguageMode?: 'auto' | 'fixed';
  /** At most five; none for a transcript only. */
  targetLanguages?: readonly LanguageTag[];
  /** Synthesises the translation into one of the languages. */
  speech?: {
    language: LanguageTag;
    /** Default: `audio/webm;codecs=opus`. */
    contentType?: (typeof targetMediaTypes)[number] | (string & {});
    voice?: 'male' | 'female';
  };
  glossaryId?: string;
  formality?: 'default' | 'formal' | 'more' | 'informal' | 'less';
  spokenTermsId?: string;
  /** How much text that may still change is shown; `balanced` by default. */
  captionMode?: 'instant' | 'balanced' | 'settled';
  /** Adds times and confidence of each word to concluded source captions. */
  wordDetails?: boolean;
  /** Encoding of messages; `msgpack` (default) saves a third of the bytes. */
  messageFormat?: MessageFormat;

  /** Ends the session at once when aborted. */
  signal?: AbortSignal;
  /**
   * Continues in a new session, from zero, when the server has lost the old one; by default this is
   * an error.
   */
  restart?: boolean;
  /** Consecutive attempts: for the first connection (3), and after a drop (10, about 50 s). */
  attempts?: { toBegin?: number; toResume?: number };
  /**
   * Limits on audio kept until the server has it: 60 s (at least 2 s) and 16 MB; `send` waits
   * beyond them.
   */
  buffer?: { maxMs?: number; maxBytes?: number };
  /**
   * Byte rate of compressed audio that is sent faster than real time; otherwise learned from the
   * server.
   */
  bytesPerSecond?: number;
  /** Longest silence of the server after the end of the audio, in ms; 60,000 by default. */
  endDeadlineMs?: number;
  /** The class of the package `ws`, where there is no global WebSocket. */
  WebSocket?: SocketClass;
}

/** Changes of a running session: omitted fields stay as they are, null resets a field. */
export type VoiceSessionChanges = {
  [Name in 'targetLanguages' | 'speech' | 'glossaryId' | 'formality' | 'spokenTermsId']?:
    | VoiceSessionOptions[Name]
    | null;
};

type EventType = VoiceEvent['type'];
type EventOf<Type extends EventType> = Extract<VoiceEvent, { type: Type }>;
type Listener = (event: VoiceEvent) => void;

const DEFAULTS = {
  attempts: { toBegin: 3, toResume: 10 },
  buffer: { maxMs: 60_000, maxBytes: 16 * 1024 * 1024 },
  endDeadlineMs: 60_000,
};

/** A running session. `connectVoice` creates it; it connects by itself. */
export class VoiceSession implements AsyncIterable<VoiceEvent> {
  /** Resolves when everything was said or the session was closed; rejects with VoiceError when it fails. */
  readonly done: Promise<void>;
  readonly #link: VoiceLink;
  readonly #listeners = new Map<EventType, Set<Listener>>();
  readonly #feeds = new Set<EventFeed>();
  #status: StatusEvent['status'] = 'connecting';
  #waitingForRoom: (() => void)[] = [];
  #failure: VoiceError | undefined;
  #isFinishing = false;

  constructor(options: VoiceSessionOptions & { provideToken: TokenProvider }) {
    this.#link = new VoiceLink({
      request: requestOf(options),
      provideToken: options.provideToken,
      WebSocket: options.WebSocket ?? globalSocketClass(),
      attempts: { ...DEFAULTS.attempts, ...options.attempts },
      buffer: { ...DEFAULTS.buffer, ...options.buffer },
      bytesPerSecond: options.bytesPerSecond,
      restart: options.restart === true ? { keptMs: Infinity } : false,
      endDeadlineMs: options.endDeadlineMs ?? DEFAULTS.endDeadlineMs,
      onStatus: (status) => this.#changeStatus(status),
      onMessage: (message) => this.#tell(eventOf(message)),
      onRestart: () => this.#tell({ type: 'restart' }),
      onRoom: () => this.#admit(),
    });
    const { signal } = options;
    const close = (): void => this.close();
    signal?.addEventListener('abort', close, { once: true });
    this.done = this.#run(signal).finally(() => signal?.removeEventListener('abort', close));
    // Callers that only iterate or listen learn of a failure there.
    this.done.catch(() => undefined);
  }

  get status(): StatusEvent['status'] {
    return this.#status;
  }

  /** Audio that was not sent, or not yet acknowledged by the server, in ms. */
  get bufferedMs(): number {
    return this.#link.audio.bufferedMs;
  }

  /**
   * Sends audio of any length. The array is kept, not copied, until the server has it: do not
   * modify it.
   *
   * @returns resolves when there is room for more; ignore it for a live microphone, await it for
   *   files
   * @throws VoiceError closed, or the reason why the session failed
   */
  async send(audio: Uint8Array): Promise<void> {
    if (this.#status === 'closed' || this.#isFinishing) throw this.#closedError();
    this.#link.audio.push(audio);
    while (this.#link.audio.isFull) {
      await new Promise<void>((resolve) => this.#waitingForRoom.push(resolve));
      if (this.#isClosed()) throw this.#closedError();
    }
  }

  /**
   * Ends the current utterance, for example when a push-to-talk button is released: it is concluded
   * at once, without waiting for silence. More audio may follow. Not repeated if the connection
   * drops at this moment; silence then ends the utterance.
   */
  endUtterance(): void {
    if (!this.#isFinishing) this.#link.endUtterance();
  }

  /**
   * Changes targets or terms from now on, also for a session that replaces this one. An added
   * language begins with the current sentence, a removed one ends with it. Changes requested while
   * others are in flight are combined, and for the same field the last one counts; if the server
   * refuses the combination, each is retried by itself, in order.
   *
   * @returns resolves when the change, or a later one of the same field, is in force; the event
   *   `terms` reports this, too
   * @throws VoiceError update-refused, and the session goes on as it was; update-unsupported by an
   *   older server; closed, or the reason why the session failed
   */
  update(changes: VoiceSessionChanges): Promise<void> {
    return this.#link.update(changesOf(changes));
  }

  /**
   * Ends the audio.
   *
   * @returns resolves when everything was said
   * @throws VoiceError when the session fails before that
   */
  finish(): Promise<void> {
    if (!this.#isFinishing) {
      this.#isFinishing = true;
      this.#link.finish();
    }
    return this.done;
  }

  /** Ends at once; text that is not yet delivered is lost. */
  close(): void {
    this.#link.close();
  }

  /** Adds a listener for events of a type. @returns a function that removes it */
  on<Type extends EventType>(type: Type, listener: (event: EventOf<Type>) => void): () => void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners);
    listeners.add(listener as Listener);
    return () => void listeners.delete(listener as Listener);
  }

  /**
   * Iterates over the events from now on. Ends with the session and throws VoiceError if that
   * fails; leaving the loop early does not end the session.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<VoiceEvent> {
    const feed: EventFeed = new EventFeed(() => this.#feeds.delete(feed));
    if (this.#isClosed()) feed.end(this.#failure);
    else this.#feeds.add(feed);
    return feed;
  }

  async #run(signal: AbortSignal | undefined): Promise<void> {
    try {
      // Deferred, so that the caller can add listeners before anything happens.
      await Promise.resolve();
      if (signal?.aborted === true) this.close();
      await this.#link.run();
    } catch (error) {
      throw (this.#failure = toVoiceError(error));
    } finally {
      this.#changeStatus('closed');
      for (const feed of this.#feeds) feed.end(this.#failure);
      this.#feeds.clear();
      this.#admit();
    }
  }

  #changeStatus(status: StatusEvent['status']): void {
    this.#status = status;
    const error = status === 'closed' && this.#failure !== undefined && { error: this.#failure };
    this.#tell({ type: 'status', status, ...error });
  }

  #tell(event: VoiceEvent | undefined): void {
    if (event === undefined) return;
    for (const feed of this.#feeds) feed.push(event);
    for (const listener of this.#listeners.get(event.type) ?? []) listener(event);
  }

  #admit(): void {
    const waiting = this.#waitingForRoom;
    if (waiting.length === 0) return;
    this.#waitingForRoom = [];
    for (const resolve of waiting) resolve();
  }

  #isClosed(): boolean {
    return this.#status === 'closed';
  }

  #closedError(): VoiceError {
    return this.#failure ?? new VoiceError('closed');
  }
}

/** The events of a session for one `for await`: queued until they are read, with outdated ones dropped. */
class EventFeed implements AsyncIterableIterator<VoiceEvent> {
  readonly #waiting: VoiceEvent[] = [];
  readonly #onReturn: () => void;
  /** Pending callers of {@link next}; several are allowed, each gets one event. */
  #readers: (() => void)[] = [];
  #isOver = false;
  #failure: Error | undefined;

  /** @param onReturn called when the reader leaves */
  constructor(onReturn: () => void) {
    this.#onReturn = onReturn;
  }

  push(event: VoiceEvent): void {
    // Outdated events must not fill the memory of a slow reader. Those of other tracks may lie between.
    const before = this.#waiting.findLastIndex((each) => isSameTrack(event, each));
    if (isOutdatable(this.#waiting[before])) this.#waiting.splice(before, 1);
    this.#waiting.push(event);
    this.#readers.shift()?.();
  }

  /** Ends the feed. With an error, the reader gets it after the last event. */
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

function isSameTrack(event: VoiceEvent, other: VoiceEvent): boolean {
  if (event.type !== 'caption' || other.type !== 'caption') return event.type === other.type;
  return (
    event.kind === other.kind && (event.kind === 'source' || event.language === other.language)
  );
}

/** Whether an event says nothing of worth once the next one of its track is there. */
function isOutdatable(event: VoiceEvent | undefined): boolean {
  if (event?.type === 'caption') return event.concluded.length === 0;
  return event?.type === 'acknowledgement' || event?.type === 'lag';
}

function requestOf(options: VoiceSessionOptions): SessionRequest {
  const { speech } = options;
  const optional = {
    source_language: options.sourceLanguage,
    source_language_mode: options.sourceLanguageMode,
    target_media_languages: speech && [speech.language],
    target_media_content_type: speech?.contentType,
    target_media_voice: speech?.voice,
    glossary_id: options.glossaryId,
    formality: options.formality,
    spoken_terms_id: options.spokenTermsId,
    caption_mode: options.captionMode,
    word_details: options.wordDetails,
  };
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return {
    source_media_content_type: options.contentType,
    message_format: options.messageFormat ?? 'msgpack',
    target_languages: [...(options.targetLanguages ?? [])],
    ...Object.fromEntries(given),
    acknowledgements: true,
    lag_updates: true,
    session_updates: true,
  };
}

function changesOf(changes: VoiceSessionChanges): SessionChanges {
  const { targetLanguages, speech, glossaryId, formality, spokenTermsId } = changes;
  const spoken = speech === null ? null : speech && [speech.language];
  const wishes = {
    target_languages: targetLanguages && [...targetLanguages],
    ...(speech !== undefined && {
      target_media_languages: spoken,
      target_media_content_type: speech?.contentType ?? null,
      target_media_voice: speech?.voice ?? null,
    }),
    glossary_id: glossaryId,
    formality,
    spoken_terms_id: spokenTermsId,
  };
  const given = Object.entries(wishes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}
