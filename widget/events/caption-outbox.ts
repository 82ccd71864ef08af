/** A typed line on its way to the server. */
import type { ReactiveControllerHost } from 'lit';
import type { RoomDesk } from './room-desk.ts';

/** Longest caption that the API accepts. */
export const MAX_CHARACTERS = 2_000;

export interface WaitingLine {
  id: number;
  text: string;
  /** One of the room's languages, or `spoken`. */
  language: string;
  /** Why sending failed; undefined while the line is on its way. */
  failure: unknown;
}

/**
 * Sends new lines one at a time, in the order typed, without holding up typing. A line that fails blocks the
 * rest until it is sent again or discarded.
 */
export class CaptionOutbox {
  readonly #host: Pick<ReactiveControllerHost, 'requestUpdate'>;
  readonly #desk: Pick<RoomDesk, 'type'>;
  #lines: readonly WaitingLine[] = [];
  #lastId = 0;
  #isSending = false;

  constructor(host: Pick<ReactiveControllerHost, 'requestUpdate'>, desk: Pick<RoomDesk, 'type'>) {
    this.#host = host;
    this.#desk = desk;
  }

  get lines(): readonly WaitingLine[] {
    return this.#lines;
  }

  /** Adds a line; a longer text, such as a pasted speech, becomes several. */
  add(text: string, language: string): void {
    const hasFailed = this.#lines.some(({ failure }) => failure !== undefined);
    const added = piecesOf(text).map((piece) => ({
      id: ++this.#lastId,
      text: piece,
      language,
      failure: undefined,
    }));
    this.#show([...this.#lines, ...added]);
    if (!hasFailed) void this.send();
  }

  discard(id: number): void {
    this.#show(this.#lines.filter((each) => each.id !== id));
    void this.send();
  }

  /** Sends all waiting lines, including any that failed before. */
  async send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    this.#show(this.#lines.map((each) => ({ ...each, failure: undefined })));
    for (let next = this.#lines[0]; next !== undefined; next = this.#lines[0]) {
      const { id, text, language } = next;
      try {
        await this.#desk.type({ text, language });
        this.#show(this.#lines.filter((each) => each.id !== id));
      } catch (failure) {
        this.#show(this.#lines.map((each) => (each.id === id ? { ...each, failure } : each)));
        break;
      }
    }
    this.#isSending = false;
  }

  #show(lines: readonly WaitingLine[]): void {
    this.#lines = lines;
    this.#host.requestUpdate();
  }
}

/** Cuts a text after sentences, else after words, so that each piece is a caption. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let rest = text.trim();
  while (rest.length > MAX_CHARACTERS) {
    const head = rest.slice(0, MAX_CHARACTERS + 1);
    const end =
      /^.*(?:[.!?…؟]["'”’»)]*(?=\s)|[。！？][」』]*(?=[^」』]))/su.exec(head) ??
      /^.*\S(?=\s)/su.exec(head) ?? // Without the half of a character that the limit cuts.
      /^.*(?=.)/su.exec(head);
    const cut = end?.[0].length ?? MAX_CHARACTERS;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut).trim();
  }
  return rest === '' ? pieces : [...pieces, rest];
}
