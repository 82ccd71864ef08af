import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { property, state } from 'lit/decorators.js';
import type { ConsoleUsage as MonthUsage } from '../../../shared/schemas/console.ts';
import { saveFile } from '../../page/handing-over.ts';
import { durationText, wholeNumber } from '../../page/numbers.ts';
import { api, serverNowMs } from '../api.ts';
import { plainUnit, speechUnit, partColours } from '../parts/bar-plot.ts';
import '../parts/bar-plot.ts';
import { baseStyles } from '../parts/base.styles.ts';
import { choice } from '../parts/choices.ts';
import { page } from '../parts/frame.ts';
import { icons } from '../parts/icons.ts';
import { Loaded, emptyState } from '../parts/states.ts';
import type { Session } from '../session.ts';
import { limitNotes } from './meter.ts';
import { plotAsCsv, usagePlot, type Grouping, type Measure, type Plot } from './usage-plot.ts';
import {
  presetRange,
  rangePresets,
  rangeProblem,
  type DayRange,
  type RangePreset,
} from './usage-range.ts';
import { usageByKey, usageByTag } from './usage-report.ts';

const measures: Record<Measure, string> = { characters: 'Characters', speech: 'Speech' };
const groupings: Record<Grouping, string> = { kind: 'Kind', key: 'Key', tag: 'Tag' };

/** Usage page: usage by day, as plots and as the same tables. */
export class ConsoleUsage extends LitElement {
  static override styles = [
    baseStyles,
    partColours,
    css`
      .choices select {
        inline-size: auto;
        max-inline-size: 100%;
      }
      .days {
        flex-wrap: nowrap;
      }
      .days input {
        inline-size: 9.5rem;
      }
      #range-problem:empty {
        display: none;
      }
      .choice label:has(:disabled) {
        opacity: 0.6;
        cursor: default;
      }
      figure table :is(th, td):first-child {
        padding-inline-start: 0;
      }
      figure table :is(th, td):last-child {
        padding-inline-end: 0;
      }
      tfoot > tr > * {
        font-weight: 650;
        border-block-start: 1px solid var(--edge);
        border-block-end: 0;
      }
      summary {
        min-block-size: 2.5rem;
        padding-block: 0.5rem;
        font-weight: 600;
        color: var(--accent);
        cursor: pointer;
      }
      details .table-frame {
        max-block-size: 24rem;
        overflow: auto;
      }
      details thead th {
        position: sticky;
        inset-block-start: 0;
        background: var(--card);
      }
    `,
  ];

  @property({ attribute: false }) session!: Session;
  @state() private preset: RangePreset = '30-days';
  @state() private range: DayRange = presetRange('30-days', serverNowMs());
  @state() private problem = '';
  @state() private measure: Measure = 'characters';
  @state() private grouping: Grouping = 'kind';
  private readonly report = new Loaded(this, {
    load: async ({ signal }) => {
      const { range } = this;
      const isByTag = this.grouping === 'tag';
      const [rows, month] = await Promise.all([
        (isByTag ? usageByTag : usageByKey)(range, signal),
        api.get<MonthUsage>('usage', { signal }),
      ]);
      return { range, rows, isByTag, month };
    },
  });

  override render() {
    const { month } = this.report.value ?? {};
    return page(
      { title: 'Usage', text: 'Days are counted in UTC; today is part of it.' },
      html`${month === undefined ? nothing : limitNotes(month, this.session)}
        <section class="card" aria-label="Usage by day">
          <div class="card-head choices">${this.rangePicker()} ${this.choices()}</div>
          <div class="inside">
            ${this.report.render(({ range, rows, isByTag }) => {
              const grouping = isByTag ? 'tag' : this.grouping === 'tag' ? 'key' : this.grouping;
              return this.plot(usagePlot({ range, rows, grouping, measure: this.measure }));
            })}
          </div>
        </section>`,
    );
  }

  private rangePicker(): TemplateResult {
    return html`<div class="row">
      <label class="unseen" for="range">Days</label>
      <select id="range" @change=${this.onPreset}>
        ${Object.entries(rangePresets).map(
          ([value, title]) =>
            html`<option value=${value} ?selected=${value === this.preset}>${title}</option>`,
        )}
      </select>
      ${
        this.preset !== 'custom'
          ? nothing
          : html`<form class="row days" @change=${this.onDays} @submit=${this.onDays}>
              <label class="unseen" for="start">First day</label>
              <input
                id="start"
                name="start"
                type="date"
                required
                value=${this.range.start}
                aria-invalid=${this.problem !== ''}
                aria-describedby="range-problem"
              />
              <span aria-hidden="true">–</span>
              <label class="unseen" for="end">Last day</label>
              <input
                id="end"
                name="end"
                type="date"
                required
                value=${this.range.end}
                aria-invalid=${this.problem !== ''}
                aria-describedby="range-problem"
              />
            </form>`
      }
      <p class="error" id="range-problem" role="status">${this.problem}</p>
    </div>`;
  }

