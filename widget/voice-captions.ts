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

/** Shortest interval between two renderings of tentative text, in ms: faster flickers, slower lags. */
const TENTATIVE_INTERVAL_MS = 200;

/** Limits and step of the font scale, relative to the default size. */
const FONT_SCALE = { least: 0.75, most: 3, step: 0.25 };

/** Properties that make up the session request: a change of one updates the running session. */
const requestProperties: readonly (keyof VoiceCaptions)[] = [
  'sourceLanguage',
  'sourceLanguageMode',
  'captionMode',
  'targetLanguages',
  'speech',
  'voice',
];

/**
 * Live captions of speech, in the spoken language and in up to five others. A page loads this file and writes
 * the tag.
 *
 * @fires vc-statechange - The state changed.
 * @fires vc-caption - A track has new text.
 * @fires vc-level - The audio level, ten times a second.
 * @fires vc-lag - The gateway has fallen behind the speaker, or has caught up.
 * @fires vc-speech - The state of translated speech changed, or another segment is playing.
 * @fires vc-autoplayblocked - The browser waits for a tap before it plays speech.
 * @fires vc-error - An error occurred; the state tells whether captions go on.
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
 * @csspart spoken - The sentence whose speech is playing.
 * @csspart concluded - Concluded text, which no longer changes.
 * @csspart tentative - Tentative text, which may still change.
 * @csspart toolbar - The row of controls.
 * @csspart button - Every button; also `main`, `size` or `speech`.
 * @csspart status - The state in words.
 * @csspart meter - Level meter.
 */
export class VoiceCaptions extends LitElement {
  static override styles = voiceCaptionsStyles;

  /** URL that answers a POST with `{streaming_url, token, session_id}`. */
  @property({ attribute: 'token-endpoint' }) tokenEndpoint = '';
  /** Provides tokens in place of `token-endpoint`. */
  @property({ attribute: false }) tokenProvider: TokenProvider | undefined;
  /** `microphone`, `none`, or (as a property) a stream, or a file that is played in real time. */
  @property() source: 'none' | AudioSource = 'microphone';
  /** Also plays a stream or a file through the speakers. */
  @property({ type: Boolean }) audible = false;
  @property({ attribute: 'device-id' }) deviceId = '';
  /** Tries to resume a lost connection without a time limit, instead of for about 20 s. */
  @property({ type: Boolean, attribute: 'keep-trying' }) keepTrying = false;
  @property({ attribute: 'source-language' }) sourceLanguage: LanguageTag = 'en';
  @property({ attribute: 'source-language-mode' }) sourceLanguageMode: '' | 'auto' | 'fixed' = '';
  /** Balance between early and stable text; `balanced` when empty. */
  @property({ attribute: 'caption-mode' }) captionMode: '' | 'instant' | 'balanced' | 'settled' =
    '';
  /** Up to five language tags, separated by spaces. */
  @property({ attribute: 'target-languages' }) targetLanguages = '';
  /** Language of translated speech, one of the targets or a further one; no speech when empty. */
  @property() speech: LanguageTag = '';
  /** `male` or `female`; when empty, a voice that suits the language. */
  @property() voice: '' | 'male' | 'female' = '';
  /** Silences the speech without stopping it; captions then do not wait for it. */
  @property({ type: Boolean, reflect: true }) muted = false;
  /** Volume of the speech, 0 to 1. */
  @property({ type: Number }) volume = 1;
  /** `full` lowers the speech while someone talks; `half` mutes the microphone while speech plays. */
  @property() duplex: 'full' | 'half' = 'full';
  /** How speech is played: `webcodecs`, `mse` or `pcm`; when empty, the best the browser supports. */
  @property({ attribute: 'speech-path' }) speechPath: '' | SpeechPath = '';
  @property({ attribute: 'message-format' }) messageFormat: MessageFormat = 'msgpack';
  /** Length of each audio chunk sent, in ms. */
  @property({ type: Number, attribute: 'chunk-ms' }) chunkMs = 100;
  /** Address of pcm-capture.worklet.js; by default, the file beside this script. */
  @property({ attribute: 'worklet-url' }) workletUrl = '';
  /** Hides the source track and shows only translations. */
  @property({ type: Boolean, attribute: 'hide-source' }) hideSource = false;
  /** Restricts the display to this language. */
  @property() language: LanguageTag = '';
  /** Language announced to screen readers, or `off`; when empty, the first target (else the source). */
  @property() announce: LanguageTag = '';
  /** Lines of text per language; narrow tracks show more. */
  @property({ type: Number }) lines = 2;
  /** Font scale, 0.75 to 3. */
  @property({ type: Number, attribute: 'font-scale' }) fontScale = 1;
  /** Overrides of the built-in wording. */
  @property({ attribute: false }) labels: LabelOverrides = {};

