/** Key pages of an account: developer keys, which translate, and admin keys, which administer. */
import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { property, query } from 'lit/decorators.js';
import type { UsageAnalytics } from '../../../shared/schemas/admin.ts';
import type { ConsoleUsage } from '../../../shared/schemas/console.ts';
import { counted, dayText, durationText, wholeNumber } from '../../page/numbers.ts';
import { api, serverNowMs } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { ListSearch } from '../parts/choices.ts';
import { doneIfConfirmed } from '../parts/dialog.ts';
import { forgetAllBut } from '../parts/draft-shelf.ts';
import { page, table } from '../parts/frame.ts';
import { icons } from '../parts/icons.ts';
import { Loaded, emptyState } from '../parts/states.ts';
import type { Session } from '../session.ts';
import type { ApiKey, ConsoleKeyDialog, ConsoleNewKeyDialog } from './key-dialogs.ts';
import './key-dialogs.ts';
import { limitNotes, meter } from './meter.ts';
import { dayOf, presetRange } from './usage-range.ts';

/** Most developer keys active at the same time, by plan. */
const MAX_ACTIVE = { free: 2, pro: 25 } as const;

const developerKeysPath = 'v2/admin/developer-keys';

/** The account's keys, and this month's usage by key and in total. */
interface KeysOfMonth {
  keys: readonly ApiKey[];
  usage: KeyUsage;
  month: ConsoleUsage;
}

/** Style of the deactivated keys below the active ones. */
const footStyles = css`
  .foot {
    display: grid;
    gap: 0.25rem;
    padding: 0.875rem var(--inset);
    border-block-start: 1px solid var(--line);
  }
  summary {
    min-block-size: 2.25rem;
    padding-block: 0.375rem;
    font-size: 0.875rem;
    font-weight: 600;
    color: var(--accent);
    cursor: pointer;
  }
  .past-keys li {
    display: flex;
    flex-wrap: wrap;
    gap: 0.125rem 1rem;
    align-items: baseline;
    padding-block: 0.375rem;
    overflow-wrap: anywhere;
  }
`;

/** Developer keys page: creates, names, limits and deactivates the keys of programs. */
export class ConsoleDeveloperKeys extends LitElement {
  static override styles = [
    baseStyles,
    footStyles,
    css`
      .key-name {
        display: grid;
        gap: 0.125rem;
        overflow-wrap: anywhere;
      }
      .key-name code {
        font-weight: 400;
        white-space: nowrap;
        color: var(--soft);
      }
      .meter {
        display: grid;
        gap: 0.25rem;
        justify-items: start;
        min-inline-size: min(9rem, 100%);
        max-inline-size: 14rem;
        line-height: 1.3;
      }
      @media (max-width: 40rem) {
        .meter {
          justify-items: end;
        }
      }
      @container many-columns (max-width: 46rem) {
        .meter {
          justify-items: end;
        }
      }
    `,
  ];

  @property({ attribute: false }) session!: Session;
  @query('console-new-key-dialog', true) private readonly newDialog!: ConsoleNewKeyDialog;
  @query('console-key-dialog', true) private readonly editDialog!: ConsoleKeyDialog;
  private readonly search = keySearch(this);
  private readonly keys = new Loaded(this, {
    load: async ({ signal }) => {
      const [keys, usage, month] = await Promise.all([
        api.get<ApiKey[]>(developerKeysPath, { signal }),
        usageOfKeys(signal),
        api.get<ConsoleUsage>('usage', { signal }),
      ]);
      forgetAllBut(
        'keys',
        keys.filter(isActive).map(({ key_id: id }) => id),
      );
      return { keys, usage, month };
    },
  });

