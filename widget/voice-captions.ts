import { LitElement, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import {
  tokenEndpoint,
  type SessionRequest,
  type TokenProvider,
} from '../shared/client/token-provider.ts';
import type { LanguageTag } from '../shared/language.ts';
import { messageOf } from '../shared/protocol/codec.ts';
import type { MessageFormat, ServerFrame, ServerMessage } from '../shared/protocol/messages.ts';
import { defaultWorkletUrl, type AudioSource } from './controllers/microphone.ts';
import { SpeechController } from './controllers/playback-controller.ts';
import type { SpeechPath } from './controllers/playback-output.ts';
import {
  ElementSession,
  captionRequest,
  targetsOf,
  type EndReason,
} from './controllers/session.ts';
import {
  activeStates,
  captionDetail,
  voiceEvent,
  type SpeechState,
  type VoiceState,
} from './events.ts';
import {
  failureHint,
  mergeLabels,
  sourceKind,
  statusLabel,
  type LabelOverrides,
  type Labels,
} from './labels.ts';
import {
  changeLanguages,
  emptyTranscript,
  findTrack,
  finishTranscript,
  plainText,
  receiveMessage,
  spokenLanguages,
  type CaptionTrack,
  type Transcript,
} from './transcript-state.ts';
import { announce, CaptionRoll, trackView } from './views/captions.ts';
import { LevelMeter, toolbarView } from './views/toolbar.ts';
import { voiceCaptionsStyles } from './voice-captions.styles.ts';
import { VoiceFailure } from './voice-failure.ts';

/** Tentative text is shown this seldom, in ms: faster it flickers, slower it drags. */
const TENTATIVE_INTERVAL_MS = 200;

/** Sizes of type that readers can live with, as shares of the usual one. */
const FONT_SCALE = { least: 0.75, most: 3, step: 0.25 };

/** Properties that the running session was asked for with. */
const requestProperties: readonly (keyof VoiceCaptions)[] = [
  'sourceLanguage',
  'sourceLanguageMode',
  'captionMode',
  'targetLanguages',
  'speech',
  'voice',
];

/**
 * Live captions of what is said, in the language spoken and in up to five others. A page loads this file
 * and writes the tag.
 *
 * @fires vc-statechange - The state changed.
 * @fires vc-caption - A track has new text.
 * @fires vc-level - How loud it is, ten times a second.
 * @fires vc-lag - The gateway has fallen behind what is said, or has caught up.
 * @fires vc-speech - Translated speech has changed its state, or another segment is heard.
 * @fires vc-autoplayblocked - The browser waits for a tap before it plays speech.
 * @fires vc-error - Something went wrong; the state says what is shown, and whether captions go on.
 * @fires vc-end - The session is over.
 * @slot header - Above the captions.
 * @slot empty - In place of the captions before the first word.
 * @slot controls - After the built-in controls.
 * @csspart base - The frame around everything.
 * @csspart tracks - All captions.
 * @csspart track - One language; also `source` or `target`.
 * @csspart label - Name of a language.
 * @csspart lines - Block of fixed height in which the captions of a language scroll.
 * @csspart caption - One sentence.
 * @csspart spoken - The sentence that is being heard.
 * @csspart concluded - Text that stays.
 * @csspart tentative - Text that may still change.
 * @csspart toolbar - The row of controls.
 * @csspart button - Every button; also `main`, `size` or `speech`.
 * @csspart status - State in words.
 * @csspart meter - Level meter.
 */
export class VoiceCaptions extends LitElement {
  static override styles = voiceCaptionsStyles;

  /** URL that answers a POST with `{streaming_url, token, session_id}`. */
  @property({ attribute: 'token-endpoint' }) tokenEndpoint = '';
  /** Used instead of `token-endpoint`. */
  @property({ attribute: false }) tokenProvider: TokenProvider | undefined;
  /** `microphone`, `none`, or as a property a stream or a file that is played in real time. */
  @property() source: 'none' | AudioSource = 'microphone';
  /** Plays a stream or a file through the speakers as well. */
  @property({ type: Boolean }) audible = false;
  @property({ attribute: 'device-id' }) deviceId = '';
  /** A gateway that was there and is away is waited for as long as it takes, in place of some 20 s. */
  @property({ type: Boolean, attribute: 'keep-trying' }) keepTrying = false;
  @property({ attribute: 'source-language' }) sourceLanguage: LanguageTag = 'en';
  @property({ attribute: 'source-language-mode' }) sourceLanguageMode: '' | 'auto' | 'fixed' = '';
  /** How much of what may still change is shown; `balanced` when empty. */
  @property({ attribute: 'caption-mode' }) captionMode: '' | 'instant' | 'balanced' | 'settled' =
    '';
  /** Up to five languages, separated by blanks. */
  @property({ attribute: 'target-languages' }) targetLanguages = '';
  /** Language to hear, one of the targets or a further one; none is heard when empty. */
  @property() speech: LanguageTag = '';
  /** `male` or `female`; whatever suits the language when empty. */
  @property() voice: '' | 'male' | 'female' = '';
  /** Silences the speech, which goes on; captions then do not wait for it. */
  @property({ type: Boolean, reflect: true }) muted = false;
  /** Of the speech, 0 to 1. */
  @property({ type: Number }) volume = 1;
  /** `full` lowers the speech while somebody talks; `half` hears nobody while it plays. */
  @property() duplex: 'full' | 'half' = 'full';
  /** How speech is played: `webcodecs`, `mse` or `pcm`; whatever suits the browser when empty. */
  @property({ attribute: 'speech-path' }) speechPath: '' | SpeechPath = '';
  @property({ attribute: 'message-format' }) messageFormat: MessageFormat = 'msgpack';
  /** Length of what is sent at a time, in ms. */
  @property({ type: Number, attribute: 'chunk-ms' }) chunkMs = 100;
  /** Address of pcm-capture.worklet.js; beside this script when empty. */
  @property({ attribute: 'worklet-url' }) workletUrl = '';
  /** Does not show what was said, only its translations. */
  @property({ type: Boolean, attribute: 'hide-source' }) hideSource = false;
  /** Shows only this language. */
  @property() language: LanguageTag = '';
  /** Language that screen readers speak, or `off`; the first one shown after the source if empty. */
  @property() announce: LanguageTag = '';
  /** Lines of text for each language, more where few words fit into one. */
  @property({ type: Number }) lines = 2;
  /** 0.75 to 3. */
  @property({ type: Number, attribute: 'font-scale' }) fontScale = 1;
  /** Other words for what is not a caption. */
  @property({ attribute: false }) labels: LabelOverrides = {};

  @state() private voiceState: VoiceState = 'idle';
  @state() private transcriptShown = emptyTranscript({ sourceLanguage: 'en', targetLanguages: [] });
  @query('.base') private readonly base!: HTMLElement;
  @query('[role="log"]') private readonly log!: HTMLElement;

  private transcriptNow = this.transcriptShown;
  private failure: VoiceFailure | undefined;
  /** Of the languages that were asked for last, in a session that goes on. */
  private refusal: VoiceFailure | undefined;
  private hasShownText = false;
  private session: ElementSession | undefined;
  private tentativeTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly roll = new CaptionRoll();
  private readonly speaker = new SpeechController(
    this,
    (language) => findTrack(this.transcriptNow, language)?.lines ?? [],
  );
  private readonly meter = new LevelMeter(() => this.renderRoot.querySelectorAll('.bar'));
  /** What each property is where a page does not say, or takes back what it said. */
  private readonly defaults: Readonly<Partial<this>> = Object.fromEntries(
    [...VoiceCaptions.elementProperties.keys()].map((name) => [name, this[name as keyof this]]),
  ) as Partial<this>;

  /** What the element is doing. */
  get state(): VoiceState {
    return this.voiceState;
  }

  /** What becomes of translated speech. */
  get speechState(): SpeechState {
    return this.speaker.state;
  }

  /** Lets the browser play speech; call it from a click. Resolves with whether it does. */
  unlockAudio(): Promise<boolean> {
    return this.speaker.unlock();
  }

  /** Starts a session; call it from a click. Does nothing while one is running. */
  start(): void {
    if (this.session !== undefined) return;
    this.fallBack();
    if (this.tokenProvider === undefined && this.tokenEndpoint === '') {
      // Otherwise the page itself would be asked, and its answer explains nothing.
      const message = 'This page does not say where sessions begin: token-endpoint is missing.';
      this.showFailure(new VoiceFailure('token-refused', { message }));
      this.changeState('failed');
      this.endSession('failed');
      return;
    }
    this.failure = undefined;
    // Those that were refused before are asked for anew.
    this.showLanguages(this.languages());
    void this.unlockAudio();
    const session = new ElementSession({
      source: this.source === 'none' ? undefined : this.source,
      deviceId: this.deviceId,
      chunkMs: this.chunkMs,
      workletUrl: this.workletUrl || defaultWorkletUrl(),
      audible: this.audible,
      keepsTrying: this.keepTrying,
      request: this.sessionRequest(),
      provideToken: this.tokenProvider ?? tokenEndpoint(this.tokenEndpoint),
      onState: (next) => this.changeState(next),
      onMessage: (message) => this.take(message),
      onRestart: () => this.show(finishTranscript(this.transcriptNow)),
      isHeld: () => this.speaker.holdsMicrophone && !(this.source instanceof Blob),
      onLevel: (level) => this.showLevel(level),
      onFailure: (failure) => this.showFailure(failure),
      onRefused: (failure, inForce) => this.showRefusal(failure, inForce),
      onEnd: (reason) => this.endSession(reason),
    });
    this.session = session;
    void session.start();
  }

  /** Stops listening and waits until what was said has been concluded, within a deadline. */
  async stop(): Promise<void> {
    await this.session?.stop();
  }

  /** Empties all captions. */
  clear(): void {
    this.transcriptNow = this.transcriptShown = emptyTranscript(this.languages());
    this.hasShownText = false;
    this.log.replaceChildren();
    this.speaker.forget();
  }

  /**
   * What has been concluded, a sentence on each line; of the first target language when none is
   * named, or of the source when there are no targets. Languages that were removed are remembered.
   */
  transcript(language?: LanguageTag): string {
    const { tracks } = this.transcriptNow;
    const track =
      language === undefined ? (tracks[1] ?? tracks[0]) : findTrack(this.transcriptNow, language);
    return track === undefined ? '' : plainText(track);
  }

  /** Languages something was concluded in, the spoken one first, removed ones last. */
  get transcriptLanguages(): LanguageTag[] {
    return spokenLanguages(this.transcriptNow);
  }

  /** Shows what a frame of the gateway says; for those that reach the page in another way. */
  receive(frame: ServerFrame): void {
    this.take(messageOf(frame));
  }

  private take(message: ServerMessage): void {
    this.speaker.receive(message);
    if (message.type === 'source_lag_update') {
      this.dispatchEvent(voiceEvent('vc-lag', { lagMs: message.lag_ms }));
    }
    const update = receiveMessage(this.transcriptNow, message);
    const detail = captionDetail(message, this.sourceLanguage);
    if (detail !== undefined) this.dispatchEvent(voiceEvent('vc-caption', detail));
    const isTentative = update.completed.length === 0 && (detail?.concluded ?? []).length === 0;
    if (isTentative) this.showSoon(update.transcript);
    else this.show(update);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // Moving an element takes it out of the page for a moment; that must not end the session.
    queueMicrotask(() => {
      if (!this.isConnected) this.session?.abort();
    });
  }

  protected override willUpdate(changed: PropertyValues<VoiceCaptions>): void {
    this.fallBack();
    if (!this.hasUpdated || requestProperties.some((name) => changed.has(name))) {
      this.showLanguages(this.languages());
      this.session?.changeRequest(this.sessionRequest());
      if (changed.has('speech') && this.session !== undefined) void this.unlockAudio();
    }
    this.hasShownText ||= this.visibleTracks().some(({ shown }) => shown.length > 0);
  }

  protected override update(changed: PropertyValues): void {
    const blocks = () => this.renderRoot.querySelectorAll<HTMLElement>('.lines');
    this.roll.remember(blocks());
    super.update(changed);
    this.roll.play(blocks());
  }

  protected override updated(): void {
    const targets = this.visibleTracks().filter(({ kind }) => kind === 'target');
    // Through the object model: a style attribute would break a strict content security policy.
    this.base.style.setProperty('--_scale', String(clampFontScale(this.fontScale)));
    this.base.style.setProperty('--_lines', String(Math.max(1, this.lines)));
    this.base.style.setProperty('--_targets', String(Math.max(1, targets.length)));
  }

  protected override render(): TemplateResult {
    const labels = this.wording();
    const tracks = this.visibleTracks();
    const targets = tracks.filter(({ kind }) => kind === 'target');
    const placeholder = targets[0] ?? tracks[0];
    const empty = html`<slot name="empty"
      ><span class="empty"><bdi>${labels.empty}</bdi></span></slot
    >`;
    return html`<section part="base" class="base" aria-label=${labels.region}>
      <slot name="header"></slot>
      <div part="tracks" class="tracks ${targets.length > 1 ? 'many' : ''}">
        ${repeat(
          tracks,
          ({ kind, language }) => (kind === 'source' ? kind : language),
          (track) =>
            trackView({
              track,
              lines: this.speaker.inStep(track),
              spoken: this.speaker.spokenLines(track),
              sound: this.speaker.sound(track),
              onScroll: this.roll.onScroll,
              original: labels.original,
              empty: !this.hasShownText && track === placeholder ? empty : nothing,
            }),
        )}
      </div>
      ${toolbarView({
        state: this.voiceState,
        status: statusLabel({
          labels,
          state: this.voiceState,
          failure: this.failure,
          refusal: this.refusal,
          speech: this.speaker.hint,
        }),
        labels,
        source: sourceKind(this.source),
        speech: { state: this.speechState, isMuted: this.muted, onPress: () => this.pressSpeech() },
        onToggle: () => (activeStates.has(this.voiceState) ? void this.stop() : this.start()),
        onResize: (direction) => this.resize(direction),
      })}
      <div class="heard" role="log" aria-live="polite" aria-label=${labels.announcements}></div>
    </section>`;
  }

  /** An attribute that is removed leaves null; frameworks set undefined. */
  private fallBack(): void {
    const given = this as Record<string, unknown>;
    for (const [name, value] of Object.entries(this.defaults)) given[name] ??= value;
  }

  private wording(): Labels {
    return mergeLabels(this.labels, sourceKind(this.source));
  }

  private pressSpeech(): void {
    if (this.speechState === 'blocked') void this.unlockAudio();
    else if (this.speechState !== 'failed') this.muted = !this.muted;
  }

  private resize(direction: -1 | 1): void {
    this.fontScale = clampFontScale(this.fontScale + direction * FONT_SCALE.step);
  }

  private languages(): { sourceLanguage: LanguageTag; targetLanguages: LanguageTag[] } {
    const { sourceLanguage, targetLanguages, speech } = this;
    return { sourceLanguage, targetLanguages: targetsOf(targetLanguages, speech) };
  }

  private sessionRequest(): SessionRequest {
    return {
      ...captionRequest({
        messageFormat: this.messageFormat,
        sourceLanguageMode: this.sourceLanguageMode,
        captionMode: this.captionMode,
        ...this.languages(),
      }),
      ...this.speaker.request(),
    };
  }

  private visibleTracks(): readonly CaptionTrack[] {
    const { tracks } = this.transcriptShown;
    if (this.language !== '') return tracks.filter(({ language }) => language === this.language);
    return this.hideSource ? tracks.filter(({ kind }) => kind === 'target') : tracks;
  }

  private show({ transcript, completed }: ReturnType<typeof receiveMessage>): void {
    clearTimeout(this.tentativeTimer);
    this.tentativeTimer = undefined;
    this.transcriptNow = this.transcriptShown = transcript;
    const announced = this.announce || this.language || this.firstTarget();
    // Two voices at once are not understood, and one does not repeat the other.
    if (this.speaker.speaks(announced)) return;
    for (const { language, line } of completed) {
      if (language === announced && this.hasUpdated) announce(this.log, line);
    }
  }

  private showSoon(transcript: Transcript): void {
    this.transcriptNow = transcript;
    this.tentativeTimer ??= setTimeout(() => {
      this.tentativeTimer = undefined;
      this.transcriptShown = this.transcriptNow;
    }, TENTATIVE_INTERVAL_MS);
  }

  private firstTarget(): LanguageTag {
    const { tracks } = this.transcriptNow;
    return (tracks[1] ?? tracks[0])?.language ?? '';
  }

  private changeState(next: VoiceState): void {
    const previous = this.voiceState;
    this.voiceState = next;
    this.dispatchEvent(voiceEvent('vc-statechange', { state: next, previous }));
  }

  private showLevel(level: number): void {
    this.meter.show(level);
    this.speaker.hear(level);
    this.dispatchEvent(voiceEvent('vc-level', { level }));
  }

  private showFailure(failure: VoiceFailure): void {
    this.failure = failure;
    const message = failureHint(this.wording(), failure);
    const { code, reasonCode } = failure;
    this.dispatchEvent(voiceEvent('vc-error', { code, message, reasonCode }));
  }

  /** What is shown is what is in force, whatever was asked for. */
  private showRefusal(failure: VoiceFailure, { target_languages = [] }: SessionRequest): void {
    const { sourceLanguage } = this;
    this.showLanguages({ sourceLanguage, targetLanguages: [...target_languages] });
    this.refusal = failure;
    const message = failureHint(this.wording(), failure);
    const { code, reasonCode } = failure;
    this.dispatchEvent(voiceEvent('vc-error', { code, message, reasonCode }));
  }

  private showLanguages(languages: ReturnType<typeof this.languages>): void {
    this.refusal = undefined;
    this.transcriptNow = this.transcriptShown = changeLanguages(this.transcriptNow, languages);
  }

  private endSession(reason: EndReason): void {
    this.session = undefined;
    this.meter.rest();
    this.show(finishTranscript(this.transcriptNow));
    this.dispatchEvent(voiceEvent('vc-end', { reason }));
  }
}

function clampFontScale(scale: number): number {
  return Math.min(FONT_SCALE.most, Math.max(FONT_SCALE.least, scale || 1));
}

declare global {
  interface HTMLElementTagNameMap {
    'voice-captions': VoiceCaptions;
  }
}

// Two scripts of one page may both bring the element; the first stays.
if (customElements.get('voice-captions') === undefined) {
  customElements.define('voice-captions', VoiceCaptions);
}
