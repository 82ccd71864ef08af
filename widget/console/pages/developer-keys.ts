import { LitElement, html, nothing, type TemplateResult } from 'lit';
import { property, query } from 'lit/decorators.js';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { confirmed } from '../parts/confirmation.ts';
import { icons } from '../parts/icons.ts';
import { Loaded } from '../parts/loaded.ts';
import { sayDone, sayFailed } from '../parts/messages.ts';
import { counted, dayText, durationText, wholeNumber } from '../parts/numbers.ts';
import { emptyState } from '../parts/states.ts';
import type { Session } from '../session.ts';
import { developerKeysStyles } from './developer-keys.styles.ts';
import './key-dialog.ts';
import type { ConsoleKeyDialog } from './key-dialog.ts';
import { usageOfKeys, type ApiKey, type KeyUsage } from './keys.ts';
import { meter } from './meter.ts';
import './new-key-dialog.ts';
import type { ConsoleNewKeyDialog } from './new-key-dialog.ts';

/** Most that are active at the same time. */
const MAX_ACTIVE = { free: 2, pro: 25 } as const;

/** Keys programs translate with: made, named, limited and deactivated. */
export class ConsoleDeveloperKeys extends LitElement {
  static override styles = [baseStyles, developerKeysStyles];

  @property({ attribute: false }) session!: Session;
  @query('console-new-key-dialog', true) private readonly newDialog!: ConsoleNewKeyDialog;
  @query('console-key-dialog', true) private readonly editDialog!: ConsoleKeyDialog;
  private readonly keys = new Loaded(this, {
    load: async ({ signal }) => {
      const [keys, usage] = await Promise.all([
        api.get<ApiKey[]>('v2/admin/developer-keys', { signal }),
        usageOfKeys(signal),
      ]);
      return { keys, usage };
    },
  });

  override render() {
    return html`<div class="page">
      <header class="page-head">
        <div>
          <h1>Developer keys</h1>
          <p>One for each program, so that it can be limited and stopped by itself.</p>
        </div>
        <div class="row">
          <button type="button" class="primary" @click=${() => this.newDialog.show()}>
            ${icons.add} New key
          </button>
        </div>
      </header>
      <section class="card" aria-label="Developer keys">
        ${this.keys.render((value) => this.list(value))}
      </section>
      <console-new-key-dialog
        heading="New developer key"
        path="v2/admin/developer-keys"
        @key-made=${() => this.keys.reload()}
      ></console-new-key-dialog>
      <console-key-dialog @key-changed=${() => this.keys.reload()}></console-key-dialog>
    </div>`;
  }

  private list({ keys, usage }: { keys: readonly ApiKey[]; usage: KeyUsage }): TemplateResult {
    const active = keys.filter((key) => !key.is_deactivated);
    const past = keys.filter((key) => key.is_deactivated);
    return html`${
        active.length === 0
          ? emptyState({
              icon: icons.key,
              heading: 'No active keys',
              text: 'Make one and give it to the program that shall translate.',
            })
          : html`<table class="stacked">
              <thead>
                <tr>
                  <th>Label</th>
                  <th>Characters this month</th>
                  <th>Speech this month</th>
                  <th>Made</th>
                  <th><span class="unseen">Actions</span></th>
                </tr>
              </thead>
              <tbody>
                ${active.map((key) => this.row(key, usage))}
              </tbody>
            </table>`
      }
      <div class="foot">
        <p class="small soft">
          ${active.length} of ${MAX_ACTIVE[this.session.account.plan]} keys in use.
        </p>
        ${past.length === 0 ? nothing : pastKeys(past)}
      </div>`;
  }

  private row(key: ApiKey, usage: KeyUsage): TemplateResult {
    const used = usage.of(key);
    const { characters, speech_to_text_milliseconds: speechMs } = key.usage_limits;
    return html`<tr>
      <th scope="row">
        <span class="name">
          <span>${key.label}</span>
          <code>${key.masked}</code>
        </span>
      </th>
      <td data-label="Characters">
        <div class="meter">
          ${meter({
            ...{ used: used.characters, limit: characters, format: wholeNumber },
            label: `Characters of ${key.label}`,
          })}
        </div>
      </td>
      <td data-label="Speech">
        <div class="meter">
          ${meter({
            ...{ used: used.speechMs, limit: speechMs, format: durationText },
            label: `Speech of ${key.label}`,
          })}
        </div>
      </td>
      <td data-label="Made">${dayText(key.creation_time)}</td>
      <td class="actions">
        <button
          type="button"
          class="small"
          aria-label=${`Edit ${key.label}`}
          @click=${() => this.editDialog.edit(key)}
        >
          Edit
        </button>
        <button
          type="button"
          class="small danger"
          aria-label=${`Deactivate ${key.label}`}
          @click=${() => this.deactivate(key)}
        >
          Deactivate
        </button>
      </td>
    </tr>`;
  }

  private async deactivate({ key_id, label }: ApiKey): Promise<void> {
    const isSure = await confirmed({
      heading: `Deactivate “${label}”?`,
      text: 'Programs that use it are refused from this moment on. It cannot be brought back.',
      action: 'Deactivate',
    });
    if (!isSure) return;
    try {
      await api.put<ApiKey>('v2/admin/developer-keys/deactivate', { key_id });
      sayDone(`“${label}” is deactivated.`);
    } catch (error) {
      sayFailed(error);
    }
    await this.keys.reload();
  }
}

function pastKeys(keys: readonly ApiKey[]): TemplateResult {
  return html`<details>
    <summary>${counted(keys.length, 'deactivated key')}</summary>
    <ul class="plain">
      ${keys.map(
        (key) =>
          html`<li>
            <span>${key.label}</span>
            <code class="soft">${key.masked}</code>
            <span class="small soft"
              >${
                typeof key.deactivated_time === 'string'
                  ? `since ${dayText(key.deactivated_time)}`
                  : ''
              }</span
            >
          </li>`,
      )}
    </ul>
  </details>`;
}

customElements.define('console-developer-keys', ConsoleDeveloperKeys);
