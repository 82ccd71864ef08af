import type { RoomInfo } from '../../../shared/schemas/rooms.ts';

/** A misheard word, and its correction. */
export interface Replacement {
  readonly from: string;
  readonly to: string;
}

/** Word rules of a room. */
export type RoomWords = Pick<RoomInfo, 'replacements' | 'hidden_words'>;

/** Most rules of each kind. */
const MAX_WORDS = 500;

/** Draft of a room's word rules: rows of replacements, and hidden words as lines of text. */
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

  /** Whether other rules have been saved since. */
  isBehind(saved: RoomWords): boolean {
    return !isSame(saved, this.#saved);
  }

  /** Sets one side of a row; typing into the row after the last one creates it. */
  type(at: number, side: keyof Replacement, text: string): void {
    const rows = at < this.rows.length ? [...this.rows] : [...this.rows, { from: '', to: '' }];
    const row = rows[at] ?? { from: '', to: '' };
    rows[at] = { ...row, [side]: text };
    this.rows = rows;
  }

  remove(at: number): void {
    this.rows = this.rows.filter((_, index) => index !== at);
  }

  /** Replaces a row with pasted lines of two columns each. */
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

  /** The rules to save: trimmed, without empty rows and duplicate hidden words. */
  get words(): RoomWords {
    const rows = this.rows.map(({ from, to }) => ({ from: from.trim(), to: to.trim() }));
    const filled = rows.filter(({ from, to }) => from !== '' || to !== '');
    const hidden = this.hidden.split('\n').map((line) => line.trim());
    return {
      replacements: filled,
      hidden_words: [...new Set(hidden.filter((word) => word !== ''))],
    };
  }

  /** Why the draft cannot be saved, as far as the client can tell; empty if it can. */
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

  /** Describes how the draft differs from the saved rules; empty if it does not. */
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
