/** The form that creates a room or changes its settings. */
import { LitElement, css, html, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import type { Glossary } from '../../../shared/schemas/glossaries.ts';
import type { RoomAccess, RoomInfo, RoomLanguages } from '../../../shared/schemas/rooms.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { DraftShelf, type Draft } from '../parts/draft-shelf.ts';
import { languageOptions } from '../parts/languages.ts';
import { Sending } from '../parts/sending.ts';
import { Loaded, note } from '../parts/states.ts';
import { linkTo, shownPlace } from '../router.ts';
import './room-languages.ts';
import type { ChosenLanguages } from './room-languages.ts';
import { hoursText } from './room-text.ts';
import {
  changeOf,
  creationOf,
  differing,
  newRoom,
  wishesOf,
  type RoomWishes,
} from './room-wishes.ts';

/** Retention times offered for transcripts, in hours. */
const KEEP_HOURS = [0, 4, 24, 48, 168, 720, 8_760];
/** Longest retention time the server accepts: a year, in hours. */
const MAX_KEEP_HOURS = 8_760;

/** Input of a form that was left by navigating away or by the end of the session. */
interface RoomDraft extends Draft {
  wishes: Partial<RoomWishes>;
}
const drafts = new DraftShelf<RoomDraft>();

/** Options of the selects. */
interface Choices {
  languages: RoomLanguages['languages'];
  glossaries: readonly Glossary[];
}

/**
 * Form for a new or an existing room.
 *
 * @fires room-saved - The room was created or changed; carries the room.
 * @fires form-cancel - The user cancelled.
 */
export class ConsoleRoomForm extends LitElement {
  static override styles = [
    baseStyles,
    css`
      form {
        gap: 1.375rem;
      }
      fieldset {
        display: grid;
        gap: 0.5rem;
        min-inline-size: 0;
        margin: 0;
        padding: 0;
        border: 0;
      }
      legend {
        margin-block-end: 0.375rem;
        padding: 0;
        font-size: 0.875rem;
        font-weight: 600;
      }
      .option {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        gap: 0 0.625rem;
        align-items: center;
      }
      .option .hint {
        grid-column: 2;
      }
      .passcode {
        margin-inline-start: 1.75rem;
      }
      .pair {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr));
        gap: 1rem;
        align-items: start;
      }
    `,
  ];

  /** The room to change; undefined to create one. */
  @property({ attribute: false }) room: RoomInfo | undefined;
  @state() private wishes: RoomWishes = newRoom;
  /** Whether the user types a retention time instead of choosing one. */
  @state() private isTimeTyped = false;
  /** Whether the form was submitted without a name. */
  @state() private isNameless = false;
  #start: RoomWishes = newRoom;
  #hasBegun = false;
  @query('#hours') private readonly hoursField!: HTMLInputElement | null;
  @query('#name') private readonly nameField!: HTMLInputElement | null;
  private readonly sending = new Sending(this);
  readonly #choices = new Loaded<Choices>(this, {
    load: async ({ signal }) => {
      const [{ languages }, { glossaries }] = await Promise.all([
        api.get<RoomLanguages>('room-languages', { signal }),
        api.get<{ glossaries: Glossary[] }>('v3/glossaries', { signal }),
      ]);
      return { languages, glossaries };
    },
  });

  override connectedCallback(): void {
    this.#start = this.room === undefined ? newRoom : wishesOf(this.room);
    this.wishes = { ...this.#start, ...drafts.waiting(this.draftKey)?.wishes };
    this.isTimeTyped = !this.offeredHours.includes(this.wishes.keepHours);
    super.connectedCallback();
  }

  private get draftKey(): string {
    return this.room === undefined ? 'events new' : `events/${this.room.room_id} settings`;
  }

  override updated(): void {
    if (this.#hasBegun || this.#choices.value === undefined) return;
    this.#hasBegun = true;
    // The dialog opened before any field existed to take the focus.
    this.renderRoot.querySelector<HTMLElement>('input, select')?.focus();
  }

  /** Discards the draft, once it was saved or cancelled. */
  end(): void {
    drafts.forget(this.draftKey);
  }

  override render() {
    return this.#choices.render((choices) => this.form(choices), { lines: 8 });
  }

  private form(choices: Choices) {
    return html`<form class="stack" novalidate @submit=${this.onSubmit}>
      ${
        this.room === undefined
          ? html`<div class="field">
              <label for="name">Name</label>
              <input
                id="name"
                autocomplete="off"
                maxlength="1024"
                aria-describedby="name-hint name-fault"
                aria-invalid=${this.isNameless ? 'true' : nothing}
                .value=${this.wishes.name}
                @input=${this.onText('name')}
              />
              <p class="error" id="name-fault" role="alert" ?hidden=${!this.isNameless}>
                Please enter a name.
              </p>
              <p class="hint" id="name-hint">Readers see it. Such as “Main stage”.</p>
            </div>`
          : nothing
      }
      ${this.sourceField(choices)}
      <console-room-languages
        .languages=${this.wishes.languages}
        .always=${this.wishes.always}
        .possible=${targetsOf(choices.languages, this.wishes.sourceLanguage)}
        @languages-change=${this.onLanguages}
      ></console-room-languages>
      ${this.accessChoice()} ${this.keepField()} ${this.translationFields(choices)}
      ${this.sending.note()}
      <div class="row end">
        <button type="button" @click=${() => this.dispatchEvent(new Event('form-cancel'))}>
          Cancel
        </button>
        ${this.sending.button(this.room === undefined ? 'Make room' : 'Save')}
      </div>
    </form>`;
  }

  private sourceField({ languages }: Choices) {
    const { sourceLanguage } = this.wishes;
    const heard = languages.map(({ source_language: tag }) => tag);
    // A chosen language stays available even while its recogniser is down.
    const offered = sourceLanguage === '' ? heard : [...new Set([...heard, sourceLanguage])];
    return html`<div class="field">
      <label for="source">What is spoken</label>
      <select id="source" @change=${this.onText('sourceLanguage')}>
        <option value="" ?selected=${sourceLanguage === ''}>Whatever speakers choose</option>
        ${languageOptions(offered, sourceLanguage)}
      </select>
      ${
        heard.length === 0
          ? note(
              'warn',
              html`No recogniser is running: captions can be typed, but nobody is heard. See
                <a href=${linkTo('engines')}>Engines</a>.`,
            )
          : nothing
      }
    </div>`;
  }

  private accessChoice() {
    const { access } = this.wishes;
    const isChanged = this.room !== undefined && this.room.access !== access;
    return html`<fieldset>
      <legend>Who may read</legend>
      ${accessOptions.map(
        ({ value, title, hint }) =>
          html`<label class="option">
              <input
                type="radio"
                name="access"
                .checked=${value === access}
                @change=${() => this.set({ access: value })}
              />
              <span>${title}</span>
              <span class="hint">${hint}</span>
            </label>
            ${value === 'passcode' && access === value ? this.passcodeField() : nothing}`,
      )}
      ${
        isChanged
          ? note('info', 'Whoever reads along now is asked to come in again when you save.')
          : nothing
      }
    </fieldset>`;
  }

  private passcodeField() {
    return html`<div class="field passcode">
      <label for="passcode">Passcode</label>
      <input
        id="passcode"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        maxlength="64"
        aria-describedby="passcode-hint"
        .value=${this.wishes.passcode}
        @input=${this.onText('passcode')}
      />
      <p class="hint" id="passcode-hint">
        4 to 64 letters, figures and hyphens. Left empty, six figures are made up.
      </p>
    </div>`;
  }

  private keepField() {
    const { keepHours } = this.wishes;
    const losesAll = keepHours === 0 && (this.room?.keep_hours ?? 0) > 0 && !this.isTimeTyped;
    return html`<div class="field">
      <label for="keep">How long the transcript is kept</label>
      <select id="keep" aria-describedby="keep-hint" @change=${this.onKeep}>
        ${this.offeredHours.map(
          (hours) =>
            html`<option value=${hours} ?selected=${!this.isTimeTyped && hours === keepHours}>
              ${hours === 0 ? 'Not at all' : hoursText(hours)}
            </option>`,
        )}
        <option value="typed" ?selected=${this.isTimeTyped}>Another time…</option>
      </select>
      ${
        this.isTimeTyped
          ? html`<input
              type="number"
              id="hours"
              aria-label="Hours"
              min="0"
              max=${MAX_KEEP_HOURS}
              step="any"
              inputmode="decimal"
              placeholder="Hours"
              value=${Number.isNaN(keepHours) ? '' : keepHours}
              @input=${this.onHours}
            />`
          : nothing
      }
      <p class="hint" id="keep-hint">
        ${
          keepHours === 0
            ? 'Nothing of what is said is ever written to disk. Whoever comes late still gets the last minutes; once the room has been empty for a quarter of an hour, they are gone.'
            : 'Each line is deleted that long after it was said. Until then it can be downloaded in every language.'
        }
      </p>
      ${losesAll ? note('warn', 'What has been kept is deleted as soon as you save.') : nothing}
    </div>`;
  }

  private get offeredHours(): number[] {
    return [...new Set([...KEEP_HOURS, this.#start.keepHours])].sort((a, b) => a - b);
  }

  private translationFields({ glossaries }: Choices) {
    const { glossaryId, formality } = this.wishes;
    const isGone =
      glossaryId !== '' && !glossaries.some(({ glossary_id: id }) => id === glossaryId);
    return html`<div class="pair">
      <div class="field">
        <label for="glossary">Glossary</label>
        <select id="glossary" @change=${this.onText('glossaryId')}>
          <option value="">None</option>
          ${glossaries
            .toSorted((a, b) => a.name.localeCompare(b.name))
            .map(
              ({ glossary_id: id, name }) =>
                html`<option value=${id} ?selected=${id === glossaryId}>${name}</option>`,
            )}
          ${isGone ? html`<option value=${glossaryId} selected>One that was deleted</option>` : nothing}
        </select>
      </div>
      <div class="field">
        <label for="formality">Formality</label>
        <select id="formality" @change=${this.onText('formality')}>
          ${Object.entries(formalities).map(
            ([value, text]) =>
              html`<option value=${value} ?selected=${value === canonicalFormality(formality)}>
                ${text}
              </option>`,
          )}
        </select>
      </div>
    </div>`;
  }

  private set(change: Partial<RoomWishes>): void {
    this.wishes = { ...this.wishes, ...change };
    const wishes = differing(this.#start, this.wishes);
    const isChanged = Object.keys(wishes).length > 0;
    const dialog = { title: roomTitle(this.room), place: shownPlace() };
    drafts.keep(this.draftKey, { wishes, isChanged, dialog });
    this.isNameless = false;
    if (!this.sending.isBusy) this.sending.reset();
  }

  private onText(field: 'name' | 'passcode' | 'sourceLanguage' | 'glossaryId' | 'formality') {
    return ({ target }: Event): void => {
      if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) {
        this.set({ [field]: target.value });
      }
    };
  }

  private readonly onLanguages = ({ detail }: CustomEvent<ChosenLanguages>): void => {
    this.set(detail);
  };

  private readonly onKeep = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    this.isTimeTyped = target.value === 'typed';
    if (!this.isTimeTyped) this.set({ keepHours: Number(target.value) });
  };

  private readonly onHours = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement) this.set({ keepHours: target.valueAsNumber });
  };

  private readonly onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const wishes = { ...this.wishes, name: this.wishes.name.trim() };
    if (wishes.name === '') {
      this.isNameless = true;
      this.nameField?.focus();
      return;
    }
    if (!(wishes.keepHours >= 0 && wishes.keepHours <= MAX_KEEP_HOURS)) {
      const failure = `Please say for how many hours the transcript is kept, 0 to ${MAX_KEEP_HOURS}.`;
      this.sending.refuse(failure, this.hoursField);
      return;
    }
    const { room } = this;
    await this.sending.send(async () => {
      const saved =
        room === undefined
          ? await api.post<RoomInfo>('v1/rooms', creationOf(wishes))
          : await api.patch<RoomInfo>(
              `v1/rooms/${encodeURIComponent(room.room_id)}`,
              changeOf(room, wishes),
            );
      this.end();
      this.dispatchEvent(new CustomEvent<RoomInfo>('room-saved', { detail: saved }));
    });
  };
}

