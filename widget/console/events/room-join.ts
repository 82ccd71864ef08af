/** Ways into a room: its lasting links, and the QR code for an audience. */
import { css, html, LitElement, nothing } from 'lit';
import { property, query } from 'lit/decorators.js';
import { textDirection } from '../../../shared/language.ts';
import type { RoomInfo } from '../../../shared/schemas/rooms.ts';
import { apiUrl } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import '../parts/copy-field.ts';
import { icons } from '../parts/icons.ts';
import '../parts/messages.ts';
import { note } from '../parts/states.ts';

/** Card with a room's links and QR code. */
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
        forced-color-adjust: none;
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
      .inside {
        container-type: inline-size;
      }
      /* Links want room for an address and two buttons. */
      @container (max-width: 42rem) {
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

/** Returns the address of the QR code. A changed link changes the address, so no stale image is shown. */
function codeUrl({ room_id: id, viewer_url: url = '' }: RoomInfo): string {
  const key = /#key=(.+)$/.exec(url)?.[1];
  // The key itself stays out of the address: the end of its signature distinguishes links.
  return apiUrl(`v1/rooms/${encodeURIComponent(id)}/code.svg`, { of: key?.slice(-6) }).href;
}

const LOCAL =
  'These links lead to this machine alone, and a phone elsewhere cannot open them. Open the console by the address that others reach, or set PUBLIC_URL.';

/** Whether the links only work on this machine. */
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

// The QR code over the whole window, for a screen on stage or for print.

/**
 * Poster of a room: its name, its QR code and its languages. It is a child of the page's body, whose style
 * sheet prints nothing else while the poster exists.
 */
class ConsoleRoomPoster extends LitElement {
  static override styles = [
    baseStyles,
    css`
      :host {
        display: contents;
      }
      /* Cameras want dark on light, and so does paper. */
      dialog {
        color-scheme: light;
        inline-size: 100vw;
        max-inline-size: none;
        block-size: 100dvb;
        max-block-size: none;
        padding: clamp(1.25rem, 4vmin, 4rem);
        padding-block-end: calc(clamp(1.25rem, 4vmin, 4rem) + var(--messages-block-size, 0px));
        color: #15191c;
        background: #ffffff;
        forced-color-adjust: none;
        border: 0;
        overflow: auto;
      }
      .poster {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        gap: clamp(1.5rem, 6vmin, 5rem);
        align-items: center;
        min-block-size: 100%;
      }
      img {
        inline-size: min(78vmin, 52vw);
        aspect-ratio: 1;
      }
      .words {
        display: grid;
        gap: clamp(0.75rem, 2.5vmin, 2rem);
        font-size: clamp(1.125rem, 2.6vmin, 2.25rem);
        line-height: 1.35;
        overflow-wrap: anywhere;
        text-wrap: balance;
      }
      h1 {
        font-size: clamp(2rem, 6vmin, 5rem);
        line-height: 1.1;
      }
      ul {
        display: flex;
        flex-wrap: wrap;
        gap: 0.25em 1.25em;
        font-weight: 600;
      }
      .passcode {
        font-size: 1.6em;
        font-weight: 650;
        letter-spacing: 0.06em;
      }
      .mono {
        color: #495157;
      }
      .address {
        font-size: 0.8em;
      }
      .tools {
        position: fixed;
        inset-block-start: 0.75rem;
        inset-inline-end: 0.75rem;
        display: flex;
        gap: 0.5rem;
        padding: 0;
        border: 0;
      }
      @media (orientation: portrait) {
        .poster {
          grid-template-columns: minmax(0, 1fr);
          align-content: center;
          justify-items: center;
          padding-block-start: 3rem;
          text-align: center;
        }
        img {
          inline-size: min(80vw, 58vh);
        }
        ul {
          justify-content: center;
        }
      }
      @media print {
        dialog {
          position: static;
          block-size: auto;
          overflow: visible;
        }
        .tools {
          display: none;
        }
      }
    `,
  ];

  @property({ attribute: false }) room!: RoomInfo;
  @query('dialog', true) private readonly dialog!: HTMLDialogElement;
  @query('img', true) private readonly image!: HTMLImageElement;

  async show(): Promise<void> {
    await this.updateComplete;
    this.dialog.showModal();
  }

  async print(): Promise<void> {
    // A poster printed before its code has loaded would be useless.
    await this.image.decode().catch(() => undefined);
    print();
  }

  override render() {
    const { room } = this;
    const address = addressOf(room);
    return html`<dialog aria-labelledby="name" @close=${() => this.remove()}>
      <div class="tools">
        <button type="button" @click=${() => this.print()}>${icons.print} Print</button>
        <button type="button" autofocus @click=${() => this.dialog.close()}>
          ${icons.close} Close
        </button>
      </div>
      <div class="poster">
        <img src=${codeUrl(room)} alt="QR code of the link for readers" />
        <div class="words">
          <h1 id="name">${room.name}</h1>
          <p>Read along on your phone: scan the code.</p>
          ${
            room.languages.length === 0
              ? nothing
              : html`<ul class="plain" aria-label="Languages">
                  ${room.languages.map(
                    (tag) => html`<li lang=${tag} dir=${textDirection(tag)}>${ownName(tag)}</li>`,
                  )}
                </ul>`
          }
          ${
            room.passcode === undefined
              ? nothing
              : html`<p>Passcode<br /><span class="passcode mono">${room.passcode}</span></p>`
          }
          ${address === undefined ? nothing : html`<p class="mono address">${address}</p>`}
        </div>
      </div>
      <console-messages></console-messages>
    </dialog>`;
  }
}

/** Returns the address to type; undefined if it contains a key, which is too long to type. */
function addressOf({ viewer_url: url = '' }: RoomInfo): string | undefined {
  return url.includes('#') ? undefined : url.replace(/^https?:\/\//, '');
}

/** Returns a language's name in itself, which its readers look for. */
function ownName(tag: string): string {
  try {
    return new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

customElements.define('console-room-poster', ConsoleRoomPoster);

/** Shows a room's poster over the whole window, and optionally prints it. */
async function showPoster(room: RoomInfo, { isPrinted = false } = {}): Promise<void> {
  const poster = new ConsoleRoomPoster();
  poster.room = room;
  document.body.append(poster);
  await poster.show();
  if (isPrinted) await poster.print();
}
