/**
 * The link to Redis: one connection, replaced whenever it fails. Commands without a reply are sent again on
 * the new connection.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ErrorReply, RedisClient, RESP_TYPES } from '@redis/client';
import { ServiceError } from '../../shared/errors.ts';
import type { Logger } from '../process/log.ts';

/** A reply of Redis. Maps are possible too, but no command used here returns one. */
export type Reply = string | number | Buffer | null | Reply[];

export type Command = readonly [name: string, ...args: (string | Buffer)[]];

/** A new connection, before it is used for anything else. */
export interface Greeting {
  /** @throws ErrorReply as sent by Redis; another error if there is no reply */
  send: (command: Command) => Promise<Reply>;
  /** Subscribes to a channel and unsubscribes again. @throws as `send` */
  tryChannel: (channel: string) => Promise<void>;
}

/** Maximum time for a reply, and for each step of a new connection, in ms. */
const ANSWER_MS = 2_000;
/** Grace period in which a late reply may still arrive, in ms. */
const LAST_MS = 100;
/** How long commands wait for a lost connection, in ms; after that they are refused at once. */
const PATIENCE_MS = 1_000;
/** Maximum number of commands awaiting a reply; further ones are refused. */
const MAX_WAITING = 20_000;
/** Minimum interval between warnings that the broker takes nothing, in ms. */
const SAY_AGAIN_MS = 10_000;
/** Interval at which an idle connection is probed, as it may be dead without notice; in ms. */
const HEARTBEAT_MS = 1_000;
const RECONNECT_MS = { first: 20, most: 1_000 } as const;
/** A connection that lasted for less does not reset the backoff; in ms. */
const GOOD_MS = 1_000;

/**
 * Errors of commands that were not executed but may succeed on another connection, perhaps to another server.
 * A script that is missing is loaded with the next connection.
 */
const ELSEWHERE = /^(READONLY|LOADING|MASTERDOWN|NOSCRIPT)\b/;
/** Errors of commands that were not executed, and would not be on another connection either. */
const UNABLE = /^(OOM|MISCONF|NOREPLICAS|BUSY|CLUSTERDOWN|NOAUTH)\b/;

export interface RedisLinkOptions {
  url: string;
  log: Logger;
  /** Called first with every new connection. @throws if the connection must not be used */
  greet: (greeting: Greeting) => Promise<void>;
  /**
   * Called with a new connection in use: commands it sends precede the waiting ones. The function it returns
   * is called after those.
   */
  onBack: () => () => void;
}

/** A command without a reply. */
interface Waiting {
  readonly command: Command;
  /** Whether executing the command twice has the same effect as once. */
  readonly isRepeatable: boolean;
  readonly askedAtMs: number;
  resolve: (reply: Reply) => void;
  reject: (error: Error) => void;
  /** The connection that the command was last sent on. */
  client: Client | undefined;
}

type Client = ReturnType<typeof newClient>;

interface Connection {
  client: Client;
  /** Channels that the connection has subscribed to. */
  channels: string[];
}

export class RedisLink {
  readonly #options: RedisLinkOptions;
  /** The connection in use, once it has been greeted. */
  #client: Client | undefined;
  #lostAtMs = performance.now();
  #usedSinceMs = performance.now();
  /** Backoff before the next connection attempt, in ms. */
  #delayMs = 0;
  #saidUnableAtMs = -Infinity;
  /** Commands without a reply, in call order, in which they are sent again. */
  readonly #waiting = new Set<Waiting>();
  /** Timeout of the oldest command: a timer per command would add half of a command's whole cost. */
  #patience: Patience | undefined;
  /** Callback of each subscribed channel. */
  readonly #bells = new Map<string, () => void>();
  #isClosed = false;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #onMessage = (_message: string, channel: string) => this.#bells.get(channel)?.();

