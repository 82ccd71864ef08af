/** How people come into a room: its lasting links, and the code that an audience scans. */
import { LitElement, css, html, nothing } from 'lit';
import { property } from 'lit/decorators.js';
import type { RoomInfo } from '../../../shared/schemas/rooms.ts';
import { apiUrl } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import '../parts/copy-field.ts';
import { icons } from '../parts/icons.ts';
import { note } from '../parts/states.ts';
import { showPoster } from './room-poster.ts';

/** Where the code is. Another link has another address, so that no old picture of it is shown. */
export function codeUrl({ room_id: id, viewer_url: url = '' }: RoomInfo): string {
  const key = /#key=(.+)$/.exec(url)?.[1];
  // The key itself stays out of addresses: the end of a signature tells one from another.
  return apiUrl(`v1/rooms/${encodeURIComponent(id)}/code.svg`, { of: key?.slice(-6) }).href;
}

/** The links and the code of a room. */
export class ConsoleRoomJoin extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .join {
        display: grid;
        grid-template-columns: 13rem minmax(0, 1fr);
        gap: var(--inset) calc(2 * var(--inset));
        align-items: start;
      }
      .code {
        display: grid;
        gap: 0.75rem;
        justify-items: stretch;
      }
      /* Cameras want dark on light, in the dark too. */
      .code img {
        display: block;
        inline-size: 100%;
        aspect-ratio: 1;
        padding: 0.75rem;
        background: #ffffff;
        border: 1px solid var(--line);
        border-radius: var(--radius-small);
      }
      .code .row {
        gap: 0.5rem;
      }
      .code .row > * {
        flex: 1;
      }
      .code .row > .wide {
        flex: 1 0 100%;
      }
      .links {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 1.125rem;
      }
      .links h3 + p {
        margin-block-end: 0.375rem;
      }
      @media (max-width: 46rem) {
        .join {
          grid-template-columns: minmax(0, 1fr);
        }
        .code {
          inline-size: min(100%, 17rem);
          justify-self: center;
        }
      }
    `,
  ];

  @property({ attribute: false }) room!: RoomInfo;

  override render() {
    const { room } = this;
    return html`<section class="card" aria-labelledby="title">
      <div class="card-head"><h2 id="title">Links and code</h2></div>
      <div class="inside stack">
        ${isLocal(room) ? note('warn', LOCAL) : nothing}
        <div class="join">
          ${this.code()}
          <div class="links">
            ${linkField({
              title: 'Readers',
              text: readersHint(room),
              url: room.viewer_url,
            })}
            ${linkField({
              title: 'Speaker',
              text: 'Whoever has it may speak into the room and pause it, on a phone too.',
              url: room.speaker_url,
            })}
            ${linkField({
              title: 'Captioner',
              text: 'For who types captions or corrects them.',
              url: room.captioner_url,
            })}
            ${linkField({
              title: 'Screen',
              text: 'Captions alone, for projectors and as a browser source in OBS.',
              url: room.overlay_url,
            })}
          </div>
        </div>
      </div>
    </section>`;
  }

  private code() {
    const { room } = this;
    if (room.viewer_url === undefined) {
      return html`<p class="soft">
        There is no code: every lasting link for readers was revoked. Make one below.
      </p>`;
    }
    return html`<div class="code">
      <img src=${codeUrl(room)} alt="QR code of the link for readers" width="208" height="208" />
      <div class="row">
        <button type="button" class="small wide" @click=${() => showPoster(room)}>
          ${icons.enlarge} Show large
        </button>
        <a class="button small" href=${codeUrl(room)} download=${`${room.name}.svg`}>
          ${icons.download} SVG
        </a>
        <button type="button" class="small" @click=${() => showPoster(room, { isPrinted: true })}>
          ${icons.print} Print
        </button>
      </div>
    </div>`;
  }
}

const LOCAL =
  'These links lead to this machine alone, and a phone elsewhere cannot open them. Open the console by the address that others reach, or set PUBLIC_URL.';

/** Whether nobody else can follow the links. */
function isLocal({ viewer_url: url = '' }: RoomInfo): boolean {
  if (!URL.canParse(url)) return false;
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}

function readersHint({ access, passcode }: RoomInfo) {
  if (access === 'everyone') return 'Whoever opens it reads along.';
  if (access === 'passcode') {
    return html`Asks for the passcode <strong class="mono">${passcode}</strong>.`;
  }
  return 'It has a key in it: whoever has it reads along.';
}

function linkField({
  title,
  text,
  url,
}: {
  title: string;
  text: unknown;
  url: string | undefined;
}) {
  if (url === undefined) {
    return html`<div>
      <h3>${title}</h3>
      <p class="soft">Every lasting link of this kind was revoked. Make one below.</p>
    </div>`;
  }
  return html`<div>
    <h3>${title}</h3>
    <p class="hint">${text}</p>
    <console-copy-field label=${`Link: ${title}`} .value=${url}>
      <a class="button" href=${url} target="_blank" rel="noopener"
        >${icons.open} Open<span class="unseen">: ${title}</span></a
      >
    </console-copy-field>
  </div>`;
}

customElements.define('console-room-join', ConsoleRoomJoin);
