/** The page of one room. */
import { LitElement, css, html, nothing, type PropertyValues } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import type { Glossary } from '../../../shared/schemas/glossaries.ts';
import type { RoomChange, RoomInfo } from '../../../shared/schemas/rooms.ts';
import { languageText } from '../../page/language-text.ts';
import { counted, momentText, wholeNumber } from '../../page/numbers.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { doneIfConfirmed, type ConsoleNameDialog } from '../parts/dialog.ts';
import { forgetAbout } from '../parts/draft-shelf.ts';
import { page } from '../parts/frame.ts';
import { icons } from '../parts/icons.ts';
import { sayDone, sayFailed } from '../parts/messages.ts';
import { Loaded } from '../parts/states.ts';
import { goTo, linkTo } from '../router.ts';
import type { ConsoleRoomDialog } from './room-dialog.ts';
import { formalityText } from './room-form.ts';
import './room-links.ts';
import './room-join.ts';
import { accessText, keepText, readerCount, stateBadge, trackText, tracksOf } from './room-text.ts';
import './room-transcript.ts';
import './room-words.ts';

/** Polling interval, in ms: readers who come or go show within this time. */
const REFRESH_MS = 3_000;

/** Up to this many tracks, those without readers are listed too, so that nothing jumps when readers come. */
const FEW_TRACKS = 8;

