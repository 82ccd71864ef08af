import { LitElement, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import { RoomFeed, SPOKEN_TRACK, type RoomFeedEvent } from '../shared/client/room-feed.ts';
import { textDirection, type LanguageTag } from '../shared/language.ts';
import type { RoomLine, RoomMessageOf } from '../shared/protocol/room-messages.ts';
import { roomEvent, type RoomDetail } from './room-events.ts';
import { roomCaptionsStyles } from './room-captions.styles.ts';
import {
  emptyRoomTranscript,
  paragraphStarts,
  receiveRoomMessage,
  withoutTentative,
  type RoomTranscript,
} from './room-transcript.ts';
import { roomWords, type RoomCaptionsState, type RoomWordOverrides } from './room-words.ts';
import { jumpIcon, personIcon } from './views/icons.ts';
import { TranscriptScroll } from './views/transcript-scroll.ts';

/** Shortest interval between two renderings of tentative text, in ms: faster flickers, slower lags. */
const TENTATIVE_INTERVAL_MS = 200;
/** Lines rendered in block mode; a block never shows more. */
const LINES_OF_BLOCK = 12;
/** Lines the reader can scroll back to: some hours of speech. */
const LINES_OF_TRANSCRIPT = 2_000;
/** Silence after which a new paragraph begins, and longest duration of a paragraph. */
const PARAGRAPHS = { pauseMs: 12_000, longestMs: 120_000 };
/** Time for which lines of the previous language stay, faded, while lines of the new one arrive, in ms. */
const FADED_MS = 2_000;
/** Time an announced sentence stays in the live region, in ms, so that it is not met again later. */
const ANNOUNCED_MS = 20_000;
/** Age beyond which a line is not announced, in ms: it is a late translation. */
const NEWS_MS = 120_000;
const FONT_SCALE = { least: 0.5, most: 4 };

/**
 * Captions of a room for readers: a scrolling transcript, or a block of a few lines. Connects by itself, and
 * reconnects after every drop.
 *
 * @fires rc-statechange - The state changed.
 * @fires rc-room - The room changed.
 * @fires rc-entrance - What is public about the room before it is read.
 * @fires rc-caption - Lines or tentative text arrived.
 * @fires rc-language - The room does not have the requested language; the untranslated track is read.
 * @fires rc-scroll - The newest words came into view or left it.
 * @slot empty - In place of the captions before the first line, in any state, and while a passcode is
 *   requested.
 * @csspart base - The frame around everything.
 * @csspart lines - The scrolling block.
 * @csspart caption - One sentence.
 * @csspart tentative - Tentative text, which may still change.
 * @csspart time - Time at which a paragraph begins.
 * @csspart status - Notice over the lines when captions do not arrive.
 * @csspart empty - The same notice before the first line.
 * @csspart button - The button that jumps to the newest words.
 */
export class RoomCaptions extends LitElement {
  static override styles = roomCaptionsStyles;

  /** Address of the room, `https://…/v1/rooms/{id}`, or its link for readers. */
  @property() src = '';
  /** Reader key of a room that is not open to everyone. */
  @property() key = '';
  /** One of the room's languages; the untranslated track when empty. */
  @property() language: LanguageTag = '';
  /** `instant`, or `settled` to hide tentative text. */
  @property() calmness: 'instant' | 'settled' = 'instant';
  /** Height of a block, in lines of text; 0 shows the whole transcript, which scrolls. */
  @property({ type: Number }) lines = 0;
  /** Font scale, 0.5 to 4. */
  @property({ type: Number, attribute: 'font-scale' }) fontScale = 1;
  /** Shows the start time of each paragraph. */
  @property({ type: Boolean }) times = false;
  /** `off` disables announcements to screen readers. */
  @property() announce: '' | 'off' = '';
  /** Hides notices about the connection and the room. */
  @property({ type: Boolean, attribute: 'hide-status' }) hideStatus = false;
  /** Overrides of the built-in wording. */
  @property({ attribute: false }) labels: RoomWordOverrides = {};

  @state() private stateNow: RoomCaptionsState = 'idle';
  @state() private shown: RoomTranscript = emptyRoomTranscript;
  /** Whether the lines still belong to the previous language. */
  @state() private isFaded = false;
  @state() private isAtEnd = true;
  @query('.base') private readonly base!: HTMLElement;
  @query('.lines') private readonly block!: HTMLElement;
  @query('[role="log"]') private readonly log!: HTMLElement;

  private feed: RoomFeed | undefined;
  private room: RoomDetail | undefined;
  private transcriptNow: RoomTranscript = emptyRoomTranscript;
  private readonly scroller = new TranscriptScroll((isAtEnd) => {
    this.isAtEnd = isAtEnd;
    this.dispatchEvent(roomEvent('rc-scroll', { isAtEnd }));
  });
  private tentativeTimer: ReturnType<typeof setTimeout> | undefined;
  private fadeTimer: ReturnType<typeof setTimeout> | undefined;
  /**
   * Smallest delay of a line so far, in ms, on this device's monotonic clock. Cancels out the difference of the
   * clocks; a wall clock that is corrected meanwhile would make every line late.
   */
  private lateMs = Infinity;
  /** Default of each property, restored when a page removes its value. */
  private readonly defaults: Readonly<Partial<this>> = Object.fromEntries(
    [...RoomCaptions.elementProperties.keys()].map((name) => [name, this[name as keyof this]]),
  ) as Partial<this>;

  /** State of the element. */
  get state(): RoomCaptionsState {
    return this.stateNow;
  }

  /** The room, once it is known. */
  get roomDetail(): RoomDetail | undefined {
    return this.room;
  }

  /** The track that is read: `spoken`, or a language. */
  get track(): string {
    return this.feed?.language ?? (this.language || SPOKEN_TRACK);
  }

  /** Lines of the room, oldest first. */
  get transcript(): readonly RoomLine[] {
    return this.transcriptNow.lines;
  }

  /** Scrolls to the newest words. */
  jumpToNow(): void {
    this.scroller.toEnd();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated && this.feed === undefined) this.connect();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // Moving an element within the page disconnects it for a moment; that must not end the connection.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.disconnect();
      this.scroller.stop();
    });
  }

  protected override willUpdate(changed: PropertyValues<RoomCaptions>): void {
    this.fallBack();
    if (changed.has('src')) this.connect();
    else if (changed.has('key') && changed.get('key') !== undefined) this.feed?.setKey(this.key);
    const { language, calmness } = this;
    if (changed.has('language') || changed.has('calmness')) {
      this.feed?.watch({ language: language || SPOKEN_TRACK, calmness });
      if (calmness === 'settled') this.show(withoutTentative(this.transcriptNow));
    }
  }

  protected override update(changed: PropertyValues): void {
    this.scroller.remember();
    super.update(changed);
    this.scroller.restore();
  }

  protected override updated(): void {
    // Set through the object model: a style attribute would violate a strict content security policy.
    const scale = Math.min(FONT_SCALE.most, Math.max(FONT_SCALE.least, this.fontScale || 1));
    this.base.style.setProperty('--_scale', String(scale));
    this.base.style.setProperty('--_lines', String(this.lines));
    this.scroller.watch(this.block);
    this.scroller.restore();
  }

  protected override render(): TemplateResult {
    const words = this.words();
    const isBlock = this.lines > 0;
    // The passcode form takes the place of the lines.
    const { lines, tentative } = this.stateNow === 'locked' ? emptyRoomTranscript : this.shown;
    const isEmpty = lines.length === 0 && tentative === '';
    const isBare = isEmpty && this.hideStatus;
    const rows = isBlock ? LINES_OF_BLOCK : LINES_OF_TRANSCRIPT;
    return html`<section
      part="base"
      class="base ${isBlock ? 'block' : 'whole'} ${isBare ? 'bare' : ''} ${this.isAtEnd ? '' : 'back'}"
      aria-label=${words.region}
    >
      <div
        part="lines"
        class="lines ${this.isFaded ? 'faded' : ''}"
        role="group"
        aria-label=${words.region}
        tabindex=${isBlock || isEmpty ? nothing : 0}
        @scroll=${this.scroller.onScroll}
      >
        <div class="flow">
          ${guard([lines, rows, this.times, words.byPerson], () => this.linesView(lines, rows))}
          ${this.tentativeView(tentative)}
        </div>
      </div>
      ${isEmpty ? this.emptyView() : nothing} ${isEmpty ? nothing : this.statusView()}
      ${
        isBlock || this.isAtEnd
          ? nothing
          : html`<button part="button" class="jump" @click=${() => this.jumpToNow()}>
              ${jumpIcon}<bdi>${words.jump}</bdi>
            </button>`
      }
      <div class="heard" role="log" aria-live="polite" aria-label=${words.announcements}></div>
    </section>`;
  }

  /** Restores defaults: removing an attribute sets null, and frameworks set undefined. */
  private fallBack(): void {
    const given = this as Record<string, unknown>;
    for (const [name, value] of Object.entries(this.defaults)) given[name] ??= value;
  }

  private linesView(all: readonly RoomLine[], rows: number): unknown {
    const lines = all.slice(-rows);
    const starts = this.times ? paragraphStarts(all, PARAGRAPHS) : undefined;
    const { byPerson } = this.words();
    return repeat(
      lines,
      ({ line }) => line,
      (line) => lineView(line, { startsParagraph: starts?.has(line.line) === true, byPerson }),
    );
  }

  private tentativeView(tentative: string): TemplateResult | typeof nothing {
    if (tentative === '') return nothing;
    const language = this.tentativeLanguage();
    return html`<p
      part="caption"
      class="caption"
      lang=${language}
      dir=${textDirection(language)}
      aria-hidden="true"
    >
      <span part="tentative" class="words tentative">${tentative}</span>
    </p>`;
  }

  private emptyView(): TemplateResult {
    const { title, hint } = this.words().states[this.stateNow];
    const words = this.hideStatus
      ? nothing
      : html`<p class="title"><bdi>${title}</bdi></p>
          <p class="hint"><bdi>${hint}</bdi></p>`;
    return html`<div part="empty" class="empty" role="status">
      <slot name="empty">${words}</slot>
    </div>`;
  }

  private statusView(): TemplateResult | typeof nothing {
    if (this.hideStatus) return nothing;
    const isFine = ['idle', 'connecting', 'waiting', 'live'].includes(this.stateNow);
    const { title, hint } = this.words().states[this.stateNow];
    return html`<p part="status" class="status" role="status" ?hidden=${isFine}>
      ${isFine ? nothing : html`<b><bdi>${title}</bdi></b> <bdi>${hint}</bdi>`}
    </p>`;
  }

  private words(): ReturnType<typeof roomWords> {
    const language = this.track === SPOKEN_TRACK ? languageAround(this) : this.track;
    return roomWords(language, this.labels);
  }

  /**
   * Returns the language of tentative text: the track's, or for the untranslated track the last one heard.
   */
  private tentativeLanguage(): LanguageTag {
    if (this.track !== SPOKEN_TRACK) return this.track;
    return this.transcriptNow.lines.at(-1)?.language ?? this.room?.source_language ?? 'en';
  }

  private connect(): void {
    this.disconnect();
    this.transcriptNow = this.shown = emptyRoomTranscript;
    this.lateMs = Infinity;
    // An element outside the page connects when it is put there.
    const address = this.isConnected ? roomAddress(this.src) : undefined;
    if (address === undefined) return;
    const feed: RoomFeed = new RoomFeed({
      url: address.url,
      key: this.key || address.key,
      language: this.language || SPOKEN_TRACK,
      calmness: this.calmness,
      onEvent: (event) => {
        if (this.feed === feed) this.take(event);
      },
    });
    this.feed = feed;
    this.changeState('connecting');
  }

  private disconnect(): void {
    const { feed } = this;
    this.feed = undefined;
    feed?.close();
    this.room = undefined;
    clearTimeout(this.fadeTimer);
    this.changeState('idle');
  }

  private take(event: RoomFeedEvent): void {
    if (event.type === 'state') this.takeState(event.state);
    else if (event.type === 'entrance')
      this.dispatchEvent(roomEvent('rc-entrance', event.entrance));
    else if (event.type === 'language') {
      this.dispatchEvent(roomEvent('rc-language', { language: event.language }));
    } else if (event.type === 'room') {
      this.room = event;
      this.changeState(event.state as RoomCaptionsState);
      this.dispatchEvent(roomEvent('rc-room', event));
      this.requestUpdate();
    } else if (event.type === 'history' || event.type === 'captions') this.takeLines(event);
  }

  private takeState(next: RoomFeed['state']): void {
    if (next === 'closed') return;
    // An open feed first reports the room, whose state then replaces this one.
    if (next !== 'open') this.changeState(next);
    else if (this.room !== undefined) this.changeState(this.room.state as RoomCaptionsState);
    if (next !== 'open') this.show(withoutTentative(this.transcriptNow));
  }

  private takeLines(message: RoomMessageOf<'history' | 'captions'>): void {
    const { transcript, added } = receiveRoomMessage(this.transcriptNow, message);
    const { language, lines } = message;
    for (const { end_time: endMs } of lines)
      this.lateMs = Math.min(this.lateMs, performance.now() - endMs);
    const { tentative } = transcript;
    const isTentative = lines.length === 0 && message.type === 'captions';
    const isBare = transcript.lines.length === 0 && tentative === '';
    if (isBare && this.shown.lines.length > 0 && message.type === 'history') this.fade(transcript);
    else if (isTentative) this.showSoon(transcript);
    else this.show(transcript);
    this.dispatchEvent(roomEvent('rc-caption', { language, lines, added, tentative }));
    if (this.hasUpdated && this.announce !== 'off') for (const line of added) this.read(line);
  }

  private show(transcript: RoomTranscript): void {
    clearTimeout(this.tentativeTimer);
    clearTimeout(this.fadeTimer);
    this.tentativeTimer = undefined;
    this.transcriptNow = this.shown = transcript;
    this.isFaded = false;
  }

  private showSoon(transcript: RoomTranscript): void {
    this.transcriptNow = transcript;
    this.tentativeTimer ??= setTimeout(() => this.show(this.transcriptNow), TENTATIVE_INTERVAL_MS);
  }

  /** Fades the shown lines and empties the transcript, unless new lines arrive within FADED_MS. */
  private fade(transcript: RoomTranscript): void {
    this.transcriptNow = transcript;
    this.isFaded = true;
    this.fadeTimer = setTimeout(() => this.show(this.transcriptNow), FADED_MS);
  }

  private read({ text, language, end_time: endMs }: RoomLine): void {
    if (performance.now() - endMs - this.lateMs > NEWS_MS) return;
    const paragraph = document.createElement('p');
    paragraph.lang = language;
    paragraph.dir = textDirection(language);
    paragraph.textContent = text;
    this.log.append(paragraph);
    setTimeout(() => paragraph.remove(), ANNOUNCED_MS);
  }

  private changeState(next: RoomCaptionsState): void {
    const previous = this.stateNow;
    if (next === previous) return;
    this.stateNow = next;
    this.dispatchEvent(roomEvent('rc-statechange', { state: next, previous }));
  }
}

