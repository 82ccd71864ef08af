/** A condition to wait on: `next()` resolves at the next `notify()`. Check the condition in a loop. */
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
