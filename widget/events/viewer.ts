/** Viewer page: shows the captions of a room to a reader, in a language the reader chooses. */
import { LitElement, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, query, state } from 'lit/decorators.js';
import { enterRoom, SPOKEN_TRACK } from '../../shared/client/room-feed.ts';
import { languageSpelling, textDirection, type LanguageTag } from '../../shared/language.ts';
import type { RoomEntrance } from '../../shared/schemas/rooms.ts';
import { singlePress } from '../page/single-press.ts';
import '../room-captions.ts';
import type { RoomCaptions } from '../room-captions.ts';
import type { RoomCaptionDetail, RoomDetail } from '../room-events.ts';
import { roomWords, type RoomCaptionsState } from '../room-words.ts';
import { languageName } from '../views/captions.ts';
import { settingsView } from './viewer-settings.ts';
import { LinePlayer } from './line-player.ts';
import {
  keepChoices,
  keepRoomChoices,
  readableLanguage,
  readChoices,
  readRoomChoices,
  type ReaderChoices,
} from './reader-choices.ts';
import { placeOf, placeOfPage } from './room-address.ts';
import { ScreenLock } from './screen-lock.ts';
import { listenIcon, globeIcon, textIcon } from './viewer-icons.ts';
import { viewerLanguages, viewerWords, type ViewerWords } from './viewer-words.ts';

/** States without anything to read, for want of a key or of a room. */
const shutStates: readonly RoomCaptionsState[] = ['locked', 'refused', 'gone'];

/** Page colours, as viewer.css defines them. */
const barColours = { light: '#f6f5f1', dark: '#0e1213', strong: '#000000' } as const;

/** Event with which a browser offers to install the page. */
interface InstallOffer extends Event {
  prompt(): Promise<unknown>;
}

@customElement('room-viewer')
class RoomViewer extends LitElement {
  @state() private choices: ReaderChoices = readChoices();
  @state() private language = '';
  @state() private roomState: RoomCaptionsState = 'connecting';
  @state() private entrance: RoomEntrance | undefined;
  @state() private room: RoomDetail | undefined;
  @state() private key = '';
  /** Why the last passcode was refused. */
  @state() private refusal: 'wrong' | 'too-often' | 'unreachable' | undefined;
  @state() private isEntering = false;
  @state() private installOffer: InstallOffer | undefined;
  @query('room-captions') private readonly captions!: RoomCaptions;
  @query('dialog') private readonly dialog!: HTMLDialogElement;

  private readonly place = placeOfPage();
  private readonly lock = new ScreenLock(() => this.requestUpdate());
  private readonly player = new LinePlayer(() => this.requestUpdate());

  constructor() {
    super();
    const { language, key } = readRoomChoices(this.place.roomId);
    this.key = this.place.key || key || '';
    this.language = languageSpelling(this.place.query.get('language') ?? language ?? '');
    if (this.place.key !== '') this.keepRoom();
    addEventListener('beforeinstallprompt', (event) => {
      event.preventDefault();
      this.installOffer = event as InstallOffer;
    });
    addEventListener('appinstalled', () => (this.installOffer = undefined));
    this.show(this.choices);
  }

