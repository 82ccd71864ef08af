/** Playback of translated speech: requests it, and follows which text is heard from the gateway's chunks. */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { SessionRequest } from '../../shared/client/token-provider.ts';
import type { LanguageTag } from '../../shared/language.ts';
import type { MessageOf, ServerMessage } from '../../shared/protocol/messages.ts';
import { type SpeechState, voiceEvent } from '../events.ts';
import type { Labels } from '../labels.ts';
import { findSpokenLines, type SpokenLines } from '../spoken-lines.ts';
import type { CaptionLine, CaptionTrack } from '../transcript-state.ts';
import {
  openOutput,
  speechContentTypes,
  type SpeechOutput,
  speechPath,
  type SpeechPath,
} from './playback-output.ts';

/** The part of the element that concerns speech. */
interface SpeechHost extends ReactiveControllerHost, HTMLElement {
  readonly speech: LanguageTag;
  readonly voice: '' | 'male' | 'female';
  readonly muted: boolean;
  readonly volume: number;
  readonly duplex: 'full' | 'half';
  readonly speechPath: '' | SpeechPath;
}

/** Time for which a room still echoes after the speech, in ms. */
const ECHO_TAIL_MS = 300;

/** Longest time captions wait for their speech, in ms; engines usually take less. */
const AWAITED_MS = 1_500;

type SpeechFields = 'target_media_languages' | 'target_media_content_type' | 'target_media_voice';

/** Speech of one element, across all its sessions. */
export class SpeechController implements ReactiveController {
  readonly #host: SpeechHost;
  /** Returns the concluded lines of a language. */
  readonly #linesOf: (language: LanguageTag) => readonly CaptionLine[];
  #player: SpeechPlayer | undefined;
  #hasFailed = false;
  #spoken: SpokenText | undefined;
  #spokenLines: SpokenLines | undefined;
  #shownThrough = -1;
  /** Until then, speech of recently concluded text may still be on its way. */
  #awaitedUntilMs = 0;
  #announcedState: SpeechState = 'off';

  constructor(host: SpeechHost, linesOf: (language: LanguageTag) => readonly CaptionLine[]) {
    this.#host = host;
    this.#linesOf = linesOf;
    host.addController(this);
  }

  get state(): SpeechState {
    return this.#host.speech === '' ? 'off' : (this.#player?.state ?? 'ready');
  }

