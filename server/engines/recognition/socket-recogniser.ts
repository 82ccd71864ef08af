/** Common parts of the recognition engines that use WebSockets, whose connections may break. */
import { setTimeout as delay } from 'node:timers/promises';
import { type RawData, WebSocket } from 'ws';
import type { Logger } from '../../process/log.ts';
import type { RecognitionEngine, RecognitionOptions } from '../engine.ts';
import { backOffMs, serviceFailure } from '../service/service-client.ts';
import { hearUtterances, type UtteranceHearer } from './utterance-stream.ts';
import type { HeardUtterance, Utterance } from './utterance.ts';
import { Change } from '../../process/concurrency.ts';

interface SocketRecogniserOptions extends Pick<
  RecognitionEngine,
  'name' | 'languages' | 'detectsLanguage' | 'usesSpokenTerms' | 'punctuates'
> {
  log: Logger;
  /** Connects for a session. @throws ConnectionFailure; the signal's reason when aborted */
  connect: (session: RecognitionOptions, signal: AbortSignal) => Promise<Conversation>;
  /** Maximum length of an utterance, in ms; a longer one is heard in parts. */
  maxUtteranceMs?: number;
  /** See {@link PersistentHearer}. */
  tries?: number | undefined;
  firstDelayMs?: number | undefined;
}

/** Creates an engine that keeps one connection per session. */
export function createSocketRecogniser(options: SocketRecogniserOptions): RecognitionEngine {
  const { log, name, languages, detectsLanguage, usesSpokenTerms, punctuates } = options;
  const { connect, tries, firstDelayMs, maxUtteranceMs } = options;
  const closing = new AbortController();
  return {
    name,
    languages,
    detectsLanguage,
    usesSpokenTerms,
    punctuates,
    recognise: (speech, session) =>
      hearUtterances({
        engine: name,
        speech,
        signal: session.signal,
        onHeard: session.onHeard,
        closing: closing.signal,
        maxUtteranceMs,
        createHearer: () =>
          new PersistentHearer({
            log,
            engine: name,
            connect: (signal) => connect(session, signal),
            tries,
            firstDelayMs,
          }),
      }),
    close: async () => closing.abort(),
  };
}

/**
 * Sends an utterance and reads the results concurrently; neither outlives the other.
 *
 * @param send sends the whole utterance, or stops when its signal aborts
 * @param read resolves with the final result
 */