  /** Renders without a shadow root: the page has a single style sheet. */
  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override willUpdate(): void {
    const root = document.documentElement;
    root.dataset['theme'] = this.choices.theme;
    root.lang = this.uiLanguage();
    root.dir = textDirection(root.lang);
    const name = this.room?.name ?? this.entrance?.name;
    if (name !== undefined) document.title = name;
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('roomState')) void this.moveFocus(changed.get('roomState'));
    // The browser's bar follows the theme, because it shines in a dark hall as well.
    const { theme } = this.choices;
    document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]').forEach((meta) => {
      const system = meta.media.includes('dark') ? 'dark' : 'light';
      meta.content = barColours[theme === 'automatic' ? system : theme];
    });
  }

  /** Moves the focus to the passcode field when it appears, and to the heading when the field goes. */
  private async moveFocus(before: unknown): Promise<void> {
    if (this.roomState !== 'locked' && before !== 'locked') return;
    await this.captions.updateComplete;
    const place = this.roomState === 'locked' ? '[name=passcode]' : '.head h1';
    this.renderRoot.querySelector<HTMLElement>(place)?.focus({ preventScroll: true });
  }

  protected override firstUpdated(): void {
    this.captions.src = this.place.src;
  }

  protected override render(): TemplateResult {
    const words = this.words();
    const isShut = shutStates.includes(this.roomState);
    const anyName = isShut ? roomWords(this.uiLanguage()).region : undefined;
    const name = this.room?.name ?? this.entrance?.name ?? anyName;
    return html`
      <header class="head">
        <h1
          dir="auto"
          tabindex="-1"
          class=${this.roomState === 'locked' ? 'behind' : ''}
          ?hidden=${name === undefined}
        >
          ${name}
        </h1>
        ${this.stateView(words)}
      </header>
      <main>
        <room-captions
          times
          .key=${this.key}
          .language=${this.language === SPOKEN_TRACK ? '' : this.language}
          .calmness=${this.choices.calmness}
          .fontScale=${this.choices.fontScale}
          .announce=${this.isListening ? 'off' : ''}
          @rc-entrance=${({ detail }: CustomEvent<RoomEntrance>) => this.takeEntrance(detail)}
          @rc-room=${({ detail }: CustomEvent<RoomDetail>) => (this.room = detail)}
          @rc-statechange=${({ detail }: CustomEvent<{ state: RoomCaptionsState }>) =>
            (this.roomState = detail.state)}
          @rc-caption=${({ detail }: CustomEvent<RoomCaptionDetail>) => this.takeCaption(detail)}
          @rc-language=${() => this.stopListening()}
          >${this.roomState === 'locked' ? this.passcodeView(words) : nothing}</room-captions
        >
        ${this.noticeView(words)}
      </main>
      <nav class="bar" aria-label=${words.settings} ?hidden=${isShut}>
        ${this.languageView(words)} ${this.listenView(words)}
        <button
          class="round"
          aria-label=${words.settings}
          title=${words.settings}
          aria-haspopup="dialog"
          @click=${() => this.dialog.showModal()}
        >
          ${textIcon}
        </button>
      </nav>
      ${settingsView({
        words,
        choices: this.choices,
        lock: this.lock.state,
        canInstall: this.installOffer !== undefined,
        onChange: (changes) => this.change(changes),
        onInstall: () => void this.installOffer?.prompt(),
      })}
    `;
  }

  private stateView(words: ViewerWords): TemplateResult | typeof nothing {
    const texts: Partial<Record<RoomCaptionsState, string>> = {
      connecting: words.connecting,
      waiting: words.waiting,
      live: words.live,
      paused: words.paused,
      reconnecting: words.connecting,
      offline: words.offline,
      full: words.waiting,
      gone: words.closed,
    };
    const text = texts[this.roomState];
    if (text === undefined) return nothing;
    return html`<p class="state ${this.roomState}"><i aria-hidden="true"></i>${text}</p>`;
  }

  private languageView(words: ViewerWords): TemplateResult {
    const offered = this.room?.languages ?? this.entrance?.languages ?? [];
    const track = this.track();
    const source = this.room?.source_language;
    const names = offered
      .map((tag) => ({ tag, name: languageName(tag) }))
      .toSorted((a, b) => a.name.localeCompare(b.name));
    const original =
      source === undefined ? words.original : `${words.original} (${languageName(source)})`;
    return html`<div class="language">
      ${globeIcon}
      <select aria-label=${words.language} @change=${(event: Event) => this.chooseLanguage(event)}>
        <option value=${SPOKEN_TRACK} .selected=${track === SPOKEN_TRACK}>${original}</option>
        ${names.map(
          ({ tag, name }) =>
            html`<option value=${tag} lang=${tag} .selected=${tag === track}>${name}</option>`,
        )}
      </select>
    </div>`;
  }

  private listenView(words: ViewerWords): TemplateResult | typeof nothing {
    const hasVoice = this.room?.spoken_languages.includes(this.track()) === true;
    if (!hasVoice) return nothing;
    const name = this.isListening ? words.stopListening : words.listen;
    return html`<button
      class="listen ${this.player.state}"
      aria-pressed=${this.isListening ? 'true' : 'false'}
      @click=${singlePress(() => (this.isListening ? this.stopListening() : this.startListening()))}
    >
      ${listenIcon}<bdi>${name}</bdi>
    </button>`;
  }

  private noticeView(words: ViewerWords): TemplateResult {
    const { state: listening } = this.player;
    const text =
      listening === 'failed'
        ? words.listenFailed
        : listening === 'blocked'
          ? words.listenBlocked
          : '';
    return html`<p class="notice" role="status" ?hidden=${text === ''}>${text}</p>`;
  }

  private passcodeView(words: ViewerWords): TemplateResult {
    const messages = {
      wrong: words.wrongPasscode,
      'too-often': words.tooOften,
      unreachable: words.unreachable,
    };
    const message = this.refusal === undefined ? '' : messages[this.refusal];
    return html`<form
      slot="empty"
      class="passcode"
      @submit=${(event: SubmitEvent) => void this.enter(event)}
    >
      <h2><bdi>${this.entrance?.name ?? ''}</bdi></h2>
      <label>
        ${words.passcode}
        <input
          name="passcode"
          required
          maxlength="64"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          enterkeyhint="go"
          aria-invalid=${this.refusal === 'wrong' ? 'true' : 'false'}
          aria-describedby="refusal"
        />
      </label>
      <p id="refusal" role="alert">${message}</p>
      <button class="main" ?disabled=${this.isEntering}>${words.enter}</button>
    </form>`;
  }

  private get isListening(): boolean {
    return this.player.state === 'waiting' || this.player.state === 'playing';
  }

  /** The track that is read; the chosen one until the room's languages are known. */
  private track(): string {
    const offered = this.room?.languages ?? this.entrance?.languages;
    if (this.language === '' || offered?.includes(this.language) === false) return SPOKEN_TRACK;
    return this.language;
  }

  /** Returns the language of the page: the track's if the page has it, else one of the browser's. */
  private uiLanguage(): LanguageTag {
    const track = this.track();
    const wanted = track === SPOKEN_TRACK ? navigator.languages : [track, ...navigator.languages];
    return readableLanguage(viewerLanguages, wanted) ?? 'en';
  }

  private words(): ViewerWords {
    return viewerWords(this.uiLanguage());
  }

  /** Picks a language of the browser for a reader who has not chosen any. */
  private takeEntrance(entrance: RoomEntrance): void {
    this.entrance = entrance;
    if (this.language !== '' || entrance.languages === undefined) return;
    const found = readableLanguage(entrance.languages, navigator.languages);
    if (found === undefined) return;
    this.language = found;
    // Set directly, so that it is in place before the element connects.
    this.captions.language = found;
  }

  private takeCaption({ added }: RoomCaptionDetail): void {
    this.player.add(added);
  }

  private chooseLanguage({ target }: Event): void {
    this.language = (target as HTMLSelectElement).value;
    this.stopListening();
    this.keepRoom();
    // Otherwise a reload would bring the previous language back from the address.
    const { query: parameters } = this.place;
    if (!parameters.has('language')) return;
    parameters.set('language', this.language);
    history.replaceState(null, '', `?${parameters.toString()}${location.hash}`);
  }

  private startListening(): void {
    const newest = this.captions.transcript.at(-1)?.line ?? 0;
    const { src } = this.place;
    this.player.start({ src, key: this.key, language: this.track() }, newest);
  }

  private stopListening(): void {
    this.player.stop();
  }

  private async enter(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const passcode = new FormData(event.target as HTMLFormElement).get('passcode');
    if (typeof passcode !== 'string' || this.isEntering) return;
    this.isEntering = true;
    this.refusal = undefined;
    const answer = await enterRoom(this.place.src, passcode);
    this.isEntering = false;
    if ('refused' in answer) {
      // The room has been opened to everyone in the meantime, or closed, or deleted.
      if (answer.refused === 'unneeded') location.reload();
      else this.refusal = answer.refused;
      return;
    }
    this.key = answer.key;
    this.keepRoom();
  }

  private change(changes: Partial<ReaderChoices>): void {
    this.choices = { ...this.choices, ...changes };
    keepChoices(this.choices);
    this.show(this.choices);
  }

  private show({ keepAwake }: ReaderChoices): void {
    this.lock.want(keepAwake);
  }

  private keepRoom(): void {
    const { key, language } = this;
    keepRoomChoices(this.place.roomId, {
      ...(key !== '' && { key }),
      ...(language !== '' && { language }),
    });
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'room-viewer': RoomViewer;
  }
}

const { roomId, pages, assets } = placeOf(location.href);

/** Links a resource of the current room in the document head. */
function link(rel: string, href: string): void {
  const element = document.createElement('link');
  element.rel = rel;
  element.href = href;
  document.head.append(element);
}
link('icon', `${assets}icon-192.png`);
link('apple-touch-icon', `${assets}icon-maskable-512.png`);
link('manifest', `${pages}${roomId}/manifest.webmanifest`);

// On the next visit the page also opens without a network.
if ('serviceWorker' in navigator) {
  navigator.serviceWorker
    .register(`${assets}service-worker.js`, { scope: pages })
    .catch(() => undefined);
}
