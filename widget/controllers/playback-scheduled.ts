/** Speech as samples, each buffer scheduled to begin where the one before it ends. */
import { isKeptSoon, type SpeechOutput, type SpeechOutputOptions } from './playback-output.ts';
import { opusSamples, pcmSamples, type SampleSource } from './playback-samples.ts';

/** Silence before the first sound of an utterance, in s: what the next pieces may be late by. */
const LEAD_S = 0.15;
/** Times told by the gateway are whole ms, so a sentence may begin a little before its time. */
const TOLERANCE_MS = 10;

/** Sound without a gap: when it begins on the context's clock, and which time of the speech that is. */
interface Run {
  startS: number;
  startMs: number;
  lengthMs: number;
}

/** Plays through an AudioContext. Make it inside a click. */
export class ScheduledOutput implements SpeechOutput {
  readonly #context: AudioContext;
  readonly #gain: GainNode;
  readonly #source: SampleSource;
  readonly #onAllowed: (isAllowed: boolean) => void;
  readonly #playing = new Set<AudioBufferSourceNode>();
  /** What waits until the browser allows sound. */
  #waiting: { buffer: AudioBuffer; startMs: number }[] = [];
  readonly #runs: Run[] = [];
  #nextS = 0;
  /** How much has been decoded. */
  #decodedMs = 0;
  #skipToMs = 0;
  #restMs = 0;

  constructor(kind: 'opus' | 'pcm', { onAllowed, onFailure }: SpeechOutputOptions) {
    const onSamples = (samples: Float32Array<ArrayBuffer>) => this.#take(samples);
    this.#source = (kind === 'opus' ? opusSamples : pcmSamples)({ onSamples, onFailure });
    this.#onAllowed = onAllowed;
    // At the rate of the sound buffers join to the sample; at another one each seam would click.
    this.#context = new AudioContext({ sampleRate: this.#source.sampleRateHz });
    this.#gain = this.#context.createGain();
    this.#gain.connect(this.#context.destination);
    this.#context.addEventListener('statechange', this.#stateChanged);
  }

  get positionMs(): number {
    const { currentTime, outputLatency } = this.#context;
    // Safari does not tell the latency.
    const heardS = currentTime - (outputLatency || 0);
    while ((this.#runs[1]?.startS ?? Infinity) <= heardS) this.#runs.shift();
    const [run] = this.#runs;
    if (run === undefined || run.startS > heardS) return this.#restMs;
    return (this.#restMs = run.startMs + Math.min(run.lengthMs, (heardS - run.startS) * 1000));
  }

  // Times go on and a decoder of Opus needs nothing of the headers.
  begin(): void {}

  append(pieces: readonly Uint8Array[]): void {
    this.#source.append(pieces);
  }

  async unlock(): Promise<boolean> {
    const isAllowed = this.#context.state === 'running' || (await isKeptSoon(this.#resume()));
    if (isAllowed) this.#scheduleWaiting();
    return isAllowed;
  }

  skipTo(timeMs: number): void {
    this.#skipToMs = timeMs;
    this.#waiting = this.#waiting.filter(({ startMs }) => startMs >= timeMs - TOLERANCE_MS);
  }

  setVolume(volume: number, rampMs: number): void {
    // A third of the ramp as time constant: nineteen twentieths are done when it is over.
    this.#gain.gain.setTargetAtTime(volume, this.#context.currentTime, rampMs / 3000);
  }

  close(): void {
    this.#context.removeEventListener('statechange', this.#stateChanged);
    this.#source.close();
    for (const node of this.#playing) node.stop();
    this.#context.close().catch(() => undefined);
  }

  #resume(): Promise<void> {
    return this.#context.resume();
  }

  #take(samples: Float32Array<ArrayBuffer>): void {
    const { sampleRateHz } = this.#source;
    const startMs = this.#decodedMs;
    this.#decodedMs += (samples.length / sampleRateHz) * 1000;
    if (startMs < this.#skipToMs - TOLERANCE_MS) return;
    const buffer = this.#context.createBuffer(1, samples.length, sampleRateHz);
    buffer.copyToChannel(samples, 0);
    if (this.#context.state === 'running') this.#schedule(buffer, startMs);
    else this.#waiting.push({ buffer, startMs });
  }

  #schedule(buffer: AudioBuffer, startMs: number): void {
    const { currentTime, sampleRate } = this.#context;
    const lengthMs = buffer.duration * 1000;
    const run = this.#runs.at(-1);
    if (run === undefined || this.#nextS < currentTime) {
      // On a whole sample, or each of them would be interpolated.
      this.#nextS = Math.ceil((currentTime + LEAD_S) * sampleRate) / sampleRate;
      this.#runs.push({ startS: this.#nextS, startMs, lengthMs });
    } else run.lengthMs += lengthMs;
    const node = this.#context.createBufferSource();
    node.buffer = buffer;
    node.connect(this.#gain);
    node.onended = () => this.#playing.delete(node);
    this.#playing.add(node);
    node.start(this.#nextS);
    this.#nextS += buffer.duration;
  }

  #scheduleWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { buffer, startMs } of waiting) this.#schedule(buffer, startMs);
  }

  /** A phone call takes the sound away and gives it back. */
  readonly #stateChanged = (): void => {
    const isAllowed = this.#context.state === 'running';
    if (isAllowed) this.#scheduleWaiting();
    this.#onAllowed(isAllowed);
  };
}
