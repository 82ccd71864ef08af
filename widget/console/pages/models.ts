import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { ConsoleModel, ConsoleModels } from '../../../shared/schemas/models.ts';
import { languageText, pairText } from '../../page/language-text.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { choice, searchField } from '../parts/choices.ts';
import { confirmed } from '../parts/dialog.ts';
import { sayDone, sayFailed } from '../parts/messages.ts';
import { Loaded, note } from '../parts/states.ts';

/** Polling intervals during an installation and otherwise, in ms. */
const BUSY_REFRESH_MS = 700;
const REFRESH_MS = 10_000;
/** Number of models from which a search field is shown. */
const SEARCHED_FROM = 12;

const tabTitles = { translation: 'Translation', recognition: 'Recognition', speech: 'Speech' };

const tabKinds: Record<keyof typeof tabTitles, readonly ConsoleModel['kind'][]> = {
  translation: ['translation'],
  recognition: ['recognition'],
  speech: ['synthesis', 'punctuation', 'other'],
};

const steps: Record<string, string> = {
  wait: 'Another process installs it',
  download: 'Downloading',
  check: 'Checking',
  unpack: 'Unpacking',
};

/** Models of the server: which can be installed, which are, and the progress of installations. */
export class ConsoleModelList extends LitElement {
  static override styles = [
    baseStyles,
    css`
      :host {
        scroll-margin-block-start: 5rem;
      }
      li {
        display: flex;
        flex-wrap: wrap;
        gap: 0.625rem 1.5rem;
        align-items: center;
        padding: 0.875rem var(--inset);
      }
      .what {
        display: grid;
        flex: 1 1 22rem;
        gap: 0.25rem;
        min-inline-size: 0;
      }
      .actions {
        flex: 0 1 auto;
        min-inline-size: 0;
      }
      .actions:has(.progress) {
        flex: 1 1 16rem;
      }
      li > .note {
        flex: 1 0 100%;
      }
      li,
      .foot {
        border-block-start: 1px solid var(--line);
      }
      .tools,
      .hint-line {
        border-block-end: 0;
      }
      li:first-child {
        border-block-start: 0;
      }
      .what p {
        max-inline-size: 80ch;
        overflow-wrap: anywhere;
      }
      .tools > .search {
        margin-inline-start: 0;
      }
      .head {
        display: flex;
        flex-wrap: wrap;
        gap: 0.375rem 0.75rem;
        align-items: center;
      }
      .head h3 {
        overflow-wrap: anywhere;
      }
      .badge {
        white-space: normal;
      }
      .hint-line {
        display: flex;
        flex-wrap: wrap;
        gap: 0.75rem 1.5rem;
        align-items: center;
        justify-content: space-between;
        border-block-end: 1px solid var(--line);
      }
      .hint-line p {
        flex: 1 1 18rem;
        max-inline-size: 70ch;
      }
      .choice {
        flex-wrap: wrap;
      }
      .progress {
        display: grid;
        flex: 1 1 14rem;
        gap: 0.25rem;
        max-inline-size: 28rem;
        font-size: 0.875rem;
        font-variant-numeric: tabular-nums;
      }
      /* Where nobody knows how far it is, something moves all the same. */
      progress:indeterminate {
        background: linear-gradient(90deg, var(--wash) 30%, var(--accent) 50%, var(--wash) 70%) 0
          0 / 200% 100%;
      }
      progress:indeterminate::-webkit-progress-bar {
        background: transparent;
      }
      @media (prefers-reduced-motion: no-preference) {
        progress:indeterminate {
          animation: pass 1.6s linear infinite;
        }
      }
      @keyframes pass {
        from {
          background-position: 100% 0;
        }
        to {
          background-position: -100% 0;
        }
      }
    `,
  ];

