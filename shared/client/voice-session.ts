/** A voice session as a program sees it: audio in, events out, whatever becomes of the connection. */
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

/** What is asked of a session. Languages, glossaries and lists are those of the server. */
export interface VoiceSessionOptions {
  /** Format of the audio, one channel. `audio/auto` finds out what container it is. */
  contentType: (typeof sourceMediaTypes)[number] | (string & {});
  /** Language that is spoken; without one the server listens for it, if it can. */
  sourceLanguage?: LanguageTag;
  /** `auto` (default) takes the source language as a hint, `fixed` as mandatory. */
  sourceLanguageMode?: 'auto' | 'fixed';
  /** At most five; none for a transcript only. */
  targetLanguages?: readonly LanguageTag[];
  /** Speaks the translation into one of the languages. */
  speech?: {
    language: LanguageTag;
    /** Default: `audio/webm;codecs=opus`. */
    contentType?: (typeof targetMediaTypes)[number] | (string & {});
    voice?: 'male' | 'female';
  };
  glossaryId?: string;
  formality?: 'default' | 'formal' | 'more' | 'informal' | 'less';
  spokenTermsId?: string;
  /** How much of what may still change is shown; `balanced` by default. */
  captionMode?: 'instant' | 'balanced' | 'settled';
  /** Concluded captions tell the times of the words that were said, and how sure each is. */
  wordDetails?: boolean;
  /** How messages are written; `msgpack` (default) saves a third of the bytes. */
  messageFormat?: MessageFormat;

  /** Ends the session at once when it is aborted. */
  signal?: AbortSignal;
  /** Goes on in a new session, from zero, when the server has lost the old one; an error otherwise. */
  restart?: boolean;
  /** Attempts in a row: for the first connection (3), and after one has dropped (10, about 50 s). */
  attempts?: { toBegin?: number; toResume?: number };
  /** Audio kept until the server has it: 60 s (at least 2 s) and 16 MB; `send` waits when there is more. */
  buffer?: { maxMs?: number; maxBytes?: number };
  /** Of compressed audio that is sent faster than it plays; the server tells it otherwise. */
  bytesPerSecond?: number;
  /** How long the server may be silent after the end of the audio, in ms; 60,000 by default. */
  endDeadlineMs?: number;
  /** The class of the package `ws`, where the surroundings have no WebSocket. */
  WebSocket?: SocketClass;
}

/** Changes of a running session: what is left out stays, null takes a wish back. */
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

/** A session that runs. It is made by `connectVoice` and connects by itself. */
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
    // Whoever only iterates or listens is told in their own way.
    this.done.catch(() => undefined);
  }

  get status(): StatusEvent['status'] {
    return this.#status;
  }

  /** Audio that was not sent, or not acknowledged by the server yet, in ms. */
  get bufferedMs(): number {
    return this.#link.audio.bufferedMs;
  }

  /**
   * Takes audio of any length. It is kept until the server has it and not copied: do not write to it.
   *
   * @returns resolves when there is room for more; ignore it for a live microphone, await it for files
   * @throws VoiceError closed, or why the session failed
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
   * What was sent up to now is an utterance, as when a button to talk is let go: it is concluded at once,
   * without waiting for silence. More audio may follow. Not said again when the connection drops just
   * then: silence does it.
   */
  endUtterance(): void {
    if (!this.#isFinishing) this.#link.endUtterance();
  }

  /**
   * Other targets or terms from now on, also of a session that takes the place of this one. A language
   * that is added begins with the sentence that is being said, one that is taken away ends with it.
   * Those that are asked for while others are on their way are sent as one, and of the same wish the last
   * counts; if the server refuses them together, each is tried by itself, in order.
   *
   * @returns resolves when they are in force, or a later one of the same wish is, which event `terms` tells too
   * @throws VoiceError update-refused, and the session goes on as it was; update-unsupported by a
   *   server of before; closed, or why the session failed
   */
  update(changes: VoiceSessionChanges): Promise<void> {
    return this.#link.update(changesOf(changes));
  }

  /**
   * No more audio follows.
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

  /** Ends at once; what was not said yet is lost. */
  close(): void {
    this.#link.close();
  }

  /** Calls a listener for every event of a type, until the returned function is called. */
  on<Type extends EventType>(type: Type, listener: (event: EventOf<Type>) => void): () => void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners);
    listeners.add(listener as Listener);
    return () => void listeners.delete(listener as Listener);
  }

  /**
   * The events from now on. It ends with the session and throws VoiceError when that fails; to leave
   * it early does not end the session.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<VoiceEvent> {
    const feed: EventFeed = new EventFeed(() => this.#feeds.delete(feed));
    if (this.#isClosed()) feed.end(this.#failure);
    else this.#feeds.add(feed);
    return feed;
  }

  async #run(signal: AbortSignal | undefined): Promise<void> {
    try {
      // Later, so that whoever made the session can listen before anything happens.
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

/** The events of a session for one `for await`: kept while nobody reads, what is outdated left out. */
class EventFeed implements AsyncIterableIterator<VoiceEvent> {
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
