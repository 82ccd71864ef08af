/** Dialogs for keys of either kind: creation, one-time display of the secret, label and limits. */
import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import type { DeveloperKey, NewDeveloperKey } from '../../../shared/schemas/admin.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import '../parts/copy-field.ts';
import type { ConsoleDialog } from '../parts/dialog.ts';
import '../parts/dialog.ts';
import { sayDone } from '../parts/messages.ts';
import { Sending } from '../parts/sending.ts';
import { note } from '../parts/states.ts';

/** A developer key or an admin key. */
export type ApiKey = DeveloperKey;

/**
 * Dialog that creates a key and then shows its secret, once.
 *
 * @fires key-made - A key was created.
 */
export class ConsoleNewKeyDialog extends LitElement {
  static override styles = baseStyles;

  @property() heading = 'New key';
  /** API path of the kind of key. */
  @property() path = '';
  @state() private isOpen = false;
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;
  private readonly sending = new Sending(this);

  async show(): Promise<void> {
    this.isOpen = true;
    await this.updateComplete;
    await this.dialog.show();
  }

  override render() {
    return html`<console-dialog heading=${this.heading} @dialog-close=${this.forget}>
      ${this.isOpen ? this.form() : nothing}
    </console-dialog>`;
  }

  private form() {
    return html`<form class="stack" @submit=${this.onSubmit}>
      <div class="field">
        <label for="label">Label</label>
        <input id="label" name="label" maxlength="200" autofocus aria-describedby="label-hint" />
        <p class="hint" id="label-hint">What it is for, such as “Website”. Can be changed later.</p>
      </div>
      ${this.sending.note()}
      <div class="row end">
        <button type="button" @click=${() => this.dialog.close()}>Cancel</button>
        ${this.sending.button('Make key')}
      </div>
    </form>`;
  }

  private readonly onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!(event.target instanceof HTMLFormElement)) return;
    const label = (new FormData(event.target).get('label') as string).trim();
    await this.sending.send(async () => {
      const made = await api.post<NewDeveloperKey>(this.path, label === '' ? {} : { label });
      this.dialog.close();
      void showSecret(made);
      this.dispatchEvent(new Event('key-made'));
    });
  };

  private readonly forget = (): void => {
    this.isOpen = false;
    this.sending.reset();
  };
}

customElements.define('console-new-key-dialog', ConsoleNewKeyDialog);

/**
 * Dialog that shows the secret of a new key, once. It is not part of the page, so it stays when the page
 * below changes by the browser's Back button or by the end of the session, until the user confirms the copy.
 */
export class ConsoleSecretDialog extends LitElement {
  static override styles = baseStyles;

  @state() private key: NewDeveloperKey | undefined;
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;

  async show(key: NewDeveloperKey): Promise<void> {
    this.key = key;
    addEventListener('beforeunload', askBeforeLeaving);
    await this.updateComplete;
    await this.dialog.show();
  }

  override render() {
    return html`<console-dialog
      heading="Copy the key now"
      ?stubborn=${this.key !== undefined}
      @dialog-close=${this.forget}
    >
      ${this.key === undefined ? nothing : this.secret(this.key)}
    </console-dialog>`;
  }

  private secret({ label, key }: NewDeveloperKey) {
    return html`<div class="stack">
      ${note('warn', 'This is the only time the key is shown. Keep it where secrets are kept.')}
      <console-copy-field label=${`Secret of ${label}`} .value=${key}></console-copy-field>
      <div class="row end">
        <button type="button" class="primary" @click=${() => this.dialog.close()}>
          I have copied it
        </button>
      </div>
    </div>`;
  }

  private readonly forget = (): void => {
    this.key = undefined;
    removeEventListener('beforeunload', askBeforeLeaving);
  };
}

/** Makes the browser ask before a reload, before leaving the site and before closing the tab. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

customElements.define('console-secret-dialog', ConsoleSecretDialog);

let shown: ConsoleSecretDialog | undefined;

/** Shows the secret of a new key over the current page. */
function showSecret(key: NewDeveloperKey): Promise<void> {
  shown ??= document.body.appendChild(new ConsoleSecretDialog());
  return shown.show(key);
}

const MINUTE_MS = 60_000;

/** A limit in the form; null for none. */
interface LimitField {
  name: 'characters' | 'minutes';
  title: string;
  unit: string;
  limit: number | null;
}

/**
 * Dialog that changes the label and the monthly limits of a developer key.
 *
 * @fires key-changed - The key was changed, at least in part.
 */
