/** Speaker page: runs the microphone session that speaks into a room, and shows its captions and readers. */
import { LitElement, html, nothing } from 'lit';
import { query, state } from 'lit/decorators.js';
import { SPOKEN_TRACK } from '../../shared/client/room-feed.ts';
import { baseStyles } from '../console/parts/base.styles.ts';
import { choice } from '../console/parts/choices.ts';
import { Loaded, note } from '../console/parts/states.ts';
import { failureStates } from '../controllers/session.ts';
import { activeStates, type VoiceCaptionsEventMap, type VoiceState } from '../events.ts';
import { wholeNumber } from '../page/numbers.ts';
import { singlePress } from '../page/single-press.ts';
import type { VoiceCaptions } from '../voice-captions.ts';
import '../voice-captions.ts';
import { languageName } from '../views/captions.ts';
import { microphoneIcon, retryIcon } from '../views/icons.ts';
import { loudnessShare } from '../views/toolbar.ts';
import './audience-code.ts';
import {
  deskHead,
  deskStyles,
  deskWithoutRoom,
  LOOK_EVERY_MS,
  speakLanguageOfBrowser,
} from './desk-frame.ts';
import { failureText, refusalText } from './desk-words.ts';
import { MicrophoneCheck } from './microphone-check.ts';
import { placeOfPage } from './room-address.ts';
import { isFinal, openDesk, type RoomAtDesk } from './room-desk.ts';
import { RoomFloor, SESSION_ENDED } from './room-floor.ts';
import { ScreenLock } from './screen-lock.ts';
import {
  lagText,
  speakerStatus,
  type SpeakerAction,
  type SpeakerStatus,
} from './speaker-status.ts';
import { pauseIcon, speakerStyles } from './speaker.styles.ts';

type Calmness = 'instant' | 'balanced' | 'settled';

export class SpeakerPage extends LitElement {
  static override styles = [baseStyles, deskStyles, speakerStyles];

  @state() private voice: VoiceState = 'idle';
  /** Spoken language chosen on this page; empty until one is chosen. */
  @state() private chosenLanguage = '';
  @state() private calmness: Calmness = 'balanced';
  @state() private failure = '';
  @state() private wasTakenOver = false;
  @state() private isPausing = false;
  @state() private lagMs = 0;
  /** Null until the room has loaded. */
  @query('voice-captions') private readonly captions!: VoiceCaptions | null;
  @query('.level') private readonly level!: HTMLElement | null;