  override render() {
    return page(
      {
        title: 'Developer keys',
        text: 'One for each program, so that it can be limited and stopped by itself.',
        actions: html`<button type="button" class="primary" @click=${() => this.newDialog.show()}>
          ${icons.add} New key
        </button>`,
      },
      html`${
          this.keys.value === undefined ? nothing : limitNotes(this.keys.value.month, this.session)
        }
        <section class="card" aria-label="Developer keys">
          ${this.keys.render((value) => this.list(value))}
        </section>
        <console-new-key-dialog
          heading="New developer key"
          path=${developerKeysPath}
          @key-made=${() => this.keys.reload()}
        ></console-new-key-dialog>
        <console-key-dialog @key-changed=${() => this.keys.reload()}></console-key-dialog>`,
    );
  }

  private list({ keys, usage, month }: KeysOfMonth): TemplateResult {
    const { end_time: until } = month;
    const active = keys.filter(isActive);
    return html`${this.search.field(keys)}
      ${table({
        items: this.search.found(active),
        keyOf: ({ key_id: id }) => id,
        empty: this.search.emptyState(active, {
          icon: icons.key,
          heading: 'No active keys',
          text: 'Make one and give it to the program that shall translate.',
        }),
        columns: [
          {
            title: 'Label',
            kind: 'name',
            cell: ({ label, masked }) =>
              html`<span class="key-name"><span>${label}</span> <code>${masked}</code></span>`,
          },
          {
            title: 'Characters this month',
            shortTitle: 'Characters',
            cell: (key) =>
              keyMeter({
                used: usage.of(key).characters,
                limit: key.usage_limits.characters,
                format: wholeNumber,
                label: `Characters of ${key.label}`,
                until,
              }),
          },
          {
            title: 'Speech this month',
            shortTitle: 'Speech',
            cell: (key) =>
              keyMeter({
                used: usage.of(key).speechMs,
                limit: key.usage_limits.speech_to_text_milliseconds,
                format: durationText,
                label: `Speech of ${key.label}`,
                until,
              }),
          },
          { title: 'Made', kind: 'short', cell: ({ creation_time: time }) => dayText(time) },
          { title: 'Actions', kind: 'actions', cell: (key) => this.actions(key) },
        ],
      })}
      <div class="foot">
        <p class="small soft">
          ${active.length} of ${MAX_ACTIVE[this.session.account.plan]} keys in use.
        </p>
        ${pastKeys(keys, this.search)}
      </div>`;
  }

  private actions(key: ApiKey): TemplateResult {
    return html`<button
        type="button"
        class="small"
        aria-label=${`Edit ${key.label}`}
        @click=${() => this.editDialog.edit(key)}
      >
        Edit
      </button>
      ${deactivation(key, {
        path: developerKeysPath,
        warning: 'Programs that use it are refused from this moment on. It cannot be brought back.',
        onEnd: () => this.keys.reload(),
      })}`;
  }
}

function keyMeter(amount: Parameters<typeof meter>[0]): TemplateResult {
  return html`<div class="meter">${meter(amount)}</div>`;
}

function isActive({ is_deactivated: isPast }: ApiKey): boolean {
  return !isPast;
}

/** Searches keys by their label or the visible part of their secret. */
function keySearch(host: LitElement): ListSearch<ApiKey> {
  return new ListSearch(host, {
    label: 'Search keys',
    kind: 'active key',
    searched: 'label',
    textsOf: ({ label, masked }) => [label, masked],
  });
}

