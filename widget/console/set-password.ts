import { LitElement, html, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { doorStyles } from './door.styles.ts';
import { baseStyles } from './parts/base.styles.ts';
import { note } from './parts/states.ts';
import { PASSWORD_RULE, passwordProblem } from './password-rule.ts';
import { setPassword, type Session } from './session.ts';

/**
 * Sets the console's password by a one-time link.
 *
 * @fires signed-in - With the session.
 */
export class ConsoleSetPassword extends LitElement {
  static override styles = [baseStyles, doorStyles];

  /** Of the link. */
  @property({ attribute: false }) token = '';
  @state() private problem = '';
  @state() private isBusy = false;
  @query('#new-password', true) private readonly password!: HTMLInputElement;
  @query('#repeated', true) private readonly repeated!: HTMLInputElement;

  override firstUpdated(): void {
    this.password.focus();
  }

  override render() {
    return html`<main>
      <div class="card door">
        <div class="stack">
          <h1>Set your password</h1>
          <p class="soft">
            For the console of this server. From now on you sign in with it and the name of the
            account.
          </p>
        </div>
        ${this.problem === '' ? nothing : note('bad', this.problem)}
        <form @submit=${this.onSubmit}>
          <div class="field">
            <label for="new-password">New password</label>
            <input
              id="new-password"
              type="password"
              autocomplete="new-password"
              required
              aria-describedby="rule"
            />
            <p class="hint" id="rule">${PASSWORD_RULE}</p>
          </div>
          <div class="field">
            <label for="repeated">Once more</label>
            <input id="repeated" type="password" autocomplete="new-password" required />
          </div>
          <button class="primary" ?disabled=${this.isBusy}>
            ${this.isBusy ? 'Setting…' : 'Set password and sign in'}
          </button>
        </form>
      </div>
    </main>`;
  }

  private readonly onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (this.isBusy) return;
    this.problem = passwordProblem(this.password.value, this.repeated.value) ?? '';
    if (this.problem !== '') {
      this.password.focus();
      return;
    }
    this.isBusy = true;
    try {
      const session = await setPassword(this.token, this.password.value);
      this.dispatchEvent(new CustomEvent<Session>('signed-in', { detail: session }));
    } catch (error) {
      this.problem = (error as Error).message;
    } finally {
      this.isBusy = false;
    }
  };
}

customElements.define('console-set-password', ConsoleSetPassword);
