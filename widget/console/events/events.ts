/** Events page: the rooms of the account. */
import { LitElement, css, html, nothing } from 'lit';
import { property, query } from 'lit/decorators.js';
import type { RoomInfo } from '../../../shared/schemas/rooms.ts';
import { languageText } from '../../page/language-text.ts';
import { dayText, wholeNumber } from '../../page/numbers.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { ListSearch } from '../parts/choices.ts';
import { forgetAllBut } from '../parts/draft-shelf.ts';
import { page, table } from '../parts/frame.ts';
import { icons } from '../parts/icons.ts';
import { Loaded, emptyState } from '../parts/states.ts';
import { goTo, linkTo } from '../router.ts';
import type { Session } from '../session.ts';
import './room-dialog.ts';
import type { ConsoleRoomDialog } from './room-dialog.ts';
import { accessText, keepText, readerCount, readersText, stateBadge } from './room-text.ts';
import './room.ts';

/**
 * Polling intervals, in ms: frequent enough to follow readers, rare enough to read. A server takes longer to
 * describe many rooms.
 */
const REFRESH_MS = 4_000;
const REFRESH_MANY_MS = 20_000;
const MANY = 50;

/** Languages listed by name; further ones are counted. */
const MOST_NAMED = 3;

/** Table of the account's rooms. */
export class ConsoleRooms extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .two-lines {
        display: grid;
        gap: 0.125rem;
      }
    `,
  ];

  @property({ attribute: false }) session!: Session;
  @query('console-room-dialog', true) private readonly dialog!: ConsoleRoomDialog;
  readonly #search = new ListSearch<RoomInfo>(this, {
    label: 'Search rooms',
    kind: 'room',
    textsOf: ({ name }) => [name],
  });
  readonly #rooms = new Loaded(this, {
    load: async (fetching) => {
      if (this.isFree) return [];
      const { rooms } = await api.get<{ rooms: RoomInfo[] }>('v1/rooms', fetching);
      forgetAllBut(
        'events',
        rooms.map(({ room_id: id }) => id),
      );
      // The newest room first: it is the one being prepared or live.
      return rooms.toReversed();
    },
    everyMs: (rooms = []) => (rooms.length > MANY ? REFRESH_MANY_MS : REFRESH_MS),
  });

  private get isFree(): boolean {
    return this.session.account.plan === 'free';
  }

  override render() {
    const isEmpty = this.#rooms.value?.length === 0;
    return page(
      {
        title: 'Events',
        text: 'Somebody speaks; whoever has the link reads along on a phone or on a screen, in a language of their own.',
        // Without rooms, the button is part of the explanation.
        ...(!isEmpty && { actions: this.makeButton(icons.add) }),
      },
      html`<section class="card" aria-label="Rooms">
          ${this.isFree ? notForFree() : this.#rooms.render((rooms) => this.list(rooms))}
        </section>
        <console-room-dialog></console-room-dialog>`,
    );
  }

  private makeButton(icon: unknown = nothing) {
    return html`<button type="button" class="primary" @click=${this.make}>
      ${icon} New room
    </button>`;
  }

  private list(rooms: readonly RoomInfo[]) {
    return html`${this.#search.field(rooms)}
    ${table({
      items: this.#search.found(rooms),
      keyOf: ({ room_id: id }) => id,
      empty: this.#search.emptyState(rooms, {
        icon: icons.microphone,
        heading: 'No room yet',
        text: 'A room is for one stage or one meeting. Make one, show its code to the audience, and open its link for who speaks: everybody reads along in their own language, without an app or an account.',
        actions: this.makeButton(),
      }),
      columns: [
        {
          title: 'Name',
          kind: 'name',
          cell: ({ room_id: id, name }) => html`<a href=${linkTo('events', id)}>${name}</a>`,
        },
        { title: 'State', cell: stateBadge },
        { title: 'Readers', cell: readersCell },
        { title: 'Languages', cell: languagesText },
        { title: 'Who may read', shortTitle: 'Open to', cell: accessText },
        { title: 'Kept', kind: 'short', cell: keepText },
        { title: 'Made', kind: 'short', cell: ({ creation_time: time }) => dayText(time) },
      ],
    })}`;
  }

  private readonly make = (): void => {
    void this.dialog.make((room) => goTo('events', room.room_id));
  };
}

function notForFree() {
  return emptyState({
    icon: icons.microphone,
    heading: 'Not part of the free plan',
    text: 'Rooms are part of the pro plan; this account has the free one. Whoever runs the server can change that.',
  });
}

function readersCell(room: RoomInfo) {
  const text = readersText(room);
  if (text === '') return html`<span class="soft">Nobody</span>`;
  return html`<span class="two-lines">
    <span class="number">${wholeNumber(readerCount(room))}</span>
    <span class="small soft">${text}</span>
  </span>`;
}

function languagesText({ languages }: RoomInfo): string {
  if (languages.length === 0) return 'As spoken';
  const named = languages.slice(0, MOST_NAMED).map(languageText).join(', ');
  const more = languages.length - MOST_NAMED;
  return more > 0 ? `${named} and ${more} more` : named;
}

customElements.define('console-rooms', ConsoleRooms);
