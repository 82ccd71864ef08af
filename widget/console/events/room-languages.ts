import { LitElement, css, html, nothing } from 'lit';
import { property, query } from 'lit/decorators.js';
import { languageText } from '../../page/language-text.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { icons } from '../parts/icons.ts';
import { languageOptions } from '../parts/languages.ts';
import type { RoomWishes } from './room-wishes.ts';

/** Most languages of a room. */
const MAX_LANGUAGES = 30;

export type ChosenLanguages = Pick<RoomWishes, 'languages' | 'always'>;

/**
 * Choice of a room's languages, and of those that are always translated.
 *
 * @fires languages-change - Carries the {@link ChosenLanguages}.
 */
export class ConsoleRoomLanguages extends LitElement {
  static override styles = [
    baseStyles,
    css`
      fieldset {
        display: grid;
        gap: 0.5rem;
        min-inline-size: 0;
        margin: 0;
        padding: 0;
        border: 0;
      }
      legend {
        margin-block-end: 0.375rem;
        padding: 0;
        font-size: 0.875rem;
        font-weight: 600;
      }
      ul {
        border: 1px solid var(--line);
        border-radius: var(--radius-small);
      }
      li {
        display: flex;
        gap: 0.75rem;
        align-items: center;
        padding-inline: 0.75rem 0.25rem;
      }
      li + li {
        border-block-start: 1px solid var(--line);
      }
      .name {
        flex: 1;
        min-inline-size: 0;
        font-weight: 550;
      }
      .name .error {
        display: block;
      }
      .check {
        font-size: 0.875rem;
      }
    `,
  ];

  @property({ attribute: false }) languages: readonly string[] = [];
  @property({ attribute: false }) always: readonly string[] = [];
  /** Possible target languages. */
  @property({ attribute: false }) possible: readonly string[] = [];
  @query('select', true) private readonly adding!: HTMLSelectElement;

  override render() {
    const { languages, possible } = this;
    const free = possible.filter((tag) => !languages.includes(tag));
    const isFull = languages.length >= MAX_LANGUAGES;
    return html`<fieldset>
      <legend>Languages to read in</legend>
      ${
        languages.length === 0
          ? nothing
          : html`<ul class="plain">
              ${languages.map((tag) => this.line(tag))}
            </ul>`
      }
      <select
        aria-label="Add a language"
        aria-describedby="hint"
        ?disabled=${free.length === 0 || isFull}
        @change=${this.add}
      >
        <option value="">${addText({ possible, free, isFull })}</option>
        ${languageOptions(free)}
      </select>
      <p class="hint" id="hint">
        Besides what is spoken. A language is translated while somebody reads it; with “always”,
        while nobody does as well.
      </p>
    </fieldset>`;
  }

  private line(tag: string) {
    const name = languageText(tag);
    return html`<li>
      <span class="name"
        >${name}
        ${
          this.possible.includes(tag)
            ? nothing
            : html`<span class="error">Nothing translates into it from what is spoken.</span>`
        }</span
      >
      <label class="check">
        <input
          type="checkbox"
          aria-label=${`Always translate ${name}`}
          .checked=${this.always.includes(tag)}
          @change=${() => this.toggle(tag)}
        />
        always
      </label>
      <button
        type="button"
        class="quiet icon-only"
        aria-label=${`Remove ${name}`}
        @click=${() => this.removeLanguage(tag)}
      >
        ${icons.close}
      </button>
    </li>`;
  }

  private readonly add = (): void => {
    const { value } = this.adding;
    this.adding.value = '';
    if (value !== '') this.choose({ languages: [...this.languages, value], always: this.always });
  };

  private toggle(tag: string): void {
    const isAlways = this.always.includes(tag);
    const always = isAlways ? without(this.always, tag) : [...this.always, tag];
    this.choose({ languages: this.languages, always });
  }

  private removeLanguage(tag: string): void {
    this.choose({ languages: without(this.languages, tag), always: without(this.always, tag) });
    this.adding.focus();
  }

  private choose(detail: ChosenLanguages): void {
    this.dispatchEvent(new CustomEvent<ChosenLanguages>('languages-change', { detail }));
  }
}

function without(tags: readonly string[], tag: string): string[] {
  return tags.filter((each) => each !== tag);
}

function addText({
  possible,
  free,
  isFull,
}: {
  possible: readonly string[];
  free: readonly string[];
  isFull: boolean;
}): string {
  if (possible.length === 0) return 'Nothing translates from what is spoken';
  if (isFull) return `At most ${MAX_LANGUAGES} languages`;
  return free.length === 0 ? 'All languages are there' : 'Add a language…';
}

customElements.define('console-room-languages', ConsoleRoomLanguages);
