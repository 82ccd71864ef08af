/** A map of limited size: beyond it, the entry that was set longest ago is dropped. */
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