  private readonly spoken = speakLanguageOfBrowser('speaker');
  private readonly words = this.spoken.words;
  private readonly labels = { ...this.words.speaker.heard, errors: this.words.speaker.errors };
  private readonly place = placeOfPage();
  private readonly desk = openDesk(this.place, this.words);
  private readonly floor = new RoomFloor(this.desk);
  private readonly workletUrl = new URL('../pcm-capture.worklet.js', this.place.pages).href;
  private readonly screen = new ScreenLock(() => undefined);
  private readonly microphone = new MicrophoneCheck(this, {
    workletUrl: this.workletUrl,
    onLevel: (peak) => this.showLevel(peak),
  });
  private readonly room = new Loaded<RoomAtDesk>(this, {
    load: async ({ signal }) => this.look(await this.desk.room(signal)),
    everyMs: LOOK_EVERY_MS,
  });
  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('beforeunload', this.warn);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('beforeunload', this.warn);
    this.screen.want(false);
  }

  protected override updated(): void {
    this.screen.want(this.isSpeaking);
    if (isFinal(this.room.failure) && this.isSpeaking) void this.captions?.stop();
    const { name } = this.room.value ?? {};
    if (name !== undefined) document.title = `${name} · ${this.words.roles.speaker}`;
  }

  protected override render() {
    const absent = deskWithoutRoom(this.words, this.room);
    const room = this.room.value;
    if (absent !== undefined || room === undefined) return absent;
    const status = this.status(room);
    return html`<main class="page speaker">
      ${deskHead(this.words, room, 'speaker')}
      <div class="columns">
        ${this.stageView(room, status)}
        <div class="side">
          ${this.readersView(room)}
          <section class="card padded" aria-labelledby="audience-heading">
            <h2 id="audience-heading">${this.words.audience.heading}</h2>
            <audience-code
              .room=${room}
              .desk=${this.desk}
              .words=${this.words.audience}
            ></audience-code>
          </section>
          ${this.settingsView(room)}
        </div>
      </div>
    </main>`;
  }

  private stageView(room: RoomAtDesk, status: SpeakerStatus) {
    const words = this.words.speaker;
    return html`<section class="card stage" aria-label=${words.yourMicrophone}>
      <div class="status ${status.tone}">
        <div role="status">
          <h2>${status.title}</h2>
          <p><bdi>${status.hint}</bdi></p>
        </div>
        ${this.floor.isPausePending ? note('warn', words.pauseOwed) : nothing}
        ${
          this.room.failure !== undefined && !this.isSpeaking && !this.floor.isPausePending
            ? note('warn', `${failureText(this.words, this.room.failure)} ${this.words.outOfDate}`)
            : nothing
        }
      </div>
      <voice-captions
        .tokenProvider=${this.floor.provideToken}
        .workletUrl=${this.workletUrl}
        .deviceId=${this.microphone.deviceId}
        .sourceLanguage=${this.language(room)}
        .captionMode=${this.calmness}
        .labels=${this.labels}
        announce="off"
        keep-trying
        @vc-statechange=${this.onState}
        @vc-level=${this.onLevel}
        @vc-lag=${this.onLag}
        @vc-error=${this.onError}
      ></voice-captions>
      <div class="controls">
        <div class="gauges">
          <div
            class="level"
            role="meter"
            aria-label=${words.level}
            aria-valuemin="0"
            aria-valuemax="100"
            aria-valuenow="0"
          >
            <span></span>
          </div>
          ${
            this.isSpeaking
              ? html`<p class="lag">
                  ${this.voice === 'live' ? lagText(this.spoken.language, this.lagMs) : nothing}
                </p>`
              : html`<button type="button" class="small" @click=${this.pressCheck}>
                  ${this.microphone.isChecking ? words.endCheck : words.check}
                </button>`
          }
        </div>
        ${this.checkFailureView()} ${this.buttonView(status)}
      </div>
    </section>`;
  }

  private checkFailureView() {
    const { failure } = this.microphone;
    if (failure === undefined) return nothing;
    const { states, errors } = this.words.speaker;
    const state = failureStates[failure.code];
    const { title, hint } = states[state ?? 'failed'];
    const reason = failure.message || (errors[failure.code] ?? hint);
    return note('bad', state === undefined ? reason : `${title}. ${reason}`);
  }

  private buttonView({ action, label }: SpeakerStatus) {
    const icon = action === 'pause' ? pauseIcon : action === 'start' ? microphoneIcon : nothing;
    // aria-disabled instead of disabled: a disabled button loses the focus and the keyboard's position.
    return html`<button
      type="button"
      class="floor ${action ?? 'waiting'}"
      aria-disabled=${action === undefined ? 'true' : nothing}
      @click=${singlePress(() => this.press(action))}
    >
      ${label === this.words.tryAgain ? retryIcon : icon} ${label}
    </button>`;
  }

  private readersView({ viewers, languages }: RoomAtDesk) {
    const words = this.words.speaker;
    const trackName = (name: string) => this.trackName(name);
    const all = [SPOKEN_TRACK, ...languages].map((name) => ({ name, count: viewers[name] ?? 0 }));
    const read = all.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
    const unread = all.filter(({ count }) => count === 0);
    return html`<section class="card padded readers" aria-labelledby="readers-heading">
      <div class="row between">
        <h2 id="readers-heading">${words.readingAlong}</h2>
        <p class="total">${wholeNumber(this.readerCount)}</p>
      </div>
      ${
        read.length === 0
          ? nothing
          : html`<ul class="plain">
              ${read.map(
                ({ name, count }) =>
                  html`<li>
                    ${trackName(name)} <span class="number">${wholeNumber(count)}</span>
                  </li>`,
              )}
            </ul>`
      }
      ${
        unread.length === 0
          ? nothing
          : html`<p class="soft small">
              ${read.length === 0 ? words.offered : words.notRead}
              ${unread.map(
                ({ name }, index) => html`${index === 0 ? nothing : ' · '}${trackName(name)}`,
              )}
            </p>`
      }
    </section>`;
  }

  private settingsView(room: RoomAtDesk) {
    const { microphones, deviceId } = this.microphone;
    const spoken = this.language(room);
    const words = this.words.speaker;
    const { instant, balanced, settled } = words.calmness;
    return html`<section class="card padded settings" aria-labelledby="settings-heading">
      <h2 id="settings-heading">${words.settings}</h2>
      <div class="field">
        <label for="microphone">${words.microphone}</label>
        <select id="microphone" @change=${this.onMicrophone}>
          <option value="" .selected=${deviceId === ''}>${words.browserChoice}</option>
          ${microphones.map(
            (each) =>
              html`<option value=${each.deviceId} .selected=${each.deviceId === deviceId}>
                ${each.name}
              </option>`,
          )}
        </select>
        ${microphones.length === 0 ? html`<p class="hint">${words.othersLater}</p>` : nothing}
      </div>
      <div class="field">
        <label for="language">${words.youSpeak}</label>
        <select id="language" @change=${this.onLanguage}>
          ${room.heard_languages.map(
            (language) =>
              html`<option value=${language} lang=${language} .selected=${language === spoken}>
                ${languageName(language)}
              </option>`,
          )}
        </select>
      </div>
      <div class="field">
        <p class="label" aria-hidden="true">${words.captions}</p>
        ${choice({
          name: 'calmness',
          legend: words.captions,
          titles: {
            instant: instant.title,
            balanced: balanced.title,
            settled: settled.title,
          },
          chosen: this.calmness,
          onChange: (calmness: Calmness) => (this.calmness = calmness),
        })}
        <p class="hint">${words.calmness[this.calmness].hint}</p>
      </div>
    </section>`;
  }

  private get isSpeaking(): boolean {
    return activeStates.has(this.voice);
  }

  private get readerCount(): number {
    const counts = Object.values(this.room.value?.viewers ?? {});
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /**
   * Returns the spoken language, of those the room hears: chosen here, else the room's, else the browser's.
   */
  private language({ heard_languages: heard, source_language: usual }: RoomAtDesk): string {
    const wishes = [this.chosenLanguage, usual, ...navigator.languages];
    const base = (language: string) => language.split('-')[0];
    const [first = 'en'] = heard;
    for (const wish of wishes) {
      if (wish === undefined || wish === '') continue;
      const found =
        heard.find((language) => language === wish) ??
        heard.find((language) => base(language) === base(wish));
      if (found !== undefined) return found;
    }
    return first;
  }

  private status(room: RoomAtDesk): SpeakerStatus {
    const { voice, wasTakenOver, isPausing, failure, readerCount } = this;
    return speakerStatus({
      language: this.spoken.language,
      voice,
      wasTakenOver,
      isPausing,
      failure,
      readerCount,
      isRoomPaused: room.paused || (this.floor.isPausePending && !this.isSpeaking),
      isTaken: this.floor.isTaken(room),
    });
  }

  /** Passes on the loaded room; requests an owed pause again. */
  private look(room: RoomAtDesk): RoomAtDesk {
    if (this.floor.isPausePending && !this.isSpeaking) void this.pauseRoom();
    return room;
  }

  // Handlers of the controls.

  private press(action: SpeakerAction | undefined): void {
    if (action === 'start') this.takeFloor();
    else if (action === 'pause') void this.pause();
    else if (action === 'go-on') void this.goOn();
    else if (action === 'cancel') void this.captions?.stop();
  }

  private takeFloor(): void {
    this.floor.ask();
    this.start();
  }

  private start(): void {
    this.microphone.close();
    this.microphone.failure = undefined;
    this.failure = '';
    this.wasTakenOver = false;
    this.lagMs = 0;
    this.captions?.start();
  }

  /** Stops the microphone at once, and pauses the room when the last words are in it. */
  private async pause(): Promise<void> {
    this.isPausing = true;
    this.showLevel(0);
    await this.captions?.stop();
    this.isPausing = false;
    // Another speaker who has taken over meanwhile must not be silenced.
    if (!this.wasTakenOver) await this.pauseRoom();
  }

  private async pauseRoom(): Promise<void> {
    await this.floor.pause();
    await this.room.reload();
  }

  /** Resumes a room that was paused from elsewhere while the microphone is on. */
  private async goOn(): Promise<void> {
    await this.desk.pause(false).catch((error: unknown) => {
      this.failure = failureText(this.words, error);
    });
    await this.room.reload();
  }

  private readonly pressCheck = (): void => {
    if (this.microphone.isChecking) this.microphone.close();
    else void this.microphone.open();
  };

  private readonly onMicrophone = async ({ target }: Event): Promise<void> => {
    if (!(target instanceof HTMLSelectElement)) return;
    this.microphone.choose(target.value);
    if (!this.isSpeaking || this.isPausing) return;
    // Wait for the last words from the previous microphone.
    await this.captions?.stop();
    await this.updateComplete;
    // A room that was paused from elsewhere stays paused, and another speaker keeps the floor.
    if (this.voice === 'ended') this.start();
  };

  private readonly onLanguage = ({ target }: Event): void => {
    if (target instanceof HTMLSelectElement) this.chosenLanguage = target.value;
  };

  private readonly warn = (event: Event): void => {
    if (this.isSpeaking) event.preventDefault();
  };

  // Events of the caption element.

  private readonly onState = ({ detail }: VoiceCaptionsEventMap['vc-statechange']): void => {
    this.voice = detail.state;
    if (detail.state === 'live' && detail.previous !== 'quiet') void this.microphone.list();
    if (!this.isSpeaking) this.showLevel(0);
    if (!this.isPausing) void this.room.reload();
  };

  private readonly onLevel = ({ detail }: VoiceCaptionsEventMap['vc-level']): void =>
    this.showLevel(this.isPausing ? 0 : detail.level);

  private readonly onLag = ({ detail }: VoiceCaptionsEventMap['vc-lag']): void => {
    this.lagMs = detail.lagMs;
  };

  private readonly onError = ({ detail }: VoiceCaptionsEventMap['vc-error']): void => {
    const { code, reasonCode = 0, message } = detail;
    this.failure =
      code === 'server-error'
        ? refusalText(this.words, Math.floor(reasonCode / 10_000), message)
        : message;
    if (detail.reasonCode === SESSION_ENDED) void this.findOutWhy();
  };

  /** Finds out whether the session ended for another speaker or was ended by the operator. */
  private async findOutWhy(): Promise<void> {
    const room = await this.desk.room().catch(() => undefined);
    if (room === undefined || this.isSpeaking) return;
    this.wasTakenOver = this.floor.isTaken(room);
    this.room.set(room);
  }

  /** Returns the name of a track; a language is named in itself. */
  private trackName(name: string) {
    if (name === SPOKEN_TRACK) return html`<span>${this.words.speaker.asSpoken}</span>`;
    return html`<bdi lang=${name}>${languageName(name)}</bdi>`;
  }

  private showLevel(peak: number): void {
    const share = loudnessShare(peak);
    // Set directly instead of by rendering: this runs ten times a second.
    this.level?.style.setProperty('--_level', share.toFixed(2));
    this.level?.setAttribute('aria-valuenow', String(Math.round(share * 100)));
  }
}

customElements.define('speaker-page', SpeakerPage);

declare global {
  interface HTMLElementTagNameMap {
    'speaker-page': SpeakerPage;
  }
}