  private choices(): TemplateResult {
    const isByTag = this.grouping === 'tag';
    const isSpeech = this.measure === 'speech';
    const ofTags = isByTag ? 'Reports by tag count texts and improvements only.' : '';
    const hint = isSpeech ? 'Reports by tag have no speech.' : ofTags;
    return html`<div class="row">
      ${choice({
        name: 'measure',
        legend: 'What is shown',
        titles: measures,
        chosen: this.measure,
        disabled: isByTag ? ['speech'] : [],
        hintId: 'choice-hint',
        onChange: (value) => (this.measure = value),
      })}
      ${choice({
        name: 'grouping',
        legend: 'Grouped by',
        titles: groupings,
        chosen: this.grouping,
        disabled: isSpeech ? ['tag'] : [],
        hintId: 'choice-hint',
        onChange: (value) => this.group(value),
      })}
      <p class=${hint === '' ? 'unseen' : 'hint'} id="choice-hint" role="status">${hint}</p>
    </div>`;
  }

  private plot(plot: Plot): TemplateResult {
    const isSpeech = this.measure === 'speech';
    const format = isSpeech ? durationText : wholeNumber;
    if (plot.series.length === 0) {
      return emptyState({
        icon: icons.usage,
        heading: isSpeech ? 'No speech in these days' : 'Nothing in these days',
        text:
          this.grouping === 'tag'
            ? 'Requests carry a tag when they are sent with the header X-Service-Reporting-Tag.'
            : 'What is used with the keys of this account shows here, today’s as well.',
      });
    }
    const highest = Math.max(
      ...plot.buckets.map((_, index) =>
        plot.series.reduce((total, { values }) => total + (values[index] ?? 0), 0),
      ),
    );
    const title = `${measures[this.measure]} by ${groupings[this.grouping].toLowerCase()}`;
    return html`<figure class="stack">
      <figcaption class="row between">
        <h2>${title}</h2>
        <button type="button" class="small" @click=${() => this.save(plot)}>
          ${icons.download} CSV
        </button>
      </figcaption>
      <console-bar-plot
        label=${`${title}, a bar at a time`}
        .data=${plot}
        .unit=${isSpeech ? speechUnit(highest) : plainUnit}
        .format=${format}
      ></console-bar-plot>
      ${usageTables({ plot, format, groupTitle: groupings[this.grouping], title })}
    </figure>`;
  }

  private save(plot: Plot): void {
    const name = `usage-${this.measure}-${this.grouping}-${this.range.start}-${this.range.end}.csv`;
    saveFile(name, plotAsCsv(plot), 'text/csv');
  }

  private group(grouping: Grouping): void {
    const isOther = (grouping === 'tag') !== (this.grouping === 'tag');
    this.grouping = grouping;
    // Keys and kinds share one report; tags have another.
    if (isOther) void this.report.reload();
  }

  private readonly onPreset = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    this.preset = target.value as RangePreset;
    this.problem = '';
    if (this.preset === 'custom') return;
    this.range = presetRange(this.preset, serverNowMs());
    void this.report.reload();
  };

  private readonly onDays = (event: Event): void => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const fields = new FormData(form);
    const range = { start: fields.get('start') as string, end: fields.get('end') as string };
    this.problem = rangeProblem(range) ?? '';
    if (this.problem !== '') return;
    this.range = range;
    void this.report.reload();
  };
}

/** Renders a plot as tables: the total of each series, and every bar. */
function usageTables({
  plot,
  format,
  groupTitle,
  title,
}: {
  plot: Plot;
  format: (amount: number) => string;
  groupTitle: string;
  title: string;
}): TemplateResult {
  const total = plot.series.reduce((sum, series) => sum + series.total, 0);
  return html`<div class="table-frame">
      <table>
        <caption class="unseen">
          ${title}: totals
        </caption>
        <thead>
          <tr>
            <th>${groupTitle}</th>
            <th class="number">Total</th>
            <th class="number">Share</th>
          </tr>
        </thead>
        <tbody>
          ${plot.series.map(
            (series) =>
              html`<tr>
                <th scope="row"><i class="swatch part-${series.part}"></i>${series.name}</th>
                <td class="number">${format(series.total)}</td>
                <td class="number">${Math.round((series.total / total) * 100)} %</td>
              </tr>`,
          )}
        </tbody>
        ${
          plot.series.length === 1
            ? nothing
            : html`<tfoot>
                <tr>
                  <th scope="row">Total</th>
                  <td class="number">${format(total)}</td>
                  <td class="number">100 %</td>
                </tr>
              </tfoot>`
        }
      </table>
    </div>
    <details>
      <summary>Every bar as a table</summary>
      ${dayTable({ plot, format, title })}
    </details>`;
}

function dayTable({
  plot,
  format,
  title,
}: {
  plot: Plot;
  format: (amount: number) => string;
  title: string;
}): TemplateResult {
  return html`<div class="table-frame" tabindex="0" role="region" aria-label=${title}>
    <table>
      <thead>
        <tr>
          <th>When</th>
          ${plot.series.map(({ name }) => html`<th class="number">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${plot.buckets
          .map(
            ({ fullLabel }, index) =>
              html`<tr>
                <th scope="row">${fullLabel}</th>
                ${plot.series.map(
                  ({ values }) => html`<td class="number">${format(values[index] ?? 0)}</td>`,
                )}
              </tr>`,
          )
          .toReversed()}
      </tbody>
    </table>
  </div>`;
}

customElements.define('console-usage', ConsoleUsage);
