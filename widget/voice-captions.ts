import { LitElement, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { LanguageTag } from '../shared/language.ts';
import type { MessageFormat, ServerMessage } from '../shared/protocol/messages.ts';
import { announce } from './controllers/announcer.ts';
import { SAMPLE_RATE_HZ, type AudioSource } from './controllers/microphone.ts';
import { VoiceSession, type EndReason } from './controllers/session.ts';
import {
  tokenEndpoint,
  type SessionRequest,
  type TokenProvider,
} from './controllers/token-endpoint.ts';
import { voiceEvent, type VoiceState } from './events.ts';
import { mergeLabels, type LabelOverrides, type Labels, type StateLabel } from './labels.ts';
import {
  changeLanguages,
  emptyTranscript,
  findTrack,
  finishTranscript,
  plainText,
  receiveMessage,
  type CaptionTrack,
} from './transcript-state.ts';
import { CaptionRoll } from './views/caption-roll.ts';
import { LevelMeter } from './views/level-meter.ts';
import { activeStates, toolbarView } from './views/toolbar.ts';
import { trackView } from './views/track.ts';
import { voiceCaptionsStyles } from './voice-captions.styles.ts';
import { VoiceFailure } from './voice-failure.ts';

/** Most languages one session translates into. */
const MAX_TARGETS = 5;
/** Tentative text is shown this seldom, in ms: faster it flickers, slower it drags. */
const TENTATIVE_INTERVAL_MS = 200;
const FONT_SCALES = { least: 0.75, most: 3, step: 0.25 };

/** Properties that the running session was asked for with. */
const requestProperties: readonly (keyof VoiceCaptions)[] = [
  'sourceLanguage',
  'sourceLanguageMode',
  'targetLanguages',
];

/**
 * Live captions of what is said, in the language spoken and in up to five others.
 *
 * @fires vc-statechange - The state changed.
 * @fires vc-caption - A track has new text.
 * @fires vc-level - How loud it is, ten times a second.
 * @fires vc-error - Something went wrong; the state says what is shown.
 * @fires vc-end - The session is over.
 * @slot header - Above the captions.
 * @slot empty - In place of the captions before the first word.
 * @slot controls - After the built-in controls.
 * @csspart base - The frame around everything.
 * @csspart tracks - All captions.
 * @csspart track - One language; also `source` or `target`.
 * @csspart label - Name of a language.
 * @csspart lines - Block of fixed height that holds the captions of a language.
 * @csspart caption - One sentence.
 * @csspart concluded - Text that stays.
 * @csspart tentative - Text that may still change.
 * @csspart toolbar - The row of controls.
 * @csspart button - Every button; also `main` or `size`.
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
  @property({ attribute: 'source-language' }) sourceLanguage: LanguageTag = 'en';
  @property({ attribute: 'source-language-mode' }) sourceLanguageMode: '' | 'auto' | 'fixed' = '';
  /** Up to five languages, separated by blanks. */
  @property({ attribute: 'target-languages' }) targetLanguages = '';
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
  /** Lines of text for each language. */
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
  private hasShownText = false;
  private session: VoiceSession | undefined;
  private tentativeTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly roll = new CaptionRoll();
  private readonly meter = new LevelMeter(() => this.renderRoot.querySelectorAll('.bar'));

  /** What the element is doing. */
  get state(): VoiceState {
    return this.voiceState;
  }

  /** Starts a session; call it from a click. Does nothing while one is running. */
  start(): void {
    if (this.session !== undefined) return;
    if (this.tokenProvider === undefined && this.tokenEndpoint === '') {
      // Otherwise the page itself would be asked, and its answer explains nothing.
      const message = 'This page does not say where sessions begin: token-endpoint is missing.';
      this.showFailure(new VoiceFailure('token-refused', { message }));
      this.changeState('failed');
      this.endSession('failed');
      return;
    }
    this.failure = undefined;
    const session = new VoiceSession({
      source: this.source === 'none' ? undefined : this.source,
      deviceId: this.deviceId,
      chunkMs: this.chunkMs,
      workletUrl: this.workletUrl || defaultWorkletUrl(),
      audible: this.audible,
      request: this.sessionRequest(),
      provideToken: this.tokenProvider ?? tokenEndpoint(this.tokenEndpoint),
      onState: (next) => this.changeState(next),
      onMessage: (message) => this.receive(message),
      onDrop: () => this.show(finishTranscript(this.transcriptNow)),
      onLevel: (level) => this.showLevel(level),
      onFailure: (failure) => this.showFailure(failure),
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
  }

  /**
   * What has been concluded, a sentence on each line; of the first target language when none is
   * named, or of the source when there are no targets.
   */
  transcript(language?: LanguageTag): string {
    const { tracks } = this.transcriptNow;
    const track =
      language === undefined ? (tracks[1] ?? tracks[0]) : findTrack(this.transcriptNow, language);
    return track === undefined ? '' : plainText(track);
  }

  /** Shows a message of the gateway; for messages that reach the page in another way. */
  receive(message: ServerMessage): void {
    const update = receiveMessage(this.transcriptNow, message);
    this.emitCaption(message);
    const isTentative = update.completed.length === 0 && !hasConcluded(message);
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
    if (!this.hasUpdated || requestProperties.some((name) => changed.has(name))) {
      this.transcriptNow = changeLanguages(this.transcriptNow, this.languages());
      this.transcriptShown = this.transcriptNow;
      this.session?.changeRequest(this.sessionRequest());
    }
    this.hasShownText ||= this.visibleTracks().some(({ shown }) => shown.length > 0);
  }

  protected override update(changed: PropertyValues): void {
    const rolls = changed.has('transcriptShown') && this.hasUpdated;
    if (rolls) this.roll.remember(this.renderRoot.querySelectorAll<HTMLElement>('.flow'));
    super.update(changed);
    if (rolls) this.roll.play();
  }

  protected override updated(): void {
    // Through the object model: a style attribute would break a strict content security policy.
    this.base.style.setProperty('--_scale', String(clampScale(this.fontScale)));
    this.base.style.setProperty('--_lines', String(Math.max(1, this.lines)));
  }

  protected override render(): TemplateResult {
    const labels = mergeLabels(this.labels);
    const tracks = this.visibleTracks();
    const placeholder = tracks.find(({ kind }) => kind === 'target') ?? tracks[0];
    const targetCount = tracks.filter(({ kind }) => kind === 'target').length;
    const empty = html`<slot name="empty"><span class="empty">${labels.empty}</span></slot>`;
    return html`<section part="base" class="base" aria-label=${labels.region}>
      <slot name="header"></slot>
      <div part="tracks" class="tracks ${targetCount > 1 ? 'many' : ''}">
        ${repeat(
          tracks,
          ({ kind, language }) => (kind === 'source' ? kind : language),
          (track) =>
            trackView({
              track,
              visibleLines: Math.max(1, this.lines),
              original: labels.original,
              empty: !this.hasShownText && track === placeholder ? empty : nothing,
            }),
        )}
      </div>
      ${toolbarView({
        state: this.voiceState,
        status: this.statusLabel(labels),
        labels,
        canStart: this.source !== 'none',
        onToggle: () => this.toggle(),
        onResize: (direction) => this.resize(direction),
      })}
      <div class="heard" role="log" aria-live="polite" aria-label=${labels.announcements}></div>
    </section>`;
  }

  private toggle(): void {
    if (activeStates.has(this.voiceState)) void this.stop();
    else this.start();
  }

  private resize(direction: -1 | 1): void {
    this.fontScale = clampScale(this.fontScale + direction * FONT_SCALES.step);
  }

  private languages(): { sourceLanguage: LanguageTag; targetLanguages: LanguageTag[] } {
    const targets = this.targetLanguages.split(/[\s,]+/).filter(Boolean);
    return {
      sourceLanguage: this.sourceLanguage,
      targetLanguages: [...new Set(targets)].slice(0, MAX_TARGETS),
    };
  }

  private sessionRequest(): SessionRequest {
    const { sourceLanguage, targetLanguages } = this.languages();
    return {
      source_media_content_type: `audio/pcm;encoding=s16le;rate=${SAMPLE_RATE_HZ}`,
      message_format: this.messageFormat,
      ...(sourceLanguage === '' ? {} : { source_language: sourceLanguage }),
      ...(this.sourceLanguageMode === '' ? {} : { source_language_mode: this.sourceLanguageMode }),
      target_languages: targetLanguages,
    };
  }

  private visibleTracks(): readonly CaptionTrack[] {
    const { tracks } = this.transcriptShown;
    if (this.language !== '') return tracks.filter(({ language }) => language === this.language);
    return this.hideSource ? tracks.filter(({ kind }) => kind === 'target') : tracks;
  }

  private statusLabel(labels: Labels): StateLabel {
    const label = labels.states[this.voiceState];
    if (this.failure === undefined || activeStates.has(this.voiceState)) return label;
    return { ...label, hint: this.failureHint(labels) || label.hint };
  }

  /** The server's own words where it has some; they say what to do. */
  private failureHint(labels: Labels): string {
    return this.failure?.message || labels.errors[this.failure?.code ?? 'connection-lost'] || '';
  }

  private show({ transcript, completed }: ReturnType<typeof receiveMessage>): void {
    clearTimeout(this.tentativeTimer);
    this.tentativeTimer = undefined;
    this.transcriptNow = this.transcriptShown = transcript;
    const announced = this.announce || this.language || this.firstTarget();
    for (const { language, line } of completed) {
      if (language === announced && this.hasUpdated) announce(this.log, line);
    }
  }

  private showSoon(transcript: CaptionTranscript): void {
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

  private emitCaption(message: ServerMessage): void {
    if ('source_transcript_update' in message) {
      const { concluded, tentative } = message.source_transcript_update;
      const language = (concluded.at(-1) ?? tentative.at(-1))?.language ?? this.sourceLanguage;
      const detail = { kind: 'source', language, concluded, tentative } as const;
      this.dispatchEvent(voiceEvent('vc-caption', detail));
    } else if ('target_transcript_update' in message) {
      const detail = { kind: 'target', ...message.target_transcript_update } as const;
      this.dispatchEvent(voiceEvent('vc-caption', detail));
    }
  }

  private showLevel(level: number): void {
    this.meter.show(level);
    this.dispatchEvent(voiceEvent('vc-level', { level }));
  }

  private showFailure(failure: VoiceFailure): void {
    this.failure = failure;
    const message = this.failureHint(mergeLabels(this.labels));
    this.dispatchEvent(voiceEvent('vc-error', { code: failure.code, message }));
  }

  private endSession(reason: EndReason): void {
    this.session = undefined;
    this.meter.rest();
    this.show(finishTranscript(this.transcriptNow));
    this.dispatchEvent(voiceEvent('vc-end', { reason }));
  }
}

type CaptionTranscript = ReturnType<typeof emptyTranscript>;

function hasConcluded(message: ServerMessage): boolean {
  if ('source_transcript_update' in message) {
    return message.source_transcript_update.concluded.length > 0;
  }
  if ('target_transcript_update' in message) {
    return message.target_transcript_update.concluded.length > 0;
  }
  return false;
}

function clampScale(scale: number): number {
  return Math.min(FONT_SCALES.most, Math.max(FONT_SCALES.least, scale || 1));
}

function defaultWorkletUrl(): string {
  // Not written as new URL('…', import.meta.url): bundlers would copy the file under another name.
  const script = import.meta.url;
  return new URL('pcm-capture.worklet.js', script).href;
}

declare global {
  interface HTMLElementTagNameMap {
    'voice-captions': VoiceCaptions;
  }
}
