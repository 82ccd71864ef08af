/**
 * Audio worklet for capture: takes audio at the device's own rate and posts s16le chunks at the target rate
 * (16 kHz). The context keeps its native rate because a 16 kHz AudioContext drifted and jumped by 77 ms in
 * Firefox.
 */
import { Resampler, steepShape } from '../../shared/resampler.ts';
import { PROCESSOR_NAME, type PcmCaptureMessage, type PcmCaptureOptions } from './pcm-protocol.ts';

// Global scope of AudioWorklet modules, which lib.dom does not declare.
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(
  name: string,
  processor: new (options: { processorOptions: PcmCaptureOptions }) => AudioWorkletProcessor,
): void;

class PcmCaptureProcessor extends AudioWorkletProcessor {
  readonly #resampler: Resampler | undefined;
  readonly #chunkSamples: number;
  #chunk: Int16Array<ArrayBuffer>;
  #filled = 0;
  #peak = 0;
  #running = true;

  constructor({ processorOptions }: { processorOptions: PcmCaptureOptions }) {
    super();
    const { sampleRateHz, chunkMs } = processorOptions;
    this.#chunkSamples = Math.round((sampleRateHz * chunkMs) / 1000);
    this.#chunk = new Int16Array(this.#chunkSamples);
    if (sampleRate !== sampleRateHz) {
      this.#resampler = new Resampler({
        fromHz: sampleRate,
        toHz: sampleRateHz,
        shape: steepShape,
      });
    }
    this.port.onmessage = () => this.#stop();
  }

  /** Called by the browser for each block. The node has one input, mixed down to one channel. */
  process([input]: Float32Array[][]): boolean {
    const block = input?.[0];
    if (this.#running && block !== undefined) this.#take(block);
    return this.#running;
  }

  #take(block: Float32Array): void {
    for (const sample of this.#resampler?.process(block) ?? block) this.#put(sample);
  }

  #put(sample: number): void {
    const clipped = Math.max(-1, Math.min(1, sample));
    this.#peak = Math.max(this.#peak, Math.abs(clipped));
    this.#chunk[this.#filled++] = Math.round(clipped * 32_767);
    if (this.#filled === this.#chunkSamples) this.#post(this.#chunk);
  }

  #post(chunk: Int16Array<ArrayBuffer>): void {
    const message: PcmCaptureMessage = { kind: 'chunk', samples: chunk.buffer, peak: this.#peak };
    // The buffer is transferred to the page, so the next chunk needs a new one.
    this.port.postMessage(message, [chunk.buffer]);
    this.#chunk = new Int16Array(this.#chunkSamples);
    this.#filled = 0;
    this.#peak = 0;
  }

  #stop(): void {
    if (!this.#running) return;
    if (this.#filled > 0) this.#post(this.#chunk.slice(0, this.#filled));
    this.#running = false;
    this.port.postMessage({ kind: 'stopped' } satisfies PcmCaptureMessage);
  }
}

registerProcessor(PROCESSOR_NAME, PcmCaptureProcessor);
