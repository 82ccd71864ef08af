import { LitElement, css, html, nothing } from 'lit';
import { property, state } from 'lit/decorators.js';
import type { ConsoleSettings as Settings } from '../../../shared/schemas/console.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { Loaded } from '../parts/loaded.ts';
import { sayDone } from '../parts/messages.ts';
import { note } from '../parts/states.ts';
import { PASSWORD_RULE, passwordProblem } from '../password-rule.ts';
import { changePassword, type Session } from '../session.ts';
import './line-list.ts';

/** Sites, addresses and the password of the account. */
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
  @state() private problem = '';
  @state() private isBusy = false;
  private readonly settings = new Loaded(this, {
    load: ({ signal }) => api.get<Settings>('settings', { signal }),
  });

  override render() {
    return html`<div class="page">
      <header class="page-head"><h1>Settings</h1></header>
      <section class="card">
        <div class="card-head"><h2>Sites</h2></div>
        <div class="inside stack">
          <p>
            Pages of these sites may call the API and open voice sessions from a browser. Nobody
            else’s may; programs outside of browsers are not concerned. <code>*</code> is any site.
          </p>
          ${this.settings.render(
            ({ origins }) =>
              html`<console-line-list
                label="Site"
                placeholder="https://example.org"
                .lines=${origins}
                .save=${(lines: string[]) => this.save({ origins: lines })}
              ></console-line-list>`,
            { lines: 2 },
          )}
        </div>
      </section>
      <section class="card">
        <div class="card-head"><h2>Notices by mail</h2></div>
        <div class="inside stack">
          <p>These are told when a key has used 80 % of a limit, and again at 100 %.</p>
          ${this.settings.render(
            ({ emails }) =>
              html`<console-line-list
                label="Address"
                placeholder="desk@example.org"
                .lines=${emails}
                .save=${(lines: string[]) => this.save({ emails: lines })}
              ></console-line-list>`,
            { lines: 2 },
          )}
        </div>
      </section>
      ${this.passwordForm()}
    </div>`;
  }

  private passwordForm() {
    return html`<section class="card">
      <div class="card-head"><h2>Password</h2></div>
      <form class="inside stack" @submit=${this.onPassword}>
        <p>Changing it signs out every other browser.</p>
        ${this.problem === '' ? nothing : note('bad', this.problem)}
        <input
          type="text"
          autocomplete="username"
          .value=${this.session.account.name}
          readonly
          hidden
          aria-hidden="true"
        />
        <div class="field narrow">
          <label for="current">Current password</label>
          <input
            id="current"
            name="current"
            type="password"
            autocomplete="current-password"
            required
          />
        </div>
        <div class="field narrow">
          <label for="fresh">New password</label>
          <input
            id="fresh"
            name="fresh"
            type="password"
            autocomplete="new-password"
            required
            aria-describedby="rule"
          />
          <p class="hint" id="rule">${PASSWORD_RULE}</p>
        </div>
        <div class="field narrow">
          <label for="repeated">Once more</label>
          <input
            id="repeated"
            name="repeated"
            type="password"
            autocomplete="new-password"
            required
          />
        </div>
        <div class="row"><button ?disabled=${this.isBusy}>Change password</button></div>
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
    if (!(form instanceof HTMLFormElement) || this.isBusy) return;
    const fields = new FormData(form);
    const [current, fresh, repeated] = ['current', 'fresh', 'repeated'].map(
      (name) => fields.get(name) as string,
    ) as [string, string, string];
    this.problem = passwordProblem(fresh, repeated) ?? '';
    if (this.problem !== '') return;
    this.isBusy = true;
    try {
      await changePassword(current, fresh);
      form.reset();
      sayDone('The password is changed.');
    } catch (error) {
      this.problem = (error as Error).message;
    } finally {
      this.isBusy = false;
    }
  };
}

customElements.define('console-settings', ConsoleSettings);
