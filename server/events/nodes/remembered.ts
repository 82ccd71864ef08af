/** A map of the values that were set last; of too many, the one that was set before all others goes. */
export class Remembered<Value> extends Map<string, Value> {
  readonly #most: number;

  constructor(most = 1_000) {
    super();
    this.#most = most;
  }

  override set(name: string, value: Value): this {
    this.delete(name);
    super.set(name, value);
    const [oldest] = this.keys();
    if (this.size > this.#most && oldest !== undefined) this.delete(oldest);
    return this;
  }
}