export class ConsoleKeyDialog extends LitElement {
  static override styles = [
    baseStyles,
    css`
      fieldset {
        display: grid;
        gap: 0.375rem;
        margin: 0;
        padding: 0;
        border: 0;
      }
      legend {
        padding: 0;
        font-weight: 600;
        font-size: 0.875rem;
      }
      .limit {
        display: flex;
        flex-wrap: wrap;
        gap: 0.375rem 1.25rem;
        align-items: center;
      }
      .limit input[type='number'] {
        inline-size: 10rem;
      }
      .amount {
        display: flex;
        gap: 0.5rem;
        align-items: center;
      }
    `,
  ];

  @state() private key: ApiKey | undefined;
  @state() private limited = { characters: false, minutes: false };
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;
  private readonly sending = new Sending(this);

  async edit(key: ApiKey): Promise<void> {
    const { characters, speech_to_text_milliseconds: speechMs } = key.usage_limits;
    this.key = key;
    this.limited = {
      characters: characters !== null,
      minutes: speechMs !== null,
    };
    this.sending.reset();
    await this.updateComplete;
    await this.dialog.show();
  }

  override render() {
    return html`<console-dialog
      heading=${`Edit “${this.key?.label ?? ''}”`}
      thing=${this.key?.key_id ?? ''}
      @dialog-close=${this.onClose}
    >
      ${this.key === undefined ? nothing : this.form(this.key)}
    </console-dialog>`;
  }

  private form({ label, usage_limits: limits }: ApiKey): TemplateResult {
    const speechMs = limits.speech_to_text_milliseconds;
    return html`<form class="stack" @submit=${this.onSubmit}>
      <div class="field">
        <label for="label">Label</label>
        <input id="label" name="label" required maxlength="200" .value=${label} autofocus />
      </div>
      ${this.limitField({
        name: 'characters',
        title: 'Characters a month',
        unit: 'characters',
        limit: limits.characters,
      })}
      ${this.limitField({
        name: 'minutes',
        title: 'Speech a month',
        unit: 'minutes',
        limit: speechMs === null ? null : speechMs / MINUTE_MS,
      })}
      <p class="hint">
        At a limit, requests with this key are refused until the next month; 0 refuses all. The
        addresses of the settings get a mail at 80 % and at 100 %.
      </p>
      ${this.sending.note()}
      <div class="row end">
        <button type="button" @click=${() => this.dialog.close()}>Cancel</button>
        ${this.sending.button('Save')}
      </div>
    </form>`;
  }

  private limitField({ name, title, unit, limit }: LimitField): TemplateResult {
    const isLimited = this.limited[name];
    return html`<fieldset>
      <legend>${title}</legend>
      <div class="limit">
        <label class="check">
          <input
            type="checkbox"
            name=${`${name}-without`}
            .checked=${!isLimited}
            @change=${() => (this.limited = { ...this.limited, [name]: !isLimited })}
          />
          No limit
        </label>
        ${
          isLimited
            ? html`<label class="amount">
                <span class="unseen">${title}: at most</span>
                <input
                  type="number"
                  name=${name}
                  required
                  min="0"
                  step=${name === 'minutes' ? 'any' : 1}
                  max="1000000000"
                  inputmode="decimal"
                  .value=${limit === null ? '' : String(limit)}
                />
                ${unit}
              </label>`
            : nothing
        }
      </div>
    </fieldset>`;
  }

  private readonly onClose = (): void => {
    this.key = undefined;
    this.sending.reset();
  };

  private readonly onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const { key } = this;
    if (key === undefined || !(event.target instanceof HTMLFormElement)) return;
    const fields = new FormData(event.target);
    const wanted = {
      label: (fields.get('label') as string).trim(),
      characters: amountOf(fields.get('characters'), 1),
      speechMs: amountOf(fields.get('minutes'), MINUTE_MS),
    };
    const isSaved = await this.sending.send(async () => {
      try {
        await changeKey(key, wanted);
      } finally {
        // The label may have been changed even if the limits could not be.
        this.dispatchEvent(new Event('key-changed'));
      }
      sayDone('Saved.');
    });
    if (isSaved) this.dialog.close();
  };
}

/** Returns the amount of a field; null, for no limit, if the field is absent. */
function amountOf(field: FormDataEntryValue | null, unit: number): number | null {
  return field === null ? null : Math.round(Number(field) * unit);
}

async function changeKey(
  { key_id, label, usage_limits: limits }: ApiKey,
  wanted: { label: string; characters: number | null; speechMs: number | null },
): Promise<void> {
  const path = 'v2/admin/developer-keys';
  if (wanted.label !== label) await api.put(`${path}/label`, { key_id, label: wanted.label });
  const { characters, speech_to_text_milliseconds: speechMs } = limits;
  if (wanted.characters === characters && wanted.speechMs === speechMs) return;
  await api.put(`${path}/limits`, {
    key_id,
    characters: wanted.characters,
    speech_to_text_milliseconds: wanted.speechMs,
  });
}

customElements.define('console-key-dialog', ConsoleKeyDialog);
