/**
 * The client of a room's reader: receives captions over a WebSocket, or as server-sent events where
 * sockets are blocked, and reconnects after every drop without losing anything.
 */
import { languageSpelling } from '../language.ts';
import type {
  Calmness,
  RoomMessageOf,
  RoomServerMessage,
  RoomWatch,
} from '../protocol/room-messages.ts';
import type { RoomEntrance } from '../schemas/rooms.ts';
import { isOffline, retryPause } from './retry.ts';
import { CLOSED, globalSocketClass, OPEN, type SocketClass, type SocketLike } from './socket.ts';
import type { Fetch } from './token-provider.ts';

/** The track of the speech itself, in whatever language it is spoken. */
export const SPOKEN_TRACK = 'spoken';

export type RoomFeedState =
  | 'connecting'
  | 'open'
  /** The connection was just lost; everything missed will be delivered. */
  | 'reconnecting'
  /** The server has been unreachable for a while, or the device has no network. */
  | 'offline'
  /** The limit of readers or of attempts is reached; the feed retries by itself. */
  | 'full'
  /** The room requires its passcode: see {@link enterRoom} and {@link RoomFeed.setKey}. */
  | 'locked'
  /** The link is invalid, expired or revoked. */
  | 'refused'
  /** The room does not exist, or no longer exists. */
  | 'gone'
  | 'closed';

export type RoomFeedEvent =
  | { type: 'state'; state: RoomFeedState }
  /** Public information about the room, before reading starts; a language may be chosen now. */
  | { type: 'entrance'; entrance: RoomEntrance }
  /** Another language is followed than requested, because the room no longer has that one. */
  | { type: 'language'; language: string }
  | Exclude<RoomServerMessage, { type: 'keep_alive' }>;

export interface RoomFeedOptions {
  /** Address of the room, such as `https://live.example.org/v1/rooms/k7mq3xw9ab`. */
  url: string;
  key?: string | undefined;
  /** One of the room's languages, in any spelling; the spoken track by default. */
  language?: string | undefined;
  calmness?: Calmness | undefined;
  onEvent: (event: RoomFeedEvent) => void;
  WebSocket?: SocketClass;
  fetch?: Fetch;
}

/** Silence after which a connection counts as lost, in ms; the server sends something every 12 s. */
const SILENT_MS = 30_000;
/** Time after which an attempt to connect counts as swallowed by the network, in ms. */
const OPENING_MS = 10_000;
/**
 * Failed attempts before server-sent events are tried, once sockets have worked: fewer may be due
 * to a restart of the server.
 */
const SOCKETS_BEFORE_STREAM = 3;
/**
 * Time for a socket to open, in ms. Some networks swallow only sockets, so server-sent events are
 * tried next.
 */
const SOCKET_OPENING_MS = 5_000;
/** Attempts after which the reader learns that the server is unreachable. */
const ATTEMPTS_BEFORE_OFFLINE = 3;
const WATCH_EVERY_MS = 5_000;

/** The outcome of a connection. */
interface Outcome {
  wasOpen: boolean;
  /** HTTP status of an event stream request. */
  status?: number;
}

/**
 * Exchanges a passcode for a reader's key.
 *
 * @returns the key, or why there is none; `unneeded`: the room asks for no passcode any more, or is gone
 */
export async function enterRoom(
  url: string,
  passcode: string,
  { fetch = defaultFetch }: { fetch?: Fetch } = {},
): Promise<{ key: string } | { refused: 'wrong' | 'too-often' | 'unneeded' | 'unreachable' }> {
  try {
    const response = await fetch(`${url}/live/entry`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ passcode }),
    });
    const { key } = (await response.json()) as { key?: string };
    if (response.ok && key !== undefined) return { key };
    if (response.status === 429) return { refused: 'too-often' };
    if (response.status >= 500) return { refused: 'unreachable' };
    const entrance = await fetch(`${url}/live/entry`, {});
    const { access } = (await entrance.json()) as Partial<RoomEntrance>;
    if (entrance.status >= 500) return { refused: 'unreachable' };
    return { refused: access === 'passcode' ? 'wrong' : 'unneeded' };
  } catch {
    return { refused: 'unreachable' };
  }
}

