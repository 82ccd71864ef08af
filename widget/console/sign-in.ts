import { LitElement, html, nothing } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { ApiFailure } from './api.ts';
import { doorStyles } from './door.styles.ts';
import { baseStyles } from './parts/base.styles.ts';
import { counted } from './parts/numbers.ts';
import { note } from './parts/states.ts';
import { signIn, type Session } from './session.ts';
import './set-password.ts';

/**
 * Asks for account and password.
 *
 * @fires signed-in - With the session.
 */
export class ConsoleSignIn extends LitElement {
  static override styles = [baseStyles, doorStyles];

  /** Who was signed in here, and is no more. */
  @property({ attribute: false }) former: Session | undefined;
  /** Who has signed in in this browser since. */
  @property({ attribute: false }) successor: Session | undefined;
  @state() private failure: Error | undefined;
  @state() private isBusy = false;
  @query('#account', true) private readonly account!: HTMLInputElement;
  @query('#password', true) private readonly password!: HTMLInputElement;

  override firstUpdated(): void {
    (this.account.value === '' ? this.account : this.password).focus();
  }

  override render() {
    return html`<main>
      <div class="card door">
        <h1>Sign in</h1>
        ${this.failure === undefined && this.former !== undefined ? this.farewell() : nothing}
        ${this.failure === undefined ? nothing : note('bad', failureText(this.failure))}
        <form @submit=${this.onSubmit}>
          <div class="field">
            <label for="account">Account</label>
            <input
              id="account"
              name="account"
              value=${this.former?.account.name ?? 'default'}
              autocomplete="username"
              autocapitalize="none"
              spellcheck="false"
              required
            />
          </div>
          <div class="field">
            <label for="password">Password</label>
            <input
              id="password"
              name="password"
              type="password"
              autocomplete="current-password"
              required
              aria-describedby="forgotten"
            />
          </div>
          <button class="primary" ?disabled=${this.isBusy}>
            ${this.isBusy ? 'Signing in…' : 'Sign in'}
          </button>
          <p class="hint" id="forgotten">
            No password yet, or forgotten? On the server,
            <code>npm run dragoman -- account console-link default</code> prints a link that sets
            one.
          </p>
        </form>
      </div>
    </main>`;
  }

  private farewell() {
    const { successor } = this;
    if (successor === undefined) {
      return note('info', 'Your session is over. Sign in to go on where you were.');
    }
    const { name } = successor.account;
    return note(
      'info',
      html`<div class="stack">
        <p>
          <strong>${name}</strong> has signed in in this browser, which ended your session here.
          Sign in again, or go on as ${name}.
        </p>
        <div class="row">
          <button type="button" class="small" @click=${() => this.finish(successor)}>
            Go on as ${name}
          </button>
        </div>
      </div>`,
    );
  }

  private finish(session: Session): void {
    this.dispatchEvent(new CustomEvent<Session>('signed-in', { detail: session }));
  }

  private readonly onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      const session = await signIn(this.account.value.trim(), this.password.value);
      this.finish(session);
    } catch (error) {
      this.failure = error as Error;
      this.password.select();
    } finally {
      this.isBusy = false;
    }
  };
}

function failureText(failure: Error): string {
  const waitS = failure instanceof ApiFailure ? failure.retryAfterS : undefined;
  if (waitS === undefined) return failure.message;
  const wait =
    waitS < 90 ? counted(Math.ceil(waitS), 'second') : counted(Math.ceil(waitS / 60), 'minute');
  return `Too many tries. Try again in ${wait}.`;
}

customElements.define('console-sign-in', ConsoleSignIn);
