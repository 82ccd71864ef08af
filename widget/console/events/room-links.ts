/** Signed links of a room: lists, creates and revokes them. */
import { LitElement, css, html, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import type {
  RoomInfo,
  RoomLink,
  RoomLinkCreation,
  RoomRole,
} from '../../../shared/schemas/rooms.ts';
import { copyText } from '../../page/handing-over.ts';
import { dayText, momentText } from '../../page/numbers.ts';
import { api, serverNowMs } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import '../parts/copy-field.ts';
import { doneIfConfirmed, type ConsoleDialog } from '../parts/dialog.ts';
import { table } from '../parts/frame.ts';
import { icons } from '../parts/icons.ts';
import { sayDone, sayFailed } from '../parts/messages.ts';
import { Sending } from '../parts/sending.ts';
import { Loaded } from '../parts/states.ts';
import { hoursText, roleTexts } from './room-text.ts';

/** Lifetimes offered for links, in hours; 0 until revoked. */
const EXPIRIES = [0, 2, 8, 24, 72, 168, 720] as const;

function linksPath({ room_id: id }: RoomInfo): string {
  return `v1/rooms/${encodeURIComponent(id)}/links`;
}

/**
 * Table of a room's signed links.
 *
 * @fires links-change - A link was created or revoked, so the room may show other links.
 */
export class ConsoleRoomLinks extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .about {
        padding: 0.875rem var(--inset) 0.25rem;
      }
      tbody th {
        overflow-wrap: anywhere;
      }
      .two-lines {
        display: grid;
      }
      .first {
        font-weight: 400;
      }
    `,
  ];

  @property({ attribute: false }) room!: RoomInfo;
  @query('console-room-link-dialog', true) private readonly dialog!: ConsoleRoomLinkDialog;
  readonly #links = new Loaded(this, {
    load: async ({ signal }) => {
      const { links } = await api.get<{ links: RoomLink[] }>(linksPath(this.room), { signal });
      return inOrder(links, this.room);
    },
  });

  override render() {
    return html`<section class="card" aria-labelledby="title">
        <div class="card-head">
          <h2 id="title">Signed links</h2>
          <button type="button" class="small" @click=${this.make}>${icons.add} New link</button>
        </div>
        <p class="about hint">
          Each has a key of its own, so that it can end by itself or be revoked. Links for readers
          lead in without a passcode.
        </p>
        ${this.#links.render((links) => this.table(links), { lines: 3 })}
      </section>
      <console-room-link-dialog @link-made=${this.reload}></console-room-link-dialog>`;
  }

  private table(links: readonly RoomLink[]) {
    return table({
      items: links,
      keyOf: ({ link_id: id }) => id,
      isPast: hasExpired,
      empty: {
        icon: icons.link,
        heading: 'No link',
        text: 'All were revoked. Nobody can speak into the room until there is a link for a speaker.',
      },
      columns: [
        { title: 'For', kind: 'name', cell: (link) => this.purposeOf(link) },
        { title: 'Role', cell: roleOf },
        { title: 'Good', cell: validityOf },
        { title: 'Made', kind: 'short', cell: ({ creation_time: time }) => dayText(time) },
        { title: 'Actions', kind: 'actions', cell: (link) => this.actions(link) },
      ],
    });
  }

  private purposeOf(link: RoomLink) {
    if (!isFirst(link, this.room)) return nameOf(link);
    return html`<span class="two-lines">
      ${nameOf(link)}<span class="first small soft">Made with the room</span>
    </span>`;
  }

  private actions(link: RoomLink) {
    const made = isFirst(link, this.room) ? '' : `, made ${momentText(link.creation_time)}`;
    const name = link.label === '' ? `${nameOf(link)}${made}` : `${roleOf(link)}, ${link.label}`;
    return html`${
        hasExpired(link)
          ? nothing
          : html`<button
              type="button"
              class="small"
              aria-label=${`Copy link: ${name}`}
              @click=${() => copy(link)}
            >
              ${icons.copy} Copy
            </button>`
      }<button
        type="button"
        class="small danger"
        aria-label=${`Revoke link: ${name}`}
        @click=${() => this.revoke(link)}
      >
        Revoke
      </button>`;
  }

  private readonly make = (): void => void this.dialog.ask(this.room);

  private readonly reload = (): void => {
    void this.#links.reload();
    this.dispatchEvent(new Event('links-change'));
  };

  private async revoke(link: RoomLink): Promise<void> {
    const { viewer_url, overlay_url, speaker_url, captioner_url } = this.room;
    const key = keyIn(link.url);
    const shown = [viewer_url, overlay_url, speaker_url, captioner_url];
    const isShown = shown.some((url) => url !== undefined && keyIn(url) === key);
    const name =
      link.label === '' ? `This ${roleOf(link).toLowerCase()}’s link` : `“${link.label}”`;
    const after = isShown
      ? ' It is one of those shown above, where the next lasting one takes its place; codes that were printed with it lead nowhere.'
      : '';
    await doneIfConfirmed({
      heading: 'Revoke this link?',
      text: `${name} leads nowhere any more, and whoever has come in by it is sent away at once.${after}`,
      action: 'Revoke link',
      done: 'The link was revoked.',
      work: async () => {
        try {
          await api.delete(`${linksPath(this.room)}/${encodeURIComponent(link.link_id)}`);
        } finally {
          this.reload();
        }
      },
    });
  }
}

async function copy({ url }: RoomLink): Promise<void> {
  if (await copyText(url)) sayDone('The link was copied.');
  else sayFailed(new Error(`The browser did not allow copying: ${url}`));
}

/** Names of links without a label, by role. */
const audiences: Record<RoomRole, string> = {
  viewer: 'Readers and screens',
  captioner: 'Captioners',
  speaker: 'Speakers',
};

function nameOf({ label, role }: RoomLink): string {
  return label === '' ? audiences[role as RoomRole] : label;
}

function roleOf({ role }: RoomLink): string {
  return roleTexts[role as RoomRole];
}

function hasExpired({ expiry_time: time }: RoomLink): boolean {
  return time !== undefined && Date.parse(time) <= serverNowMs();
}

function validityOf(link: RoomLink) {
  const { expiry_time: time } = link;
  if (time === undefined) return 'Until it is revoked';
  return hasExpired(link) ? html`<span class="badge">Expired</span>` : `Until ${momentText(time)}`;
}

/** Sorts the links that were created with the room first, by role; the others keep their order. */
function inOrder(links: readonly RoomLink[], room: RoomInfo): RoomLink[] {
  const isOneOfFirst = (link: RoomLink) => isFirst(link, room);
  const roles = Object.keys(roleTexts);
  const first = links
    .filter(isOneOfFirst)
    .sort((one, other) => roles.indexOf(one.role) - roles.indexOf(other.role));
  return [...first, ...links.filter((link) => !isOneOfFirst(link))];
}

/** Whether a link was created together with the room, which gives both the same time. */
function isFirst({ label, creation_time: time }: RoomLink, room: RoomInfo): boolean {
  return label === '' && time === room.creation_time;
}

function keyIn(url: string): string | undefined {
  return /#key=(.+)$/.exec(url)?.[1];
}

customElements.define('console-room-links', ConsoleRoomLinks);

/**
 * Dialog that creates a link and then shows it.
 *
 * @fires link-made - A link was created.
 */
export class ConsoleRoomLinkDialog extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .pair {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 12rem), 1fr));
        gap: 1rem;
      }
    `,
  ];

  @state() private room: RoomInfo | undefined;
  @state() private made: RoomLink | undefined;
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;
  private readonly sending = new Sending(this);

  async ask(room: RoomInfo): Promise<void> {
    this.room = room;
    this.made = undefined;
    this.sending.reset();
    await this.updateComplete;
    await this.dialog.show();
  }

  override render() {
    return html`<console-dialog
      heading=${this.made === undefined ? 'New link' : 'Hand it out'}
      @dialog-close=${this.onClose}
    >
      ${
        this.room === undefined
          ? nothing
          : this.made === undefined
            ? this.form()
            : this.result(this.made)
      }
    </console-dialog>`;
  }

  private form() {
    return html`<form class="stack" @submit=${this.onSubmit}>
      <div class="field">
        <label for="label">Whom it is for</label>
        <input id="label" name="label" maxlength="200" autocomplete="off" autofocus />
        <p class="hint">Such as “Press”: so that you know later which one to revoke.</p>
      </div>
      <div class="pair">
        <div class="field">
          <label for="role">What it is good for</label>
          <select id="role" name="role">
            <option value="viewer">Reading</option>
            <option value="captioner">Captioning</option>
            <option value="speaker">Speaking</option>
          </select>
        </div>
        <div class="field">
          <label for="expiry">How long</label>
          <select id="expiry" name="expiry">
            ${EXPIRIES.map(
              (hours) =>
                html`<option value=${hours}>
                  ${hours === 0 ? 'Until it is revoked' : hoursText(hours)}
                </option>`,
            )}
          </select>
        </div>
      </div>
      ${this.sending.note()}
      <div class="row end">
        <button type="button" @click=${() => this.dialog.close()}>Cancel</button>
        ${this.sending.button('Make link')}
      </div>
    </form>`;
  }

  private result(link: RoomLink) {
    return html`<div class="stack">
      <p>
        ${roleOf(link)}${link.label === '' ? nothing : html`, <strong>${link.label}</strong>`}.
        <span class="soft">${validityOf(link)}.</span>
      </p>
      <console-copy-field label="The new link" .value=${link.url}></console-copy-field>
      <p class="hint">It stays in the list, where it can be copied again.</p>
      <div class="row end">
        <button type="button" class="primary" autofocus @click=${() => this.dialog.close()}>
          Done
        </button>
      </div>
    </div>`;
  }

  private readonly onClose = (): void => {
    this.room = undefined;
    this.sending.reset();
  };

  private readonly onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const { room } = this;
    if (room === undefined || !(event.target instanceof HTMLFormElement)) return;
    const fields = new FormData(event.target);
    const hours = Number(fields.get('expiry'));
    const wish: RoomLinkCreation = {
      role: fields.get('role') as string,
      label: (fields.get('label') as string).trim(),
      ...(hours > 0 && { expires_in_hours: hours }),
    };
    let made: RoomLink | undefined;
    const isMade = await this.sending.send(async () => {
      made = await api.post<RoomLink>(linksPath(room), wish);
      this.dispatchEvent(new Event('link-made'));
    });
    if (!isMade) return;
    this.made = made;
    this.dialog.forget();
    await this.updateComplete;
    // The submit button that had the focus is gone with the form.
    this.renderRoot.querySelector<HTMLElement>('[autofocus]')?.focus();
  };
}

customElements.define('console-room-link-dialog', ConsoleRoomLinkDialog);