/** A reader of a room. It connects by itself, until {@link close} is called. */
export class RoomFeed {
  readonly #options: RoomFeedOptions;
  readonly #fetch: Fetch;
  #key: string | undefined;
  #wish: { language: string; calmness: Calmness };
  /**
   * The track that the server sends: the requested one, or the spoken track where the room lacks
   * that language.
   */
  #following = '';
  #offered: readonly string[] | undefined;
  /** Sequence of the last message of the followed track that must not be lost. */
  #after: number | undefined;
  #state: RoomFeedState = 'connecting';
  #heardAtMs = 0;
  /** Time of the last `end` message. */
  #endedAtMs = 0;
  #socket: SocketLike | undefined;
  /** Ends the current connection. */
  #cut: (() => void) | undefined;
  /** The stream was ended on purpose, to switch the language or calmness: nothing was lost. */
  #wantsAnother = false;
  /** Ends the pause before the next attempt. */
  #wake: (() => void) | undefined;
  /** The current run; a new key starts another one. */
  #run = new AbortController();
  readonly #forget: () => void;

  /** @throws TypeError where there is no WebSocket and none was passed */
  constructor(options: RoomFeedOptions) {
    this.#options = options;
    this.#options.WebSocket ??= globalSocketClass();
    this.#fetch = options.fetch ?? defaultFetch;
    this.#key = options.key || undefined;
    const { language = SPOKEN_TRACK, calmness = 'instant' } = options;
    this.#wish = { language: languageSpelling(language || SPOKEN_TRACK), calmness };
    this.#forget = whenSeenAgain(() => {
      this.#look();
      this.#wake?.();
    });
    // Deferred, so that no event fires before the caller has the instance.
    queueMicrotask(() => void this.#live(this.#run.signal));
  }

  get state(): RoomFeedState {
    return this.#state;
  }

  /** The followed track. */
  get language(): string {
    return this.#following || this.#wish.language;
  }

  /** Changes language or calmness from now on; the history of a new language is delivered automatically. */
  watch({ language, calmness }: Omit<RoomWatch, 'after'>): void {
    const before = { ...this.#wish };
    if (language !== undefined) this.#wish.language = languageSpelling(language || SPOKEN_TRACK);
    if (calmness !== undefined) this.#wish.calmness = calmness as Calmness;
    const isOther = before.language !== this.#wish.language;
    if (!isOther && before.calmness === this.#wish.calmness) return;
    this.#changeTrack({ withLanguage: isOther });
  }

  /** Reconnects with another key. */
  setKey(key: string | undefined): void {
    if (this.#state === 'closed') return;
    this.#key = key || undefined;
    this.#restart();
  }

  close(): void {
    this.#run.abort();
    this.#forget();
    this.#disconnect();
    this.#tell('closed');
  }

  #restart(): void {
    this.#run.abort();
    this.#disconnect();
    this.#run = new AbortController();
    this.#tell('connecting');
    void this.#live(this.#run.signal);
  }

  #disconnect(): void {
    this.#wake?.();
    this.#cut?.();
    this.#socket?.close();
    this.#socket = undefined;
  }

  /** Connects, and reconnects until the feed stops or the run is aborted. */
  async #live(signal: AbortSignal): Promise<void> {
    const watch = setInterval(() => this.#look(), WATCH_EVERY_MS);
    let attempt = 0;
    // Number of attempts that may still fail to open a socket.
    let socketsLeft = 1;
    let mustAsk = true;
    const isOver = () => signal.aborted;
    const isChanging = (): boolean => this.#wantsAnother;
    while (!isOver()) {
      const entry = mustAsk ? await this.#ask(signal) : 'in';
      if (isOver() || entry === 'out') break;
      let outcome: Outcome = { wasOpen: false };
      const beganAtMs = Date.now();
      this.#wantsAnother = false;
      if (entry === 'in' && socketsLeft > 0) {
        outcome = await this.#readSocket(signal);
        socketsLeft = outcome.wasOpen ? SOCKETS_BEFORE_STREAM : socketsLeft - 1;
      } else if (entry === 'in') {
        outcome = await this.#readStream(signal);
        // The device may be on another network now, so one socket is tried again.
        if (!isChanging()) socketsLeft = 1;
      }
      if (isOver()) break;
      if (isChanging()) continue;
      if (outcome.wasOpen) attempt = 0;
      attempt += 1;
      // After an `end` message, the room's entrance tells what is next. A connection that lasted
      // reconnects without a pause.
      const hasEnded = this.#endedAtMs - beganAtMs > WATCH_EVERY_MS;
      mustAsk = !outcome.wasOpen || this.#endedAtMs >= beganAtMs;
      if (hasEnded) continue;
      this.#tellLoss(attempt, outcome);
      await this.#pause(attempt, signal);
    }
    clearInterval(watch);
  }

  #tellLoss(attempt: number, { status }: Outcome): void {
    if (status === 429 || status === 503) this.#tell('full');
    else if (isOffline() || attempt >= ATTEMPTS_BEFORE_OFFLINE) this.#tell('offline');
    else if (this.#state !== 'connecting' && this.#state !== 'offline') this.#tell('reconnecting');
  }

  async #pause(attempt: number, signal: AbortSignal): Promise<void> {
    const nap = new AbortController();
    this.#wake = () => nap.abort();
    if (!signal.aborted) await retryPause({ attempt, signal: nap.signal, isCrowd: true });
    this.#wake = undefined;
  }

  /** Asks whether the room exists and admits this reader: a refused socket does not reveal the reason. */
  async #ask(signal: AbortSignal): Promise<'in' | 'out' | 'unreachable'> {
    const deadline = AbortSignal.timeout(OPENING_MS);
    let response: Response;
    let entrance: RoomEntrance;
    try {
      const headers: Record<string, string> =
        this.#key === undefined ? {} : { authorization: `Room-Key ${this.#key}` };
      const asked = this.#fetch(`${this.#options.url}/live/entry`, { headers, signal: deadline });
      response = await asked;
      entrance = (await response.json()) as RoomEntrance;
    } catch {
      return 'unreachable';
    }
    if (signal.aborted) return 'out';
    if (response.status === 404) return this.#stop('gone');
    if (!response.ok) return 'unreachable';
    const { access, may_read: mayRead, languages } = entrance;
    if (!mayRead && access === 'everyone') {
      // An old key, for a room that no longer requires one.
      this.#key = undefined;
    } else if (!mayRead) {
      this.#options.onEvent({ type: 'entrance', entrance });
      return this.#stop(access === 'passcode' ? 'locked' : 'refused');
    }
    if (languages !== undefined) this.#offered = languages;
    if (this.#state === 'connecting') this.#options.onEvent({ type: 'entrance', entrance });
    return 'in';
  }

  #stop(state: RoomFeedState): 'out' {
    this.#tell(state);
    return 'out';
  }

  #address(): URL {
    const address = new URL(`${this.#options.url}/live`);
    const { searchParams: query } = address;
    const language = this.#offers(this.#wish.language) ? this.#wish.language : SPOKEN_TRACK;
    this.#follow(language);
    query.set('language', language);
    query.set('calmness', this.#wish.calmness);
    if (this.#after !== undefined) query.set('after', String(this.#after));
    if (this.#key !== undefined) query.set('key', this.#key);
    return address;
  }

  #offers(language: string): boolean {
    return language === SPOKEN_TRACK || (this.#offered?.includes(language) ?? true);
  }

  #follow(language: string): void {
    if (language === this.#following) return;
    this.#following = language;
    this.#after = undefined;
    if (language !== this.#wish.language) this.#options.onEvent({ type: 'language', language });
  }

  #readSocket(signal: AbortSignal): Promise<Outcome> {
    const address = this.#address();
    address.protocol = address.protocol.replace('http', 'ws');
    const asked = this.#wish.calmness;
    const Socket = this.#options.WebSocket ?? globalSocketClass();
    return new Promise((resolve) => {
      let wasOpen = false;
      const socket = new Socket(address.href);
      this.#socket = socket;
      const opening = setTimeout(over, SOCKET_OPENING_MS);
      this.#cut = over;
      socket.onopen = () => {
        wasOpen = true;
        clearTimeout(opening);
        this.#open();
        // The reader may have changed the language or calmness meanwhile.
        const { language, calmness } = this.#wish;
        const isOther = language !== this.#following && this.#offers(language);
        if (isOther || calmness !== asked) this.#sendWatch({ withLanguage: isOther });
      };
      socket.onmessage = ({ data }: { data: unknown }) => {
        if (this.#socket === socket && !signal.aborted) this.#take(String(data));
      };
      // Normally a close event follows, but when the page's security policy forbids the connection,
      // Chromium sends none.
      socket.onerror = () => {
        if (socket.readyState === CLOSED) over();
      };
      socket.onclose = over;
      const ended = () => over();
      signal.addEventListener('abort', ended, { once: true });

      // On a lost network, a closing handshake takes minutes, so the close event is not awaited.
      function over(): void {
        clearTimeout(opening);
        signal.removeEventListener('abort', ended);
        socket.onclose = socket.onmessage = null;
        socket.close();
        resolve({ wasOpen });
      }
    }).then((outcome) => {
      this.#cut = undefined;
      this.#socket = undefined;
      return outcome as Outcome;
    });
  }

  /**
   * Reads the same messages as server-sent events; parsed here, because EventSource hides the HTTP
   * status.
   */
  async #readStream(signal: AbortSignal): Promise<Outcome> {
    const abort = new AbortController();
    const end = () => abort.abort();
    this.#cut = end;
    signal.addEventListener('abort', end, { once: true });
    const opening = setTimeout(end, OPENING_MS);
    const outcome: Outcome = { wasOpen: false };
    try {
      const headers = { accept: 'text/event-stream' };
      const answer = await this.#fetch(this.#address().href, { headers, signal: abort.signal });
      clearTimeout(opening);
      outcome.status = answer.status;
      if (!answer.ok || answer.body === null) return outcome;
      outcome.wasOpen = true;
      this.#open();
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
      const decoder = new TextDecoder();
      let waiting = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const events = (waiting + decoder.decode(value, { stream: true })).split('\n\n');
        waiting = events.pop() ?? '';
        for (const event of events) {
          const data = event.split('\n').find((line) => line.startsWith('data: '));
          if (data !== undefined && !signal.aborted) this.#take(data.slice('data: '.length));
        }
      }
    } catch {
      // Either side ended the connection.
    } finally {
      clearTimeout(opening);
      signal.removeEventListener('abort', end);
      this.#cut = undefined;
    }
    return outcome;
  }

  #open(): void {
    this.#heardAtMs = Date.now();
    this.#tell('open');
  }

  #changeTrack({ withLanguage }: { withLanguage: boolean }): void {
    if (this.#socket?.readyState === OPEN) this.#sendWatch({ withLanguage });
    // A stream cannot send, so it is reopened; a connecting socket sends the change when it opens.
    else if (this.#socket === undefined && this.#cut !== undefined) {
      this.#wantsAnother = true;
      this.#cut();
    }
  }

  #sendWatch({ withLanguage }: { withLanguage: boolean }): void {
    const { language: wished, calmness } = this.#wish;
    const language = this.#offers(wished) ? wished : SPOKEN_TRACK;
    const isOther = withLanguage && language !== this.#following;
    this.#follow(language);
    const watch: RoomWatch = isOther ? { language, calmness } : { calmness };
    this.#socket?.send(JSON.stringify({ watch }));
  }

  #take(frame: string): void {
    this.#heardAtMs = Date.now();
    const [[type, payload] = ['']] = Object.entries(JSON.parse(frame) as Record<string, object>);
    const message = { type, ...payload } as RoomServerMessage;
    if (message.type === 'keep_alive') return;
    if (message.type === 'room') this.#takeRoom(message);
    if (message.type === 'history' || message.type === 'captions') {
      // Such messages were still in flight when the language was changed.
      if (message.language !== this.#following) return;
      // After a change of language, only the sequence from its history onwards counts.
      const isFirst = message.type === 'history' && message.replaces;
      if (message.sequence !== undefined && (isFirst || this.#after !== undefined)) {
        this.#after = message.sequence;
      }
    }
    this.#options.onEvent(message);
    if (message.type !== 'end') return;
    // The entrance tells the reason.
    this.#endedAtMs = Date.now();
    this.#cut?.();
  }

  /**
   * Stops following a language that the room no longer has, and returns to the requested one when
   * it is back.
   */
  #takeRoom({ languages }: RoomMessageOf<'room'>): void {
    this.#offered = languages;
    if (!this.#offers(this.#following)) this.#follow(SPOKEN_TRACK);
    if (this.#following === this.#wish.language || !this.#offers(this.#wish.language)) return;
    this.#changeTrack({ withLanguage: true });
  }

  /** Cuts a dead connection, for example after a phone has slept. */
  #look(): void {
    if (this.#state !== 'open') return;
    // The clock may be set back meanwhile.
    if (Math.abs(Date.now() - this.#heardAtMs) > SILENT_MS) this.#cut?.();
  }

  #tell(state: RoomFeedState): void {
    if (state === this.#state || this.#state === 'closed') return;
    this.#state = state;
    this.#options.onEvent({ type: 'state', state });
  }
}

/** Looked up on each call, because pages and tests may replace it. */
const defaultFetch: Fetch = (url, init) => globalThis.fetch(url, init);

interface Page {
  addEventListener?: (type: string, listener: () => void) => void;
  removeEventListener?: (type: string, listener: () => void) => void;
  document?: Page & { visibilityState?: string };
}

/**
 * Calls `seen` when the page becomes visible or the network returns; never in programs.
 *
 * @returns a function that stops this
 */
function whenSeenAgain(seen: () => void): () => void {
  const page = globalThis as unknown as Page;
  const { document } = page;
  const look = () => {
    if (document?.visibilityState !== 'hidden') seen();
  };
  document?.addEventListener?.('visibilitychange', look);
  page.addEventListener?.('pageshow', look);
  page.addEventListener?.('online', look);
  return () => {
    document?.removeEventListener?.('visibilitychange', look);
    page.removeEventListener?.('pageshow', look);
    page.removeEventListener?.('online', look);
  };
}
