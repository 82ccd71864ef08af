/** What the element does with translated speech: asks for it, plays it, and knows what is heard. */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { SessionRequest } from '../../shared/client/token-provider.ts';
import type { LanguageTag } from '../../shared/language.ts';
import type { MessageOf, ServerMessage } from '../../shared/protocol/messages.ts';
import { voiceEvent, type SpeechState } from '../events.ts';
import type { Labels } from '../labels.ts';
import { findSpokenLines, type SpokenLines } from '../spoken-lines.ts';
import type { CaptionLine, CaptionTrack } from '../transcript-state.ts';
import { SpeechPlayer, type SpokenText } from './playback.ts';
import { speechContentTypes, speechPath, type SpeechPath } from './playback-output.ts';

/** The element, as far as speech is concerned. */
export interface SpeechHost extends ReactiveControllerHost, HTMLElement {
  readonly speech: LanguageTag;
  readonly voice: '' | 'male' | 'female';
  readonly muted: boolean;
  readonly volume: number;
  readonly duplex: 'full' | 'half';
  readonly speechPath: '' | SpeechPath;
}

/** A room goes on sounding after the speech, in ms. */
const ECHO_TAIL_MS = 300;

/** How long sentences wait for their speech to come, in ms; engines take less as a rule. */
const AWAITED_MS = 1_500;

type SpeechFields = 'target_media_languages' | 'target_media_content_type' | 'target_media_voice';

/** The speech of one element, over all its sessions. */
export class SpeechController implements ReactiveController {
  readonly #host: SpeechHost;
  /** Concluded lines of a language. */
  readonly #linesOf: (language: LanguageTag) => readonly CaptionLine[];
  #player: SpeechPlayer | undefined;
  #hasFailed = false;
  #spoken: SpokenText | undefined;
  #spokenLines: SpokenLines | undefined;
  #shownThrough = -1;
  /** Speech of what has just been concluded may be on its way until then. */
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

  /** What people should know of it, by the name of its label. */
  get hint(): keyof Labels['speechHints'] | undefined {
    const { state } = this;
    if (state === 'blocked' || state === 'failed') return state;
    if (this.#player?.isLate === true) return 'late';
    return state !== 'off' && this.#host.duplex === 'half' ? 'halfDuplex' : undefined;
  }

  /** Whether somebody hears it, or would if it were playing. */
  get isAudible(): boolean {
    const { muted, volume } = this.#host;
    const canSound = this.state === 'ready' || this.state === 'playing';
    return this.#player !== undefined && canSound && !muted && volume > 0;
  }

  /** Whether a screen reader should leave a language to the speech. */
  speaks(language: LanguageTag): boolean {
    return this.isAudible && (language === this.#host.speech || this.state === 'playing');
  }

  /** Half duplex: nothing is heard here while the speech is, not even its echo. */
  get holdsMicrophone(): boolean {
    return this.#host.duplex === 'half' && this.#player?.isHeard(ECHO_TAIL_MS) === true;
  }

  /** What a session is asked for, besides captions. */
  request(): Pick<SessionRequest, SpeechFields> {
    const { speech, voice } = this.#host;
    if (speech === '') return {};
    return {
      target_media_languages: [speech],
      target_media_content_type: speechContentTypes[this.#path()],
      ...(voice === '' ? {} : { target_media_voice: voice }),
    };
  }

  /** Gets ready for sound; in a click the browser will allow it. Resolves with its answer. */
  async unlock(): Promise<boolean> {
    if (this.#host.speech === '') return false;
    // Where one way of playing has failed, samples will do.
    if (this.#player?.state === 'failed') this.#close();
    return (this.#player ?? this.#open()).unlock();
  }

  receive(message: ServerMessage): void {
    if (message.type === 'target_media_chunk') this.#player?.receive(message);
    else if (message.type === 'target_transcript_update') this.#await(message);
  }

  /** It is so loud at the microphone. @param peak 0 to 1 */
  hear(peak: number): void {
    if (this.#host.duplex === 'full') this.#player?.duck(peak);
  }

  /** Captions were emptied. */
  forget(): void {
    this.#spokenLines = undefined;
    this.#shownThrough = -1;
  }

  /** Whether the language of a track can be heard; undefined for those that are not spoken. */
  sound({ kind, language }: CaptionTrack): 'on' | 'off' | undefined {
    const { speech, muted } = this.#host;
    if (kind !== 'target' || language !== speech) return undefined;
    return muted || this.state === 'blocked' || this.state === 'failed' ? 'off' : 'on';
  }

  /** The lines of a track that are being heard. */
  spokenLines(track: CaptionTrack): SpokenLines | undefined {
    const isHeard = this.isAudible && this.#spoken?.language === track.language;
    return isHeard && track.kind === 'target' ? this.#spokenLines : undefined;
  }

  /**
   * The lines of a track to show: those that speech has not reached wait for it, unless it is late.
   * What was shown once stays.
   */
  inStep(track: CaptionTrack): readonly CaptionLine[] {
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
    // Moving an element takes it out of the page for a moment.
    queueMicrotask(() => {
      if (!this.#host.isConnected) this.#close();
    });
  }

  /** Several sentences at once are not shown before the first of them is heard. */
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
