import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { property } from 'lit/decorators.js';
import type {
  ConsoleUsage,
  EngineCondition,
  EngineConditions,
  LiveVoiceSession,
} from '../../../shared/schemas/console.ts';
import { durationText, utcDayText, wholeNumber } from '../../page/numbers.ts';
import { api, serverNowMs } from '../api.ts';
import { plainUnit, partColours } from '../parts/bar-plot.ts';
import '../parts/bar-plot.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { page } from '../parts/frame.ts';
import { icons } from '../parts/icons.ts';
import { Loaded, emptyState } from '../parts/states.ts';
import { linkTo } from '../router.ts';
import type { Session } from '../session.ts';
import { limitNotes, meter } from './meter.ts';
import { usagePlot } from './usage-plot.ts';
import { presetRange } from './usage-range.ts';
import { usageByKey } from './usage-report.ts';

/** Overview page: usage of the month, and the health of the server. */
export class ConsoleOverview extends LitElement {
  static override styles = [
    baseStyles,
    partColours,
    css`
      .tiles {
        display: grid;
        grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
        gap: 1.25rem;
      }
      .amounts {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 9rem), 1fr));
        gap: 1.25rem 2rem;
      }
      .amounts > div {
        display: grid;
        gap: 0.375rem;
        align-content: start;
      }
      .amounts > div > dt {
        font-size: 0.8125rem;
        font-weight: 600;
        color: var(--soft);
      }
      .parts > div {
        display: flex;
        flex-direction: row-reverse;
        gap: 0.375rem;
        justify-content: flex-end;
      }
      .parts dd {
        font-variant-numeric: tabular-nums;
      }
      .large {
        display: grid;
        gap: 0.5rem;
        justify-items: start;
      }
      .large :is(.meter-text, a) {
        font-size: 1.25rem;
        font-weight: 650;
        line-height: 1.25;
        letter-spacing: -0.01em;
      }
      .legend {
        display: flex;
        flex-wrap: wrap;
        gap: 0.25rem 1.25rem;
        font-size: 0.875rem;
      }
      @media (max-width: 52rem) {
        .tiles {
          grid-template-columns: minmax(0, 1fr);
        }
      }
    `,
  ];

  @property({ attribute: false }) session!: Session;
  private readonly month = new Loaded(this, {
    load: (fetching) => api.get<ConsoleUsage>('usage', fetching),
    everyMs: 60_000,
  });
  private readonly days = new Loaded(this, {
    load: async ({ signal }) => {
      const range = presetRange('30-days', serverNowMs());
      const rows = await usageByKey(range, signal);
      return usagePlot({ range, rows, grouping: 'kind', measure: 'characters' });
    },
  });
  private readonly server = new Loaded(this, {
    load: async (fetching) => {
      const [voice, engines] = await Promise.all([
        api.get<{ sessions: LiveVoiceSession[] }>('voice-sessions', fetching),
        api.get<EngineConditions>('engines', fetching),
      ]);
      return { sessions: voice.sessions, engines: engines.engines };
    },
    everyMs: 15_000,
  });

  override render() {
    return page(
      { title: 'Overview', text: 'How this month goes, and whether all is well.' },
      html`<div class="tiles">
          <section class="card" aria-label="This month">
            ${this.month.render((month) => monthView(month, this.session), { lines: 4 })}
          </section>
          <section class="card" aria-label="The server now">
            ${this.server.render((now) => nowView(now), { lines: 4 })}
          </section>
        </div>
        <section class="card">
          <div class="card-head">
            <h2>Characters, last 30 days</h2>
            <a href=${linkTo('usage')}>All usage</a>
          </div>
          <div class="inside">
            ${this.days.render((plot) =>
              plot.series.length === 0
                ? firstSteps()
                : html`<div class="stack">
                    <ul class="plain legend">
                      ${plot.series.map(
                        ({ name, part }) =>
                          html`<li><i class="swatch part-${part}"></i>${name}</li>`,
                      )}
                    </ul>
                    <console-bar-plot
                      label="Characters of the last 30 days, a day at a time"
                      .data=${plot}
                      .unit=${plainUnit}
                      .format=${wholeNumber}
                    ></console-bar-plot>
                  </div>`,
            )}
          </div>
        </section>`,
    );
  }
}

function monthView(month: ConsoleUsage, session: Session): TemplateResult {
  const { characters, speech, end_time: until } = month;
  return html`<div class="inside stack">
    <div class="row between">
      <h2>This month</h2>
      <span class="small soft"
        >until ${utcDayText(new Date(Date.parse(until) - 1).toISOString())}</span
      >
    </div>
    <dl class="amounts">
      <div>
        <dt>Characters</dt>
        <dd class="large">
          ${meter({
            used: characters.used,
            limit: characters.limit,
            format: wholeNumber,
            label: 'Characters this month',
            until,
          })}
        </dd>
        <dd>
          <dl class="parts small soft">
            ${Object.entries({
              'in texts': characters.text_translation,
              'in documents': characters.document_translation,
              'in improvements': characters.text_improvement,
            }).map(
              ([title, count]) =>
                html`<div>
                  <dt>${title}</dt>
                  <dd>${wholeNumber(count)}</dd>
                </div>`,
            )}
          </dl>
        </dd>
      </div>
      <div>
        <dt>Speech</dt>
        <dd class="large">
          ${meter({
            used: speech.used_ms,
            limit: speech.limit_ms,
            format: durationText,
            label: 'Speech this month',
            until,
          })}
        </dd>
      </div>
    </dl>
    ${limitNotes(month, session)}
  </div>`;
}

function nowView({
  sessions,
  engines,
}: {
  sessions: readonly LiveVoiceSession[];
  engines: readonly EngineCondition[];
}): TemplateResult {
  const running = engines.filter(({ state }) => state !== 'missing').length;
  const impaired = engines.filter(({ state }) => state === 'impaired');
  const missing = engines.length - running;
  return html`<div class="inside stack">
    <h2>Now</h2>
    <dl class="amounts">
      <div>
        <dt>Live sessions</dt>
        <dd class="large">
          <a class="number" href=${linkTo('voice')}
            >${sessions.length}<span class="unseen"> live sessions</span></a
          >
        </dd>
      </div>
      <div>
        <dt>Engines running</dt>
        <dd class="large">
          <a class="number" href=${linkTo('engines')}
            >${running}<span class="unseen"> engines running</span></a
          >
        </dd>
        <dd class="row">
          ${impaired.map(({ name }) => html`<span class="badge bad">${name} impaired</span>`)}
          ${missing === 0 ? nothing : html`<span class="badge warn">${missing} missing</span>`}
          ${
            impaired.length + missing === 0
              ? html`<span class="badge good">All well</span>`
              : nothing
          }
        </dd>
      </div>
    </dl>
  </div>`;
}

function firstSteps(): TemplateResult {
  return emptyState({
    icon: icons.usage,
    heading: 'Nothing was translated yet',
    text: 'Make a developer key, send it a text, and this is where you see it.',
    actions: html`<a class="button primary" href=${linkTo('keys')}>Developer keys</a>
      <a class="button" href="../openapi.json">API</a>`,
  });
}

customElements.define('console-overview', ConsoleOverview);
