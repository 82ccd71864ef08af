import { LitElement, css, html } from 'lit';
import { property, query } from 'lit/decorators.js';
import type { ConsoleSettings as Settings } from '../../../shared/schemas/console.ts';
import { ApiFailure, api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { page } from '../parts/frame.ts';
import { icons } from '../parts/icons.ts';
import { sayDone } from '../parts/messages.ts';
import { Sending } from '../parts/sending.ts';
import { Loaded, asError } from '../parts/states.ts';
import {
  PASSWORD_RULE,
  changePassword,
  passwordField,
  passwordProblem,
  type Session,
} from '../session.ts';

/** Settings page: allowed origins, notice addresses and the password of the account. */
export class ConsoleSettings extends LitElement {
  static override styles = [
    baseStyles,
    css`
      .inside > p {
        max-inline-size: 64ch;
        color: var(--soft);
      }
      .narrow {
        max-inline-size: 26rem;
      }
    `,
  ];

  @property({ attribute: false }) session!: Session;
  private readonly changing = new Sending(this);
  private readonly settings = new Loaded(this, {
    load: ({ signal }) => api.get<Settings>('settings', { signal }),
  });

  override render() {
    return page(
      { title: 'Settings' },
      html`${this.lines({
        name: 'origins',
        title: 'Sites',
        text: html`Pages of these sites may call the API and open voice sessions from a browser.
          Nobody else’s may; programs outside of browsers are not concerned. <code>*</code> is any
          site.`,
        label: 'Site',
        placeholder: 'https://example.org',
        adviceOn: siteAdvice,
      })}
      ${this.lines({
        name: 'emails',
        title: 'Notices by mail',
        text: 'These get a mail when a key has used 80 % of a limit, and again at 100 %.',
        label: 'Address',
        placeholder: 'desk@example.org',
        adviceOn: (address) =>
          `“${address}” is no mail address. Write one alone, such as desk@example.org.`,
      })}
      ${this.passwordForm()}`,
    );
  }

  private lines({
    name,
    title,
    text,
    label,
    placeholder,
    adviceOn,
  }: {
    name: 'origins' | 'emails';
    title: string;
    text: unknown;
    /** What one line is called. */
    label: string;
    placeholder: string;
    adviceOn: (line: string) => string;
  }) {
    return html`<section class="card">
      <div class="card-head"><h2>${title}</h2></div>
      <div class="inside stack">
        <p>${text}</p>
        ${this.settings.render(
          (settings) =>
            html`<console-line-list
              label=${label}
              placeholder=${placeholder}
              .lines=${settings[name]}
              .adviceOn=${adviceOn}
              .save=${(lines: string[]) => this.save({ [name]: lines })}
            ></console-line-list>`,
          { lines: 2 },
        )}
      </div>
    </section>`;
  }

  private passwordForm() {
    return html`<section class="card">
      <div class="card-head"><h2>Password</h2></div>
      <form class="inside stack" @submit=${this.onPassword}>
        <p>Changing it signs out every other browser.</p>
        <input
          type="text"
          autocomplete="username"
          .value=${this.session.account.name}
          readonly
          hidden
          aria-hidden="true"
        />
        <div class="stack narrow">
          ${passwordField({ name: 'current', label: 'Current password', isNew: false })}
          ${passwordField({ name: 'fresh', label: 'New password', hint: PASSWORD_RULE })}
          ${passwordField({ name: 'repeated', label: 'Once more' })}
        </div>
        ${this.changing.note()}
        <div class="row">${this.changing.button('Change password', { kind: '' })}</div>
      </form>
    </section>`;
  }

  private async save(change: Partial<Settings>): Promise<void> {
    this.settings.set(await api.put<Settings>('settings', change));
    sayDone('Saved.');
  }

  private readonly onPassword = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.target;
    if (!(form instanceof HTMLFormElement)) return;
    const fields = new FormData(form);
    const [current, fresh, repeated] = ['current', 'fresh', 'repeated'].map(
      (name) => fields.get(name) as string,
    ) as [string, string, string];
    const problem = passwordProblem(fresh, repeated);
    if (problem !== undefined) {
      this.changing.refuse(problem, form.querySelector<HTMLElement>('#fresh'));
      return;
    }
    await this.changing.send(async () => {
      await changePassword(current, fresh);
      form.reset();
      sayDone('The password is changed.');
    });
  };
}

/** Most origins or addresses of an account. */
const MOST_LINES = 100;