export async function sendAndRead(
  utterance: Utterance,
  {
    send,
    read,
    signal,
  }: {
    send: (signal: AbortSignal) => Promise<void>;
    read: () => Promise<HeardUtterance>;
    signal: AbortSignal;
  },
): Promise<HeardUtterance> {
  const sending = new AbortController();
  const stop = (): void => {
    sending.abort();
    // Wakes a sender that waits for more of the utterance, so that it sees the aborted signal.
    utterance.change.notify();
  };
  signal.addEventListener('abort', stop, { once: true });
  const sent = send(sending.signal);
  try {
    // A failure of either ends both; the result is complete only after everything was sent.
    const [heard] = await Promise.all([read(), sent]);
    return heard;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

// Hears utterances over connections that may break. An utterance whose connection is lost is heard again from
// its first sample over a new connection. No final is lost or duplicated, because an utterance gets its final
// only once a connection has reported all of it.

/** A connection to a recogniser, ready for the next utterance. */
export interface Conversation {
  /** Whether it can hear another utterance. */
  readonly isOpen: boolean;
  /** See {@link UtteranceHearer.hear}. @throws ConnectionFailure when the connection is no longer usable */
  hear(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
    signal: AbortSignal,
  ): Promise<HeardUtterance>;
  close(): void;
}

interface PersistentHearerOptions {
  log: Logger;
  /** Name of the engine, for error messages. */
  engine: string;
  /** @throws ConnectionFailure; the signal's reason when aborted */
  connect: (signal: AbortSignal) => Promise<Conversation>;
  /** Maximum number of connections for one utterance before its session fails. */
  tries?: number | undefined;
  /** Delay before the second attempt, in ms; it doubles with every further one. */
  firstDelayMs?: number | undefined;
}

const TRIES = 4;
const FIRST_DELAY_MS = 250;

class PersistentHearer implements UtteranceHearer {
  readonly #options: PersistentHearerOptions;
  #conversation: Conversation | undefined;

  constructor(options: PersistentHearerOptions) {
    this.#options = options;
  }

  async hear(
    utterance: Utterance,
    onPartial: (heard: HeardUtterance) => void,
    signal: AbortSignal,
  ): Promise<HeardUtterance> {
    let shown = '';
    /**
     * Text shown from earlier connections: shorter partials are suppressed so that the text does not regrow
     * word by word.
     */
    let before = '';
    const onNewPartial = (heard: HeardUtterance): void => {
      if (heard.text.length < before.length) return;
      shown = heard.text;
      onPartial(heard);
    };
    for (let failures = 0; ;) {
      try {
        const conversation = await this.#connected(signal);
        return await conversation.hear(utterance, onNewPartial, signal);
      } catch (error) {
        this.close();
        before = shown;
        signal.throwIfAborted();
        if (!(error instanceof ConnectionFailure)) throw error;
        if (error.kind === 'renewal') continue;
        failures += 1;
        await this.#waitBeforeRetry(error, failures, signal);
      }
    }
  }

  close(): void {
    this.#conversation?.close();
    this.#conversation = undefined;
  }

  async #connected(signal: AbortSignal): Promise<Conversation> {
    if (this.#conversation?.isOpen !== true) {
      this.close();
      const conversation = await this.#options.connect(signal);
      if (signal.aborted) conversation.close();
      signal.throwIfAborted();
      this.#conversation = conversation;
    }
    return this.#conversation;
  }

  /** Waits before the next attempt, or throws when attempts are exhausted. */
  async #waitBeforeRetry(
    lost: ConnectionFailure,
    failures: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { log, engine, tries = TRIES, firstDelayMs = FIRST_DELAY_MS } = this.#options;
    const { problem, kind, fields } = lost;
    const caller = { kind: 'recogniser', engine, log } as const;
    const failure = serviceFailure(caller, problem, { fields: { failures, ...fields } });
    if (kind === 'refusal' || failures >= tries) throw failure;
    const delayMs = backOffMs(failures, { firstMs: firstDelayMs });
    await delay(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Reason why a connection is no longer usable; a new connection may be. */
export class ConnectionFailure extends Error {
  /** Description of the problem; follows the name of the engine in messages. */
  readonly problem: string;
  /**
   * `refusal`: another attempt would fail in the same way; `renewal`: no error, only a fresh connection is
   * needed.
   */
  readonly kind: 'failure' | 'refusal' | 'renewal';
  /** Additional fields for the log. */
  readonly fields: object;

  constructor(
    problem: string,
    { kind, fields }: Partial<Pick<ConnectionFailure, 'kind' | 'fields'>> = {},
  ) {
    super(problem);
    this.name = 'ConnectionFailure';
    this.problem = problem;
    this.kind = kind ?? 'failure';
    this.fields = fields ?? {};
  }
}

interface SocketOptions {
  /** A ws:// or wss:// address. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Longest wait for the connection, for a response and for the network to take what is sent, in ms. */
  timeoutMs: number;
  /** Closes the connection when it aborts. */
  signal: AbortSignal;
}

/** A message of a recogniser: every protocol used here sends JSON objects. */
export type RecogniserMessage = Readonly<Record<string, unknown>>;

/** Far more than the results of a minute of speech. */
const MAX_MESSAGE_BYTES = 2 ** 20;
/** Limit of unread messages; recognisers send a few per second. */
const MAX_UNREAD = 1_000;
/** Longest closing handshake, in ms. */
const CLOSING_MS = 1_000;
const REFUSED = 'refuses us: check its address, model and key';

export class RecogniserSocket {
  readonly #socket: WebSocket;
  readonly #timeoutMs: number;
  readonly #change = new Change();
  readonly #unread: RecogniserMessage[] = [];
  #hasOpened = false;
  #failure: ConnectionFailure | undefined;
  #patience: NodeJS.Timeout | undefined;
  #pings = 0;
  #pongs = 0;
  /** Removes the listener from the session's signal. */
  readonly #unlink: () => void;
  /** Rejects the send in progress. */
  #failSend: (failure: ConnectionFailure) => void = () => {};

  /**
   * Connects.
   *
   * @throws ConnectionFailure when the connection fails; the signal's reason when aborted
   */
  static async connect(options: SocketOptions): Promise<RecogniserSocket> {
    const { signal } = options;
    signal.throwIfAborted();
    const socket = new RecogniserSocket(options);
    try {
      while (socket.#socket.readyState === WebSocket.CONNECTING) await socket.#change.next();
      socket.#throwIfLost();
      return socket;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  private constructor({ url, headers, timeoutMs, signal }: SocketOptions) {
    this.#timeoutMs = timeoutMs;
    this.#socket = new WebSocket(url, {
      headers: { ...headers },
      handshakeTimeout: timeoutMs,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      // Speech and key are meant for this address only.
      followRedirects: false,
    });
    const giveUp = () => this.close();
    signal.addEventListener('abort', giveUp, { once: true });
    this.#unlink = () => signal.removeEventListener('abort', giveUp);
    this.#socket.on('open', () => {
      this.#hasOpened = true;
      this.#change.notify();
    });
    this.#socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    this.#socket.on('pong', () => {
      this.#pongs += 1;
      this.#change.notify();
    });
    this.#socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
      const isRefusal = [400, 401, 402, 403, 404, 405].includes(statusCode);
      const kind = isRefusal ? 'refusal' : 'failure';
      const problem = isRefusal ? REFUSED : 'is overloaded or out of order';
      this.#lose(new ConnectionFailure(problem, { kind, fields: { status: statusCode } }));
    });
    this.#socket.on('error', (error: NodeJS.ErrnoException) => {
      const problem = this.#hasOpened ? 'has lost the connection' : 'cannot be reached';
      this.#lose(new ConnectionFailure(problem, { fields: { reason: error.code ?? 'failed' } }));
    });
    this.#socket.on('close', (code) => {
      this.#lose(
        new ConnectionFailure('has closed the connection', { fields: { closeCode: code } }),
      );
    });
  }

  get isOpen(): boolean {
    return this.#failure === undefined && this.#socket.readyState === WebSocket.OPEN;
  }

  /**
   * Sends text or bytes; resolves when the network has taken them. Only one send at a time.
   *
   * @throws ConnectionFailure
   */
  async send(data: string | Uint8Array): Promise<void> {
    this.#throwIfLost();
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#failSend = reject;
        timer = setTimeout(
          () => this.#lose(new ConnectionFailure('takes too long')),
          this.#timeoutMs,
        );
        this.#socket.send(data, (error) => {
          if (error) this.#lose(new ConnectionFailure('has lost the connection'));
          else resolve();
        });
      });
    } finally {
      clearTimeout(timer);
      this.#failSend = () => {};
    }
  }

  /**
   * Resolves with the next message, without a time limit.
   *
   * @throws ConnectionFailure when the connection is lost
   */
  async next(): Promise<RecogniserMessage> {
    for (;;) {
      const message = this.#unread.shift();
      if (message !== undefined) return message;
      this.#throwIfLost();
      await this.#change.next();
    }
  }

  /** Like {@link next}; undefined when no message arrives in time. */
  async nextWithin(withinMs: number): Promise<RecogniserMessage | undefined> {
    const deadlineMs = performance.now() + withinMs;
    const timer = setTimeout(() => this.#change.notify(), withinMs);
    try {
      for (;;) {
        const message = this.#unread.shift();
        if (message !== undefined) return message;
        this.#throwIfLost();
        if (performance.now() >= deadlineMs - 1) return undefined;
        await this.#change.next();
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Starts the response timeout: the connection is given up unless {@link forgive} is called in time. */
  expect(withinMs = this.#timeoutMs): void {
    this.#patience ??= setTimeout(
      () => this.#lose(new ConnectionFailure('takes too long')),
      withinMs,
    );
  }

  /** Stops the response timeout. */
  forgive(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
  }

  /**
   * Resolves when the server has received everything sent before.
   *
   * @throws ConnectionFailure
   */
  async flush(): Promise<void> {
    this.#throwIfLost();
    this.#pings += 1;
    const ping = this.#pings;
    this.expect();
    this.#socket.ping();
    while (this.#pongs < ping) {
      await this.#change.next();
      this.#throwIfLost();
    }
    this.forgive();
  }

  /** Closes the connection, after a last message if one is given. */
  close(farewell?: Uint8Array): void {
    if (farewell !== undefined && this.isOpen) this.#socket.send(farewell, () => {});
    this.#lose(new ConnectionFailure('was left'));
  }

  #throwIfLost(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #lose(failure: ConnectionFailure): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#unlink();
    this.forgive();
    this.#failSend(failure);
    // Closes with a handshake, so that the server frees its resources; terminates if the server does not
    // respond.
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(1000);
    if (this.#socket.readyState === WebSocket.CONNECTING) this.#socket.terminate();
    else setTimeout(() => this.#socket.terminate(), CLOSING_MS).unref();
    this.#change.notify();
  }

  #receive(data: RawData, isBinary: boolean): void {
    // Messages after a breach of the protocol are not trusted.
    if (this.#failure !== undefined) return;
    const message = isBinary ? undefined : parseObject(data);
    if (message === undefined) this.#lose(new ConnectionFailure('does not speak its protocol'));
    else if (this.#unread.length >= MAX_UNREAD) this.#lose(new ConnectionFailure('sends too much'));
    else this.#unread.push(message);
    this.#change.notify();
  }
}

function parseObject(data: RawData): RecogniserMessage | undefined {
  try {
    // Text messages arrive as one Buffer.
    const value: unknown = JSON.parse((data as Buffer).toString());
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as RecogniserMessage) : undefined;
  } catch {
    return undefined;
  }
}
