import { LitElement, css, html, nothing, type PropertyValues } from 'lit';
import { property } from 'lit/decorators.js';
import type { RoomInfo } from '../../../shared/schemas/rooms.ts';
import { isComposed } from '../../page/composition.ts';
import { wholeNumber } from '../../page/numbers.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { DraftShelf } from '../parts/draft-shelf.ts';
import { icons } from '../parts/icons.ts';
import '../parts/save-bar.ts';
import { Sending } from '../parts/sending.ts';
import { WordDraft, type Replacement, type RoomWords } from './word-draft.ts';

/** Drafts kept while the user is on another page, by room. */
const wordDrafts = new DraftShelf<WordDraft>();

/**
 * Word rules of a room: replaces misheard words and hides others, from the next sentence on after saving.
 *
 * @fires room-change - The rules were saved; carries the updated room.
 */
export class ConsoleRoomWords extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .kinds {
        display: grid;
        grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
        gap: var(--inset) calc(1.5 * var(--inset));
        align-items: start;
      }
      @media (max-width: 52rem) {
        .kinds {
          grid-template-columns: minmax(0, 1fr);
        }
      }
      .kind {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.5rem;
      }
      .rows {
        display: grid;
        gap: 0.5rem;
      }
      .rows li {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto minmax(0, 1fr) 2.5rem;
        gap: 0.5rem;
        align-items: center;
      }
      .rows li > .soft {
        user-select: none;
      }
      @media (pointer: coarse) {
        .rows li {
          grid-template-columns: minmax(0, 1fr) auto minmax(0, 1fr) 2.75rem;
        }
      }
      /* Over what is below it, and in the way, only while there is something to save. */
      console-save-bar[changes=''] {
        position: static;
      }
      textarea {
        field-sizing: content;
        min-block-size: 7rem;
        max-block-size: 24rem;
      }
    `,
  ];

  @property({ attribute: false }) room!: RoomInfo;
  private readonly saving = new Sending(this);
  #draft!: WordDraft;
  /** Selector of the element to focus after the next update. */
  #focusNext: string | undefined;

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('room')) return;
    const saved = wordsOf(this.room);
    const isAnother = changed.get('room')?.room_id !== this.room.room_id;
    if (isAnother) this.#draft = wordDrafts.waiting(placeOfRoom(this.room)) ?? new WordDraft(saved);
    // Changes saved elsewhere are shown only if nothing is being edited here.
    else if (!this.#draft.isChanged && this.#draft.isBehind(saved))
      this.#draft = new WordDraft(saved);
  }

  override updated(): void {
    if (this.#focusNext === undefined) return;
    this.renderRoot.querySelector<HTMLElement>(this.#focusNext)?.focus();
    this.#focusNext = undefined;
  }

  override render() {
    const draft = this.#draft;
    return html`<section class="card" aria-labelledby="title">
      <div class="card-head"><h2 id="title">Words</h2></div>
      <div class="inside kinds">
        <div class="kind">
          <h3>Put right</h3>
          <p class="hint" id="right-hint">
            Names and terms that are misheard: what is heard, and what it is. They are put right
            before anything is translated. Two columns can be pasted.
          </p>
          <ul class="plain rows" aria-label="Words that are put right" @keydown=${this.onKey}>
            ${[...draft.rows, NO_ROW].map((row, at) => this.row(row, at))}
          </ul>
        </div>
        <div class="kind">
          <h3><label for="hidden">Hidden words</label></h3>
          <p class="hint" id="hidden-hint">
            One a line. Each is shown as •••, as spoken and in every language it is written in.
          </p>
          <textarea
            id="hidden"
            aria-describedby="hidden-hint"
            spellcheck="false"
            .value=${draft.hidden}
            ?disabled=${this.saving.isBusy}
            @input=${this.onHidden}
          ></textarea>
        </div>
      </div>
      <console-save-bar
        changes=${draft.changes}
        failure=${this.saving.failure}
        obstacle=${draft.obstacle}
        ?busy=${this.saving.isBusy}
        @save=${this.save}
        @discard=${this.discard}
      ></console-save-bar>
    </section>`;
  }

  private row(row: Replacement, at: number) {
    const isNew = at === this.#draft.rows.length;
    const number = wholeNumber(at + 1);
    return html`<li>
      ${this.field({ side: 'from', row, at, label: `Heard, line ${number}`, isNew })}
      <span class="soft" aria-hidden="true">→</span>
      ${this.field({ side: 'to', row, at, label: `Right, line ${number}`, isNew })}
      ${
        isNew
          ? html`<span></span>`
          : html`<button
              type="button"
              class="quiet icon-only"
              data-remove=${at}
              aria-label=${`Remove line ${number}: ${row.from}`}
              ?disabled=${this.saving.isBusy}
              @click=${() => this.removeRow(at)}
            >
              ${icons.remove}
            </button>`
      }
    </li>`;
  }

  private field({
    side,
    row,
    at,
    label,
    isNew,
  }: {
    side: keyof Replacement;
    row: Replacement;
    at: number;
    label: string;
    isNew: boolean;
  }) {
    const placeholder = side === 'from' ? 'What is heard' : 'What it is';
    return html`<input
      data-cell=${`${side} ${at}`}
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      aria-label=${label}
      placeholder=${isNew ? placeholder : nothing}
      .value=${row[side]}
      ?disabled=${this.saving.isBusy}
      @input=${({ target }: InputEvent) => {
        if (!(target instanceof HTMLInputElement)) return;
        this.#draft.type(at, side, target.value);
        this.touch();
      }}
      @paste=${(event: ClipboardEvent) => this.onPaste(event, at)}
    />`;
  }

  private readonly onHidden = ({ target }: Event): void => {
    if (!(target instanceof HTMLTextAreaElement)) return;
    this.#draft.hidden = target.value;
    this.touch();
  };

  private onPaste(event: ClipboardEvent, at: number): void {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    // A single word is pasted at the cursor.
    if (!/[\t\n→]|=>/.test(text.trim())) return;
    event.preventDefault();
    this.#draft.paste(at, text);
    this.touch();
  }

  /** Enter moves on to the next cell, as in a hand-written list. */
  private readonly onKey = (event: KeyboardEvent): void => {
    const { target, key } = event;
    if (isComposed(event) || key !== 'Enter' || !(target instanceof HTMLInputElement)) return;
    event.preventDefault();
    const [side, at] = (target.dataset['cell'] ?? '').split(' ');
    const next = side === 'from' ? `to ${at}` : `from ${Number(at) + 1}`;
    this.renderRoot.querySelector<HTMLElement>(`[data-cell='${next}']`)?.focus();
  };

  private removeRow(at: number): void {
    this.#draft.remove(at);
    // The next row, or the empty one, has taken the removed row's place.
    this.#focusNext = `[data-cell='from ${at}']`;
    this.touch();
  }

  private touch(): void {
    wordDrafts.keep(placeOfRoom(this.room), this.#draft);
    this.saving.reset();
  }

  private readonly discard = (): void => {
    this.#draft = new WordDraft(wordsOf(this.room));
    this.touch();
  };

  private readonly save = async (): Promise<void> => {
    const { room_id: id } = this.room;
    await this.saving.send(async () => {
      const room = await api.patch<RoomInfo>(
        `v1/rooms/${encodeURIComponent(id)}`,
        this.#draft.words,
      );
      wordDrafts.forget(placeOfRoom(this.room));
      this.#draft = new WordDraft(wordsOf(room));
      this.dispatchEvent(new CustomEvent<RoomInfo>('room-change', { detail: room }));
    });
  };
}

/** The empty row in which a new one is typed. */
const NO_ROW: Replacement = { from: '', to: '' };

function wordsOf({ replacements, hidden_words: hidden }: RoomInfo): RoomWords {
  return { replacements, hidden_words: hidden };
}

function placeOfRoom({ room_id: id }: RoomInfo): string {
  return `events/${id}`;
}

customElements.define('console-room-words', ConsoleRoomWords);
