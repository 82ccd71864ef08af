import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Lets files be dropped on an element, and on nothing else of the page. */
export class FileDrop implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  readonly #onFile: (file: File) => void;
  /** Elements entered by what is dragged, less those that were left: a child counts as well. */
  #depth = 0;

  constructor(host: ReactiveControllerHost & HTMLElement, onFile: (file: File) => void) {
    this.#host = host;
    this.#onFile = onFile;
    host.addController(this);
  }

  /** Files are over the element. */
  get isTarget(): boolean {
    return this.#depth > 0;
  }

  hostConnected(): void {
    this.#host.addEventListener('dragenter', this.#enter);
    this.#host.addEventListener('dragleave', this.#leave);
    this.#host.addEventListener('drop', this.#drop);
    // A file that misses the element must not take the place of the page.
    for (const type of ['dragover', 'drop'] as const) addEventListener(type, preventDefault);
  }

  hostDisconnected(): void {
    this.#host.removeEventListener('dragenter', this.#enter);
    this.#host.removeEventListener('dragleave', this.#leave);
    this.#host.removeEventListener('drop', this.#drop);
    for (const type of ['dragover', 'drop'] as const) removeEventListener(type, preventDefault);
    this.#depth = 0;
  }

  readonly #enter = (event: DragEvent): void => this.#move(event, 1);
  readonly #leave = (event: DragEvent): void => this.#move(event, -1);

  readonly #drop = (event: DragEvent): void => {
    event.preventDefault();
    this.#depth = 0;
    this.#host.requestUpdate();
    const file = event.dataTransfer?.files[0];
    if (file !== undefined) this.#onFile(file);
  };

  #move(event: DragEvent, step: 1 | -1): void {
    if (event.dataTransfer?.types.includes('Files') !== true) return;
    this.#depth = Math.max(0, this.#depth + step);
    this.#host.requestUpdate();
  }
}

function preventDefault(event: Event): void {
  event.preventDefault();
}
