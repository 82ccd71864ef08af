/**
 * Something to wait on: `next()` resolves at the next `notify()`. Check what you wait for in a loop,
 * and call `next()` in the same turn as the check: a change in between would be missed.
 */
export class Change {
  #pending: Promise<void> | undefined;
  #resolve: () => void = () => {};

  next(): Promise<void> {
    return (this.#pending ??= new Promise((resolve) => (this.#resolve = resolve)));
  }

  notify(): void {
    this.#pending = undefined;
    this.#resolve();
  }
}