const accessOptions: readonly { value: RoomAccess; title: string; hint: string }[] = [
  {
    value: 'everyone',
    title: 'Everyone with the address',
    hint: 'For an audience: the code leads straight in.',
  },
  {
    value: 'passcode',
    title: 'Whoever knows a passcode',
    hint: 'The page asks for it, once a day.',
  },
  {
    value: 'link',
    title: 'Whoever has a signed link',
    hint: 'The key is in the link and in the code; each link can be revoked.',
  },
];

const formalities = { '': 'As it comes', formal: 'Formal', informal: 'Informal' } as const;

/** Maps the two words the API accepts for each formality to one. */
function canonicalFormality(formality = ''): keyof typeof formalities {
  if (formality === 'formal' || formality === 'more') return 'formal';
  return formality === 'informal' || formality === 'less' ? 'informal' : '';
}

export function formalityText(formality: string | undefined): string {
  return formalities[canonicalFormality(formality)];
}

/** Returns the possible targets, from one source language or from any. */
function targetsOf(languages: Choices['languages'], source: string): string[] {
  const from = languages.filter(({ source_language: tag }) => source === '' || tag === source);
  return [...new Set(from.flatMap(({ target_languages: targets }) => targets))];
}

/** Title of the dialog around the form. */
export function roomTitle(room: RoomInfo | undefined): string {
  return room === undefined ? 'New room' : 'Settings of the room';
}

customElements.define('console-room-form', ConsoleRoomForm);
