/**
 * A queue that serves its callers in turn: one item of each, in the order in which they came. A
 * caller with a thousand items delays another by one item, not by a thousand.
 */
export class FairQueue<Item> {
  /** Callers with waiting items, the next to be served first: a Map keeps insertion order. */
  readonly #lanes = new Map<object, { items: Item[]; next: number }>();

  get isEmpty(): boolean {
    return this.#lanes.size === 0;
  }

  push(caller: object, item: Item): void {
    const lane = this.#lanes.get(caller);
    if (lane === undefined) this.#lanes.set(caller, { items: [item], next: 0 });
    else lane.items.push(item);
  }

  /** Takes the next item; undefined when the queue is empty. */
  shift(): Item | undefined {
    for (const [caller, lane] of this.#lanes) {
      const item = lane.items[lane.next++];
      this.#lanes.delete(caller);
      if (lane.next < lane.items.length) this.#lanes.set(caller, lane);
      return item;
    }
    return undefined;
  }

  /** Takes out all that a caller has waiting. */
  remove(caller: object): Item[] {
    const lane = this.#lanes.get(caller);
    this.#lanes.delete(caller);
    return lane === undefined ? [] : lane.items.slice(lane.next);
  }

  /** Takes out everything. */
  clear(): Item[] {
    const items = [...this.#lanes.values()].flatMap((lane) => lane.items.slice(lane.next));
    this.#lanes.clear();
    return items;
  }
}