  /** Hint about the speech for the user, as a key of its label. */
  get hint(): keyof Labels['speechHints'] | undefined {
    const { state } = this;
    if (state === 'blocked' || state === 'failed') return state;
    if (this.#player?.isLate === true) return 'late';
    return state !== 'off' && this.#host.duplex === 'half' ? 'halfDuplex' : undefined;
  }

  /** Whether the speech can be heard while it plays. */
  get isAudible(): boolean {
    const { muted, volume } = this.#host;
    const canSound = this.state === 'ready' || this.state === 'playing';
    return this.#player !== undefined && canSound && !muted && volume > 0;
  }

  /** Returns whether a screen reader should leave a language to the speech. */
  speaks(language: LanguageTag): boolean {
    return this.isAudible && (language === this.#host.speech || this.state === 'playing');
  }

  /** Half duplex: whether the microphone is muted because speech, or its echo, is audible. */
  get holdsMicrophone(): boolean {
    return this.#host.duplex === 'half' && this.#player?.isHeard(ECHO_TAIL_MS) === true;
  }

  /** Returns the fields of a session request that concern speech. */
  request(): Pick<SessionRequest, SpeechFields> {
    const { speech, voice } = this.#host;
    if (speech === '') return {};
    return {
      target_media_languages: [speech],
      target_media_content_type: speechContentTypes[this.#path()],
      ...(voice === '' ? {} : { target_media_voice: voice }),
    };
  }

  /** Prepares sound output; browsers permit it in a click. Resolves with whether sound is allowed. */
  async unlock(): Promise<boolean> {
    if (this.#host.speech === '') return false;
    // After another path has failed, playback falls back to PCM.
    if (this.#player?.state === 'failed') this.#close();
    return (this.#player ?? this.#open()).unlock();
  }

  receive(message: ServerMessage): void {
    if (message.type === 'target_media_chunk') this.#player?.receive(message);
    else if (message.type === 'target_transcript_update') this.#await(message);
  }

  /** Reports the level at the microphone. @param peak 0 to 1 */
  hear(peak: number): void {
    if (this.#host.duplex === 'full') this.#player?.duck(peak);
  }

  /** Called when the captions are cleared. */
  forget(): void {
    this.#spokenLines = undefined;
    this.#shownThrough = -1;
  }

  /** Returns whether the language of a track can be heard; undefined if it is not spoken. */
  sound({ kind, language }: CaptionTrack): 'on' | 'off' | undefined {
    const { speech, muted } = this.#host;
    if (kind !== 'target' || language !== speech) return undefined;
    return muted || this.state === 'blocked' || this.state === 'failed' ? 'off' : 'on';
  }

  /** Returns the lines of a track whose speech is playing. */
  spokenLines(track: CaptionTrack): SpokenLines | undefined {
    const isHeard = this.isAudible && this.#spoken?.language === track.language;
    return isHeard && track.kind === 'target' ? this.#spokenLines : undefined;
  }

  /**
   * Returns the lines of a track to show. Lines that speech has not reached yet are held back, unless it is
   * late. A line that was shown once stays.
   */
  linesToShow(track: CaptionTrack): readonly CaptionLine[] {
    if (track.kind !== 'target' || track.language !== this.#host.speech) return track.shown;
    const player = this.#player;
    const isComing = player?.isBusy === true || performance.now() < this.#awaitedUntilMs;
    const waits = this.isAudible && isComing && player?.isLate !== true;
    const reached = Math.max(this.#shownThrough, this.#spokenLines?.last ?? -1);
    const shown = waits ? track.shown.filter(({ id }) => id <= reached) : track.shown;
    this.#shownThrough = shown.at(-1)?.id ?? -1;
    return shown;
  }

  hostUpdate(): void {
    this.#setVolume();
    if (this.#host.speech === '') this.#close();
  }

  hostDisconnected(): void {
    // Moving an element within the page disconnects it for a moment.
    queueMicrotask(() => {
      if (!this.#host.isConnected) this.#close();
    });
  }

  /** Holds back newly concluded lines until their speech begins, for AWAITED_MS at most. */
  #await({ language, concluded }: MessageOf<'target_transcript_update'>): void {
    if (concluded.length === 0 || language !== this.#host.speech || !this.isAudible) return;
    this.#awaitedUntilMs = performance.now() + AWAITED_MS;
    setTimeout(() => this.#host.requestUpdate(), AWAITED_MS);
  }

  #path(): SpeechPath {
    return this.#host.speechPath || (this.#hasFailed ? 'pcm' : speechPath());
  }

  #open(): SpeechPlayer {
    this.#player = new SpeechPlayer({ path: this.#path(), onChange: () => this.#changed() });
    this.#setVolume();
    return this.#player;
  }

  #setVolume(): void {
    const { muted, volume } = this.#host;
    this.#player?.setVolume(muted ? 0 : volume);
  }

  #close(): void {
    this.#player?.close();
    this.#player = undefined;
    this.#spoken = undefined;
    this.forget();
    this.#announcedState = 'off';
  }

  #changed(): void {
    const player = this.#player;
    if (player === undefined) return;
    if (player.state === 'failed') this.#hasFailed = true;
    const { spoken } = player;
    if (spoken !== this.#spoken) this.#follow(spoken);
    this.#host.requestUpdate();
    this.#announce(player);
  }

  #follow(spoken: SpokenText | undefined): void {
    this.#spoken = spoken;
    if (spoken === undefined) return;
    const lines = this.#linesOf(spoken.language);
    this.#spokenLines = findSpokenLines(lines, spoken.text, this.#spokenLines);
  }

  #announce({ state, spoken, lagMs }: SpeechPlayer): void {
    const { speech, muted } = this.#host;
    const language = spoken?.language ?? speech;
    const detail = { state, muted, language, ...(spoken && { text: spoken.text }), lagMs };
    this.#host.dispatchEvent(voiceEvent('vc-speech', detail));
    if (state === 'blocked' && this.#announcedState !== 'blocked') {
      this.#host.dispatchEvent(voiceEvent('vc-autoplayblocked', { language }));
    }
    this.#announcedState = state;
  }
}

/** A segment with speech. */
interface SpokenText {
  language: LanguageTag;
  text: string;
}

interface SpeechPlayerOptions {
  path: SpeechPath;
  /** Called when the state or the playing segment changed. */
  onChange: () => void;
}

/** Interval at which playback progress is checked, in ms. */
const WATCH_EVERY_MS = 50;
/** Distance to the end at which speech counts as over, in ms: segments end in silence. */
const END_TOLERANCE_MS = 60;
/** Time without progress after which playback counts as paused, in ms: the rest needs more data to play. */
const STANDSTILL_MS = 700;
/** Lag at which speech counts as late, and the smaller one at which it no longer does. */
const LATE = { fromMs: 8_000, untilMs: 3_000 };
/** Ducking while someone talks: relative volume, fade times, and how long it is held, in ms. */
const DUCKED = { volume: 0.3, inMs: 120, outMs: 500, heldMs: 700 };
/** Peak of a voice near the microphone: −22 dB, above what echo cancellation leaves of an echo. */
const VOICE_PEAK = 0.08;

/** Player for all sessions of an element. Create it inside a click. */
class SpeechPlayer {
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

  /** The segment that is playing. */
  get spoken(): SpokenText | undefined {
    return this.#spoken;
  }

  /** Whether speech is playing or queued. */
  get isBusy(): boolean {
    return this.#spoken !== undefined || this.#pending.length > 0;
  }

  /** Time until the newest segment is heard, in ms. */
  get lagMs(): number {
    return Math.max(0, Math.round(this.#newestMs - this.#output.positionMs));
  }

  /** Whether the speech is so late that listeners should know. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Returns whether sound is playing or was playing within `tailMs`. @param tailMs time in ms */
  isHeard(tailMs = 0): boolean {
    if (this.#volume === 0) return false;
    return this.#state === 'playing' || performance.now() - this.#movedAt < tailMs;
  }

  /** Asks the browser to allow sound; in a click it does. Resolves with whether sound is allowed. */
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

  /** Lowers the speech while someone talks into the microphone. @param peak 0 to 1 */
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
    // A listener who unlocks sound late wants the current speech; until then nothing may pile up.
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

  /** Returns the segment playing at a time, and drops earlier ones from the queue. */
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
