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

/** Tentative text is shown this seldom, in ms: faster it flickers, slower it drags. */
const TENTATIVE_INTERVAL_MS = 200;
/** What stands in a block of few lines; more is never seen of it. */
const LINES_OF_BLOCK = 12;
/** What one can scroll back to: some hours of talking. */
const LINES_OF_TRANSCRIPT = 2_000;
/** A new paragraph begins after so long a silence, and every so often. */
const PARAGRAPHS = { pauseMs: 12_000, longestMs: 120_000 };
/** Lines in another language may take a moment: until then the ones before stay, faded. */
const FADED_MS = 2_000;
/** Sentences are taken away from the live region again, so that nobody hears them twice. */
const ANNOUNCED_MS = 20_000;
/** What was said longer ago is not read out: it is a late translation. */
const NEWS_MS = 120_000;
const FONT_SCALE = { least: 0.5, most: 4 };

/**
 * What is said in a room, to read along: as a transcript that scrolls, or as a block of a few lines. It
 * connects by itself, and again after every drop.
 *
 * @fires rc-statechange - The state changed.
 * @fires rc-room - The room, whenever something of it changes.
 * @fires rc-entrance - What may be known of the room before it is read.
 * @fires rc-caption - Lines came, or words that may still change.
 * @fires rc-language - The room does not have the language; what is said itself is read.
 * @fires rc-scroll - The newest words came into view, or went out of it.
 * @slot empty - In place of the captions before the first line, whatever the state, and while a passcode is asked for.
 * @csspart base - The frame around everything.
 * @csspart lines - What scrolls.
 * @csspart caption - One sentence.
 * @csspart tentative - Words that may still change.
 * @csspart time - When a paragraph begins.
 * @csspart status - What to know where captions do not come, over the lines.
 * @csspart empty - The same before the first line.
 * @csspart button - The button that leads to the newest words.
 */
export class RoomCaptions extends LitElement {
  static override styles = roomCaptionsStyles;

  /** Address of the room, `https://…/v1/rooms/{id}`, or its link for readers. */
  @property() src = '';
  /** Where the room is not open to everyone. */
  @property() key = '';
  /** One of the room's languages; what is said itself when empty. */
  @property() language: LanguageTag = '';
  /** `instant`, or `settled`: nothing that may still change. */
  @property() calmness: 'instant' | 'settled' = 'instant';
  /** Height of a block, in lines of text; 0: all that was said, which scrolls. */
  @property({ type: Number }) lines = 0;
  /** 0.5 to 4. */
  @property({ type: Number, attribute: 'font-scale' }) fontScale = 1;
  /** Shows when each paragraph began, where all is shown. */
  @property({ type: Boolean }) times = false;
  /** `off`: screen readers are not told what is said. */
  @property() announce: '' | 'off' = '';
  /** Says nothing about the connection and the room. */
  @property({ type: Boolean, attribute: 'hide-status' }) hideStatus = false;
  /** Other words for what is not a caption. */
  @property({ attribute: false }) labels: RoomWordOverrides = {};

  @state() private stateNow: RoomCaptionsState = 'idle';
  @state() private shown: RoomTranscript = emptyRoomTranscript;
  /** The lines are of the language before. */
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
  /** How late lines come at the least, in ms, by the clock of this device: it may be wrong. */
  private lateMs = Infinity;

  /** What the element is doing. */
  get state(): RoomCaptionsState {
    return this.stateNow;
  }

  /** The room, once it is known. */
  get roomDetail(): RoomDetail | undefined {
    return this.room;
  }

  /** What is read: `spoken`, or a language. */
  get track(): string {
    return this.feed?.language ?? (this.language || SPOKEN_TRACK);
  }

  /** What was said, oldest first. */
  get transcript(): readonly RoomLine[] {
    return this.transcriptNow.lines;
  }

  /** Leads to the newest words. */
  jumpToNow(): void {
    this.scroller.toEnd();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated && this.feed === undefined) this.connect();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // Moving an element takes it out of the page for a moment; that must not end the connection.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.disconnect();
      this.scroller.stop();
    });
  }

  protected override willUpdate(changed: PropertyValues<RoomCaptions>): void {
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
    // Through the object model: a style attribute would break a strict content security policy.
    const scale = Math.min(FONT_SCALE.most, Math.max(FONT_SCALE.least, this.fontScale || 1));
    this.base.style.setProperty('--_scale', String(scale));
    this.base.style.setProperty('--_lines', String(this.lines));
    this.scroller.watch(this.block);
    this.scroller.restore();
  }

  protected override render(): TemplateResult {
    const words = this.words();
    const isBlock = this.lines > 0;
    // What asks for the passcode takes the place of what was read.
    const { lines, tentative } = this.stateNow === 'locked' ? emptyRoomTranscript : this.shown;
    const isEmpty = lines.length === 0 && tentative === '';
    const rows = isBlock ? LINES_OF_BLOCK : LINES_OF_TRANSCRIPT;
    return html`<section
      part="base"
      class="base ${isBlock ? 'block' : 'whole'} ${isEmpty ? 'bare' : ''} ${this.isAtEnd ? '' : 'back'}"
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
    const page = this.closest<HTMLElement>('[lang]')?.lang ?? 'en';
    return roomWords(this.track === SPOKEN_TRACK ? page : this.track, this.labels);
  }

  /** What is being said is in the language of the track; of what is said itself, in the last one heard. */
  private tentativeLanguage(): LanguageTag {
    if (this.track !== SPOKEN_TRACK) return this.track;
    return this.transcriptNow.lines.at(-1)?.language ?? this.room?.source_language ?? 'en';
  }

  private connect(): void {
    this.disconnect();
    this.transcriptNow = this.shown = emptyRoomTranscript;
    this.lateMs = Infinity;
    const address = roomAddress(this.src);
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
    // What is open says at once how the room is.
    if (next !== 'open') this.changeState(next);
    else if (this.room !== undefined) this.changeState(this.room.state as RoomCaptionsState);
    if (next !== 'open') this.show(withoutTentative(this.transcriptNow));
  }

  private takeLines(message: RoomMessageOf<'history' | 'captions'>): void {
    const { transcript, added } = receiveRoomMessage(this.transcriptNow, message);
    const { language, lines } = message;
    for (const { end_time: endMs } of lines)
      this.lateMs = Math.min(this.lateMs, Date.now() - endMs);
    const { tentative } = transcript;
    const isTentative = lines.length === 0 && message.type === 'captions';
    this.dispatchEvent(roomEvent('rc-caption', { language, lines, added, tentative }));
    const isBare = transcript.lines.length === 0 && tentative === '';
    if (isBare && this.shown.lines.length > 0 && message.type === 'history') this.fade(transcript);
    else if (isTentative) this.showSoon(transcript);
    else this.show(transcript);
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

  /** Shows an empty transcript, unless something of it comes in a moment. */
  private fade(transcript: RoomTranscript): void {
    this.transcriptNow = transcript;
    this.isFaded = true;
    this.fadeTimer = setTimeout(() => this.show(this.transcriptNow), FADED_MS);
  }

  private read({ text, language, end_time: endMs }: RoomLine): void {
    if (Date.now() - endMs - this.lateMs > NEWS_MS) return;
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

/** Where a room is read, from its address or from its link for readers; undefined of what is neither. */
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

// Two scripts of one page may both bring the element; the first stays.
if (customElements.get('room-captions') === undefined) {
  customElements.define('room-captions', RoomCaptions);
}
