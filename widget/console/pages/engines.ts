import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { property } from 'lit/decorators.js';
import type { EngineCondition, EngineConditions } from '../../../shared/schemas/console.ts';
import { languageText } from '../../page/language-text.ts';
import { counted, durationText, momentText, wholeNumber } from '../../page/numbers.ts';
import { api } from '../api.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { page } from '../parts/frame.ts';
import { icons } from '../parts/icons.ts';
import { Loaded, emptyState } from '../parts/states.ts';
import type { Session } from '../session.ts';
import './models.ts';

const REFRESH_MS = 5_000;

const kindTitles: Record<NonNullable<EngineCondition['kind']> | 'other', string> = {
  recognition: 'Speech recognition',
  translation: 'Translation',
  synthesis: 'Speech',
  improvement: 'Improvement',
  detection: 'Language detection',
  other: 'Other',
};

const states: Record<EngineCondition['state'], { title: string; badge: string }> = {
  running: { title: 'Running', badge: 'good' },
  impaired: { title: 'Impaired', badge: 'bad' },
  missing: { title: 'Missing', badge: 'warn' },
};

/** Engines page: the engines of the server and their condition. */
export class ConsoleEngines extends LitElement {
  static override styles = [
    baseStyles,
    css`
      li {
        display: grid;
        gap: 0.375rem;
        padding: 1rem var(--inset);
      }
      li + li {
        border-block-start: 1px solid var(--line);
      }
      li p {
        max-inline-size: 80ch;
        overflow-wrap: anywhere;
      }
      .warning {
        font-weight: 550;
        color: var(--bad);
      }
      summary {
        min-block-size: 2rem;
        padding-block: 0.25rem;
        font-size: 0.875rem;
        font-weight: 600;
        color: var(--accent);
        cursor: pointer;
      }
      details dl {
        display: grid;
        grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr);
        gap: 0.25rem 1.25rem;
        padding-block: 0.375rem;
      }
      details dt {
        font-weight: 600;
      }
      details dd {
        color: var(--soft);
      }
      .counts {
        display: flex;
        flex-wrap: wrap;
        gap: 0.375rem 2.25rem;
        padding-block-start: 0.25rem;
      }
      .counts dt {
        font-size: 0.8125rem;
        color: var(--soft);
      }
      .counts dd {
        min-inline-size: 4.5rem;
        font-weight: 600;
        font-variant-numeric: tabular-nums;
      }
    `,
  ];

  @property({ attribute: false }) session!: Session;
  private readonly list = new Loaded(this, {
    load: (fetching) => api.get<EngineConditions>('engines', fetching),
    everyMs: REFRESH_MS,
  });

  override render() {
    return page(
      {
        title: 'Engines',
        text: 'What hears, translates and speaks here. Which ones run is settled by what is installed and by the settings of the server.',
      },
      html`${this.list.render((list) => this.groups(list))}
      ${this.session.is_operator ? html`<console-models></console-models>` : nothing}`,
    );
  }

  private groups({ engines, since }: EngineConditions): TemplateResult {
    const kinds = Object.keys(kindTitles) as (keyof typeof kindTitles)[];
    return html`${kinds.map((kind) => {
      const ofKind = engines.filter((engine) => (engine.kind ?? 'other') === kind);
      return ofKind.length === 0
        ? nothing
        : html`<section class="card">
            <div class="card-head"><h2>${kindTitles[kind]}</h2></div>
            <ul class="plain">
              ${ofKind.map((engine) => this.engine(engine))}
            </ul>
          </section>`;
    })}
    ${
      engines.length === 0
        ? html`<section class="card">
            ${emptyState({
              icon: icons.engine,
              heading: 'No engine runs',
              text: 'The README says which ones come along and how to plug in others.',
            })}
          </section>`
        : html`<p class="small soft">Counted since ${momentText(since)}.</p>`
    }`;
  }

  private engine(engine: EngineCondition): TemplateResult {
    const { title, badge } = states[engine.state];
    return html`<li>
      <div class="row between">
        <h3>${engine.name}</h3>
        <span class="badge ${badge}">${title}</span>
      </div>
      ${engine.reason === null ? nothing : html`<p>${engine.reason}</p>`}
      ${engine.breakers.map(
        ({ name, state, retry_in_ms: retryInMs }) =>
          html`<p class="warning">
            ${name === 'all' ? 'All calls' : name}:
            ${
              state === 'probing'
                ? 'one call is trying whether it is back.'
                : `held back after failures; the next try is in ${durationText(retryInMs)}.`
            }
          </p>`,
      )}
      ${spoken(engine)} ${this.betterOf(engine)}
      ${engine.requests === null ? nothing : counts(engine)}
    </li>`;
  }

  /** Points operators of the rule-based engine to the neural models, which translate better. */
  private betterOf({ kind, name }: EngineCondition): TemplateResult | typeof nothing {
    if (!this.session.is_operator || kind !== 'translation' || name !== 'apertium') return nothing;
    return html`<p>Rules and dictionaries. Neural translation is about 20 MB a direction.</p>
      <div class="row">
        <button type="button" class="small" @click=${this.onModels}>See the models</button>
      </div>`;
  }

  private readonly onModels = (): void => {
    const models = this.renderRoot.querySelector('console-models');
    models?.scrollIntoView();
    // Keyboard users go on there.
    models?.shadowRoot?.querySelector('h2')?.focus({ preventScroll: true });
  };
}

function spoken({
  kind,
  state,
  pairs,
  languages,
}: EngineCondition): TemplateResult | typeof nothing {
  if (pairs.length > 0) {
    const count = pairs.reduce((sum, { targets }) => sum + targets.length, 0);
    return html`<details>
      <summary>${counted(count, 'language pair')}</summary>
      <dl>
        ${pairs.map(
          ({ source, targets }) =>
            html`<dt>${languageText(source)}</dt>
              <dd>${targets.map(languageText).sort().join(', ')}</dd>`,
        )}
      </dl>
    </details>`;
  }
  if (languages.length === 0) {
    const isSpare = kind === 'synthesis' && state !== 'missing';
    return isSpare
      ? html`<p class="soft">Not asked: voices that come first speak all of its languages.</p>`
      : nothing;
  }
  const names = languages.map(languageText).sort();
  if (names.length <= 8) return html`<p class="soft">${names.join(', ')}</p>`;
  return html`<details>
    <summary>${counted(names.length, 'language')}</summary>
    <p class="soft">${names.join(', ')}</p>
  </details>`;
}

function counts(engine: EngineCondition): TemplateResult {
  const { requests, failures, latency_ms: latencyMs, last_failure_at: failedAt } = engine;
  return html`<dl class="counts">
    <div>
      <dt>Requests</dt>
      <dd>${wholeNumber(requests ?? 0)}</dd>
    </div>
    <div>
      <dt>Failures</dt>
      <dd>${wholeNumber(failures ?? 0)}</dd>
    </div>
    <div>
      <dt>Mean time</dt>
      <dd>${latencyMs === null ? '–' : `${wholeNumber(latencyMs)} ms`}</dd>
    </div>
    ${
      failedAt === null
        ? nothing
        : html`<div>
            <dt>Last failure</dt>
            <dd>${momentText(failedAt)}</dd>
          </div>`
    }
  </dl>`;
}

customElements.define('console-engines', ConsoleEngines);
