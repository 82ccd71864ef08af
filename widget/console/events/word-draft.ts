import type { RoomInfo } from '../../../shared/schemas/rooms.ts';

/** What was heard, and what it is. */
export interface Replacement {
  readonly from: string;
  readonly to: string;
}

/** What becomes of words in a room. */
export type RoomWords = Pick<RoomInfo, 'replacements' | 'hidden_words'>;

/** Most words of each kind. */
const MAX_WORDS = 500;

/** The words of a room while they are edited: rows as they are typed, and lines of text. */
export class WordDraft {
  #saved: RoomWords;
  rows: readonly Replacement[];
  hidden: string;

  constructor(saved: RoomWords) {
    this.#saved = saved;
    this.rows = saved.replacements;
    this.hidden = saved.hidden_words.join('\n');
  }

  get isChanged(): boolean {
    return !isSame(this.words, this.#saved);
  }

  /** Whether somebody has saved other words since. */
  isBehind(saved: RoomWords): boolean {
    return !isSame(saved, this.#saved);
  }

  /** Puts what was typed into one side of a row; the row after the last one comes to be by that. */
  type(at: number, side: keyof Replacement, text: string): void {
    const rows = at < this.rows.length ? [...this.rows] : [...this.rows, { from: '', to: '' }];
    const row = rows[at] ?? { from: '', to: '' };
    rows[at] = { ...row, [side]: text };
    this.rows = rows;
  }

  remove(at: number): void {
    this.rows = this.rows.filter((_, index) => index !== at);
  }

  /** Takes lines that were copied elsewhere, two columns each, in the place of a row. */
  paste(at: number, text: string): void {
    const pasted = text
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const [from = '', ...rest] = line.split(/\t|\s*(?:→|=>|=)\s*/);
        return { from: from.trim(), to: rest.join(' ').trim() };
      });
    this.rows = [...this.rows.slice(0, at), ...pasted, ...this.rows.slice(at + 1)];
  }

  discard(): void {
    this.rows = this.#saved.replacements;
    this.hidden = this.#saved.hidden_words.join('\n');
  }

  /** What is to be saved: without blanks, empty rows and what is there twice. */
  get words(): RoomWords {
    const rows = this.rows.map(({ from, to }) => ({ from: from.trim(), to: to.trim() }));
    const filled = rows.filter(({ from, to }) => from !== '' || to !== '');
    const hidden = this.hidden.split('\n').map((line) => line.trim());
    return {
      replacements: filled,
      hidden_words: [...new Set(hidden.filter((word) => word !== ''))],
    };
  }

  /** Why it cannot be saved, as far as can be seen before the server is asked; empty when it can. */
  get obstacle(): string {
    const { replacements, hidden_words: hidden } = this.words;
    const nameless = replacements.find(({ from }) => from === '');
    if (nameless !== undefined) return `Say what is heard in the place of “${nameless.to}”.`;
    const twice = replacements.find(
      ({ from }, at) =>
        replacements.findIndex((each) => each.from.toLowerCase() === from.toLowerCase()) < at,
    );
    if (twice !== undefined) return `“${twice.from}” is there twice.`;
    if (replacements.length > MAX_WORDS || hidden.length > MAX_WORDS) {
      return `A room has at most ${MAX_WORDS} words of each kind.`;
    }
    return '';
  }

  /** How it differs from what is saved; empty when it does not. */
  get changes(): string {
    const { replacements, hidden_words: hidden } = this.words;
    const parts = [
      isSame(replacements, this.#saved.replacements) ? '' : 'words put right',
      isSame(hidden, this.#saved.hidden_words) ? '' : 'hidden words',
    ];
    return parts.filter((part) => part !== '').join(' and ');
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
