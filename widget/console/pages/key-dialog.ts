import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { query, state } from 'lit/decorators.js';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import '../parts/dialog.ts';
import type { ConsoleDialog } from '../parts/dialog.ts';
import { sayDone } from '../parts/messages.ts';
import { note } from '../parts/states.ts';
import type { ApiKey } from './keys.ts';

const MINUTE_MS = 60_000;

/** What the form says about a limit: none, or so many. */
interface LimitField {
  name: 'characters' | 'minutes';
  title: string;
  unit: string;
  limit: number | null;
}

/**
 * Changes the label and the monthly limits of a developer key.
 *
 * @fires key-changed - Something was changed, or part of it.
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
  @state() private failure: Error | undefined;
  @state() private isBusy = false;
  @query('console-dialog', true) private readonly dialog!: ConsoleDialog;

  /** Opens it for a key. */
  async edit(key: ApiKey): Promise<void> {
    const { characters, speech_to_text_milliseconds: speechMs } = key.usage_limits;
    this.key = key;
    this.limited = {
      characters: characters !== null,
      minutes: speechMs !== null,
    };
    this.failure = undefined;
    await this.updateComplete;
    await this.dialog.show();
  }

  override render() {
    return html`<console-dialog
      heading=${`Edit “${this.key?.label ?? ''}”`}
      @dialog-close=${() => (this.key = undefined)}
    >
      ${this.key === undefined ? nothing : this.form(this.key)}
    </console-dialog>`;
  }

  private form({ label, usage_limits: limits }: ApiKey): TemplateResult {
    const speechMs = limits.speech_to_text_milliseconds;
    return html`<form class="stack" @submit=${this.onSubmit}>
      ${this.failure === undefined ? nothing : note('bad', this.failure.message)}
      <div class="field">
        <label for="label">Label</label>
        <input id="label" name="label" required maxlength="200" .value=${label} autofocus />
      </div>
      ${this.limitField({
        ...{ name: 'characters', title: 'Characters a month', unit: 'characters' },
        limit: limits.characters,
      })}
      ${this.limitField({
        ...{ name: 'minutes', title: 'Speech a month', unit: 'minutes' },
        limit: speechMs === null ? null : speechMs / MINUTE_MS,
      })}
      <p class="hint">
        At a limit, requests with this key are refused until the next month; 0 refuses all. The
        addresses of the settings are told at 80 % and at 100 %.
      </p>
      <div class="row end">
        <button type="button" @click=${() => this.dialog.close()}>Cancel</button>
        <button class="primary" ?disabled=${this.isBusy}>Save</button>
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

  private readonly onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const key = this.key;
    if (key === undefined || !(event.target instanceof HTMLFormElement) || this.isBusy) return;
    const fields = new FormData(event.target);
    this.isBusy = true;
    try {
      await changeKey(key, {
        label: (fields.get('label') as string).trim(),
        characters: amountOf(fields.get('characters'), 1),
        speechMs: amountOf(fields.get('minutes'), MINUTE_MS),
      });
      this.dialog.close();
      sayDone('Saved.');
    } catch (error) {
      this.failure = error as Error;
    } finally {
      this.isBusy = false;
      // The label may have been changed when the limits could not be.
      this.dispatchEvent(new Event('key-changed'));
    }
  };
}

/** Null where the field is away: no limit. */
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
