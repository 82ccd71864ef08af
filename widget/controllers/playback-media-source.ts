/** Speech as WebM, through Media Source Extensions: one media element that never ends. */
import { isKeptSoon, type SpeechOutput, type SpeechOutputOptions } from './playback-output.ts';
import { speechContentTypes } from './playback-path.ts';

/** What has been heard is let go of when it gets this long, in s. */
const KEPT_S = 60;
const TRIMMED_TO_S = 10;

/** Bytes to append, or the time of a stream that begins. */
type Step = Uint8Array<ArrayBuffer> | { startMs: number };

/** Plays through a media element that is in no page. Make it inside a click. */
export class MediaSourceOutput implements SpeechOutput {
  readonly #audio = new Audio();
  readonly #media = new MediaSource();
  readonly #address = URL.createObjectURL(this.#media);
  readonly #options: SpeechOutputOptions;
  readonly #steps: Step[] = [];
  #buffer: SourceBuffer | undefined;
  #skipToS = 0;

  constructor(options: SpeechOutputOptions) {
    this.#options = options;
    this.#media.addEventListener('sourceopen', () => this.#open(), { once: true });
    this.#audio.addEventListener('error', () => options.onFailure(this.#audio.error));
    this.#audio.addEventListener('pause', () => options.onAllowed(false));
    this.#audio.addEventListener('playing', () => options.onAllowed(true));
    this.#audio.src = this.#address;
  }

  get positionMs(): number {
    return this.#audio.currentTime * 1000;
  }

  begin(startMs: number): void {
    this.#steps.push({ startMs });
    this.#pump();
  }

  append(pieces: readonly Uint8Array[]): void {
    this.#steps.push(joined(pieces));
    this.#pump();
  }

  async unlock(): Promise<boolean> {
    let isRefused = false;
    // Kept only when there is something to play; refused at once.
    const playing = this.#audio.play().catch(() => (isRefused = true));
    await isKeptSoon(playing);
    return !isRefused;
  }

  skipTo(timeMs: number): void {
    this.#skipToS = timeMs / 1000;
    this.#skip();
  }

  setVolume(volume: number): void {
    this.#audio.volume = volume;
  }

  close(): void {
    this.#steps.length = 0;
    this.#buffer = undefined;
    this.#audio.removeAttribute('src');
    this.#audio.load();
    URL.revokeObjectURL(this.#address);
  }

  #open(): void {
    try {
      const buffer = this.#media.addSourceBuffer(speechContentTypes.mse);
      buffer.addEventListener('updateend', () => this.#pump());
      this.#buffer = buffer;
    } catch (cause) {
      this.#options.onFailure(cause);
    }
    this.#pump();
  }

  #pump(): void {
    const buffer = this.#buffer;
    if (buffer === undefined || buffer.updating || this.#media.readyState !== 'open') return;
    try {
      this.#skip();
      if (this.#trim(buffer)) return;
      let step = this.#steps.shift();
      if (step !== undefined && 'startMs' in step) {
        // The parser is in the middle of a segment without an end.
        buffer.abort();
        // Not a sample between the two, or playing would stop there.
        buffer.timestampOffset = endS(buffer) ?? step.startMs / 1000;
        step = this.#steps.shift();
      }
      if (step instanceof Uint8Array) buffer.appendBuffer(step);
    } catch (cause) {
      this.#options.onFailure(cause);
    }
  }

  #trim(buffer: SourceBuffer): boolean {
    const { currentTime } = this.#audio;
    const startS = buffer.buffered.length > 0 ? buffer.buffered.start(0) : currentTime;
    if (currentTime - startS < KEPT_S) return false;
    buffer.remove(startS, currentTime - TRIMMED_TO_S);
    return true;
  }

  #skip(): void {
    if (this.#audio.currentTime >= this.#skipToS) return;
    const bufferedS = this.#buffer && endS(this.#buffer);
    if (bufferedS !== undefined && bufferedS > this.#skipToS) {
      this.#audio.currentTime = this.#skipToS;
    }
  }
}

function endS({ buffered }: SourceBuffer): number | undefined {
  return buffered.length === 0 ? undefined : buffered.end(buffered.length - 1);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const piece of pieces) {
    whole.set(piece, filled);
    filled += piece.length;
  }
  return whole;
}
