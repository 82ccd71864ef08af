/** Collects the audio of an answer. */
import type { Coding } from './audio-sink.ts';
import type { DecodedPart } from './decode-messages.ts';
import type { DecoderOutput } from './stream-decoder.ts';

/** Its buffers stay between answers; what is taken are copies of just the right size. */
export class AnswerParts implements DecoderOutput {
  readonly #parts: DecodedPart[] = [];
  #samples = new Int16Array(16_000);
  #sampleCount = 0;
  #frames = new Uint8Array(16 * 1024);
  #framesBytes = 0;
  #soundBytes = 0;
  #starts: Coding | undefined;

  samples(samples: Int16Array): void {
    this.#closeFrames();
    const count = this.#sampleCount + samples.length;
    if (count > this.#samples.length) {
      const larger = new Int16Array(2 * count);
      larger.set(this.#samples.subarray(0, this.#sampleCount));
      this.#samples = larger;
    }
    this.#samples.set(samples, this.#sampleCount);
    this.#sampleCount = count;
  }

  startCoded(coding: Coding): void {
    this.#closeFrames();
    this.#starts = coding;
  }

  coded(bytes: Uint8Array, hasSound: boolean): void {
    this.#closeSamples();
    const length = this.#framesBytes + bytes.length;
    if (length > this.#frames.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#frames.subarray(0, this.#framesBytes));
      this.#frames = larger;
    }
    this.#frames.set(bytes, this.#framesBytes);
    this.#framesBytes = length;
    if (hasSound) this.#soundBytes += bytes.length;
  }

  /** What was collected since the last call. */
  take(): DecodedPart[] {
    this.#closeSamples();
    this.#closeFrames();
    return this.#parts.splice(0);
  }

  #closeSamples(): void {
    if (this.#sampleCount === 0) return;
    this.#parts.push({ kind: 'pcm', bytes: this.#samples.slice(0, this.#sampleCount).buffer });
    this.#sampleCount = 0;
  }

  #closeFrames(): void {
    if (this.#framesBytes === 0 && this.#starts === undefined) return;
    const bytes = this.#frames.slice(0, this.#framesBytes).buffer;
    const starts = this.#starts === undefined ? {} : { starts: this.#starts };
    this.#parts.push({ kind: 'coded', bytes, soundBytes: this.#soundBytes, ...starts });
    this.#framesBytes = 0;
    this.#soundBytes = 0;
    this.#starts = undefined;
  }
}
