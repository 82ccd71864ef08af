/** The way to Redis: one connection that is replaced whenever it is not good any more. */
import { setTimeout as pause } from 'node:timers/promises';
import { ErrorReply, RedisClient, RESP_TYPES } from '@redis/client';
import { ServiceError } from '../../shared/errors.ts';
import type { Logger } from '../process/log.ts';

/** What Redis answers: `Map`s as well, which nothing here asks for. */
export type Reply = string | number | Buffer | null | Reply[];

export type Command = readonly [name: string, ...args: (string | Buffer)[]];

/** A new connection, before it is used for anything else. */
export interface Greeting {
  /** @throws ErrorReply as Redis said it; another error when there is no answer */
  send: (command: Command) => Promise<Reply>;
  /** Listens to a channel, and no more. @throws as `send` */
  tryChannel: (channel: string) => Promise<void>;
}

/** How long an answer may take, in ms, a new connection included. */
const ANSWER_MS = 2_000;
/** How long it may still come once it is known to be late, in ms. */
const LAST_MS = 100;
/** How long commands wait for a lost connection, in ms; once that is over they are refused at once. */
const PATIENCE_MS = 1_000;
/** Commands that wait for an answer; more are refused. */
const MAX_WAITING = 20_000;
/** How often it is said that the broker takes nothing, in ms. */
const SAY_AGAIN_MS = 10_000;
/** How often a connection is tried that might be dead without anybody having been told, in ms. */
const HEARTBEAT_MS = 1_000;
const RECONNECT_MS = { first: 20, most: 1_000 } as const;
/** A connection that lasted for less is no sign that the next one will be better, in ms. */
const GOOD_MS = 1_000;

/**
 * Redis will not do it here or now, and has not: another connection, perhaps to another server, may. A
 * script it does not know is loaded with the next connection.
 */
const ELSEWHERE = /^(READONLY|LOADING|MASTERDOWN|NOSCRIPT)\b/;
/** It has not done it, and will not on another connection either. */
const UNABLE = /^(OOM|MISCONF|NOREPLICAS|BUSY|CLUSTERDOWN|NOAUTH)\b/;

export interface RedisLinkOptions {
  url: string;
  log: Logger;
  /** What every new connection is asked first. @throws when it is not to be used */
  greet: (greeting: Greeting) => Promise<void>;
  /**
   * Called when there is a new connection: what it sends is done before what waits. What it answers is called
   * behind that.
   */
  onBack: () => () => void;
}

/** A command without an answer. */
interface Waiting {
  readonly command: Command;
  /** Done twice, it leaves things as done once. */
  readonly isRepeatable: boolean;
  readonly askedAtMs: number;
  resolve: (reply: Reply) => void;
  reject: (error: Error) => void;
  /** The connection it was sent on last. */
  client: Client | undefined;
}

type Client = ReturnType<typeof newClient>;

interface Connection {
  client: Client;
  /** Those it listens to. */
  channels: string[];
}

export class RedisLink {
  readonly #options: RedisLinkOptions;
  /** The connection, once it has been greeted. */
  #client: Client | undefined;
  #lostAtMs = performance.now();
  #usedSinceMs = performance.now();
  /** Before the next connection is tried. */
  #delayMs = 0;
  #saidUnableAtMs = -Infinity;
  /** In the order in which they were asked, which is the order in which they are sent again. */
  readonly #waiting = new Set<Waiting>();
  /** With the oldest: one timer for each would cost half as much again as all the rest of a command. */
  #patience: Patience | undefined;
  /** Channels that are listened to, and what they ring. */
  readonly #bells = new Map<string, () => void>();
  #isClosed = false;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #onMessage = (_message: string, channel: string) => this.#bells.get(channel)?.();

  private constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  /** Connects. @throws what keeps it from the first connection; later ones are tried again and again */
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
   * Sends a command, and again when the connection breaks before its answer.
   *
   * @param isRepeatable false for what must not be done twice: then it is not sent again
   * @throws ServiceError broker_unavailable, when it may have been done or not; internal
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
   * Rings when something is published in a channel, and after each new connection, for something may
   * have been. What is sent after this is answered when it listens already.
   *
   * @returns stops
   */
  listen(channel: string, ring: () => void): () => void {
    this.#bells.set(channel, ring);
    if (this.#client !== undefined) this.#subscribe(this.#client, [channel]);
    return () => {
      this.#bells.delete(channel);
      // By its listener: whoever listens again before the answer is not forgotten with it.
      this.#client?.unsubscribe(channel, this.#onMessage).catch(() => undefined);
    };
  }

  /** Replaces the connection, which leads to what must not be used. */
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

  /** @throws what is wrong with the server, or the way to it */
  async #connect(): Promise<Connection> {
    const client = newClient(this.#options.url);
    let fail = (_error: Error): void => undefined;
    const failure = new Promise<never>((_, reject) => (fail = reject));
    failure.catch(() => undefined);
    client.on('error', (error: Error) => {
      fail(error);
      this.#drop(client, error);
    });
    // One after the other, so that each has its time.
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
      // One that hears nothing is of no use.
      const channels = [...this.#bells.keys()];
      if (channels.length > 0) await within(client.subscribe(channels, this.#onMessage));
      return { client, channels };
    } catch (error) {
      client.destroy();
      throw error;
    }
  }

  /** Sends on a new connection what has no answer yet. */
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

  /** Ends the wait of those that were asked by then, and begins that of the others. */
  readonly #giveUp = (askedUntilMs: number): void => {
    for (const waiting of this.#waiting) {
      if (waiting.askedAtMs > askedUntilMs) break;
      this.#settle(waiting).reject(away());
      // Others would wait behind it, and have no answer since it was asked.
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

  /** What is told to whom Redis has refused something. */
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
      log.warn({ error: error.message }, 'the broker cannot take anything');
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
    // Whatever it was asked is rejected by that, and waits for the next.
    client.destroy();
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    const { log } = this.#options;
    for (let lastProblem = ''; ;) {
      // Not all nodes at the same moment.
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

/** A connection that is used until something is wrong with it: what comes then is decided here. */
function newClient(url: string) {
  // RESP 3 is what it speaks. A class of all commands takes 40 ms to make: this one is kept.
  const create = RedisClient.factory({});
  return create({
    url,
    name: 'dragoman',
    // It is given up before; this ends what is left of it.
    socket: { connectTimeout: ANSWER_MS + 10 * LAST_MS, reconnectStrategy: false },
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // Of commands that were not sent: they have their time here.
    commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
  });
}

/**
 * Waits for an answer, no longer than one may take. A process that stood still finds its timers due before it has
 * sent what was to be sent, or read what has arrived: it does both before it gives up.
 */
class Patience {
  #timer: NodeJS.Timeout;
  #lastLook: NodeJS.Immediate | undefined;

  /** @param giveUp told what was asked until when has waited for too long, by `performance.now()` */
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