/** One room: its links, readers, word rules, transcript and settings. */
export class ConsoleRoom extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .status {
        display: flex;
        flex-wrap: wrap;
        gap: 0.375rem 0.75rem;
        align-items: center;
      }
      .pair {
        display: grid;
        grid-template-columns: repeat(2, minmax(0, 1fr));
        gap: 1.5rem;
      }
      @media (max-width: 52rem) {
        .pair {
          grid-template-columns: minmax(0, 1fr);
        }
      }
      .readers {
        display: grid;
        gap: 0.625rem;
      }
      /* Columns, until large letters need a line for the name alone. */
      .readers li {
        display: flex;
        flex-wrap: wrap;
        gap: 0.125rem 0.75rem;
        align-items: center;
      }
      .readers li > :first-child {
        flex: 2 1 7rem;
      }
      .readers progress {
        flex: 3 1 1.5rem;
      }
      .readers .number {
        min-inline-size: 2.75rem;
        text-align: end;
      }
      .settings {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 0.5rem 1.5rem;
      }
      .settings dt {
        color: var(--soft);
      }
      .settings dd {
        overflow-wrap: anywhere;
      }
      @media (max-width: 30rem) {
        .settings {
          grid-template-columns: minmax(0, 1fr);
          gap: 0;
        }
        .settings dd {
          margin-block-end: 0.625rem;
        }
      }
    `,
  ];

  @property() roomId = '';
  @state() private isPausing = false;
  @query('console-name-dialog', true) private readonly naming!: ConsoleNameDialog;
  @query('console-room-dialog', true) private readonly dialog!: ConsoleRoomDialog;
  @query('h1') private readonly heading!: HTMLElement | null;
  #hasFocused = false;
  readonly #room = new Loaded(this, {
    load: (fetching) => api.get<RoomInfo>(this.path, fetching),
    everyMs: REFRESH_MS,
    onGone: () => forgetAbout(this.place),
  });
  /** Glossary names by id; the id is shown for one that could not be fetched. */
  readonly #glossaryNames = new Loaded(this, {
    load: async ({ signal }) => {
      const { glossaries } = await api.get<{ glossaries: Glossary[] }>('v3/glossaries', { signal });
      return new Map(glossaries.map(({ glossary_id: id, name }) => [id, name]));
    },
  });

  private get place(): string {
    return `events/${this.roomId}`;
  }

  private get path(): string {
    return `v1/rooms/${encodeURIComponent(this.roomId)}`;
  }

  override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (this.#hasFocused || this.#room.value === undefined) return;
    this.#hasFocused = true;
    // Screen readers announce the page that the link has opened.
    this.heading?.focus({ preventScroll: true });
  }

  override render() {
    const { value: room } = this.#room;
    return page(
      {
        back: { path: 'events', title: 'Events' },
        title: room?.name ?? 'Room',
        isWaiting: room === undefined,
        ...(room && { text: statusOf(room), actions: this.actions(room) }),
      },
      html`${this.#room.render((shown) => this.content(shown), { lines: 8 })}
        <console-name-dialog></console-name-dialog>
        <console-room-dialog></console-room-dialog>`,
    );
  }

  private actions(room: RoomInfo) {
    return html`<button
        type="button"
        class=${room.paused ? 'primary' : nothing}
        ?disabled=${this.isPausing}
        @click=${() => this.pause(room)}
      >
        ${room.paused ? icons.resume : icons.pause} ${room.paused ? 'Go on' : 'Pause'}
      </button>
      <button type="button" @click=${() => this.rename(room)}>Rename</button>
      <button type="button" class="danger" @click=${() => this.deleteRoom(room)}>Delete</button>`;
  }

  private content(room: RoomInfo) {
    return html`<console-room-join .room=${room}></console-room-join>
      <div class="pair">
        ${readersCard(room)}
        <console-room-transcript
          .room=${room}
          @transcript-delete=${this.reload}
        ></console-room-transcript>
      </div>
      <console-room-words .room=${room} @room-change=${this.onChange}></console-room-words>
      <console-room-links .room=${room} @links-change=${this.reload}></console-room-links>
      ${this.settingsCard(room)}`;
  }

  private settingsCard(room: RoomInfo) {
    const { source_language: source, glossary_id: glossaryId, passcode } = room;
    const glossary =
      glossaryId === undefined
        ? 'None'
        : html`<a href=${linkTo('glossaries', glossaryId)}
            >${this.#glossaryNames.value?.get(glossaryId) ?? glossaryId}</a
          >`;
    const lines: [title: string, text: unknown][] = [
      ['Spoken', source === undefined ? 'Whatever speakers choose' : languageText(source)],
      ['Read in', languagesText(room)],
      [
        'Who may read',
        passcode === undefined
          ? accessText(room)
          : html`${accessText(room)}: <code>${passcode}</code>`,
      ],
      ['Transcript kept', keepText(room)],
      ['Glossary', glossary],
      ['Formality', formalityText(room.formality)],
      ['Made', momentText(room.creation_time)],
    ];
    return html`<section class="card" aria-labelledby="settings">
      <div class="card-head">
        <h2 id="settings">Settings</h2>
        <button type="button" class="small" @click=${() => this.changeSettings(room)}>
          ${icons.edit} Change
        </button>
      </div>
      <dl class="inside settings">
        ${lines.map(
          ([title, text]) =>
            html`<dt>${title}</dt>
              <dd>${text}</dd>`,
        )}
      </dl>
    </section>`;
  }

  private readonly reload = (): void => void this.#room.reload();

  private readonly onChange = ({ detail: room }: CustomEvent<RoomInfo>): void => {
    this.#room.set(room);
  };

  private async change(change: RoomChange): Promise<void> {
    this.#room.set(await api.patch<RoomInfo>(this.path, change));
  }

  private async pause({ paused }: RoomInfo): Promise<void> {
    this.isPausing = true;
    try {
      await this.change({ paused: !paused });
      sayDone(
        paused
          ? 'The room goes on.'
          : 'Paused. Nothing that is said gets into the room until it goes on.',
      );
    } catch (error) {
      sayFailed(error);
    } finally {
      this.isPausing = false;
    }
  }

  private rename({ name }: RoomInfo): void {
    void this.naming.ask({
      heading: 'Rename room',
      action: 'Rename',
      name,
      save: async (newName) => {
        await this.change({ name: newName });
        sayDone('Renamed.');
      },
    });
  }

  private changeSettings(room: RoomInfo): void {
    void this.dialog.change(room, (changed) => {
      this.#room.set(changed);
      sayDone('Saved.');
    });
  }

  private async deleteRoom(room: RoomInfo): Promise<void> {
    const count = readerCount(room);
    const readers = count === 0 ? '' : ` ${counted(count, 'reader')} will be sent away.`;
    await doneIfConfirmed({
      heading: 'Delete this room?',
      text: `“${room.name}” will be gone with its transcript, and its links and codes lead nowhere, printed ones too.${readers}`,
      action: 'Delete room',
      done: 'The room was deleted.',
      work: async () => {
        await api.delete(this.path);
        forgetAbout(this.place);
        goTo('events');
      },
    });
  }
}

function statusOf(room: RoomInfo) {
  const count = readerCount(room);
  const words =
    room.state === 'live'
      ? 'Somebody speaks.'
      : room.state === 'paused'
        ? 'Nothing that is said gets into the room.'
        : 'Nobody speaks.';
  return html`<span class="status">
    ${stateBadge(room)}
    <span>${words} ${count === 0 ? 'Nobody reads along.' : readingText(count)}</span>
  </span>`;
}

function readingText(count: number): string {
  return count === 1 ? 'One reads along.' : `${wholeNumber(count)} read along.`;
}

/** Card with the current readers, by language. */
function readersCard(room: RoomInfo) {
  const total = readerCount(room);
  const tracks = tracksOf(room);
  const shown =
    tracks.length <= FEW_TRACKS ? tracks : tracks.filter((track) => (room.viewers[track] ?? 0) > 0);
  return html`<section class="card" aria-labelledby="readers">
    <div class="card-head">
      <h2 id="readers">Who is there</h2>
      <span class="soft number">${total === 0 ? 'Nobody' : counted(total, 'reader')}</span>
    </div>
    <div class="inside stack">
      ${
        shown.length === 0
          ? html`<p class="soft">Nobody reads along at the moment.</p>`
          : html`<ul class="plain readers">
              ${shown.map((track) => readersLine(track, room.viewers[track] ?? 0, total))}
            </ul>`
      }
      <p class="hint">
        ${
          room.languages.length === 0
            ? 'The room is not translated: it can be read as it is spoken.'
            : room.always.length === 0
              ? 'A language is translated as long as somebody reads it.'
              : `Translated also while nobody reads: ${room.always.map(languageText).join(', ')}.`
        }
      </p>
    </div>
  </section>`;
}

function readersLine(track: string, count: number, total: number) {
  return html`<li class=${count === 0 ? 'soft' : nothing}>
    <span>${trackText(track)}</span>
    <progress aria-hidden="true" max=${Math.max(1, total)} value=${count}></progress>
    <span class="number">${wholeNumber(count)}</span>
  </li>`;
}

function languagesText({ languages, always }: RoomInfo): string {
  if (languages.length === 0) return 'What is spoken alone';
  return languages
    .map((tag) => `${languageText(tag)}${always.includes(tag) ? ' (always translated)' : ''}`)
    .join(', ');
}

customElements.define('console-room', ConsoleRoom);