/** Lists deactivated keys, collapsed unless the user searches. */
function pastKeys(
  keys: readonly ApiKey[],
  search: ListSearch<ApiKey>,
): TemplateResult | typeof nothing {
  const past = search.found(keys).filter((key) => !isActive(key));
  if (past.length === 0) return nothing;
  return html`<details ?open=${search.words.trim() !== ''}>
    <summary>${counted(past.length, 'deactivated key')}</summary>
    <ul class="plain past-keys">
      ${past.map(
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

/** Admin keys page. Admin keys manage developer keys and read reports, and cannot translate. */
export class ConsoleAdminKeys extends LitElement {
  static override styles = [baseStyles, footStyles];

  @property({ attribute: false }) session!: Session;
  @query('console-new-key-dialog', true) private readonly dialog!: ConsoleNewKeyDialog;
  private readonly search = keySearch(this);
  private readonly keys = new Loaded(this, {
    load: ({ signal }) => api.get<ApiKey[]>('admin-keys', { signal }),
  });

  override render() {
    const mayAdminister = this.session.account.features.includes('admin');
    return page(
      {
        title: 'Admin keys',
        text: 'For scripts that administer: they make and limit developer keys and read reports. They cannot translate.',
        ...(mayAdminister && { actions: this.makeButton() }),
      },
      html`<section class="card" aria-label="Admin keys">
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
        ></console-new-key-dialog>`,
    );
  }

  private makeButton() {
    return html`<button type="button" class="primary" @click=${() => this.dialog.show()}>
      ${icons.add} New admin key
    </button>`;
  }

  private list(keys: readonly ApiKey[]): TemplateResult {
    const active = keys.filter(isActive);
    const past = pastKeys(keys, this.search);
    return html`${this.search.field(keys)} ${this.table(active)}
    ${past === nothing ? nothing : html`<div class="foot">${past}</div>`}`;
  }

  private table(active: readonly ApiKey[]): TemplateResult {
    return table({
      items: this.search.found(active),
      keyOf: ({ key_id: id }) => id,
      empty: this.search.emptyState(active, {
        icon: icons.shield,
        heading: 'No active keys',
        text: 'Make one when a script shall manage keys or fetch reports.',
      }),
      columns: [
        { title: 'Label', kind: 'name', cell: ({ label }) => label },
        { title: 'Key', kind: 'short', cell: ({ masked }) => html`<code>${masked}</code>` },
        { title: 'Made', kind: 'short', cell: ({ creation_time: time }) => dayText(time) },
        {
          title: 'Actions',
          kind: 'actions',
          cell: (key) =>
            deactivation(key, {
              path: 'admin-keys',
              warning: 'It stops working at once and cannot be brought back.',
              onEnd: () => this.keys.reload(),
            }),
        },
      ],
    });
  }
}

/** Button that deactivates a key. */
function deactivation(
  { key_id, label }: ApiKey,
  { path, warning, onEnd }: { path: string; warning: string; onEnd: () => Promise<void> },
): TemplateResult {
  const deactivate = () =>
    doneIfConfirmed({
      heading: `Deactivate “${label}”?`,
      text: warning,
      action: 'Deactivate',
      done: `“${label}” is deactivated.`,
      work: async () => {
        try {
          await api.put<ApiKey>(`${path}/deactivate`, { key_id });
        } finally {
          await onEnd();
        }
      },
    });
  return html`<button
    type="button"
    class="small danger"
    aria-label=${`Deactivate ${label}`}
    @click=${deactivate}
  >
    Deactivate
  </button>`;
}

interface Used {
  characters: number;
  speechMs: number;
}

/** Usage of keys this month. */
interface KeyUsage {
  of(key: ApiKey): Used;
}

/** Fetches each key's usage this month. Reports identify keys by the visible part of their secrets. */
async function usageOfKeys(signal: AbortSignal): Promise<KeyUsage> {
  const { start } = presetRange('this-month', serverNowMs());
  const { usage_report: report } = await api.get<UsageAnalytics>('v2/admin/analytics', {
    query: { start_date: start, end_date: dayOf(serverNowMs()), group_by: 'key' },
    signal,
  });
  const used = new Map<string, Used>();
  for (const { api_key: masked, api_key_label: label, usage } of report.key_usages ?? []) {
    used.set(nameOf(masked, label), {
      characters: usage.total_characters,
      speechMs: usage.speech_to_text_milliseconds,
    });
  }
  return {
    of: ({ masked, label }) => used.get(nameOf(masked, label)) ?? { characters: 0, speechMs: 0 },
  };
}

function nameOf(masked: string, label: string): string {
  return `${masked} ${label}`;
}

customElements.define('console-developer-keys', ConsoleDeveloperKeys);
customElements.define('console-admin-keys', ConsoleAdminKeys);
