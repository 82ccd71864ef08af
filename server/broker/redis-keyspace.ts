/**
 * The keys of a cluster and the scripts that run on them. Calls of one script in the same turn are batched.
 */
import { ErrorReply } from '@redis/client';
import type { Command, RedisLink, Reply } from './redis-link.ts';
import type { Script } from './redis-scripts.ts';

/** Limits of a batch: Redis does nothing else while it runs, and a socket takes about as much at once. */
const MOST_TOGETHER = 100;
const MOST_BYTES_TOGETHER = 128 * 1024;

/** One call of a batched script. */
interface Asked {
  keys: readonly string[];
  args: readonly (string | Buffer)[];
  sizeBytes: number;
}

/** A batch of calls of one script, in call order. */
interface Together {
  readonly script: Script;
  readonly keysEach: number;
  readonly argsEach: number;
  readonly keys: string[];
  readonly args: (string | Buffer)[];
  readonly waiting: { resolve: (reply: Reply) => void; reject: (error: unknown) => void }[];
  sizeBytes: number;
  readonly timer: NodeJS.Immediate;
}

export class Keyspace {
  readonly #link: RedisLink;
  readonly #prefix: string;
  #together: Together | undefined;

  constructor(link: RedisLink, prefix: string) {
    this.#link = link;
    this.#prefix = prefix;
  }

  key(kind: string, name: string): string {
    return `${this.#prefix}:${kind}:${name}`;
  }

  listen(channel: string, ring: () => void): () => void {
    return this.#link.listen(channel, ring);
  }

  send(command: Command, isRepeatable = true): Promise<Reply> {
    // Sends the open batch first, so that Redis executes everything in call order.
    this.flush();
    return this.#link.send(command, isRepeatable);
  }

  run(
    { sha }: Script,
    keys: readonly string[],
    args: readonly (string | Buffer)[],
    { isRepeatable = true } = {},
  ): Promise<Reply> {
    const command = ['EVALSHA', sha, `${keys.length}`, ...keys, ...args] as const;
    return this.send(command, isRepeatable);
  }

  /** Runs a script that takes many calls at once, batched with its other calls of this turn. */
  runBatched(
    script: Script,
    keys: readonly string[],
    args: readonly (string | Buffer)[],
  ): Promise<Reply> {
    const sizeBytes = args.reduce((sum, { length }) => sum + length, 0);
    const together = this.#togetherFor(script, { keys, args, sizeBytes });
    together.keys.push(...keys);
    together.args.push(...args);
    together.sizeBytes += sizeBytes;
    return new Promise((resolve, reject) => together.waiting.push({ resolve, reject }));
  }

  /** Sends the open batch. */
  flush(): void {
    const together = this.#takeTogether();
    if (together !== undefined) this.#send(together);
  }

  /** Lets everything asked from now on overtake the open batch. @returns a function that sends the batch */
  detachBatch(): () => void {
    const together = this.#takeTogether();
    return () => {
      if (together !== undefined) this.#send(together);
    };
  }

  #takeTogether(): Together | undefined {
    const together = this.#together;
    this.#together = undefined;
    clearImmediate(together?.timer);
    return together;
  }

  #send(together: Together): void {
    const { script, keys, keysEach, args, argsEach, waiting } = together;
    const shape = [`${keysEach}`, `${argsEach}`];
    const command = ['EVALSHA', script.sha, `${keys.length}`, ...keys, ...shape, ...args] as const;
    this.#link.send(command).then(
      (replies) => {
        for (const [index, { resolve, reject }] of waiting.entries()) {
          const reply = (replies as (Reply | ErrorReply)[])[index];
          if (reply instanceof ErrorReply) reject(this.#link.refusal(command, reply));
          else resolve(reply ?? null);
        }
      },
      (error: unknown) => waiting.forEach(({ reject }) => reject(error)),
    );
  }

  #togetherFor(script: Script, { keys, args, sizeBytes }: Asked): Together {
    const open = this.#together;
    const fits =
      open?.script === script &&
      open.keysEach === keys.length &&
      open.waiting.length < MOST_TOGETHER &&
      open.sizeBytes + sizeBytes <= MOST_BYTES_TOGETHER;
    if (fits) return open;
    this.flush();
    const timer = setImmediate(() => this.flush());
    const [keysEach, argsEach] = [keys.length, args.length];
    const opened = {
      script,
      keysEach,
      argsEach,
      keys: [],
      args: [],
      waiting: [],
      sizeBytes: 0,
      timer,
    };
    this.#together = opened;
    return opened;
  }
}
