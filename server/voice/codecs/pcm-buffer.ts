/** Collects samples and hands them over as s16le bytes. */
export class PcmBuffer {
  #samples = new Int16Array(16_000);
  #length = 0;

  append(samples: Int16Array): void {
    const length = this.#length + samples.length;
    if (length > this.#samples.length) {
      const larger = new Int16Array(2 * length);
      larger.set(this.#samples.subarray(0, this.#length));
      this.#samples = larger;
    }
    this.#samples.set(samples, this.#length);
    this.#length = length;
  }

  /** What was collected since the last call, in a buffer of its own and of just this size. */
  take(): ArrayBuffer {
    const bytes = this.#samples.slice(0, this.#length).buffer;
    this.#length = 0;
    return bytes;
  }
}
