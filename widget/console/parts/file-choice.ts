import {
  css,
  html,
  type ReactiveController,
  type ReactiveControllerHost,
  type TemplateResult,
} from 'lit';
import { acceptDrops } from '../../page/file-drop.ts';

/** File input of an element: the file is chosen by a button, or dropped anywhere on the element. */
export class FileChoice implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  readonly #accept: string;
  readonly #words: string;
  readonly #onFile: (file: File) => void;
  #isOver = false;
  #endDrops: (() => void) | undefined;

  constructor(
    host: ReactiveControllerHost & HTMLElement,
    {
      accept,
      words,
      onFile,
    }: {
      /** File extensions, `.csv,.tsv`. */
      accept: string;
      /** Text shown while a file is dragged over the element. */
      words: string;
      onFile: (file: File) => void;
    },
  ) {
    this.#host = host;
    this.#accept = accept;
    this.#words = words;
    this.#onFile = onFile;
    host.addController(this);
  }

  hostConnected(): void {
    this.#endDrops = acceptDrops(this.#host, {
      onOver: (isOver) => {
        this.#isOver = isOver;
        this.#host.requestUpdate();
      },
      onFiles: ([file]) => {
        if (file !== undefined) this.#onFile(file);
      },
    });
  }

  hostDisconnected(): void {
    this.#endDrops?.();
    this.#isOver = false;
  }

  /** Opens the browser's file chooser; call it from a click. */
  readonly choose = (): void => {
    const root = this.#host.shadowRoot ?? this.#host;
    root.querySelector<HTMLInputElement>('input[type="file"]')?.click();
  };

  /** Renders into the card, which is the drop area: `static styles = [baseStyles, fileChoiceStyles]`. */
  render(): TemplateResult {
    return html`<input
        type="file"
        accept=${this.#accept}
        aria-label="File to import"
        hidden
        @change=${this.#onChange}
      />
      <div class="dropping" ?hidden=${!this.#isOver}>${this.#words}</div>`;
  }

  readonly #onChange = ({ target }: Event): void => {
    if (!(target instanceof HTMLInputElement)) return;
    const file = target.files?.[0];
    if (file !== undefined) this.#onFile(file);
    // Allows the same file to be chosen again.
    target.value = '';
  };
}

/** Style of a card on which files may be dropped. */
export const fileChoiceStyles = css`
  .card {
    position: relative;
  }
  .dropping {
    position: absolute;
    inset: 0;
    z-index: 2;
    display: grid;
    place-items: center;
    font-weight: 600;
    color: var(--accent);
    background: color-mix(in srgb, var(--tint) 92%, transparent);
    border: 2px dashed var(--accent);
    border-radius: inherit;
    pointer-events: none;
  }
`;
