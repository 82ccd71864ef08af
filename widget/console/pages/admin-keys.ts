import { LitElement, html, nothing } from 'lit';
import { property, query } from 'lit/decorators.js';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { confirmed } from '../parts/confirmation.ts';
import { icons } from '../parts/icons.ts';
import { Loaded } from '../parts/loaded.ts';
import { sayDone, sayFailed } from '../parts/messages.ts';
import { dayText } from '../parts/numbers.ts';
import { emptyState } from '../parts/states.ts';
import type { Session } from '../session.ts';
import { activeFirst, type ApiKey } from './keys.ts';
import './new-key-dialog.ts';
import type { ConsoleNewKeyDialog } from './new-key-dialog.ts';

/** Keys that administer: they make developer keys and read reports, and translate nothing. */
export class ConsoleAdminKeys extends LitElement {
  static override styles = baseStyles;

  @property({ attribute: false }) session!: Session;
  @query('console-new-key-dialog', true) private readonly dialog!: ConsoleNewKeyDialog;
  private readonly keys = new Loaded(this, {
    load: ({ signal }) => api.get<ApiKey[]>('admin-keys', { signal }),
  });

  override render() {
    const mayAdminister = this.session.account.features.includes('admin');
    return html`<div class="page">
      <header class="page-head">
        <div>
          <h1>Admin keys</h1>
          <p>
            For scripts that administer: they make and limit developer keys and read reports. They
            cannot translate.
          </p>
        </div>
        ${mayAdminister ? this.makeButton() : nothing}
      </header>
      <section class="card" aria-label="Admin keys">
        ${
          mayAdminister
            ? this.keys.render((keys) => this.list(keys))
            : emptyState({
                icon: icons.shield,
                heading: 'Not for this account',
                text: 'Whoever runs the server may give it the feature “admin”. Developer keys are managed here all the same.',
              })
        }
      </section>
      <console-new-key-dialog
        heading="New admin key"
        path="admin-keys"
        @key-made=${() => this.keys.reload()}
      ></console-new-key-dialog>
    </div>`;
  }

  private makeButton() {
    return html`<div class="row">
      <button type="button" class="primary" @click=${() => this.dialog.show()}>
        ${icons.add} New admin key
      </button>
    </div>`;
  }

  private list(keys: readonly ApiKey[]) {
    if (keys.length === 0) {
      return emptyState({
        icon: icons.shield,
        heading: 'No admin keys yet',
        text: 'Make one when a script shall manage keys or fetch reports.',
      });
    }
    return html`<table class="stacked">
      <thead>
        <tr>
          <th>Label</th>
          <th>Key</th>
          <th>Made</th>
          <th>State</th>
          <th><span class="unseen">Actions</span></th>
        </tr>
      </thead>
      <tbody>
        ${activeFirst(keys).map((key) => this.row(key))}
      </tbody>
    </table>`;
  }

  private row(key: ApiKey) {
    return html`<tr class=${key.is_deactivated ? 'past' : ''}>
      <th scope="row">${key.label}</th>
      <td data-label="Key"><code>${key.masked}</code></td>
      <td data-label="Made">${dayText(key.creation_time)}</td>
      <td data-label="State">
        ${
          key.is_deactivated
            ? html`<span class="badge">Deactivated</span>`
            : html`<span class="badge good">Active</span>`
        }
      </td>
      <td class="actions">
        ${
          key.is_deactivated
            ? nothing
            : html`<button
                type="button"
                class="small danger"
                aria-label=${`Deactivate ${key.label}`}
                @click=${() => this.deactivate(key)}
              >
                Deactivate
              </button>`
        }
      </td>
    </tr>`;
  }

  private async deactivate({ key_id, label }: ApiKey): Promise<void> {
    const isSure = await confirmed({
      heading: `Deactivate “${label}”?`,
      text: 'It stops working at once and cannot be brought back.',
      action: 'Deactivate',
    });
    if (!isSure) return;
    try {
      await api.put<ApiKey>('admin-keys/deactivate', { key_id });
      sayDone(`“${label}” is deactivated.`);
    } catch (error) {
      sayFailed(error);
    }
    await this.keys.reload();
  }
}

customElements.define('console-admin-keys', ConsoleAdminKeys);