const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });

function lineView(
  { text, language, start_time: startMs, by }: RoomLine,
  { startsParagraph, byPerson }: { startsParagraph: boolean; byPerson: string },
): TemplateResult {
  const at = new Date(startMs);
  return html`<p
    part="caption"
    class="caption ${startsParagraph ? 'first' : ''}"
    lang=${language}
    dir=${textDirection(language)}
  >
    ${
      startsParagraph
        ? html`<time part="time" class="time" datetime=${at.toISOString()}
            ><bdi>${clock.format(at)}</bdi></time
          >`
        : nothing
    }<span class="words">${text}</span>${
      by === 'person'
        ? html`<span class="person" role="img" aria-label=${byPerson} title=${byPerson}
            >${personIcon}</span
          >`
        : nothing
    }
  </p>`;
}

/** Returns the language of the page around an element, also from inside shadow roots. */
function languageAround(element: Element): LanguageTag {
  for (let inner = element; ;) {
    const found = inner.closest<HTMLElement>('[lang]')?.lang;
    const root = inner.getRootNode();
    if (found !== undefined || !(root instanceof ShadowRoot)) return found ?? 'en';
    inner = root.host;
  }
}

/** Parses the address of a room or its link for readers; returns undefined for any other address. */
function roomAddress(src: string): { url: string; key: string } | undefined {
  if (src === '' || !URL.canParse(src, document.baseURI)) return undefined;
  const { origin, pathname, hash } = new URL(src, document.baseURI);
  const key = new URLSearchParams(hash.slice(1)).get('key') ?? '';
  const [, base = '', id] = /^(.*)\/(?:v1\/rooms|events)\/([^/]+)/.exec(pathname) ?? [];
  return id === undefined ? undefined : { url: `${origin}${base}/v1/rooms/${id}`, key };
}

declare global {
  interface HTMLElementTagNameMap {
    'room-captions': RoomCaptions;
  }
}

// Two scripts of one page may both define the element; the first definition stays.
if (customElements.get('room-captions') === undefined) {
  customElements.define('room-captions', RoomCaptions);
}