/** Returns what is wrong with a refused site, and what to write instead. */
function siteAdvice(line: string): string {
  if (line.includes('*')) {
    return `“${line}” cannot be used: * stands alone, for any site. Write each site in full, such as https://www.example.org.`;
  }
  const site = siteIn(line);
  if (site === undefined) {
    return `“${line}” is no address of a site. Write it as browsers show it, such as https://example.org.`;
  }
  return /^https?:\/\//i.test(line)
    ? `“${line}” is more than a site. Write ${site} alone.`
    : `“${line}” does not begin with https:// or http://. Write ${site} instead.`;
}

/** Returns the origin that was probably meant; undefined if the text contains none. */
function siteIn(line: string): string | undefined {
  const bare = line.replace(/^[a-z][a-z\d+.-]*:\/\//i, '').replace(/^\/\//, '');
  const isPlain = /^http:/i.test(line) || /^(localhost|127\.)/i.test(bare);
  const address = `${isPlain ? 'http' : 'https'}://${bare}`;
  if (!URL.canParse(address)) return undefined;
  const { hostname, origin } = new URL(address);
  return /[.:]|^localhost$/.test(hostname) ? origin : undefined;
}

/** List of short texts. Each addition or removal is saved at once. */
class ConsoleLineList extends LitElement {
  static override styles = [
    baseStyles,
    css`
      :host {
        max-inline-size: 36rem;
      }
      li {
        display: flex;
        gap: 0.5rem;
        align-items: center;
        justify-content: space-between;
        min-block-size: 2.75rem;
        border-block-end: 1px solid var(--line);
      }
      li span {
        min-inline-size: 0;
        overflow-wrap: anywhere;
      }
      form {
        display: flex;
        gap: 0.5rem;
      }
    `,
  ];

  /** What one line is called, such as `Site`. */
  @property() label = '';
  @property() placeholder = '';
  @property({ attribute: false }) lines: readonly string[] = [];
  /** Saves the whole list; an error it throws is shown. */
  @property({ attribute: false }) save: (lines: string[]) => Promise<void> = async () => undefined;
  /** Returns what is wrong with a line that the server refused, and what to write instead. */
  @property({ attribute: false }) adviceOn: (line: string) => string = () => '';
  @query('input', true) private readonly field!: HTMLInputElement;
  private readonly sending = new Sending(this);

  override render() {
    return html`<div class="stack">
      ${
        this.lines.length === 0
          ? html`<p class="soft">None yet.</p>`
          : html`<ul class="plain">
              ${this.lines.map(
                (line) =>
                  html`<li>
                    <span>${line}</span>
                    <button
                      type="button"
                      class="quiet icon-only"
                      aria-label=${`Remove ${line}`}
                      ?disabled=${this.sending.isBusy}
                      @click=${() => this.takeAway(line)}
                    >
                      ${icons.remove}
                    </button>
                  </li>`,
              )}
            </ul>`
      }
      <form @submit=${this.onAdd}>
        <input
          aria-label=${`New ${this.label.toLowerCase()}`}
          placeholder=${this.placeholder}
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          aria-invalid=${this.sending.failure !== ''}
          aria-describedby="failure"
          required
        />
        ${this.sending.button('Add', { kind: '' })}
      </form>
      ${this.sending.note()}
    </div>`;
  }

  private readonly onAdd = async (event: Event): Promise<void> => {
    event.preventDefault();
    const line = this.field.value.trim();
    if (line === '') return;
    const lines = this.lines.includes(line) ? [...this.lines] : [...this.lines, line];
    if (await this.keep(lines, line)) this.field.value = '';
    this.field.focus();
  };

  private async takeAway(line: string): Promise<void> {
    // Focusing the field also keeps a held Enter key from removing one line after the other.
    if (await this.keep(this.lines.filter((other) => other !== line))) this.field.focus();
  }

  private keep(lines: string[], added?: string): Promise<boolean> {
    return this.sending.send(async () => {
      try {
        await this.save(lines);
      } catch (error) {
        throw new Error(this.problemOf(error, lines, added), { cause: error });
      }
    });
  }

  private problemOf(error: unknown, lines: readonly string[], added: string | undefined): string {
    const isRefused = error instanceof ApiFailure && error.status === 400;
    if (!isRefused || added === undefined) return asError(error).message;
    if (lines.length > MOST_LINES) return `There are ${MOST_LINES} already: remove one first.`;
    return this.adviceOn(added);
  }
}

customElements.define('console-line-list', ConsoleLineList);
customElements.define('console-settings', ConsoleSettings);
