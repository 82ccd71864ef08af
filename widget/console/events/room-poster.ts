/** The code of a room over the whole window, for a screen on a stage or on paper. */
import { LitElement, css, html, nothing } from 'lit';
import { property, query } from 'lit/decorators.js';
import { textDirection } from '../../../shared/language.ts';
import type { RoomInfo } from '../../../shared/schemas/rooms.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { icons } from '../parts/icons.ts';
import { codeUrl } from './room-join.ts';

/**
 * A poster: what the room is, its code, and in which languages it can be read. It stands in the page's
 * body, whose style sheet prints nothing else while it is there.
 */
export class ConsoleRoomPoster extends LitElement {
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
        color: #15191c;
        background: #ffffff;
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
    // Paper without the code would be of no use.
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
    </dialog>`;
  }
}

/** The address as somebody types it; undefined for one with a key in it, which nobody types. */
function addressOf({ viewer_url: url = '' }: RoomInfo): string | undefined {
  return url.includes('#') ? undefined : url.replace(/^https?:\/\//, '');
}

/** A language by the name that its own readers look for. */
function ownName(tag: string): string {
  try {
    return new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

customElements.define('console-room-poster', ConsoleRoomPoster);

/** Shows the code of a room over the whole window, and prints it when that is wished. */
export async function showPoster(room: RoomInfo, { isPrinted = false } = {}): Promise<void> {
  const poster = new ConsoleRoomPoster();
  poster.room = room;
  document.body.append(poster);
  await poster.show();
  if (isPrinted) await poster.print();
}
