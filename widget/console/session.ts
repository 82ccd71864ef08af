/** Console session: sign-in, sign-out and password calls, and the two forms that open a session. */
import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { property, query } from 'lit/decorators.js';
import type { ConsoleSession } from '../../shared/schemas/console.ts';
import { counted } from '../page/numbers.ts';
import { api, ApiFailure } from './api.ts';
import { baseStyles } from './parts/base.styles.ts';
import { hasDrafts } from './parts/draft-shelf.ts';
import { Sending } from './parts/sending.ts';
import { note } from './parts/states.ts';

export type Session = ConsoleSession;

/** Returns the session of this browser; undefined when signed out. @throws ApiFailure */
export async function currentSession(): Promise<Session | undefined> {
  try {
    return await api.get<Session>('session');
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 401) return undefined;
    throw error;
  }
}

/** @throws ApiFailure 403 for a wrong account or password, 429 after too many tries */
function signIn(account: string, password: string): Promise<Session> {
  return api.post<Session>('sign-in', { account, password });
}

/** @throws ApiFailure */
export async function signOut(): Promise<void> {
  await api.post<undefined>('sign-out', {});
}

/** Sets the password with the token of a one-time link, and signs in. @throws ApiFailure */
function setPassword(token: string, password: string): Promise<Session> {
  return api.post<Session>('password', { token, password });
}

/** Changes the password and signs out all other browsers. @throws ApiFailure */
export function changePassword(currentPassword: string, password: string): Promise<Session> {
  return api.post<Session>('password/change', { current_password: currentPassword, password });
}

const MIN_PASSWORD_LENGTH = 12;
const TOO_MANY_REQUESTS = 429;

export const PASSWORD_RULE = `At least ${MIN_PASSWORD_LENGTH} characters. A few words that do not belong together are good.`;

/** Returns what is wrong with a new password, as far as the client can tell; the server has the last word. */
export function passwordProblem(password: string, repeated: string): string | undefined {
  if (password.length < MIN_PASSWORD_LENGTH)
    return `Take at least ${MIN_PASSWORD_LENGTH} characters.`;
  if (password !== repeated) return 'The two are not the same.';
  return undefined;
}

/** Renders a password field; for a new password the browser offers to generate one. */
export function passwordField({
  name,
  label,
  isNew = true,
  hint,
  describedBy,
}: {
  /** Name and id of the field. */
  name: string;
  label: string;
  isNew?: boolean;
  hint?: string;
  /** Id of another element that describes the field. */
  describedBy?: string;
}): TemplateResult {
  const hintId = hint === undefined ? describedBy : `${name}-hint`;
  return html`<div class="field">
    <label for=${name}>${label}</label>
    <input
      id=${name}
      name=${name}
      type="password"
      autocomplete=${isNew ? 'new-password' : 'current-password'}
      required
      aria-describedby=${hintId ?? nothing}
    />
    ${hint === undefined ? nothing : html`<p class="hint" id=${`${name}-hint`}>${hint}</p>`}
  </div>`;
}

/** Style of a form alone on the page. */
const doorStyles = css`
  main {
    display: grid;
    align-content: start;
    justify-items: center;
    min-block-size: 100dvb;
    padding: max(2rem, 14vh) 1rem 3rem;
  }
  .door {
    display: grid;
    gap: 1.25rem;
    inline-size: min(100%, 25rem);
    padding: clamp(1.25rem, 5vw, 2.25rem);
  }
  form {
    display: grid;
    gap: 1.125rem;
  }
  h1 {
    font-size: 1.5rem;
  }
  button {
    inline-size: 100%;
    min-block-size: 2.75rem;
  }
  .note {
    font-size: 0.875rem;
  }
`;

/**
 * Form that asks for account and password.
 *
 * @fires signed-in - Carries the session.
 */
export class ConsoleSignIn extends LitElement {
  static override styles = [baseStyles, doorStyles];

  /** The session that was open here and has ended. */
  @property({ attribute: false }) former: Session | undefined;
  /** The session opened in this browser since. */
  @property({ attribute: false }) successor: Session | undefined;
  @query('#account', true) private readonly account!: HTMLInputElement;
  @query('#password', true) private readonly password!: HTMLInputElement;
  private readonly signing = new Sending(this);

  override firstUpdated(): void {
    (this.account.value === '' ? this.account : this.password).focus();
  }

  override render() {
    return html`<main>
      <div class="card door">
        <h1>Sign in</h1>
        ${this.former === undefined ? nothing : this.farewell()}
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
          ${passwordField({ name: 'password', label: 'Password', isNew: false, describedBy: 'forgotten' })}
          ${this.signing.note()} ${this.signing.button('Sign in', { busyLabel: 'Signing in…' })}
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
      const kept = hasDrafts() ? ' What you have typed is kept, except passwords.' : '';
      return note('info', `Your session is over. Sign in to go on where you were.${kept}`);
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
    await this.signing.send(async () => {
      try {
        this.finish(await signIn(this.account.value.trim(), this.password.value));
      } catch (error) {
        this.password.select();
        throw new Error(failureText(error as Error), { cause: error });
      }
    });
  };
}

function failureText(failure: Error): string {
  const isRefused = failure instanceof ApiFailure && failure.status === TOO_MANY_REQUESTS;
  const waitS = isRefused ? failure.retryAfterS : undefined;
  if (waitS === undefined) return failure.message;
  const wait =
    waitS < 90 ? counted(Math.ceil(waitS), 'second') : counted(Math.ceil(waitS / 60), 'minute');
  return `Too many tries. Try again in ${wait}.`;
}

customElements.define('console-sign-in', ConsoleSignIn);

/**
 * Form that sets the console's password with a one-time link.
 *
 * @fires signed-in - Carries the session.
 */
export class ConsoleSetPassword extends LitElement {
  static override styles = [baseStyles, doorStyles];

  /** Token of the link. */
  @property({ attribute: false }) token = '';
  @query('#fresh', true) private readonly password!: HTMLInputElement;
  @query('#repeated', true) private readonly repeated!: HTMLInputElement;
  private readonly setting = new Sending(this);

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
        <form @submit=${this.onSubmit}>
          ${passwordField({ name: 'fresh', label: 'New password', hint: PASSWORD_RULE })}
          ${passwordField({ name: 'repeated', label: 'Once more' })} ${this.setting.note()}
          ${this.setting.button('Set password and sign in', { busyLabel: 'Setting…' })}
        </form>
      </div>
    </main>`;
  }

  private readonly onSubmit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const problem = passwordProblem(this.password.value, this.repeated.value);
    if (problem !== undefined) {
      this.setting.refuse(problem, this.password);
      return;
    }
    await this.setting.send(async () => {
      const session = await setPassword(this.token, this.password.value);
      this.dispatchEvent(new CustomEvent<Session>('signed-in', { detail: session }));
    });
  };
}

customElements.define('console-set-password', ConsoleSetPassword);
