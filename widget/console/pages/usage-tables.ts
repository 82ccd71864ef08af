import { html, nothing, type TemplateResult } from 'lit';
import type { Plot } from './usage-plot.ts';

/** A plot as tables: what each colour adds up to, and every day. */
export function usageTables({
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
  return html`<table>
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