  @state() private voiceState: VoiceState = 'idle';
  @state() private transcriptShown = emptyTranscript({ sourceLanguage: 'en', targetLanguages: [] });
  @query('.base') private readonly base!: HTMLElement;
  @query('[role="log"]') private readonly log!: HTMLElement;

  private transcriptNow = this.transcriptShown;
  private failure: VoiceFailure | undefined;
  /** Why the last change of languages was refused; the session goes on. */
  private refusal: VoiceFailure | undefined;
  private hasShownText = false;
  private session: ElementSession | undefined;
  /** Whether to start once the session has ended, which is stopping. */
  private startsAgain = false;
  private tentativeTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly roll = new CaptionRoll();
  private readonly speaker = new SpeechController(
    this,
    (language) => findTrack(this.transcriptNow, language)?.lines ?? [],
  );
  private readonly meter = new LevelMeter(() => this.renderRoot.querySelectorAll('.bar'));
  /** Default of each property, restored when a page removes its value. */
  private readonly defaults: Readonly<Partial<this>> = Object.fromEntries(
    [...VoiceCaptions.elementProperties.keys()].map((name) => [name, this[name as keyof this]]),
  ) as Partial<this>;

  /** State of the element. */
  get state(): VoiceState {
    return this.voiceState;
  }

  /** State of translated speech. */
  get speechState(): SpeechState {
    return this.speaker.state;
  }

  /** Lets the browser play speech; call it from a click. Resolves with whether the browser does. */
  unlockAudio(): Promise<boolean> {
    return this.speaker.unlock();
  }

  /**
   * Starts a session; call it from a click. Does nothing while a session is running; one that is stopping
   * ends first.
   */
  start(): void {
    if (this.session !== undefined) {
      this.startsAgain = this.voiceState === 'stopping';
      return;
    }
    this.fallBack();
    if (this.tokenProvider === undefined && this.tokenEndpoint === '') {
      // An empty endpoint would post to the page itself, whose answer explains nothing.
      const message = 'This page does not say where sessions begin: token-endpoint is missing.';
      this.showFailure(new VoiceFailure('token-refused', { message }));
      this.changeState('failed');
      this.endSession('failed');
      return;
    }
    this.failure = undefined;
    // Requests languages again that an earlier session refused.
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

  /** Stops listening, then waits with a deadline until the gateway has concluded what was said. */
  async stop(): Promise<void> {
    this.startsAgain = false;
    await this.session?.stop();
  }

  /** Empties all captions. */
  clear(): void {
    this.transcriptNow = this.transcriptShown = emptyTranscript(this.languages());
    this.hasShownText = false;
    if (this.hasUpdated) this.log.replaceChildren();
    this.speaker.forget();
  }

  /**
   * Returns the concluded text of a language, one sentence per line. Defaults to the first target language,
   * or to the source if no target exists. Removed languages are included.
   */
  transcript(language?: LanguageTag): string {
    const { tracks } = this.transcriptNow;
    const track =
      language === undefined ? (tracks[1] ?? tracks[0]) : findTrack(this.transcriptNow, language);
    return track === undefined ? '' : plainText(track);
  }

  /** Languages with concluded text: the spoken one first, removed ones last. */
  get transcriptLanguages(): LanguageTag[] {
    return spokenLanguages(this.transcriptNow);
  }

  /** Shows a frame of the gateway, for pages that receive frames in another way. */
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
    const isTentative = update.completed.length === 0 && (detail?.concluded ?? []).length === 0;
    if (isTentative) this.showSoon(update.transcript);
    else this.show(update);
    if (detail !== undefined) this.dispatchEvent(voiceEvent('vc-caption', detail));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // Moving an element within the page disconnects it for a moment; that must not end the session.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.startsAgain = false;
      this.session?.abort();
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
    // Set through the object model: a style attribute would violate a strict content security policy.
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
              lines: this.speaker.linesToShow(track),
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

  /** Restores defaults: removing an attribute sets null, and frameworks set undefined. */
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
    // Screen reader and speech would talk over each other and say the same sentence twice.
    if (this.speaker.speaks(announced)) return;
    for (const { language, line } of completed) {
      if (language !== announced || !this.hasUpdated) continue;
      announce(this.log, { language: line.language, text: line.concluded.trim() });
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

  /** Shows the languages in force instead of the refused ones. */
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
    if (this.startsAgain) {
      this.startsAgain = false;
      this.start();
    }
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

// Two scripts of one page may both define the element; the first definition stays.
if (customElements.get('voice-captions') === undefined) {
  customElements.define('voice-captions', VoiceCaptions);
}
