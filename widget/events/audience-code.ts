import { LitElement, css, html, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { baseStyles } from '../console/parts/base.styles.ts';
import { icons } from '../console/parts/icons.ts';
import { copyText } from '../page/handing-over.ts';
import { languageName } from '../views/captions.ts';
import type { DeskWords } from './desk-words.ts';
import type { RoomAtDesk, RoomDesk } from './room-desk.ts';

/** Time for which the button confirms a copy, in ms. */
const COPIED_MS = 2_500;

/** QR code of the link for readers: small within the page, and full-screen for a projector. */
export class AudienceCode extends LitElement {
  static override styles = [
    baseStyles,
    css`
      /* With large text on a phone, the address stands below the code. */
      .glance {
        display: flex;
        flex-wrap: wrap;
        gap: 1rem;
        align-items: center;
      }
      .glance > div {
        flex: 1 1 7rem;
        min-inline-size: 0;
      }
      /* A camera wants dark squares on light ground, whatever the page looks like. */
      .code {
        display: block;
        inline-size: min(7rem, 100%);
        aspect-ratio: 1;
        background: #fff;
        forced-color-adjust: none;
        border-radius: var(--radius-small);
      }
      .address {
        font-weight: 600;
        overflow-wrap: anywhere;
      }
      .passcode {
        font-variant-numeric: tabular-nums;
      }
      .actions {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
        margin-block-start: 0.75rem;
      }
      dialog {
        inline-size: 100vw;
        block-size: 100dvb;
        max-inline-size: none;
        max-block-size: none;
        padding: 0;
        margin: 0;
        color: var(--ink);
        background: var(--page);
        border: 0;
      }
      .sheet {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        block-size: 100%;
        padding: clamp(0.75rem, 2vmin, 2rem);
        overflow: auto;
        background: var(--page);
      }
      .sheet .top {
        display: flex;
        gap: 0.5rem;
        justify-content: flex-end;
      }
      .poster {
        display: grid;
        gap: clamp(1.25rem, 4vmin, 4rem);
        place-content: center;
        place-items: center;
        text-align: center;
      }
      .poster .code {
        inline-size: min(78vi, 52vb);
        padding: 1.5vmin;
        border-radius: 2vmin;
      }
      .poster .words {
        display: grid;
        gap: 1.6vmin;
        max-inline-size: 44rem;
      }
      .poster h2 {
        font-size: clamp(1.5rem, 5.2vmin, 4rem);
        letter-spacing: -0.02em;
      }
      .poster .address,
      .poster .passcode {
        font-size: clamp(1.125rem, 3.4vmin, 2.5rem);
      }
      .poster .languages {
        font-size: clamp(1rem, 2.5vmin, 1.875rem);
        color: var(--soft);
      }
      @media (orientation: landscape) {
        .poster {
          grid-template-columns: auto auto;
          text-align: start;
          place-items: center start;
        }
        .poster .code {
          inline-size: min(46vi, 76vb);
        }
        .poster .words {
          max-inline-size: 40vi;
        }
      }
    `,
  ];

  @property({ attribute: false }) room: RoomAtDesk | undefined;
  @property({ attribute: false }) desk: RoomDesk | undefined;
  @property({ attribute: false }) words: DeskWords['audience'] | undefined;
  @state() private image = '';
  @state() private isCopied = false;
  @query('dialog', true) private readonly dialog!: HTMLDialogElement;
  @query('.sheet', true) private readonly sheet!: HTMLElement;
  #shownUrl = '';

  protected override updated(): void {
    const url = this.room?.viewer_url ?? '';
    if (url === this.#shownUrl) return;
    this.#shownUrl = url;
    void this.draw(url);
  }

  /** Loads the code of an address, which may change, as when a link was revoked and replaced. */
  private async draw(url: string): Promise<void> {
    const code = url === '' ? undefined : await this.desk?.code().catch(() => undefined);
    if (url !== this.#shownUrl) return;
    // Retried with the next update of the room.
    if (url !== '' && code === undefined) this.#shownUrl = '';
    URL.revokeObjectURL(this.image);
    this.image = code === undefined ? '' : URL.createObjectURL(code);
  }

  override render() {
    const { room, words } = this;
    if (room === undefined || words === undefined) return nothing;
    if (room.viewer_url === undefined) {
      return html`<p class="soft">${words.noLink}</p>`;
    }
    return html`<div class="glance">
        ${this.picture(words)}
        <div>
          ${this.addressView(room, words)}
          <div class="actions">
            <button type="button" class="primary small" @click=${this.show}>
              ${words.showLarge}
            </button>
            <button type="button" class="small" @click=${this.copy}>
              ${this.isCopied ? icons.done : icons.copy}
              ${this.isCopied ? words.copied : words.copy}
            </button>
          </div>
        </div>
      </div>
      <dialog aria-labelledby="poster-heading">
        <div class="sheet">
          <div class="top">
            ${
              document.fullscreenEnabled
                ? html`<button type="button" @click=${this.fill}>${words.fullScreen}</button>`
                : nothing
            }
            <button type="button" class="icon-only" aria-label=${words.close} @click=${this.close}>
              ${icons.close}
            </button>
          </div>
          <div class="poster">
            ${this.picture(words)}
            <div class="words">
              <h2 id="poster-heading">${words.readAlong}</h2>
              <p class="languages">
                ${room.languages.map(
                  (language, index) =>
                    html`${index === 0 ? nothing : ' · '}<bdi lang=${language}
                        >${languageName(language)}</bdi
                      >`,
                )}
              </p>
              ${this.addressView(room, words)}
            </div>
          </div>
        </div>
      </dialog>`;
  }

  private picture({ code }: DeskWords['audience']) {
    // Reserves the space until the image has loaded.
    return this.image === ''
      ? html`<span class="code"></span>`
      : html`<img class="code" src=${this.image} alt=${code} />`;
  }

  private addressView({ viewer_url = '', passcode }: RoomAtDesk, words: DeskWords['audience']) {
    const { host, pathname, hash } = new URL(viewer_url);
    // Allows line breaks before the part of the path that differs from room to room.
    const folder = pathname.lastIndexOf('/') + 1;
    return html`${
      // An address with a key in it is too long to type.
      hash === ''
        ? html`<p class="address">
            <bdi dir="ltr"
              >${host}<wbr />${pathname.slice(0, folder)}<wbr />${pathname.slice(folder)}</bdi
            >
          </p>`
        : nothing
    }${
      passcode === undefined
        ? nothing
        : html`<p class="passcode">
            ${words.passcode} <strong><bdi>${passcode}</bdi></strong>
          </p>`
    }`;
  }

  private readonly show = (): void => this.dialog.showModal();

  private readonly close = (): void => {
    if (document.fullscreenElement !== null) void document.exitFullscreen();
    this.dialog.close();
  };

  /** Browsers do not make a dialog itself full-screen, so its content is. */
  private readonly fill = async (): Promise<void> => {
    await this.sheet.requestFullscreen().catch(() => undefined);
  };

  private readonly copy = async (): Promise<void> => {
    this.isCopied = await copyText(this.room?.viewer_url ?? '');
    if (this.isCopied) setTimeout(() => (this.isCopied = false), COPIED_MS);
  };
}

customElements.define('audience-code', AudienceCode);