  private constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  /** Connects. @throws the reason if the first connection fails; later ones are retried for ever */
  static async open(options: RedisLinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options);
    try {
      link.#use(await link.#connect());
      return link;
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  /**
   * Sends a command, again if the connection breaks before its reply.
   *
   * @param isRepeatable false for a command that must not be executed twice: it is then not sent again
   * @throws ServiceError broker_unavailable, when the command may or may not have been executed; internal
   */
  send(command: Command, isRepeatable = true): Promise<Reply> {
    if (this.#isClosed) return Promise.reject(closing());
    const awayMs = this.#client === undefined ? performance.now() - this.#lostAtMs : 0;
    if (awayMs > PATIENCE_MS || this.#waiting.size >= MAX_WAITING) return Promise.reject(away());
    return new Promise((resolve, reject) => {
      const askedAtMs = performance.now();
      const waiting: Waiting = {
        ...{ command, isRepeatable, askedAtMs, resolve, reject, client: undefined },
      };
      this.#waiting.add(waiting);
      this.#patience ??= new Patience(this.#giveUp);
      if (this.#client !== undefined) this.#dispatch(waiting, this.#client);
    });
  }

  /**
   * Calls `ring` when something is published in a channel, and after each new connection, as messages may
   * have been missed. A command sent after this call is executed once the subscription is in place.
   *
   * @returns a function that stops listening
   */
  listen(channel: string, ring: () => void): () => void {
    this.#bells.set(channel, ring);
    if (this.#client !== undefined) this.#subscribe(this.#client, [channel]);
    return () => {
      this.#bells.delete(channel);
      // Removed by its listener, so that a new subscription made before the reply survives.
      this.#client?.unsubscribe(channel, this.#onMessage).catch(() => undefined);
    };
  }

  /** Replaces a connection that leads to a server that must not be used. */
  replace(error: Error): void {
    if (this.#client !== undefined) this.#drop(this.#client, error);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    this.#patience?.end();
    this.#client?.destroy();
    this.#client = undefined;
    for (const waiting of this.#waiting) this.#settle(waiting).reject(closing());
  }

  /** @throws what is wrong with the server, or with the connection to it */
  async #connect(): Promise<Connection> {
    const client = newClient(this.#options.url);
    let fail = (_error: Error): void => undefined;
    const failure = new Promise<never>((_, reject) => (fail = reject));
    failure.catch(() => undefined);
    client.on('error', (error: Error) => {
      fail(error);
      this.#drop(client, error);
    });
    // Each step has its own timeout.
    const within = async <Result>(work: Promise<Result>): Promise<Result> => {
      const patience = new Patience(() => fail(noAnswer()));
      return Promise.race([work, failure]).finally(() => patience.end());
    };
    try {
      await within(client.connect());
      await this.#options.greet({
        send: (command) => within(client.sendCommand<Reply>([...command])),
        tryChannel: async (channel) => {
          await within(client.subscribe(channel, () => undefined));
          await within(client.unsubscribe(channel));
        },
      });
      // A connection without its subscriptions is of no use.
      const channels = [...this.#bells.keys()];
      if (channels.length > 0) await within(client.subscribe(channels, this.#onMessage));
      return { client, channels };
    } catch (error) {
      client.destroy();
      throw error;
    }
  }

  /** Takes a connection into use, and sends all commands that still have no reply. */
  #use({ client, channels }: Connection): void {
    if (this.#isClosed) {
      client.destroy();
      return;
    }
    this.#client = client;
    this.#usedSinceMs = performance.now();
    const isNew = (channel: string) => !channels.includes(channel);
    this.#subscribe(client, [...this.#bells.keys()].filter(isNew));
    const waitedBefore = [...this.#waiting];
    const sendYounger = this.#options.onBack();
    for (const waiting of waitedBefore) this.#dispatch(waiting, client);
    sendYounger();
    for (const ring of this.#bells.values()) ring();
  }

  #subscribe(client: Client, channels: string[]): void {
    if (channels.length === 0) return;
    client
      .subscribe(channels, this.#onMessage)
      .catch((error: unknown) => this.#drop(client, error as Error));
  }

  #dispatch(waiting: Waiting, client: Client): void {
    waiting.client = client;
    client.sendCommand<Reply>([...waiting.command]).then(
      (reply) => this.#settle(waiting).resolve(reply),
      (error: unknown) => this.#fail(waiting, { client, error: error as Error }),
    );
  }

  #fail(waiting: Waiting, { client, error }: { client: Client; error: Error }): void {
    if (error instanceof ErrorReply && !ELSEWHERE.test(error.message)) {
      this.#settle(waiting).reject(this.refusal(waiting.command, error));
      return;
    }
    const isNotDone = error instanceof ErrorReply;
    if (!isNotDone && !waiting.isRepeatable) this.#settle(waiting).reject(away());
    this.#drop(client, error);
  }

  /** Rejects commands asked up to that time, and starts the timeout of the rest. */
  readonly #giveUp = (askedUntilMs: number): void => {
    for (const waiting of this.#waiting) {
      if (waiting.askedAtMs > askedUntilMs) break;
      this.#settle(waiting).reject(away());
      // Later commands would queue behind it, and have had no reply since it was asked.
      if (waiting.client !== undefined)
        this.#drop(waiting.client, noAnswer(), performance.now() - ANSWER_MS);
    }
    const [oldest] = this.#waiting;
    this.#patience = oldest && new Patience(this.#giveUp, oldest.askedAtMs);
  };

  #settle(waiting: Waiting): Pick<Waiting, 'resolve' | 'reject'> {
    this.#waiting.delete(waiting);
    return waiting;
  }

  /** Returns the error for a command that Redis refused. */
  refusal({ 0: command }: Command, error: ErrorReply): ServiceError {
    const { log } = this.#options;
    if (!UNABLE.test(error.message)) {
      log.error({ command, error: error.message }, 'the broker refused a command');
      return new ServiceError('internal', 'Something went wrong. Please try again.', {
        cause: error,
      });
    }
    if (performance.now() - this.#saidUnableAtMs > SAY_AGAIN_MS) {
      this.#saidUnableAtMs = performance.now();
      log.warn({ error: error.message }, 'the broker cannot accept writes');
    }
    return away(error);
  }

  /** Replaces a connection, unless that has been done. */
  #drop(client: Client, error: Error, lostAtMs = performance.now()): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#lostAtMs = lostAtMs;
    if (performance.now() - this.#usedSinceMs > GOOD_MS) this.#delayMs = 0;
    this.#options.log.warn({ error: error.message }, 'the connection to the broker is lost');
    // Destroying it rejects its commands, which then wait for the next connection.
    client.destroy();
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    const { log } = this.#options;
    for (let lastProblem = ''; ;) {
      // Jitter keeps nodes from reconnecting all at the same moment.
      if (this.#delayMs > 0) {
        await pause(this.#delayMs * (0.5 + Math.random()), undefined, { ref: false });
      }
      this.#delayMs = Math.min(RECONNECT_MS.most, Math.max(RECONNECT_MS.first, this.#delayMs * 2));
      if (this.#isClosed) return;
      try {
        const connection = await this.#connect();
        const awayMs = Math.round(performance.now() - this.#lostAtMs);
        log.info({ awayMs }, 'the broker is back');
        this.#use(connection);
        return;
      } catch (error) {
        const problem = (error as Error).message;
        if (problem !== lastProblem) log.warn({ error: problem }, 'the broker is away');
        lastProblem = problem;
      }
    }
  }

  #beat(): void {
    if (this.#client !== undefined && this.#waiting.size === 0) {
      this.send(['PING']).catch(() => undefined);
    }
  }
}

/** Creates a client that never reconnects by itself: this module decides what happens after a failure. */
function newClient(url: string) {
  // The client speaks RESP 3. Making a class of all commands takes 40 ms, so the factory keeps it.
  const create = RedisClient.factory({});
  return create({
    url,
    name: 'dragoman',
    // This module gives up before that; the client's timeout cleans up the socket.
    socket: { connectTimeout: ANSWER_MS + 10 * LAST_MS, reconnectStrategy: false },
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // Commands not yet sent have their timeout in this module.
    commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
  });
}

/**
 * Timeout for a reply. After a suspension, a process finds its timers due before it has written its output
 * and read its input, so both get a turn before the timeout takes effect.
 */
class Patience {
  #timer: NodeJS.Timeout;
  #lastLook: NodeJS.Immediate | undefined;

  /** @param giveUp called with the time of `performance.now()` up to which commands have waited too long */
  constructor(giveUp: (askedUntilMs: number) => void, askedAtMs = performance.now()) {
    const leftMs = ANSWER_MS - (performance.now() - askedAtMs);
    this.#timer = setTimeout(
      () => {
        const askedUntilMs = Math.max(askedAtMs, performance.now() - ANSWER_MS);
        const look = () => {
          this.#lastLook = setImmediate(() => giveUp(askedUntilMs));
        };
        this.#timer = setTimeout(look, LAST_MS);
      },
      Math.max(leftMs, 0),
    );
  }

  end(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#lastLook);
  }
}

function noAnswer(): Error {
  return Object.assign(new Error('It does not answer.'), { code: 'ETIMEDOUT' });
}

export function away(cause?: Error): ServiceError {
  return new ServiceError(
    'broker_unavailable',
    'What the servers share for live speech cannot be reached. Please try again in a moment.',
    { cause },
  );
}

function closing(): ServiceError {
  return new ServiceError('stopping', 'The server is stopping. Please try again in a moment.');
}
