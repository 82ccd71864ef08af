/**
 * A queue that serves accounts in turn, and the calls of each in turn: one item of each, in the order
 * in which they came. An account with a thousand calls of a thousand items delays another by one item.
 */

/** Stands for one call in queues: an object of its own for each. */
export interface Turn {
  /** Whose call it is; those of nobody in particular share their turns. */
  readonly account: string | undefined;
}

export class FairQueue<Item> {
  readonly #accounts = new Lanes<string | undefined, Lanes<Turn, Item[]>>();

  get isEmpty(): boolean {
    return this.#accounts.size === 0;
  }

  push(turn: Turn, item: Item): void {
    const calls = this.#accounts.lane(turn.account, () => new Lanes());
    calls.lane(turn, () => []).push(item);
  }

  /** Takes the next item; undefined when the queue is empty. */
  shift(): Item | undefined {
    return this.#accounts.serve(
      (calls) =>
        calls.serve(
          (items) => items.shift(),
          (items) => items.length === 0,
        ),
      (calls) => calls.size === 0,
    );
  }

  /** Takes out all that a call has waiting. */
  remove(turn: Turn): Item[] {
    const calls = this.#accounts.get(turn.account);
    const items = calls?.get(turn) ?? [];
    calls?.delete(turn);
    if (calls?.size === 0) this.#accounts.delete(turn.account);
    return items;
  }

  /** Takes out everything. */
  clear(): Item[] {
    const items = [...this.#accounts.values()].flatMap((calls) => [...calls.values()].flat());
    this.#accounts.clear();
    return items;
  }
}

/** Lanes with something in them, the next to be served first: a Map keeps insertion order. */
class Lanes<Key, Lane> extends Map<Key, Lane> {
  /** The lane of a key, a new one at the end where there is none. */
  lane(key: Key, create: () => Lane): Lane {
    let lane = this.get(key);
    if (lane === undefined) this.set(key, (lane = create()));
    return lane;
  }

  /** Takes one item from the first lane, which becomes the last unless it is empty by then. */
  serve<Item>(take: (lane: Lane) => Item, isEmpty: (lane: Lane) => boolean): Item | undefined {
    for (const [key, lane] of this) {
      const item = take(lane);
      this.delete(key);
      if (!isEmpty(lane)) this.set(key, lane);
      return item;
    }
    return undefined;
  }
}
