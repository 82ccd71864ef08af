/** Captioner page: types and corrects the captions of a room, entirely by keyboard. */
import { LitElement, html, nothing } from 'lit';
import { query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { SPOKEN_TRACK, type RoomFeedState } from '../../shared/client/room-feed.ts';
import { textDirection } from '../../shared/language.ts';
import { baseStyles } from '../console/parts/base.styles.ts';
import { icons } from '../console/parts/icons.ts';
import { Loaded } from '../console/parts/states.ts';
import { isComposed } from '../page/composition.ts';
import { wholeNumber } from '../page/numbers.ts';
import { announce, languageName } from '../views/captions.ts';
import { CaptionOutbox, MAX_CHARACTERS, type WaitingLine } from './caption-outbox.ts';
import {
  captionRows,
  draftAfter,
  withDraft,
  type CaptionRow,
  type Draft,
  type Drafts,
} from './caption-rows.ts';
import { aboutRow, connectionView } from './captioner-notes.ts';
import { captionerStyles } from './captioner.styles.ts';
import {
  deskHead,
  deskStyles,
  deskWithoutRoom,
  LOOK_EVERY_MS,
  speakLanguageOfBrowser,
} from './desk-frame.ts';
import { failureText } from './desk-words.ts';
import { FollowedTrack } from './followed-track.ts';
import { placeOfPage } from './room-address.ts';
import { isFinal, openDesk, type RoomAtDesk } from './room-desk.ts';

/** Rows that can be corrected: some minutes of speech. */
const MOST_ROWS = 60;
/** Distance from its end within which the list counts as at its end, in px. */
const END_PX = 24;

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
/** For the names of fields: several lines are said within a minute. */
const exactClock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export class CaptionerPage extends LitElement {
  static override styles = [baseStyles, deskStyles, captionerStyles];

  /** Language that is written; at first the spoken track. */
  @state() private language: string = SPOKEN_TRACK;
  @state() private feedState: RoomFeedState = 'connecting';
  @state() private drafts: Drafts = new Map();
  /** Null until the room has loaded. */
  @query('.rows') private readonly list!: HTMLElement | null;
  @query('#new-line') private readonly composer!: HTMLTextAreaElement | null;
  @query('[role="log"]') private readonly log!: HTMLElement | null;

  private readonly words = speakLanguageOfBrowser('captioner').words;
  private readonly place = placeOfPage();
  private readonly desk = openDesk(this.place, this.words);
  private readonly outbox = new CaptionOutbox(this, this.desk);
  private readonly room = new Loaded<RoomAtDesk>(this, {
    load: ({ signal }) => this.desk.room(signal),
    everyMs: LOOK_EVERY_MS,
  });
  private spoken: FollowedTrack | undefined;
  /** The written track, if it is another than the spoken one. */
  private written: FollowedTrack | undefined;
  /** Language of the new line, if the room has lost it since the line was begun. */
  @state() private lostLanguage: string | undefined;
  private wasAtEnd = true;

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('beforeunload', this.warn);
    this.spoken = this.follow(SPOKEN_TRACK);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('beforeunload', this.warn);
    this.spoken?.close();
    this.written?.close();
    this.spoken = this.written = undefined;
  }

  protected override willUpdate(): void {
    // The page may know that the room has lost the language before the track does.
    const isLost = this.room.value?.languages.includes(this.language) === false;
    if (isLost && this.language !== SPOKEN_TRACK) this.leave(this.language);
  }

  protected override update(changed: Map<PropertyKey, unknown>): void {
    this.wasAtEnd = this.isAtEnd();
    super.update(changed);
  }

  protected override updated(): void {
    // A user who reads or corrects an earlier line keeps it in view.
    if (this.wasAtEnd && this.list !== null) this.list.scrollTop = this.list.scrollHeight;
    const { name } = this.room.value ?? {};
    if (name !== undefined) document.title = `${name} · ${this.words.roles.captioner}`;
    if (isFinal(this.room.failure)) this.spoken?.close();
  }

  protected override render() {
    const absent = deskWithoutRoom(this.words, this.room);
    const room = this.room.value;
    if (absent !== undefined || room === undefined) return absent;
    const words = this.words.captioner;
    const rows = this.rows(room);
    return html`<main class="page captioner">
      ${deskHead(this.words, room, 'captioner')}
      <section class="card sheet" aria-label=${words.captions}>
        <div class="top">
          ${this.languageView(room)} ${connectionView(words, this.feedState)}
          <p class="keys" aria-hidden="true">
            <kbd>Enter</kbd> ${words.keys.sends} <kbd>Esc</kbd> ${words.keys.undoes}
            <kbd>↑</kbd> ${words.keys.editsLast}
          </p>
        </div>
        <ol
          class="rows plain ${this.written === undefined ? '' : 'paired'}"
          aria-label=${words.lines}
        >
          ${
            rows.length === 0 && this.outbox.lines.length === 0
              ? html`<li class="nothing">${words.nothingYet}</li>`
              : repeat(
                  rows,
                  ({ line }) => line,
                  (row) => this.rowView(row),
                )
          }
          ${repeat(
            this.outbox.lines,
            ({ id }) => id,
            (sending) => this.sendingView(sending),
          )}
        </ol>
        ${this.composerView(room)}
      </section>
      <div class="unseen" role="log" aria-live="polite" aria-label=${words.whatWasSaid}></div>
    </main>`;
  }

  private languageView({ languages }: RoomAtDesk) {
    return html`<div class="field language">
      <label for="language">${this.words.captioner.youWrite}</label>
      <select id="language" @change=${this.onLanguage}>
        <option value=${SPOKEN_TRACK} .selected=${this.language === SPOKEN_TRACK}>
          ${this.words.captioner.whatIsSaid}
        </option>
        ${languages.map(
          (language) =>
            html`<option value=${language} lang=${language} .selected=${language === this.language}>
              ${languageName(language)}
            </option>`,
        )}
      </select>
    </div>`;
  }

  private rowView(row: CaptionRow) {
    const { line, text, language, draft, spoken } = row;
    const words = this.words.captioner;
    const time = clock.format(row.startMs);
    return html`<li class="line ${draft === undefined ? '' : 'changed'}">
      ${
        this.written === undefined
          ? nothing
          : html`<p
              class="spoken"
              lang=${spoken?.language ?? nothing}
              dir=${spoken === undefined ? nothing : textDirection(spoken.language)}
            >
              ${spoken?.text ?? ''}
            </p>`
      }
      <div class="own">
        <div class="grow" data-text=${`${text} `}>
          <textarea
            rows="1"
            data-line=${line}
            lang=${language}
            dir=${textDirection(language)}
            aria-label=${(row.isByPerson ? words.lineByHand : words.lineOf).replace('{time}', exactClock.format(row.startMs))}
            aria-describedby="about-${line}"
            aria-invalid=${draft !== undefined && draft.failure !== '' ? 'true' : nothing}
            placeholder=${spoken === undefined ? '' : words.notTranslated}
            .value=${text}
            @input=${(event: InputEvent) => this.onRowInput(row, event)}
            @keydown=${(event: KeyboardEvent) => this.onRowKey(row, event)}
          ></textarea>
        </div>
        <div class="about" id="about-${line}">${aboutRow(words, row)}</div>
      </div>
      <p class="side">
        ${row.isByPerson ? html`<span class="by">${icons.edit} <span>${words.byHand}</span></span>` : nothing}
        <time>${time}</time>
      </p>
    </li>`;
  }

  private sendingView({ id, text, language, failure }: WaitingLine) {
    const words = this.words.captioner;
    return html`<li class="line sending">
      ${this.written === undefined ? nothing : html`<p class="spoken"></p>`}
      <div class="own">
        <p class="text" dir=${language === SPOKEN_TRACK ? 'auto' : textDirection(language)}>
          ${text}
        </p>
        ${
          failure === undefined
            ? html`<p class="hint">${words.sending}</p>`
            : html`<p class="error" role="alert">${this.notSent(failure)}</p>
                <div class="row">
                  <button type="button" class="small" @click=${() => void this.outbox.send()}>
                    ${this.words.tryAgain}
                  </button>
                  <button type="button" class="small quiet" @click=${() => this.discard(id)}>
                    ${words.discard}
                  </button>
                </div>`
        }
      </div>
    </li>`;
  }

  private composerView(room: RoomAtDesk) {
    const typed = this.lostLanguage ?? this.language;
    const language = typed === SPOKEN_TRACK ? room.source_language : typed;
    const tentative = this.spoken?.transcript.tentative ?? '';
    const words = this.words.captioner;
    const name =
      typed === SPOKEN_TRACK
        ? words.newLineSpoken
        : words.newLine.replace('{language}', languageName(typed));
    return html`<div class="composer">
      <p class="hearing">
        <span class="soft">${words.beingHeard}</span>
        <bdi dir=${tentative === '' ? document.dir : 'auto'}
          ><span>${tentative === '' ? '…' : tentative}</span></bdi
        >
      </p>
      <label for="new-line">${name}</label>
      <div class="compose">
        <textarea
          id="new-line"
          rows="2"
          lang=${language ?? nothing}
          dir=${language === undefined ? 'auto' : textDirection(language)}
          autofocus
          @input=${this.onComposerInput}
          @keydown=${this.onComposerKey}
        ></textarea>
        <button type="button" class="primary" @click=${this.submit}>${words.send}</button>
      </div>
    </div>`;
  }

  private rows({ source_language: source = 'en' }: RoomAtDesk): CaptionRow[] {
    const own = this.written ?? this.spoken;
    if (own === undefined) return [];
    const language = this.language === SPOKEN_TRACK ? source : this.language;
    const { activeElement } = this.renderRoot as ShadowRoot;
    const sheet = {
      lines: own.transcript.lines,
      spoken: this.written === undefined ? undefined : this.spoken?.transcript.lines,
      machine: own.machine,
      drafts: this.drafts.get(this.language) ?? new Map<number, Draft>(),
      language,
      focused: Number(activeElement?.getAttribute('data-line')),
    };
    return captionRows(sheet, MOST_ROWS);
  }

  private notSent(error: unknown): string {
    return this.words.captioner.notSent.replace('{reason}', failureText(this.words, error));
  }

  /** Returns whether the newest line is in view and no row has the focus. */
  private isAtEnd(): boolean {
    const { list } = this;
    if (list === null) return true;
    const { activeElement } = this.renderRoot as ShadowRoot;
    if (activeElement !== null && list.contains(activeElement)) return false;
    return list.scrollHeight - list.scrollTop - list.clientHeight < END_PX;
  }

  // Tracks that are followed.

  private follow(language: string): FollowedTrack {
    const isSpoken = language === SPOKEN_TRACK;
    const track: FollowedTrack = new FollowedTrack({
      place: this.place,
      language,
      onState: (state) => isSpoken && this.takeState(state),
      onChange: (added) => {
        this.requestUpdate();
        if (track !== (this.written ?? this.spoken)) return;
        const { log } = this;
        for (const line of added) if (line.by === 'machine' && log !== null) announce(log, line);
      },
      onRoom: () => isSpoken && void this.room.reload(),
      onLost: () => this.leave(language),
    });
    return track;
  }

  private takeState(state: RoomFeedState): void {
    this.feedState = state;
    // The room's answer tells why the feed is refused.
    if (state === 'refused' || state === 'gone') void this.room.reload();
  }

  /** Leaves a language that the room has lost. What is typed in it is never sent as what was said. */
  private leave(language: string): void {
    const { activeElement } = this.renderRoot as ShadowRoot;
    const isCorrecting = this.list?.contains(activeElement) === true;
    const isTyped = (this.composer?.value ?? '').trim() !== '';
    if (isTyped || isCorrecting) this.lostLanguage ??= language;
    // The field of the line will have its original, and the next key may be on its way.
    if (isCorrecting) this.composer?.focus();
    this.write(SPOKEN_TRACK);
  }

  /** Switches to another written language. */
  private write(language: string): void {
    if (language === this.language) return;
    this.written?.close();
    this.written = language === SPOKEN_TRACK ? undefined : this.follow(language);
    this.language = language;
    this.wasAtEnd = true;
  }

  private readonly onLanguage = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    this.lostLanguage = undefined;
    this.write(target.value);
  };

  // Corrections of existing lines.

  private setDraft(line: number, draft: Draft | undefined, language = this.language): void {
    this.drafts = withDraft(this.drafts, { language, line }, draft);
  }

  private onRowInput({ line, draft, text, startMs }: CaptionRow, { target }: InputEvent): void {
    if (!(target instanceof HTMLTextAreaElement)) return;
    const before = draft?.before ?? text;
    const isChanged = target.value !== before;
    const changed = { text: target.value, before, startMs, isSending: false, failure: '' };
    this.setDraft(line, isChanged ? changed : undefined);
  }

  private onRowKey(row: CaptionRow, event: KeyboardEvent): void {
    const { target } = event;
    if (isComposed(event) || !(target instanceof HTMLTextAreaElement)) return;
    const { value, selectionStart, selectionEnd } = target;
    if (event.key === 'Enter') {
      event.preventDefault();
      void this.correct(row);
      this.composer?.focus();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      this.setDraft(row.line, undefined);
      this.composer?.focus();
    } else if (event.key === 'ArrowUp' && selectionEnd === 0) {
      event.preventDefault();
      this.focusRow(target, -1);
    } else if (event.key === 'ArrowDown' && selectionStart === value.length) {
      event.preventDefault();
      this.focusRow(target, 1);
    }
  }

  /** Focuses the row before or after a field; the composer follows the last row. */
  private focusRow(from: HTMLTextAreaElement | undefined, step: -1 | 1): void {
    const fields = [...(this.list?.querySelectorAll('textarea') ?? [])];
    const at = from === undefined ? fields.length : fields.indexOf(from);
    const next = fields[at + step] ?? (step === 1 ? this.composer : null);
    if (next === null) return;
    next.focus();
    const place = step === 1 ? 0 : next.value.length;
    next.setSelectionRange(place, place);
    next.scrollIntoView({ block: 'nearest' });
  }

  private async correct({ line, draft }: CaptionRow): Promise<void> {
    if (draft === undefined || draft.isSending) return;
    const { language } = this;
    const text = draft.text.trim();
    const sending = { ...draft, isSending: true, failure: '' };
    this.setDraft(line, sending);
    const failure =
      text.length > MAX_CHARACTERS
        ? this.words.captioner.tooLong.replace('{n}', wholeNumber(MAX_CHARACTERS))
        : await this.desk.type({ language, line, text }).then(
            () => '',
            (error: unknown) => this.notSent(error),
          );
    const track = language === this.language ? (this.written ?? this.spoken) : undefined;
    if (failure === '') track?.correct(line, text);
    const newest = this.drafts.get(language)?.get(line);
    this.setDraft(line, draftAfter(sending, { newest, failure }), language);
  }

  /** Makes the browser ask before it leaves what is typed and not sent. */
  private readonly warn = (event: Event): void => {
    // Drafts in a language that the room has lost cannot be sent; they wait for its return.
    const languages = [SPOKEN_TRACK, ...(this.room.value?.languages ?? [])];
    const isEdited = languages.some((language) => (this.drafts.get(language)?.size ?? 0) > 0);
    const isTyped = (this.composer?.value ?? '').trim() !== '';
    if (isEdited || isTyped || this.outbox.lines.length > 0) event.preventDefault();
  };

  // New lines.

  private readonly onComposerKey = (event: KeyboardEvent): void => {
    if (isComposed(event)) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      // One that is held down since a correction sends no half line.
      if (!event.repeat) this.submit();
    } else if (event.key === 'ArrowUp' && this.composer?.value === '') {
      event.preventDefault();
      this.focusRow(undefined, -1);
    } else if (event.key === 'Escape' && this.composer !== null) {
      this.composer.value = '';
      this.onComposerInput();
    }
  };

  private readonly onComposerInput = (): void => {
    if (this.composer?.value === '') this.lostLanguage = undefined;
  };

  private readonly submit = (): void => {
    const { composer } = this;
    const text = composer?.value.trim() ?? '';
    composer?.focus();
    if (composer === null || text === '') return;
    composer.value = '';
    this.outbox.add(text, this.lostLanguage ?? this.language);
    this.lostLanguage = undefined;
  };

  private discard(id: number): void {
    this.outbox.discard(id);
    this.composer?.focus();
  }
}

customElements.define('captioner-page', CaptionerPage);

declare global {
  interface HTMLElementTagNameMap {
    'captioner-page': CaptionerPage;
  }
}
