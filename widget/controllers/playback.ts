/** Translated speech: from the gateway's chunks to sound, and to the text that is being heard. */
import type { LanguageTag } from '../../shared/language.ts';
import type { MessageOf } from '../../shared/protocol/messages.ts';
import type { SpeechState } from '../events.ts';
import { openOutput, type SpeechOutput, type SpeechPath } from './playback-output.ts';

/** A segment that is spoken. */
export interface SpokenText {
  language: LanguageTag;
  text: string;
}

export interface SpeechPlayerOptions {
  path: SpeechPath;
  /** The state, or what is being heard, has changed. */
  onChange: () => void;
}

/** How often is looked whether the next segment has begun, in ms. */
const WATCH_EVERY_MS = 50;
/** This close to the end nothing more is heard: segments end in silence. */
const END_TOLERANCE_MS = 60;
/** Nothing has been heard for so long: what is left cannot be played before more comes. */
const STANDSTILL_MS = 700;
/** Speech that was said this much before it is heard is late, until it is much less again. */
const LATE = { fromMs: 8_000, untilMs: 3_000 };
/** While somebody talks here, the speech is this loud, as a share of what it was. */
const DUCKED = { volume: 0.3, inMs: 120, outMs: 500, heldMs: 700 };
/** Peak of a voice near the microphone: −22 dB, above what is left of an echo. */
const VOICE_PEAK = 0.08;

/** One player for all sessions of an element. Make it inside a click. */
export class SpeechPlayer {
  readonly #output: SpeechOutput;
  readonly #onChange: () => void;
  readonly #pending: (SpokenText & { startMs: number })[] = [];
  #state: SpeechState = 'ready';
  #spoken: SpokenText | undefined;
  #newestMs = 0;
  #receivedMs = 0;
  #isLate = false;
  #volume = 1;
  #talkedAt = -Infinity;
  #isDucked = false;
  #heardMs = 0;
  #movedAt = 0;
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor({ path, onChange }: SpeechPlayerOptions) {
    this.#onChange = onChange;
    this.#output = openOutput(path, {
      onAllowed: (isAllowed) => this.#allow(isAllowed),
      onFailure: () => this.#fail(),
    });
  }

  get state(): SpeechState {
    return this.#state;
  }

  /** What is being heard. */
  get spoken(): SpokenText | undefined {
    return this.#spoken;
  }

  /** Whether something is heard, or is going to be. */
  get isBusy(): boolean {
    return this.#spoken !== undefined || this.#pending.length > 0;
  }

  /** How long what came last has to wait until it is heard, in ms. */
  get lagMs(): number {
    return Math.max(0, Math.round(this.#newestMs - this.#output.positionMs));
  }

  /** Whether the speech is so late that listeners should know. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Whether sound comes out, or came out a moment ago. @param tailMs length of that moment */
  isHeard(tailMs = 0): boolean {
    if (this.#volume === 0) return false;
    return this.#state === 'playing' || performance.now() - this.#movedAt < tailMs;
  }

  /** Asks the browser to let it sound; in a click it will. Resolves with the answer. */
  async unlock(): Promise<boolean> {
    if (this.#state === 'failed') return false;
    const isAllowed = await this.#output.unlock();
    this.#allow(isAllowed);
    return isAllowed;
  }

  receive({ language, data, duration, text, content_type }: MessageOf<'target_media_chunk'>) {
    if (this.#state === 'failed') return;
    if (text !== undefined) this.#announce({ language, text });
    try {
      if (content_type !== undefined) this.#output.begin(this.#receivedMs);
      this.#output.append(data);
    } catch {
      this.#fail();
      return;
    }
    this.#receivedMs += duration;
    this.#watch ??= setInterval(() => this.#look(), WATCH_EVERY_MS);
  }

  /** @param volume 0 to 1 */
  setVolume(volume: number): void {
    this.#volume = Math.min(1, Math.max(0, volume));
    this.#applyVolume(DUCKED.inMs);
  }

  /** Lowers the speech while somebody talks into the microphone. @param peak 0 to 1 */
  duck(peak: number): void {
    const now = performance.now();
    if (peak > VOICE_PEAK) this.#talkedAt = now;
    const isDucked = now - this.#talkedAt < DUCKED.heldMs;
    if (isDucked === this.#isDucked) return;
    this.#isDucked = isDucked;
    this.#applyVolume(isDucked ? DUCKED.inMs : DUCKED.outMs);
  }

  close(): void {
    this.#rest();
    this.#output.close();
  }

  #announce(spoken: SpokenText): void {
    this.#newestMs = this.#receivedMs;
    // Who taps late wants to hear what is said now, and nothing grows while nobody does.
    if (this.#state === 'blocked') {
      this.#pending.length = 0;
      this.#output.skipTo(this.#newestMs);
    }
    this.#pending.push({ ...spoken, startMs: this.#newestMs });
  }

  #look(): void {
    if (this.#state === 'blocked') return;
    const heardMs = this.#output.positionMs;
    const now = performance.now();
    if (heardMs > this.#heardMs) {
      this.#heardMs = heardMs;
      this.#movedAt = now;
      this.#set('playing', this.#reached(heardMs));
    }
    const isOver = this.#receivedMs - heardMs < END_TOLERANCE_MS;
    if (this.#state === 'playing' && (isOver || now - this.#movedAt > STANDSTILL_MS)) this.#rest();
  }

  /** The segment that is heard at a time; those before it are over. */
  #reached(timeMs: number): SpokenText | undefined {
    let spoken = this.#spoken;
    while ((this.#pending[0]?.startMs ?? Infinity) <= timeMs) spoken = this.#pending.shift();
    return spoken;
  }

  #set(state: SpeechState, spoken: SpokenText | undefined): void {
    const { lagMs } = this;
    const isLate = lagMs > (this.#isLate ? LATE.untilMs : LATE.fromMs);
    const isSame = state === this.#state && spoken === this.#spoken && isLate === this.#isLate;
    if (isSame) return;
    this.#state = state;
    this.#spoken = spoken;
    this.#isLate = isLate;
    this.#onChange();
  }

  #rest(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
    if (this.#state === 'playing') this.#set('ready', undefined);
  }

  #allow(isAllowed: boolean): void {
    if (this.#state === 'failed') return;
    if (!isAllowed) this.#set('blocked', undefined);
    else if (this.#state === 'blocked') this.#set('ready', undefined);
  }

  #fail(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
    this.#pending.length = 0;
    this.#set('failed', undefined);
  }

  #applyVolume(rampMs: number): void {
    this.#output.setVolume(this.#volume * (this.#isDucked ? DUCKED.volume : 1), rampMs);
  }
}
