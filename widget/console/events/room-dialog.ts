import { LitElement, css, html, nothing } from 'lit';
import { query, state } from 'lit/decorators.js';
import type { RoomInfo } from '../../../shared/schemas/rooms.ts';
import { baseStyles } from '../parts/base.styles.ts';
import type { ConsoleDialog } from '../parts/dialog.ts';
import '../parts/dialog.ts';
import { roomTitle, type ConsoleRoomForm } from './room-form.ts';

/** The room form in a dialog. Its choices are fetched again each time it opens. */
export class ConsoleRoomDialog extends LitElement {
  static override styles = [
    baseStyles,
    css`
      console-dialog {
        --dialog-size: 38rem;
      }
    `,
  ];

  @state() private isOpen = false;
  @state() private room: RoomInfo | undefined;
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;
  @query('console-room-form') private readonly form!: ConsoleRoomForm | null;
  #onSaved: ((room: RoomInfo) => void) | undefined;

  /** Opens an empty form to create a room. */
  make(onMade: (room: RoomInfo) => void): Promise<void> {
    return this.open(undefined, onMade);
  }

  /** Opens the form to change a room's settings. */
  change(room: RoomInfo, onChanged: (room: RoomInfo) => void): Promise<void> {
    return this.open(room, onChanged);
  }

  private async open(room: RoomInfo | undefined, onSaved: (room: RoomInfo) => void): Promise<void> {
    this.room = room;
    this.#onSaved = onSaved;
    this.isOpen = true;
    await this.updateComplete;
    await this.dialog.show();
  }

  override render() {
    return html`<console-dialog heading=${roomTitle(this.room)} @dialog-close=${this.onClose}>
      ${
        this.isOpen
          ? html`<console-room-form
              .room=${this.room}
              @room-saved=${this.onSaved}
              @form-cancel=${() => this.dialog.close()}
            ></console-room-form>`
          : nothing
      }
    </console-dialog>`;
  }

  private readonly onClose = (): void => {
    // The console also closes the dialog when the session ends; the draft then waits for the next session.
    if (this.isConnected) this.form?.end();
    this.isOpen = false;
  };

  private readonly onSaved = ({ detail: room }: CustomEvent<RoomInfo>): void => {
    this.dialog.close();
    this.#onSaved?.(room);
  };
}

customElements.define('console-room-dialog', ConsoleRoomDialog);