  @state() private tab: keyof typeof tabTitles = 'translation';
  @state() private sought = '';
  @state() private isAsking = false;
  readonly #places = new Map<string, number>();
  readonly #models = new Loaded<ConsoleModels>(this, {
    load: (fetching) => api.get<ConsoleModels>('models', fetching),
    everyMs: (value) => (value?.models.some(isBusy) === true ? BUSY_REFRESH_MS : REFRESH_MS),
  });

  override render() {
    return html`<section class="card" aria-labelledby="models">
      <div class="card-head">
        <h2 id="models" tabindex="-1">Models</h2>
        ${choice({
          name: 'tab',
          legend: 'Models for',
          titles: tabTitles,
          chosen: this.tab,
          onChange: (tab) => this.openTab(tab),
        })}
      </div>
      ${this.#models.render((value) => this.list(value), { lines: 3 })}
    </section>`;
  }

  private list({ models, folder }: ConsoleModels): TemplateResult {
    const ofTab = models.filter(({ kind }) => tabKinds[this.tab].includes(kind));
    const words = this.sought.toLowerCase().split(/\s+/);
    const shown = ofTab
      .filter((model) => words.every((word) => searchText(model).includes(word)))
      .sort((one, other) => this.placeOf(one) - this.placeOf(other));
    return html`${this.tab === 'translation' ? this.hint(models) : nothing}
      ${ofTab.length < SEARCHED_FROM ? nothing : this.search()}
      <ul class="plain">
        ${repeat(
          shown,
          ({ name }) => name,
          (model) => this.row(model),
        )}
      </ul>
      ${shown.length === 0 ? html`<p class="inside soft">No model fits.</p>` : nothing}
      <p class="inside small soft foot">
        In <code>${folder}</code>. The server takes up what is new there when it starts again.
      </p>`;
  }

  /**
   * Returns a model's sort group: installed ones first, then better ones. Fixed when the model is first
   * shown, so that nothing moves under the pointer.
   */
  private placeOf({ name, problem, ...model }: ConsoleModel): number {
    const isHere = problem !== null || model.is_installed || model.installation !== null;
    const place = this.#places.get(name) ?? (isHere ? 0 : model.is_better ? 1 : 2);
    this.#places.set(name, place);
    return place;
  }

  private hint(models: readonly ConsoleModel[]): TemplateResult {
    const isBetter = models.some((model) => model.is_better);
    return html`<div class="inside hint-line">
      <p>
        ${
          isBetter
            ? html`Rules alone translate some pairs here. Neural translation, marked
                <em>Better</em>, is about 20 MB a direction; pairs without English take two.`
            : html`Firefox's models translate with a neural network, from and into English.`
        }
      </p>
      <button type="button" class="small" ?disabled=${this.isAsking} @click=${this.onAsk}>
        ${this.isAsking ? 'Asking…' : 'Ask Firefox’s list for all'}
      </button>
    </div>`;
  }

  private search(): TemplateResult {
    return html`<div class="tools">
      ${searchField({
        label: 'Search models',
        placeholder: 'Language or name',
        words: this.sought,
        onWords: (words) => (this.sought = words),
      })}
    </div>`;
  }

  private row(model: ConsoleModel): TemplateResult {
    const { problem, installation } = model;
    return html`<li aria-label=${titleOf(model)}>
      <div class="what">
        <div class="head">
          <h3>${titleOf(model)}</h3>
          ${badgeOf(model)}
        </div>
        <p class="soft">${details(model)}</p>
      </div>
      <div class="row actions">${this.actions(model)}</div>
      ${problem === null ? nothing : note('bad', problem)}
      ${installation?.message == null ? nothing : note('bad', installation.message)}
    </li>`;
  }

  private actions(model: ConsoleModel): TemplateResult {
    const { installation, is_installed: isInstalled, command, problem } = model;
    const title = titleOf(model);
    const button = (text: string, action: () => void, kind = '') =>
      html`<button
        type="button"
        class="small ${kind}"
        aria-label=${`${text}: ${title}`}
        @click=${action}
      >
        ${text}
      </button>`;
    const install = () => void this.installModel(model);
    const cancel = () =>
      void this.change(() => api.delete(`models/installations/${encodeURIComponent(model.name)}`));
    if (installation !== null && installation.state !== 'failed') {
      return html`${progressOf(model)} ${button('Cancel', cancel)}`;
    }
    if (installation?.state === 'failed') {
      return html`${button('Try again', install)} ${button('Dismiss', cancel, 'quiet')}`;
    }
    if (command !== null) return html`<code>${command}</code>`;
    const isWhole = isInstalled && problem === null;
    return html`${isWhole ? nothing : button(installText(model), install)}
    ${isInstalled ? button('Remove', () => void this.removeModel(model), 'quiet') : nothing}`;
  }

  private async installModel(model: ConsoleModel): Promise<void> {
    const { name, terms } = model;
    const isAccepted =
      terms === null ||
      (await confirmed({
        heading: 'Do you accept the terms?',
        text: terms,
        action: 'Accept and install',
        isHarmless: true,
      }));
    if (!isAccepted) return;
    const body = { name, ...(terms !== null && { accept_terms: true }) };
    await this.change(() => api.post<ConsoleModels>('models/installations', body));
  }

  private async removeModel(model: ConsoleModel): Promise<void> {
    const isYes = await confirmed({
      heading: 'Remove this model?',
      text: `“${titleOf(model)}” will be deleted. A server that runs keeps it until it stops.`,
      action: 'Remove',
    });
    if (!isYes) return;
    const isDone = await this.change(() => api.delete(`models/${encodeURIComponent(model.name)}`));
    if (isDone) sayDone('The model was removed.');
  }

  /** Runs a change and shows the resulting list. Resolves with whether it succeeded. */
  private async change(work: () => Promise<unknown>): Promise<boolean> {
    try {
      this.#models.set((await work()) as ConsoleModels);
      return true;
    } catch (error) {
      sayFailed(error);
      void this.#models.reload();
      return false;
    }
  }

  private readonly onAsk = async (): Promise<void> => {
    this.isAsking = true;
    await this.change(() => api.post<ConsoleModels>('models/translations', {}));
    this.isAsking = false;
  };

  private openTab(tab: keyof typeof tabTitles): void {
    this.tab = tab;
    this.#places.clear();
    this.sought = '';
  }
}

function isBusy({ installation }: ConsoleModel): boolean {
  return installation !== null && installation.state !== 'failed';
}

function titleOf({ name, pairs, source }: ConsoleModel): string {
  const [first] = pairs;
  // Packages cover several directions and are known by their names.
  if (first === undefined || source === 'https://www.apertium.org') return name;
  return pairText(first.source, first.target);
}

function searchText(model: ConsoleModel): string {
  const { name, about, languages, pairs } = model;
  const tags = [...languages, ...pairs.flatMap(({ source, target }) => [source, target])];
  return [name, about, ...tags, ...tags.map(languageText)].join(' ').toLowerCase();
}

function badgeOf(model: ConsoleModel): TemplateResult | typeof nothing {
  const { is_installed: isInstalled, is_in_use: isInUse, problem, is_better: isBetter } = model;
  const badge = (kind: string, text: string) => html`<span class="badge ${kind}">${text}</span>`;
  if (problem !== null) return badge('bad', 'Cannot be used');
  if (isInstalled && isInUse) return badge('good', 'In use');
  if (isInstalled) return badge('warn', 'Installed: restart the server to use it');
  if (isInUse) return badge('warn', 'Removed: gone after a restart');
  return isBetter ? badge('good', 'Better') : nothing;
}

function details(model: ConsoleModel): TemplateResult {
  const { name, about, languages, pairs, size_mb: sizeMb, licence, source } = model;
  const named = languages.map(languageText);
  const directions = pairs.map((pair) => pairText(pair.source, pair.target));
  const parts = [
    titleOf(model) === name ? directions.join(', ') : name,
    about,
    named.length > 6 ? `${named.length} languages` : named.join(', '),
    sizeMb === null ? '' : `about ${sizeMb} MB`,
  ];
  const text = parts.filter((part) => part !== '').join(' · ');
  const isLink = source !== null && /^https:\/\//.test(source);
  return html`${text} ·
  ${isLink ? html`<a href=${source} target="_blank" rel="noreferrer">${licence}</a>` : licence}`;
}

function installText({ problem, size_mb: sizeMb }: ConsoleModel): string {
  if (problem !== null) return 'Install again';
  return sizeMb === null ? 'Install' : `Install, ${sizeMb} MB`;
}

function progressOf(model: ConsoleModel): TemplateResult {
  const { state: at = 'waiting', step = null, share = null } = model.installation ?? {};
  const percent = share === null ? '' : ` ${Math.floor(share * 100)} %`;
  const text =
    at === 'waiting' ? 'Waits for the others' : `${steps[step ?? ''] ?? 'Beginning'}${percent}`;
  return html`<span class="progress">
    <progress
      max="1"
      value=${share ?? nothing}
      aria-label=${`Installation of ${titleOf(model)}`}
    ></progress>
    <span role="status">${text}…</span>
  </span>`;
}

customElements.define('console-models', ConsoleModelList);
